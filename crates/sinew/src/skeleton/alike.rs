//! The same joints on both sides of a body.
//!
//! Limbs that mirror each other ([`super::body`]) have joints at the same heights: where the same share of the limb is
//! beyond. A joint that one side alone has is tried on the other as well, a part cut in two at that height; it stays on both
//! if it explains anything there, and goes if it can. So neither noise nor what only one side happens to do decides.

use super::body::Limb;
use super::contacts::extents;
use super::spare::{hollow, without};
use super::{Body, PartTree, Sampled, SearchTuning, SkeletonFit, SpareTuning, TUNING};
use crate::progress::Cancelled;

const TUNED: SpareTuning = TUNING.spare;
const MISSED: SearchTuning = TUNING.search;
/// Rounds of joints and weights after a joint came.
const ROUNDS: usize = 2;

/// Makes the limbs of each pair alike, as far as the motion lets them.
pub(super) fn make_alike(on: Sampled, fit: &mut SkeletonFit) -> Result<(), Cancelled> {
    for _ in 0..TUNED.lone_tried {
        if !mend_one(on, fit)? {
            break;
        }
    }
    Ok(())
}

/// A joint of one limb without a counterpart.
struct Lone {
    joint: usize,
    /// What a loss counts: more the less of the body is beyond.
    matters: f64,
    /// The limb across, and the share of it that should be beyond the joint.
    across: Limb,
    beyond: f64,
}

/// Takes one joint out or gives it a counterpart. `false` where nothing is left to do.
fn mend_one(on: Sampled, fit: &mut SkeletonFit) -> Result<bool, Cancelled> {
    for lone in lone_joints(on, fit) {
        let counts = |error: f64| on.samples.percent(error.max(0.0)) * lone.matters;
        let other = without(on, fit, lone.joint)?;
        if counts(other.error - fit.error) < TUNED.lone {
            *fit = other;
            return Ok(true);
        }
        let Some(mut both) = cut(on, fit, &lone)? else { continue };
        both.fit_turns(on.progress)?;
        both.settle(on, ROUNDS)?;
        if counts(fit.error - both.error) > TUNED.gain && hollow(on, &both) <= hollow(on, fit) {
            *fit = both;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Joints that one limb of a pair has more than the other.
fn lone_joints(on: Sampled, fit: &SkeletonFit) -> Vec<Lone> {
    let tree = PartTree::new(on.samples, &fit.weights, &fit.articulation);
    let Some(body) = Body::find(&tree) else { return Vec::new() };
    let mut lone = Vec::new();
    for pair in [Some(&body.legs), body.arms.as_ref()].into_iter().flatten() {
        // What the root is part of has no outward direction.
        if pair.limbs.iter().any(|limb| limb.parts.contains(&0)) {
            continue;
        }
        let [a, b] = [0, 1].map(|side| heights(fit, &tree.sizes, &pair.limbs[side]));
        let (more, fewer, across) =
            if a.len() >= b.len() { (&a, &b, &pair.limbs[1]) } else { (&b, &a, &pair.limbs[0]) };
        for (joint, beyond) in unmatched(more, fewer) {
            let share = beyond * across.mass / on.samples.rest.len() as f64;
            let matters = share.max(MISSED.small).powf(-MISSED.favour);
            lone.push(Lone { joint, matters, across: across.clone(), beyond });
        }
    }
    lone
}

/// The joints of a limb with the share of it that is beyond each, those nearest to the trunk first.
fn heights(fit: &SkeletonFit, sizes: &[f64], limb: &Limb) -> Vec<(usize, f64)> {
    let parents = &fit.articulation.skeleton.parents;
    let mut below = sizes.to_vec();
    // Parts come after what they hang on.
    for &k in limb.parts.iter().rev() {
        if let Some(parent) = parents[k].filter(|p| limb.parts.contains(p)) {
            below[parent] += below[k];
        }
    }
    let mut heights: Vec<(usize, f64)> = limb.parts.iter().map(|&k| (k, below[k] / limb.mass)).collect();
    heights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    heights
}

/// Those of the more that are left over when each of the fewer has the one nearest to it, in their order.
fn unmatched(more: &[(usize, f64)], fewer: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let (n, m) = (more.len(), fewer.len());
    // costs[i][j]: of the first i of the more and the first j of the fewer.
    let mut costs = vec![vec![f64::INFINITY; m + 1]; n + 1];
    for i in 0..=n {
        costs[i][0] = 0.0;
        for j in 1..=m.min(i) {
            let matched = costs[i - 1][j - 1] + (more[i - 1].1 - fewer[j - 1].1).abs();
            costs[i][j] = matched.min(costs[i - 1][j]);
        }
    }
    let (mut i, mut j) = (n, m);
    let mut left = Vec::new();
    while i > 0 {
        if j < i && costs[i - 1][j] <= costs[i][j] {
            left.push(more[i - 1]);
        } else {
            j -= 1;
        }
        i -= 1;
    }
    left
}

/// The skeleton with a joint more, so that the share beyond it is as wanted.
fn cut(on: Sampled, fit: &SkeletonFit, lone: &Lone) -> Result<Option<SkeletonFit>, Cancelled> {
    let (sizes, _) = extents(on.samples, &fit.weights, fit.len());
    let heights = heights(fit, &sizes, &lone.across);
    let Some(&(part, all)) = heights.iter().rev().find(|h| h.1 > lone.beyond) else { return Ok(None) };
    let own = sizes[part];
    let wanted = lone.beyond * lone.across.mass - (all * lone.across.mass - own);
    let wanted = wanted.clamp(0.2 * own, 0.8 * own);
    let place = fit.articulation.joints[part];
    let parents = &fit.articulation.skeleton.parents;
    let next: Vec<usize> = (0..fit.len()).filter(|&k| parents[k] == Some(part)).collect();
    let far = |v: usize| {
        let p = on.samples.rest[v];
        let to = next.iter().map(|&k| p.distance(fit.articulation.joints[k])).fold(f64::INFINITY, f64::min);
        p.distance(place) - if to.is_finite() { to } else { 0.0 }
    };
    let share = |v: usize| fit.weights.influences(v).find(|u| u.0 == part).map_or(0.0, |u| u.1);
    let points = on.samples.rest.len();
    let mut order: Vec<(f64, usize)> = (0..points).filter(|&v| share(v) > 0.0).map(|v| (far(v), v)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut beyond = vec![false; points];
    let mut sum = 0.0;
    for (_, v) in order {
        if sum >= wanted {
            break;
        }
        beyond[v] = true;
        sum += share(v);
    }
    fit.with_cut(on, part, &beyond)
}
