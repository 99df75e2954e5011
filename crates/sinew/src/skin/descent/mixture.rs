//! The best non-negative mixture of a few bones.

/// Minimises wᵀGw over w ≥ 0 with Σw = 1, over the first `len` entries, starting from the mixture in `w`
/// (non-negative, summing to one). Returns the minimum.
///
/// An active-set method: towards the minimum on the plane of the free entries, dropping those that would
/// turn negative, until no dropped one wants back in. `N` is the room, so that small mixtures stay small.
pub fn best_mixture<const N: usize>(gram: &[[f64; N]; N], len: usize, w: &mut [f64; N]) -> f64 {
    let trace: f64 = (0..len).map(|i| gram[i][i]).sum();
    let damping = 1e-9 * trace / len as f64;
    let mut free = (1_u32 << len) - 1;
    for _ in 0..2 * N {
        settle(gram, len, damping, &mut free, w);
        let slope = |i: usize| (0..len).map(|j| gram[i][j] * w[j]).sum::<f64>() + damping * w[i];
        let level: f64 = (0..len).map(|i| w[i] * slope(i)).sum();
        let mut enters = None;
        let mut lowest = level - 1e-9 * trace;
        for i in (0..len).filter(|i| free >> i & 1 == 0) {
            let s = slope(i);
            if s < lowest {
                lowest = s;
                enters = Some(i);
            }
        }
        match enters {
            Some(i) => free |= 1 << i,
            None => break,
        }
    }
    energy(gram, len, w)
}

/// wᵀGw.
pub fn energy<const N: usize>(gram: &[[f64; N]; N], len: usize, w: &[f64; N]) -> f64 {
    (0..len).map(|i| w[i] * (0..len).map(|j| gram[i][j] * w[j]).sum::<f64>()).sum::<f64>().max(0.0)
}

/// Moves `w` to the minimum over the free entries, dropping those that would turn negative on the way.
fn settle<const N: usize>(gram: &[[f64; N]; N], len: usize, damping: f64, free: &mut u32, w: &mut [f64; N]) {
    while *free != 0 {
        let mut members = [0; N];
        let mut count = 0;
        for i in (0..len).filter(|i| *free >> i & 1 == 1) {
            members[count] = i;
            count += 1;
        }
        let Some(target) = minimum_on_plane(gram, damping, &members[..count]) else { return };
        let mut step = 1.0;
        let mut blocking = None;
        for m in 0..count {
            let (now, then) = (w[members[m]], target[m]);
            if then < 0.0 && now <= step * (now - then) {
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
    let n = members.len();
    let (l, inverse) = factor(gram, damping, members)?;
    let mut x = [0.0; N];
    for i in 0..n {
        x[i] = (1.0 - (0..i).map(|j| l[i][j] * x[j]).sum::<f64>()) * inverse[i];
    }
    let mut sum = 0.0;
    for i in (0..n).rev() {
        x[i] = (x[i] - (i + 1..n).map(|j| l[j][i] * x[j]).sum::<f64>()) * inverse[i];
        sum += x[i];
    }
    let factor = 1.0 / sum;
    x[..n].iter_mut().for_each(|x| *x *= factor);
    factor.is_finite().then_some(x)
}

/// Cholesky factor of the members' part of G + damping, and the reciprocals of its diagonal.
fn factor<const N: usize>(
    gram: &[[f64; N]; N],
    damping: f64,
    members: &[usize],
) -> Option<([[f64; N]; N], [f64; N])> {
    let mut l = [[0.0; N]; N];
    let mut inverse = [0.0; N];
    for i in 0..members.len() {
        let row = &gram[members[i]];
        for j in 0..i {
            let dot: f64 = (0..j).map(|m| l[i][m] * l[j][m]).sum();
            l[i][j] = (row[members[j]] - dot) * inverse[j];
        }
        let rest = row[members[i]] + damping - (0..i).map(|m| l[i][m] * l[i][m]).sum::<f64>();
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
    let trace: f64 = (0..len).map(|i| gram[i][i]).sum();
    let members: [usize; N] = std::array::from_fn(|i| i);
    let Some((l, inverse)) = factor(gram, 1e-9 * trace / len as f64, &members[..len]) else { return len - 1 };
    // Rows of L⁻¹; H = L⁻ᵀL⁻¹.
    let mut rows = [[0.0; N]; N];
    for i in 0..len {
        rows[i][i] = inverse[i];
        for j in 0..i {
            rows[i][j] = -inverse[i] * (j..i).map(|m| l[i][m] * rows[m][j]).sum::<f64>();
        }
    }
    let sums: [f64; N] = std::array::from_fn(|i| rows[i][..len].iter().sum());
    let missed = |j: usize| {
        let column = |f: &dyn Fn(usize) -> f64| (j..len).map(|i| rows[i][j] * f(i)).sum::<f64>();
        let total = column(&|i| sums[i]);
        total * total / column(&|i| rows[i][j])
    };
    (0..len).min_by(|&a, &b| missed(a).total_cmp(&missed(b))).unwrap_or(0)
}
