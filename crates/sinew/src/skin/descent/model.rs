//! What the rounds improve: bones, weights and rest pose of some vertices, in reduced coordinates.

use glam::Vec3;
use rayon::prelude::*;

use super::{Anchor, Bones, DescentOptions, Neighbours, Points, Problem, Scratch, SkinSize, Solve, Solved};
use crate::progress::{Cancelled, Progress};
use crate::reduced::Tables;
use crate::rig::SkinWeights;
use crate::skin::MOST_INFLUENCES;

/// Vertices solved by one task.
const BLOCK: usize = 64;

/// A rig in the making.
#[derive(Clone)]
pub struct Model {
    /// Influences a vertex may have.
    pub influences: usize,
    /// Rest pose, relative to the origin and scaled.
    pub rest: Vec<Vec3>,
    /// Bone of each of `influences` slots a vertex.
    pub slots: Vec<u32>,
    /// Weight of each slot; zero where it is free.
    pub weights: Vec<f32>,
    /// Squared error of each vertex.
    pub errors: Vec<f64>,
    /// The bones.
    pub bones: Bones,
}

/// What the vertex step may change.
#[derive(Clone, Copy)]
pub struct Freedom<'a> {
    /// Solve weights.
    pub weights: bool,
    /// Move the rest pose.
    pub rest: bool,
    /// How many bones a vertex tries to take in, at most; with none it keeps those it has.
    pub attempts: usize,
    /// Vertices of the animation that keep their weights and rest position.
    pub locked: Option<&'a [bool]>,
    /// Pull weights towards those of the neighbours.
    pub pull: Option<Pull<'a>>,
}

/// What one fit is for.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub problem: &'a Problem<'a>,
    pub size: SkinSize,
    pub options: &'a DescentOptions,
    pub freedom: Freedom<'a>,
}

impl<'a> Task<'a> {
    /// With the freedom that `options` give.
    pub fn new(problem: &'a Problem<'a>, size: SkinSize, options: &'a DescentOptions) -> Self {
        let freedom = Freedom {
            weights: options.solve != Solve::Transforms,
            rest: !options.keep_rest,
            attempts: problem.tuning.attempts,
            locked: (!options.locked_vertices.is_empty()).then_some(options.locked_vertices.as_slice()),
            pull: None,
        };
        Self { problem, size, options, freedom }
    }
}

/// How weights are made smooth.
#[derive(Clone, Copy)]
pub struct Pull<'a> {
    /// Who is next to whom, by place in the model.
    pub neighbours: &'a Neighbours,
    /// What a weight that is off the neighbours' mean by one costs, in squared error.
    pub strength: f64,
}

impl Model {
    /// Squared error of all vertices.
    pub fn error(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// Bones and weights of one vertex.
    pub fn of(&self, i: usize) -> (&[u32], &[f32]) {
        let slots = i * self.influences..(i + 1) * self.influences;
        (&self.slots[slots.clone()], &self.weights[slots])
    }

    /// Takes the largest of given weights on each vertex.
    pub fn take_weights(&mut self, given: &SkinWeights) {
        let k = self.influences;
        for (i, (slots, weights)) in
            self.slots.chunks_exact_mut(k).zip(self.weights.chunks_exact_mut(k)).enumerate()
        {
            let (bones, from) = given.of(i);
            let mut order: Vec<usize> = (0..bones.len()).filter(|&s| from[s] > 0.0).collect();
            order.sort_by(|&a, &b| from[b].total_cmp(&from[a]).then(a.cmp(&b)));
            order.truncate(k);
            let total: f32 = order.iter().map(|&s| from[s]).sum();
            for (slot, &s) in order.iter().enumerate() {
                slots[slot] = bones[s];
                weights[slot] = from[s] / total;
            }
        }
    }

    /// Makes room for `influences` a vertex, where there was one.
    pub fn widen(&mut self, influences: usize) {
        let wide = |i: usize| i.is_multiple_of(influences).then_some(i / influences);
        let slots = self.rest.len() * influences;
        self.slots = (0..slots).map(|i| wide(i).map_or(0, |i| self.slots[i])).collect();
        self.weights = (0..slots).map(|i| wide(i).map_or(0.0, |i| self.weights[i])).collect();
        self.influences = influences;
    }

    /// Solves weights and then rest position of every vertex for the bones as they are. The error of no
    /// vertex rises.
    pub fn solve_vertices(
        &mut self,
        points: &Points,
        freedom: Freedom,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let k = self.influences;
        let tables = self.bones.tables();
        let before = freedom.pull.map(|_| (self.slots.clone(), self.weights.clone()));
        (
            self.rest.par_chunks_mut(BLOCK),
            self.slots.par_chunks_mut(BLOCK * k),
            self.weights.par_chunks_mut(BLOCK * k),
            self.errors.par_chunks_mut(BLOCK),
        )
            .into_par_iter()
            .enumerate()
            .try_for_each_init(
                || Scratch::new(&tables),
                |scratch, (block, (rest, slots, weights, errors))| {
                    progress.check()?;
                    for i in 0..rest.len() {
                        let at = block * BLOCK + i;
                        let mut vertex = Solved {
                            rest: &mut rest[i],
                            bones: &mut slots[i * k..(i + 1) * k],
                            weights: &mut weights[i * k..(i + 1) * k],
                        };
                        let locked = freedom.locked.is_some_and(|l| l[points.ids[at] as usize]);
                        if let (Some(pull), Some((slots, weights))) = (freedom.pull, &before) {
                            let near = pull.neighbours.of(at).iter().map(|&n| {
                                let range = n as usize * k..(n as usize + 1) * k;
                                (&slots[range.clone()], &weights[range])
                            });
                            scratch.pull(pull.strength, near);
                        }
                        errors[i] =
                            solve_vertex(scratch, &tables, &mut vertex, (points, at), freedom, locked);
                    }
                    Ok(())
                },
            )
    }
}

fn solve_vertex(
    scratch: &mut Scratch,
    tables: &Tables,
    vertex: &mut Solved,
    (points, at): (&Points, usize),
    freedom: Freedom,
    locked: bool,
) -> f64 {
    let path = points.path(at);
    let mut error = match vertex.bones.len() {
        1 => scratch.nearest(tables, vertex, path, freedom.weights && !locked),
        2..=4 => solve_weights::<5>(scratch, tables, vertex, path, freedom, locked),
        5..=8 => solve_weights::<9>(scratch, tables, vertex, path, freedom, locked),
        _ => solve_weights::<{ MOST_INFLUENCES + 1 }>(scratch, tables, vertex, path, freedom, locked),
    };
    if freedom.rest && !locked {
        let anchor = Anchor {
            at: points.anchor(at),
            hold: points.tuning.rest_hold * points.reduced.frame_count() as f64,
        };
        error += scratch.move_rest(tables, vertex, path, anchor);
    }
    error.max(0.0)
}

fn solve_weights<const N: usize>(
    scratch: &mut Scratch,
    tables: &Tables,
    vertex: &mut Solved,
    path: &[f32],
    freedom: Freedom,
    locked: bool,
) -> f64 {
    if locked || !freedom.weights {
        scratch.measure::<N>(tables, vertex, path)
    } else if freedom.attempts > 0 {
        scratch.search::<N>(tables, vertex, path, freedom.attempts)
    } else {
        scratch.refine::<N>(tables, vertex, path)
    }
}
