//! Which joint each limb of a rig follows if the two are in the same pose.
//!
//! What hangs on what is known on both sides, so all bones are matched together, by dynamic programming over
//! the tree of the rig: the way from each bone to the next should have the direction of the way between their
//! joints. Lengths count little. Then the source's sticks are given the lengths of the rig, as far as the
//! match tells them, and bones are matched again, now by places too, a few times over.

use glam::{DQuat, DVec3};

use super::limbs::{Limbs, Posed};
use super::stick::{Link, Stick, Stretched, Way, Wish, nearest};

/// How much lengths count beside directions.
const LENGTH: f64 = 0.3;
/// How much a way counts that is looked at in two legs, over the point where the bones hang together.
const LEGS: f64 = 0.7;
/// How much it counts if joints are farther apart along the sticks than their bones are.
const DETOUR: f64 = 0.3;
/// How much the distance between bones counts that follow one joint: one with a single stick, and one at
/// which a figure branches, where it would be free for all otherwise.
const SAME: f64 = 0.3;
const SAME_AT_BRANCH: f64 = 0.8;
/// How much places count beside the ways between them.
const PLACE: f64 = 0.5;
/// How much it counts if no bone follows a limb.
const LEFT_OUT: f64 = 0.1;
/// Bounds for how much a bone counts beside others, by its surface.
const WEIGHTS: (f64, f64) = (0.05, 2.0);

/// Bones and the joints they follow.
pub(super) struct Match {
    /// By place in [`Stick::joints`].
    pub joints: Vec<usize>,
    /// How far apart the two are, on average, in units of the rig: all that counts.
    pub cost: f64,
    /// The mean way from bones to the sticks of their joints.
    pub off: f64,
    /// That way for each bone.
    pub ways: Vec<f64>,
    /// The source with the lengths of the rig, as it faces.
    pub figure: Stretched,
}

/// A rig in a pose, turned back so that it faces as the source does.
struct Turned<'a> {
    limbs: &'a Limbs,
    middles: Vec<DVec3>,
    pivots: Vec<DVec3>,
    weights: Vec<f64>,
}

/// Matches limbs with sticks that are turned by `facing` (radians about the vertical) and made about `scale`
/// times as large.
pub(super) fn matched(
    limbs: &Limbs,
    posed: &Posed,
    stick: &Stick,
    facing: f64,
    scale: f64,
    rounds: usize,
) -> Match {
    let turned = Turned::new(limbs, posed, facing);
    let nothing = vec![vec![0.0; stick.joints.len()]; turned.middles.len()];
    let (mut joints, mut cost) = turned.choose(stick, scale, &nothing);
    let mut figure = stick.placed(&turned.wishes(stick, &joints), scale);
    for _ in 0..rounds {
        figure = stick.fitted(&turned.wishes(stick, &joints), &figure);
        (joints, cost) = turned.choose(stick, figure.scale, &turned.places(&figure));
    }
    turned.finished(stick, joints, cost, figure)
}

/// Matches limbs with sticks where the source stands.
pub(super) fn as_it_stands(limbs: &Limbs, posed: &Posed, stick: &Stick) -> Match {
    let turned = Turned::new(limbs, posed, 0.0);
    let figure = stick.as_it_stands();
    let (joints, cost) = turned.choose(stick, 1.0, &turned.places(&figure));
    turned.finished(stick, joints, cost, figure)
}

impl<'a> Turned<'a> {
    fn new(limbs: &'a Limbs, posed: &Posed, facing: f64) -> Self {
        let back = DQuat::from_rotation_y(-facing);
        let n = limbs.shares.len() as f64;
        let (least, most) = WEIGHTS;
        Self {
            limbs,
            middles: posed.middles.iter().map(|p| back * *p).collect(),
            pivots: posed.pivots.iter().map(|p| back * *p).collect(),
            weights: limbs.shares.iter().map(|share| (share * n).sqrt().clamp(least, most)).collect(),
        }
    }

    /// What places cost: for each bone and joint.
    fn places(&self, figure: &Stretched) -> Vec<Vec<f64>> {
        let cost = |(at, weight): (&DVec3, &f64)| {
            let off = |sticks: &Vec<[DVec3; 2]>| nearest(sticks, *at).2.distance(*at);
            figure.sticks.iter().map(|sticks| PLACE * weight * off(sticks)).collect()
        };
        self.middles.iter().zip(&self.weights).map(cost).collect()
    }

    fn finished(&self, stick: &Stick, joints: Vec<usize>, cost: f64, figure: Stretched) -> Match {
        let total: f64 = self.weights.iter().sum();
        let cost = cost / total + LEFT_OUT * left_out(stick, &joints) * figure.scale;
        let way = |(at, &joint): (&DVec3, &usize)| nearest(&figure.sticks[joint], *at).2.distance(*at);
        let ways: Vec<f64> = self.middles.iter().zip(&joints).map(way).collect();
        let off = ways.iter().zip(&self.weights).map(|(way, weight)| way * weight).sum::<f64>() / total;
        Match { joints, cost, off, ways, figure }
    }

    /// Bones are to lie on what they follow, and to hang on others where joints do.
    fn wishes(&self, stick: &Stick, joints: &[usize]) -> Vec<Wish> {
        let Self { limbs, middles, pivots, weights } = self;
        let mut wishes = Vec::new();
        for (bone, &joint) in joints.iter().enumerate() {
            wishes.push(Wish { joint, at: middles[bone], weight: weights[bone], is_joint: false });
            let Some(parent) = limbs.parents[bone] else { continue };
            let above = joints[parent];
            let lower = match (stick.hangs_on(joint, above), stick.hangs_on(above, joint)) {
                (true, _) => Some(joint),
                (_, true) => Some(above),
                _ => None,
            };
            if let Some(joint) = lower {
                let weight = weights[bone].min(weights[parent]);
                wishes.push(Wish { joint, at: pivots[bone], weight, is_joint: true });
            }
        }
        wishes
    }

    /// The joints such that costs of places and of the ways between are least, and what they cost.
    fn choose(&self, stick: &Stick, scale: f64, places: &[Vec<f64>]) -> (Vec<usize>, f64) {
        let Self { limbs, middles, pivots, weights } = self;
        let (n, joints) = (middles.len(), stick.joints.len());
        let mut totals = places.to_vec();
        let mut best_below = vec![Vec::new(); n];
        for &bone in limbs.order.iter().rev() {
            let Some(parent) = limbs.parents[bone] else { continue };
            let ours = [
                middles[bone] - middles[parent],
                pivots[bone] - middles[parent],
                middles[bone] - pivots[bone],
            ];
            let ours = ours.map(Way::new);
            let mut best = vec![(0, f64::INFINITY); joints];
            for (above, best) in best.iter_mut().enumerate() {
                for (own, link) in stick.links[above * joints..(above + 1) * joints].iter().enumerate() {
                    let cost = totals[bone][own] + weights[bone] * apart(&ours, link, above == own, scale);
                    if cost < best.1 {
                        *best = (own, cost);
                    }
                }
            }
            totals[parent].iter_mut().zip(&best).for_each(|(total, (_, cost))| *total += cost);
            best_below[bone] = best.into_iter().map(|(own, _)| own).collect();
        }
        let mut chosen = vec![0; n];
        let mut cost = 0.0;
        for &bone in &limbs.order {
            chosen[bone] = match limbs.parents[bone] {
                Some(parent) => best_below[bone][chosen[parent]],
                None => {
                    let least = |&a: &usize, &b: &usize| totals[bone][a].total_cmp(&totals[bone][b]);
                    let own = (0..joints).min_by(least).unwrap_or(0);
                    cost += totals[bone][own];
                    own
                }
            };
        }
        (chosen, cost)
    }
}

/// How far the way between two bones is from that between their joints.
fn apart(ours: &[Way; 3], link: &Link, is_same: bool, scale: f64) -> f64 {
    let [whole, legs @ ..] = ours;
    if is_same {
        let (off, size) = (whole.length - link.whole.length * scale, whole.length);
        if link.whole.direction == DVec3::ZERO {
            return off.max(0.0) + SAME_AT_BRANCH * size;
        }
        let x = size * whole.direction.dot(link.whole.direction).abs();
        let aside = (size * size - x * x).max(0.0).sqrt();
        return aside + (x - link.whole.length * scale).max(0.0) + SAME * size;
    }
    let detour = (link.along * scale - whole.length.max(link.whole.length * scale)).max(0.0);
    let off = match &link.legs {
        Some(theirs) => LEGS * legs.iter().zip(theirs).map(|(a, b)| off(a, b, scale)).sum::<f64>(),
        None => off(whole, &link.whole, scale),
    };
    off + DETOUR * detour
}

fn off(ours: &Way, theirs: &Way, scale: f64) -> f64 {
    let length = theirs.length * scale;
    let x = ours.length * ours.direction.dot(theirs.direction);
    if x < 0.0 {
        return ours.length + LENGTH * length;
    }
    (ours.length * ours.length - x * x).max(0.0).sqrt() + LENGTH * (x - length).abs()
}

/// How long the limbs are that no bone follows.
fn left_out(stick: &Stick, joints: &[usize]) -> f64 {
    let mut followed = vec![false; stick.joints.len()];
    joints.iter().for_each(|&joint| followed[joint] = true);
    (0..followed.len())
        .filter(|&j| !followed[j])
        .map(|j| stick.links[j * (followed.len() + 1)].whole.length)
        .sum()
}
