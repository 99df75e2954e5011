//! Which pose bones had better deform, found by trying.
//!
//! A rest pose in the middle of the motion is predicted from better than one at its edge, and a modelled
//! one that the animation never shows may not be reachable at all. A sample of the mesh, some triangles in
//! some frames, is skinned from each candidate, which takes a fraction of a second.

use glam::Vec3;

use super::segments::segment;
use crate::animation::{Frames, MeshAnimation, compare};
use crate::geometry::{Bounds, Mesh};
use crate::progress::{Cancelled, Muted, Progress};
use crate::rig::{Player, Rig};
use crate::segment::{SurfaceMotion, distinct};
use crate::skin::{
    RestPose, Skin, SkinOptions, SmaOptions, TUNING, fit_bones, fit_corrections, solve_weights,
};
use crate::tracks::spread_frames;

/// The candidate from which the sample is skinned best.
pub fn choose(
    animation: &MeshAnimation,
    sma: &SmaOptions,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<RestPose, Cancelled> {
    let candidates = candidates(animation);
    let sample = Sample::new(animation);
    let mut best = (f64::INFINITY, candidates[0]);
    for (i, &candidate) in candidates.iter().enumerate() {
        progress.check()?;
        progress.advance(i as f64 / candidates.len() as f64);
        let Ok(pose) = candidate.positions(animation) else { continue };
        let percent =
            if candidates.len() == 1 { 0.0 } else { sample.percent_from(pose, sma, options, progress)? };
        if percent < best.0 * TUNING.rest_pose.clearly_better || best.0 == f64::INFINITY {
            best = (percent, candidate);
        }
    }
    Ok(best.1)
}

/// The given pose, the first frame, and frames spread over the rest; no pose twice.
fn candidates(animation: &MeshAnimation) -> Vec<RestPose> {
    let (count, tried) = (animation.frames.len(), TUNING.rest_pose.tried);
    let first = animation.frames.frame(0);
    let given = animation.rest.as_deref().filter(|rest| *rest != first);
    let frames = spread_frames(count, tried + 1).into_iter().map(RestPose::Frame);
    given.map(|_| RestPose::Given).into_iter().chain(frames).collect()
}

/// Some triangles in some frames.
struct Sample {
    /// Vertices of the mesh that the sample has.
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    frames: Frames,
    fps: f64,
}

impl Sample {
    fn new(animation: &MeshAnimation) -> Self {
        let all = animation.mesh.triangles(animation.frames.frame(0));
        let step = all.len().div_ceil(TUNING.rest_pose.triangles).max(1);
        let vertices = distinct(all.iter().step_by(step).flatten().copied());
        let place = |v: u32| vertices.binary_search(&v).unwrap_or(0) as u32;
        let triangles = all.iter().step_by(step).map(|t| t.map(place)).collect();
        let pose = |&t: &usize| vertices.iter().map(|&v| animation.frames.frame(t)[v as usize]).collect();
        let chosen = spread_frames(animation.frames.len(), TUNING.rest_pose.frames);
        let poses: Vec<Vec<Vec3>> = chosen.iter().map(pose).collect();
        Self { vertices, triangles, frames: Frames::from_poses(&poses), fps: animation.fps }
    }

    /// The error in percent when the sample is skinned from `pose`; infinite when it cannot be.
    fn percent_from(
        &self,
        pose: &[Vec3],
        sma: &SmaOptions,
        options: &SkinOptions,
        progress: &dyn Progress,
    ) -> Result<f64, Cancelled> {
        let (quiet, frames, triangles) = (Muted(progress), &self.frames, &self.triangles);
        let rest: Vec<Vec3> = self.vertices.iter().map(|&v| pose[v as usize]).collect();
        let motion = SurfaceMotion { frames, triangles, rest: &rest };
        let segmentation = segment(motion, sma, options, &quiet)?;
        let bones = segmentation.bone_count;
        if bones == 0 {
            return Ok(f64::INFINITY);
        }
        let transforms = fit_bones(motion, &segmentation, options.kind, sma.core, &quiet)?;
        let weights = sma.weight_options(options.influences);
        let weights = solve_weights(frames, &rest, &transforms, &weights, &quiet)?;
        let mut skin = Skin { bones, rest, weights, transforms };
        // More shapes than a third of the few frames would replay anything.
        let rank = options.rank.min(frames.len() / 3);
        let corrections = match rank {
            0 => None,
            _ => Some(fit_corrections(frames, triangles, &mut skin, rank, &quiet)?),
        };
        let mesh = Mesh::from_triangles(skin.rest.len(), triangles);
        let rig = Rig::new(mesh, skin.rest, skin.weights, skin.transforms, bones, self.fps);
        let Ok(rig) = rig.map(|rig| Rig { corrections, ..rig }) else { return Ok(f64::INFINITY) };
        Ok(compare(frames, &Player::new(&rig), Bounds::of(&rig.rest)).error.percent)
    }
}
