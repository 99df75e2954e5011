//! Bones that move nothing get work where the error is.
//!
//! The vertices that follow a bone most, cut in two by what their mixtures leave over, show what another bone
//! would gain there; the dead bone takes one half from the bone that gains most.

use rayon::prelude::*;

use super::{Model, Points};
use crate::geometry::grouped::{largest_first, members};
use crate::rig::SkinWeights;
use crate::segment::motion_kmeans::{Split, split};

/// Gives work to dead bones; returns how many got some. All bones are to be solved then.
pub fn hand_out(model: &mut Model, points: &Points) -> usize {
    let dead = dead(model, points.tuning.dead_weight);
    if dead.is_empty() {
        return 0;
    }
    let splits = splits(model, points);
    let mut needy = largest_first(splits.len(), |b| splits[b].gain);
    needy.retain(|&b| splits[b].gain > points.tuning.revival_gain * model.error());
    for (&bone, &from) in dead.iter().zip(&needy) {
        hand_over(model, from, bone, &splits[from].leaving);
    }
    dead.len().min(needy.len())
}

fn dead(model: &Model, least: f64) -> Vec<usize> {
    let mut carried = vec![0.0; model.bones.count()];
    for (&bone, &weight) in model.weights.bones.iter().zip(&model.weights.weights) {
        carried[bone as usize] += f64::from(weight);
    }
    (0..carried.len()).filter(|&b| carried[b] < least && !model.bones.locked[b]).collect()
}

/// For each bone how the vertices that follow it most would be cut.
pub fn splits(model: &Model, points: &Points) -> Vec<Split> {
    let d = model.bones.dims;
    let left_over = left_over(model, points);
    let first: Vec<u32> = model.weights.bones.iter().step_by(model.weights.per_vertex).copied().collect();
    let point = |i: u32| (model.rest[i as usize], &left_over[i as usize * d..(i as usize + 1) * d]);
    let still = vec![0.0; 4 * d];
    members(&first, model.bones.count()).par_iter().map(|members| split(members, point, &still)).collect()
}

/// What the mixtures leave over: path minus prediction.
fn left_over(model: &Model, points: &Points) -> Vec<f32> {
    let d = model.bones.dims;
    let mut out = vec![0.0; points.len() * d];
    out.par_chunks_mut(d).enumerate().for_each(|(i, out)| {
        out.copy_from_slice(points.path(i));
        let p = model.rest[i];
        let (bones, weights) = model.weights.of(i);
        for (&b, &w) in bones.iter().zip(weights) {
            let run = model.bones.bone(b as usize);
            for (c, x) in [p.x, p.y, p.z, 1.0].into_iter().enumerate() {
                let factor = f64::from(w * x);
                out.iter_mut().zip(&run[c * d..]).for_each(|(o, y)| *o -= (factor * y) as f32);
            }
        }
    });
    out
}

/// Bone `to` takes the place of bone `from` on some vertices, beginning with its motion.
pub fn hand_over(model: &mut Model, from: usize, to: usize, vertices: &[u32]) {
    let SkinWeights { per_vertex: k, bones, weights } = &mut model.weights;
    bones.iter().zip(weights).filter(|(b, _)| **b == to as u32).for_each(|(_, weight)| *weight = 0.0);
    model.bones.copy_motion(from, to);
    for &i in vertices {
        let slots = &mut bones[i as usize * *k..(i as usize + 1) * *k];
        slots.iter_mut().filter(|b| **b == from as u32).for_each(|b| *b = to as u32);
    }
}
