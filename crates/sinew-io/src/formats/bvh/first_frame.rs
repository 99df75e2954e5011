//! Reference poses at the start of BVH files.
//!
//! Some programs want a figure that stands with its arms stretched out in the first frame, and some
//! collections of motion capture have put one before every recording. It is no part of the motion.

use sinew::geometry::angle_between;
use sinew::motion::Motion;

use glam::DQuat;

use crate::Warning;
use crate::scene::FirstFrame;
use crate::warning::Remark;

/// Turns below this are none, in radians: files round to some thousandths of a degree.
const NO_TURN: f64 = 1e-4;
/// A jump is so many times the usual step from frame to frame, and at least so many radians on average.
const JUMP: (f64, f64) = (10.0, 0.05);
/// Frames that are looked at to tell what is usual.
const LOOKED_AT: usize = 120;

/// Takes the first frame out of the motion, which is of one clip, or leaves it there. Returns a warning when
/// it was for Sinew to decide and is left out.
pub(crate) fn settle(motion: &mut Motion, choice: FirstFrame) -> Option<Warning> {
    let taken = match choice {
        FirstFrame::Keep => false,
        FirstFrame::Auto => is_reference(motion),
        FirstFrame::Bind => true,
    };
    if !taken {
        return None;
    }
    if choice == FirstFrame::Bind {
        motion.bind = motion.frame(0).to_vec();
    }
    if motion.frame_count() > 1 {
        motion.worlds.drain(..motion.joints.len());
    }
    (choice == FirstFrame::Auto).then_some(Warning::Remark(Remark::ReferencePose))
}

fn is_reference(motion: &Motion) -> bool {
    if motion.frame_count() < 4 {
        return false;
    }
    let turns: Vec<Vec<DQuat>> =
        (0..motion.frame_count().min(LOOKED_AT)).map(|frame| motion.turns(frame)).collect();
    let is_turned = |turn: &DQuat| angle_between(*turn, DQuat::IDENTITY) > NO_TURN;
    let next: Vec<usize> = (0..motion.joints.len()).filter(|&joint| is_turned(&turns[1][joint])).collect();
    let straight = next.iter().filter(|&&joint| !is_turned(&turns[0][joint])).count();
    let mut steps: Vec<f64> = turns.windows(2).map(|pair| step(&pair[0], &pair[1])).collect();
    let jump = steps.remove(0);
    steps.sort_by(f64::total_cmp);
    2 * straight > next.len() && jump > JUMP.1 && jump > JUMP.0 * steps[steps.len() / 2]
}

/// How far the joints turn from one frame to another, on average.
fn step(from: &[DQuat], to: &[DQuat]) -> f64 {
    let angles = from.iter().zip(to).map(|(a, b)| angle_between(*a, *b));
    angles.sum::<f64>() / from.len().max(1) as f64
}
