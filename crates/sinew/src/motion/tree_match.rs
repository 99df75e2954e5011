//! Which joint each limb of a rig follows if the two are in the same pose.
//!
//! What hangs on what is known on both sides, so all bones are matched together, by dynamic programming over
//! the tree of the rig: the way from each bone to the next should have the direction of the way between their
//! joints. Lengths count little. Then the source's segments are given the lengths of the rig, as far as the
//! match tells them, and bones are matched again, now by places too, a few times over.

use glam::{DQuat, DVec3};

use super::bone_tree::{BoneTree, Posed};
use super::source_tree::{FittedTree, Link, SourceTree, Target, Way, nearest};
use super::tuning::{MatchingTuning, TUNING};

/// Bones and the joints they follow.
pub(super) struct Match {
    /// By place in [`SourceTree::joints`].
    pub joints: Vec<usize>,
    /// How far apart the two are, on average, in units of the rig: all that counts.
    pub cost: f64,
    /// The mean way from bones to the segments of their joints.
    pub off: f64,
    /// That way for each bone.
    pub ways: Vec<f64>,
    /// The source with the lengths of the rig, as it faces.
    pub fitted: FittedTree,
}

/// A rig in a pose, turned back so that it faces as the source does.
struct Turned<'a> {
    limbs: &'a BoneTree,
    middles: Vec<DVec3>,
    pivots: Vec<DVec3>,
    weights: Vec<f64>,
}

/// Matches limbs with segments that are turned by `facing` (radians about the vertical) and made about `scale`
/// times as large.
pub(super) fn matched(
    limbs: &BoneTree,
    posed: &Posed,
    source: &SourceTree,
    facing: f64,
    scale: f64,
    rounds: usize,
) -> Match {
    let turned = Turned::new(limbs, posed, facing);
    let nothing = vec![vec![0.0; source.joints.len()]; turned.middles.len()];
    let (mut joints, mut cost) = turned.choose(source, scale, &nothing);
    let mut fitted = source.placed(&turned.targets(source, &joints), scale);
    for _ in 0..rounds {
        fitted = source.fitted(&turned.targets(source, &joints), &fitted);
        (joints, cost) = turned.choose(source, fitted.scale, &turned.places(&fitted));
    }
    turned.finished(source, joints, cost, fitted)
}

/// Matches limbs with segments where the source stands.
pub(super) fn as_it_stands(limbs: &BoneTree, posed: &Posed, source: &SourceTree) -> Match {
    let turned = Turned::new(limbs, posed, 0.0);
    let fitted = source.as_it_stands();
    let (joints, cost) = turned.choose(source, 1.0, &turned.places(&fitted));
    turned.finished(source, joints, cost, fitted)
}

impl<'a> Turned<'a> {
    fn new(limbs: &'a BoneTree, posed: &Posed, facing: f64) -> Self {
        let back = DQuat::from_rotation_y(-facing);
        let n = limbs.shares.len() as f64;
        let [least, most] = TUNING.matching.bone_weights;
        Self {
            limbs,
            middles: posed.middles.iter().map(|p| back * *p).collect(),
            pivots: posed.pivots.iter().map(|p| back * *p).collect(),
            weights: limbs.shares.iter().map(|share| (share * n).sqrt().clamp(least, most)).collect(),
        }
    }

    /// What places cost: for each bone and joint.
    fn places(&self, fitted: &FittedTree) -> Vec<Vec<f64>> {
        let cost = |(at, weight): (&DVec3, &f64)| {
            let off = |segments: &Vec<[DVec3; 2]>| nearest(segments, *at).2.distance(*at);
            fitted.segments.iter().map(|segments| TUNING.matching.place * weight * off(segments)).collect()
        };
        self.middles.iter().zip(&self.weights).map(cost).collect()
    }

    fn finished(&self, source: &SourceTree, joints: Vec<usize>, cost: f64, fitted: FittedTree) -> Match {
        let total: f64 = self.weights.iter().sum();
        let cost = cost / total + TUNING.matching.left_out * left_out(source, &joints) * fitted.scale;
        let way = |(at, &joint): (&DVec3, &usize)| nearest(&fitted.segments[joint], *at).2.distance(*at);
        let ways: Vec<f64> = self.middles.iter().zip(&joints).map(way).collect();
        let off = ways.iter().zip(&self.weights).map(|(way, weight)| way * weight).sum::<f64>() / total;
        Match { joints, cost, off, ways, fitted }
    }

    /// Bones are to lie on what they follow, and to hang on others where joints do.
    fn targets(&self, source: &SourceTree, joints: &[usize]) -> Vec<Target> {
        let Self { limbs, middles, pivots, weights } = self;
        let mut targets = Vec::new();
        for (bone, &joint) in joints.iter().enumerate() {
            targets.push(Target { joint, at: middles[bone], weight: weights[bone], is_joint: false });
            let Some(parent) = limbs.parents[bone] else { continue };
            let above = joints[parent];
            let lower = match (source.hangs_on(joint, above), source.hangs_on(above, joint)) {
                (true, _) => Some(joint),
                (_, true) => Some(above),
                _ => None,
            };
            if let Some(joint) = lower {
                let weight = weights[bone].min(weights[parent]);
                targets.push(Target { joint, at: pivots[bone], weight, is_joint: true });
            }
        }
        targets
    }

    /// The joints such that costs of places and of the ways between are least, and what they cost.
    fn choose(&self, source: &SourceTree, scale: f64, places: &[Vec<f64>]) -> (Vec<usize>, f64) {
        let Self { limbs, middles, pivots, weights } = self;
        let (n, joints) = (middles.len(), source.joints.len());
        let mut totals = places.to_vec();
        let mut best_below = vec![Vec::new(); n];
        for &bone in limbs.order.iter().rev() {
            let Some(parent) = limbs.parents[bone] else { continue };
            let (own, pivot, above) = (middles[bone], pivots[bone], middles[parent]);
            let ours = [own - above, pivot - above, own - pivot].map(Way::new);
            let mut best = vec![(0, f64::INFINITY); joints];
            for (above, best) in best.iter_mut().enumerate() {
                for (own, link) in source.links[above * joints..(above + 1) * joints].iter().enumerate() {
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
    let MatchingTuning { legs: in_legs, detour: by_detour, same_joint, same_at_branch, .. } = TUNING.matching;
    let [whole, legs @ ..] = ours;
    if is_same {
        let (off, size) = (whole.length - link.whole.length * scale, whole.length);
        if link.whole.direction == DVec3::ZERO {
            return off.max(0.0) + same_at_branch * size;
        }
        let x = size * whole.direction.dot(link.whole.direction).abs();
        let aside = (size * size - x * x).max(0.0).sqrt();
        return aside + (x - link.whole.length * scale).max(0.0) + same_joint * size;
    }
    let detour = (link.along * scale - whole.length.max(link.whole.length * scale)).max(0.0);
    let off = match &link.legs {
        Some(theirs) => in_legs * legs.iter().zip(theirs).map(|(a, b)| off(a, b, scale)).sum::<f64>(),
        None => off(whole, &link.whole, scale),
    };
    off + by_detour * detour
}

fn off(ours: &Way, theirs: &Way, scale: f64) -> f64 {
    let by_length = TUNING.matching.length;
    let length = theirs.length * scale;
    let x = ours.length * ours.direction.dot(theirs.direction);
    if x < 0.0 {
        return ours.length + by_length * length;
    }
    (ours.length * ours.length - x * x).max(0.0).sqrt() + by_length * (x - length).abs()
}

/// How long the limbs are that no bone follows.
fn left_out(source: &SourceTree, joints: &[usize]) -> f64 {
    let mut followed = vec![false; source.joints.len()];
    joints.iter().for_each(|&joint| followed[joint] = true);
    (0..followed.len())
        .filter(|&j| !followed[j])
        .map(|j| source.links[j * (followed.len() + 1)].whole.length)
        .sum()
}
