//! Bones that move nothing get work where the error is.
//!
//! The vertices that follow a bone most, cut in two by what their mixtures leave over, show what another bone
//! would gain there; the dead bone takes one half from the bone that gains most.

use rayon::prelude::*;

use super::model::{Bones, Model, Points};
use super::rounds;
use crate::segment::motion_kmeans::{Split, split};

/// A bone with less than this, in vertices wholly its own, is dead.
const LEAST_WEIGHT: f64 = 0.5;
/// Share of the squared error that a revived bone must promise to take away.
const WORTHWHILE: f64 = 1e-3;

/// Gives work to dead bones; returns how many got some.
pub fn run(model: &mut Model, points: &Points) -> usize {
    let dead = dead(model);
    if dead.is_empty() {
        return 0;
    }
    let (members, splits) = splits(model, points);
    let mut needy: Vec<usize> = (0..splits.len()).collect();
    needy.sort_by(|&a, &b| splits[b].gain.total_cmp(&splits[a].gain).then(a.cmp(&b)));
    needy.retain(|&b| splits[b].gain > WORTHWHILE * model.error());
    let count = dead.len().min(needy.len());
    for (&bone, &from) in dead.iter().zip(&needy) {
        let leaving = members[from].iter().zip(&splits[from].leaving).filter(|(_, l)| **l).map(|(&i, _)| i);
        hand_over(model, from, bone, leaving);
    }
    if count > 0 {
        rounds::solve_bones(model, points);
        model.bones.refresh(points.reduced);
    }
    count
}

fn dead(model: &Model) -> Vec<usize> {
    let mut carried = vec![0.0; model.bones.count()];
    for (&bone, &weight) in model.slots.iter().zip(&model.weights) {
        carried[bone as usize] += f64::from(weight);
    }
    (0..carried.len()).filter(|&b| carried[b] < LEAST_WEIGHT && !model.bones.locked[b]).collect()
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
    let (k, d) = (model.influences, model.bones.dims);
    let mut out = vec![0.0; points.len() * d];
    out.par_chunks_mut(d).enumerate().for_each(|(i, out)| {
        out.copy_from_slice(points.path(i));
        let p = model.rest[i];
        for (&b, &w) in model.slots[i * k..(i + 1) * k].iter().zip(&model.weights[i * k..(i + 1) * k]) {
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

impl Bones {
    /// Gives bone `to` the motion of bone `from`.
    fn copy_motion(&mut self, from: usize, to: usize) {
        let (d, count) = (4 * self.dims, self.count());
        self.runs.copy_within(from * d..(from + 1) * d, to * d);
        if let Some(rigid) = &mut self.rigid {
            rigid.transforms.chunks_exact_mut(count).for_each(|frame| frame[to] = frame[from]);
        }
    }
}
