//! Vertices look for bones among those near, where there are many.
//!
//! What a vertex gains from looking at all bones does not grow with their number, what it costs does. Vertices that
//! follow the same bone most therefore look together, at the bones that predict all of them best ([`Ranking`]). The bones
//! they have are looked at too, and, where weights are made smooth, those of their neighbours.

use glam::Vec3;
use rayon::prelude::*;

use super::model::solve_vertex;
use super::{Freedom, Model, Pairs, Points, Scratch, Solved};
use crate::geometry::grouped::{distinct, members};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::reduced::kernels::residuals;
use crate::reduced::{Ranking, Tables};
use crate::skin::MOST_INFLUENCES;

/// Solves weights and then rest position of every vertex for the bones as they are. The error of no vertex rises.
pub fn solve_vertices(
    model: &mut Model,
    points: &Points,
    freedom: Freedom,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let many = model.bones.count() > points.tuning.near_bones.from;
    if many && freedom.looks(model.weights.per_vertex) {
        look_near(model, points, freedom, progress)
    } else {
        model.solve_vertices(points, freedom, progress)
    }
}

/// [`Model::solve_vertices`], looking for bones among those near.
fn look_near(
    model: &mut Model,
    points: &Points,
    freedom: Freedom,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let (k, count) = (model.weights.per_vertex, model.bones.count());
    let runs = Tables::new(&model.bones.runs, model.bones.dims, None);
    let groups = members(&main_bones(model, points, &runs), count);
    let ranking = Ranking::new(&runs);
    let candidates = in_parallel(progress, count, |group| {
        let vertices = groups[group].iter().map(|&i| (model.rest[i as usize], points.path(i as usize)));
        let near = ranking.nearest(vertices, points.tuning.near_bones.looked_at);
        let own = groups[group].iter().flat_map(|&i| bones_around(model, i as usize, &freedom));
        Ok(if groups[group].is_empty() { Vec::new() } else { distinct(near.into_iter().chain(own)) })
    })?;
    let tables = model.bones.tables(points.reduced, Pairs::listed_together(&candidates, count), progress)?;
    let found = in_parallel(progress, count, |group| {
        let bones = &candidates[group];
        let near = tables.part(bones);
        let mut scratch = Scratch::new(&near);
        let place = |bone: usize| bones.binary_search(&(bone as u32)).expect("among those looked at");
        let solve = |&i: &u32| {
            progress.check()?;
            let at = i as usize;
            if let Some(pull) = freedom.pull {
                let around = pull.weights_around(at, &model.weights);
                scratch.pull(pull.strength, around.map(|(bone, weight)| (place(bone), weight)));
            }
            let mut found = Found::of(model, at, place);
            let Found { rest, bones: own, weights, .. } = &mut found;
            let vertex = &mut Solved { rest, bones: &mut own[..k], weights: &mut weights[..k] };
            found.error = solve_vertex(&mut scratch, &near, vertex, (points, at), freedom);
            let used = found.bones.iter_mut().zip(&found.weights);
            used.for_each(|(b, w)| *b = if *w == 0.0 { 0 } else { bones[*b as usize] });
            Ok(found)
        };
        groups[group].iter().map(solve).collect::<Result<Vec<Found>, Cancelled>>()
    })?;
    for (&i, found) in groups.iter().flatten().zip(found.iter().flatten()) {
        let (i, slots) = (i as usize, i as usize * k..(i as usize + 1) * k);
        model.rest[i] = found.rest;
        model.errors[i] = found.error;
        model.weights.bones[slots.clone()].copy_from_slice(&found.bones[..k]);
        model.weights.weights[slots].copy_from_slice(&found.weights[..k]);
    }
    Ok(())
}

/// What is solved of a vertex.
struct Found {
    rest: Vec3,
    bones: [u32; MOST_INFLUENCES],
    weights: [f32; MOST_INFLUENCES],
    error: f64,
}

impl Found {
    /// As it is, with the bones renumbered.
    fn of(model: &Model, at: usize, place: impl Fn(usize) -> usize) -> Self {
        let (bones, weights) = model.weights.of(at);
        let mut found = Self {
            rest: model.rest[at],
            bones: [0; MOST_INFLUENCES],
            weights: [0.0; MOST_INFLUENCES],
            error: 0.0,
        };
        for (slot, (&bone, &weight)) in bones.iter().zip(weights).enumerate() {
            found.bones[slot] = if weight == 0.0 { 0 } else { place(bone as usize) as u32 };
            found.weights[slot] = weight;
        }
        found
    }
}

/// For each vertex the bone with the most weight, or the one that predicts it best where it has none.
fn main_bones(model: &Model, points: &Points, runs: &Tables) -> Vec<u32> {
    let mut main: Vec<u32> = model.weights.main_bones(points.len()).into_iter().map(|b| b as u32).collect();
    main.par_iter_mut()
        .enumerate()
        .filter(|(i, _)| model.weights.influences(*i).next().is_none())
        .for_each_init(
            || (vec![0.0; runs.padded * runs.dims], vec![0.0; runs.padded]),
            |(unused, norms), (i, bone)| {
                residuals(runs, model.rest[i], points.path(i), unused, norms);
                let nearest = (0..runs.count).min_by(|&a, &b| norms[a].total_cmp(&norms[b]));
                *bone = nearest.unwrap_or(0) as u32;
            },
        );
    main
}

/// Bones of a vertex, and of its neighbours where they count.
fn bones_around<'a>(model: &'a Model, at: usize, freedom: &'a Freedom) -> impl Iterator<Item = u32> + 'a {
    let own = model.weights.influences(at).map(|(bone, _)| bone as u32);
    let pull = freedom.pull.iter();
    own.chain(pull.flat_map(move |pull| pull.weights_around(at, &model.weights).map(|(bone, _)| bone as u32)))
}
