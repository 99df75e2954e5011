//! Rotations blended along the tree of joints.
//!
//! Section 2.2 of the paper blends log-quaternions relative to one of the rotations. Which one makes a
//! difference as soon as three joints share a triangle, and the logarithm jumps where a joint and a far one
//! are half a turn apart, as the ends of a curled finger are. So the blend goes down the tree instead, from
//! the lowest joint above all that count: R = R_top · Π exp(Σ_c H_c · log t_c), with t_c the turn of joint c
//! against its parent, H_c the influence of c and all below it, one factor for the children of each joint on
//! the way. It is smooth in the influences, turns with the whole skeleton, is slerp between parent and
//! child, and only a joint that itself turns half a circle against its parent has two ways to go ([`Pose`]).
//!
//! Two joints alone that are not parent and child, such as both hips, are blended by slerp too: along the
//! turn between them that is nearest to the sum of the turns on the way through the tree.

use glam::{DMat3, DQuat, DVec3};

use super::bend::{Bend, Bends};
use super::pose::{Pose, nearest_turn};
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
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    depths: Vec<usize>,
}

/// One share of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    /// The joint that turns, or, after all joints, a pair of them.
    turn: u32,
    share: f32,
    /// Whether the shares up to here make a factor.
    whole: bool,
    bend: Bend,
}

/// How the rotations of many elements are blended.
#[derive(Clone, Debug, Default)]
pub(super) struct Blends {
    /// Pairs of joints that are not parent and child and have elements to themselves.
    pairs: Vec<[u32; 2]>,
    tops: Vec<u32>,
    starts: Vec<u32>,
    terms: Vec<Term>,
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
        let children = Skeleton { parents: parents.clone() }.children();
        Self { skeleton: skeleton.clone(), joints: joints.to_vec(), root, parents, children, depths }
    }

    pub fn children(&self, joint: usize) -> &[usize] {
        &self.children[joint]
    }

    pub fn depth(&self, joint: usize) -> usize {
        self.depths[joint]
    }

    /// The joints of a list and all that carry them, but the root, with their influence and that of all below.
    pub fn with_ancestors(&self, influences: &[(u32, f32)]) -> Vec<(u32, f32)> {
        let mut out: Vec<(u32, f32)> = Vec::new();
        for &(joint, share) in influences {
            let mut next = Some(joint as usize);
            while let Some(joint) = next.filter(|&joint| joint != self.root) {
                match out.iter_mut().find(|entry| entry.0 as usize == joint) {
                    Some(entry) => entry.1 += share,
                    None => out.push((joint as u32, share)),
                }
                next = self.parents[joint];
            }
        }
        out
    }

    fn meet(&self, mut a: usize, mut b: usize) -> usize {
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
    /// Fills in the rotations of a pose. Allocates only the first time.
    pub fn set(&mut self, tree: &Tree, blends: &Blends, pose: &Pose) {
        let root = tree.root;
        self.whole = (DQuat::from_scaled_axis(pose.turns[root]), pose.places[root]);
        let back = self.whole.0.inverse();
        self.world.clear();
        self.places.clear();
        self.turns.clear();
        for joint in 0..tree.joints.len() {
            let (world, place, turn) = match tree.skeleton.parents[joint] {
                None if joint == root => (DQuat::IDENTITY, tree.joints[root], DVec3::ZERO),
                None => {
                    let world = (back * DQuat::from_scaled_axis(pose.turns[joint])).normalize();
                    let place = back * (pose.places[joint] - self.whole.1) + tree.joints[root];
                    (world, place, rotation_vector(world))
                }
                Some(parent) => {
                    let (turn, way) = (pose.turns[joint], tree.joints[joint] - tree.joints[parent]);
                    let world = (self.world[parent] * exp(turn)).normalize();
                    (world, self.places[parent] + self.world[parent] * way, turn)
                }
            };
            self.world.push(world);
            self.places.push(place);
            self.turns.push(turn);
        }
        for &[a, b] in &blends.pairs {
            let (a, b) = (a as usize, b as usize);
            let between = rotation_vector(self.world[a].inverse() * self.world[b]);
            let way = tree.way(a, b, &self.turns);
            self.turns.push(nearest_turn(between, way));
        }
    }

    /// Where a joint takes a point of the rest pose, seen from the first root.
    pub fn carried(&self, tree: &Tree, joint: usize, p: DVec3) -> DVec3 {
        self.places[joint] + self.world[joint] * (p - tree.joints[joint])
    }
}

impl Blends {
    /// Plans the blends of elements, given the joints and influences of each, which sum to one.
    pub fn new<'a>(tree: &Tree, elements: impl Iterator<Item = &'a [(u32, f32)]>) -> Self {
        let mut out = Self { starts: vec![0], ..Self::default() };
        let mut below = vec![0.0_f32; tree.parents.len()];
        for influences in elements {
            out.push(tree, influences, &mut below);
        }
        out
    }

    fn push(&mut self, tree: &Tree, influences: &[(u32, f32)], below: &mut [f32]) {
        let joints = influences.iter().map(|i| i.0 as usize);
        let top = joints.reduce(|a, b| tree.meet(a, b)).expect("an influence");
        let alone = match *influences {
            [(a, _), (b, share)] if a as usize != top && b as usize != top => Some(([a, b], share)),
            [(a, x), (b, y)] => {
                let (low, share) = if a as usize == top { (b, y) } else { (a, x) };
                let adjacent = tree.parents[low as usize] == Some(top);
                (!adjacent).then_some(([top as u32, low], share))
            }
            _ => None,
        };
        if let Some((pair, share)) = alone {
            let known = self.pairs.iter().position(|p| *p == pair);
            let number = known.unwrap_or(self.pairs.len());
            if known.is_none() {
                self.pairs.push(pair);
            }
            self.tops.push(pair[0]);
            self.terms.push(Term {
                turn: (tree.parents.len() + number) as u32,
                share,
                whole: true,
                bend: Bend::default(),
            });
        } else {
            self.tops.push(top as u32);
            self.push_factors(tree, top, influences, below);
        }
        self.starts.push(self.terms.len() as u32);
    }

    /// The factors of all joints between `top` and those that count.
    fn push_factors(&mut self, tree: &Tree, top: usize, influences: &[(u32, f32)], below: &mut [f32]) {
        let mut way: Vec<(usize, usize)> = Vec::new();
        for &(joint, share) in influences {
            let mut joint = joint as usize;
            while joint != top {
                if below[joint] == 0.0 {
                    way.push((tree.parents[joint].expect("below the top"), joint));
                }
                below[joint] += share;
                joint = tree.parents[joint].expect("below the top");
            }
        }
        way.sort_unstable();
        for (i, &(parent, joint)) in way.iter().enumerate() {
            let whole = way.get(i + 1).is_none_or(|next| next.0 != parent);
            self.terms.push(Term {
                turn: joint as u32,
                share: below[joint].min(1.0),
                whole,
                bend: Bend::default(),
            });
        }
        way.iter().for_each(|&(_, joint)| below[joint] = 0.0);
    }

    /// Notes how the turns bend the elements, which are the triangles of a surface.
    pub fn set_bends(&mut self, bends: &Bends, joints: usize) {
        for element in 0..self.len() {
            for term in &mut self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
                term.bend = match (term.turn as usize).checked_sub(joints) {
                    None => bends.of_joint(element, term.turn),
                    Some(pair) => bends.of_pair(element, self.pairs[pair][1]),
                };
            }
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// How the turns of a pose bend an element, beyond turning it.
    #[inline]
    pub fn bend(&self, element: usize, turned: &Turned) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for term in &self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
            term.bend.add(turned.turns[term.turn as usize], &mut sum);
        }
        sum
    }

    /// The blended rotation of an element.
    #[inline]
    pub fn rotation(&self, element: usize, turned: &Turned) -> DQuat {
        let mut rotation = turned.world[self.tops[element] as usize];
        let mut sum = DVec3::ZERO;
        for term in &self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
            sum += turned.turns[term.turn as usize] * f64::from(term.share);
            if term.whole {
                rotation *= exp(sum);
                sum = DVec3::ZERO;
            }
        }
        rotation
    }
}

/// The rotation by a turn.
#[inline]
pub(super) fn exp(turn: DVec3) -> DQuat {
    let squared = 0.25 * turn.length_squared();
    let (over, cos) = if squared < SHORT { short(squared) } else { long(squared.sqrt()) };
    let v = turn * (0.5 * over);
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The square of a half turn up to which series are as exact as anything: turns by up to 229°.
const SHORT: f64 = 4.0;

/// What each term of a series is of the one before, from the last to the first: −1/(n (n + step)).
const fn shares(step: f64) -> [f64; 11] {
    let mut out = [0.0; 11];
    let mut i = 0;
    while i < 11 {
        let n = 22.0 - 2.0 * i as f64;
        out[i] = -1.0 / (n * (n + step));
        i += 1;
    }
    out
}

/// sin x / x and cos x for the square of a short x, by their series.
#[inline]
fn short(squared: f64) -> (f64, f64) {
    const SIN: [f64; 11] = shares(1.0);
    const COS: [f64; 11] = shares(-1.0);
    let mut sums = (1.0, 1.0);
    for i in 0..11 {
        sums = (1.0 + squared * SIN[i] * sums.0, 1.0 + squared * COS[i] * sums.1);
    }
    sums
}

/// The same for any x.
fn long(x: f64) -> (f64, f64) {
    let (sin, cos) = x.sin_cos();
    (sin / x, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::angle_between;
    use crate::rig::JointPose;
    use proptest::prelude::*;

    /// A chain of three with a second child of the first, and a root of its own.
    fn skeleton() -> Skeleton {
        Skeleton { parents: vec![None, Some(0), Some(1), Some(0), None] }
    }

    fn blended(pose: &Pose, influences: &[(u32, f32)]) -> (DQuat, Turned) {
        let mut turned = Turned::default();
        let tree = Tree::new(&skeleton(), &[DVec3::ZERO; 5]);
        let blends = Blends::new(&tree, [influences].into_iter());
        turned.set(&tree, &blends, pose);
        (blends.rotation(0, &turned), turned)
    }

    fn pose(turns: &[[f64; 3]]) -> Pose {
        Pose {
            turns: turns.iter().map(|t| DVec3::from(*t)).collect(),
            places: vec![DVec3::ZERO; turns.len()],
        }
    }

    fn turns(most: f64) -> impl Strategy<Value = Vec<[f64; 3]>> {
        prop::collection::vec(prop::array::uniform3(-most..most), 5)
    }

    proptest! {
        #[test]
        fn one_joint_is_followed_and_two_are_slerp(
            turns in turns(0.7), a in 0..5_u32, b in 0..5_u32, share in 0.0..1.0_f32,
        ) {
            prop_assume!(a != b);
            let pose = pose(&turns);
            let (one, turned) = blended(&pose, &[(a, 1.0)]);
            prop_assert!(angle_between(one, turned.world[a as usize]) < 1e-7);
            let (two, _) = blended(&pose, &[(a, 1.0 - share), (b, share)]);
            let slerp = turned.world[a as usize].slerp(turned.world[b as usize], f64::from(share));
            prop_assert!(angle_between(two, slerp) < 1e-5, "{} of {:?}", angle_between(two, slerp), pose);
        }

        #[test]
        fn the_blend_turns_with_the_skeleton(
            turns in turns(1.5), whole in prop::array::uniform4(-1.0..1.0_f64),
            shares in prop::array::uniform5(0.01..1.0_f32),
        ) {
            prop_assume!(whole.iter().map(|x| x * x).sum::<f64>() > 0.01);
            let whole = DQuat::from_array(whole).normalize();
            let sum: f32 = shares.iter().sum();
            let influences: Vec<(u32, f32)> = (0..).zip(shares.map(|s| s / sum)).collect();
            let first = pose(&turns);
            let mut turned = JointPose { turns: first.joint_pose().turns, places: first.places.clone() };
            for root in [0, 4] {
                turned.turns[root] = whole * turned.turns[root];
            }
            let (before, was) = blended(&first, &influences);
            let (after, is) = blended(&Pose::from(&turned), &influences);
            prop_assert!(angle_between(after, before) < 1e-6);
            prop_assert!(angle_between(is.whole.0, whole * was.whole.0) < 1e-6);
        }

        #[test]
        fn exp_is_the_exponential(turn in prop::array::uniform3(-4.0..4.0_f64), small in 0.0..1.0_f64) {
            let turn = DVec3::from(turn) * small * small * small;
            let (got, wanted) = (exp(turn), DQuat::from_scaled_axis(turn));
            prop_assert!((got - wanted).length() < 1e-12);
        }
    }

    #[test]
    fn a_curled_finger_does_not_flip() {
        // Two joints by 120° each: the far end is 240° from the near one.
        let turn = [0.0, 0.0, 120_f64.to_radians()];
        let none = [0.0; 3];
        let pose = pose(&[none, turn, turn, none, none]);
        for influences in [[(0, 0.5), (2, 0.5)].as_slice(), &[(0, 0.25), (1, 0.5), (2, 0.25)]] {
            let (got, _) = blended(&pose, influences);
            let wanted = DQuat::from_rotation_z(120_f64.to_radians());
            assert!(angle_between(got, wanted) < 1e-6, "{influences:?}: {got}");
        }
    }
}
