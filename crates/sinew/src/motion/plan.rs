//! What is decided once, before a motion is moved over.

use glam::{DAffine3, DVec3};

use super::align::{Alignment, RigPose, SourcePose, align, simplest};
use super::figure::{Body, Frame, worlds};
use super::placement::Placement;
use super::search::has_limbs;
use super::suggest::{Because, Suggestion, go_on_alike, suggest};
use super::{Mapping, Motion, TranslationOptions, TranslationSolver, TransplantError};
use crate::geometry::Bounds;
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
}

/// How a motion goes onto a rig.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The two poses that are the same.
    pub alignment: Alignment,
    /// Which joint each bone follows.
    pub mapping: Mapping,
    /// Why, for each bone; empty where the mapping was given.
    pub because: Vec<Because>,
    /// Transforms of the source's joints in its pose of the two.
    pub shared: Vec<DAffine3>,
    /// Mean angle between limbs of rig and source in the two poses, in degrees: from bones to those they hang
    /// on, where both sides have them. None where nothing hangs on anything.
    pub angle: Option<f64>,
}

impl Plan {
    /// Finds what is not given.
    pub fn new(rig: &Rig, motion: &Motion, options: &PlanOptions) -> Result<Self, TransplantError> {
        let solver = TranslationSolver::new(rig, &TranslationOptions::default())?;
        let mut alignment = align(rig, motion, options.source, options.rig)?;
        let as_it_stands = Alignment { placement: Placement::AS_IT_STANDS, ..alignment.clone() };
        if go_on_alike(rig, motion, &as_it_stands) {
            alignment = as_it_stands;
        }
        let Suggestion { mapping, because } = match &options.mapping {
            Some(mapping) => Suggestion { mapping: mapping.clone(), because: Vec::new() },
            None => suggest(rig, motion, &alignment),
        };
        mapping.check(rig, motion)?;
        if !alignment.by_names && alignment.placement != Placement::AS_IT_STANDS {
            alignment.placement = refined(rig, motion, &alignment, &mapping);
        }
        let angle = angle(rig, motion, &alignment, &mapping, solver.parents());
        let shared = worlds(motion, alignment.source).to_vec();
        Ok(Self { alignment, mapping, because, shared, angle })
    }
}

/// The placement that brings joints to the bones which follow them.
fn refined(rig: &Rig, motion: &Motion, alignment: &Alignment, mapping: &Mapping) -> Placement {
    let body = Body::of_bones(rig, alignment.rig);
    let frame = Frame::new(motion, alignment.source);
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
    let body = Body::of_bones(rig, alignment.rig);
    let frame = Frame::new(motion, alignment.source);
    let place = |joint: usize| match rig.skeleton {
        Some(_) => worlds(motion, alignment.source)[joint].translation,
        None => frame.middle(joint),
    };
    let turn = alignment.placement.turn();
    let limb = |bone: usize| {
        let parent = parents[bone]?;
        let (own, above) = (mapping.joints[bone]?, mapping.joints[parent]?);
        let theirs = (turn * (place(own) - place(above))).try_normalize()?;
        let ours = (body.places[bone] - body.places[parent]).try_normalize()?;
        Some(ours.dot(theirs).clamp(-1.0, 1.0).acos().to_degrees())
    };
    let angles: Vec<f64> = (0..parents.len()).filter_map(limb).collect();
    (!angles.is_empty()).then(|| angles.iter().sum::<f64>() / angles.len() as f64)
}
