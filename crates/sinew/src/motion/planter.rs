//! A leg of a rig that is to stand: its parts, its sole, and how far its foot is moved in each frame.

use std::ops::Range;

use glam::{DAffine3, DQuat, DVec3};

use super::figure::Leg;
use super::leg_bend::LegPose;
use super::tuning::TUNING;
use crate::animation::evenly;
use crate::rig::{Rig, Skeleton, blended};

/// A leg of the rig, and when its foot stands.
pub(super) struct Planter {
    /// Bones of thigh, shin and foot, with all they carry.
    parts: [Vec<usize>; 3],
    /// Hip, knee and ankle: a bone, and the place in the rest pose that it takes along.
    ends: [(usize, DVec3); 3],
    /// Vertices of the foot, or of the whole shin where it takes the foot along.
    sole: Vec<usize>,
    /// Frames in which the foot stands.
    pub steps: Vec<Range<usize>>,
    /// Shift of the foot, frame by frame.
    pub shifts: Vec<DVec3>,
    pub length: f64,
    /// Axis of the knee as the thigh has it, on average.
    axis: DVec3,
}

impl Planter {
    /// None where the foot never stands or the leg has no knee.
    pub fn new(moved: &Rig, skeleton: &Skeleton, leg: &Leg, steps: Vec<Range<usize>>) -> Option<Self> {
        let (bones, frames) = (moved.bones.len(), moved.frame_count());
        let whole = |step: Range<usize>| step.start..step.end.min(frames);
        let steps: Vec<Range<usize>> = steps.into_iter().map(whole).filter(|step| step.len() > 1).collect();
        if leg.ankle == 0 || leg.joints.len() < 2 || steps.is_empty() {
            return None;
        }
        let hip = leg.joints[0];
        let knee = knee(moved, leg);
        let ankle = Some(leg.joints[leg.ankle]).filter(|&ankle| ankle != knee);
        let carries = |joint: usize, bone: usize| {
            std::iter::successors(Some(bone), |&bone| skeleton.parents[bone]).any(|above| above == joint)
        };
        let mut parts: [Vec<usize>; 3] = Default::default();
        for bone in (0..bones).filter(|&bone| carries(hip, bone)) {
            let is_foot = ankle.is_some_and(|ankle| carries(ankle, bone));
            parts[usize::from(carries(knee, bone)) + usize::from(is_foot)].push(bone);
        }
        let sole = sole(moved, &parts);
        let at = |bone: usize| (bone, moved.bones[bone].center);
        let end = ankle.map_or_else(|| (knee, end_of(moved, &sole, knee)), at);
        let mut made = Self {
            parts,
            ends: [at(hip), at(knee), end],
            sole,
            steps,
            shifts: vec![DVec3::ZERO; frames],
            length: 0.0,
            axis: DVec3::ZERO,
        };
        for frame in 0..frames {
            let transforms = moved.frame_transforms(frame);
            let pose = made.pose(transforms);
            made.length = made.length.max(pose.length());
            made.axis += turn_of(&transforms[hip]).inverse() * pose.axis();
        }
        (made.length > 0.0).then_some(made)
    }

    pub fn pose(&self, transforms: &[DAffine3]) -> LegPose {
        let [hip, knee, ankle] = self.ends.map(|(bone, at)| transforms[bone].transform_point3(at));
        LegPose { hip, knee, ankle }
    }

    /// Brings the ankle to a place.
    pub fn bend(&self, transforms: &mut [DAffine3], ankle: DVec3) {
        let pose = self.pose(transforms);
        let usual = turn_of(&transforms[self.ends[0].0]) * self.axis;
        let bent = pose.bent_to(ankle, usual);
        let foot = DAffine3::from_translation(bent.ankle - pose.ankle);
        for (part, by) in self.parts.iter().zip([bent.thigh, bent.shin, foot]) {
            part.iter().for_each(|&bone| transforms[bone] = by * transforms[bone]);
        }
    }

    /// What may touch the ground, in a frame.
    pub fn sole_in(&self, moved: &Rig, frame: usize) -> Vec<DVec3> {
        let transforms = moved.frame_transforms(frame);
        // A foot without a surface is where its joint is.
        if self.sole.is_empty() {
            return vec![self.pose(transforms).ankle];
        }
        let at =
            |&v: &usize| blended(&moved.weights, transforms, v).transform_point3(moved.rest[v].as_dvec3());
        self.sole.iter().map(at).collect()
    }

    /// How far what touches the ground slides from each frame of a step to the next.
    pub fn slides(&self, moved: &Rig, step: &Range<usize>) -> Vec<DVec3> {
        let touch = TUNING.planting.touches * self.length;
        let all: Vec<Vec<DVec3>> = step.clone().map(|frame| self.sole_in(moved, frame)).collect();
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

    /// Adds to the shifts what keeps the foot where it stands, on the ground. In the first round steps for which it would
    /// have to go too far are given up.
    pub fn find_shifts(&mut self, moved: &Rig, ground: f64, is_first: bool) {
        let most = TUNING.planting.farthest * self.length;
        let mut known: Vec<Option<DVec3>> = vec![None; self.shifts.len()];
        let mut kept = Vec::new();
        for step in &self.steps {
            let mut shifts = vec![DVec3::ZERO; step.len()];
            for (i, slid) in self.slides(moved, step).into_iter().enumerate() {
                shifts[i + 1] = shifts[i] - slid;
            }
            let middle = shifts.iter().sum::<DVec3>() / shifts.len() as f64;
            for (shift, frame) in shifts.iter_mut().zip(step.clone()) {
                *shift -= middle;
                shift.y = ground - lowest(&self.sole_in(moved, frame));
                *shift = (self.shifts[frame] + *shift).clamp_length_max(most);
            }
            if !is_first || shifts.iter().all(|shift| shift.length() < most) {
                known[step.clone()].iter_mut().zip(shifts).for_each(|(known, shift)| *known = Some(shift));
                kept.push(step.clone());
            }
        }
        self.steps = kept;
        self.shifts = filled(&known);
    }
}

/// The joint of a leg that is farthest aside of the way from hip to ankle, the first below the hip if nothing is.
fn knee(moved: &Rig, leg: &Leg) -> usize {
    let place = |frame: usize, i: usize| {
        let bone = leg.joints[i];
        moved.frame_transforms(frame)[bone].transform_point3(moved.bones[bone].center)
    };
    let aside = |i: usize| {
        let of_frame = |frame: usize| {
            let (a, b, c) = (place(frame, 0), place(frame, i), place(frame, leg.ankle));
            (b - a).cross(c - b).length()
        };
        evenly(moved.frame_count(), TUNING.figure.poses).map(of_frame).sum::<f64>()
    };
    let between = (1..leg.ankle).max_by(|&a, &b| aside(a).total_cmp(&aside(b)));
    leg.joints[between.unwrap_or(1)]
}

/// Some vertices of the foot; of shin and foot, as a boot may be both.
fn sole(moved: &Rig, parts: &[Vec<usize>; 3]) -> Vec<usize> {
    let main = moved.weights.main_bones(moved.rest.len());
    let of = |parts: &[Vec<usize>]| -> Vec<usize> {
        (0..main.len()).filter(|&v| parts.iter().any(|part| part.contains(&main[v]))).collect()
    };
    let own = of(&parts[1..]);
    evenly(own.len(), TUNING.planting.points).map(|i| own[i]).collect()
}

/// Where a bone ends that takes the foot along: among the third of some vertices that is farthest from its joint.
fn end_of(moved: &Rig, vertices: &[usize], bone: usize) -> DVec3 {
    let center = moved.bones[bone].center;
    let mut places: Vec<DVec3> = vertices.iter().map(|&v| moved.rest[v].as_dvec3()).collect();
    places.sort_by(|a, b| b.distance_squared(center).total_cmp(&a.distance_squared(center)));
    places.truncate(places.len().div_ceil(3));
    match places.len() {
        0 => center,
        count => places.iter().sum::<DVec3>() / count as f64,
    }
}

fn turn_of(transform: &DAffine3) -> DQuat {
    DQuat::from_mat3(&transform.matrix3).normalize()
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
