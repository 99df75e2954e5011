//! The true transforms at the end: weights and rest pose stay, every frame is fitted as it is, not as its few
//! coordinates tell.

use glam::DAffine3;

use super::blocks::Blocks;
use super::{Bones, Model, Normal, Points, Problem, flexible, rigid, sweep};
use crate::progress::{Cancelled, Progress, in_parallel};

/// Transforms of all bones in the first frame, then in the second, and so on. `points` are all vertices;
/// locked bones take their transforms from `given`.
pub fn solve(
    problem: &Problem,
    model: &Model,
    points: &Points,
    given: Option<&[DAffine3]>,
    progress: &dyn Progress,
) -> Result<Vec<DAffine3>, Cancelled> {
    let normal = Normal::new(model, points, progress)?;
    let bones = &model.bones;
    let factor = match &bones.rigid {
        Some(_) => None,
        None => flexible::Factor::new(bones, &normal, progress)?,
    };
    let blocks = Blocks::new(&normal);
    let units = &problem.reduced.units;
    let solved = in_parallel(progress, problem.frames().len(), |frame| {
        let given = given.map(|g| &g[frame * bones.count()..(frame + 1) * bones.count()]);
        let kept = |b: usize| given.filter(|_| bones.locked[b]).map(|g| g[b]);
        let mut now = current(bones, problem, frame);
        for (b, t) in now.iter_mut().enumerate() {
            *t = kept(b).map_or(*t, |k| units.transform(&k, frame));
        }
        let targets = targets(problem, model, frame);
        match &factor {
            Some(factor) => factor.solve_frame(&mut now, &targets, progress)?,
            None if bones.rigid.is_some() => sweep::sweeps(&mut now, &targets, &blocks, &bones.locked),
            None => {}
        }
        let back = |(b, t): (usize, &DAffine3)| kept(b).unwrap_or_else(|| units.transform_back(t, frame));
        Ok(now.iter().enumerate().map(back).collect::<Vec<DAffine3>>())
    })?;
    Ok(solved.concat())
}

fn current(bones: &Bones, problem: &Problem, frame: usize) -> Vec<DAffine3> {
    let count = bones.count();
    match &bones.rigid {
        Some(rigid) => rigid.transforms[frame * count..(frame + 1) * count].to_vec(),
        None => (0..count).map(|b| rigid::expand(bones.bone(b), &problem.reduced, frame)).collect(),
    }
}

/// One frame's right-hand sides of the normal equations, Σ w p (p̄, 1)ᵀ for each bone.
fn targets(problem: &Problem, model: &Model, frame: usize) -> Vec<[[f64; 4]; 3]> {
    let units = &problem.reduced.units;
    let mut sums = vec![[[0.0; 4]; 3]; model.bones.count()];
    for (i, p) in problem.frames().frame(frame).iter().enumerate() {
        let to = units.pose(*p, frame);
        let h = model.rest[i].as_dvec3().extend(1.0).to_array();
        for (bone, w) in model.weights.influences(i) {
            let w = w * problem.importance(i);
            for (axis, row) in sums[bone].iter_mut().enumerate() {
                row.iter_mut().zip(h).for_each(|(s, h)| *s += w * to[axis] * h);
            }
        }
    }
    sums
}
