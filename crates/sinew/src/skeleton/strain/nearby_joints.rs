//! Joints that may move each point.

use rayon::prelude::*;

use super::Surface;
use crate::progress::{Cancelled, Progress};
use crate::rig::SkinWeights;

/// How often weights are spread to the neighbours.
const ROUNDS: usize = 10;
/// What is left of a weight that came from too far away.
const LOST: f32 = 1e-5;

/// For every point at most `most` joints: those that move it, then those that move most of the surface around
/// it.
pub(super) fn joints(
    surface: &Surface,
    fitted: &SkinWeights,
    joints: usize,
    most: usize,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, Cancelled> {
    let mut own = vec![0.0_f32; surface.len() * joints];
    for (own, &v) in own.chunks_exact_mut(joints).zip(&surface.points) {
        fitted.influences(v as usize).for_each(|(b, w)| own[b] += w as f32);
    }
    let mut spread = own.clone();
    for _ in 0..ROUNDS {
        progress.check()?;
        spread = spread_once(surface, &spread, joints);
    }
    let near = own
        .par_chunks_exact(joints)
        .zip(spread.par_chunks_exact(joints))
        .map(|(own, spread)| {
            let rank = |b: &u32| (own[*b as usize] > 0.0, spread[*b as usize]);
            let mut order: Vec<u32> = (0..joints as u32).filter(|b| rank(b).0 || rank(b).1 > LOST).collect();
            order.sort_by(|a, b| {
                let (a_rank, b_rank) = (rank(a), rank(b));
                b_rank.0.cmp(&a_rank.0).then(b_rank.1.total_cmp(&a_rank.1)).then(a.cmp(b))
            });
            order.truncate(most);
            order
        })
        .collect();
    Ok(near)
}

/// The means over each point and its neighbours.
fn spread_once(surface: &Surface, weights: &[f32], joints: usize) -> Vec<f32> {
    let mut out = weights.to_vec();
    out.par_chunks_exact_mut(joints).enumerate().for_each(|(i, mean)| {
        let neighbours = surface.neighbours(i);
        for &(j, _) in neighbours {
            let other = &weights[j as usize * joints..];
            mean.iter_mut().zip(other).for_each(|(m, w)| *m += w);
        }
        mean.iter_mut().for_each(|m| *m /= (neighbours.len() + 1) as f32);
    });
    out
}
