//! The broad phase: pairs of leaves that may touch, found by going down two hierarchies, or one, where boxes overlap.

use glam::Vec3A;

use super::box_transform::BoxTransform;
use super::posed::Posed;
use crate::geometry::bvh::Aabb;
use crate::geometry::bvh4::{Below, Child, ones};

/// Pairs of leaves of two bodies whose spheres overlap.
pub(super) fn candidates_between(a: &Posed, b: &Posed) -> Vec<[u32; 2]> {
    let mut search = BroadPhase::new(a, b);
    search.between([Child::node(0); 2], [a.boxes(0).whole(), b.boxes(0).whole()]);
    search.candidates
}

/// Pairs of leaves of one body whose spheres overlap, each leaf with itself among them.
pub(super) fn candidates_within(body: &Posed) -> Vec<[u32; 2]> {
    let mut search = BroadPhase::new(body, body);
    search.within(0);
    search.candidates
}

struct BroadPhase<'a> {
    sides: [&'a Posed<'a>; 2],
    /// What takes boxes of each to the other.
    across: [BoxTransform; 2],
    candidates: Vec<[u32; 2]>,
}

impl<'a> BroadPhase<'a> {
    fn new(a: &'a Posed<'a>, b: &'a Posed<'a>) -> Self {
        Self { sides: [a, b], across: [a.boxes_for(b), b.boxes_for(a)], candidates: Vec::new() }
    }

    /// Below a node and itself.
    fn within(&mut self, node: usize) {
        let children = self.sides[0].body.nodes[node];
        let boxes = self.sides[0].boxes(node);
        for (lane, child) in children.into_iter().enumerate() {
            match child.below() {
                Below::Node(node) => self.within(node),
                Below::Leaf(leaf) => self.candidates.extend(leaf.map(|leaf| [leaf as u32; 2])),
            }
            let around = boxes.get(lane);
            // Those that come later.
            let later = boxes.overlapping(&self.across[0].around(around)) & (!1 << lane);
            for other in ones(later) {
                self.between([child, children[other]], [around, boxes.get(other)]);
            }
        }
    }

    /// Below two whose boxes overlap.
    fn between(&mut self, children: [Child; 2], around: [Aabb<Vec3A>; 2]) {
        let size = |[low, high]: Aabb<Vec3A>| (high - low).length_squared();
        let (side, node) = match children.map(Child::below) {
            [Below::Leaf(i), Below::Leaf(j)] => {
                for (i, j) in i.zip(j).map(|(i, j)| (i as u32, j as u32)) {
                    if self.spheres_overlap(i, j) {
                        self.candidates.push([i, j]);
                    }
                }
                return;
            }
            [Below::Node(i), Below::Node(_)] if size(around[0]) >= size(around[1]) => (0, i),
            [_, Below::Node(j)] => (1, j),
            [Below::Node(i), _] => (0, i),
        };
        let (body, other) = (self.sides[side], 1 - side);
        let (below, boxes) = (body.body.nodes[node], body.boxes(node));
        for lane in ones(boxes.overlapping(&self.across[other].around(around[other]))) {
            let (mut children, mut around) = (children, around);
            (children[side], around[side]) = (below[lane], boxes.get(lane));
            self.between(children, around);
        }
    }

    fn spheres_overlap(&self, i: u32, j: u32) -> bool {
        let ((center, radius), (other, others)) = (self.sides[0].sphere(i), self.sides[1].sphere(j));
        let reach = radius + others;
        center.distance_squared(other) <= reach * reach
    }
}
