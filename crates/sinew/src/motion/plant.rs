//! Feet that stand where they stand in the source.
//!
//! A motion that was moved over has the source's turns, and steps as long as legs of another length make them: feet that
//! stood slide. Here each foot that stands in the source (`footsteps`) is kept from sliding, and the leg bends for it
//! (`leg_bend`):
//!
//! - The body goes as far as its own steps are long: legs that bend through the same angles make steps as long as
//!   they are, whatever the height of the hips says, and what slides after that is little.
//! - It is as high over the ground as the legs that stand carry it.
//! - What must not slide are the points of the foot that touch the ground, frame by frame: a foot may roll from heel to
//!   toe. The shifts that undo their sliding add up to the way of the foot while it stands, and that is laid so that the
//!   foot is moved least. A sole that goes with the shin turns as the leg bends, so what is left is looked at
//!   again a few times.
//! - Between two steps the shift passes smoothly from that of the one to that of the other.
//! - Where a leg does not reach, the hips come down, and go up again over some time.
//!
//! The foot keeps its turn in the world. Nothing happens to a rig without a skeleton, whose bones
//! hang together otherwise.

use glam::DAffine3;

use super::Motion;
use super::bone_tree::BoneTree;
use super::figure::{Figure, Leg};
use super::footing::{fit_stride, ground, lowered, stand_on};
use super::footsteps::footsteps;
use super::planter::Planter;
use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

crate::choices! {
    /// What becomes of feet that stand in the source.
    #[derive(Default)]
    pub enum Plant: "way of feet" {
        /// They stand.
        #[default]
        Feet = "feet", "feet that stand in the source stand: the body goes as far as its steps are long, and legs bend",
        /// They go as the turns of the legs take them.
        None = "none", "feet go as the turns of the legs take them",
    }
}

/// What was kept in place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Planted {
    /// Legs whose feet were.
    pub legs: usize,
    /// Times that a foot stands.
    pub steps: usize,
    /// How many times as far the body goes so that feet slide least.
    pub stride: f64,
    /// How far a foot was moved at most, as a share of its leg.
    pub farthest: f64,
    /// How far the hips came down at most, as a share of a leg.
    pub lowered: f64,
}

impl Default for Planted {
    fn default() -> Self {
        Self { legs: 0, steps: 0, stride: 1.0, farthest: 0.0, lowered: 0.0 }
    }
}

/// Keeps feet of a rig where they stand in the source; `moved` has the frames of `motion`, `rig` those it came with, and
/// `followed` names the joint of each bone.
///
/// # Errors
/// [`Cancelled`] when the listener says so; `moved` is of no use then.
pub fn plant(
    moved: &mut Rig,
    rig: &Rig,
    motion: &Motion,
    followed: &[usize],
    progress: &dyn Progress,
) -> Result<Planted, Cancelled> {
    let Some(skeleton) = moved.skeleton.clone() else { return Ok(Planted::default()) };
    let limbs = BoneTree::new(rig, progress)?;
    let theirs = Figure::of_source(motion).legs();
    let planter = |leg: &Leg| {
        let joint = source_leg(leg, &theirs, followed)?;
        Planter::new(moved, &skeleton, leg, footsteps(motion, joint))
    };
    let mut legs: Vec<Planter> = Figure::of_rig(rig, &limbs).legs().iter().filter_map(planter).collect();
    progress.check()?;
    let stride = fit_stride(moved, &legs);
    let ground = ground(moved, &legs);
    stand_on(moved, &legs, ground);
    let before = moved.transforms.clone();
    let mut hips = Vec::new();
    for round in 0..TUNING.planting.rounds {
        progress.check()?;
        legs.iter_mut().for_each(|leg| leg.find_shifts(moved, ground, round == 0));
        moved.transforms.clone_from(&before);
        hips = lowered(moved, &legs);
        bend(moved, &legs, &hips);
    }
    legs.retain(|leg| !leg.steps.is_empty());
    let lowest = hips.iter().copied().fold(0.0, f64::max);
    let mut out = Planted { legs: legs.len(), stride, ..Planted::default() };
    for leg in &legs {
        let farthest = leg.shifts.iter().map(|shift| shift.length()).fold(0.0, f64::max);
        out.steps += leg.steps.len();
        out.farthest = out.farthest.max(farthest / leg.length);
        out.lowered = out.lowered.max(lowest / leg.length);
    }
    Ok(out)
}

/// Puts hips down and feet where their shifts take them.
fn bend(moved: &mut Rig, legs: &[Planter], lowered: &[f64]) {
    let bones = moved.bones.len();
    for (frame, transforms) in moved.transforms.chunks_exact_mut(bones).enumerate() {
        let wanted: Vec<_> = legs.iter().map(|leg| leg.pose(transforms).ankle + leg.shifts[frame]).collect();
        let down = DAffine3::from_translation(-glam::DVec3::Y * lowered[frame]);
        transforms.iter_mut().for_each(|t| *t = down * *t);
        legs.iter().zip(wanted).for_each(|(leg, ankle)| leg.bend(transforms, ankle));
    }
}

/// The leg of a source that most bones of a rig's leg follow.
fn source_leg<'a>(leg: &Leg, theirs: &'a [Leg], followed: &[usize]) -> Option<&'a Leg> {
    let shared =
        |other: &&Leg| leg.joints.iter().filter(|&&bone| other.joints.contains(&followed[bone])).count();
    theirs.iter().max_by_key(shared).filter(|other| shared(other) > 0)
}
