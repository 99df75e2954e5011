//! The best non-negative mixture of a few bones.

use std::ops::Range;

/// Weights below this are dropped.
pub const NEGLIGIBLE: f64 = 1e-4;

/// Minimises wᵀGw over w ≥ 0 with Σw = 1, over the first `len` entries, starting from the mixture in `w`
/// (non-negative, summing to one). Returns the minimum.
///
/// An active-set method: towards the minimum on the plane of the free entries, dropping those that would
/// turn negative, until no dropped one wants back in. `N` is the room, so that small mixtures stay small.
pub fn best_mixture<const N: usize>(gram: &[[f64; N]; N], len: usize, w: &mut [f64; N]) -> f64 {
    let trace: f64 = (0..len).map(|i| gram[i][i]).sum();
    let damping = 1e-9 * trace / len as f64;
    let all = (1_u32 << len) - 1;
    let mut free = all;
    for _ in 0..2 * N {
        let blocks = |now: f64, then: f64, step: f64| now <= step * (now - then);
        settle(len, &mut free, w, blocks, |members| minimum_on_plane(gram, damping, members));
        if free == all {
            break;
        }
        let slope = |i: usize| (0..len).map(|j| gram[i][j] * w[j]).sum::<f64>() + damping * w[i];
        let level: f64 = (0..len).map(|i| w[i] * slope(i)).sum();
        let dropped = (0..len).filter(|i| free >> i & 1 == 0).map(|i| (slope(i), i));
        match dropped.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((lowest, i)) if lowest < level - 1e-9 * trace => free |= 1 << i,
            _ => break,
        }
    }
    energy(gram, len, w)
}

/// wᵀGw.
pub fn energy<const N: usize>(gram: &[[f64; N]; N], len: usize, w: &[f64; N]) -> f64 {
    (0..len).map(|i| w[i] * (0..len).map(|j| gram[i][j] * w[j]).sum::<f64>()).sum::<f64>().max(0.0)
}

/// Moves `w` to the minimum over the free entries, dropping those that would turn negative on the way. `blocks` says
/// whether an entry on its way from now to then turns negative before a step of so much of it.
#[inline]
pub(super) fn settle<const N: usize>(
    len: usize,
    free: &mut u32,
    w: &mut [f64; N],
    blocks: impl Fn(f64, f64, f64) -> bool,
    minimum: impl Fn(&[usize]) -> Option<[f64; N]>,
) {
    while *free != 0 {
        let mut members = [0; N];
        let mut count = 0;
        for i in (0..len).filter(|i| *free >> i & 1 == 1) {
            members[count] = i;
            count += 1;
        }
        // None where it is numerically singular, as the entry added last makes it. Stay where we are.
        let Some(target) = minimum(&members[..count]) else { return };
        let mut step = 1.0;
        let mut blocking = None;
        for m in 0..count {
            let (now, then) = (w[members[m]], target[m]);
            if then < 0.0 && blocks(now, then, step) {
                step = now / (now - then);
                blocking = Some(members[m]);
            }
        }
        for m in 0..count {
            let i = members[m];
            w[i] = (w[i] + step * (target[m] - w[i])).max(0.0);
        }
        match blocking {
            Some(i) => {
                w[i] = 0.0;
                *free &= !(1 << i);
            }
            None => return,
        }
    }
}

/// The minimum over the members' entries with Σw = 1: (G + damping) w ∝ 1.
fn minimum_on_plane<const N: usize>(
    gram: &[[f64; N]; N],
    damping: f64,
    members: &[usize],
) -> Option<[f64; N]> {
    // Sizes that are known when compiling are solved without loops; mixtures of more bones are rare.
    match members.len() {
        1 => minimum_of::<1, N>(gram, damping, members),
        2 => minimum_of::<2, N>(gram, damping, members),
        3 => minimum_of::<3, N>(gram, damping, members),
        4 => minimum_of::<4, N>(gram, damping, members),
        5 => minimum_of::<5, N>(gram, damping, members),
        n => minimum(&part::<N, N>(gram, members), damping, n),
    }
}

#[inline(always)]
fn minimum_of<const L: usize, const N: usize>(
    gram: &[[f64; N]; N],
    damping: f64,
    members: &[usize],
) -> Option<[f64; N]> {
    let x = minimum(&part::<L, N>(gram, members), damping, L)?;
    let mut out = [0.0; N];
    out[..L].copy_from_slice(&x);
    Some(out)
}

/// The members' part of G.
#[inline(always)]
pub fn part<const L: usize, const N: usize>(gram: &[[f64; N]; N], members: &[usize]) -> [[f64; L]; L] {
    let mut part = [[0.0; L]; L];
    for (row, &i) in part.iter_mut().zip(members) {
        for (entry, &j) in row.iter_mut().zip(members) {
            *entry = gram[i][j];
        }
    }
    part
}

#[inline(always)]
fn minimum<const L: usize>(gram: &[[f64; L]; L], damping: f64, n: usize) -> Option<[f64; L]> {
    let (l, inverse) = factor(gram, damping, n)?;
    let mut x = [0.0; L];
    for i in 0..n {
        x[i] = (1.0 - sum(0..i, |j| l[i][j] * x[j])) * inverse[i];
    }
    let mut total = 0.0;
    for i in (0..n).rev() {
        x[i] = (x[i] - sum(i + 1..n, |j| l[j][i] * x[j])) * inverse[i];
        total += x[i];
    }
    let factor = 1.0 / total;
    x[..n].iter_mut().for_each(|x| *x *= factor);
    factor.is_finite().then_some(x)
}

/// A sum that is unrolled where its length is known when compiling.
#[inline(always)]
fn sum(range: Range<usize>, term: impl Fn(usize) -> f64) -> f64 {
    let mut sum = -0.0;
    for i in range {
        sum += term(i);
    }
    sum
}

/// Cholesky factor of the first `n` rows of G + damping, and the reciprocals of its diagonal.
#[inline(always)]
fn factor<const L: usize>(gram: &[[f64; L]; L], damping: f64, n: usize) -> Option<([[f64; L]; L], [f64; L])> {
    let mut l = [[0.0; L]; L];
    let mut inverse = [0.0; L];
    for i in 0..n {
        for j in 0..i {
            l[i][j] = (gram[i][j] - sum(0..j, |m| l[i][m] * l[j][m])) * inverse[j];
        }
        let rest = gram[i][i] + damping - sum(0..i, |m| l[i][m] * l[i][m]);
        if rest.is_nan() || rest <= 0.0 {
            return None;
        }
        inverse[i] = 1.0 / rest.sqrt();
    }
    Some((l, inverse))
}

/// The entry that a mixture of all of the first `len` would miss least.
///
/// With H = G⁻¹ the error of the mixture is 1 / 1ᵀH1, and without entry j it is 1 / (1ᵀH1 − (H1)ⱼ² / Hⱼⱼ), as
/// long as the rest stays positive.
pub fn least_needed<const N: usize>(gram: &[[f64; N]; N], len: usize) -> usize {
    // With all slots taken, as is usual, the size is known when compiling.
    if len == N { least(gram, N) } else { least(gram, len) }
}

#[inline(always)]
fn least<const N: usize>(gram: &[[f64; N]; N], len: usize) -> usize {
    let trace = sum(0..len, |i| gram[i][i]);
    let Some((l, inverse)) = factor(gram, 1e-9 * trace / len as f64, len) else { return len - 1 };
    // Rows of L⁻¹; H = L⁻ᵀL⁻¹.
    let mut rows = [[0.0; N]; N];
    let mut sums = [0.0; N];
    for i in 0..len {
        rows[i][i] = inverse[i];
        for j in 0..i {
            rows[i][j] = -inverse[i] * sum(j..i, |m| l[i][m] * rows[m][j]);
        }
        sums[i] = sum(0..len, |j| rows[i][j]);
    }
    let mut best = (0, f64::INFINITY);
    for j in 0..len {
        let total = sum(j..len, |i| rows[i][j] * sums[i]);
        let missed = total * total / sum(j..len, |i| rows[i][j] * rows[i][j]);
        if missed.total_cmp(&best.1).is_lt() || j == 0 {
            best = (j, missed);
        }
    }
    best.0
}

/// A mixture of at most `N` bones.
#[derive(Clone, Copy)]
pub struct Mixture<const N: usize> {
    /// How many bones are in it.
    pub len: usize,
    /// The bones.
    pub bones: [usize; N],
    /// Their weights.
    pub weights: [f64; N],
    /// Products of their residuals.
    pub gram: [[f64; N]; N],
    /// Squared error.
    pub error: f64,
}

impl<const N: usize> Mixture<N> {
    /// No bones.
    pub fn empty() -> Self {
        Self { len: 0, bones: [0; N], weights: [0.0; N], gram: [[0.0; N]; N], error: 0.0 }
    }

    /// Takes in a bone; `product` is that of its residual with the residual of each bone in the mixture, told by place and
    /// number, itself the last.
    #[inline]
    pub fn push(&mut self, bone: usize, weight: f64, product: impl Fn(usize, usize) -> f64) {
        let at = self.len;
        self.bones[at] = bone;
        self.weights[at] = weight;
        self.len += 1;
        for j in 0..=at {
            self.gram[at][j] = product(j, self.bones[j]);
            self.gram[j][at] = self.gram[at][j];
        }
    }

    /// Takes out bones without weight.
    pub fn drop_negligible(&mut self) {
        self.retain(|_, weight| weight > NEGLIGIBLE, |_, _| ());
    }

    /// Takes out one entry.
    pub fn remove(&mut self, out: usize) {
        self.retain(|place, _| place != out, |_, _| ());
    }

    /// Takes out entries, told by place and weight; what is left sums to one again. `moved` is told where each that
    /// changes its place was, and where it is now.
    pub fn retain(&mut self, keep: impl Fn(usize, f64) -> bool, mut moved: impl FnMut(usize, usize)) {
        let mut to = 0;
        for from in 0..self.len {
            if !keep(from, self.weights[from]) {
                continue;
            }
            if to < from {
                moved(from, to);
                self.bones[to] = self.bones[from];
                self.weights[to] = self.weights[from];
                self.gram[to] = self.gram[from];
                self.gram[..self.len].iter_mut().for_each(|row| row[to] = row[from]);
            }
            to += 1;
        }
        self.len = to;
        let weights = &mut self.weights[..to];
        let total: f64 = weights.iter().sum();
        let alike = 1.0 / to as f64;
        weights.iter_mut().for_each(|w| *w = if total > 0.0 { *w / total } else { alike });
    }

    /// Writes bones and weights, the largest first.
    pub fn store(&self, bones: &mut [u32], weights: &mut [f32]) {
        let mut order: [usize; N] = std::array::from_fn(|i| i);
        let order = &mut order[..self.len];
        order.sort_by(|&a, &b| {
            self.weights[b].total_cmp(&self.weights[a]).then(self.bones[a].cmp(&self.bones[b]))
        });
        bones.fill(0);
        weights.fill(0.0);
        for (slot, &i) in order.iter().enumerate() {
            bones[slot] = self.bones[i] as u32;
            weights[slot] = self.weights[i] as f32;
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/solve_nnls.rs"]
mod tests;
