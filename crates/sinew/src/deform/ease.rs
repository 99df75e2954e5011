//! Limbs that bend as tubes do and end where bones do.
//!
//! A tube that bends keeps its length and goes around the corner in an arc: what is beyond comes to lie farther out than
//! bones that meet in a point would carry it. Where the end of such a limb is held (`held`), it would have to get shorter,
//! and lose volume. So the gradients that are asked for are those of a limb that bends a little more: the parts before and
//! behind the joint are turned so far that the next joint comes to lie where the bones carry it.
//!
//! How far a joint's bend leaves what is beyond, d = ∫ exp(h l) m'(h) dh − (J − m(0)) − exp(l) (m(1) − J), follows from its
//! turn l, its place J and the middle line m of the surface around it (`bend`). The turns α before and β behind the joint
//! solve α × (e − p) + β × (e − J) = −d, the shortest that do; p and e are the places of the joints before and behind.

use glam::{DMat3, DQuat, DVec3};

use super::exp::exp;
use super::pose::{Pose, nearest_turn};
use super::tree::{Tree, Turned};
use super::tuning::TUNING;
use crate::geometry::rotation_vector;

/// Places and weights of Gauss's rule with four points from 0 to 1.
const RULE: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// The joints whose bends are eased.
#[derive(Clone, Debug, Default)]
pub(super) struct Easing {
    joints: Vec<Eased>,
}

/// The turns of a pose whose bends are eased.
#[derive(Clone, Debug, Default)]
pub(super) struct EasedTurns {
    pub turned: Turned,
    pose: Pose,
    /// How much further each joint is turned, in the world.
    more: Vec<DVec3>,
}

#[derive(Clone, Debug)]
struct Eased {
    joint: usize,
    parent: usize,
    /// The joint behind it.
    next: usize,
    /// Whether the part before it may be turned: nothing else hangs there.
    before: bool,
    /// From the joint to where the middle line begins and ends.
    line: [DVec3; 2],
    /// The slopes of the middle line at the places of [`RULE`], with their weights.
    slopes: [DVec3; 4],
}

impl Easing {
    /// Of the joints for which `middle` has the coefficients of a middle line; `moves` tells those that move something.
    pub fn new(tree: &Tree, moves: &[bool], middle: impl Fn(usize) -> [DVec3; 3]) -> Self {
        let next = |joint: usize| {
            let mut children = tree.children[joint].iter().copied().filter(|&child| moves[child]);
            children.next().filter(|_| children.next().is_none())
        };
        let eased = |joint: usize| {
            let (parent, behind) = (tree.parents[joint]?, next(joint)?);
            let [a, b, c] = middle(joint);
            if b == DVec3::ZERO || !moves[joint] || tree.skeleton.parents[joint].is_none() {
                return None;
            }
            let at = |h: f64| a + (h - 0.5) * (b + (h - 0.5) * c) - tree.joints[joint];
            Some(Eased {
                joint,
                parent,
                next: behind,
                before: parent != tree.root && next(parent) == Some(joint),
                line: [at(0.0), at(1.0)],
                slopes: RULE.map(|(h, weight)| weight * (b + 2.0 * (h - 0.5) * c)),
            })
        };
        Self { joints: (0..tree.joints.len()).filter_map(eased).collect() }
    }
}

impl EasedTurns {
    /// Sets the turns that are asked for instead of those of a pose, given that pose `turned`. Allocates only the first
    /// time.
    pub fn set(&mut self, easing: &Easing, tree: &Tree, pairs: &[[u32; 2]], pose: &Pose, turned: &Turned) {
        let Self { pose: out, more, turned: eased } = self;
        out.turns.clone_from(&pose.turns);
        out.places.clone_from(&pose.places);
        more.clear();
        more.resize(tree.joints.len(), DVec3::ZERO);
        for eased in &easing.joints {
            let turn = pose.turns[eased.joint];
            if turn.length_squared() < 1e-12 {
                continue;
            }
            let off = turned.world[eased.parent] * eased.off(turn);
            let [place, from, to] = [eased.joint, eased.parent, eased.next].map(|joint| turned.places[joint]);
            let [before, behind] =
                turns(if eased.before { to - from } else { DVec3::ZERO }, to - place, -off);
            more[eased.parent] += before;
            more[eased.joint] += before + behind;
        }
        let world = |joint: usize| DQuat::from_scaled_axis(more[joint]) * turned.world[joint];
        for joint in 0..tree.joints.len() {
            let Some(parent) = tree.skeleton.parents[joint] else { continue };
            if more[joint] != DVec3::ZERO || more[parent] != DVec3::ZERO {
                let turn = rotation_vector((world(parent).inverse() * world(joint)).normalize());
                out.turns[joint] = nearest_turn(turn, pose.turns[joint]);
            }
        }
        eased.set(tree, pairs, out);
    }
}

impl Eased {
    /// How far its bend leaves what is behind it, in the axes of its parent.
    fn off(&self, turn: DVec3) -> DVec3 {
        let arc = RULE.iter().zip(&self.slopes).map(|((h, _), slope)| exp(*h * turn) * *slope);
        let [begin, end] = self.line;
        begin + arc.sum::<DVec3>() - exp(turn) * end
    }
}

/// The shortest turns of two ways that add up to a shift, a little damped: ways in one line give in to no shift along it.
fn turns(before: DVec3, behind: DVec3, shift: DVec3) -> [DVec3; 2] {
    let across = |way: DVec3| {
        let outer = DMat3::from_cols(way * way.x, way * way.y, way * way.z);
        DMat3::from_diagonal(DVec3::splat(way.length_squared())) - outer
    };
    let size = before.length_squared() + behind.length_squared();
    let damped = DMat3::from_diagonal(DVec3::splat(TUNING.ease_damping * size + f64::MIN_POSITIVE));
    let pull = (across(before) + across(behind) + damped).inverse() * shift;
    let pull = if pull.is_finite() { pull } else { DVec3::ZERO };
    // α × w is to go along the pull: α = w × pull.
    let most = |turn: DVec3| turn.clamp_length_max(TUNING.most_ease);
    [most(before.cross(pull)), most(behind.cross(pull))]
}
