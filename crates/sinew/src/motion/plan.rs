//! What is decided once, before a motion is moved over.

use glam::{DAffine3, DVec3};

use super::agreement::{limb_angles, mean_angle, places_of};
use super::align::align;
use super::called::called;
use super::error::TransplantError;
use super::facing::Facing;
use super::icp::{SkeletonPose, SurfacePose};
use super::paths::go_on_alike;
use super::placement::{Placement, simplest};
use super::plan_warning::PlanWarning;
use super::poses::{Alignment, RigPose, SourcePose, has_limbs, worlds};
use super::suggest::{MatchReason, Suggestion, suggest};
use super::tuning::TUNING;
use super::{Mapping, Motion, TranslationSolver, Translations};
use crate::geometry::Bounds;
use crate::progress::Progress;
use crate::rig::Rig;

/// What is known beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanOptions {
    /// The pose of the source that is that of the rig. Searched for without.
    pub source: Option<SourcePose>,
    /// The pose of the rig that is that of the source. Searched for without.
    pub rig: Option<RigPose>,
    /// Which joint each bone follows. Suggested without.
    pub mapping: Option<Mapping>,
    /// Which way the rig faces in its rest pose.
    pub facing: Facing,
}

/// How a motion goes onto a rig.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The two poses that are the same.
    pub alignment: Alignment,
    /// Which joint each bone follows.
    pub mapping: Mapping,
    /// Why, for each bone; empty where the mapping was given.
    pub reasons: Vec<MatchReason>,
    /// Transforms of the source's joints in its pose of the two.
    pub shared: Vec<DAffine3>,
    /// Mean angle between limbs of rig and source in the two poses, in degrees: from bones to those they hang
    /// on, where both sides have them, longer ones counting more. None where nothing hangs on anything.
    pub angle: Option<f64>,
    /// What bones are called: by their names, or by the parts of the body that they are where those tell nothing.
    pub(super) called: Vec<String>,
}

impl Plan {
    /// Finds what is not given.
    ///
    /// # Errors
    /// When rig or motion is not sound, a frame that was given is not there, the mapping does not fit, nothing can be
    /// laid over each other, or the listener cancels.
    pub fn new(
        rig: &Rig,
        motion: &Motion,
        options: &PlanOptions,
        progress: &dyn Progress,
    ) -> Result<Self, TransplantError> {
        progress.stage("aligning");
        rig.validate()?;
        motion.validate()?;
        let called = called(rig, motion, &progress.part(0.0, 0.1))?;
        let is_called = called.is_some();
        let rig = called.as_ref().unwrap_or(rig);
        let solver = TranslationSolver::new(rig, Translations::Auto, &progress.part(0.1, 0.2))?;
        let mut alignment =
            align(rig, motion, options.source, options.rig, options.facing, &progress.part(0.2, 0.9))?;
        let as_it_stands = Alignment { placement: Placement::AS_IT_STANDS, ..alignment.clone() };
        if go_on_alike(rig, motion, &as_it_stands, progress)? {
            alignment = as_it_stands;
        }
        let Suggestion { mapping, mut reasons } = match &options.mapping {
            Some(mapping) => Suggestion { mapping: mapping.clone(), reasons: Vec::new() },
            None => suggest(rig, motion, &alignment, &progress.part(0.9, 1.0))?,
        };
        if is_called {
            let by_body = reasons.iter_mut().filter(|reason| **reason == MatchReason::Name);
            by_body.for_each(|reason| *reason = MatchReason::Body);
        }
        mapping.check(rig, motion)?;
        if !alignment.by_names && alignment.placement != Placement::AS_IT_STANDS {
            alignment.placement = refined(rig, motion, &alignment, &mapping);
        }
        let angle = angle(rig, motion, &alignment, &mapping, solver.parents());
        let shared = worlds(motion, alignment.source).to_vec();
        let called = rig.bones.iter().map(|bone| bone.name.clone()).collect();
        Ok(Self { alignment, mapping, reasons, shared, angle, called })
    }

    /// What speaks against the two poses, if they were not both given.
    pub fn warnings(&self) -> Vec<PlanWarning> {
        let Alignment { apart: apart_percent, by_names, margin, .. } = self.alignment;
        let (bounds, angle_degrees, by_shape) = (TUNING.doubts, self.angle, !by_names);
        // Names tell what belongs together though bodies are unlike, but not that two poses are alike.
        let is_far = by_shape && apart_percent > bounds.poor_percent;
        let poor_degrees = if by_shape { bounds.poor_degrees } else { bounds.named_degrees };
        let is_poor = is_far || angle_degrees.is_some_and(|a| a > poor_degrees);
        let turned = self.alignment.placement.facing.to_degrees().rem_euclid(360.0);
        let degrees = turned.min(360.0 - turned);
        let poor = is_poor.then_some(PlanWarning::PoorAgreement { apart_percent, angle_degrees });
        // What legs and feet tell is no guess.
        let is_told = self.alignment.by_body;
        let far = (by_shape && !is_told && degrees > bounds.far_degrees)
            .then_some(PlanWarning::FacesElsewhere { degrees });
        let either = margin
            .filter(|margin| !is_told && *margin < bounds.either_percent)
            .map(|margin_percent| PlanWarning::EitherWay { margin_percent });
        let bones = self.reasons.iter().filter(|why| matches!(why, MatchReason::Shared(_))).count();
        let differ = (bones > 0).then_some(PlanWarning::LimbsDiffer { bones });
        [poor, far, either, differ].into_iter().flatten().collect()
    }
}

/// The placement that brings joints to the bones which follow them.
fn refined(rig: &Rig, motion: &Motion, alignment: &Alignment, mapping: &Mapping) -> Placement {
    let body = SurfacePose::of_bones(rig, alignment.rig);
    let frame = SkeletonPose::new(motion, alignment.source);
    let mut pairs: Vec<(DVec3, DVec3, f64)> = Vec::new();
    for (bone, joint) in mapping.joints.iter().enumerate() {
        pairs.extend(joint.map(|joint| (frame.middle(joint), body.places[bone], 1.0)));
    }
    let size = Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
    let apart = |placement: &Placement| {
        let sum: f64 = pairs.iter().map(|(q, p, _)| placement.apply(*q).distance_squared(*p)).sum();
        (sum / pairs.len() as f64).sqrt() / size
    };
    let Some(mut best) = Placement::fit(&pairs, None) else { return alignment.placement };
    if best.faces_the_same_way() && alignment.placement.facing == 0.0 {
        best = Placement::fit(&pairs, Some(0.0)).unwrap_or(best);
    }
    // Limbs have told already whether the source stands where the rig does.
    if has_limbs(motion) { best } else { simplest(best, apart).0 }
}

fn angle(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
    mapping: &Mapping,
    parents: &[Option<usize>],
) -> Option<f64> {
    let body = SurfacePose::of_bones(rig, alignment.rig);
    let turn = alignment.placement.turn();
    let theirs: Vec<DVec3> =
        places_of(rig, motion, alignment.source).into_iter().map(|place| turn * place).collect();
    let limbs = limb_angles(parents, mapping, |a, b| body.places[a] - body.places[b], &theirs);
    mean_angle(&limbs)
}
