//! What the rounds improve: bones, weights and rest pose of some vertices, in reduced coordinates.

use glam::Vec3;
use rayon::prelude::*;

use super::{Bones, DescentOptions, Neighbours, Pairs, Points, Problem, Scratch, SkinSize, Solve, Solved};
use crate::progress::{Cancelled, Progress};
use crate::reduced::Tables;
use crate::rig::SkinWeights;
use crate::skin::MOST_INFLUENCES;

/// Vertices solved by one task, at least.
const AT_ONCE: usize = 64;

/// A rig in the making.
#[derive(Clone)]
pub struct Model {
    /// Rest pose, relative to the origin and scaled.
    pub rest: Vec<Vec3>,
    /// Which bones move which vertices.
    pub weights: SkinWeights,
    /// Squared error of each vertex, times how much it counts.
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

impl Freedom<'_> {
    /// Whether vertices of so many influences look for bones.
    pub fn looks(&self, influences: usize) -> bool {
        self.weights && (influences == 1 || self.attempts > 0)
    }

    /// Of a vertex that stays as it is.
    fn to_nothing(self) -> Self {
        Self { weights: false, rest: false, ..self }
    }
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

impl Pull<'_> {
    /// Weights of the neighbours of the vertex at a place of the model, and whose they are.
    pub fn weights_around<'a>(
        &'a self,
        at: usize,
        weights: &'a SkinWeights,
    ) -> impl Iterator<Item = (usize, f32)> + 'a {
        self.neighbours.of(at).iter().flat_map(|&n| {
            let (bones, weights) = weights.of(n as usize);
            bones.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(&b, &w)| (b as usize, w))
        })
    }
}

impl Model {
    /// Errors are not known yet.
    pub fn new(rest: Vec<Vec3>, weights: SkinWeights, bones: Bones) -> Self {
        Self { errors: vec![0.0; rest.len()], rest, weights, bones }
    }

    /// Squared error of all vertices.
    pub fn error(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// Takes the largest of given weights on each vertex.
    pub fn take_weights(&mut self, given: &SkinWeights) {
        let SkinWeights { per_vertex: k, bones, weights } = &mut self.weights;
        for (i, (slots, weights)) in bones.chunks_exact_mut(*k).zip(weights.chunks_exact_mut(*k)).enumerate()
        {
            let (bones, from) = given.of(i);
            let mut order: Vec<usize> = (0..bones.len()).filter(|&s| from[s] > 0.0).collect();
            order.sort_by(|&a, &b| from[b].total_cmp(&from[a]).then(a.cmp(&b)));
            order.truncate(*k);
            let total: f32 = order.iter().map(|&s| from[s]).sum();
            for (slot, &s) in order.iter().enumerate() {
                slots[slot] = bones[s];
                weights[slot] = from[s] / total;
            }
        }
    }

    /// Makes room for `influences` a vertex, where there was one.
    pub fn widen(&mut self, influences: usize) {
        let mut wide = SkinWeights::zeros(self.rest.len(), influences);
        for i in 0..self.rest.len() {
            wide.bones[i * influences] = self.weights.bones[i];
            wide.weights[i * influences] = self.weights.weights[i];
        }
        self.weights = wide;
    }

    /// Solves weights and then rest position of every vertex for the bones as they are; vertices that look for bones look
    /// at all. The error of no vertex rises.
    pub fn solve_vertices(
        &mut self,
        points: &Points,
        freedom: Freedom,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let (k, count) = (self.weights.per_vertex, self.bones.count());
        let looking = freedom.looks(k);
        let pairs = match looking {
            _ if k == 1 => Pairs::alone(count),
            true => Pairs::all(count),
            false => Pairs::sharing_vertices(&self.weights, count),
        };
        let tables = self.bones.tables(points.reduced, pairs, progress)?;
        let pull = freedom.pull.map(|pull| (pull, self.weights.clone()));
        let SkinWeights { bones, weights, .. } = &mut self.weights;
        let slots = (bones.par_chunks_mut(k), weights.par_chunks_mut(k));
        let vertices = (&mut self.rest, slots.0, slots.1, &mut self.errors).into_par_iter().enumerate();
        vertices.with_min_len(AT_ONCE).try_for_each_init(
            || Scratch::new(&tables),
            |scratch, (at, (rest, bones, weights, error))| {
                progress.check()?;
                if let Some((pull, before)) = &pull {
                    scratch.pull(pull.strength, pull.weights_around(at, before));
                }
                let vertex = &mut Solved { rest, bones, weights };
                *error = solve_vertex(scratch, &tables, vertex, (points, at), freedom);
                Ok(())
            },
        )
    }
}

/// Solves the vertex at a place of the model; returns its squared error, times how much it counts.
pub fn solve_vertex(
    scratch: &mut Scratch,
    tables: &Tables,
    vertex: &mut Solved,
    (points, at): (&Points, usize),
    freedom: Freedom,
) -> f64 {
    let path = points.path(at);
    let freedom = match freedom.locked {
        Some(locked) if locked[points.ids[at] as usize] => freedom.to_nothing(),
        _ => freedom,
    };
    let mut error = match vertex.bones.len() {
        1 => scratch.nearest(tables, vertex, path, freedom.weights),
        2..=4 => solve_weights::<5>(scratch, tables, vertex, path, freedom),
        5..=8 => solve_weights::<9>(scratch, tables, vertex, path, freedom),
        _ => solve_weights::<{ MOST_INFLUENCES + 1 }>(scratch, tables, vertex, path, freedom),
    };
    if freedom.rest {
        let hold = points.tuning.rest_hold * points.reduced.frame_count() as f64;
        error += scratch.move_rest(tables, vertex, path, points.anchor(at), hold);
    }
    error.max(0.0) * points.importance(at)
}

fn solve_weights<const N: usize>(
    scratch: &mut Scratch,
    tables: &Tables,
    vertex: &mut Solved,
    path: &[f32],
    freedom: Freedom,
) -> f64 {
    if !freedom.weights {
        scratch.measure::<N>(tables, vertex, path)
    } else if freedom.attempts > 0 {
        scratch.search::<N>(tables, vertex, path, freedom.attempts)
    } else {
        scratch.refine::<N>(tables, vertex, path)
    }
}
