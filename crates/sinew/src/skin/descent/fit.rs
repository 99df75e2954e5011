//! The whole descent: a start or a given skin, rounds on a sample and on all vertices, smoothing, true transforms.

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DAffine3, Vec3};
use rayon::prelude::*;

use super::in_frames::Held;
use super::problem::Source;
use super::rounds::{improve, note};
use super::{
    Curve, DescentOptions, Effort, Initialisation, Model, Neighbours, Points, Problem, SkinSize, Task,
    bone_count, extend, given, initialise, norm, relocate, smoothing, sparse, transforms,
};
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress, Together};
use crate::segment::Labels;
use crate::skin::{BoneKind, DescentTuning, MOST_INFLUENCES, Round, RoundPart, Schedule, Skin, TUNING};

/// A descent that is prepared once, for an animation and a rest pose, and then fitted for any number of bones.
///
/// ```
/// use sinew::progress::Silent;
/// use sinew::skin::{Descent, DescentOptions, SkinSize};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 6, detail: 0.5, ..Default::default() });
/// let rest = animation.frames.frame(0);
/// let descent = Descent::new(&animation.frames, &animation.mesh.triangles(rest), rest, &Silent)?;
/// for bones in [4, 8] {
///     let (skin, rounds) = descent.fit(SkinSize::of(bones), &DescentOptions::default(), &Silent)?;
///     assert_eq!(skin.transforms.len(), 6 * bones);
///     println!("{bones} bones: {:.2} %", rounds[rounds.len() - 1].percent);
/// }
/// # Ok::<(), sinew::progress::Cancelled>(())
/// ```
pub struct Descent<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) neighbours: Neighbours,
    /// The problem with fewer frames, once rigid bones asked for it.
    thinned: Mutex<Option<Arc<Problem<'static>>>>,
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
        let neighbours = Neighbours::new(triangles, rest.len());
        let problem =
            Problem::new(Source::Whole(frames), triangles.into(), rest.into(), TUNING.descent, progress)?;
        Ok(Self { problem, neighbours, thinned: Mutex::default() })
    }

    /// The same with other tuned numbers, for those who sweep them.
    pub fn with_tuning(mut self, tuning: DescentTuning) -> Self {
        self.problem.tuning = tuning;
        self.thinned = Mutex::default();
        self
    }

    /// The same with vertices that count so much each, one entry a vertex, none negative and some above zero; what they
    /// count is relative.
    pub fn with_importance(mut self, importance: &[f32]) -> Self {
        let sum: f64 = importance.iter().map(|i| f64::from(*i)).sum();
        let mean = sum / importance.len().max(1) as f64;
        self.problem.importance = importance.iter().map(|i| (f64::from(*i) / mean) as f32).collect();
        self.thinned = Mutex::default();
        self
    }

    /// Its tuned numbers.
    pub fn tuning(&self) -> &DescentTuning {
        &self.problem.tuning
    }

    /// Fits the least number of bones, up to those of `most`, that brings the error to about `percent` and leaves no
    /// part of the surface far behind; [`Skin::bones`] says how many they are. The fit is that of as many bones.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn fit_for_error(
        &self,
        percent: f64,
        most: SkinSize,
        options: &DescentOptions,
        progress: &dyn Progress,
    ) -> Result<(Skin, Vec<Round>), Cancelled> {
        progress.stage("number of bones");
        let mut curve = self.curve(most, 0, options, progress)?;
        let bones = bone_count::needed(&mut curve, &self.problem, percent, progress)?;
        self.fit(SkinSize { bones, ..most }, options, progress)
    }

    /// Error against the number of bones, up to those of `most` and so many correction shapes. It begins without any; see
    /// [`Curve::grow`].
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn curve(
        &self,
        most: SkinSize,
        most_rank: usize,
        options: &DescentOptions,
        progress: &dyn Progress,
    ) -> Result<Curve<'_>, Cancelled> {
        let thinned = match most.kind {
            BoneKind::Rigid => self.thinned(progress)?,
            BoneKind::Flexible => None,
        };
        Ok(Curve::new(&self.problem, thinned, most, most_rank, options))
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
        let (problem, all) = (&self.problem, self.problem.all());
        let mut rounds = Vec::new();
        let task = Task::new(problem, size, options);
        let mut model = match &options.initialisation {
            Initialisation::Skin(given) => {
                progress.stage("rounds");
                given::improve(&task, given, &all, &mut rounds, progress)?
            }
            _ => self.find(&all, &task, &mut rounds, progress)?,
        };
        if options.smoothness > 0.0 && task.freedom.weights && size.influences > 1 {
            progress.stage("smoothing");
            let (smoothness, neighbours) = (options.smoothness, &self.neighbours);
            let usual = &problem.tuning.smoothing;
            let many = match options.effort {
                Effort::Quick => problem.tuning.quick.smoothing,
                _ => [usual.rounds, usual.last_rounds],
            };
            let log =
                smoothing::run(&mut model, &all, neighbours, task.freedom, (smoothness, many), progress)?;
            note(&mut rounds, RoundPart::Smoothing, &log, problem, all.len());
        }
        smoothing::match_coincident(&mut model.rest, &mut model.weights, problem);
        let given = match &options.initialisation {
            Initialisation::Skin(given) if !given.transforms.is_empty() => Some(given.transforms.as_slice()),
            _ => None,
        };
        let locked = model.bones.locked.clone();
        let skin = finished(problem, model, &all, given, progress)?;
        Ok((self.in_frames(&task, skin, &locked, progress)?, rounds))
    }

    /// What is done in the frames themselves: bones stand still, the largest errors are lowered.
    fn in_frames(
        &self,
        task: &Task,
        mut skin: Skin,
        locked: &[bool],
        progress: &dyn Progress,
    ) -> Result<Skin, Cancelled> {
        let DescentOptions { sparse, norm, .. } = task.options;
        let mut still = Vec::new();
        if let Some(share) = *sparse {
            progress.stage("still bones");
            (skin, still) = sparse::thin(task, skin, share, locked, &self.neighbours, progress)?;
        }
        if norm.power() > 2.0 {
            progress.stage("largest errors");
            let held = Held { locked, still: &still };
            skin = norm::lower(task, skin, held, &self.neighbours, progress)?;
        }
        if sparse.is_some() || norm.power() > 2.0 {
            smoothing::match_coincident(&mut skin.rest, &mut skin.weights, task.problem);
        }
        let marked = skin.transforms.iter_mut().zip(&still).filter(|(_, still)| **still);
        marked.for_each(|(transform, _)| *transform = DAffine3::IDENTITY);
        Ok(skin)
    }

    /// From nothing: starts, rounds on a sample, rounds on all; of rigid bones on some frames first.
    fn find(
        &self,
        all: &Points,
        task: &Task,
        rounds: &mut Vec<Round>,
        progress: &dyn Progress,
    ) -> Result<Model, Cancelled> {
        let thinned = match task.size.kind {
            BoneKind::Rigid => self.thinned(progress)?,
            BoneKind::Flexible => None,
        };
        let Some(some) = thinned else {
            return self.find_on_all(task, rounds, 1.0, progress);
        };
        let model = self.find_on_all(&Task { problem: &some, ..*task }, rounds, 0.7, progress)?;
        for round in rounds.iter_mut().filter(|r| r.part == RoundPart::All) {
            round.part = RoundPart::SomeFrames;
        }
        let mut model = extend::to_frames(model, all, progress)?;
        let schedule = self.problem.tuning.on_all_frames;
        improve(&mut model, all, task, schedule, rounds, &progress.part(0.7, 1.0))?;
        Ok(model)
    }

    pub(super) fn thinned(
        &self,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<Problem<'static>>>, Cancelled> {
        // Not held meanwhile: a thread that waits for others takes up other work, another fit of this problem, too.
        let known = || self.thinned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thinned) = known().clone() {
            return Ok(Some(thinned));
        }
        let thinned = self.problem.thinned(progress)?.map(Arc::new);
        known().clone_from(&thinned);
        Ok(thinned)
    }

    /// The best start, improved on a sample and then on all vertices, which takes `share` of the rounds' time.
    fn find_on_all(
        &self,
        task: &Task,
        rounds: &mut Vec<Round>,
        share: f64,
        progress: &dyn Progress,
    ) -> Result<Model, Cancelled> {
        progress.stage("starts");
        let Task { problem, size, options, .. } = *task;
        let (starts, few) = match &options.initialisation {
            Initialisation::Groups(bone_of) => {
                let labels = Labels { of_vertex: bone_of.clone(), count: size.bones };
                let (start, few) = initialise::given(task, &labels.sets(), progress)?;
                (vec![start], few)
            }
            Initialisation::Segments(segmenter) => initialise::best(task, segmenter.0, progress)?,
            Initialisation::Skin(_) => unreachable!("a given skin is improved, not found"),
        };
        progress.stage("rounds");
        let [on_sample, on_all] = match size.kind {
            _ if options.effort == Effort::Quick => problem.tuning.quick.rounds,
            BoneKind::Rigid => problem.tuning.rigid,
            BoneKind::Flexible => problem.tuning.flexible,
        };
        let [on_sample, on_all] = [on_sample, on_all].map(|schedule| match options.effort {
            Effort::Best => schedule.longer(problem.tuning.longer),
            _ => schedule,
        });
        let sample = problem.sample_for(problem.tuning.sample, size.bones);
        let all = problem.all();
        let half = if sample.len() < all.len() { 0.5 * share } else { share };
        let part = progress.part(0.0, half);
        let together = Together::new(&part, starts.len());
        // What a few rounds tell of a start may change in many.
        let found = starts
            .par_iter()
            .enumerate()
            .map(|(i, start)| self.on_sample((start, &few), &sample, task, on_sample, &together.part(i)));
        let found = found.collect::<Result<Vec<_>, Cancelled>>()?;
        let best = found.into_iter().min_by(|a, b| a.0.error().total_cmp(&b.0.error()));
        let (mut model, log) = best.expect("at least one start");
        rounds.extend(log);
        if options.effort == Effort::Best {
            relocate::improve(&mut model, &sample, task, progress)?;
        }
        if sample.len() < all.len() {
            let part = progress.part(half, share);
            model = extend::to_vertices(&model, &sample, &all, task, &self.neighbours, &part)?;
            improve(&mut model, &all, task, on_all, rounds, &part)?;
        }
        Ok(model)
    }

    /// A start, found on a few vertices, improved on a sample.
    fn on_sample(
        &self,
        (start, few): (&Model, &Points),
        sample: &Points,
        task: &Task,
        schedule: Schedule,
        progress: &dyn Progress,
    ) -> Result<(Model, Vec<Round>), Cancelled> {
        let mut rounds = Vec::new();
        let mut model = extend::to_vertices(start, few, sample, task, &self.neighbours, progress)?;
        improve(&mut model, sample, task, schedule, &mut rounds, progress)?;
        Ok((model, rounds))
    }
}

fn finished(
    problem: &Problem,
    model: Model,
    all: &Points,
    given: Option<&[DAffine3]>,
    progress: &dyn Progress,
) -> Result<Skin, Cancelled> {
    let transforms = transforms::solve(problem, &model, all, given, progress)?;
    let units = &problem.reduced.units;
    let moved = model.rest.iter().zip(&problem.scaled).zip(problem.rest.iter());
    // What has not moved keeps its bits.
    let rest = moved
        .map(|((p, before), rest)| if p == before { *rest } else { units.rest_back(p.as_dvec3()).as_vec3() })
        .collect();
    Ok(Skin { bones: model.bones.count(), rest, weights: model.weights, transforms })
}
