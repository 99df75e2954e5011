//! Error against the number of bones: a hierarchy of rigs on a sample of the vertices.
//!
//! Vertices that follow one bone each are split and bones moved to where they are needed (k-means over motion), from one
//! bone for all to more and more, each level beginning with the one before, or with triangles that turn alike where that
//! is better. Where vertices have several influences bones would not come apart again, so these come after: on every level
//! vertices get them and a few rounds follow, as a fit's starts do. What a level leaves over tells the error of a fit with
//! as many bones, and how much of it correction shapes would take off (`shapes`).

mod shapes;

use std::sync::Arc;

use super::{DescentOptions, Freedom, Model, Points, Problem, SkinSize, Task, initialise};
use crate::geometry::grouped::members;
use crate::progress::{Cancelled, Progress};
use crate::segment::Turns;

/// Error against the number of bones, as far as it was asked for. Made by [`Descent::curve`](super::Descent::curve).
///
/// ```
/// use sinew::progress::Silent;
/// use sinew::skin::{Descent, DescentOptions, SkinSize};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 6, detail: 0.5, ..Default::default() });
/// let rest = animation.frames.frame(0);
/// let descent = Descent::new(&animation.frames, &animation.mesh.triangles(rest), rest, &Silent)?;
/// let mut curve = descent.curve(SkinSize::of(24), 0, &DescentOptions::default(), &Silent)?;
/// while curve.grow(&Silent)? {}
/// for level in curve.levels() {
///     println!("{} bones: about {:.2} %", level.bones, level.percent(0));
/// }
/// # Ok::<(), sinew::progress::Cancelled>(())
/// ```
pub struct Curve<'a> {
    problem: &'a Problem<'a>,
    /// The problem with fewer frames, if that is what rigid bones are fitted to.
    thinned: Option<Arc<Problem<'static>>>,
    most: SkinSize,
    most_rank: usize,
    options: DescentOptions,
    levels: Vec<Level>,
    /// Vertices that followed the same bone of the last level, before they had several; at first all of them.
    sets: Vec<Vec<u32>>,
}

/// A rig on the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its bones.
    pub bones: usize,
    /// What a fit with as many bones leaves over, about: Σ‖P − Q‖² of all vertices in scaled units.
    left: f64,
    /// How far each vertex of the sample is off, over time, the farthest first.
    off: Vec<f64>,
    /// Σ‖P − mean over time of P‖².
    motion: f64,
    /// Shares of what is left over that so many correction shapes leave; the first is one.
    shapes: Vec<f64>,
}

impl Level {
    /// The error in percent that a fit with as many bones, and so many correction shapes, has, about.
    pub fn percent(&self, rank: usize) -> f64 {
        let share = self.shapes[rank.min(self.shapes.len() - 1)];
        if self.motion > 0.0 { 100.0 * (share * self.left / self.motion).sqrt() } else { 0.0 }
    }

    /// How far off vertices are, over time and relative to the mean distance of vertices from their middle, but for this
    /// share of them that is farther off.
    pub fn far(&self, but: f64) -> f64 {
        let skipped = (self.off.len() as f64 * but) as usize;
        self.off.get(skipped).copied().unwrap_or(0.0)
    }
}

impl<'a> Curve<'a> {
    /// Up to the bones of `most` and so many correction shapes; rigid bones are fitted to `thinned`, where it is there.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        thinned: Option<Arc<Problem<'static>>>,
        most: SkinSize,
        most_rank: usize,
        options: &DescentOptions,
    ) -> Self {
        let (options, all) = (options.clone(), (0..problem.scaled.len() as u32).collect());
        Self { problem, thinned, most, most_rank, options, levels: Vec::new(), sets: vec![all] }
    }

    /// What is known so far, the fewest bones first. No level has a larger error than one with fewer bones.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Goes on by one level: one bone, two, three, and from then on powers of two and what lies halfway. `false` where
    /// there are as many as there may be.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn grow(&mut self, progress: &dyn Progress) -> Result<bool, Cancelled> {
        let before = self.levels.last().map(|level| level.bones);
        let bones = before.map_or(1, next).min(self.most.bones);
        if before.is_some_and(|before| before >= bones) {
            return Ok(false);
        }
        let (level, sets) = self.level(bones, progress)?;
        self.levels.push(level);
        self.sets = sets;
        Ok(true)
    }

    /// The fewest bones, up to `most`, with which a fit has at most so much error with so many correction shapes, about.
    /// Goes on only as far as that takes.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn bones_for(
        &mut self,
        percent: f64,
        rank: usize,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Option<usize>, Cancelled> {
        let is_met = |level: &Level| level.percent(rank) <= percent;
        while !self.levels.last().is_some_and(is_met) {
            if self.levels.last().is_some_and(|level| level.bones >= most) || !self.grow(progress)? {
                return Ok(None);
            }
        }
        let found = crossing(&self.levels, |level| level.percent(rank), percent);
        Ok(found.filter(|&bones| bones <= most))
    }

    /// The error in percent of a fit with so many bones and correction shapes, about: of the most there may be where that
    /// is fewer.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn percent_at(
        &mut self,
        bones: usize,
        rank: usize,
        progress: &dyn Progress,
    ) -> Result<f64, Cancelled> {
        while self.levels.last().is_none_or(|level| level.bones < bones) && self.grow(progress)? {}
        let above = self.levels.iter().position(|level| level.bones >= bones);
        let Some(high) = above.map(|at| &self.levels[at]) else {
            return Ok(self.levels.last().map_or(f64::INFINITY, |level| level.percent(rank)));
        };
        let below = above.and_then(|at| at.checked_sub(1)).map(|at| &self.levels[at]);
        let Some(low) = below.filter(|_| high.bones > bones) else { return Ok(high.percent(rank)) };
        let [a, x, b] = [low.bones, bones, high.bones].map(|bones| (bones as f64).ln());
        let [from, to] = [low, high].map(|level| level.percent(rank).max(f64::MIN_POSITIVE).ln());
        Ok((from + (to - from) * (x - a) / (b - a)).exp())
    }

    fn problem(&self) -> &Problem<'_> {
        self.thinned.as_deref().unwrap_or(self.problem)
    }

    /// The level of so many bones, begun with the last, and its sets of vertices.
    fn level(&self, bones: usize, progress: &dyn Progress) -> Result<(Level, Vec<Vec<u32>>), Cancelled> {
        let problem = self.problem();
        let task = Task::new(problem, SkinSize { bones, ..self.most }, &self.options);
        let task = Task { freedom: Freedom { weights: true, locked: None, ..task.freedom }, ..task };
        let tuning = &problem.tuning.curve;
        let points = problem.sample_for(tuning.sample, bones);
        let turns = problem.starts(&Turns, task.size, progress)?.sets(bones, 0.0, progress)?;
        let rounds = [tuning.single, tuning.trial];
        let (mut model, mut followed) = initialise::from_sets(&task, &points, &self.sets, rounds, progress)?;
        // What splits alone do not find.
        let other = initialise::from_sets(&task, &points, &turns, rounds, progress)?;
        if other.0.error() < model.error() {
            (model, followed) = other;
        }
        let numbers = |set: &Vec<u32>| set.iter().map(|&i| points.ids[i as usize]).collect();
        let sets = members(&followed, bones).iter().map(numbers).collect();
        Ok((self.told_by(&model, &points, bones, progress)?, sets))
    }

    /// What a rig tells.
    fn told_by(
        &self,
        model: &Model,
        points: &Points,
        bones: usize,
        progress: &dyn Progress,
    ) -> Result<Level, Cancelled> {
        let problem = self.problem();
        let share = problem.scaled.len() as f64 / points.len() as f64;
        let to_come = problem.tuning.curve.to_come.powi(2);
        let left = to_come * model.error() * share;
        let left = self.levels.last().map_or(left, |before| left.min(before.left));
        let over_time = |error: &f64| (to_come * error / problem.frames().len() as f64).sqrt();
        let mut off: Vec<f64> = model.errors.iter().map(over_time).collect();
        off.sort_by(|a, b| b.total_cmp(a));
        let shapes = shapes::shares(problem, model, points, self.most_rank, progress)?;
        Ok(Level { bones, left, off, motion: problem.reduced.motion, shapes })
    }
}

/// The fewest bones with which a measure is at most `wanted`: between the first level where it is and the one before, as if
/// it followed a power of the number.
pub(super) fn crossing(levels: &[Level], measure: impl Fn(&Level) -> f64, wanted: f64) -> Option<usize> {
    let above = levels.iter().position(|level| measure(level) <= wanted)?;
    let high = &levels[above];
    let Some(low) = above.checked_sub(1).map(|below| &levels[below]) else { return Some(high.bones) };
    let share = (measure(low) / wanted).ln() / (measure(low) / measure(high)).ln();
    let [a, b] = [low.bones, high.bones].map(|bones| bones as f64);
    let between = a * (b / a).powf(share);
    Some(if between.is_finite() {
        (between.ceil() as usize).clamp(low.bones + 1, high.bones)
    } else {
        high.bones
    })
}

/// The number of bones of the next level.
fn next(bones: usize) -> usize {
    if bones.is_power_of_two() { bones + (bones / 2).max(1) } else { bones + bones / 3 }
}
