//! Joints that carry next to nothing of the surface themselves: hollow ones.
//!
//! They stand for a limb that slides a little on what it hangs on, or for the rest of a part that others took over. How
//! much one is worth shows only once all others have found their places without it, and these are told by the motion of
//! the two parts that then meet, not by where the joints on either side of it were.

use super::contacts::extents;
use super::{Sampled, SkeletonFit, SpareTuning, TUNING};
use crate::progress::Cancelled;

const TUNED: SpareTuning = TUNING.spare;
/// Rounds of joints and weights after a joint went.
const ROUNDS: usize = 2;

/// Takes out hollow joints while little is lost, the one missed least first.
pub(super) fn drop_hollow(on: Sampled, fit: &mut SkeletonFit) -> Result<(), Cancelled> {
    root_on_surface(on, fit)?;
    loop {
        let own = extents(on.samples, &fit.weights, fit.len()).0;
        let mut best: Option<SkeletonFit> = None;
        for joint in (1..fit.len()).filter(|&k| is_hollow(on, own[k])) {
            let other = without(on, fit, joint)?;
            if best.as_ref().is_none_or(|best| other.error < best.error) {
                best = Some(other);
            }
        }
        let Some(best) = best else { return Ok(()) };
        if on.samples.percent((best.error - fit.error).max(0.0)) > TUNED.most_lost {
            return Ok(());
        }
        *fit = best;
    }
}

/// How many joints are hollow.
pub(super) fn hollow(on: Sampled, fit: &SkeletonFit) -> usize {
    extents(on.samples, &fit.weights, fit.len()).0.into_iter().filter(|own| is_hollow(on, *own)).count()
}

fn is_hollow(on: Sampled, own: f64) -> bool {
    own < TUNED.hollow * on.samples.rest.len() as f64
}

/// Hangs all from the heaviest neighbour of a hollow root: what is not the root can go.
fn root_on_surface(on: Sampled, fit: &mut SkeletonFit) -> Result<(), Cancelled> {
    let own = extents(on.samples, &fit.weights, fit.len()).0;
    let beside = fit.articulation.skeleton.links().filter(|l| l.1 == 0).map(|l| l.0);
    let heaviest = beside.max_by(|&a, &b| own[a].total_cmp(&own[b]));
    if let Some(heaviest) = heaviest.filter(|_| is_hollow(on, own[0])) {
        *fit = fit.hung_from(on, heaviest)?;
    }
    Ok(())
}

/// The skeleton without a joint, all others settled.
pub(super) fn without(on: Sampled, fit: &SkeletonFit, joint: usize) -> Result<SkeletonFit, Cancelled> {
    let mut other = fit.without(on, joint, &fit.residuals(on.samples))?;
    let orphans = fit.articulation.skeleton.links().filter(|l| l.1 == joint).map(|l| l.0);
    // Numbers beyond the joint that went are one less.
    orphans.for_each(|k| other.rejoin(k - usize::from(k > joint)));
    other.fit_turns(on.progress)?;
    other.settle(on, ROUNDS)?;
    Ok(other)
}
