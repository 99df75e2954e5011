//! Where two bodies can touch at all: the slab in which the one has not ended and the other has begun.
//!
//! Bodies that are near but hardly touch lie on two sides of a plane, more or less. Along some directions it is
//! found out how far each body reaches, and the one in which they overlap least is looked at closely: the one
//! body's farthest point and the other's nearest, each found by going down its tree where it reaches farthest. What
//! does not reach between the two touches nothing, and no pairs are made of it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::Vec3A;

use super::bound::NodeKind;
use super::posed::Posed;

/// Directions that are looked along, beside the one from body to body.
const WAYS: [Vec3A; 3] = [Vec3A::X, Vec3A::Y, Vec3A::Z];

/// Nodes that are looked at to find a body's end.
const MOST_STEPS: usize = 48;

/// Half a space: what reaches at least so far along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    pub way: Vec3A,
    pub from: f32,
}

/// A node that waits, the farthest first.
struct Waiting {
    reach: f32,
    node: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.reach.total_cmp(&other.reach).then(other.node.cmp(&self.node))
    }
}

/// What of each of two bodies can touch the other: at least what reaches so far. None if nothing can.
pub(super) fn slab(a: &Posed, b: &Posed) -> Option<[Beyond; 2]> {
    let between = (b.middle() - a.middle()).normalize_or(Vec3A::X);
    let ways = WAYS.into_iter().chain([between]);
    // From the one to the other, not back.
    let ways = ways.map(|way| if way.dot(between) < 0.0 { -way } else { way });
    let overlap = |way: &Vec3A| a.roughly(*way) + b.roughly(-*way);
    let (mut least, mut way) = (f32::INFINITY, between);
    for candidate in ways {
        let overlap = overlap(&candidate);
        if overlap < least {
            (least, way) = (overlap, candidate);
        }
    }
    if least < 0.0 {
        return None;
    }
    let (of_a, of_b) = (farthest(a, way), farthest(b, -way));
    // A reaches up to `of_a` along the way, and B begins at `-of_b`.
    (of_a >= -of_b).then_some([Beyond { way, from: -of_b }, Beyond { way: -way, from: -of_a }])
}

/// How far a body reaches along a direction, at most.
fn farthest(body: &Posed, way: Vec3A) -> f32 {
    let waiting = |node: u32| Waiting { reach: body.bound(node).reach(way), node };
    let mut heap: BinaryHeap<Waiting> = body.body.roots.iter().map(|&root| waiting(root)).collect();
    let nodes = &body.body.nodes;
    let mut steps = 0;
    while let Some(Waiting { node, reach }) = heap.pop() {
        let second = nodes[node as usize].second;
        steps += 1;
        // What waits reaches no farther, so it may end anywhere: of a flat side all parts reach equally far. Boxes
        // that are kept are exact, and what is below them would only take vertices to find the same.
        let last = second == 0 || !matches!(nodes[node as usize + 1].kind, NodeKind::Large(_));
        if last || steps == MOST_STEPS {
            return reach;
        }
        heap.extend([node + 1, second].map(waiting));
    }
    f32::NEG_INFINITY
}

impl Posed<'_> {
    fn middle(&self) -> Vec3A {
        let roots = &self.body.roots;
        roots.iter().map(|&root| self.bound(root).center).sum::<Vec3A>() / roots.len().max(1) as f32
    }

    /// How far the body reaches along a direction, at most, as its regions tell.
    fn roughly(&self, way: Vec3A) -> f32 {
        self.body.roots.iter().map(|&root| self.bound(root).reach(way)).fold(f32::NEG_INFINITY, f32::max)
    }
}
