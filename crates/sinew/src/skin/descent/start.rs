//! The beginning: which vertices follow which bone at first.
//!
//! What comes out depends on where the descent starts, and a few rounds on a few vertices tell a good start
//! from a bad one. So several are tried side by side, and the best goes on.

use glam::Vec3;
use rayon::prelude::*;

use super::model::{Bones, Freedom, Model, Points};
use super::neighbours::Neighbours;
use super::normal::Normal;
use super::rounds::{self, Schedule};
use super::{Problem, flexible, rigid};
use crate::progress::{Cancelled, Progress};
use crate::segment::motion_kmeans::MotionKMeans;
use crate::segment::rotation_kmeans::RotationKMeans;
use crate::skin::kinds::BoneKind;

/// Starts tried: one for so many vertices, but no fewer and no more than these. What a start costs does not depend on
/// the size of the mesh, what comes after does; on a large mesh more starts cost little.
const VERTICES_PER_START: usize = 1000;
const STARTS: std::ops::RangeInclusive<usize> = 3..=8;
/// Vertices they are tried on, and for each bone.
const TRIED_ON: usize = 1000;
const TRIED_ON_PER_BONE: usize = 30;
/// Rounds with one influence a vertex, before there are more.
const SINGLE: Schedule = Schedule { rounds: 10, search_every: 1, worthwhile: 0.01 };
/// Rounds after which starts are compared.
const TRIAL: Schedule = Schedule { rounds: 10, search_every: 3, worthwhile: 0.0 };

/// Solves that bring rigid bones near their best after the frames have changed.
const REBASE_SOLVES: usize = 4;

/// What a start is for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub bones: usize,
    pub influences: usize,
    pub kind: BoneKind,
    pub freedom: Freedom<'a>,
}

/// The best of several starts, and the vertices it was found on.
pub fn best<'a>(
    problem: &'a Problem,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(Model, Points<'a>), Cancelled> {
    let starts = (problem.scaled.len() / VERTICES_PER_START).clamp(*STARTS.start(), *STARTS.end());
    best_of(starts, problem, wanted, progress)
}

/// One start, and the vertices it was found on.
pub fn one<'a>(
    problem: &'a Problem,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(Model, Points<'a>), Cancelled> {
    best_of(1, problem, wanted, progress)
}

fn best_of<'a>(
    starts: usize,
    problem: &'a Problem,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(Model, Points<'a>), Cancelled> {
    let points = problem.sample(TRIED_ON.max(TRIED_ON_PER_BONE * wanted.bones));
    let rotations = RotationKMeans::new(problem.frames, &problem.triangles, &problem.rest, wanted.bones);
    let models: Vec<Result<Model, Cancelled>> = (0..starts)
        .into_par_iter()
        .map(|start| {
            let found = rotations.cluster(wanted.bones, start as f64 / starts as f64, progress)?;
            let sets = rotations.vertices(&found, wanted.bones);
            from_sets(problem, &points, &sets, wanted, progress)
        })
        .collect();
    let models: Result<Vec<Model>, Cancelled> = models.into_iter().collect();
    let best = models?.into_iter().min_by(|a, b| a.error().total_cmp(&b.error()));
    Ok((best.expect("at least one start"), points))
}

/// A start from given sets of vertices, one a bone.
pub fn given<'a>(
    problem: &'a Problem,
    sets: &[Vec<u32>],
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(Model, Points<'a>), Cancelled> {
    let points = problem.sample(TRIED_ON.max(TRIED_ON_PER_BONE * wanted.bones));
    let model = from_sets(problem, &points, sets, wanted, progress)?;
    Ok((model, points))
}

fn from_sets(
    problem: &Problem,
    points: &Points,
    sets: &[Vec<u32>],
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let rest: Vec<Vec3> = points.ids.iter().map(|&i| problem.scaled[i as usize]).collect();
    let paths: Vec<f32> = (0..points.len()).flat_map(|i| points.path(i)).copied().collect();
    let sets: Vec<Vec<(Vec3, &[f32])>> = sets
        .iter()
        .filter(|set| !set.is_empty())
        .map(|set| {
            set.iter().map(|&v| (problem.scaled[v as usize], problem.reduced.path(v as usize))).collect()
        })
        .collect();
    let mut clusters = MotionKMeans::new(&paths, &rest, progress)?;
    clusters.restart(&sets, progress)?;
    clusters.grow(wanted.bones, progress)?;
    clusters.relocate(progress)?;
    let mut model = single_influences(&clusters, points, rest.clone(), wanted.kind);
    let single = Freedom { rest: false, attempts: 1, ..wanted.freedom };
    let mut unused = Vec::new();
    rounds::run(&mut model, points, single, SINGLE, &mut unused, progress)?;
    model.widen(wanted.influences);
    rounds::run(&mut model, points, wanted.freedom, TRIAL, &mut unused, progress)?;
    Ok(model)
}

/// A model in which every vertex follows the bone that predicts it best.
fn single_influences(clusters: &MotionKMeans, points: &Points, rest: Vec<Vec3>, kind: BoneKind) -> Model {
    let n = points.len();
    let bones = Bones {
        dims: points.reduced.dims,
        runs: clusters.runs.concat(),
        rigid: None,
        locked: vec![false; clusters.count()],
    };
    let slots = clusters.bone_of.clone();
    let mut model = Model { influences: 1, rest, slots, weights: vec![1.0; n], errors: vec![0.0; n], bones };
    if kind == BoneKind::Rigid {
        let normal = Normal::new(&model, points);
        rigid::from_flexible(&mut model.bones, &normal, points.reduced);
        rigid::solve(&mut model.bones, &normal, points.reduced);
        model.bones.refresh(points.reduced);
    }
    model
}

/// A model found on some frames, with rigid bones fitted to all.
pub fn rebased(mut model: Model, points: &Points) -> Model {
    let dims = points.reduced.dims;
    model.bones.dims = dims;
    model.bones.runs = vec![0.0; 4 * dims * model.bones.count()];
    model.bones.rigid = None;
    let normal = Normal::new(&model, points);
    flexible::solve(&mut model.bones, &normal);
    rigid::from_flexible(&mut model.bones, &normal, points.reduced);
    for _ in 0..REBASE_SOLVES {
        rigid::solve(&mut model.bones, &normal, points.reduced);
    }
    model.bones.refresh(points.reduced);
    model
}

/// Hands the bones, weights and moves of the rest pose of some vertices on to others: every vertex begins with
/// what the nearest of them, along the edges, has.
pub fn extend(
    small: &Model,
    from: &Points,
    to: &Points,
    problem: &Problem,
    neighbours: &Neighbours,
) -> Model {
    let (n, k) = (to.len(), small.influences);
    let nearest = neighbours.nearest(&from.ids);
    let mut model = Model {
        influences: k,
        rest: to.ids.iter().map(|&i| problem.scaled[i as usize]).collect(),
        slots: vec![0; n * k],
        weights: vec![0.0; n * k],
        errors: vec![0.0; n],
        bones: small.bones.clone(),
    };
    for (i, &id) in to.ids.iter().enumerate() {
        let Some(s) = nearest[id as usize].map(|s| s as usize) else { continue };
        model.rest[i] += small.rest[s] - problem.scaled[from.ids[s] as usize];
        model.slots[i * k..(i + 1) * k].copy_from_slice(&small.slots[s * k..(s + 1) * k]);
        model.weights[i * k..(i + 1) * k].copy_from_slice(&small.weights[s * k..(s + 1) * k]);
    }
    model
}
