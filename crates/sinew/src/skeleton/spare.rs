//! Joints that do not earn their place, once all that are left have settled.
//!
//! What a joint is worth is told by the error without it, all others having found their places anew: a part in a bend
//! that two bones make together, or the second of two joints that share the work of one, is worth little then, however
//! much is lost while the others stay where they are. Two kinds of joints go:
//!
//! - hollow ones, that carry next to nothing of the surface themselves: they stand for a limb that slides, or for the
//!   rest of a part that another joint took over. Such a root hands over to a neighbour.
//! - those that explain less than the noise: what so many parts as were found at first leave over.

use super::contacts::extents;
use super::{Sampled, SkeletonFit, SpareTuning, TUNING, dev};
use crate::progress::Cancelled;

const TUNED: SpareTuning = TUNING.spare;

/// Takes out hollow joints, the one missed least first.
pub(super) fn drop_hollow(on: Sampled, fit: &mut SkeletonFit) -> Result<(), Cancelled> {
    while fit.len() > 1 {
        let points = on.samples.rest.len() as f64;
        let own = extents(on.samples, &fit.weights, fit.len()).0;
        let hollow = |k: &usize| own[*k] < dev("HOLLOW", TUNED.hollow) * points;
        let parents = &fit.articulation.skeleton.parents;
        let mut tried: Vec<usize> = (1..fit.len()).filter(hollow).collect();
        if hollow(&0) {
            tried.extend((1..fit.len()).filter(|&k| parents[k] == Some(0) && !hollow(&k)));
        }
        let Some((loss, other)) = least_missed(on, fit, &tried, dev("HREFIT", 0.0) > 0.0)? else { break };
        if dev("SHOW", 0.0) > 0.0 {
            eprintln!("hollow {tried:?} of {}: loss {loss:.3}", fit.len());
        }
        if loss > dev("HCAP", TUNED.most_hollow) {
            break;
        }
        *fit = other;
    }
    Ok(())
}

/// Takes out joints that explain less than the `noise`, in percent.
pub(super) fn drop_spare(on: Sampled, fit: &mut SkeletonFit, noise: f64) -> Result<(), Cancelled> {
    while fit.len() > 1 {
        let left = fit.residuals(on.samples);
        let blends = left.blends(|_| true);
        let lost = left.losses(&vec![true; fit.len()], &blends);
        let strains = fit.strains(&super::parts::sizes(&blends, fit.len()));
        let mut order: Vec<(f64, usize)> = (1..fit.len()).map(|k| (lost[k] + strains[k], k)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let tried: Vec<usize> = order.iter().take(dev("STRIED", TUNED.tried as f64) as usize).map(|o| o.1).collect();
        let Some((loss, other)) = least_missed(on, fit, &tried, true)? else { break };
        if loss > noise {
            break;
        }
        *fit = other;
    }
    Ok(())
}

/// Of the skeletons without one of some joints the best, all other joints settled, and what it loses, in percent.
fn least_missed(
    on: Sampled,
    fit: &SkeletonFit,
    tried: &[usize],
    joints_too: bool,
) -> Result<Option<(f64, SkeletonFit)>, Cancelled> {
    let left = fit.residuals(on.samples);
    let mut best: Option<SkeletonFit> = None;
    for &k in tried {
        let mut other = fit.without(on, k, &left)?;
        other.fit_turns(on.progress)?;
        if joints_too {
            other.settle_weights_first(on, dev("SROUNDS", 1.0) as usize)?;
        } else {
            other.fit_weights(on)?;
            other.fit_turns(on.progress)?;
        }
        if best.as_ref().is_none_or(|best| other.error < best.error) {
            best = Some(other);
        }
    }
    Ok(best.map(|other| (on.samples.percent((other.error - fit.error).max(0.0)), other)))
}
