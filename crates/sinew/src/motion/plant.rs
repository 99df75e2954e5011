//! Feet that stand where they stand in the source.
//!
//! A motion that was moved over has the source's turns, and steps as long as legs of another length make them: feet that
//! stood slide. Here each foot that stands in the source (`footsteps`) is kept from sliding, and the leg bends for it
//! (`leg_bend`):
//!
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
use super::figure::{Figure, Leg, share_of};
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
        Feet = "feet", "feet that stand in the source stand, and legs bend for them",
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
    /// How far a foot was moved at most, as a share of its leg.
    pub farthest: f64,
    /// How far the hips came down at most, as a share of a leg.
    pub lowered: f64,
}

/// A leg of the rig, and when its foot stands.
struct Planter {
    /// Bones of thigh, shin and foot, with all they carry.
    parts: [Vec<usize>; 3],
    /// The bones at hip, knee and ankle.
    ends: [usize; 3],
    steps: Vec<Range<usize>>,
    /// Shift of the foot, frame by frame.
    shifts: Vec<DVec3>,
    length: f64,
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
    let Some(skeleton) = moved.skeleton.clone() else { return Ok(Planted::default()) };
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
    let ground = ground(moved, &legs);
    legs.iter_mut().for_each(|leg| leg.find_shifts(moved, ground));
    legs.retain(|leg| !leg.steps.is_empty());
    progress.check()?;
    let mut out = Planted { legs: legs.len(), ..Planted::default() };
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
        if leg.ankle < 2 || steps.is_empty() {
            return None;
        }
        let (bones, frames) = (moved.bones.len(), moved.frame_count());
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

    fn pose(&self, bones: &[crate::rig::Bone], transforms: &[DAffine3]) -> LegPose {
        let [hip, knee, ankle] = self.ends.map(|bone| transforms[bone].transform_point3(bones[bone].center));
        LegPose { hip, knee, ankle }
    }

    /// Some vertices of the foot, with the bone that moves each most.
    fn points(&self, moved: &Rig) -> Vec<(DVec3, usize)> {
        let main = moved.weights.main_bones(moved.rest.len());
        let own: Vec<usize> = (0..main.len()).filter(|&v| self.parts[2].contains(&main[v])).collect();
        let point = |i: usize| (moved.rest[own[i]].as_dvec3(), main[own[i]]);
        match own.is_empty() {
            // A foot without a surface is where its joint is.
            true => vec![(moved.bones[self.ends[2]].center, self.ends[2])],
            false => evenly(own.len(), TUNING.planting.points).map(point).collect(),
        }
    }

    /// Finds the shifts that keep the foot where it stands, on the ground.
    fn find_shifts(&mut self, moved: &Rig, ground: f64) {
        let frames = moved.frame_count();
        let points = self.points(moved);
        let at = |frame: usize| -> Vec<DVec3> {
            let transforms = moved.frame_transforms(frame);
            points.iter().map(|(p, bone)| transforms[*bone].transform_point3(*p)).collect()
        };
        self.steps.iter_mut().for_each(|step| step.end = step.end.min(frames));
        let touch = TUNING.planting.touches * self.length;
        let mut known: Vec<Option<DVec3>> = vec![None; frames];
        let mut kept = Vec::new();
        for step in self.steps.iter().filter(|step| !step.is_empty()) {
            let mut shifts = vec![DVec3::ZERO; step.len()];
            let mut last = at(step.start);
            let mut heights = vec![lowest(&last)];
            for i in 1..step.len() {
                let now = at(step.start + i);
                let (mut slid, mut total) = (DVec3::ZERO, 0.0);
                let low = now.iter().zip(&last).map(|(p, q)| p.y + q.y).fold(f64::INFINITY, f64::min);
                for (p, q) in now.iter().zip(&last) {
                    let weight = (-0.5 * (p.y + q.y - low) / touch).exp();
                    slid += weight * (*p - *q);
                    total += weight;
                }
                shifts[i] = shifts[i - 1] - slid / total;
                heights.push(lowest(&now));
                last = now;
            }
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

fn lowest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

/// The ground that feet stand on: the height in the middle of those of all standing feet.
fn ground(moved: &Rig, legs: &[Planter]) -> f64 {
    let mut heights = Vec::new();
    for leg in legs {
        let points = leg.points(moved);
        for frame in leg.steps.iter().cloned().flatten().filter(|&frame| frame < moved.frame_count()) {
            let transforms = moved.frame_transforms(frame);
            let all: Vec<DVec3> =
                points.iter().map(|(p, bone)| transforms[*bone].transform_point3(*p)).collect();
            heights.push(lowest(&all));
        }
    }
    share_of(&mut heights, 0.5)
}

/// What is not known passes smoothly between what is.
fn filled(known: &[Option<DVec3>]) -> Vec<DVec3> {
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

/// How far the hips come down in each frame, for legs that do not reach otherwise.
fn lowered(moved: &Rig, legs: &[Planter]) -> Vec<f64> {
    let needed = |frame: usize| {
        let of_leg = |leg: &Planter| {
            let pose = leg.pose(&moved.bones, moved.frame_transforms(frame));
            let way = pose.ankle + leg.shifts[frame] - pose.hip;
            let reach = TUNING.planting.stretched * pose.length();
            let aside = way.x * way.x + way.z * way.z;
            let down = (-way.y - (reach * reach - aside).max(0.0).sqrt()).max(0.0);
            // Only for feet that stand.
            let stands = leg.steps.iter().any(|step| step.contains(&frame));
            if stands { down.min(TUNING.planting.most_give * leg.length) } else { 0.0 }
        };
        legs.iter().map(of_leg).fold(0.0, f64::max)
    };
    let needed: Vec<f64> = (0..moved.frame_count()).map(needed).collect();
    let reach = (TUNING.planting.give * moved.fps).round().max(1.0) as usize;
    let around = |all: &[f64], at: usize, fold: &dyn Fn(&[f64]) -> f64| {
        fold(&all[at.saturating_sub(reach)..(at + reach + 1).min(all.len())])
    };
    // The most of what is needed nearby, evened out over the same time: never less than what is needed.
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let widened: Vec<f64> = (0..needed.len()).map(|at| around(&needed, at, &most)).collect();
    (0..needed.len()).map(|at| around(&widened, at, &mean)).collect()
}

/// Takes the way over the ground out of a rig's motion: what is left stays about where it begins. Sway remains.
pub fn in_place(moved: &mut Rig) {
    let (bones, frames) = (moved.bones.len(), moved.frame_count());
    let Some(root) = moved.skeleton.as_ref().map_or(Some(0), |skeleton| skeleton.roots().next()) else {
        return;
    };
    let place = |frame: usize| {
        let at = moved.transforms[frame * bones + root].transform_point3(moved.bones[root].center);
        DVec3::new(at.x, 0.0, at.z)
    };
    let Some(last) = frames.checked_sub(1) else { return };
    let path: Vec<DVec3> = (0..frames).map(place).collect();
    // Beyond its ends it goes on as it goes before them.
    let at = |frame: isize| match usize::try_from(frame) {
        Err(_) => 2.0 * path[0] - path[frame.unsigned_abs().min(last)],
        Ok(frame) if frame > last => 2.0 * path[last] - path[(2 * last).saturating_sub(frame)],
        Ok(frame) => path[frame],
    };
    let reach = (0.5 * moved.fps).round() as isize;
    let mean = |frame: usize| {
        let around = (-reach..=reach).map(|by| at(frame as isize + by));
        around.sum::<DVec3>() / (2 * reach + 1) as f64
    };
    let smooth: Vec<DVec3> = (0..frames).map(mean).collect();
    for (frame, gone) in smooth.iter().enumerate() {
        let back = DAffine3::from_translation(path[0] - *gone);
        moved.transforms[frame * bones..(frame + 1) * bones].iter_mut().for_each(|t| *t = back * *t);
    }
}
