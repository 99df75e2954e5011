//! Rotations blended along the tree of joints.
//!
//! Section 2.2 of the paper blends log-quaternions relative to one of the rotations. Which one makes a
//! difference as soon as three joints share a triangle, and the logarithm jumps where a joint and a far one
//! are half a turn apart, as the ends of a curled finger are. So the blend goes down the tree instead, from
//! the lowest joint above all that count: R = R_top · Π exp(Σ_c H_c · log t_c), with t_c the turn of joint c
//! against the next above it that has a handle, H_c the influence of c and all below it, one factor for all
//! that hang on the same joint. It is smooth in the influences and turns with the whole skeleton. Two joints
//! alone are blended by slerp, whichever they are.
//!
//! The turn from a joint to its child is the pose's own ([`Pose`]); that to a farther one is, of all with the
//! same outcome, the nearest to the sum of the turns on the way. So only a joint that itself turns half a
//! circle against its parent has two ways to go.

use glam::{DMat3, DQuat, DVec3};

use super::exp::exp;
use super::pose::{Pose, nearest_turn};
use super::swell::MiddleLine;
use crate::geometry::rotation_vector;
use crate::rig::Skeleton;

/// The joints as one tree: further roots hang on the first.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub skeleton: Skeleton,
    /// Places of the joints in the rest pose.
    pub joints: Vec<DVec3>,
    /// The first root, which all hang on.
    pub root: usize,
    pub parents: Vec<Option<usize>>,
    pub children: Vec<Vec<usize>>,
    pub depths: Vec<usize>,
}

/// Rotations of a pose, seen from the first root.
#[derive(Clone, Debug, Default)]
pub(super) struct Turned {
    /// Rotation and place of the first root itself.
    pub whole: (DQuat, DVec3),
    /// Rotation of each joint, rest pose to posed.
    pub world: Vec<DQuat>,
    /// Where each joint is.
    pub places: Vec<DVec3>,
    /// Turn of each joint against its parent in the tree; then of the second of each pair against the first.
    pub turns: Vec<DVec3>,
    /// The same as what is done to points.
    pub steps: Vec<Step>,
    /// How much what bends about them swells (`swell`).
    pub swellings: Vec<f64>,
}

/// What a joint does, seen from the one before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// Its rotation less one.
    pub turn: DMat3,
    /// How far it leaves its place.
    pub shift: DVec3,
}

impl Step {
    /// How P' of a middle line differs from m' (`bend`), given m − J + H m'.
    #[inline]
    pub fn way(&self, ahead: DVec3) -> DVec3 {
        self.turn * ahead + self.shift
    }
}

impl Tree {
    /// The tree of a skeleton that has a joint.
    pub fn new(skeleton: &Skeleton, joints: &[DVec3]) -> Self {
        let root = skeleton.roots().next().expect("a joint without a parent");
        let parent = |joint: usize| skeleton.parents[joint].or(Some(root).filter(|&root| root != joint));
        let parents: Vec<Option<usize>> = (0..skeleton.len()).map(parent).collect();
        let mut depths = vec![0; parents.len()];
        for joint in 0..parents.len() {
            depths[joint] = parents[joint].map_or(0, |parent| depths[parent] + 1);
        }
        let children = Skeleton::new(parents.clone()).children();
        Self { skeleton: skeleton.clone(), joints: joints.to_vec(), root, parents, children, depths }
    }

    /// The joints of a list and all that carry them, but the root, with their influence and that of all
    /// below.
    pub fn with_ancestors(&self, influences: &[(u32, f32)]) -> Vec<(u32, f32)> {
        let mut out: Vec<(u32, f32)> = Vec::new();
        for &(joint, share) in influences {
            let mut next = Some(joint as usize);
            while let Some(joint) = next.filter(|&joint| joint != self.root) {
                add_share(&mut out, joint as u32, share);
                next = self.parents[joint];
            }
        }
        out
    }

    /// The lowest joint above two, or one of them.
    pub fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let lower = if self.depths[a] >= self.depths[b] { &mut a } else { &mut b };
            *lower = self.parents[*lower].expect("all hang on the first root");
        }
        a
    }

    /// Sum of the turns on the way from one joint to another, as if they had one axis.
    fn way(&self, from: usize, to: usize, turns: &[DVec3]) -> DVec3 {
        let top = self.meet(from, to);
        let up = |mut joint: usize| {
            let mut sum = DVec3::ZERO;
            while joint != top {
                sum += turns[joint];
                joint = self.parents[joint].expect("below the top");
            }
            sum
        };
        up(to) - up(from)
    }
}

impl Turned {
    /// Fills in the rotations of a pose, with turns between pairs of joints that are not parent and child, given the
    /// middle line of each turn. Allocates only the first time.
    pub fn set(&mut self, tree: &Tree, pairs: &[[u32; 2]], lines: &[MiddleLine], pose: &Pose) {
        let root = tree.root;
        self.whole = (DQuat::from_scaled_axis(pose.turns[root]), pose.places[root]);
        let back = self.whole.0.inverse();
        self.world.clear();
        self.places.clear();
        self.turns.clear();
        self.steps.clear();
        for joint in 0..tree.joints.len() {
            let (world, place, turn) = match tree.skeleton.parents[joint] {
                None if joint == root => (DQuat::IDENTITY, tree.joints[root], DVec3::ZERO),
                None => {
                    let world = (back * DQuat::from_scaled_axis(pose.turns[joint])).normalize();
                    let place = back * (pose.places[joint] - self.whole.1) + tree.joints[root];
                    (world, place, rotation_vector(world))
                }
                Some(parent) => {
                    let turn = pose.turns[joint];
                    let way = tree.joints[joint] - tree.joints[parent] + pose.places[joint];
                    let world = (self.world[parent] * exp(turn)).normalize();
                    (world, self.places[parent] + self.world[parent] * way, turn)
                }
            };
            // Further roots are against the first, which is where it rests.
            let shift = match tree.skeleton.parents[joint] {
                Some(_) => pose.places[joint],
                None => place - tree.joints[joint],
            };
            self.steps.push(Step { turn: DMat3::from_quat(exp(turn)) - DMat3::IDENTITY, shift });
            self.world.push(world);
            self.places.push(place);
            self.turns.push(turn);
        }
        for &[a, b] in pairs {
            let (a, b) = (a as usize, b as usize);
            let back = self.world[a].inverse();
            let between = rotation_vector(back * self.world[b]);
            let way = tree.way(a, b, &self.turns);
            let apart = tree.joints[b] - tree.joints[a];
            let shift = back * (self.places[b] - self.places[a]) - apart;
            self.steps.push(Step { turn: DMat3::from_quat(back * self.world[b]) - DMat3::IDENTITY, shift });
            self.turns.push(nearest_turn(between, way));
        }
        let steps = self.steps.iter().zip(&self.turns);
        let swellings =
            lines.iter().zip(steps).map(|(line, (step, turn))| line.swelling(|place| step.way(place), *turn));
        self.swellings.clear();
        self.swellings.extend(swellings);
    }

    /// Where a joint takes a point of the rest pose, seen from the first root.
    pub fn carried(&self, tree: &Tree, joint: usize, p: DVec3) -> DVec3 {
        self.places[joint] + self.world[joint] * (p - tree.joints[joint])
    }
}

/// Adds to the share of a joint in a list.
pub(super) fn add_share(shares: &mut Vec<(u32, f32)>, joint: u32, share: f32) {
    match shares.iter_mut().find(|known| known.0 == joint) {
        Some(known) => known.1 += share,
        None => shares.push((joint, share)),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/deform_tree.rs"]
mod tests;
