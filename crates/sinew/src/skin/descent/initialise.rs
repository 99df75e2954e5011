//! Initialisation: which vertices follow which bone at first.
//!
//! What comes out depends on where the descent starts, and a few rounds on a few vertices tell a good start
//! from a bad one. So several are tried side by side, and the best goes on. A start is what a segmenter finds,
//! usually k-means over triangle rotations, then k-means over motion, then rounds with one influence a vertex, then with all.

use glam::Vec3;
use rayon::prelude::*;

use super::{Bones, Effort, Freedom, Model, Normal, Points, Task, rigid, rounds};
use crate::progress::{Cancelled, Progress, Together};
use crate::rig::SkinWeights;
use crate::segment::motion_kmeans::MotionKMeans;
use crate::segment::{Segmenter, Starts};
use crate::skin::{BoneKind, Schedule};

/// Shares of a start's time that are over after k-means over rotations and after k-means over motion, about.
const DONE: [f64; 2] = [0.3, 0.6];

/// The best of the starts that a segmenter has, the best first, and the vertices they were found on.
pub fn best<'a>(
    task: &Task<'a>,
    segmenter: &'static dyn Segmenter,
    progress: &dyn Progress,
) -> Result<(Vec<Model>, Points<'a>), Cancelled> {
    let (problem, points) = (task.problem, tried_on(task));
    let starts = problem.starts(segmenter, task.size, progress)?;
    let count = starts.at_most(wanted(task));
    let together = Together::new(progress, count);
    let models: Result<Vec<Model>, Cancelled> = (0..count)
        .into_par_iter()
        .map(|i| from_start(task, &points, starts.as_ref(), i as f64 / count as f64, &together.part(i)))
        .collect();
    let mut models = models?;
    models.sort_by(|a, b| a.error().total_cmp(&b.error()));
    models.truncate(finalists(task));
    Ok((models, points))
}

/// How many starts are to be tried.
fn wanted(task: &Task) -> usize {
    let tuning = &task.problem.tuning;
    let [fewest, most] = tuning.starts;
    let usual = (task.problem.scaled.len() / tuning.vertices_per_start).clamp(fewest, most);
    let count = match task.options.effort {
        Effort::Quick => 1,
        Effort::Normal => usual,
        Effort::Best => usual * tuning.more_starts,
    };
    count.min(tuning.bones_started / task.size.bones).max(1)
}

/// How many starts are followed further.
fn finalists(task: &Task) -> usize {
    let Task { problem, options, .. } = task;
    let [fewest, most] = problem.tuning.finalists;
    match options.effort {
        Effort::Best => (problem.frames().len() / problem.tuning.frames_per_finalist).clamp(fewest, most),
        _ => 1,
    }
}

/// A start from given sets of vertices, one a bone, and the vertices it was found on.
pub fn given<'a>(
    task: &Task<'a>,
    sets: &[Vec<u32>],
    progress: &dyn Progress,
) -> Result<(Model, Points<'a>), Cancelled> {
    let points = tried_on(task);
    let trial = [points.tuning.single, trial(task)];
    Ok((from_sets(task, &points, sets, trial, progress)?.0, points))
}

/// The vertices that starts are tried on.
fn tried_on<'a>(task: &Task<'a>) -> Points<'a> {
    let tuning = &task.problem.tuning;
    let many = if task.options.effort == Effort::Quick { tuning.quick.tried_on } else { tuning.tried_on };
    task.problem.sample_for(many, task.size.bones)
}

fn from_start(
    task: &Task,
    points: &Points,
    starts: &dyn Starts,
    which: f64,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let sets = starts.sets(task.size.bones, which, &progress.part(0.0, DONE[0]))?;
    let trial = [points.tuning.single, trial(task)];
    Ok(from_sets(task, points, &sets, trial, &progress.part(DONE[0], 1.0))?.0)
}

/// Rounds after which starts are compared.
fn trial(task: &Task) -> Schedule {
    let tuning = &task.problem.tuning;
    if task.options.effort == Effort::Quick { tuning.quick.trial } else { tuning.trial }
}

/// A start from some sets of vertices, and the one bone that each vertex followed before it had several. The rounds are those
/// with one influence and with all.
pub fn from_sets(
    task: &Task,
    points: &Points,
    sets: &[Vec<u32>],
    [alone, trial]: [Schedule; 2],
    progress: &dyn Progress,
) -> Result<(Model, Vec<u32>), Cancelled> {
    let Task { problem, size, freedom, .. } = *task;
    let rest = points.rest();
    let paths: Vec<f32> = (0..points.len()).flat_map(|i| points.path(i)).copied().collect();
    let clusters = MotionKMeans::new(&paths, &rest, progress)?;
    let (reduced, moving) = (&problem.reduced, progress.part(0.0, DONE[1]));
    let clusters = clusters.begun_with(sets, reduced, &problem.scaled, size.bones, &moving)?;
    let mut model = single_influences(&clusters, points, rest.clone(), size.kind, progress)?;
    let single = Freedom { rest: false, attempts: 1, ..freedom };
    rounds::run(&mut model, points, single, alone, &progress.part(DONE[1], 0.8))?;
    let followed = model.weights.bones.clone();
    model.widen(size.influences.min(size.bones));
    rounds::run(&mut model, points, freedom, trial, &progress.part(0.8, 1.0))?;
    Ok((model, followed))
}

/// A model in which every vertex follows the bone that predicts it best.
fn single_influences(
    clusters: &MotionKMeans,
    points: &Points,
    rest: Vec<Vec3>,
    kind: BoneKind,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let still = Bones::still(points.reduced.dims, vec![false; clusters.count()]);
    let bones = Bones { runs: clusters.runs.concat(), ..still };
    let mut model = Model::new(rest, SkinWeights::of_one_each(clusters.bone_of.clone()), bones);
    if kind == BoneKind::Rigid {
        let normal = Normal::new(&model, points, progress)?;
        rigid::from_flexible(&mut model.bones, &normal, points.reduced, 1, progress)?;
    }
    Ok(model)
}
