//! Bones that are hardly missed go to where they are needed, while vertices have several.
//!
//! Going round ends where no bone gets better by itself. What a bone is missed by is known: what its vertices would be off
//! if they followed another of those that share them, a square form in the difference of the two motions. What another bone
//! would gain is known too (`dead_bones`). The bone that is missed least takes over half of the one that needs it most; some
//! rounds tell whether that was well.

use std::collections::BTreeSet;

use super::dead_bones::{hand_over, splits};
use super::rounds::{run, solve_bones};
use super::{Model, Pairs, Points, Task};
use crate::geometry::grouped::largest_first;
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;

/// Moves bones as long as that pays, so many times at most.
pub fn improve(
    model: &mut Model,
    points: &Points,
    task: &Task,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let tuning = &points.tuning.relocation;
    let mut failed = BTreeSet::new();
    for attempt in 0..tuning.attempts {
        progress.check()?;
        let part = progress.part(attempt as f64, (attempt + 1) as f64 / tuning.attempts as f64);
        let Some(Move { bone, follows, from, leaving }) = next(model, points, &failed) else { break };
        let mut moved = model.clone();
        follow(&mut moved.weights, bone, follows);
        hand_over(&mut moved, from, bone, &leaving);
        solve_bones(&mut moved, points, &part)?;
        moved.bones.refresh(points.reduced);
        run(&mut moved, points, task.freedom, tuning.rounds, &part)?;
        if moved.error() < model.error() * (1.0 - tuning.worthwhile) {
            *model = moved;
            failed.clear();
        } else {
            failed.insert((bone, from));
        }
    }
    model.bones.refresh(points.reduced);
    Ok(())
}

/// A bone that takes over some vertices of another, while its own follow a third.
struct Move {
    bone: usize,
    follows: usize,
    from: usize,
    leaving: Vec<u32>,
}

/// The move that promises most, of those that have not failed.
fn next(model: &Model, points: &Points, failed: &BTreeSet<(usize, usize)>) -> Option<Move> {
    let missed = missed(model, points);
    let mut splits = splits(model, points);
    let needy = largest_first(splits.len(), |b| splits[b].gain);
    let free = |b: &usize| !model.bones.locked[*b];
    let mut best: Option<(f64, Move)> = None;
    for bone in (0..missed.len()).filter(free) {
        let Some((cost, follows)) = missed[bone] else { continue };
        let from = needy.iter().copied().find(|&from| from != bone && !failed.contains(&(bone, from)));
        let Some(from) = from.filter(|from| !splits[*from].leaving.is_empty()) else { continue };
        let promised = splits[from].gain - cost;
        if best.as_ref().is_none_or(|(most, _)| promised > *most) {
            best = Some((promised, Move { bone, follows, from, leaving: Vec::new() }));
        }
    }
    let (_, chosen) = best?;
    let leaving = std::mem::take(&mut splits[chosen.from].leaving);
    Some(Move { leaving, ..chosen })
}

/// What each bone is missed by, and the bone that its vertices would follow; none where no other has any of them.
fn missed(model: &Model, points: &Points) -> Vec<Option<(f64, usize)>> {
    let (count, d) = (model.bones.count(), model.bones.dims);
    let mut carried = vec![[[0.0; 4]; 4]; count];
    for (i, p) in model.rest.iter().enumerate() {
        let h = p.as_dvec3().extend(1.0).to_array();
        for (bone, weight) in model.weights.influences(i) {
            let weight = weight * weight * points.importance(i);
            for (row, x) in carried[bone].iter_mut().zip(h) {
                row.iter_mut().zip(h).for_each(|(sum, y)| *sum += weight * x * y);
            }
        }
    }
    let off = |bone: usize, other: usize| {
        let (a, b) = (model.bones.bone(bone), model.bones.bone(other));
        let difference: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
        let product = |r: usize, c: usize| -> f64 {
            difference[r * d..(r + 1) * d]
                .iter()
                .zip(&difference[c * d..(c + 1) * d])
                .map(|(x, y)| x * y)
                .sum()
        };
        (0..16).map(|at| carried[bone][at / 4][at % 4] * product(at / 4, at % 4)).sum::<f64>()
    };
    let mut least: Vec<Option<(f64, usize)>> = vec![None; count];
    for &[a, b] in Pairs::sharing_vertices(&model.weights, count).list.iter().filter(|[a, b]| a != b) {
        for (bone, other) in [(a, b), (b, a)] {
            let (bone, other) = (bone as usize, other as usize);
            let cost = off(bone, other);
            if least[bone].is_none_or(|(known, _)| cost < known) {
                least[bone] = Some((cost, other));
            }
        }
    }
    least
}

/// Lets the vertices of a bone follow another.
fn follow(weights: &mut SkinWeights, bone: usize, other: usize) {
    let SkinWeights { per_vertex: k, bones, weights } = weights;
    for (bones, weights) in bones.chunks_exact_mut(*k).zip(weights.chunks_exact_mut(*k)) {
        let find =
            |which: usize| bones.iter().zip(&*weights).position(|(b, w)| *b == which as u32 && *w > 0.0);
        let Some(at) = find(bone) else { continue };
        match find(other) {
            Some(to) => {
                weights[to] += weights[at];
                (bones[at], weights[at]) = (0, 0.0);
            }
            None => bones[at] = other as u32,
        }
    }
}
