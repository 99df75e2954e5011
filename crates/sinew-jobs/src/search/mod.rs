//! Searching for a rig: the smallest that keeps an error, or the best of a size.
//!
//! A rig costs bytes for its bones (by the frame), for its influences (by the vertex, in steps) and for its
//! correction shapes (by the vertex, each). What any of them takes off the error is only known by fitting, so
//! rigs are fitted and measured, as few as possible:
//! - For a kind of bones, a number of influences and a rank, the error falls with the number of bones and the
//!   size grows with it: a search between two that stand on either side of the goal (`line`).
//! - Shapes are dear. The strongest come first and the bones they are exchanged for get more and more precious,
//!   so ranks grow only while a rig of the same size with more shapes and fewer bones is better.
//! - A rig whose bones never move is the lightest that has so many influences and shapes; where that is too
//!   large already, nothing is fitted.
//!
//! All of this is done with quick fits first, which are a little farther off than they would be with time, each for a
//! goal that is as much easier. Then only rigs like the one that was found are fitted as well as asked for, from as many
//! bones or shapes as it had; where none of them meets the goal, the whole search is done again with such fits.
//!
//! Errors are a little uneven in the number of bones: what is found is the smallest or best of all that were
//! tried, and about that of all there are.

mod line;
mod options;
mod tuning;

use glam::{DAffine3, Vec3};
use sinew::animation::MeshAnimation;
use sinew::progress::{Cancelled, Muted, Progress};
use sinew::rig::{Bone, Corrections, Rig, SkinWeights};
use sinew::skin::{BoneKind, Effort, Method, Prepared, SkinOptions, Skinned};

pub use self::options::{
    Candidate, Cost, Goal, MOST_BONES, MOST_RANK, SearchError, SearchOptions, Searched, pareto_front,
};

use self::line::{Bracket, Free, Line, Place};
use self::tuning::TUNED;

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
    cost: &dyn Fn(&Rig) -> Result<Cost, Cancelled>,
    progress: &dyn Progress,
) -> Result<Searched, SearchError> {
    options.validate()?;
    let prepared = Prepared::new(animation, &options.skin, progress)?;
    let mut search = Search {
        animation,
        options,
        goal: options.goal,
        effort: effort_of(&options.skin),
        worthwhile: TUNED.worthwhile,
        fits: 0,
        cost,
        progress,
        most_bones: prepared.most_bones().min(MOST_BONES),
        most_rank: animation.frames.len().min(MOST_RANK),
        prepared,
        tried: Vec::new(),
        lightest: Vec::new(),
        best: None,
    };
    search.check_budget()?;
    if !search.roughly()? {
        search.everywhere()?;
    }
    search.finish()
}

struct Search<'a> {
    animation: &'a MeshAnimation,
    prepared: Prepared<'a>,
    options: &'a SearchOptions,
    /// What is wanted now, and how long fits look for it.
    goal: Goal,
    effort: Effort,
    /// A line is left when what could still be gained is less than this share of the size.
    worthwhile: f64,
    /// Fits so far.
    fits: usize,
    cost: &'a dyn Fn(&Rig) -> Result<Cost, Cancelled>,
    progress: &'a dyn Progress,
    most_bones: usize,
    most_rank: usize,
    tried: Vec<Candidate>,
    /// Sizes of rigs whose bones never move: influences, rank, bytes.
    lightest: Vec<(usize, usize, u64)>,
    best: Option<(Candidate, Skinned)>,
}

impl Search<'_> {
    /// Looks with quick fits, then, near what they find, with proper ones; `false` where that finds nothing.
    fn roughly(&mut self) -> Result<bool, SearchError> {
        let (options, effort) = (self.options, self.effort);
        let only = self.line(options.kinds[0], options.influences[0], options.rank.unwrap_or(0));
        let single = options.kinds.len() * options.influences.len() == 1 && only.first == only.last;
        if effort == Effort::Quick || single {
            return Ok(false);
        }
        (self.effort, self.worthwhile) = (Effort::Quick, TUNED.worthwhile_roughly);
        if let Goal::Percent(percent) = options.goal {
            self.goal = Goal::Percent(percent * TUNED.quick);
        }
        self.everywhere()?;
        (self.effort, self.goal) = (effort, options.goal);
        let rough = std::mem::take(&mut self.tried);
        if let Some((Candidate { kind, influences, bones, rank, .. }, _)) = self.best.take() {
            let line = self.line(kind, influences, rank);
            let guess = match line.free {
                Free::Bones { .. } => bones,
                Free::Rank { .. } => rank,
            };
            self.along(&line, guess)?;
        }
        self.worthwhile = TUNED.worthwhile;
        if self.best.is_none() {
            return Ok(false);
        }
        for c in &rough {
            if self.is_better(c) {
                self.attempt(c.kind, c.influences, c.bones, c.rank)?;
            }
        }
        let sort = |c: &Candidate| (c.kind, c.influences, c.bones, c.rank);
        let fitted: Vec<_> = self.tried.iter().map(sort).collect();
        self.tried.extend(rough.into_iter().filter(|c| !fitted.contains(&sort(c))));
        Ok(true)
    }

    /// All lines, shapes, and what lies around the best.
    fn everywhere(&mut self) -> Result<(), SearchError> {
        self.lines()?;
        if self.options.rank.is_none() && self.options.skin.bones.is_none() {
            self.shapes()?;
        }
        self.around()
    }

    /// Fits and measures a rig, once.
    fn attempt(
        &mut self,
        kind: BoneKind,
        influences: usize,
        bones: usize,
        rank: usize,
    ) -> Result<Candidate, SearchError> {
        let same =
            |c: &&Candidate| (c.kind, c.influences, c.bones, c.rank) == (kind, influences, bones, rank);
        if let Some(known) = self.tried.iter().find(same) {
            return Ok(*known);
        }
        let mut options =
            SkinOptions { bones: Some(bones), kind, influences, rank, ..self.options.skin.clone() };
        if let Method::Best(descent) = &mut options.method {
            descent.effort = self.effort;
        }
        let skinned = self.prepared.fit(&options, &Muted(self.progress))?;
        let Cost { bytes, percent } = (self.cost)(&skinned.rig)?;
        let candidate = Candidate { kind, bones, influences, rank, percent, bytes, chosen: false };
        self.tried.push(candidate);
        // How many will be needed is not known: the bar slows down.
        self.fits += 1;
        self.progress.advance(1.0 - 0.93_f64.powi(self.fits as i32));
        if self.is_better(&candidate) {
            self.best = Some((candidate, skinned));
        }
        Ok(candidate)
    }

    fn is_better(&self, candidate: &Candidate) -> bool {
        let worth = |c: &Candidate| (self.price(c), c.percent, c.bytes);
        let best = self.best.as_ref().map(|b| b.0);
        self.goal.is_met(candidate) && best.is_none_or(|best| worth(candidate) < worth(&best))
    }

    /// What is to be small where the goal is met.
    fn price(&self, candidate: &Candidate) -> f64 {
        match self.goal {
            Goal::Percent(_) => candidate.bytes as f64,
            Goal::Bytes(_) => candidate.percent,
        }
    }

    /// The most bytes a rig may take to be of use now.
    fn limit(&self) -> u64 {
        match (self.goal, &self.best) {
            (Goal::Bytes(bytes), _) => bytes,
            (Goal::Percent(_), Some((best, _))) => best.bytes.saturating_sub(1),
            (Goal::Percent(_), None) => u64::MAX,
        }
    }

    /// Refuses a budget that the mesh alone exceeds.
    fn check_budget(&mut self) -> Result<(), SearchError> {
        let Goal::Bytes(budget) = self.goal else { return Ok(()) };
        let mesh = self.lightest(1, self.options.rank.unwrap_or(0))?;
        if mesh > budget { Err(SearchError::MeshTooLarge { budget, mesh }) } else { Ok(()) }
    }

    /// All kinds and influences, with the rank that is asked for or none.
    fn lines(&mut self) -> Result<(), SearchError> {
        let mut guess = TUNED.first_bones;
        for &kind in &self.options.kinds {
            self.progress.stage(match kind {
                BoneKind::Rigid => "rigid bones",
                BoneKind::Flexible => "flexible bones",
            });
            for &influences in &self.options.influences {
                let line = self.line(kind, influences, self.options.rank.unwrap_or(0));
                if self.lightest_of(&line)? > self.limit() {
                    continue;
                }
                let known = self.last_of(kind).filter(|_| self.best.is_some());
                let first = match known.filter(|c| c.influences < influences) {
                    _ if self.options.skin.bones.is_some() => Some(line.first),
                    Some(fewer) => self.bones_within(&fewer, influences, line.rank())?,
                    None => Some(guess),
                };
                let Some(first) = first.filter(|&b| b >= line.first) else { continue };
                if let Some(found) = self.along(&line, first)? {
                    guess = guess_for_next(kind, found.bones);
                }
            }
        }
        Ok(())
    }

    /// The line of a kind, influences and a rank; with a number of bones asked for the rank is free, unless it
    /// is asked for too.
    fn line(&self, kind: BoneKind, influences: usize, rank: usize) -> Line {
        let (free, first, last) = match (self.options.skin.bones, self.options.rank) {
            (Some(bones), None) => (Free::Rank { bones }, 0, self.most_rank),
            (Some(bones), Some(rank)) => (Free::Bones { rank }, bones, bones),
            (None, _) => (Free::Bones { rank }, self.least_bones(influences), self.most_bones),
        };
        Line { kind, influences, free, first, last }
    }

    /// With as many bones as influences, more influences are of no use: rigs of so few bones are on the line of
    /// the next lower number.
    fn least_bones(&self, influences: usize) -> usize {
        let lower = self.options.influences.iter().filter(|&&k| k < influences).max();
        lower.map_or(1, |k| k + 1).min(self.most_bones)
    }

    /// Correction shapes instead of bones.
    fn shapes(&mut self) -> Result<(), SearchError> {
        self.progress.stage("corrections");
        if self.best.is_none() {
            return self.shapes_beside_all_bones();
        }
        let lines: Vec<(BoneKind, usize)> = self
            .options
            .kinds
            .iter()
            .flat_map(|&k| self.options.influences.iter().map(move |&i| (k, i)))
            .collect();
        for (kind, influences) in lines {
            let Some(start) = self.best_of(kind, influences).filter(|c| self.is_near(c)) else { continue };
            let mut before = match self.goal {
                Goal::Percent(percent) => percent,
                Goal::Bytes(_) => start.percent,
            };
            let most = self.most_rank;
            for rank in TUNED.ranks.iter().copied().filter(|&r| r <= most) {
                let Some(bones) = self.bones_within(&start, influences, rank)? else { break };
                let candidate = self.attempt(kind, influences, bones, rank)?;
                if candidate.percent > TUNED.worse * before {
                    break;
                }
                before = candidate.percent;
                let goal = self.goal;
                if matches!(goal, Goal::Bytes(_)) || goal.is_met(&candidate) {
                    self.along(&self.line(kind, influences, rank), bones)?;
                }
            }
        }
        Ok(())
    }

    /// Where no number of bones keeps the error, all bones and many shapes do, or nothing does.
    fn shapes_beside_all_bones(&mut self) -> Result<(), SearchError> {
        let Goal::Percent(_) = self.goal else { return Ok(()) };
        let mut rank = self.most_rank;
        let Some(line) = self.most_exact().map(|c| (c.kind, c.influences)) else { return Ok(()) };
        while rank > 0 {
            let line = self.line(line.0, line.1, rank);
            if self.along(&line, self.most_bones)?.is_none() {
                break;
            }
            rank /= 2;
        }
        Ok(())
    }

    /// The last rig of a kind that was tried.
    fn last_of(&self, kind: BoneKind) -> Option<Candidate> {
        self.tried.iter().rfind(|c| c.kind == kind).copied()
    }

    /// The best rig without shapes of a kind and influences.
    fn best_of(&self, kind: BoneKind, influences: usize) -> Option<Candidate> {
        let of_line = self.tried.iter().filter(|c| (c.kind, c.influences, c.rank) == (kind, influences, 0));
        let met = of_line.filter(|c| self.goal.is_met(c));
        met.min_by(|a, b| self.price(a).total_cmp(&self.price(b))).copied()
    }

    fn is_near(&self, candidate: &Candidate) -> bool {
        let near = |best: &Candidate| self.price(candidate) <= TUNED.near * self.price(best);
        self.best.as_ref().is_some_and(|(best, _)| near(best))
    }

    /// How many bones a rig like `start` may have beside so many influences and shapes and still be of use;
    /// `None` for none.
    fn bones_within(
        &mut self,
        start: &Candidate,
        influences: usize,
        rank: usize,
    ) -> Result<Option<usize>, SearchError> {
        let bare = self.lightest(start.influences, start.rank)?;
        let shaped = self.lightest(influences, rank)?;
        let each = (start.bytes.saturating_sub(bare) as f64 / start.bones as f64).max(1.0);
        let room = self.limit() as f64 - shaped as f64;
        let bones = (room / each).floor();
        Ok((bones >= 1.0).then(|| (bones as usize).min(self.most_bones)))
    }

    /// Half and twice as many bones, to show what they would be worth.
    fn around(&mut self) -> Result<(), SearchError> {
        let Some((chosen, _)) = self.best else { return Ok(()) };
        if self.options.skin.bones.is_some() {
            return Ok(());
        }
        self.progress.stage("trade-off");
        for bones in [chosen.bones / 2, 2 * chosen.bones] {
            if (1..=self.most_bones).contains(&bones) {
                self.attempt(chosen.kind, chosen.influences, bones, chosen.rank)?;
            }
        }
        Ok(())
    }

    /// A lower bound on what rigs of a line take.
    fn lightest_of(&mut self, line: &Line) -> Result<u64, SearchError> {
        let few = match line.free {
            Free::Bones { .. } => line.first,
            Free::Rank { bones } => bones,
        };
        // A vertex may do with fewer influences than are allowed, and does where there are fewer bones.
        self.lightest(line.influences.min(few), line.rank())
    }

    /// The size of a rig with so many influences and shapes whose bones never move.
    fn lightest(&mut self, influences: usize, rank: usize) -> Result<u64, SearchError> {
        if let Some(known) = self.lightest.iter().find(|l| (l.0, l.1) == (influences, rank)) {
            return Ok(known.2);
        }
        let rig = still_rig(self.animation, influences, rank, self.keeps_rest());
        let bytes = (self.cost)(&rig)?.bytes;
        self.lightest.push((influences, rank, bytes));
        Ok(bytes)
    }

    fn keeps_rest(&self) -> bool {
        matches!(&self.options.skin.method, Method::Best(descent) if descent.keep_rest)
    }

    fn most_exact(&self) -> Option<Candidate> {
        self.tried.iter().min_by(|a, b| a.percent.total_cmp(&b.percent)).copied()
    }

    fn finish(mut self) -> Result<Searched, SearchError> {
        let Some((chosen, skinned)) = self.best.take() else { return Err(self.missed()) };
        let mut candidates = self.tried;
        candidates.iter_mut().for_each(|c| c.chosen = *c == chosen);
        candidates.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(a.percent.total_cmp(&b.percent)));
        Ok(Searched { skinned, candidates })
    }

    fn missed(&self) -> SearchError {
        let smallest = self.tried.iter().min_by_key(|c| c.bytes).copied();
        match (self.goal, self.most_exact(), smallest) {
            (Goal::Percent(percent), Some(best), _) => SearchError::OutOfReach { percent, best },
            (Goal::Bytes(budget), _, Some(smallest)) => SearchError::TooLarge { budget, smallest },
            _ => SearchError::Nothing,
        }
    }

    /// Searches a line for the rig at which the goal changes from met to missed, beginning at `guess`. Returns
    /// the outermost rig that meets it; all that are tried compete anyway.
    fn along(&mut self, line: &Line, guess: usize) -> Result<Option<Candidate>, SearchError> {
        let mut ends = Bracket::default();
        let mut x = guess.clamp(line.first, line.last);
        for tries in 0..TUNED.tries {
            let (bones, rank) = line.at(x);
            let candidate = self.attempt(line.kind, line.influences, bones, rank)?;
            let place = Place { x, candidate };
            if self.is_high(&candidate) {
                ends.high = Some(place);
            } else {
                ends.low = Some(place);
            }
            if self.is_beaten(&candidate) {
                break;
            }
            let lightest = self.lightest_of(line)?;
            let Some(next) = ends.next(line, self.goal, (lightest, self.worthwhile), tries) else {
                break;
            };
            x = self.small_enough(line, &place)?.map_or(next, |most| next.min(most));
            if x < line.first || ends.low.is_some_and(|low| x <= low.x) {
                break;
            }
        }
        // Errors are uneven: one more, beyond the edge, where it matters.
        if let (Some(low), Some(high)) = (ends.low, ends.high) {
            let beyond = low.x.saturating_sub(1);
            let dear = low.candidate.bytes + low.candidate.bytes / 50 < high.candidate.bytes;
            if dear && beyond >= line.first && low.candidate.bytes <= self.limit() {
                let (bones, rank) = line.at(beyond);
                self.attempt(line.kind, line.influences, bones, rank)?;
            }
        }
        let met = match self.goal {
            Goal::Percent(_) => ends.high,
            Goal::Bytes(_) => ends.low,
        };
        Ok(met.map(|p| p.candidate))
    }

    /// How far up its line a rig may stand to be smaller than the best, where one is that is not. The best may
    /// be of another line.
    fn small_enough(&mut self, line: &Line, place: &Place) -> Result<Option<usize>, SearchError> {
        let (limit, bytes) = (self.limit(), place.candidate.bytes);
        if matches!(self.goal, Goal::Bytes(_)) || bytes.saturating_sub(1) <= limit || place.x == 0 {
            return Ok(None);
        }
        let lightest = self.lightest_of(line)?;
        let each = bytes.saturating_sub(lightest) as f64 / place.x as f64;
        Ok(Some((limit.saturating_sub(lightest) as f64 / each.max(1.0)) as usize))
    }

    /// Whether a rig stands on the upper side of the goal: close enough, or too large.
    fn is_high(&self, candidate: &Candidate) -> bool {
        self.goal.is_met(candidate) == matches!(self.goal, Goal::Percent(_))
    }

    /// Whether neither this rig nor any further up its line can win.
    fn is_beaten(&self, candidate: &Candidate) -> bool {
        let met = self.goal.is_met(candidate);
        match (self.goal, &self.best) {
            (Goal::Percent(_), best) => !met && best.as_ref().is_some_and(|b| candidate.bytes >= b.0.bytes),
            (Goal::Bytes(_), _) => met && candidate.percent < TUNED.nothing_left,
        }
    }
}

/// Bones to begin with on the next line. A flexible bone costs about twice what a rigid one does, so half as many
/// make a rig of the same size.
fn guess_for_next(kind: BoneKind, bones: usize) -> usize {
    match kind {
        BoneKind::Rigid => bones.div_ceil(2),
        BoneKind::Flexible => bones,
    }
}

/// How long fits are to look.
fn effort_of(options: &SkinOptions) -> Effort {
    match &options.method {
        Method::Best(descent) => descent.effort,
        _ => Effort::default(),
    }
}

/// A rig whose bones never move, with as many influences on every vertex as there are bones.
fn still_rig(animation: &MeshAnimation, influences: usize, rank: usize, keep_rest: bool) -> Rig {
    let (frames, vertices) = (animation.frames.len(), animation.mesh.vertex_count);
    let mut rest = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0)).to_vec();
    if let Some(p) = rest.first_mut().filter(|_| !keep_rest) {
        // Files may hold less where the rest pose is not the one that came with the mesh.
        p.x += 1e-3 * p.x.abs().max(1e-3);
    }
    let weights = SkinWeights {
        per_vertex: influences,
        bones: (0..vertices).flat_map(|_| 0..influences as u32).collect(),
        weights: vec![1.0 / influences as f32; vertices * influences],
    };
    let bone =
        |i: usize| Bone { name: format!("bone_{i:02}"), center: rest[0].as_dvec3(), rigid: true, axes: None };
    let corrections = (rank > 0).then(|| Corrections {
        rank,
        basis: vec![Vec3::splat(1e-3); rank * vertices],
        normals: vec![Vec3::splat(1e-3); rank * vertices],
        coefficients: (0..rank * frames).map(|i| (i % 2) as f32).collect(),
        names: Vec::new(),
    });
    Rig {
        mesh: animation.mesh.clone(),
        weights,
        bones: (0..influences).map(bone).collect(),
        transforms: vec![DAffine3::IDENTITY; frames * influences],
        skeleton: None,
        corrections,
        fps: animation.fps,
        clips: animation.clips.clone(),
        rest,
        nodes: Vec::new(),
        armature: String::new(),
    }
}
