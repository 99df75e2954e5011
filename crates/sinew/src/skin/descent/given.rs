//! From a given skin: what may change is improved.

use glam::DAffine3;

use super::local::solve_vertices;
use super::{Bones, Freedom, Model, Points, RigidMotion, Solve, Task, extend, rounds};
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;
use crate::skin::{BoneKind, Round, Schedule, Skin};

/// Improves what may change.
pub fn improve(
    task: &Task,
    given: &Skin,
    all: &Points,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let Task { problem, options, freedom, .. } = *task;
    let mut model = model_of(task, given, all, progress)?;
    if given.weights.per_vertex == 0 || options.solve == Solve::Weights {
        let first = Freedom { attempts: problem.tuning.first_attempts, ..freedom };
        solve_vertices(&mut model, all, first, progress)?;
    }
    let schedule = match options.solve {
        Solve::Weights => {
            model.bones.locked.fill(true);
            Schedule { rounds: 3, search_every: 1, worthwhile: 0.0 }
        }
        Solve::Transforms => Schedule { search_every: 1, ..problem.tuning.from_skin },
        Solve::Both => problem.tuning.from_skin,
    };
    rounds::improve(&mut model, all, task, schedule, rounds, progress)?;
    Ok(model)
}

/// The model of a given skin.
fn model_of(task: &Task, given: &Skin, all: &Points, progress: &dyn Progress) -> Result<Model, Cancelled> {
    let Task { problem, size, options, .. } = *task;
    let locked = (0..given.bones).map(|b| options.locked_bones.contains(&b)).collect();
    let weights = SkinWeights::zeros(problem.scaled.len(), size.influences.min(given.bones));
    let bones = Bones::still(problem.reduced.dims, locked);
    let mut model = Model::new(problem.scaled.clone(), weights, bones);
    if given.weights.per_vertex > 0 {
        model.take_weights(&given.weights);
    }
    if given.transforms.is_empty() {
        model = extend::to_frames(model, all, progress)?;
    } else {
        let scaled = |(i, t): (usize, &DAffine3)| problem.reduced.units.transform(t, i / given.bones);
        let transforms = given.transforms.iter().enumerate().map(scaled).collect();
        model.bones.rigid = Some(RigidMotion { transforms });
        model.bones.refresh(&problem.reduced);
    }
    // Bones that stay are best known as they are, whatever their kind.
    if size.kind == BoneKind::Flexible && options.solve != Solve::Weights {
        model.bones.rigid = None;
    }
    Ok(model)
}
