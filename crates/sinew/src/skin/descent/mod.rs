//! The best rig for a number of bones: coordinate descent over bones, weights and rest pose.
//!
//! "Skinning Mesh Animations" fits bones once and weights once. Going round pays (Kavan, Sloan and O'Sullivan
//! 2010, FESAM; Le and Deng 2012, whose method Dem Bones is): for given bones every vertex has a best mixture
//! and a best rest position, for given mixtures every frame has best bones, and both lower the same error.
//!
//! What is done here and where it departs from those:
//! - Rounds run in few coordinates instead of all frames, on a sample of the vertices first and on all at the
//!   end; true transforms are solved once, last (`crate::reduced`, `finish`).
//! - Flexible bones are solved all together; rigid ones one after the other against what the others leave over,
//!   on sums over the vertices (`flexible`, `rigid`).
//! - A vertex keeps its bones from round to round and exchanges one when another, mixed in, lowers its error
//!   more, rather than taking the nearest (`vertex`).
//! - Rounds have momentum (`rounds`).
//! - Several starts are tried and the best goes on (`start`, [`crate::segment`]'s k-means of rotations); bones that
//!   are hardly missed move to where they are needed before vertices have more than one (its k-means of motions).
//! - At the end weights are smoothed over the surface and strays are taken out, as far as that costs little
//!   (`tidy`).

mod choose;
mod finish;
mod flexible;
mod forms;
mod given;
mod groups;
mod model;
mod neighbours;
mod normal;
mod options;
mod revive;
pub(super) mod rigid;
mod rounds;
mod start;
mod tidy;
mod vertex;

use glam::{DAffine3, Vec3};

pub use self::choose::bones_for;
pub use self::options::{Beginning, Descended, DescentOptions, GivenRig, Round, RoundPart, Solve};

use self::model::{Freedom, Model, Points};
use self::neighbours::Neighbours;
use self::rounds::Schedule;
use self::start::Wanted;
use crate::animation::Frames;
use crate::progress::Progress;
use crate::reduced::Reduced;
use crate::rig::SkinWeights;
use crate::skin::{BoneKind, MOST_INFLUENCES};

/// Vertices most rounds are run on, and for each bone.
const SAMPLE: usize = 2000;
const SAMPLE_PER_BONE: usize = 60;
/// Frames that rigid bones are fitted to on the sample.
const MOST_FRAMES: usize = 64;
/// Bones a vertex tries to take in when it looks for others.
const ATTEMPTS: usize = 3;
/// The same for vertices that come in late.
const FIRST_ATTEMPTS: usize = 5;
/// Rounds on the sample, and on all vertices. Those with rigid bones cost more and gain less.
const FLEXIBLE: [Schedule; 2] = [
    Schedule { rounds: 90, search_every: 3, worthwhile: 0.006 },
    Schedule { rounds: 18, search_every: 3, worthwhile: 0.008 },
];
const RIGID: [Schedule; 2] = [
    Schedule { rounds: 60, search_every: 3, worthwhile: 0.01 },
    Schedule { rounds: 12, search_every: 3, worthwhile: 0.01 },
];
/// Rounds on the sample and on all vertices where little time is to be spent.
const BRIEF: [Schedule; 2] = [Schedule { rounds: 6, ..RIGID[0] }, Schedule { rounds: 2, ..RIGID[1] }];
/// Rounds on all frames, after those on fewer.
const ON_ALL_FRAMES: Schedule = Schedule { rounds: 3, search_every: 3, worthwhile: 0.01 };
/// Rounds where a rig is given, which start on all vertices.
const FROM_RIG: Schedule = Schedule { rounds: 60, search_every: 3, worthwhile: 0.002 };

/// The animation as the rounds see it.
struct Problem<'a> {
    frames: &'a Frames,
    triangles: &'a [[u32; 3]],
    rest: &'a [Vec3],
    /// The rest pose relative to its middle, scaled to about one.
    scaled: Vec<Vec3>,
    reduced: Reduced,
}

impl<'a> Problem<'a> {
    fn new(frames: &'a Frames, triangles: &'a [[u32; 3]], rest: &'a [Vec3]) -> Self {
        let reduced = Reduced::new(frames, rest);
        let scaled =
            rest.iter().map(|p| ((p.as_dvec3() - reduced.origins.rest) * reduced.scale).as_vec3()).collect();
        Self { frames, triangles, rest, scaled, reduced }
    }

    /// At most so many vertices, evenly over their numbers.
    fn sample(&self, most: usize) -> Points<'_> {
        let n = self.scaled.len();
        let count = n.min(most);
        Points {
            reduced: &self.reduced,
            scaled: &self.scaled,
            ids: (0..count).map(|i| (i * n / count) as u32).collect(),
        }
    }

    /// Percent of a squared error of `count` vertices.
    fn percent(&self, error: f64, count: usize) -> f64 {
        let all = error * self.scaled.len() as f64 / count as f64 + self.reduced.left_out;
        if self.reduced.motion > 0.0 { 100.0 * (all / self.reduced.motion).sqrt() } else { 0.0 }
    }

    /// A transform between scaled poses as one between poses.
    fn unscaled(&self, t: &DAffine3, frame: usize) -> DAffine3 {
        let origins = &self.reduced.origins;
        let translation =
            t.translation / self.reduced.scale + origins.frames[frame] - t.matrix3 * origins.rest;
        DAffine3 { matrix3: t.matrix3, translation }
    }

    /// The other way round.
    fn as_scaled(&self, t: &DAffine3, frame: usize) -> DAffine3 {
        let origins = &self.reduced.origins;
        let translation = (t.transform_point3(origins.rest) - origins.frames[frame]) * self.reduced.scale;
        DAffine3 { matrix3: t.matrix3, translation }
    }
}

/// Finds bones, weights and rest pose. `None` when cancelled.
///
/// `triangles` and `rest` are the rest pose to start from; with [`Beginning::Rig`] `rest` is the rig's. The animation must be valid
/// ([`crate::animation::MeshAnimation::validate`]).
///
/// # Panics
/// When no bones or influences are asked for, or parts of a given rig disagree in length.
pub fn descend(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &DescentOptions,
    progress: &dyn Progress,
) -> Option<Descended> {
    assert!(options.bones > 0, "at least one bone");
    assert!((1..=MOST_INFLUENCES).contains(&options.influences), "1 to 16 influences");
    let problem = Problem::new(frames, triangles, rest);
    let neighbours = Neighbours::new(triangles, rest.len());
    let all = problem.sample(rest.len());
    let mut rounds = Vec::new();
    let locked = (!options.locked_vertices.is_empty()).then_some(options.locked_vertices.as_slice());
    let freedom = Freedom {
        weights: options.solve != Solve::Transforms,
        rest: !options.keep_rest,
        attempts: ATTEMPTS,
        locked,
        pull: None,
    };
    let mut model = match &options.beginning {
        Beginning::Rig(given) => {
            given::improve(&problem, given, &all, freedom, options, &mut rounds, progress)?
        }
        _ => find(&problem, &neighbours, &all, freedom, options, &mut rounds, progress)?,
    };
    if options.smoothness > 0.0 && freedom.weights && options.influences > 1 {
        progress.stage("smoothing");
        let mut log = Vec::new();
        let done = tidy::run(&mut model, &all, &neighbours, freedom, options.smoothness, &mut log, progress);
        note(&mut rounds, RoundPart::Smoothing, &log, &problem, all.len());
        if !done {
            return None;
        }
    }
    tidy::match_twins(&mut model, &all, &problem.scaled);
    let given = match &options.beginning {
        Beginning::Rig(given) => given.transforms.as_deref(),
        _ => None,
    };
    Some(finished(&problem, model, &all, given, rounds))
}

/// From nothing: starts, rounds on a sample, rounds on all.
fn find(
    problem: &Problem,
    neighbours: &Neighbours,
    all: &Points,
    freedom: Freedom,
    options: &DescentOptions,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Option<Model> {
    match thinned(problem.frames).filter(|_| options.kind == BoneKind::Rigid) {
        // Rotations do not become fewer in fewer coordinates: what rigid bones cost grows with the frames.
        Some(some) => {
            let some = Problem::new(&some, problem.triangles, problem.rest);
            let model = find_on_all(&some, neighbours, freedom, options, rounds, progress)?;
            for round in rounds.iter_mut().filter(|r| r.part == RoundPart::All) {
                round.part = RoundPart::SomeFrames;
            }
            let mut model = start::rebased(model, all);
            improve(&mut model, all, freedom, ON_ALL_FRAMES, problem, rounds, progress)?;
            Some(model)
        }
        None => find_on_all(problem, neighbours, freedom, options, rounds, progress),
    }
}

/// The best start, improved on a sample and then on all vertices.
fn find_on_all(
    problem: &Problem,
    neighbours: &Neighbours,
    freedom: Freedom,
    options: &DescentOptions,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Option<Model> {
    let sample = problem.sample(SAMPLE.max(SAMPLE_PER_BONE * options.bones));
    let all = problem.sample(problem.scaled.len());
    let mut model = find_on_sample(problem, neighbours, freedom, options, rounds, progress)?;
    if sample.len() < all.len() {
        model = brought_to(&model, &sample, &all, problem, neighbours, freedom);
        let schedule = schedules(options)[1];
        improve(&mut model, &all, freedom, schedule, problem, rounds, progress)?;
    }
    Some(model)
}

/// The best start, improved on a sample.
fn find_on_sample(
    problem: &Problem,
    neighbours: &Neighbours,
    freedom: Freedom,
    options: &DescentOptions,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Option<Model> {
    progress.stage("starts");
    let influences = options.influences.min(options.bones);
    let wanted = Wanted { bones: options.bones, influences, kind: options.kind, freedom };
    let (small, few) = match groups::bone_of_vertices(problem, options, progress).ok()? {
        Some(bone_of) => start::given(problem, &groups::sets(&bone_of, options.bones), wanted, progress)?,
        None => start::best(problem, wanted, progress)?,
    };
    progress.stage("rounds");
    let sample = problem.sample(SAMPLE.max(SAMPLE_PER_BONE * options.bones));
    let mut model = brought_to(&small, &few, &sample, problem, neighbours, freedom);
    let schedule = schedules(options)[0];
    improve(&mut model, &sample, freedom, schedule, problem, rounds, progress)?;
    Some(model)
}

/// How long to go on, on the sample and on all vertices.
fn schedules(options: &DescentOptions) -> [Schedule; 2] {
    match options.kind {
        _ if options.brief => BRIEF,
        BoneKind::Rigid => RIGID,
        BoneKind::Flexible => FLEXIBLE,
    }
}

/// A long animation's frames, fewer of them.
fn thinned(frames: &Frames) -> Option<Frames> {
    let count = frames.len();
    let kept = |i: usize| bytemuck::cast_slice::<Vec3, f32>(frames.frame(i * count / MOST_FRAMES));
    (count > MOST_FRAMES + MOST_FRAMES / 2).then(|| {
        let data: Vec<f32> = (0..MOST_FRAMES).flat_map(kept).copied().collect();
        Frames::new(data, MOST_FRAMES, frames.vertex_count())
    })
}

/// A model of some vertices brought to others.
fn brought_to(
    model: &Model,
    from: &Points,
    to: &Points,
    problem: &Problem,
    neighbours: &Neighbours,
    freedom: Freedom,
) -> Model {
    if from.len() == to.len() {
        return model.clone();
    }
    let mut model = start::extend(model, from, to, problem, neighbours);
    // New vertices settle before they have a say in the bones.
    for _ in 0..2 {
        model.solve_vertices(to, Freedom { attempts: FIRST_ATTEMPTS, ..freedom });
    }
    model
}

fn improve(
    model: &mut Model,
    points: &Points,
    freedom: Freedom,
    schedule: Schedule,
    problem: &Problem,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Option<()> {
    let mut log = Vec::new();
    let mut done = rounds::run(model, points, freedom, schedule, &mut log, progress);
    let (kept, before) = (model.clone(), model.error());
    if done && freedom.weights && revive::run(model, points) > 0 {
        let mut more = Vec::new();
        done = rounds::run(model, points, freedom, schedule, &mut more, progress);
        if model.error() < before {
            log.extend(more.into_iter().filter(|e| *e < before));
        } else {
            *model = kept;
        }
    }
    let part = if points.len() < problem.scaled.len() { RoundPart::Sample } else { RoundPart::All };
    note(rounds, part, &log, problem, points.len());
    done.then_some(())
}

fn note(rounds: &mut Vec<Round>, part: RoundPart, log: &[f64], problem: &Problem, count: usize) {
    rounds.extend(log.iter().map(|&e| Round { part, percent: problem.percent(e, count) }));
}

fn finished(
    problem: &Problem,
    model: Model,
    all: &Points,
    given: Option<&[DAffine3]>,
    rounds: Vec<Round>,
) -> Descended {
    let transforms = finish::transforms(problem, &model, all, given);
    let (scale, origin) = (problem.reduced.scale, problem.reduced.origins.rest);
    let rest = model
        .rest
        .iter()
        .zip(&problem.scaled)
        .zip(problem.rest)
        // What has not moved keeps its bits.
        .map(
            |((p, before), rest)| if p == before { *rest } else { (p.as_dvec3() / scale + origin).as_vec3() },
        )
        .collect();
    Descended {
        rest,
        weights: SkinWeights { per_vertex: model.influences, bones: model.slots, weights: model.weights },
        transforms,
        rounds,
    }
}
