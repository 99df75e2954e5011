//! Trees of joints in lines.

pub use sinew_jobs::joints::JointReport;

use crate::console::{count, number};

/// Longer trees are cut for people; the report has all.
const MOST_ROWS: usize = 120;
/// Rows further in than this are not moved in any further.
const DEEPEST: usize = 30;

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
