//! The largest errors as the goal: Σ eᵖ over all vertices and frames instead of Σ e².
//!
//! Iteratively reweighted least squares: with e^(p−2) of the last round as the weight of a vertex in a frame, transforms of
//! every frame, then weights and rest position of every vertex have a minimum as before. The power rises from round to
//! round (Burrus, Barreto and Selesnick 1994), weights go only part of the way to new ones, without which powers above
//! three swing to and fro, and have a floor, without which what is close goes its own way. Weights differ from frame to
//! frame, so that all of this is done in the frames (`in_frames`), not in reduced coordinates. Now and then vertices look for
//! other bones: those that suit the mean best are not those that suit the worst frame.
//!
//! Of all rounds the one with the least norm counts; for the largest error, that with the least of those whose mean stays
//! within bounds.

use rayon::prelude::*;

use super::in_frames::{Held, InFrames, Step};
use super::{Neighbours, Norm, Task};
use crate::progress::{Cancelled, Progress};
use crate::skin::{NormTuning, Skin};

/// Lowers the norm of what a skin is off by. Bones that are held stay.
pub fn lower(
    task: &Task,
    skin: Skin,
    held: Held,
    neighbours: &Neighbours,
    progress: &dyn Progress,
) -> Result<Skin, Cancelled> {
    let (problem, tuning, norm) = (task.problem, &task.problem.tuning.norm, task.options.norm);
    let mut state = InFrames::new(problem, &skin);
    let mut off = state.off();
    let begun = Size::of(&off, norm);
    let (mut best, mut least) = (None, begun);
    let mut shares = vec![1.0_f32; off.len()];
    let mut power = 2.0;
    for round in 0..tuning.rounds {
        progress.check()?;
        progress.advance(round as f64 / tuning.rounds as f64);
        power = (power * tuning.growth).min(norm.power().min(tuning.highest));
        reweigh(&mut shares, &off, power, tuning);
        let counts = problem.counted(&shares);
        state.solve_bones(task.size.kind, &counts, held, progress)?;
        let looking = (round + 1) % tuning.search_every == 0;
        let attempts = if looking { task.freedom.attempts } else { 0 };
        state.solve_vertices(task, &counts, Step { attempts, neighbours, pull: 0.0 }, progress)?;
        off = state.off();
        let now = Size::of(&off, norm);
        if now.norm < least.norm && now.mean <= tuning.mean * begun.mean {
            (best, least) = (Some(state.clone()), now);
        }
    }
    Ok(match best {
        Some(state) => state.back(skin),
        None => skin,
    })
}

/// How far all is off.
#[derive(Clone, Copy)]
struct Size {
    /// By the norm that is to be small.
    norm: f64,
    /// By the root of the mean square.
    mean: f64,
}

impl Size {
    fn of(off: &[f32], norm: Norm) -> Self {
        let largest = f64::from(off.iter().fold(f32::MIN_POSITIVE, |m, e| m.max(*e)));
        let mean = |power: f64| {
            let sum: f64 = off.iter().map(|e| (f64::from(*e) / largest).powf(power)).sum();
            largest * (sum / off.len() as f64).powf(1.0 / power)
        };
        Self { norm: if norm.power().is_finite() { mean(norm.power()) } else { largest }, mean: mean(2.0) }
    }
}

/// Lets what is far off count for more.
fn reweigh(shares: &mut [f32], off: &[f32], power: f64, tuning: &NormTuning) {
    let largest = off.iter().fold(f32::MIN_POSITIVE, |m, e| m.max(*e));
    shares.par_iter_mut().zip(off).with_min_len(4096).for_each(|(share, e)| {
        let wanted = tuning.floor + (1.0 - tuning.floor) * f64::from(e / largest).powf(power - 2.0);
        *share = (f64::from(*share).powf(1.0 - tuning.share) * wanted.powf(tuning.share)) as f32;
    });
}
