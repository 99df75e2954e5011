//! Fitting rigs.

use std::sync::Arc;

use sinew::animation::{MeshAnimation, compare};
use sinew::choice::Choice;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::BoneKind;
use sinew_jobs::JobError;
use sinew_jobs::refusals::FitRefusal;
use sinew_jobs::search::{Cost, MOST_RANK};
use sinew_jobs::skin::{self, Fit, Fitted};

use super::action::{FitGoal, FitOrder};
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

/// The limits of the page; which choices go together is the job's to say.
fn check(order: &FitOrder) -> Result<(), Refusal> {
    let goal = order.goal;
    if [goal.bones.is_some(), goal.error.is_some(), goal.bytes.is_some()].iter().filter(|g| **g).count() > 1 {
        return Refusal::say("give one goal: bones, an error or a size");
    }
    if goal.bones.is_some_and(|bones| !(1..=MOST_BONES).contains(&bones)) {
        return Refusal::say(format!("a rig has 1 to {MOST_BONES} bones"));
    }
    if order.rank.is_some_and(|rank| rank > MOST_RANK) {
        return Refusal::say(format!("there are at most {MOST_RANK} correction shapes"));
    }
    job(order).validate(None).map_err(|error| match error {
        JobError::FitOptions(refusal) => Refusal(in_words(&refusal)),
        error => error.into(),
    })
}

/// Choices that do not go together, by the names that the page has for them.
fn in_words(refusal: &FitRefusal) -> String {
    match refusal {
        FitRefusal::Unknown { method, field: "goal.error" | "goal.bytes", .. } => {
            format!("method {method} knows no goal but a number of bones")
        }
        FitRefusal::Unknown { method, field: "kind rigid", .. } => {
            format!("bones of method {method} cannot be kept rigid")
        }
        FitRefusal::NoShapes => "method pps has no correction shapes".into(),
        refusal => refusal.to_string(),
    }
}

/// What a page asks for, as the job that every door knows.
fn job(order: &FitOrder) -> Fit {
    let FitGoal { bones, error, bytes } = order.goal;
    Fit {
        method: Some(order.method),
        bones,
        kind: order.kind,
        start: order.start,
        influences: order.influences,
        rank: order.rank,
        goal: error.map(skin::FitGoal::Error).or(bytes.map(skin::FitGoal::Bytes)),
        ..Fit::default()
    }
}

fn fitted(
    animation: &MeshAnimation,
    order: &FitOrder,
    progress: &dyn Progress,
) -> Result<(Shape, Vec<String>), Refusal> {
    let fitted =
        job(order).run(animation, skin::Brought::default(), &|rig| Ok(cost(animation, rig)), progress);
    let (shape, warnings) = match fitted? {
        Fitted::Rig { skinned, .. } => (Shape::Rig(Arc::new(skinned.rig)), skinned.warnings),
        Fitted::Chain(skinned) => (Shape::of_chain(skinned.rig), skinned.warnings),
    };
    Ok((shape, warnings.iter().map(ToString::to_string).collect()))
}

/// Size and error of a rig.
pub(super) fn cost(animation: &MeshAnimation, rig: &Rig) -> Cost {
    let error = compare(animation, &Player::new(rig), animation.rest_bounds()).error;
    let bytes = file_bytes(&Shape::Rig(Arc::new(rig.clone())));
    Cost { bytes, percent: error.percent, max: error.max }
}
