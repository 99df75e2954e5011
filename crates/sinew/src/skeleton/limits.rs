//! How far joints turn.

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::JointLimits;
use crate::animation::Clip;
use crate::geometry::{angle_about, angle_between, rotation_vector, swing_and_twist, wrapped};
use crate::progress::{Cancelled, Progress, Silent};
use crate::rig::{JointPose, Rig};

/// The most frames of which every pair is looked at.
const MOST_PAIRED: usize = 2048;
/// A joint that winds about an axis keeps within 90° of it: the squared cosine of half of that.
const WINDS: f64 = 0.5;

/// How far each joint turns against its parent, a root against the world, in its own axes
/// ([`Rig::joint_axes`]); nothing for a rig without a skeleton.
///
/// See [`JointLimits`] for what the angles are.
pub fn joint_limits(rig: &Rig) -> Vec<JointLimits> {
    joint_limits_unless_cancelled(rig, &Silent).expect("nobody cancels")
}

/// The same for those who may not want to wait.
pub(super) fn joint_limits_unless_cancelled(
    rig: &Rig,
    progress: &dyn Progress,
) -> Result<Vec<JointLimits>, Cancelled> {
    let Some(skeleton) = &rig.skeleton else { return Ok(Vec::new()) };
    let poses: Vec<JointPose> = (0..rig.frame_count()).filter_map(|frame| rig.joint_pose(frame)).collect();
    let (axes, clips) = (rig.joint_axes(), rig.clips());
    let limits = |joint: usize| {
        let own = |pose: &JointPose| (axes[joint].inverse() * pose.turns[joint] * axes[joint]).normalize();
        let turns: Vec<DQuat> = poses.iter().map(own).collect();
        if turns.is_empty() {
            return Ok(JointLimits::default());
        }
        let winding = || winding(&turns, &clips, DVec3::X).or_else(|| winding(&turns, &clips, DVec3::Y));
        let range = winding().unwrap_or_else(|| Range::of(turns.iter().map(|turn| swing_and_twist(*turn))));
        Ok(JointLimits {
            least: range.least.map(f64::to_degrees),
            most: range.most.map(f64::to_degrees),
            swing: swing(&turns, progress)?.to_degrees(),
        })
    };
    (0..skeleton.len()).into_par_iter().map(limits).collect()
}

/// Angles from the least to the most.
struct Range {
    least: DVec3,
    most: DVec3,
}

impl Range {
    fn of(angles: impl Iterator<Item = DVec3>) -> Self {
        let none = Self { least: DVec3::INFINITY, most: DVec3::NEG_INFINITY };
        angles.fold(none, |range, a| Self { least: range.least.min(a), most: range.most.max(a) })
    }
}

/// The range of a joint that turns about one axis, x or y, beyond half a circle, and away from that axis by
/// less than a right angle in every frame. How far it has turned is counted on from frame to frame.
fn winding(turns: &[DQuat], clips: &[Clip], axis: DVec3) -> Option<Range> {
    let about = |turn: &DQuat| DVec3::new(turn.x, turn.y, turn.z).dot(axis);
    if !turns.iter().all(|turn| turn.w * turn.w + about(turn) * about(turn) > WINDS) {
        return None;
    }
    let mut all = Vec::with_capacity(turns.len());
    for clip in clips {
        let mut wound = 0.0;
        for turn in &turns[clip.frames.clone()] {
            wound += wrapped(angle_about(*turn, axis) - wound);
            let back = DQuat::from_axis_angle(axis, -wound);
            // A twist comes before what swings the bone, a bend after what twists it.
            let left = if axis == DVec3::Y { *turn * back } else { back * *turn };
            all.push(rotation_vector(left) + wound * axis);
        }
    }
    let range = Range::of(all.into_iter());
    let beyond = range.least.dot(axis).abs().max(range.most.dot(axis).abs()) > std::f64::consts::PI;
    beyond.then_some(range)
}

/// The largest angle between two of the turns.
///
/// Two are no farther apart than the way from one to the other over a third. So pairs are looked at from
/// those farthest from one in the middle inwards, until none can be farther apart than what was found. Of
/// more than [`MOST_PAIRED`] frames only the farthest are paired, which may miss a little where a joint
/// turns all over the place.
fn swing(turns: &[DQuat], progress: &dyn Progress) -> Result<f64, Cancelled> {
    let farthest = |from: DQuat| farthest(turns, from);
    let Some((_, one)) = turns.first().and_then(|first| farthest(*first)) else { return Ok(0.0) };
    let Some((mut best, other)) = farthest(one) else { return Ok(0.0) };
    let halfway = one.slerp(if one.dot(other) < 0.0 { -other } else { other }, 0.5);
    let mut around: Vec<(f64, DQuat)> =
        turns.iter().map(|turn| (angle_between(halfway, *turn), *turn)).collect();
    around.sort_by(|a, b| b.0.total_cmp(&a.0));
    around.truncate(MOST_PAIRED);
    for (i, (far, turn)) in around.iter().enumerate() {
        progress.check()?;
        for (off, other) in &around[i + 1..] {
            if far + off <= best {
                break;
            }
            best = best.max(angle_between(*turn, *other));
        }
    }
    Ok(best)
}

fn farthest(turns: &[DQuat], from: DQuat) -> Option<(f64, DQuat)> {
    let angles = turns.iter().map(|turn| (angle_between(from, *turn), *turn));
    angles.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Gives every joint's quaternions the signs that make each the nearest to that of the frame before. A
/// quaternion and its negative are the same turn; what blends between frames takes the long way round
/// where signs differ.
pub fn continuous(poses: &mut [JointPose]) {
    for frame in 1..poses.len() {
        let (before, after) = poses.split_at_mut(frame);
        for (last, turn) in before[frame - 1].turns.iter().zip(&mut after[0].turns) {
            if last.dot(*turn) < 0.0 {
                *turn = -*turn;
            }
        }
    }
}
