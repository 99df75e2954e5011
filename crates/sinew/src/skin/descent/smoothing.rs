//! Weights fit for use: smooth over the surface where that costs little, no isolated patches across the body, the
//! same at vertices that coincide.

use std::collections::BTreeSet;

use glam::Vec3;
use rayon::prelude::*;

use super::local::solve_vertices;
use super::rounds::solve_bones;
use super::{Freedom, Model, Neighbours, Pairs, Points, Problem, Pull, Scratch, Solved};
use crate::progress::{Cancelled, Progress};
use crate::reduced::Tables;
use crate::rig::SkinWeights;
use crate::skin::MOST_INFLUENCES;

/// Smooths weights and removes isolated patches, in so many rounds before and after that; returns the squared error after each round.
pub fn run(
    model: &mut Model,
    points: &Points,
    neighbours: &Neighbours,
    freedom: Freedom,
    (smoothness, [rounds, last_rounds]): (f64, [usize; 2]),
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    let tuning = &points.tuning.smoothing;
    let all_rounds = rounds + last_rounds;
    let mut log = Vec::with_capacity(all_rounds);
    let mean = model.error() / points.len() as f64;
    let pull = Pull { neighbours, strength: smoothness * tuning.strength * mean };
    for round in 0..all_rounds {
        progress.check()?;
        progress.advance(round as f64 / all_rounds as f64);
        if round == rounds {
            drop_patches(model, points, neighbours, freedom, tuning.patch_cost * mean, progress)?;
        }
        let attempts = if round < rounds { freedom.attempts } else { 0 };
        solve_vertices(model, points, Freedom { attempts, pull: Some(pull), ..freedom }, progress)?;
        log.push(model.error());
        solve_bones(model, points, progress)?;
        model.bones.refresh(points.reduced);
    }
    Ok(log)
}

/// Takes bones off patches of vertices far from where the bone works, where that costs less than `allowed` a
/// vertex.
fn drop_patches(
    model: &mut Model,
    points: &Points,
    neighbours: &Neighbours,
    freedom: Freedom,
    allowed: f64,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let k = model.weights.per_vertex;
    let patches = patches(model, neighbours, points.tuning.smoothing.patch_share);
    let pairs = Pairs::sharing_vertices(&model.weights, model.bones.count());
    let tables = model.bones.tables(points.reduced, pairs, progress)?;
    let dropped: Vec<Vec<Dropped>> = patches
        .into_par_iter()
        .map_init(
            || Scratch::new(&tables),
            |scratch, (bone, members)| {
                let tried: Vec<Dropped> = members
                    .iter()
                    .filter(|&&i| !freedom.locked.is_some_and(|l| l[points.ids[i as usize] as usize]))
                    .map(|&i| without(scratch, &tables, model, points, i as usize, bone))
                    .collect();
                let rise: f64 = tried.iter().map(|t| t.error - model.errors[t.vertex]).sum();
                if rise < allowed * tried.len() as f64 { tried } else { Vec::new() }
            },
        )
        .collect();
    for d in dropped.into_iter().flatten() {
        let at = d.vertex * k..(d.vertex + 1) * k;
        // A vertex may be in patches of several bones; the first to go counts.
        if model.weights.influences(d.vertex).any(|(b, _)| b == d.bone as usize) {
            model.weights.bones[at.clone()].copy_from_slice(&d.bones[..k]);
            model.weights.weights[at].copy_from_slice(&d.weights[..k]);
        }
    }
    Ok(())
}

/// A vertex without one of its bones.
struct Dropped {
    vertex: usize,
    bone: u32,
    bones: [u32; MOST_INFLUENCES],
    weights: [f32; MOST_INFLUENCES],
    error: f64,
}

fn without(
    scratch: &mut Scratch,
    tables: &Tables,
    model: &Model,
    points: &Points,
    vertex: usize,
    bone: u32,
) -> Dropped {
    let k = model.weights.per_vertex;
    let mut bones = [0; MOST_INFLUENCES];
    let mut weights = [0.0; MOST_INFLUENCES];
    bones[..k].copy_from_slice(model.weights.of(vertex).0);
    weights[..k].copy_from_slice(model.weights.of(vertex).1);
    bones.iter().zip(&mut weights).filter(|(b, _)| **b == bone).for_each(|(_, w)| *w = 0.0);
    let total: f32 = weights.iter().sum();
    let error = if total > 0.0 {
        weights.iter_mut().for_each(|w| *w /= total);
        let mut rest = model.rest[vertex];
        let mut solved = Solved { rest: &mut rest, bones: &mut bones[..k], weights: &mut weights[..k] };
        let error = scratch.refine::<{ MOST_INFLUENCES + 1 }>(tables, &mut solved, points.path(vertex));
        error * points.importance(vertex)
    } else {
        // Its only bone stays.
        f64::INFINITY
    };
    Dropped { vertex, bone, bones, weights, error }
}

/// Connected patches of each bone's vertices that carry little next to the bone's main patch.
fn patches(model: &Model, neighbours: &Neighbours, share: f64) -> Vec<(u32, Vec<u32>)> {
    let weight = |i: u32, bone: usize| -> f64 {
        model.weights.influences(i as usize).filter(|(b, _)| *b == bone).map(|(_, w)| w).sum()
    };
    let mut of_bone = vec![BTreeSet::new(); model.bones.count()];
    for i in 0..model.rest.len() {
        model.weights.influences(i).for_each(|(bone, _)| _ = of_bone[bone].insert(i as u32));
    }
    of_bone
        .into_par_iter()
        .enumerate()
        .flat_map_iter(|(bone, mut waiting)| {
            let mut patches = Vec::new();
            while let Some(first) = waiting.pop_first() {
                let mut patch = vec![first];
                let mut next = 0;
                while next < patch.len() {
                    for &n in neighbours.of(patch[next] as usize) {
                        if waiting.remove(&n) {
                            patch.push(n);
                        }
                    }
                    next += 1;
                }
                let mass: f64 = patch.iter().map(|&i| weight(i, bone)).sum();
                patches.push((mass, patch));
            }
            let main = patches.iter().fold(0.0, |m: f64, p| m.max(p.0));
            patches.into_iter().filter(move |p| p.0 < share * main).map(move |p| (bone as u32, p.1))
        })
        .collect()
}

/// Gives vertices that coincide in the rest pose and in every frame the same weights and rest position, so
/// that a surface that is cut there (at a UV seam) does not come apart.
pub fn match_coincident<P: Copy>(rest: &mut [P], weights: &mut SkinWeights, problem: &Problem) {
    let path = |i: usize| problem.reduced.path(i);
    match_alike(rest, weights, &problem.scaled, |a, b| path(a) == path(b));
}

/// The same for vertices that are at one of `places` and `alike`.
pub fn match_alike<P: Copy>(
    rest: &mut [P],
    weights: &mut SkinWeights,
    places: &[Vec3],
    alike: impl Fn(usize, usize) -> bool,
) {
    let k = weights.per_vertex;
    let key = |i: u32| places[i as usize].to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..rest.len() as u32).collect();
    order.par_sort_unstable_by_key(|&i| (key(i), i));
    let mut first = 0;
    for at in 1..order.len() {
        let (a, b) = (order[first], order[at]);
        let (a, b) = (a as usize, b as usize);
        if key(a as u32) != key(b as u32) || !alike(a, b) {
            first = at;
            continue;
        }
        rest[b] = rest[a];
        weights.bones.copy_within(a * k..(a + 1) * k, b * k);
        weights.weights.copy_within(a * k..(a + 1) * k, b * k);
    }
}
