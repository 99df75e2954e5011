//! What can be said about a skeleton at a glance: the tree, and how far each joint turns.

use serde::Serialize;
use sinew::rig::Rig;
use sinew::skeleton::joint_limits;

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
    let limits = joint_limits(rig);
    let report = |joint: usize| JointReport {
        name: rig.bones[joint].name.clone(),
        parent: skeleton.parents[joint],
        place: rig.bones[joint].center.to_array(),
        swing_degrees: limits[joint].swing,
    };
    Some((0..skeleton.len()).map(report).collect())
}

/// The tree in lines, children further in than their parents. `note` adds to the line of a joint, and `notes`
/// says in the first line what.
pub fn tree_in_words(joints: &[&JointReport], notes: &str, note: impl Fn(usize) -> String) -> Vec<String> {
    let roots = joints.iter().filter(|j| j.parent.is_none()).count();
    let several = if roots == 1 { String::new() } else { format!(", {roots} of them roots") };
    let mut lines =
        vec![format!("{}{several}; how far each swings{notes}:", count(joints.len(), "joint", "joints"))];
    let parents: Vec<Option<usize>> = joints.iter().map(|j| j.parent).collect();
    lines.extend(tree(&parents, |joint| {
        let JointReport { name, swing_degrees, .. } = joints[joint];
        format!("{name} {}°{}", number(swing_degrees.round()), note(joint))
    }));
    shortened(lines)
}

/// One line a joint, children further in than their parents.
pub fn tree(parents: &[Option<usize>], line: impl Fn(usize) -> String) -> Vec<String> {
    let (mut children, mut open) = (vec![Vec::new(); parents.len()], Vec::new());
    for (joint, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(joint),
            None => open.push((joint, 0)),
        }
    }
    let mut lines = Vec::with_capacity(parents.len());
    while let Some((joint, depth)) = open.pop() {
        lines.push("  ".repeat(depth.min(DEEPEST)) + &line(joint));
        open.extend(children[joint].iter().map(|&child| (child, depth + 1)));
    }
    lines
}

/// A tree cut for people.
pub fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_ROWS {
        let more = lines.len() - MOST_ROWS + 1;
        lines.truncate(MOST_ROWS - 1);
        lines.push(format!("and {more} more"));
    }
    lines
}
