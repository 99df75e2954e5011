//! How the creature walks: where every bone is at each moment of the loop.
//!
//! Feet follow a path of their own, on the ground for most of the stride, and the legs reach for them
//! (two-bone inverse kinematics); everything else swings with the stride. The loop holds two strides,
//! one slow look around and one breath.

use std::f64::consts::TAU;

use glam::{DAffine3, DMat3, DVec3};

use crate::skeleton::{Bone, LEGS, Leg, turn};

/// Strides in the loop.
const STRIDES: f64 = 2.0;
/// How far a foot travels on the ground, in metres.
const STRIDE: f64 = 0.30;
/// Part of a stride that a foot is on the ground.
const DUTY: f64 = 0.62;
const LIFT: f64 = 0.085;
/// How much lower than at rest the body is carried, which gives the legs their reach.
const CROUCH: f64 = 0.028;

/// A moment of the loop.
pub(super) struct Moment {
    /// Transform of each bone, from the rest pose.
    pub bones: Vec<DAffine3>,
    /// How far each knee is bent beyond rest, in radians, legs in order.
    pub knees: [f64; 4],
    /// Where the loop is, from 0 to 1.
    pub time: f64,
}

/// The pose at `time`, from 0 to 1 through the loop.
pub(super) fn walking(bones: &[Bone], time: f64) -> Moment {
    let mut moment = Moment { bones: Vec::with_capacity(bones.len()), knees: [0.0; 4], time };
    for bone in bones {
        let local = DAffine3::from_mat3(swing(&bone.name, time));
        let turned = DAffine3::from_translation(bone.head) * local * DAffine3::from_translation(-bone.head);
        let parent = match bone.parent {
            Some(parent) => moment.bones[parent],
            None => DAffine3::from_translation(bob(time)),
        };
        moment.bones.push(parent * turned);
    }
    for (i, leg) in LEGS.iter().enumerate() {
        moment.knees[i] = step(bones, leg, time, &mut moment.bones);
    }
    moment
}

/// A wave of the stride: `cycles` per stride, starting `phase` of a cycle late.
fn wave(time: f64, cycles: f64, phase: f64) -> f64 {
    (TAU * (STRIDES * cycles * time - phase)).sin()
}

/// A wave of the whole loop.
fn slow(time: f64, phase: f64) -> f64 {
    (TAU * (time - phase)).sin()
}

/// The body rises over each standing leg, twice a stride, and leans over it.
fn bob(time: f64) -> DVec3 {
    DVec3::new(
        0.014 * wave(time, 1.0, 0.05),
        -CROUCH + 0.011 * wave(time, 2.0, 0.10),
        0.008 * wave(time, 2.0, 0.35),
    )
}

/// How a bone turns about its head, relative to its parent. Legs are placed by their feet instead.
fn swing(name: &str, time: f64) -> DMat3 {
    let turned = |pitch: f64, yaw: f64, roll: f64| {
        DMat3::from_rotation_y(yaw) * DMat3::from_rotation_x(pitch) * DMat3::from_rotation_z(roll)
    };
    let w = |cycles, phase| wave(time, cycles, phase);
    if let Some(number) = name.strip_prefix("tail.").and_then(|n| n.parse::<f64>().ok()) {
        let yaw = (0.07 + 0.022 * number) * w(1.0, 0.11 * number) + 0.05 * slow(time, 0.06 * number);
        return turned(0.03 * w(2.0, 0.09 * number) + 0.012 * number * slow(time, 0.3), yaw, 0.0);
    }
    match name {
        "pelvis" => turned(0.018 * w(2.0, 0.3), 0.060 * w(1.0, 0.25), 0.045 * w(1.0, 0.0)),
        "chest" => turned(-0.022 * w(2.0, 0.2), -0.095 * w(1.0, 0.25), -0.075 * w(1.0, 0.05)),
        "neck.1" => turned(0.045 * w(2.0, 0.05), 0.05 * w(1.0, 0.30) + 0.09 * slow(time, 0.0), 0.0),
        "neck.2" => turned(0.050 * w(2.0, 0.17), 0.10 * slow(time, 0.04), 0.02 * w(1.0, 0.1)),
        "neck.3" => turned(-0.040 * w(2.0, 0.12), 0.12 * slow(time, 0.08), 0.03 * w(1.0, 0.2)),
        "head" => turned(
            -0.060 * w(2.0, 0.02) + 0.05 * slow(time, 0.2),
            0.15 * slow(time, 0.12),
            0.07 * slow(time, 0.18) + 0.02 * w(1.0, 0.0),
        ),
        _ => DMat3::IDENTITY,
    }
}

/// Where a foot is in its stride: forward and upward from its place at rest, and its pitch.
fn foot_path(leg: &Leg, time: f64) -> (f64, f64, f64) {
    let s = (STRIDES * time - leg.phase).rem_euclid(1.0);
    if s < DUTY {
        return (STRIDE * (0.5 - s / DUTY), 0.0, 0.0);
    }
    let s = (s - DUTY) / (1.0 - DUTY);
    // A cubic that leaves and meets the ground at the speed of the ground.
    let speed = -STRIDE * (1.0 - DUTY) / DUTY;
    let smooth = s * s * (3.0 - 2.0 * s);
    let forward = STRIDE * (smooth - 0.5) + speed * (s * (1.0 - s) * (1.0 - 2.0 * s));
    let air = (std::f64::consts::PI * s).sin();
    (forward, LIFT * air * air * (1.25 - 0.5 * s), 1.25 * air * air * (0.42 - s))
}

/// Places the bones of one leg so that its foot is on its path. Returns how far the knee is bent beyond
/// rest.
fn step(bones: &[Bone], leg: &Leg, time: f64, transforms: &mut [DAffine3]) -> f64 {
    let [thigh, shin, foot] = leg.bone_names().map(|n| bones.iter().position(|b| b.name == n).unwrap_or(0));
    let root = transforms[bones[thigh].parent.unwrap_or(0)];
    let [hip, knee, ankle, _] = leg.joints.map(|j| leg.mirror(j));
    let (upper, lower) = (hip.distance(knee), knee.distance(ankle));
    let (forward, up, pitch) = foot_path(leg, time);
    let from = root.transform_point3(hip);
    let mut target = ankle + DVec3::new(0.0, up, forward);
    let reach = (0.998 * (upper + lower)).min(from.distance(target));
    target = from + reach * (target - from).normalize();
    let bent = bend(from, target, upper, lower, leg.knee * DVec3::Z);
    let side = root.matrix3 * DVec3::X;
    let place = |rest: DVec3, now: DVec3, rotation: DMat3| {
        DAffine3::from_mat3_translation(rotation, now - rotation * rest)
    };
    transforms[thigh] = place(hip, from, turn(knee - hip, bent - from, side));
    transforms[shin] = place(knee, bent, turn(ankle - knee, target - bent, side));
    transforms[foot] = place(ankle, target, DMat3::from_rotation_x(pitch));
    let angle = |a: DVec3, b: DVec3, c: DVec3| (b - a).angle_between(c - b);
    angle(from, bent, target) - angle(hip, knee, ankle)
}

/// The knee between two places: two sides of a triangle, towards `pole`.
fn bend(from: DVec3, to: DVec3, upper: f64, lower: f64, pole: DVec3) -> DVec3 {
    let d = from.distance(to);
    let along = (to - from) / d;
    let a = (upper * upper - lower * lower + d * d) / (2.0 * d);
    let height = (upper * upper - a * a).max(0.0).sqrt();
    from + a * along + height * (pole - pole.dot(along) * along).normalize()
}
