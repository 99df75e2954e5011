//! Fitting rigs.

use std::sync::Arc;

use sinew::animation::{MeshAnimation, compare};
use sinew::choice::Choice;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{
    self, BoneKind, Cost, DEFAULT_BONES, Goal, MethodName, PoseToPoseOptions, SearchOptions, SkinOptions,
    pose_to_pose, search,
};

use super::action::FitOrder;
use super::measured::file_bytes;
use super::work::finish;
use super::{Answer, Kind, Made, Refusal, Session, Shape, Work};

/// The most bones that can be asked for.
pub(super) const MOST_BONES: usize = 1024;

impl Session {
    /// Fits a rig in the background.
    pub(super) fn fit(&self, order: FitOrder) -> Result<Work<Made>, Refusal> {
        check(&order)?;
        let original = self.original()?.clone();
        Ok(Work::background("fit", move |progress| {
            let (shape, warnings) = fitted(&original, &order, progress)?;
            finish(move |session| {
                session.check_still_open(&original)?;
                Ok(session.take_fit(&order, shape, warnings))
            })
        }))
    }

    fn take_fit(&mut self, order: &FitOrder, shape: Shape, warnings: Vec<String>) -> Answer<Made> {
        let bones = match &shape {
            Shape::Chain(chain, _) => chain.bones.len(),
            Shape::Rig(rig) | Shape::Poses(rig, _) => rig.bones.len(),
        };
        let kind = match order.kind {
            Some(BoneKind::Rigid) => ", rigid",
            _ => "",
        };
        let name = format!("{}, {bones} bones{kind}", order.method.name());
        let version = self.new_version(name.clone(), Kind::Fit, order.method.name(), shape);
        self.warnings = warnings;
        let id = self.add(format!("fit {name}"), version);
        Answer::of(Made { version: id })
    }
}

fn check(order: &FitOrder) -> Result<(), Refusal> {
    let goal = order.goal;
    if [goal.bones.is_some(), goal.error.is_some(), goal.bytes.is_some()].iter().filter(|g| **g).count() > 1 {
        return Refusal::say("give one goal: bones, an error or a size");
    }
    if order.method != MethodName::Best && (goal.error.is_some() || goal.bytes.is_some()) {
        return Refusal::say(format!("method {} knows no goal but a number of bones", order.method.name()));
    }
    if goal.bones.is_some_and(|bones| !(1..=MOST_BONES).contains(&bones)) {
        return Refusal::say(format!("a rig has 1 to {MOST_BONES} bones"));
    }
    if order.rank.is_some_and(|rank| rank > skin::MOST_RANK) {
        return Refusal::say(format!("there are at most {} correction shapes", skin::MOST_RANK));
    }
    if order.kind == Some(BoneKind::Rigid) && !order.method.has_rigid_bones() {
        return Refusal::say(format!("bones of method {} cannot be kept rigid", order.method.name()));
    }
    if order.method == MethodName::Pps && order.rank.unwrap_or(0) > 0 {
        return Refusal::say("method pps has no correction shapes");
    }
    Ok(())
}

fn fitted(
    animation: &MeshAnimation,
    order: &FitOrder,
    progress: &dyn Progress,
) -> Result<(Shape, Vec<String>), Refusal> {
    let (rig, warnings) = match (goal(order), skin::Method::named(order.method)) {
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
        kind: order.kind.unwrap_or(BoneKind::Flexible),
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
        kinds: order.kind.map_or(all.kinds, |kind| vec![kind]),
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
