//! The tree over all leaves of a body.

use super::lanes::{LANES, NOTHING, Reach, joined};

/// Each half has at least this share of the leaves, the inverse of it: trees are never deep.
const SHARE: usize = 4;

/// What is below a node: another node, a leaf, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Node(u32),
    Leaf(u32),
    Nothing,
}

/// A node of the tree: a quarter of it each. The root comes first, and all nodes before those below them.
pub(super) type Node = [Below; LANES];

/// Builds the tree over leaves that have these boxes in some frames.
pub(super) fn tree(frames: &[Vec<Reach>]) -> Vec<Node> {
    let mut leaves: Vec<u32> = (0..frames.first().map_or(0, Vec::len) as u32).collect();
    let mut nodes = Vec::new();
    add(&mut nodes, &mut leaves, frames);
    nodes
}

/// Adds the node of some leaves, and all below it.
fn add(nodes: &mut Vec<Node>, leaves: &mut [u32], frames: &[Vec<Reach>]) -> u32 {
    let at = nodes.len();
    nodes.push([Below::Nothing; LANES]);
    let (low, high) = halves(leaves, frames);
    let ((a, b), (c, d)) = (halves(low, frames), halves(high, frames));
    for (lane, part) in [a, b, c, d].into_iter().enumerate() {
        nodes[at][lane] = match part {
            [] => Below::Nothing,
            [leaf] => Below::Leaf(*leaf),
            _ => Below::Node(add(nodes, part, frames)),
        };
    }
    at as u32
}

/// Divides leaves in two. Both shall have small surfaces, each times the number of its leaves, along the best of
/// the three axes.
fn halves<'a>(leaves: &'a mut [u32], frames: &[Vec<Reach>]) -> (&'a mut [u32], &'a mut [u32]) {
    let (mut least, mut best) = (f32::INFINITY, (0, leaves.len() / 2));
    for axis in 0..3 {
        sort(leaves, axis, frames);
        let (before, mut after) = (surfaces(leaves.iter(), frames), surfaces(leaves.iter().rev(), frames));
        after.reverse();
        let fewest = (leaves.len() / SHARE).max(1);
        for half in fewest..(leaves.len() + 1).saturating_sub(fewest) {
            let cost = before[half - 1] * half as f32 + after[half] * (leaves.len() - half) as f32;
            if cost < least {
                (least, best) = (cost, (axis, half));
            }
        }
    }
    sort(leaves, best.0, frames);
    leaves.split_at_mut(best.1)
}

/// By where they are in the first of the frames.
fn sort(leaves: &mut [u32], axis: usize, frames: &[Vec<Reach>]) {
    let middle = |leaf: u32| frames[0][leaf as usize][0][axis] + frames[0][leaf as usize][1][axis];
    leaves.sort_unstable_by(|a, b| middle(*a).total_cmp(&middle(*b)).then(a.cmp(b)));
}

/// Of the boxes around the first leaf, the first two and so on, the surface in all frames.
fn surfaces<'a>(leaves: impl Iterator<Item = &'a u32>, frames: &[Vec<Reach>]) -> Vec<f32> {
    let mut boxes = vec![NOTHING; frames.len()];
    let add = |&leaf: &u32| {
        let mut sum = 0.0;
        for (around, frame) in boxes.iter_mut().zip(frames) {
            *around = joined(*around, frame[leaf as usize]);
            let side = around[1] - around[0];
            sum += side.x * side.y + side.y * side.z + side.z * side.x;
        }
        sum
    };
    leaves.map(add).collect()
}
