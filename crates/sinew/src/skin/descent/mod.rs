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

pub use self::options::{DescentOptions, Initialisation, SkinSize, Solve};

use self::model::{Freedom, Model, Points};
use self::neighbours::Neighbours;
use self::rounds::Schedule;
use self::start::Wanted;
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::reduced::Reduced;
use crate::rig::SkinWeights;
use crate::skin::MOST_INFLUENCES;
use crate::skin::kinds::BoneKind;
use crate::skin::state::{Round, RoundPart, Skin};

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
    triangles: Vec<[u32; 3]>,
    rest: Vec<Vec3>,
    /// The rest pose relative to its middle, scaled to about one.
    scaled: Vec<Vec3>,
    reduced: Reduced,
}

impl<'a> Problem<'a> {
    fn new(frames: &'a Frames, triangles: Vec<[u32; 3]>, rest: Vec<Vec3>) -> Self {
        let reduced = Reduced::new(frames, &rest);
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

/// A descent that is prepared once, for an animation and a rest pose, and then fitted for any number of bones.
pub struct Descent<'a> {
    problem: Problem<'a>,
    neighbours: Neighbours,
}

impl<'a> Descent<'a> {
    /// Reduces the animation. `triangles` and `rest` are the rest pose to start from; of a given skin it is that skin's.
    /// The animation must be valid ([`crate::animation::MeshAnimation::validate`]).
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn new(
        frames: &'a Frames,
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        progress.check()?;
        let problem = Problem::new(frames, triangles.to_vec(), rest.to_vec());
        let neighbours = Neighbours::new(triangles, rest.len());
        Ok(Self { problem, neighbours })
    }

    /// The least of some numbers of bones that brings the error to about `percent` of the motion, the common travel of
    /// all vertices left out, and leaves no vertex far behind, judged by a start with each; those of `most` where none
    /// does.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn bones_for(
        &self,
        percent: f64,
        most: SkinSize,
        options: &DescentOptions,
        progress: &dyn Progress,
    ) -> Result<usize, Cancelled> {
        choose::bones_for(&self.problem, percent, most, options, progress)
    }

    /// Finds bones, weights and rest pose; the errors of its rounds come along.
    ///
    /// # Errors
    /// When `progress` cancels.
    ///
    /// # Panics
    /// When no bones or influences are asked for, or parts of a given skin disagree in length.
    pub fn fit(
        &self,
        size: SkinSize,
        options: &DescentOptions,
        progress: &dyn Progress,
    ) -> Result<(Skin, Vec<Round>), Cancelled> {
        assert!(size.bones > 0, "at least one bone");
        assert!((1..=MOST_INFLUENCES).contains(&size.influences), "1 to 16 influences");
        let (problem, neighbours) = (&self.problem, &self.neighbours);
        let all = problem.sample(problem.rest.len());
        let mut rounds = Vec::new();
        let locked = (!options.locked_vertices.is_empty()).then_some(options.locked_vertices.as_slice());
        let freedom = Freedom {
            weights: options.solve != Solve::Transforms,
            rest: !options.keep_rest,
            attempts: ATTEMPTS,
            locked,
            pull: None,
        };
        let fit = Fit { size, options, freedom };
        let mut model = match &options.initialisation {
            Initialisation::Skin(given) => given::improve(problem, given, &all, &fit, &mut rounds, progress)?,
            _ => find(problem, neighbours, &all, &fit, &mut rounds, progress)?,
        };
        if options.smoothness > 0.0 && freedom.weights && size.influences > 1 {
            progress.stage("smoothing");
            let mut log = Vec::new();
            tidy::run(&mut model, &all, neighbours, freedom, options.smoothness, &mut log, progress)?;
            note(&mut rounds, RoundPart::Smoothing, &log, problem, all.len());
        }
        tidy::match_twins(&mut model, &all, &problem.scaled);
        let given = match &options.initialisation {
            Initialisation::Skin(given) if !given.transforms.is_empty() => Some(given.transforms.as_slice()),
            _ => None,
        };
        Ok((finished(problem, model, &all, given), rounds))
    }
}

/// What one fit is for.
#[derive(Clone, Copy)]
struct Fit<'a> {
    size: SkinSize,
    options: &'a DescentOptions,
    freedom: Freedom<'a>,
}

/// From nothing: starts, rounds on a sample, rounds on all.
fn find(
    problem: &Problem,
    neighbours: &Neighbours,
    all: &Points,
    fit: &Fit,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    match thinned(problem.frames).filter(|_| fit.size.kind == BoneKind::Rigid) {
        // Rotations do not become fewer in fewer coordinates: what rigid bones cost grows with the frames.
        Some(some) => {
            let some = Problem::new(&some, problem.triangles.clone(), problem.rest.clone());
            let model = find_on_all(&some, neighbours, fit, rounds, progress)?;
            for round in rounds.iter_mut().filter(|r| r.part == RoundPart::All) {
                round.part = RoundPart::SomeFrames;
            }
            let mut model = start::rebased(model, all);
            improve(&mut model, all, fit.freedom, ON_ALL_FRAMES, problem, rounds, progress)?;
            Ok(model)
        }
        None => find_on_all(problem, neighbours, fit, rounds, progress),
    }
}

/// The best start, improved on a sample and then on all vertices.
fn find_on_all(
    problem: &Problem,
    neighbours: &Neighbours,
    fit: &Fit,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    let sample = problem.sample(SAMPLE.max(SAMPLE_PER_BONE * fit.size.bones));
    let all = problem.sample(problem.scaled.len());
    let mut model = find_on_sample(problem, neighbours, fit, rounds, progress)?;
    if sample.len() < all.len() {
        model = brought_to(&model, &sample, &all, problem, neighbours, fit.freedom);
        let schedule = schedules(fit)[1];
        improve(&mut model, &all, fit.freedom, schedule, problem, rounds, progress)?;
    }
    Ok(model)
}

/// The best start, improved on a sample.
fn find_on_sample(
    problem: &Problem,
    neighbours: &Neighbours,
    fit: &Fit,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<Model, Cancelled> {
    progress.stage("starts");
    let SkinSize { bones, influences, kind } = fit.size;
    let wanted = Wanted { bones, influences: influences.min(bones), kind, freedom: fit.freedom };
    let (small, few) = match groups::bone_of_vertices(problem, fit.size, fit.options, progress)? {
        Some(bone_of) => start::given(problem, &groups::sets(&bone_of, bones), wanted, progress)?,
        None => start::best(problem, wanted, progress)?,
    };
    progress.stage("rounds");
    let sample = problem.sample(SAMPLE.max(SAMPLE_PER_BONE * fit.size.bones));
    let mut model = brought_to(&small, &few, &sample, problem, neighbours, fit.freedom);
    let schedule = schedules(fit)[0];
    improve(&mut model, &sample, fit.freedom, schedule, problem, rounds, progress)?;
    Ok(model)
}

/// How long to go on, on the sample and on all vertices.
fn schedules(fit: &Fit) -> [Schedule; 2] {
    match fit.size.kind {
        _ if fit.options.brief => BRIEF,
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
) -> Result<(), Cancelled> {
    let mut log = Vec::new();
    rounds::run(model, points, freedom, schedule, &mut log, progress)?;
    let (kept, before) = (model.clone(), model.error());
    if freedom.weights && revive::run(model, points) > 0 {
        let mut more = Vec::new();
        rounds::run(model, points, freedom, schedule, &mut more, progress)?;
        if model.error() < before {
            log.extend(more.into_iter().filter(|e| *e < before));
        } else {
            *model = kept;
        }
    }
    let part = if points.len() < problem.scaled.len() { RoundPart::Sample } else { RoundPart::All };
    note(rounds, part, &log, problem, points.len());
    Ok(())
}

fn note(rounds: &mut Vec<Round>, part: RoundPart, log: &[f64], problem: &Problem, count: usize) {
    rounds.extend(log.iter().map(|&e| Round { part, percent: problem.percent(e, count) }));
}

fn finished(problem: &Problem, model: Model, all: &Points, given: Option<&[DAffine3]>) -> Skin {
    let transforms = finish::transforms(problem, &model, all, given);
    let (scale, origin) = (problem.reduced.scale, problem.reduced.origins.rest);
    let rest = model
        .rest
        .iter()
        .zip(&problem.scaled)
        .zip(&problem.rest)
        // What has not moved keeps its bits.
        .map(
            |((p, before), rest)| if p == before { *rest } else { (p.as_dvec3() / scale + origin).as_vec3() },
        )
        .collect();
    Skin {
        bones: model.bones.count(),
        rest,
        weights: SkinWeights { per_vertex: model.influences, bones: model.slots, weights: model.weights },
        transforms,
    }
}
