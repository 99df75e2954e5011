//! Fitting rigs.

use std::sync::Arc;

use sinew::animation::{MeshAnimation, compare};
use sinew::choice::Choice;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{BoneKind, Skin};
use sinew_jobs::JobError;
use sinew_jobs::refusals::FitRefusal;
use sinew_jobs::search::{Cost, MOST_RANK};
use sinew_jobs::skin::{self, Brought, Fit, Fitted, Given};

use super::action::{FitGoal, FitOrder};
use super::measured::file_bytes;
use super::work::finish;
use super::{Answer, Kind, Made, Refusal, Session, Shape, Version, Work};

/// The most bones that can be asked for.
pub(super) const MOST_BONES: usize = 1024;

impl Session {
    /// Fits a rig in the background.
    pub(super) fn fit(&self, order: FitOrder) -> Result<Work<Made>, Refusal> {
        let original = self.original()?.clone();
        let improved = order.improve.map(|id| self.version(id)).transpose()?;
        let job = Fit { start_rig: improved.map(|version| version.name.clone().into()), ..job(&order) };
        let given = improved.map(|version| given(version.rig()?, &order, &original)).transpose()?;
        check(&order, &job)?;
        Ok(Work::background("fit", move |progress| {
            let brought = Brought { rig: given, ..Brought::default() };
            let (shape, warnings) = fitted(&original, &job, brought, progress)?;
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
        let again = if order.improve.is_some() { ", refitted" } else { "" };
        let name = format!("{}, {bones} bones{kind}{again}", order.method.name());
        let version = self.new_version(name.clone(), Kind::Fit, order.method.name(), shape);
        let version = Version { parent: order.improve, ..version };
        self.warnings = warnings;
        let id = self.add(format!("fit {name}"), version);
        Answer::of(Made { version: id })
    }
}

/// The limits of the page; which choices go together is the job's to say.
fn check(order: &FitOrder, job: &Fit) -> Result<(), Refusal> {
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
    job.validate(None).map_err(|error| match error {
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

/// The rig that is improved, and what stays of it.
fn given(rig: &Rig, order: &FitOrder, animation: &MeshAnimation) -> Result<Given, Refusal> {
    if rig.frame_count() != animation.frames.len() || rig.rest.len() != animation.frames.vertex_count() {
        return Refusal::say("only a rig of the frames and vertices that were opened can be improved");
    }
    if let Some(bone) = order.lock.iter().find(|bone| **bone >= rig.bones.len()) {
        return Refusal::say(format!(
            "there is no bone {bone}: the rig has {}, counted from 0",
            rig.bones.len()
        ));
    }
    let (bones, locked_bones) = (rig.bones.clone(), order.lock.clone());
    Ok(Given { skin: Skin::from(rig.clone()), bones, locked_bones, locked_vertices: Vec::new() })
}

fn fitted(
    animation: &MeshAnimation,
    job: &Fit,
    brought: Brought,
    progress: &dyn Progress,
) -> Result<(Shape, Vec<String>), Refusal> {
    let fitted = job.run(animation, brought, &|rig| Ok(cost(animation, rig)), progress);
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
