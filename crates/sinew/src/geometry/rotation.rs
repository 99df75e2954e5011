//! Rotations: polar decomposition and symmetric eigenvectors of 3×3 matrices.

use glam::{DMat3, DVec3};

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
    let [xx, yx, zx, xy, yy, zy, xz, yz, zz] = m.to_cols_array();
    let n = [
        [xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, xx - yy - zz, xy + yx, xz + zx],
        [xz - zx, xy + yx, yy - xx - zz, yz + zy],
        [yx - xy, xz + zx, yz + zy, zz - xx - yy],
    ];
    let (values, vectors) = symmetric_eigen(n);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let best = order[0];
    if values[best] - values[order[1]] < 1e-9 {
        return None;
    }
    let [w, x, y, z] = std::array::from_fn(|i| vectors[i][best]);
    Some(DMat3::from_quat(glam::DQuat::from_xyzw(x, y, z, w).normalize()))
}

/// The matrix a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Eigenvalues and eigenvectors of a symmetric 3×3 matrix, as (values, matrix of column vectors).
///
/// The values are in no particular order: the vectors stay as near to the axes as the matrix allows, so
/// that a slowly changing matrix, expressed in its last eigenvectors, changes them slowly. The vectors
/// form a rotation.
pub fn symmetric_eigen3(m: DMat3) -> (DVec3, DMat3) {
    let a = [
        [m.x_axis.x, m.y_axis.x, m.z_axis.x],
        [m.y_axis.x, m.y_axis.y, m.z_axis.y],
        [m.z_axis.x, m.z_axis.y, m.z_axis.z],
    ];
    let (values, v) = symmetric_eigen(a);
    let column = |j: usize| DVec3::new(v[0][j], v[1][j], v[2][j]);
    (DVec3::from_array(values), DMat3::from_cols(column(0), column(1), column(2)))
}

/// Cyclic Jacobi: eigenvalues and column eigenvectors (`v[row][column]`) of a small symmetric matrix.
///
/// Every plane rotation is by at most 45°, which keeps the columns in the order and, as far as possible,
/// the direction of the axes.
pub(crate) fn symmetric_eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v = [[0.0; N]; N];
    for i in 0..N {
        v[i][i] = 1.0;
    }
    let scale = a.as_flattened().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let tiny = 1e-15 * scale;
    for _ in 0..32 {
        let mut off = 0.0_f64;
        for p in 0..N {
            for q in p + 1..N {
                off = off.max(a[p][q].abs());
                if a[p][q].abs() <= tiny {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..N {
                    let (kp, kq) = (a[k][p], a[k][q]);
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for k in 0..N {
                    let (pk, qk) = (a[p][k], a[q][k]);
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
                for row in &mut v {
                    let (kp, kq) = (row[p], row[q]);
                    row[p] = c * kp - s * kq;
                    row[q] = s * kp + c * kq;
                }
            }
        }
        if off <= tiny {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, EulerRot};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn polar_recovers_the_rotation_before_a_stretch(
            angles in prop::array::uniform3(-3.0..3.0_f64),
            stretch in prop::array::uniform3(0.05..20.0_f64),
            axes in prop::array::uniform3(-3.0..3.0_f64),
        ) {
            let rotation = DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]));
            let v = DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, axes[0], axes[1], axes[2]));
            let w = v * DMat3::from_diagonal(DVec3::from_array(stretch)) * v.transpose();
            let got = polar(rotation * w).unwrap();
            prop_assert!((got - rotation).to_cols_array().iter().all(|x| x.abs() < 1e-6));
        }

        #[test]
        fn eigenvectors_rebuild_the_matrix(e in prop::array::uniform6(-5.0..5.0_f64)) {
            let m = DMat3::from_cols_array(&[e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]]);
            let (values, v) = symmetric_eigen3(m);
            let back = v * DMat3::from_diagonal(values) * v.transpose();
            prop_assert!((back - m).to_cols_array().iter().all(|x| x.abs() < 1e-9));
            prop_assert!((v.determinant() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn undetermined_rotations_are_refused() {
        assert_eq!(polar(DMat3::ZERO), None);
        assert_eq!(polar(DMat3::from_cols(DVec3::X, DVec3::ZERO, DVec3::ZERO)), None);
        assert_eq!(polar(DMat3::from_cols(DVec3::splat(f64::NAN), DVec3::X, DVec3::Y)), None);
    }

    #[test]
    fn reflections_still_give_a_rotation() {
        let r = polar(DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0))).unwrap();
        assert!((r.determinant() - 1.0).abs() < 1e-12);
        assert!((r - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-9));
    }
}
