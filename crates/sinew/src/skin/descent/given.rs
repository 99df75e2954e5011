//! From a given skin: what may change is improved.

use glam::DAffine3;

use super::model::{Bones, Freedom, Model, Points};
use super::rounds::Schedule;
use super::{FIRST_ATTEMPTS, FROM_RIG, Fit, Problem, Solve, rigid, start};
use crate::progress::{Cancelled, Progress};
use crate::skin::kinds::BoneKind;
use crate::skin::state::{Round, Skin};

/// Improves what may change.
pub fn improve(
    problem: &Problem,
    given: &Skin,
    all: &Points,
    fit: &Fit,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let Fit { options, freedom, .. } = *fit;
    progress.stage("rounds");
    let mut model = model_of(problem, given, all, fit);
    if given.weights.per_vertex == 0 || options.solve == Solve::Weights {
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
    Ok(model)
}

/// The model of a given skin.
fn model_of(problem: &Problem, given: &Skin, all: &Points, fit: &Fit) -> Model {
    let Fit { size, options, .. } = *fit;
    let (n, k) = (problem.scaled.len(), size.influences.min(given.bones));
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
    if given.weights.per_vertex > 0 {
        model.take_weights(&given.weights);
    }
    if given.transforms.is_empty() {
        model = start::rebased(model, all);
    } else {
        let scaled = |(i, t): (usize, &DAffine3)| problem.as_scaled(t, i / given.bones);
        let transforms = given.transforms.iter().enumerate().map(scaled).collect();
        model.bones.rigid = Some(rigid::Rigid { transforms, outside: Vec::new() });
        model.bones.refresh(&problem.reduced);
    }
    // Bones that stay are best known as they are, whatever their kind.
    if size.kind == BoneKind::Flexible && options.solve != Solve::Weights {
        model.bones.rigid = None;
    }
    model
}
