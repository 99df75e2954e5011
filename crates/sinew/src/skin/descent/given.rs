//! From a given rig: what may change is improved.

use glam::DAffine3;

use super::model::{Bones, Freedom, Model, Points};
use super::rounds::Schedule;
use super::{DescentOptions, FIRST_ATTEMPTS, FROM_RIG, GivenRig, Problem, Round, Solve, rigid, start};
use crate::progress::Progress;
use crate::skin::BoneKind;

/// Improves what may change; `None` when cancelled.
pub fn improve(
    problem: &Problem,
    given: &GivenRig,
    all: &Points,
    freedom: Freedom,
    options: &DescentOptions,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Option<Model> {
    progress.stage("rounds");
    let mut model = model_of(problem, given, all, options);
    if given.weights.is_none() || options.solve == Solve::Weights {
        model.solve_vertices(all, Freedom { attempts: FIRST_ATTEMPTS, ..freedom });
    }
    let schedule = match options.solve {
        Solve::Weights => {
            model.bones.locked.fill(true);
            Schedule { rounds: 3, search_every: 1, worthwhile: 0.0 }
        }
        Solve::Transforms => Schedule { search_every: 1, ..FROM_RIG },
        Solve::Both => FROM_RIG,
    };
    super::improve(&mut model, all, freedom, schedule, problem, rounds, progress)?;
    Some(model)
}

/// The model of a given rig.
fn model_of(problem: &Problem, given: &GivenRig, all: &Points, options: &DescentOptions) -> Model {
    let (n, k) = (problem.scaled.len(), options.influences.min(given.bones));
    let dims = problem.reduced.dims;
    let locked = (0..given.bones).map(|b| options.locked_bones.contains(&b)).collect();
    let mut model = Model {
        influences: k,
        rest: problem.scaled.clone(),
        slots: vec![0; n * k],
        weights: vec![0.0; n * k],
        errors: vec![0.0; n],
        bones: Bones { dims, runs: vec![0.0; 4 * dims * given.bones], rigid: None, locked },
    };
    if let Some(weights) = &given.weights {
        model.take_weights(weights);
    }
    match &given.transforms {
        Some(transforms) => {
            let scaled = |(i, t): (usize, &DAffine3)| problem.as_scaled(t, i / given.bones);
            let transforms = transforms.iter().enumerate().map(scaled).collect();
            model.bones.rigid = Some(rigid::Rigid { transforms, outside: Vec::new() });
            model.bones.refresh(&problem.reduced);
        }
        None => model = start::rebased(model, all),
    }
    // Bones that stay are best known as they are, whatever their kind.
    if options.kind == BoneKind::Flexible && options.solve != Solve::Weights {
        model.bones.rigid = None;
    }
    model
}
