//! Which of some bones a vertex takes, from the products of what each leaves over at it: the same forward selection with
//! exchange as in `vertex`, where products are few and known beforehand.

use crate::solve::nnls::{Mixture, NEGLIGIBLE, best_mixture, least_needed};

/// A relative gain below which a bone is not worth taking in.
const WORTHWHILE: f64 = 1e-4;

/// Inner products of residuals of some bones, told by place.
pub struct Products {
    count: usize,
    entries: Vec<f64>,
}

impl Products {
    /// Of so many bones; `product` is asked once for every two.
    pub fn new(count: usize, product: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = vec![0.0; count * count];
        for a in 0..count {
            for b in 0..=a {
                let value = product(a, b);
                (entries[a * count + b], entries[b * count + a]) = (value, value);
            }
        }
        Self { count, entries }
    }

    /// The product of two.
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.entries[a * self.count + b]
    }

    /// Adds a pull towards given weights m, strength · ‖w − m‖²: a mixture's error too, since weights sum to one.
    pub fn pull(&mut self, strength: f64, mean: &Option<Vec<f64>>) {
        let Some(mean) = mean else { return };
        let square: f64 = mean.iter().map(|m| m * m).sum();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            let (a, b) = (at / self.count, at % self.count);
            let same = if a == b { 1.0 } else { 0.0 };
            *entry += strength * (same - mean[a] - mean[b] + square);
        }
    }
}

/// A mixture of at most `most` bones that is no worse than the one given, with `attempts` to take in another.
pub fn search<const N: usize>(
    products: &Products,
    mut mixture: Mixture<N>,
    most: usize,
    attempts: usize,
) -> Mixture<N> {
    let mut tried = vec![false; products.count];
    for _ in 0..attempts {
        let Some(bone) = candidate(products, &mixture, &tried) else { break };
        tried[bone] = true;
        if let Some(better) = exchanged(products, &mixture, bone, most) {
            mixture = better;
        }
    }
    mixture
}

/// The bone outside the mixture that, mixed in alone, lowers the error most.
fn candidate<const N: usize>(products: &Products, mixture: &Mixture<N>, tried: &[bool]) -> Option<usize> {
    let error = mixture.error;
    let mut best = None;
    let mut most = WORTHWHILE * error;
    for bone in (0..products.count).filter(|b| !tried[*b] && !mixture.bones[..mixture.len].contains(b)) {
        let along: f64 =
            (0..mixture.len).map(|m| mixture.weights[m] * products.of(bone, mixture.bones[m])).sum();
        let fall = error - along;
        let gain = fall * fall / (fall - along + products.of(bone, bone)).max(f64::MIN_POSITIVE);
        if fall > 0.0 && gain > most {
            (most, best) = (gain, Some(bone));
        }
    }
    best
}

/// The mixture with `bone`, and without another where there would be more than `most`; `None` where that is no better.
fn exchanged<const N: usize>(
    products: &Products,
    mixture: &Mixture<N>,
    bone: usize,
    most: usize,
) -> Option<Mixture<N>> {
    let enough = mixture.error * (1.0 - WORTHWHILE);
    let mut with = *mixture;
    with.push(bone, 0.0, |_, other| products.of(bone, other));
    with.error = best_mixture(&with.gram, with.len, &mut with.weights);
    if with.error >= enough {
        return None;
    }
    if with.weights[..with.len].iter().filter(|w| **w > NEGLIGIBLE).count() > most {
        with.remove(least_needed(&with.gram, with.len));
        with.error = best_mixture(&with.gram, with.len, &mut with.weights);
    }
    with.drop_negligible();
    (with.error < enough).then_some(with)
}
