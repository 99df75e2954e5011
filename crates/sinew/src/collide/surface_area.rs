//! The hierarchy over all leaves of a body, by the surface area heuristic (Goldsmith and Salmon 1987) summed over some
//! frames.

use glam::Vec3A;

use super::tuning::TUNING;
use crate::geometry::bvh::{Aabb, Point};
use crate::geometry::bvh4::{self, Below, Child, Node};

/// Builds the hierarchy over leaves that have these boxes in some frames. Trees are never deep
/// ([`least_share`](super::Tuning::least_share)).
pub(super) fn build(frames: &[Vec<Aabb<Vec3A>>]) -> Vec<Node> {
    let mut leaves: Vec<u32> = (0..frames.first().map_or(0, Vec::len) as u32).collect();
    let mut nodes = bvh4::build(&mut leaves, 1, |some| halve(some, frames));
    for child in nodes.as_flattened_mut() {
        if let Below::Leaf(one) = child.below() {
            *child = Child::leaf(one.clone().next().map_or(0, |at| leaves[at] as usize), one.len());
        }
    }
    nodes
}

/// Sorts leaves into two halves and says where the second starts. Both shall have small surfaces, each times the
/// number of its leaves, along the best of the three axes.
fn halve(leaves: &mut [u32], frames: &[Vec<Aabb<Vec3A>>]) -> usize {
    let (mut least, mut best) = (f32::INFINITY, (0, leaves.len() / 2));
    for axis in 0..3 {
        sort(leaves, axis, frames);
        let (before, mut after) = (surfaces(leaves.iter(), frames), surfaces(leaves.iter().rev(), frames));
        after.reverse();
        let fewest = (leaves.len() / TUNING.least_share).max(1);
        for half in fewest..(leaves.len() + 1).saturating_sub(fewest) {
            let cost = before[half - 1] * half as f32 + after[half] * (leaves.len() - half) as f32;
            if cost < least {
                (least, best) = (cost, (axis, half));
            }
        }
    }
    sort(leaves, best.0, frames);
    best.1
}

/// By where they are in the first of the frames.
fn sort(leaves: &mut [u32], axis: usize, frames: &[Vec<Aabb<Vec3A>>]) {
    let middle = |leaf: u32| frames[0][leaf as usize][0][axis] + frames[0][leaf as usize][1][axis];
    leaves.sort_unstable_by(|a, b| middle(*a).total_cmp(&middle(*b)).then(a.cmp(b)));
}

/// Of the boxes around the first leaf, the first two and so on, the surface in all frames.
fn surfaces<'a>(leaves: impl Iterator<Item = &'a u32>, frames: &[Vec<Aabb<Vec3A>>]) -> Vec<f32> {
    let mut boxes = vec![Vec3A::NOWHERE; frames.len()];
    let add = |&leaf: &u32| {
        let mut sum = 0.0;
        for (around, frame) in boxes.iter_mut().zip(frames) {
            *around = Vec3A::joined(*around, frame[leaf as usize]);
            let side = around[1] - around[0];
            sum += side.x * side.y + side.y * side.z + side.z * side.x;
        }
        sum
    };
    leaves.map(add).collect()
}
