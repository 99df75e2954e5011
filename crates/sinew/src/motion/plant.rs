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
//!   foot is moved least.
//! - Between two steps the shift passes smoothly from that of the one to that of the other.
//! - Where a leg does not reach, the hips come down, and go up again over some time.
//!
//! The foot keeps its turn in the world. Nothing happens to a rig without a skeleton, whose bones
//! hang together otherwise.

use std::ops::Range;

use glam::{DAffine3, DQuat, DVec3};

use super::Motion;
use super::bone_tree::BoneTree;
use super::figure::{Figure, Leg};
use super::footing::{fit_stride, ground, lowered, stand_on};
use super::footsteps::footsteps;
use super::leg_bend::LegPose;
use super::tuning::TUNING;
use crate::animation::evenly;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Rig, Skeleton};

crate::choices! {
    /// What becomes of feet that stand in the source.
    #[derive(Default)]
    pub enum Plant: "way of feet" {
        /// They stand.
        #[default]
        Feet = "feet", "feet that stand in the source stand: the body goes as far as its steps are long, and legs bend",
        /// They go as the turns of the legs take them.
        Off = "off", "feet go as the turns of the legs take them",
    }
}

/// What was kept in place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// A leg of the rig, and when its foot stands.
pub(super) struct Planter {
    /// Bones of thigh, shin and foot, with all they carry.
    parts: [Vec<usize>; 3],
    /// The bones at hip, knee and ankle.
    ends: [usize; 3],
    pub steps: Vec<Range<usize>>,
    /// Shift of the foot, frame by frame.
    pub shifts: Vec<DVec3>,
    pub length: f64,
    /// Axis of the knee as the thigh has it, on average.
    axis: DVec3,
}

/// Keeps feet of a rig where they stand in the source; `moved` has the frames of `motion`, `rig` those it came with, and
/// `followed` names the joint of each bone.
///
/// # Errors
/// [`Cancelled`] when the listener says so.
pub fn plant(
    moved: &mut Rig,
    rig: &Rig,
    motion: &Motion,
    followed: &[usize],
    progress: &dyn Progress,
) -> Result<Planted, Cancelled> {
    let Some(skeleton) = moved.skeleton.clone() else {
        return Ok(Planted { stride: 1.0, ..Planted::default() });
    };
    let limbs = BoneTree::new(rig, progress)?;
    let theirs = Figure::of_source(motion).legs();
    let mut legs: Vec<Planter> = Figure::of_rig(rig, &limbs)
        .legs()
        .iter()
        .filter_map(|leg| {
            let joint = source_leg(leg, &theirs, followed)?;
            Planter::new(moved, &skeleton, leg, footsteps(motion, joint))
        })
        .collect();
    progress.check()?;
    let stride = fit_stride(moved, &legs);
    let ground = ground(moved, &legs);
    stand_on(moved, &legs, ground);
    legs.iter_mut().for_each(|leg| leg.find_shifts(moved, ground));
    legs.retain(|leg| !leg.steps.is_empty());
    progress.check()?;
    let mut out = Planted { legs: legs.len(), stride, ..Planted::default() };
    let lowered = lowered(moved, &legs);
    let bones = moved.bones.len();
    for (frame, down) in lowered.iter().enumerate() {
        let transforms = &mut moved.transforms[frame * bones..(frame + 1) * bones];
        let by = DAffine3::from_translation(DVec3::NEG_Y * *down);
        let before: Vec<DAffine3> = transforms.to_vec();
        transforms.iter_mut().for_each(|t| *t = by * *t);
        for leg in &legs {
            let ankle = before[leg.ends[2]].transform_point3(moved.bones[leg.ends[2]].center);
            let pose = leg.pose(&moved.bones, transforms);
            let usual = turn_of(&transforms[leg.ends[0]]) * leg.axis;
            let bent = pose.bent_to(ankle + leg.shifts[frame], usual);
            let foot = DAffine3::from_translation(bent.ankle - pose.ankle);
            for (part, by) in leg.parts.iter().zip([bent.thigh, bent.shin, foot]) {
                part.iter().for_each(|&bone| transforms[bone] = by * transforms[bone]);
            }
        }
    }
    for leg in &legs {
        out.steps += leg.steps.len();
        let farthest = leg.shifts.iter().map(|shift| shift.length()).fold(0.0, f64::max);
        out.farthest = out.farthest.max(farthest / leg.length);
        let lowest = lowered.iter().copied().fold(0.0, f64::max);
        out.lowered = out.lowered.max(lowest / leg.length);
    }
    Ok(out)
}

/// The leg of a source that most bones of a rig's leg follow.
fn source_leg<'a>(leg: &Leg, theirs: &'a [Leg], followed: &[usize]) -> Option<&'a Leg> {
    let shared =
        |other: &&Leg| leg.joints.iter().filter(|&&bone| other.joints.contains(&followed[bone])).count();
    theirs.iter().max_by_key(shared).filter(|other| shared(other) > 0)
}

fn turn_of(transform: &DAffine3) -> DQuat {
    DQuat::from_mat3(&transform.matrix3).normalize()
}

impl Planter {
    fn new(moved: &Rig, skeleton: &Skeleton, leg: &Leg, steps: Vec<Range<usize>>) -> Option<Self> {
        let (bones, frames) = (moved.bones.len(), moved.frame_count());
        let whole = |step: Range<usize>| step.start..step.end.min(frames);
        let steps: Vec<Range<usize>> = steps.into_iter().map(whole).filter(|step| !step.is_empty()).collect();
        if leg.ankle < 2 || steps.is_empty() {
            return None;
        }
        let (hip, ankle) = (leg.joints[0], leg.joints[leg.ankle]);
        let place = |frame: usize, bone: usize| {
            moved.transforms[frame * bones + bone].transform_point3(moved.bones[bone].center)
        };
        // The knee is what is farthest aside of the way from hip to ankle, the middle if nothing is.
        let aside = |i: usize| {
            let knee = leg.joints[i];
            let of_frame = |frame: usize| {
                let (a, b, c) = (place(frame, hip), place(frame, knee), place(frame, ankle));
                (b - a).cross(c - b).length()
            };
            evenly(frames, TUNING.figure.poses).map(of_frame).sum::<f64>()
        };
        let knee = leg.joints[(1..leg.ankle).max_by(|&a, &b| aside(a).total_cmp(&aside(b)))?];
        let carries = |joint: usize, bone: usize| {
            std::iter::successors(Some(bone), |&bone| skeleton.parents[bone]).any(|above| above == joint)
        };
        let mut parts: [Vec<usize>; 3] = Default::default();
        for bone in (0..bones).filter(|&bone| carries(hip, bone)) {
            parts[usize::from(carries(knee, bone)) + usize::from(carries(ankle, bone))].push(bone);
        }
        let mut made = Self {
            parts,
            ends: [hip, knee, ankle],
            steps,
            shifts: Vec::new(),
            length: 0.0,
            axis: DVec3::ZERO,
        };
        for frame in 0..frames {
            let transforms = moved.frame_transforms(frame);
            let pose = made.pose(&moved.bones, transforms);
            made.length = pose.length();
            made.axis += turn_of(&transforms[hip]).inverse() * pose.axis();
        }
        (made.length > 0.0).then_some(made)
    }

    pub fn pose(&self, bones: &[crate::rig::Bone], transforms: &[DAffine3]) -> LegPose {
        let [hip, knee, ankle] = self.ends.map(|bone| transforms[bone].transform_point3(bones[bone].center));
        LegPose { hip, knee, ankle }
    }

    /// Some vertices of the foot, with the bone that moves each most.
    pub fn points(&self, moved: &Rig) -> Vec<(DVec3, usize)> {
        let main = moved.weights.main_bones(moved.rest.len());
        let own: Vec<usize> = (0..main.len()).filter(|&v| self.parts[2].contains(&main[v])).collect();
        let point = |i: usize| (moved.rest[own[i]].as_dvec3(), main[own[i]]);
        match own.is_empty() {
            // A foot without a surface is where its joint is.
            true => vec![(moved.bones[self.ends[2]].center, self.ends[2])],
            false => evenly(own.len(), TUNING.planting.points).map(point).collect(),
        }
    }

    /// How far what touches the ground slides from each frame of a step to the next.
    pub fn slides(&self, moved: &Rig, points: &[(DVec3, usize)], step: &Range<usize>) -> Vec<DVec3> {
        let touch = TUNING.planting.touches * self.length;
        let all: Vec<Vec<DVec3>> = step.clone().map(|frame| posed(moved, points, frame)).collect();
        let slid = |pair: &[Vec<DVec3>]| {
            let both = || pair[0].iter().zip(&pair[1]);
            let low = both().map(|(p, q)| p.y + q.y).fold(f64::INFINITY, f64::min);
            let (mut slid, mut total) = (DVec3::ZERO, 0.0);
            for (was, now) in both() {
                let weight = (-0.5 * (was.y + now.y - low) / touch).exp();
                slid += weight * (*now - *was);
                total += weight;
            }
            slid / total
        };
        all.windows(2).map(slid).collect()
    }

    /// Finds the shifts that keep the foot where it stands, on the ground.
    fn find_shifts(&mut self, moved: &Rig, ground: f64) {
        let frames = moved.frame_count();
        let points = self.points(moved);
        let mut known: Vec<Option<DVec3>> = vec![None; frames];
        let mut kept = Vec::new();
        for step in &self.steps {
            let mut shifts = vec![DVec3::ZERO; step.len()];
            for (i, slid) in self.slides(moved, &points, step).into_iter().enumerate() {
                shifts[i + 1] = shifts[i] - slid;
            }
            let heights = step.clone().map(|frame| lowest(&posed(moved, &points, frame)));
            let middle = shifts.iter().sum::<DVec3>() / shifts.len() as f64;
            for (shift, height) in shifts.iter_mut().zip(heights) {
                *shift -= middle;
                shift.y = ground - height;
            }
            let farthest = shifts.iter().map(|shift| shift.length()).fold(0.0, f64::max);
            if farthest < TUNING.planting.farthest * self.length {
                known[step.clone()].iter_mut().zip(shifts).for_each(|(known, shift)| *known = Some(shift));
                kept.push(step.clone());
            }
        }
        self.steps = kept;
        self.shifts = filled(&known);
    }
}

/// Points of bones in a frame.
pub(super) fn posed(moved: &Rig, points: &[(DVec3, usize)], frame: usize) -> Vec<DVec3> {
    let transforms = moved.frame_transforms(frame);
    points.iter().map(|(p, bone)| transforms[*bone].transform_point3(*p)).collect()
}

pub(super) fn lowest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

/// What is not known passes smoothly between what is.
pub(super) fn filled(known: &[Option<DVec3>]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; known.len()];
    let given: Vec<(usize, DVec3)> =
        known.iter().enumerate().filter_map(|(at, shift)| Some((at, (*shift)?))).collect();
    for (at, out) in out.iter_mut().enumerate() {
        let after = given.partition_point(|entry| entry.0 < at);
        *out = match (after.checked_sub(1).map(|before| given[before]), given.get(after)) {
            (Some((from, a)), Some(&(to, b))) => {
                let x = (at - from) as f64 / (to - from) as f64;
                a.lerp(b, x * x * (3.0 - 2.0 * x))
            }
            (Some((_, shift)), None) | (None, Some(&(_, shift))) => shift,
            (None, None) => DVec3::ZERO,
        };
    }
    out
}
