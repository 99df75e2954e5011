//! What can be said about a skeleton at a glance: the tree, and how far each joint turns.

use glam::DQuat;
use serde::Serialize;
use sinew::rig::Rig;

use crate::console::{count, number};

/// Longer trees are cut for people; the report has all.
const MOST_ROWS: usize = 120;
/// Rows further in than this are not moved in any further.
const DEEPEST: usize = 30;

/// One joint of a skeleton.
#[derive(Serialize)]
pub struct JointReport {
    name: String,
    /// Number of the parent in the same list; null for a root.
    pub parent: Option<usize>,
    /// Where it is in the rest pose.
    place: [f64; 3],
    /// Largest angle between its turns against its parent, of a root against the world, in two frames.
    swing_degrees: f64,
}

/// The joints of a rig that has a skeleton.
pub fn joints(rig: &Rig) -> Option<Vec<JointReport>> {
    let skeleton = rig.skeleton.as_ref()?;
    let mut turns: Vec<Vec<DQuat>> = vec![Vec::with_capacity(rig.frame_count()); skeleton.len()];
    for pose in (0..rig.frame_count()).filter_map(|frame| rig.joint_pose(frame)) {
        turns.iter_mut().zip(pose.turns).for_each(|(of_joint, turn)| of_joint.push(turn));
    }
    let report = |joint: usize| JointReport {
        name: rig.bones[joint].name.clone(),
        parent: skeleton.parents[joint],
        place: rig.bones[joint].center.to_array(),
        swing_degrees: swing(&turns[joint]).to_degrees(),
    };
    Some((0..skeleton.len()).map(report).collect())
}

/// The largest angle between two of the turns, by the frame farthest from the first and the one farthest
/// from that: exact for turns about one axis, and never less than half.
fn swing(turns: &[DQuat]) -> f64 {
    let farthest = |from: DQuat| {
        let angles = turns.iter().map(|turn| (2.0 * from.dot(*turn).abs().min(1.0).acos(), *turn));
        angles.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let there = turns.first().and_then(|first| farthest(*first));
    there.and_then(|(_, turn)| farthest(turn)).map_or(0.0, |(angle, _)| angle)
}

/// The tree in lines, children further in than their parents. `note` adds to the line of a joint, and `notes`
/// says in the first line what.
pub fn tree_in_words(joints: &[&JointReport], notes: &str, note: impl Fn(usize) -> String) -> Vec<String> {
    let roots = joints.iter().filter(|j| j.parent.is_none()).count();
    let several = if roots == 1 { String::new() } else { format!(", {roots} of them roots") };
    let mut lines =
        vec![format!("{}{several}; how far each swings{notes}:", count(joints.len(), "joint", "joints"))];
    let mut children = vec![Vec::new(); joints.len()];
    let mut open = Vec::new();
    for (joint, report) in joints.iter().enumerate().rev() {
        match report.parent {
            Some(parent) => children[parent].push(joint),
            None => open.push((joint, 0)),
        }
    }
    while let Some((joint, depth)) = open.pop() {
        let JointReport { name, swing_degrees, .. } = joints[joint];
        let inwards = "  ".repeat(depth.min(DEEPEST));
        lines.push(format!("{inwards}{name} {}°{}", number(swing_degrees.round()), note(joint)));
        open.extend(children[joint].iter().map(|&child| (child, depth + 1)));
    }
    if lines.len() > MOST_ROWS {
        let more = lines.len() - MOST_ROWS + 1;
        lines.truncate(MOST_ROWS - 1);
        lines.push(format!("and {more} more"));
    }
    lines
}
