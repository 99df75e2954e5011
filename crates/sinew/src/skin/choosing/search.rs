//! Which rigs are tried, and which is the best of them.

use glam::{DAffine3, Vec3};

use super::line::{Free, Line};
use super::{Choice, ChooseError, ChooseOptions, ChosenRig, Goal, MOST_BONES, MOST_RANK, Weighed};
use crate::animation::MeshAnimation;
use crate::progress::Progress;
use crate::rig::{Bone, Corrections, Rig, SkinWeights};
use crate::skin::pipeline::check_bone_count;
use crate::skin::{BestOptions, BoneKind, DescentOptions, SkinError, Skinned, skin_best};

/// Bones of the first rig.
const FIRST_BONES: usize = 24;
/// Ranks that are tried, as long as they pay.
const RANKS: [usize; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// Lines that are worse than the best by more than this factor get no shapes.
const NEAR: f64 = 1.15;
/// A rank that makes a rig of the same size worse by this factor is the last.
const WORSE: f64 = 1.03;

/// Finds the best rig.
pub(super) fn run(
    animation: &MeshAnimation,
    options: &ChooseOptions,
    weigh: &dyn Fn(&Rig) -> Option<Weighed>,
    progress: &dyn Progress,
) -> Result<ChosenRig, ChooseError> {
    progress.stage("checking");
    animation.validate().map_err(SkinError::from)?;
    let rest = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let most = check_bone_count(&animation.mesh.triangles(rest), rest, options.best.bones)?;
    let mut search = Search {
        animation,
        options,
        weigh,
        progress,
        most_bones: most.min(MOST_BONES),
        most_rank: animation.frames.len().min(MOST_RANK),
        tried: Vec::new(),
        lightest: Vec::new(),
        best: None,
    };
    search.check_budget()?;
    search.lines()?;
    if options.rank.is_none() && options.best.bones.is_none() {
        search.shapes()?;
    }
    search.around()?;
    search.finish()
}

pub(super) struct Search<'a> {
    animation: &'a MeshAnimation,
    pub(super) options: &'a ChooseOptions,
    weigh: &'a dyn Fn(&Rig) -> Option<Weighed>,
    progress: &'a dyn Progress,
    most_bones: usize,
    most_rank: usize,
    tried: Vec<Choice>,
    /// Sizes of rigs whose bones never move: influences, rank, bytes.
    lightest: Vec<(usize, usize, u64)>,
    pub(super) best: Option<(Choice, Skinned)>,
}

impl Search<'_> {
    /// Fits and weighs a rig, once.
    pub(super) fn attempt(
        &mut self,
        kind: BoneKind,
        influences: usize,
        bones: usize,
        rank: usize,
    ) -> Result<Choice, ChooseError> {
        let same = |c: &&Choice| (c.kind, c.influences, c.bones, c.rank) == (kind, influences, bones, rank);
        if let Some(known) = self.tried.iter().find(same) {
            return Ok(*known);
        }
        let descent = DescentOptions { kind, influences, ..self.options.best.descent.clone() };
        let options = BestOptions { bones: Some(bones), rank, descent, ..self.options.best.clone() };
        let skinned = skin_best(self.animation, &options, &OnlyCancels(self.progress))?;
        let Weighed { bytes, percent } = (self.weigh)(&skinned.rig).ok_or(SkinError::Cancelled)?;
        let choice = Choice { kind, bones, influences, rank, percent, bytes, chosen: false };
        self.tried.push(choice);
        // How many will be needed is not known: the bar slows down.
        self.progress.advance(1.0 - 0.93_f64.powi(self.tried.len() as i32));
        if self.is_better(&choice) {
            self.best = Some((choice, skinned));
        }
        Ok(choice)
    }

    fn is_better(&self, choice: &Choice) -> bool {
        let best = self.best.as_ref().map(|b| b.0);
        match self.options.goal {
            Goal::Percent(percent) => {
                choice.percent <= percent
                    && best.is_none_or(|b| (choice.bytes, choice.percent) < (b.bytes, b.percent))
            }
            Goal::Bytes(bytes) => {
                choice.bytes <= bytes
                    && best.is_none_or(|b| (choice.percent, choice.bytes) < (b.percent, b.bytes))
            }
        }
    }

    /// The most bytes a rig may take to be of use now.
    pub(super) fn limit(&self) -> u64 {
        match (self.options.goal, &self.best) {
            (Goal::Bytes(bytes), _) => bytes,
            (Goal::Percent(_), Some((best, _))) => best.bytes.saturating_sub(1),
            (Goal::Percent(_), None) => u64::MAX,
        }
    }

    /// Refuses a budget that the mesh alone exceeds.
    fn check_budget(&mut self) -> Result<(), ChooseError> {
        let Goal::Bytes(budget) = self.options.goal else { return Ok(()) };
        let mesh = self.lightest(1, self.options.rank.unwrap_or(0))?;
        if mesh > budget { Err(ChooseError::MeshTooLarge { budget, mesh }) } else { Ok(()) }
    }

    /// All kinds and influences, with the rank that is asked for or none.
    fn lines(&mut self) -> Result<(), ChooseError> {
        let mut guess = FIRST_BONES;
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
                    _ if self.options.best.bones.is_some() => Some(line.first),
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
        let (free, first, last) = match (self.options.best.bones, self.options.rank) {
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
    fn shapes(&mut self) -> Result<(), ChooseError> {
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
            let mut before = match self.options.goal {
                Goal::Percent(percent) => percent,
                Goal::Bytes(_) => start.percent,
            };
            let most = self.most_rank;
            for rank in RANKS.into_iter().filter(|&r| r <= most) {
                let Some(bones) = self.bones_within(&start, influences, rank)? else { break };
                let choice = self.attempt(kind, influences, bones, rank)?;
                if choice.percent > WORSE * before {
                    break;
                }
                before = choice.percent;
                let missed = matches!(self.options.goal, Goal::Percent(percent) if choice.percent > percent);
                if !missed {
                    self.along(&self.line(kind, influences, rank), bones)?;
                }
            }
        }
        Ok(())
    }

    /// Where no number of bones keeps the error, all bones and many shapes do, or nothing does.
    fn shapes_beside_all_bones(&mut self) -> Result<(), ChooseError> {
        let Goal::Percent(_) = self.options.goal else { return Ok(()) };
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
    fn last_of(&self, kind: BoneKind) -> Option<Choice> {
        self.tried.iter().rfind(|c| c.kind == kind).copied()
    }

    /// The best rig without shapes of a kind and influences.
    fn best_of(&self, kind: BoneKind, influences: usize) -> Option<Choice> {
        let of_line = self.tried.iter().filter(|c| (c.kind, c.influences, c.rank) == (kind, influences, 0));
        match self.options.goal {
            Goal::Percent(percent) => {
                of_line.filter(|c| c.percent <= percent).min_by_key(|c| c.bytes).copied()
            }
            Goal::Bytes(bytes) => {
                of_line.filter(|c| c.bytes <= bytes).min_by(|a, b| a.percent.total_cmp(&b.percent)).copied()
            }
        }
    }

    fn is_near(&self, choice: &Choice) -> bool {
        self.best.as_ref().is_some_and(|(best, _)| match self.options.goal {
            Goal::Percent(_) => choice.bytes as f64 <= NEAR * best.bytes as f64,
            Goal::Bytes(_) => choice.percent <= NEAR * best.percent,
        })
    }

    /// How many bones a rig like `start` may have beside so many influences and shapes and still be of use;
    /// `None` for none.
    fn bones_within(
        &mut self,
        start: &Choice,
        influences: usize,
        rank: usize,
    ) -> Result<Option<usize>, ChooseError> {
        let bare = self.lightest(start.influences, start.rank)?;
        let shaped = self.lightest(influences, rank)?;
        let each = (start.bytes.saturating_sub(bare) as f64 / start.bones as f64).max(1.0);
        let room = self.limit() as f64 - shaped as f64;
        let bones = (room / each).floor();
        Ok((bones >= 1.0).then(|| (bones as usize).min(self.most_bones)))
    }

    /// Half and twice as many bones, to show what they would be worth.
    fn around(&mut self) -> Result<(), ChooseError> {
        let Some((chosen, _)) = self.best else { return Ok(()) };
        if self.options.best.bones.is_some() {
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
    pub(super) fn lightest_of(&mut self, line: &Line) -> Result<u64, ChooseError> {
        let few = match line.free {
            Free::Bones { .. } => line.first,
            Free::Rank { bones } => bones,
        };
        // A vertex may do with fewer influences than are allowed, and does where there are fewer bones.
        self.lightest(line.influences.min(few), line.rank())
    }

    /// The size of a rig with so many influences and shapes whose bones never move.
    fn lightest(&mut self, influences: usize, rank: usize) -> Result<u64, ChooseError> {
        if let Some(known) = self.lightest.iter().find(|l| (l.0, l.1) == (influences, rank)) {
            return Ok(known.2);
        }
        let rig = still_rig(self.animation, influences, rank, self.options.best.descent.keep_rest);
        let bytes = (self.weigh)(&rig).ok_or(SkinError::Cancelled)?.bytes;
        self.lightest.push((influences, rank, bytes));
        Ok(bytes)
    }

    fn most_exact(&self) -> Option<Choice> {
        self.tried.iter().min_by(|a, b| a.percent.total_cmp(&b.percent)).copied()
    }

    fn finish(mut self) -> Result<ChosenRig, ChooseError> {
        let Some((chosen, skinned)) = self.best.take() else { return Err(self.missed()) };
        let mut choices = self.tried;
        choices.iter_mut().for_each(|c| c.chosen = *c == chosen);
        choices.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(a.percent.total_cmp(&b.percent)));
        Ok(ChosenRig { skinned, choices })
    }

    fn missed(&self) -> ChooseError {
        let smallest = self.tried.iter().min_by_key(|c| c.bytes).copied();
        match (self.options.goal, self.most_exact(), smallest) {
            (Goal::Percent(percent), Some(best), _) => ChooseError::OutOfReach { percent, best },
            (Goal::Bytes(budget), _, Some(smallest)) => ChooseError::TooLarge { budget, smallest },
            _ => ChooseError::Nothing,
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
    let bone = |i: usize| Bone { name: format!("bone_{i:02}"), center: rest[0].as_dvec3(), rigid: true };
    let corrections = (rank > 0).then(|| Corrections {
        rank,
        basis: vec![Vec3::splat(1e-3); rank * vertices],
        normals: vec![Vec3::splat(1e-3); rank * vertices],
        coefficients: (0..rank * frames).map(|i| (i % 2) as f32).collect(),
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
    }
}

/// Passes on whether to stop, and keeps the stages of every single fit to itself.
struct OnlyCancels<'a>(&'a dyn Progress);

impl Progress for OnlyCancels<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
