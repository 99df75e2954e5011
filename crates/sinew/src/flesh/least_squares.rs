//! Levenberg-Marquardt for a few parameters of a simulation, whose derivatives are differences.

use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::solve::dense::{dot, solve_rows};

/// What is looked through.
pub(super) struct Space {
    /// Where to begin.
    pub start: Vec<f64>,
    /// What the square of each parameter costs.
    pub priors: Vec<f64>,
    /// Step for derivatives.
    pub step: f64,
}

/// Dampings that are tried at once, relative to the one of the last round.
const DAMPINGS: [f64; 3] = [0.1, 1.0, 10.0];

/// The parameters with the least sum of squared residuals, near the start; `None` of `residuals` is worse than any.
pub(super) fn minimise(
    space: &Space,
    residuals: impl Fn(&[f64]) -> Option<Vec<f64>> + Sync,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    let n = space.start.len();
    let prior = |x: &[f64]| -> f64 { x.iter().zip(&space.priors).map(|(x, p)| p * x * x).sum() };
    let mut here = space.start.clone();
    let Some(mut off) = residuals(&here) else { return Ok(here) };
    let mut cost = dot(&off, &off) + prior(&here);
    let mut damping = 1e-2;
    for round in 0..TUNING.rounds {
        progress.advance(round as f64 / TUNING.rounds as f64);
        let columns = in_parallel(progress, n, |i| {
            let mut there = here.clone();
            there[i] += space.step;
            let column = residuals(&there);
            Ok(column.map(|c| c.iter().zip(&off).map(|(c, o)| (c - o) / space.step).collect::<Vec<f64>>()))
        })?;
        // A parameter that cannot be moved stays.
        let columns: Vec<Vec<f64>> =
            columns.into_iter().map(|c| c.unwrap_or_else(|| vec![0.0; off.len()])).collect();
        let gradient: Vec<f64> = (0..n).map(|i| dot(&columns[i], &off) + space.priors[i] * here[i]).collect();
        let mut normal = vec![0.0; n * n];
        for i in 0..n {
            (0..=i).for_each(|j| normal[i * n + j] = dot(&columns[i], &columns[j]));
            (0..i).for_each(|j| normal[j * n + i] = normal[i * n + j]);
        }
        let tries = in_parallel(progress, DAMPINGS.len(), |k| {
            let damping = damping * DAMPINGS[k];
            let mut matrix = normal.clone();
            for i in 0..n {
                matrix[i * n + i] = matrix[i * n + i] * (1.0 + damping) + space.priors[i] + 1e-9;
            }
            let mut step = gradient.clone();
            if !solve_rows(&mut matrix, n, &mut step, 1) {
                return Ok(None);
            }
            // No step over more than a factor of e: derivatives are of no use so far away.
            let longest = step.iter().fold(1.0_f64, |longest, s| longest.max(s.abs()));
            let there: Vec<f64> = here.iter().zip(&step).map(|(x, s)| x - s / longest).collect();
            Ok(residuals(&there).map(|off| (dot(&off, &off) + prior(&there), there, off, damping)))
        })?;
        let best = tries.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((found, there, residual, tried)) = best.filter(|best| best.0 < cost) else {
            damping *= 100.0;
            continue;
        };
        let gained = (cost - found) / cost;
        (here, off, cost, damping) = (there, residual, found, tried);
        if gained < TUNING.enough {
            break;
        }
    }
    Ok(here)
}
