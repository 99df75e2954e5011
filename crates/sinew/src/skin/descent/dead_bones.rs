//! Bones that move nothing get work where the error is.
//!
//! The vertices that follow a bone most, cut in two by what their mixtures leave over, show what another bone
//! would gain there; the dead bone takes one half from the bone that gains most.

use rayon::prelude::*;

use super::{Model, Points};
use crate::segment::motion_kmeans::{Split, split};

/// Gives work to dead bones; returns how many got some. All bones are to be solved then.
pub fn hand_out(model: &mut Model, points: &Points) -> usize {
    let dead = dead(model, points.tuning.dead_weight);
    if dead.is_empty() {
        return 0;
    }
    let (members, splits) = splits(model, points);
    let mut needy: Vec<usize> = (0..splits.len()).collect();
    needy.sort_by(|&a, &b| splits[b].gain.total_cmp(&splits[a].gain).then(a.cmp(&b)));
    needy.retain(|&b| splits[b].gain > points.tuning.revival_gain * model.error());
    let count = dead.len().min(needy.len());
    for (&bone, &from) in dead.iter().zip(&needy) {
        let leaving = members[from].iter().zip(&splits[from].leaving).filter(|(_, l)| **l).map(|(&i, _)| i);
        hand_over(model, from, bone, leaving);
    }
    count
}

fn dead(model: &Model, least: f64) -> Vec<usize> {
    let mut carried = vec![0.0; model.bones.count()];
    for (&bone, &weight) in model.slots.iter().zip(&model.weights) {
        carried[bone as usize] += f64::from(weight);
    }
    (0..carried.len()).filter(|&b| carried[b] < least && !model.bones.locked[b]).collect()
}

/// For each bone the vertices that follow it most, and how they would be cut.
fn splits(model: &Model, points: &Points) -> (Vec<Vec<usize>>, Vec<Split<Vec<bool>>>) {
    let (k, d) = (model.influences, model.bones.dims);
    let left_over = left_over(model, points);
    let mut members = vec![Vec::new(); model.bones.count()];
    for (i, slots) in model.slots.chunks_exact(k).enumerate() {
        members[slots[0] as usize].push(i);
    }
    let still = vec![0.0; 4 * d];
    let splits = members
        .par_iter()
        .map(|members| {
            let points: Vec<_> =
                members.iter().map(|&i| (model.rest[i], &left_over[i * d..(i + 1) * d])).collect();
            split(&points, &still)
        })
        .collect();
    (members, splits)
}

/// What the mixtures leave over: path minus prediction.
fn left_over(model: &Model, points: &Points) -> Vec<f32> {
    let d = model.bones.dims;
    let mut out = vec![0.0; points.len() * d];
    out.par_chunks_mut(d).enumerate().for_each(|(i, out)| {
        out.copy_from_slice(points.path(i));
        let p = model.rest[i];
        let (bones, weights) = model.of(i);
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
fn hand_over(model: &mut Model, from: usize, to: usize, vertices: impl Iterator<Item = usize>) {
    let k = model.influences;
    for (slot, weight) in model.slots.iter().zip(&mut model.weights) {
        if *slot == to as u32 {
            *weight = 0.0;
        }
    }
    model.bones.copy_motion(from, to);
    for i in vertices {
        for slot in &mut model.slots[i * k..(i + 1) * k] {
            if *slot == from as u32 {
                *slot = to as u32;
            }
        }
    }
}
