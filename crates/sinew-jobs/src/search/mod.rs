//! Searching for a rig: the smallest that keeps an error, or the best of a size.
//!
//! A rig costs bytes for its bones (by the frame), for its influences (by the vertex, in steps) and for its correction
//! shapes (by the vertex, each). What files of rigs take is known before any is fitted (`sizes`), and how far rigs are off
//! is told by the curve of their kind and influences ([`Curve`](sinew::skin::Curve)), with shapes and without (`line`).
//! So the rig that promises most is fitted and measured; what that comes to mends what is told of rigs like it, and where
//! it misses the goal, or another is clearly better by then, that one is fitted too. Two or three fits do, as a rule, and
//! what is found is a rig that was fitted and measured itself, the same as with its number of bones asked for.
//!
//! A line of rigs is followed only as far as they are smaller than what is found already. Errors are a little uneven in
//! the number of bones: what is found is about the smallest, or the best, of all there are.

mod line;
mod options;
mod sizes;
mod tuning;

use sinew::animation::MeshAnimation;
use sinew::progress::{Cancelled, Muted, Progress};
use sinew::rig::Rig;
use sinew::skin::{Method, Prepared, SkinOptions, Skinned};

pub use self::options::{
    Candidate, Cost, Goal, MOST_BONES, MOST_RANK, SearchError, SearchOptions, Searched, pareto_front,
};

use self::line::Line;
use self::sizes::Sizes;
use self::tuning::TUNED;

/// What a rig costs.
type CostOf<'a> = &'a dyn Fn(&Rig) -> Result<Cost, Cancelled>;

/// Finds the rig that meets a goal best.
///
/// `cost` says what a rig's file takes and how far it is off. The number of rigs that are fitted is bounded, and the same
/// input gives the same rig for any number of threads.
///
/// # Errors
/// What is wrong with the animation or the options, or that no rig meets the goal; [`SkinError::Cancelled`](sinew::skin::SkinError::Cancelled) inside
/// [`SearchError::Skin`] when `progress` or `cost` cancels.
pub fn search(
    animation: &MeshAnimation,
    options: &SearchOptions,
    cost: CostOf,
    progress: &dyn Progress,
) -> Result<Searched, SearchError> {
    options.validate()?;
    let prepared = Prepared::new(animation, &options.skin, progress)?;
    let mut search = Search::new(&prepared, animation, options, cost, progress);
    search.check_budget()?;
    search.draw_lines()?;
    for fits in 0..TUNED.tries {
        progress.stage("number of bones");
        let Some(next) = search.next()? else { break };
        progress.stage("fitting");
        // How many will be needed is not known: the bar slows down.
        progress.advance(1.0 - 0.6_f64.powi(fits as i32));
        search.attempt(next)?;
    }
    search.finish()
}

/// Errors and sizes of rigs with more and more bones, at most so many, about; none of them is fitted. Of the options, the
/// number of bones does not count.
///
/// # Errors
/// As [`search`].
pub fn curve(
    animation: &MeshAnimation,
    options: &SkinOptions,
    most_bones: usize,
    cost: CostOf,
    progress: &dyn Progress,
) -> Result<Vec<Candidate>, SearchError> {
    let prepared = Prepared::new(animation, options, progress)?;
    let options = SearchOptions {
        kinds: vec![options.kind],
        influences: vec![options.influences],
        rank: Some(options.rank),
        skin: SkinOptions { bones: None, ..options.clone() },
        // As if an error were wanted that no rig has.
        ..SearchOptions::new(Goal::Percent(f64::MIN_POSITIVE))
    };
    options.validate()?;
    let mut search = Search::new(&prepared, animation, &options, cost, progress);
    search.most_bones = search.most_bones.min(most_bones);
    search.draw_lines()?;
    progress.stage("fitting");
    for line in &mut search.lines {
        while line.curve.grow(progress)? {
            let bones = line.curve.levels().last().map_or(0, |level| level.bones);
            progress.advance(bones as f64 / search.most_bones as f64);
        }
    }
    search.told()
}

struct Search<'a> {
    prepared: &'a Prepared<'a>,
    options: &'a SearchOptions,
    cost: CostOf<'a>,
    progress: &'a dyn Progress,
    most_bones: usize,
    most_rank: usize,
    sizes: Sizes<'a>,
    lines: Vec<Line<'a>>,
    tried: Vec<Candidate>,
    best: Option<(Candidate, Skinned)>,
}

impl<'a> Search<'a> {
    fn new(
        prepared: &'a Prepared<'a>,
        animation: &'a MeshAnimation,
        options: &'a SearchOptions,
        cost: CostOf<'a>,
        progress: &'a dyn Progress,
    ) -> Self {
        let keep_rest = matches!(&options.skin.method, Method::Best(descent) if descent.keep_rest);
        Self {
            prepared,
            options,
            cost,
            progress,
            most_bones: options.skin.bones.unwrap_or(prepared.most_bones().min(MOST_BONES)),
            most_rank: animation.frames.len().min(MOST_RANK),
            sizes: Sizes::new(animation, keep_rest, cost),
            lines: Vec::new(),
            tried: Vec::new(),
            best: None,
        }
    }

    /// Refuses a budget that the mesh alone exceeds.
    fn check_budget(&mut self) -> Result<(), SearchError> {
        let Goal::Bytes(budget) = self.options.goal else { return Ok(()) };
        let mesh = self.sizes.still(1, self.options.rank.unwrap_or(0))?;
        if mesh > budget { Err(SearchError::MeshTooLarge { budget, mesh }) } else { Ok(()) }
    }

    /// Lines of all kinds and influences.
    fn draw_lines(&mut self) -> Result<(), SearchError> {
        let most_rank = self.options.rank.unwrap_or(self.most_rank);
        for &kind in &self.options.kinds {
            for &influences in &self.options.influences {
                let options = SkinOptions { kind, influences, ..self.options.skin.clone() };
                let curve = self.prepared.curve(&options, self.most_bones, most_rank, self.progress)?;
                let each = self.sizes.bone(kind, influences)?;
                self.lines.push(Line { kind, influences, curve, each, off: [1.0; 2] });
            }
        }
        Ok(())
    }

    /// Numbers of correction shapes.
    fn ranks(&self) -> Vec<usize> {
        let most = self.most_rank;
        match (self.options.rank, self.options.skin.bones) {
            (Some(rank), _) => vec![rank],
            (None, Some(_)) => (0..=most).collect(),
            (None, None) => TUNED.ranks.iter().copied().filter(|&rank| rank <= most).collect(),
        }
    }

    /// The rig to fit next: of those that promise to meet the goal the best, if it is clearly better than what was found;
    /// where nothing was found and none promises to, what comes nearest.
    fn next(&mut self) -> Result<Option<Candidate>, SearchError> {
        let mut next: Option<Candidate> = None;
        for line in 0..self.lines.len() {
            for rank in self.ranks() {
                let price = next.as_ref().map(|next| self.price(next));
                let found = self.best.as_ref().map(|(best, _)| (1.0 - TUNED.worthwhile) * self.price(best));
                let limit = price.into_iter().chain(found).fold(f64::INFINITY, f64::min);
                let promise = match self.options.goal {
                    Goal::Percent(most) | Goal::Largest(most) => self.smallest(line, rank, most, limit)?,
                    Goal::Bytes(bytes) => self.nearest(line, rank, bytes)?,
                };
                if let Some(promise) = promise.filter(|promise| self.price(promise) < limit) {
                    next = Some(promise);
                }
            }
        }
        if next.is_some() || self.best.is_some() { Ok(next) } else { self.last_resort() }
    }

    /// The smallest rig of a line with so many shapes that promises to keep an error, if it is to be tried and takes less
    /// than `limit`.
    fn smallest(
        &mut self,
        line: usize,
        rank: usize,
        most: f64,
        limit: f64,
    ) -> Result<Option<Candidate>, SearchError> {
        let (missed, met) = self.bracket(line, rank);
        let least_shapes = self.least_shapes(line);
        let progress = self.progress;
        let still = self.still(line, rank, self.options.skin.bones)?;
        let of = &mut self.lines[line];
        let bones = if let Some(bones) = self.options.skin.bones {
            let promising = match least_shapes {
                // Each shape is dear: one less is tried too.
                Some(least) => rank + 1 == least,
                None => of.percent_at(bones, rank, progress)? <= most,
            };
            Some(bones).filter(|_| promising && missed.is_none())
        } else {
            let room = ((limit - still as f64) / of.each).clamp(0.0, self.most_bones as f64) as usize;
            let misses = self.tried.iter().filter(|c| of.has(c) && c.error > most).count();
            let wanted = most * (1.0 - TUNED.wary * misses as f64);
            let bones = of.bones_for(wanted, rank, room, progress)?;
            bones.map(|bones| bones.max(missed.map_or(0, |missed| missed + 1)))
        };
        let sound = bones.filter(|&b| b <= self.most_bones && met.is_none_or(|met| b < met));
        sound.map(|bones| self.candidate(line, bones, rank)).transpose()
    }

    /// The rig of a line with so many shapes and as many bones as promise to fit into a size, if it is to be tried.
    fn nearest(&mut self, line: usize, rank: usize, bytes: u64) -> Result<Option<Candidate>, SearchError> {
        // Here fewer bones meet the goal.
        let (missed, met) = self.bracket(line, rank);
        let (progress, fixed) = (self.progress, self.options.skin.bones);
        let still = self.still(line, rank, fixed)?;
        let Some(room) = bytes.checked_sub(still) else { return Ok(None) };
        let of = &mut self.lines[line];
        // A size that is told just above the goal may be below.
        let fit = ((room as f64 / of.each + 0.1) as usize).min(self.most_bones);
        let fit = missed.map_or(fit, |missed| fit.min(missed - 1));
        let bones = match fixed {
            Some(bones) => Some(bones).filter(|&b| b <= fit),
            // Where nothing is left to gain, further bones are of no use.
            None => Some(of.bones_for(TUNED.nothing_left, rank, fit, progress)?.unwrap_or(fit)),
        };
        let sound = bones.filter(|&b| b > met.unwrap_or(0));
        sound.map(|bones| self.candidate(line, bones, rank)).transpose()
    }

    /// Where nothing promises to meet the goal: the rig with the least error, or size; unless that was tried.
    fn last_resort(&mut self) -> Result<Option<Candidate>, SearchError> {
        let mut best: Option<Candidate> = None;
        for line in 0..self.lines.len() {
            let (bones, rank) = match self.options.goal {
                Goal::Percent(_) | Goal::Largest(_) => (self.most_bones, self.most_rank),
                Goal::Bytes(_) => (self.options.skin.bones.unwrap_or(1), 0),
            };
            let rank = self.options.rank.unwrap_or(rank);
            let found = self.candidate(line, bones, rank)?;
            let order = |c: &Candidate| match self.options.goal {
                Goal::Percent(_) | Goal::Largest(_) => c.error,
                Goal::Bytes(_) => c.bytes as f64,
            };
            if best.as_ref().is_none_or(|best| order(&found) < order(best)) {
                best = Some(found);
            }
        }
        let is_new = |c: &Candidate| self.tried.iter().all(|tried| !tried.is_like(c));
        Ok(best.filter(is_new))
    }

    /// The most bones that missed the goal and the fewest that met it, of a line and a number of shapes; the other way
    /// round where the goal is a size.
    fn bracket(&self, line: usize, rank: usize) -> (Option<usize>, Option<usize>) {
        let line = &self.lines[line];
        let tried = self.tried.iter().filter(|c| line.has(c) && c.rank == rank);
        let (met, missed): (Vec<&Candidate>, Vec<_>) = tried.partition(|c| self.options.goal.is_met(c));
        let (met, missed) = (met.iter().map(|c| c.bones), missed.iter().map(|c| c.bones));
        match self.options.goal {
            Goal::Percent(_) | Goal::Largest(_) => (missed.max(), met.min()),
            Goal::Bytes(_) => (missed.min(), met.max()),
        }
    }

    /// The fewest shapes of a rig of a line that met the goal.
    fn least_shapes(&self, line: usize) -> Option<usize> {
        let met = |c: &&Candidate| self.lines[line].has(c) && self.options.goal.is_met(c);
        self.tried.iter().filter(met).map(|c| c.rank).min()
    }

    /// The size of a rig of a line that does not move. A vertex may do with fewer influences than are allowed, and does
    /// where there are fewer bones.
    fn still(&mut self, line: usize, rank: usize, bones: Option<usize>) -> Result<u64, Cancelled> {
        let influences = self.lines[line].influences;
        self.sizes.still(bones.map_or(influences, |bones| influences.min(bones)), rank)
    }

    /// What is told of a rig.
    fn candidate(&mut self, line: usize, bones: usize, rank: usize) -> Result<Candidate, SearchError> {
        let still = self.still(line, rank, Some(bones))?;
        let progress = self.progress;
        let of = &mut self.lines[line];
        let error = of.percent_at(bones, rank, progress)?;
        let bytes = still + (of.each * bones as f64) as u64;
        let Line { kind, influences, .. } = *of;
        Ok(Candidate { kind, bones, influences, rank, error, bytes, cost: None, chosen: false })
    }

    /// Fits and measures a rig.
    fn attempt(&mut self, wanted: Candidate) -> Result<(), SearchError> {
        let Candidate { kind, bones, influences, rank, .. } = wanted;
        let options = SkinOptions { bones: Some(bones), kind, influences, rank, ..self.options.skin.clone() };
        let skinned = self.prepared.fit(&options, &Muted(self.progress))?;
        let cost = (self.cost)(&skinned.rig)?;
        let error = self.options.goal.error(&cost);
        let candidate = Candidate { error, bytes: cost.bytes, cost: Some(cost), ..wanted };
        self.tried.push(candidate);
        if let Some(line) = self.lines.iter().position(|line| line.has(&candidate)) {
            let still = self.still(line, rank, Some(bones))?;
            self.lines[line].learn(&candidate, still, self.progress)?;
        }
        let worth = |c: &Candidate| (self.price(c), c.error, c.bytes);
        let is_better = self.best.as_ref().is_none_or(|(best, _)| worth(&candidate) < worth(best));
        if self.options.goal.is_met(&candidate) && is_better {
            self.best = Some((candidate, skinned));
        }
        Ok(())
    }

    /// What is to be small where the goal is met.
    fn price(&self, candidate: &Candidate) -> f64 {
        match self.options.goal {
            Goal::Percent(_) | Goal::Largest(_) => candidate.bytes as f64,
            Goal::Bytes(_) => candidate.error,
        }
    }

    /// What is told of all levels of all lines, the smallest first.
    fn told(&mut self) -> Result<Vec<Candidate>, SearchError> {
        let mut told = Vec::new();
        for line in 0..self.lines.len() {
            let levels: Vec<usize> =
                self.lines[line].curve.levels().iter().map(|level| level.bones).collect();
            for bones in levels {
                told.push(self.candidate(line, bones, self.options.rank.unwrap_or(0))?);
            }
        }
        sort(&mut told);
        Ok(told)
    }

    fn finish(mut self) -> Result<Searched, SearchError> {
        let Some((chosen, skinned)) = self.best.take() else { return Err(self.missed()) };
        let curve = self.told()?;
        let mut candidates = self.tried;
        candidates.iter_mut().for_each(|c| c.chosen = *c == chosen);
        sort(&mut candidates);
        Ok(Searched { skinned, candidates, curve })
    }

    fn missed(&self) -> SearchError {
        let most_exact = self.tried.iter().min_by(|a, b| a.error.total_cmp(&b.error)).copied();
        let smallest = self.tried.iter().min_by_key(|c| c.bytes).copied();
        match (self.options.goal, most_exact, smallest) {
            (Goal::Percent(percent), Some(best), _) => SearchError::OutOfReach { percent, best },
            (Goal::Largest(percent), Some(best), _) => SearchError::FartherOff { percent, best },
            (Goal::Bytes(budget), _, Some(smallest)) => SearchError::TooLarge { budget, smallest },
            _ => SearchError::Nothing,
        }
    }
}

/// The smallest first.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(a.error.total_cmp(&b.error)));
}
