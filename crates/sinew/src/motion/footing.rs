//! Where the body is over the feet that stand: how far it goes, and how high its hips are.

use glam::{DAffine3, DVec3};

use super::figure::share_of;
use super::planter::{Planter, filled, lowest};
use super::tuning::TUNING;
use crate::rig::Rig;

/// Makes the body go as far as its steps are long: so many times as far over the ground that feet which stand slide
/// least. Returns how many times.
pub(super) fn fit_stride(moved: &mut Rig, legs: &[Planter]) -> f64 {
    let bones = moved.bones.len();
    let Some(root) = moved.skeleton.as_ref().and_then(|skeleton| skeleton.roots().next()) else { return 1.0 };
    let flat = |way: DVec3| DVec3::new(way.x, 0.0, way.z);
    let at =
        |frame: usize| flat(moved.frame_transforms(frame)[root].transform_point3(moved.bones[root].center));
    let (mut against, mut gone) = (0.0, 0.0);
    for leg in legs {
        for step in &leg.steps {
            let slid: DVec3 = leg.slides(moved, step).into_iter().sum();
            let way = at(step.end - 1) - at(step.start);
            against -= flat(slid).dot(way);
            gone += way.length_squared();
        }
    }
    let [least, most] = TUNING.planting.strides;
    let stride = 1.0 + against / gone;
    if !stride.is_finite() {
        return 1.0;
    }
    let stride = stride.clamp(least, most);
    let path: Vec<DVec3> = (0..moved.frame_count()).map(at).collect();
    for (frame, place) in path.iter().enumerate() {
        let by = DAffine3::from_translation((stride - 1.0) * (*place - path[0]));
        moved.transforms[frame * bones..(frame + 1) * bones].iter_mut().for_each(|t| *t = by * *t);
    }
    stride
}

/// The ground that feet stand on: the height in the middle of those of all standing feet.
pub(super) fn ground(moved: &Rig, legs: &[Planter]) -> f64 {
    let mut heights = Vec::new();
    for leg in legs {
        let frames = leg.steps.iter().cloned().flatten();
        heights.extend(frames.map(|frame| lowest(&leg.sole_in(moved, frame))));
    }
    share_of(&mut heights, 0.5)
}

/// Puts the body as high as the legs that stand carry it, frame by frame: a foot that is brought to the ground by bending
/// its leg alone bends the knee far, since a leg that is nearly straight gets shorter by little else.
pub(super) fn stand_on(moved: &mut Rig, legs: &[Planter], ground: f64) {
    let (bones, frames) = (moved.bones.len(), moved.frame_count());
    let mut heights = vec![(0.0, 0.0); frames];
    for leg in legs {
        let most = TUNING.planting.most_raise * leg.length;
        for frame in leg.steps.iter().cloned().flatten() {
            let up = (ground - lowest(&leg.sole_in(moved, frame))).clamp(-most, most);
            heights[frame].0 += up;
            heights[frame].1 += 1.0;
        }
    }
    let known = |(sum, count): &(f64, f64)| (*count > 0.0).then(|| DVec3::Y * (sum / count));
    let known: Vec<Option<DVec3>> = heights.iter().map(known).collect();
    let ups: Vec<f64> = filled(&known).into_iter().map(|up| up.y).collect();
    for (frame, up) in evened(&ups, give_frames(moved)).into_iter().enumerate() {
        let by = DAffine3::from_translation(DVec3::Y * up);
        moved.transforms[frame * bones..(frame + 1) * bones].iter_mut().for_each(|t| *t = by * *t);
    }
}

/// How far the hips come down in each frame, for legs that do not reach otherwise.
pub(super) fn lowered(moved: &Rig, legs: &[Planter]) -> Vec<f64> {
    let needed = |frame: usize| {
        let of_leg = |leg: &Planter| {
            let pose = leg.pose(moved.frame_transforms(frame));
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
    let reach = give_frames(moved);
    // The most of what is needed nearby, evened out over the same time: never less than what is needed.
    let around = |at: usize| &needed[at.saturating_sub(reach)..(at + reach + 1).min(needed.len())];
    let most = |at: usize| around(at).iter().copied().fold(0.0, f64::max);
    let widened: Vec<f64> = (0..needed.len()).map(most).collect();
    evened(&widened, reach)
}

/// Frames over which a body gives way, before and after.
fn give_frames(moved: &Rig) -> usize {
    (TUNING.planting.give * moved.fps).round().max(1.0) as usize
}

/// The mean of what is around each.
fn evened(all: &[f64], reach: usize) -> Vec<f64> {
    let around = |at: usize| &all[at.saturating_sub(reach)..(at + reach + 1).min(all.len())];
    (0..all.len()).map(|at| around(at).iter().sum::<f64>() / around(at).len() as f64).collect()
}
