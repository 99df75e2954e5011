//! When feet of a source stand.
//!
//! A foot stands while some point of it is low and slow, and goes on standing until it is clearly neither: two
//! thresholds each, so that noise does not make steps. Heel and toe are looked at each for itself, since a foot that
//! rolls over has always one of the two at rest.

use std::ops::Range;

use glam::DVec3;

use super::Motion;
use super::figure::{Leg, share_of};
use super::tuning::TUNING;

/// Frames in which the foot of a leg stands, in order.
pub(super) fn footsteps(motion: &Motion, leg: &Leg) -> Vec<Range<usize>> {
    let frames = motion.frame_count();
    let places: Vec<Vec<DVec3>> = (0..frames).map(|frame| points(motion, leg, frame)).collect();
    let long = length(motion, leg);
    let seconds = 1.0 / motion.fps;
    if frames < 3 || long <= 0.0 {
        return Vec::new();
    }
    let count = places[0].len();
    // What is at rest on one side of a frame stands in it: so does a foot in the last frame before it goes.
    let speed = |point: usize, frame: usize| {
        let to = |other: usize| places[other][point].distance(places[frame][point]) / seconds;
        let before = frame.checked_sub(1).map_or(f64::INFINITY, to);
        before.min(if frame + 1 < frames { to(frame + 1) } else { f64::INFINITY })
    };
    // Of each point the greatest speed and the lowest height, but for some frames that may be faults.
    let of_point = |point: usize| {
        let mut speeds: Vec<f64> = (0..frames).map(|frame| speed(point, frame)).collect();
        let mut heights: Vec<f64> = places.iter().map(|at| at[point].y).collect();
        (share_of(&mut speeds, 0.95), share_of(&mut heights, 0.05))
    };
    let known: Vec<(f64, f64)> = (0..count).map(of_point).collect();
    let stands = |frame: usize, level: usize| {
        let t = TUNING.planting;
        (0..count).any(|point| {
            let (fastest, lowest) = known[point];
            let slow = (t.slow[level] * fastest).max(t.creeps[level] * long);
            speed(point, frame) < slow && places[frame][point].y - lowest < t.low[level] * long
        })
    };
    let mut steps: Vec<Range<usize>> = Vec::new();
    let mut begun = None;
    for frame in 0..=frames {
        let level = usize::from(begun.is_some());
        match (frame < frames && stands(frame, level), begun) {
            (true, None) => begun = Some(frame),
            (false, Some(from)) => {
                steps.push(from..frame);
                begun = None;
            }
            _ => {}
        }
    }
    let shortest = (TUNING.planting.shortest * motion.fps).round().max(2.0) as usize;
    let mut out: Vec<Range<usize>> = Vec::new();
    for step in steps {
        match out.last_mut() {
            Some(last) if step.start - last.end < shortest => last.end = step.end,
            _ => out.push(step),
        }
    }
    out.retain(|step| step.len() >= shortest);
    out
}

/// Ankle, what is below it, and where the foot ends.
fn points(motion: &Motion, leg: &Leg, frame: usize) -> Vec<DVec3> {
    let worlds = motion.frame(frame);
    let mut out: Vec<DVec3> =
        leg.joints[leg.ankle..].iter().map(|&joint| worlds[joint].translation).collect();
    let last = leg.joints[leg.joints.len() - 1];
    out.extend(motion.joints[last].tip.map(|tip| worlds[last].transform_point3(tip)));
    out
}

/// From the first joint of a leg to its ankle, along its bones.
fn length(motion: &Motion, leg: &Leg) -> f64 {
    let place = |i: usize| motion.bind[leg.joints[i]].translation;
    (1..=leg.ankle).map(|i| place(i).distance(place(i - 1))).sum()
}
