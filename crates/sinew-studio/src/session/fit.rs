//! Fitting rigs.

use std::sync::Arc;

use sinew::animation::{MeshAnimation, compare};
use sinew::choice::Choice;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{
    self, Cost, DEFAULT_BONES, Goal, MethodName, PoseToPoseOptions, SearchOptions, SkinOptions, pose_to_pose,
    search,
};

use super::action::{BoneKind, FitOrder, Method};
use super::answer::finish;
use super::measure::file_bytes;
use super::{Answer, Kind, Outcome, Refusal, Session, Shape, Version};

/// The most bones that can be asked for.
pub(super) const MOST_BONES: usize = 1024;

impl BoneKind {
    pub(super) fn of_library(self) -> skin::BoneKind {
        match self {
            Self::Rigid => skin::BoneKind::Rigid,
            Self::Flexible => skin::BoneKind::Flexible,
        }
    }
}

impl Method {
    fn of_library(self) -> MethodName {
        match self {
            Self::Best => MethodName::Best,
            Self::Sma => MethodName::Sma,
            Self::Sad => MethodName::Sad,
            Self::Fesam => MethodName::Fesam,
            Self::Pps => MethodName::Pps,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        self.of_library().name()
    }
}

impl Session {
    /// Fits a rig in the background.
    pub(super) fn fit(&self, order: FitOrder) -> Result<Outcome, Refusal> {
        check(&order)?;
        let original = self.original()?.clone();
        Ok(Outcome::job("fit", move |progress| {
            let (shape, warnings) = fitted(&original, &order, progress)?;
            finish(move |session| {
                session.check_still_open(&original)?;
                Ok(session.take_fit(&order, shape, warnings))
            })
        }))
    }

    /// The animation that rigs are made from.
    pub(super) fn original(&self) -> Result<&Arc<MeshAnimation>, Refusal> {
        let none = || Refusal("a rig was opened without an animation to make rigs from".into());
        self.subject()?.original().ok_or_else(none)
    }

    /// Results of long work belong to what it was begun with.
    pub(super) fn check_still_open(&self, original: &Arc<MeshAnimation>) -> Result<(), Refusal> {
        let open = self.subject.as_ref().and_then(|s| s.original());
        match open.is_some_and(|open| Arc::ptr_eq(open, original)) {
            true => Ok(()),
            false => Refusal::say("another animation was opened meanwhile"),
        }
    }

    fn take_fit(&mut self, order: &FitOrder, shape: Shape, warnings: Vec<String>) -> Answer {
        let bones = match &shape {
            Shape::Chain(chain, _) => chain.bones.len(),
            Shape::Rig(rig) | Shape::Poses(rig, _) => rig.bones.len(),
        };
        let kind = match order.kind {
            Some(BoneKind::Rigid) => ", rigid",
            _ => "",
        };
        let name = format!("{}, {bones} bones{kind}", order.method.name());
        let version = Version::new(self, name.clone(), Kind::Fit, order.method.name(), shape);
        self.warnings = warnings;
        let id = self.add(format!("fit {name}"), version);
        Answer::of(serde_json::json!({ "version": id }))
    }
}

fn check(order: &FitOrder) -> Result<(), Refusal> {
    let goal = order.goal;
    if [goal.bones.is_some(), goal.error.is_some(), goal.bytes.is_some()].iter().filter(|g| **g).count() > 1 {
        return Refusal::say("give one goal: bones, an error or a size");
    }
    if order.method != Method::Best && (goal.error.is_some() || goal.bytes.is_some()) {
        return Refusal::say(format!("method {} knows no goal but a number of bones", order.method.name()));
    }
    if goal.bones.is_some_and(|bones| !(1..=MOST_BONES).contains(&bones)) {
        return Refusal::say(format!("a rig has 1 to {MOST_BONES} bones"));
    }
    if order.rank.is_some_and(|rank| rank > skin::MOST_RANK) {
        return Refusal::say(format!("there are at most {} correction shapes", skin::MOST_RANK));
    }
    let others = [Method::Sad, Method::Fesam, Method::Pps];
    if order.kind == Some(BoneKind::Rigid) && others.contains(&order.method) {
        return Refusal::say(format!("bones of method {} cannot be kept rigid", order.method.name()));
    }
    if order.method == Method::Pps && order.rank.unwrap_or(0) > 0 {
        return Refusal::say("method pps has no correction shapes");
    }
    Ok(())
}

fn fitted(
    animation: &MeshAnimation,
    order: &FitOrder,
    progress: &dyn Progress,
) -> Result<(Shape, Vec<String>), Refusal> {
    let (rig, warnings) = match (goal(order), skin::Method::named(order.method.of_library())) {
        (Some(goal), _) => {
            let skinned = searched(animation, order, goal, progress)?;
            (Shape::Rig(Arc::new(skinned.rig)), skinned.warnings)
        }
        (None, Some(method)) => {
            let options = SkinOptions { method, ..plain(order) };
            let skinned = skin::skin(animation, &options, progress)?;
            (Shape::Rig(Arc::new(skinned.rig)), skinned.warnings)
        }
        (None, None) => {
            if animation.clips.len() > 1 {
                return Refusal::say("method pps leads from each pose to the next in one clip");
            }
            let usual = PoseToPoseOptions::default();
            let options = PoseToPoseOptions {
                bones: order.goal.bones.unwrap_or(DEFAULT_BONES),
                influences: order.influences.unwrap_or(usual.influences),
                ..usual
            };
            let skinned = pose_to_pose(animation, &options, progress)?;
            (Shape::of_chain(skinned.rig), skinned.warnings)
        }
    };
    Ok((rig, warnings.iter().map(ToString::to_string).collect()))
}

fn goal(order: &FitOrder) -> Option<Goal> {
    order.goal.error.map(Goal::Percent).or(order.goal.bytes.map(Goal::Bytes))
}

/// The options that all methods know.
pub(super) fn plain(order: &FitOrder) -> SkinOptions {
    let usual = SkinOptions::default();
    SkinOptions {
        bones: order.goal.bones,
        rank: order.rank.unwrap_or(0),
        influences: order.influences.unwrap_or(usual.influences),
        kind: order.kind.unwrap_or(BoneKind::Flexible).of_library(),
        ..usual
    }
}

fn searched(
    animation: &MeshAnimation,
    order: &FitOrder,
    goal: Goal,
    progress: &dyn Progress,
) -> Result<skin::Skinned, Refusal> {
    let all = SearchOptions::new(goal);
    let options = SearchOptions {
        kinds: order.kind.map_or(all.kinds, |kind| vec![kind.of_library()]),
        influences: order.influences.map_or(all.influences, |n| vec![n]),
        rank: order.rank,
        ..SearchOptions::new(goal)
    };
    Ok(search(animation, &options, &|rig| Ok(cost(animation, rig)), progress)?.skinned)
}

/// Size and error of a rig.
pub(super) fn cost(animation: &MeshAnimation, rig: &Rig) -> Cost {
    let percent = compare(animation, &Player::new(rig), animation.rest_bounds()).error.percent;
    Cost { bytes: file_bytes(&Shape::Rig(Arc::new(rig.clone()))), percent }
}
