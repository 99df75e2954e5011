//! Procrustes problems: the rotation, or rigid motion, that takes one set of points nearest to another.
//!
//! Kabsch 1976: of points x with goals p the best rotation is the one nearest to Σ (p − p̄)(x − x̄)ᵀ, and the shift
//! takes mean to mean. The nearest rotation follows Horn 1987, by Jacobi sweeps ([`polar`]) or, where millions are
//! asked for, by Newton's method (`nearest_rotation`). The two round differently, so each caller keeps to one.

use std::ops::{Add, Sub};

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::jacobi::symmetric_eigen;
use crate::wide::Lanes;

/// The rotation nearest to `m` in the Frobenius norm: the maximiser of tr(Rᵀm) over all rotations.
///
/// Unlike the plain polar factor it is a rotation for reflections and singular matrices too. `None` when
/// `m` leaves it undetermined: zero, rank one, not finite, or a reflection whose two smaller singular
/// values agree.
///
/// Follows Horn (1987): the rotation's quaternion is the dominant eigenvector of a symmetric 4×4 matrix
/// linear in `m`; found by Jacobi sweeps.
pub fn polar(m: DMat3) -> Option<DMat3> {
    let scale = m.to_cols_array().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    if scale == 0.0 || !m.is_finite() {
        return None;
    }
    let m = m * (1.0 / scale);
    let (values, vectors) = symmetric_eigen(horn(m.to_cols_array_2d()));
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let best = order[0];
    if values[best] - values[order[1]] < 1e-9 {
        return None;
    }
    let [w, x, y, z] = std::array::from_fn(|i| vectors[i][best]);
    Some(DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()))
}

/// Horn's symmetric matrix, whose form at a unit quaternion is tr(Rᵀm) for its rotation R; m is given by its columns.
#[inline(always)]
fn horn<T: Copy + Add<Output = T> + Sub<Output = T>>(m: [[T; 3]; 3]) -> [[T; 4]; 4] {
    let [[xx, yx, zx], [xy, yy, zy], [xz, yz, zz]] = m;
    [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, zz - xx - yy],
    ]
}

/// The rotation that maximises tr(Rᵀm): [`polar`], with the largest eigenvalue of Horn's matrix found by
/// Newton's method on its characteristic polynomial (Theobald 2005), which is far quicker.
#[inline]
pub(crate) fn nearest_rotation(m: DMat3) -> Option<DMat3> {
    nearest_rotations(&m.to_cols_array_2d().map(|column| column.map(Lanes::<1>::all)))[0]
}

/// The same of several matrices side by side, each given by its columns; every one to the same bits as alone.
#[inline(always)]
pub(crate) fn nearest_rotations<const W: usize>(m: &[[Lanes<W>; 3]; 3]) -> [Option<DMat3>; W] {
    let all = Lanes::<W>::all;
    let square = product(&m[0], &m[0]) + product(&m[1], &m[1]) + product(&m[2], &m[2]);
    let scale = Lanes::of(|i| 1.0 / square.0[i].sqrt());
    let [x, y, z] = m.map(|column| column.map(|entry| entry * scale));
    // λ⁴ − 2λ² − 8 det(m) λ + c, for a matrix of norm one; the largest root is at most √3.
    let normal = [y[1] * z[2] - z[1] * y[2], y[2] * z[0] - z[2] * y[0], y[0] * z[1] - z[0] * y[1]];
    let eight = all(8.0) * product(&x, &normal);
    let gram = [&x, &y, &z].map(|a| [&x, &y, &z].map(|b| product(a, b)));
    let fourth = product(&gram[0], &gram[0]) + product(&gram[1], &gram[1]) + product(&gram[2], &gram[2]);
    let constant = all(2.0) * fourth - all(1.0);
    let mut lambda = all(3.0_f64.sqrt());
    let mut going = [true; W];
    for _ in 0..20 {
        let value = ((lambda * lambda - all(2.0)) * lambda - eight) * lambda + constant;
        let slope = (all(4.0) * lambda * lambda - all(4.0)) * lambda - eight;
        let step = value / slope;
        let next = lambda - step;
        let mut any = false;
        for i in 0..W {
            lambda.0[i] = if going[i] { next.0[i] } else { lambda.0[i] };
            going[i] &= step.0[i].abs() > 1e-14 * next.0[i];
            any |= going[i];
        }
        if !any {
            break;
        }
    }
    let mut n = horn([x, y, z]);
    (0..4).for_each(|i| n[i][i] = n[i][i] - lambda);
    // Of the rows of the adjugate, all multiples of the eigenvector, the longest is the most exact.
    let (mut longest, mut best) = (all(0.0), [all(0.0); 4]);
    for row in 0..4 {
        let v = cofactors(&n, row);
        let length = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
        for i in 0..W {
            let longer = length.0[i] > longest.0[i];
            longest.0[i] = if longer { length.0[i] } else { longest.0[i] };
            (0..4).for_each(|k| best[k].0[i] = if longer { v[k].0[i] } else { best[k].0[i] });
        }
    }
    std::array::from_fn(|i| {
        if longest.0[i].is_nan() || longest.0[i] <= 1e-16 {
            return polar(DMat3::from_cols_array_2d(&[x, y, z].map(|column| column.map(|entry| entry.0[i]))));
        }
        let [w, x, y, z] = best.map(|entry| entry.0[i]);
        Some(DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()))
    })
}

#[inline(always)]
fn product<const W: usize>(a: &[Lanes<W>; 3], b: &[Lanes<W>; 3]) -> Lanes<W> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cofactors of one row of a 4×4 matrix.
#[inline(always)]
fn cofactors<const W: usize>(n: &[[Lanes<W>; 4]; 4], row: usize) -> [Lanes<W>; 4] {
    let r: [usize; 3] = std::array::from_fn(|i| if i < row { i } else { i + 1 });
    std::array::from_fn(|column| {
        let c: [usize; 3] = std::array::from_fn(|i| if i < column { i } else { i + 1 });
        let at = |i: usize, j: usize| n[r[i]][c[j]];
        let minor = at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1))
            - at(0, 1) * (at(1, 0) * at(2, 2) - at(1, 2) * at(2, 0))
            + at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0));
        if (row + column).is_multiple_of(2) { minor } else { -minor }
    })
}

/// The rigid motion of points with the mean `from` to goals with the mean `to`, given Σ (p − p̄)(x − x̄)ᵀ. `None` where that
/// leaves the rotation undetermined.
pub(crate) fn rigid_motion(cross: DMat3, from: DVec3, to: DVec3) -> Option<DAffine3> {
    let matrix3 = polar(cross)?;
    Some(DAffine3 { matrix3, translation: to - matrix3 * from })
}

/// The rigid motion that carries points to their goals best, given (point, goal, weight). Turns by `usual`
/// where the points do not say; `None` without points.
pub(crate) fn kabsch(
    points: impl Iterator<Item = (DVec3, DVec3, f64)> + Clone,
    usual: DMat3,
) -> Option<DAffine3> {
    let (mut from, mut to, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (p, q, w) in points.clone() {
        from += p * w;
        to += q * w;
        total += w;
    }
    if total <= 0.0 {
        return None;
    }
    let (from, to) = (from / total, to / total);
    let cross = points.fold(DMat3::ZERO, |sum, (p, q, w)| sum + outer((q - to) * w, p - from));
    let matrix3 = polar(cross).unwrap_or(usual);
    Some(DAffine3 { matrix3, translation: to - matrix3 * from })
}

/// The matrix of a cross product from the left.
pub(crate) fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// The matrix a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
#[path = "../../tests/unit/solve_procrustes.rs"]
mod tests;
