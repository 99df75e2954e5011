//! Bounding volume hierarchies with four parts to a node, so that one wide instruction tries all four boxes.
//!
//! The shape ([`build`]) and the boxes ([`fit`]) are kept apart: one shape serves many poses.

use std::ops::Range;

use glam::{Mat4, Vec3A, Vec4};

use super::bvh::Aabb;

/// Boxes that are looked at together.
pub(crate) const LANES: usize = 4;

/// What is below one part of a node.
pub(crate) enum Below {
    Node(usize),
    /// Items; none where there is nothing.
    Leaf(Range<usize>),
}

/// [`Below`] in few bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child(u32);

/// Marks a child that is a leaf: its first item and their number follow.
const IS_LEAF: u32 = 1 << 31;
/// Bits for the number of items in a leaf.
const COUNT: u32 = 3;

impl Child {
    /// A leaf of some of the items.
    pub fn leaf(start: usize, count: usize) -> Self {
        debug_assert!(count < 1 << COUNT && start < 1 << (31 - COUNT), "leaves fit");
        Self(IS_LEAF | (start as u32) << COUNT | count as u32)
    }

    /// A node.
    pub fn node(number: usize) -> Self {
        Self(number as u32)
    }

    #[inline]
    pub fn below(self) -> Below {
        if self.0 & IS_LEAF == 0 {
            return Below::Node(self.0 as usize);
        }
        let start = ((self.0 & !IS_LEAF) >> COUNT) as usize;
        Below::Leaf(start..start + (self.0 & ((1 << COUNT) - 1)) as usize)
    }
}

/// A node: a quarter of its items each.
pub(crate) type Node = [Child; LANES];

/// Sorts items into leaves of at most `most`; `halve` sorts some into two halves and says where the second starts.
/// Nodes come before those below them, the root first; none without items.
pub(crate) fn build<T>(items: &mut [T], most: usize, halve: impl Fn(&mut [T]) -> usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    if !items.is_empty() {
        add_node(&mut nodes, items, 0, most, &halve);
    }
    nodes
}

fn add_node<T>(
    nodes: &mut Vec<Node>,
    items: &mut [T],
    start: usize,
    most: usize,
    halve: &impl Fn(&mut [T]) -> usize,
) -> usize {
    let number = nodes.len();
    nodes.push([Child::leaf(0, 0); LANES]);
    let half = halve(items);
    let (low, high) = items.split_at_mut(half);
    let (first, third) = (halve(low), halve(high));
    let ((a, b), (c, d)) = (low.split_at_mut(first), high.split_at_mut(third));
    let mut at = start;
    for (lane, quarter) in [a, b, c, d].into_iter().enumerate() {
        let count = quarter.len();
        nodes[number][lane] = if count <= most {
            Child::leaf(at, count)
        } else {
            Child::node(add_node(nodes, quarter, at, most, halve))
        };
        at += count;
    }
    number
}

/// The boxes of all nodes, given those of leaves.
pub(crate) fn fit(nodes: &[Node], leaf: impl Fn(Range<usize>) -> Aabb<Vec3A>) -> Vec<Boxes4> {
    let mut boxes = vec![Boxes4::NOWHERE; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        let parts = node.map(|child| match child.below() {
            Below::Node(node) => boxes[node].whole(),
            Below::Leaf(items) => leaf(items),
        });
        boxes[at] = Boxes4::new(&parts);
    }
    boxes
}

/// Four boxes, axis by axis: what holds of which is found out for all at once, and without a branch that no one can
/// foresee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes4 {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl Boxes4 {
    /// Around nothing, four times.
    const NOWHERE: Self = Self { low: [Vec4::INFINITY; 3], high: [Vec4::NEG_INFINITY; 3] };

    pub fn new(boxes: &[Aabb<Vec3A>; LANES]) -> Self {
        let end = |side: usize| {
            let [a, b, c, d] = boxes.map(|one| one[side].extend(0.0));
            let turned = Mat4::from_cols(a, b, c, d).transpose();
            [turned.x_axis, turned.y_axis, turned.z_axis]
        };
        Self { low: end(0), high: end(1) }
    }

    /// One of them.
    #[inline]
    pub fn get(&self, lane: usize) -> Aabb<Vec3A> {
        let end = |side: &[Vec4; 3]| Vec3A::new(side[0][lane], side[1][lane], side[2][lane]);
        [end(&self.low), end(&self.high)]
    }

    /// The box around all four.
    pub fn whole(&self) -> Aabb<Vec3A> {
        let low = self.low.map(|axis| axis.min_element());
        let high = self.high.map(|axis| axis.max_element());
        [low.into(), high.into()]
    }

    /// A bit for each that has a point in common with another box.
    #[inline]
    pub fn overlapping(&self, [from, to]: &Aabb<Vec3A>) -> u32 {
        let ([x, y, z], [u, v, w]) = (&self.low, &self.high);
        let begin = x.cmple(Vec4::splat(to.x)) & y.cmple(Vec4::splat(to.y)) & z.cmple(Vec4::splat(to.z));
        let end = u.cmpge(Vec4::splat(from.x)) & v.cmpge(Vec4::splat(from.y)) & w.cmpge(Vec4::splat(from.z));
        (begin & end).bitmask()
    }
}

/// Where there are ones in a number.
#[inline]
pub(crate) fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_bvh4.rs"]
mod tests;
