//! Which points the stitching holds: the handles that a piece of the surface hangs on, and those at its ends.
//!
//! Section 2.2 holds the points of one handle and leaves all else to the gradients. What these ask for adds up along
//! a limb, and a foot may end far from its joint: it slides, and it parts from a shoe that another joint carries. So
//! the handles at the ends of limbs are held too, each where its joint takes it, and the limb between is the surface
//! whose gradients are nearest to those asked for among all that end there: what adds up is spread over the whole
//! limb, and least of it comes to where it bends, which keeps the volume there.
//!
//! Pieces that hang together by nothing are seen each for itself: every one has something that it hangs on, which its
//! joint carries, and ends of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::dirichlet::NONE;
use super::surface::Surface;
use super::tree::Tree;
use super::tuning::TUNING;

/// The points that are held, and the joints that hold them: of every piece with a handle those of its joint nearest to
/// the root, and with `ends` those of the joints at its ends.
pub(super) fn held(surface: &Surface, tree: &Tree, joint_of: &[u32], ends: bool) -> Vec<(u32, u32)> {
    let in_handles = || (0..).zip(joint_of.iter().copied()).filter(|&(_, joint)| joint != NONE);
    // Of every piece its joints, and how far what each has of it is from the joint at most.
    let mut pieces: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
    for (point, joint) in in_handles() {
        let far = pieces.entry(surface.piece[point as usize]).or_default().entry(joint).or_default();
        *far = surface.place(point).distance(tree.joints[joint as usize]).max(*far);
    }
    let lengths = ends.then(|| Lengths::new(tree));
    let nearness = |joint: &&u32| (tree.depths[**joint as usize], **joint);
    let held_of = |of_piece: BTreeMap<u32, f64>| {
        let top = *of_piece.keys().min_by_key(nearness).expect("a handle");
        let mut held =
            lengths.as_ref().map_or_else(BTreeSet::new, |all| all.ends(tree, &of_piece, top as usize));
        held.insert(top);
        held
    };
    let held: BTreeMap<u32, BTreeSet<u32>> =
        pieces.into_iter().map(|(piece, joints)| (piece, held_of(joints))).collect();
    in_handles().filter(|&(point, joint)| held[&surface.piece[point as usize]].contains(&joint)).collect()
}

/// Lengths of the bones.
struct Lengths {
    /// From each joint to its parent.
    own: Vec<f64>,
    /// From each joint to the root.
    from_root: Vec<f64>,
}

impl Lengths {
    fn new(tree: &Tree) -> Self {
        let (mut own, mut from_root) = (Vec::new(), Vec::<f64>::new());
        for (joint, parent) in tree.parents.iter().enumerate() {
            let length = parent.map_or(0.0, |parent| tree.joints[joint].distance(tree.joints[parent]));
            from_root.push(length + parent.map_or(0.0, |parent| from_root[parent]));
            own.push(length);
        }
        Self { own, from_root }
    }

    /// The joints at the ends of a piece, of those that have handles on it, and how far these reach; the piece hangs on
    /// `top`.
    fn ends(&self, tree: &Tree, of_piece: &BTreeMap<u32, f64>, top: usize) -> BTreeSet<u32> {
        let count = tree.parents.len();
        // How far it is to the farthest below with a handle on the piece, if there is any at or below a joint.
        let mut below: Vec<Option<f64>> =
            (0..count as u32).map(|j| of_piece.contains_key(&j).then_some(0.0)).collect();
        for joint in (0..count).rev() {
            if let Some((far, parent)) = below[joint].zip(tree.parents[joint]) {
                let far = far + self.own[joint];
                below[parent] = Some(below[parent].map_or(far, |known| known.max(far)));
            }
        }
        let carries = |joint: usize| tree.children[joint].iter().any(|&child| below[child].is_some());
        let way = |joint: usize| {
            let meet = tree.meet(top, joint);
            self.from_root[joint] + self.from_root[top] - 2.0 * self.from_root[meet]
        };
        let is_short = |joint: usize| {
            let far = below[joint].unwrap_or(0.0);
            far <= TUNING.extremity * (way(joint) + far)
        };
        let end = |(&joint, &far): (&u32, &f64)| {
            let (number, joint) = (joint, joint as usize);
            if joint == top {
                return None;
            }
            if carries(joint) {
                // Of a hand or a foot where it begins; what is between it and the tips may bend.
                let is_first = tree.parents[joint].is_some_and(|parent| parent == top || !is_short(parent));
                return (is_short(joint) && is_first).then_some(number);
            }
            // A whole forearm without a hand is no end.
            let is_end = far <= TUNING.extremity * (way(joint) + far) && !self.is_aside(tree, &below, joint);
            is_end.then_some(number)
        };
        of_piece.iter().filter_map(end).collect()
    }

    /// Whether a joint that carries nothing lies along a limb that goes on far beyond it, as joints do that only spread
    /// a twist.
    fn is_aside(&self, tree: &Tree, below: &[Option<f64>], joint: usize) -> bool {
        let Some(parent) = tree.parents[joint] else { return false };
        let way = tree.joints[joint] - tree.joints[parent];
        let goes_on = |&&other: &&usize| {
            let along = tree.joints[other] - tree.joints[parent];
            let far = below[other].map_or(0.0, |far| far + self.own[other]);
            other != joint && far > 2.0 * way.length() && along.dot(way) > 0.9 * along.length() * way.length()
        };
        tree.children[parent].iter().any(|other| goes_on(&other))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/deform_held.rs"]
mod tests;
