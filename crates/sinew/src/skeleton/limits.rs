//! How far joints turn.

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::JointLimits;
use crate::geometry::{EulerAngles, angle_between};
use crate::rig::{JointPose, Rig};

/// The most frames of which every pair is looked at.
const MOST_PAIRED: usize = 2048;

/// How far each joint turns against its parent, a root against the world; nothing for a rig without a
/// skeleton.
///
/// Angles go on from frame to frame of a clip, through full circles too; those of a clip's first frame
/// are the nearest to the rest pose's, which are zero. They are the ones that a BVH file of the clip
/// holds.
pub fn joint_limits(rig: &Rig) -> Vec<JointLimits> {
    let Some(skeleton) = &rig.skeleton else { return Vec::new() };
    let poses: Vec<JointPose> = (0..rig.frame_count()).filter_map(|frame| rig.joint_pose(frame)).collect();
    let limits = |joint: usize| {
        let turns: Vec<DQuat> = poses.iter().map(|pose| pose.turns[joint]).collect();
        let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for clip in rig.clips().iter() {
            let mut last = EulerAngles::default();
            for &turn in &turns[clip.frames.clone()] {
                last = EulerAngles::nearest(turn, last);
                let angles = DVec3::new(last.x, last.y, last.z).map(f64::to_degrees);
                (least, most) = (least.min(angles), most.max(angles));
            }
        }
        match turns.is_empty() {
            true => JointLimits::default(),
            false => JointLimits { least, most, swing: swing(&turns).to_degrees() },
        }
    };
    (0..skeleton.len()).into_par_iter().map(limits).collect()
}

/// The largest angle between two of the turns.
///
/// Two are no farther apart than the way from one to the other over a third. So pairs are looked at from
/// those farthest from one in the middle inwards, until none can be farther apart than what was found. Of
/// more than [`MOST_PAIRED`] frames only the farthest are paired, which may miss a little where a joint
/// turns all over the place.
fn swing(turns: &[DQuat]) -> f64 {
    let farthest = |from: DQuat| farthest(turns, from);
    let Some((_, one)) = turns.first().and_then(|first| farthest(*first)) else { return 0.0 };
    let Some((mut best, other)) = farthest(one) else { return 0.0 };
    let halfway = one.slerp(if one.dot(other) < 0.0 { -other } else { other }, 0.5);
    let mut around: Vec<(f64, DQuat)> =
        turns.iter().map(|turn| (angle_between(halfway, *turn), *turn)).collect();
    around.sort_by(|a, b| b.0.total_cmp(&a.0));
    around.truncate(MOST_PAIRED);
    for (i, (far, turn)) in around.iter().enumerate() {
        for (off, other) in &around[i + 1..] {
            if far + off <= best {
                break;
            }
            best = best.max(angle_between(*turn, *other));
        }
    }
    best
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
