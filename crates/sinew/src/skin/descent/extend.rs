//! From some vertices, or some frames, to others.

use super::local::solve_vertices;
use super::{Bones, Freedom, Model, Neighbours, Normal, Points, Task, flexible, rigid};
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;

/// A model of some vertices brought to others.
pub fn to_vertices(
    model: &Model,
    from: &Points,
    to: &Points,
    task: &Task,
    neighbours: &Neighbours,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    if from.len() == to.len() {
        return Ok(model.clone());
    }
    let mut model = handed_on(model, from, to, neighbours);
    // New vertices settle before they have a say in the bones.
    for _ in 0..2 {
        let freedom = Freedom { attempts: to.tuning.first_attempts, ..task.freedom };
        solve_vertices(&mut model, to, freedom, progress)?;
    }
    Ok(model)
}

/// Hands the bones, weights and moves of the rest pose of some vertices on to others: every vertex begins with
/// what the nearest of them, along the edges, has.
fn handed_on(small: &Model, from: &Points, to: &Points, neighbours: &Neighbours) -> Model {
    let k = small.weights.per_vertex;
    let nearest = neighbours.nearest(&from.ids);
    let mut model = Model::new(to.rest(), SkinWeights::zeros(to.len(), k), small.bones.clone());
    for (i, &id) in to.ids.iter().enumerate() {
        let Some(s) = nearest[id as usize].map(|s| s as usize) else { continue };
        model.rest[i] += small.rest[s] - from.anchor(s);
        model.weights.bones[i * k..(i + 1) * k].copy_from_slice(small.weights.of(s).0);
        model.weights.weights[i * k..(i + 1) * k].copy_from_slice(small.weights.of(s).1);
    }
    model
}

/// A model found on some frames, or without transforms, with rigid bones fitted to all.
pub fn to_frames(mut model: Model, points: &Points, progress: &dyn Progress) -> Result<Model, Cancelled> {
    model.bones = Bones::still(points.reduced.dims, std::mem::take(&mut model.bones.locked));
    let normal = Normal::new(&model, points, progress)?;
    flexible::solve(&mut model.bones, &normal, progress)?;
    let solves = points.tuning.rebase_solves;
    rigid::from_flexible(&mut model.bones, &normal, points.reduced, solves, progress)?;
    Ok(model)
}
