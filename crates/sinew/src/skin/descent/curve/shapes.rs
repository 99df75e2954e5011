//! What correction shapes would take off the error of a rig.
//!
//! Shapes move vertices before the bones do. What is left over, brought back through the blended bones, is a matrix with
//! three rows a vertex and a column a frame, and so many shapes take off at most its leading singular values ("Skinning
//! Mesh Animations", equation 12, without bones that stretch unevenly). Their squares are the eigenvalues of its Gram
//! matrix over the frames.

use glam::{DAffine3, DMat3, DVec3};

use crate::progress::{Cancelled, Progress, in_parallel};
use crate::skin::descent::{Model, Points, Problem, rigid};
use crate::solve::jacobi::symmetric_eigen_sorted;
use crate::tracks::spread_frames;

/// Shares of the squared error that 0, 1, 2, … shapes leave, at most so many.
pub fn shares(
    problem: &Problem,
    model: &Model,
    points: &Points,
    most: usize,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    if most == 0 {
        return Ok(vec![1.0]);
    }
    let frames = spread_frames(problem.frames().len(), problem.tuning.curve.frames);
    let columns = in_parallel(progress, frames.len(), |at| Ok(column(problem, model, points, frames[at])))?;
    let count = columns.len();
    let rows = in_parallel(progress, count, |i| {
        Ok((0..count).map(|j| product(&columns[i], &columns[j])).collect())
    })?;
    let mut gram: Vec<f64> = rows.into_iter().flat_map(|row: Vec<f64>| row).collect();
    let (values, _) = symmetric_eigen_sorted(&mut gram, count);
    let all: f64 = values.iter().map(|v| v.max(0.0)).sum();
    let left = |rank: usize| values.iter().skip(rank).map(|v| v.max(0.0)).sum::<f64>();
    Ok((0..=most).map(|rank| if all > 0.0 { left(rank) / all } else { 1.0 }).collect())
}

/// What one frame leaves over, before the bones.
fn column(problem: &Problem, model: &Model, points: &Points, frame: usize) -> Vec<DVec3> {
    let (reduced, bones) = (&problem.reduced, &model.bones);
    let transforms: Vec<DAffine3> = match &bones.rigid {
        Some(rigid) => rigid.transforms[frame * bones.count()..(frame + 1) * bones.count()].to_vec(),
        None => (0..bones.count()).map(|b| rigid::expand(bones.bone(b), reduced, frame)).collect(),
    };
    let poses = problem.frames().frame(frame);
    let of = |(i, &id): (usize, &u32)| {
        let (mut linear, mut place) = (DMat3::ZERO, DVec3::ZERO);
        for (bone, weight) in model.weights.influences(i) {
            linear += transforms[bone].matrix3 * weight;
            place += transforms[bone].transform_point3(model.rest[i].as_dvec3()) * weight;
        }
        linear.transpose() * (reduced.units.pose(poses[id as usize], frame) - place)
    };
    points.ids.iter().enumerate().map(of).collect()
}

fn product(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
