//! From some vertices, or some frames, to others.

use super::{Bones, Freedom, Model, Neighbours, Normal, Points, Task, flexible, rigid};
use crate::progress::{Cancelled, Progress};

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
        model.solve_vertices(to, freedom, progress)?;
    }
    Ok(model)
}

/// Hands the bones, weights and moves of the rest pose of some vertices on to others: every vertex begins with
/// what the nearest of them, along the edges, has.
fn handed_on(small: &Model, from: &Points, to: &Points, neighbours: &Neighbours) -> Model {
    let (n, k) = (to.len(), small.influences);
    let nearest = neighbours.nearest(&from.ids);
    let mut model = Model {
        influences: k,
        rest: to.rest(),
        slots: vec![0; n * k],
        weights: vec![0.0; n * k],
        errors: vec![0.0; n],
        bones: small.bones.clone(),
    };
    for (i, &id) in to.ids.iter().enumerate() {
        let Some(s) = nearest[id as usize].map(|s| s as usize) else { continue };
        model.rest[i] += small.rest[s] - from.anchor(s);
        model.slots[i * k..(i + 1) * k].copy_from_slice(small.of(s).0);
        model.weights[i * k..(i + 1) * k].copy_from_slice(small.of(s).1);
    }
    model
}

/// A model found on some frames, or without transforms, with rigid bones fitted to all.
pub fn to_frames(mut model: Model, points: &Points, progress: &dyn Progress) -> Result<Model, Cancelled> {
    let (dims, count) = (points.reduced.dims, model.bones.count());
    let locked = std::mem::take(&mut model.bones.locked);
    model.bones = Bones { dims, runs: vec![0.0; 4 * dims * count], rigid: None, locked };
    let normal = Normal::new(&model, points, progress)?;
    flexible::solve(&mut model.bones, &normal, progress)?;
    rigid::from_flexible(&mut model.bones, &normal, points.reduced, progress)?;
    for _ in 0..points.tuning.rebase_solves {
        rigid::solve(&mut model.bones, &normal, points.reduced, progress)?;
    }
    model.bones.refresh(points.reduced, progress)?;
    Ok(model)
}
