//! What a body does beside travelling: how much of its motion is left when the whole goes as one.

use glam::{DMat3, DVec3};

use super::Problem;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::solve::procrustes::kabsch;
use crate::tracks::spread_frames;

/// The share of Σ‖P − mean over time of P‖² that is left when every frame is taken back by the one rigid motion that brings
/// the rest pose nearest to it; told from some of the vertices and frames.
pub fn share_within(problem: &Problem, progress: &dyn Progress) -> Result<f64, Cancelled> {
    let tuning = &problem.tuning.bone_count;
    let points = problem.sample(tuning.sample);
    let frames = spread_frames(problem.frames().len(), problem.tuning.curve.frames);
    let rest: Vec<DVec3> = points.rest().iter().map(|p| p.as_dvec3()).collect();
    let units = &problem.reduced.units;
    let poses = in_parallel(progress, frames.len(), |at| {
        let pose = problem.frames().frame(frames[at]);
        // From one origin for all frames: places that the body travels to are part of the motion.
        let place = |id: &u32| units.shift(pose[*id as usize].as_dvec3() - units.origins.rest);
        let there: Vec<DVec3> = points.ids.iter().map(place).collect();
        let pairs = rest.iter().zip(&there).map(|(from, to)| (*from, *to, 1.0));
        let back = kabsch(pairs, DMat3::IDENTITY).map(|travel| travel.inverse());
        let within = there.iter().map(|p| back.map_or(*p, |back| back.transform_point3(*p))).collect();
        Ok((there, within))
    })?;
    let (there, within): (Vec<Vec<DVec3>>, Vec<Vec<DVec3>>) = poses.into_iter().unzip();
    let whole = motion(&there);
    Ok(if whole > 0.0 { (motion(&within) / whole).min(1.0) } else { 1.0 })
}

/// Σ‖P − mean over time of P‖².
fn motion(poses: &[Vec<DVec3>]) -> f64 {
    let of_vertex = |i: usize| {
        let mean = poses.iter().map(|pose| pose[i]).sum::<DVec3>() / poses.len() as f64;
        poses.iter().map(|pose| pose[i].distance_squared(mean)).sum::<f64>()
    };
    (0..poses[0].len()).map(of_vertex).sum()
}
