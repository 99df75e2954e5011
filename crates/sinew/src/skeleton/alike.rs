//! The same joints on both sides of a body.
//!
//! Limbs that mirror each other ([`super::body`]) have joints at the same heights: where the same share of the limb is
//! beyond. A joint that one side alone has is tried on the other as well, a part cut in two at that height; it stays on both
//! if it explains anything there, and goes if it can. So neither noise nor what only one side happens to do decides.

use super::body::Limb;
use super::contacts::extents;
use super::{Body, PartTree, Sampled, SkeletonFit, SpareTuning, TUNING, dev};
use crate::progress::Cancelled;

const TUNED: SpareTuning = TUNING.spare;

/// Makes the limbs of each pair alike, as far as the motion lets them.
pub(super) fn make_alike(on: Sampled, fit: &mut SkeletonFit) -> Result<(), Cancelled> {
    for _ in 0..TUNED.differences {
        if !mend_one(on, fit)? {
            break;
        }
    }
    Ok(())
}

/// A joint of one limb without a counterpart.
struct Lone {
    joint: usize,
    /// The limb across, and the share of it that should be beyond the joint.
    across: Limb,
    beyond: f64,
}

/// Gives one joint a counterpart or takes it out. `false` where nothing is left to do.
fn mend_one(on: Sampled, fit: &mut SkeletonFit) -> Result<bool, Cancelled> {
    let tree = PartTree::new(on.samples, &fit.weights, &fit.articulation);
    let Some(body) = Body::find(&tree) else { return Ok(false) };
    let pairs = [Some(&body.legs), body.arms.as_ref()];
    let mut lone = Vec::new();
    for pair in pairs.into_iter().flatten() {
        // What the root is part of has no outward direction.
        if pair.limbs.iter().any(|limb| limb.parts.contains(&0)) {
            continue;
        }
        let [a, b] = [0, 1].map(|side| heights(fit, &tree, &pair.limbs[side]));
        let (more, fewer, across) =
            if a.len() >= b.len() { (&a, &b, &pair.limbs[1]) } else { (&b, &a, &pair.limbs[0]) };
        for (joint, beyond) in unmatched(more, fewer) {
            lone.push(Lone { joint, across: across.clone(), beyond });
        }
    }
    let left = fit.residuals(on.samples);
    for lone in &lone {
        let mut other = fit.without(on, lone.joint, &left)?;
        other.fit_turns(on.progress)?;
        other.settle_weights_first(on, 1)?;
        let lost = on.samples.percent((other.error - fit.error).max(0.0));
        let mut both = None;
        if let Some(mut cut) = cut(on, fit, lone)? {
            cut.settle(on, 2)?;
            let gained = on.samples.percent((fit.error - cut.error).max(0.0));
            if dev("SHOW", 0.0) > 0.0 {
                eprintln!("lone {} beyond {:.2}: lost {lost:.3} gained {gained:.3}", lone.joint, lone.beyond);
            }
            let own = extents(on.samples, &cut.weights, cut.len()).0;
            let least = own.iter().copied().fold(f64::INFINITY, f64::min);
            if gained > dev("GAIN", TUNED.gain) && least >= TUNED.hollow * on.samples.rest.len() as f64 {
                both = Some(cut);
            }
        }
        if let Some(cut) = both.filter(|_| lost > dev("PRICE", TUNED.noise)) {
            *fit = cut;
            return Ok(true);
        }
        if lost < dev("LONE", TUNED.lone) {
            *fit = other;
            return Ok(true);
        }
    }
    Ok(false)
}

/// The joints of a limb with the share of it that is beyond each, those nearest to the trunk first.
fn heights(fit: &SkeletonFit, tree: &PartTree, limb: &Limb) -> Vec<(usize, f64)> {
    let parents = &fit.articulation.skeleton.parents;
    let mut below = tree.sizes.clone();
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
    let tree = PartTree::new(on.samples, &fit.weights, &fit.articulation);
    let heights = heights(fit, &tree, &lone.across);
    let Some(&(part, all)) = heights.iter().rev().find(|h| h.1 > lone.beyond) else { return Ok(None) };
    let own = tree.sizes[part];
    let wanted = (lone.beyond * lone.across.mass - (all * lone.across.mass - own)).clamp(0.0, own);
    let place = fit.articulation.joints[part];
    let parents = &fit.articulation.skeleton.parents;
    let next: Vec<usize> = (0..fit.len()).filter(|&k| parents[k] == Some(part)).collect();
    let far = |v: usize| {
        let p = on.samples.rest[v];
        let to = next.iter().map(|&k| p.distance(fit.articulation.joints[k])).fold(f64::INFINITY, f64::min);
        p.distance(place) - if to.is_finite() { to } else { 0.0 }
    };
    let share = |v: usize| fit.weights.influences(v).find(|u| u.0 == part).map_or(0.0, |u| u.1);
    let mut order: Vec<(f64, usize)> =
        (0..on.samples.rest.len()).filter(|&v| share(v) > 0.0).map(|v| (far(v), v)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut beyond = vec![false; on.samples.rest.len()];
    let mut sum = 0.0;
    for (_, v) in order {
        if sum >= wanted {
            break;
        }
        beyond[v] = true;
        sum += share(v);
    }
    fit.with_cut(on, part, &beyond).map(Some)
}
