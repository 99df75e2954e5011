//! Rotations, and the way from one to another.

use glam::{DMat3, DQuat};

/// Whether every entry of `m` is within `tolerance` of a rotation's: mᵀm is the identity and nothing is
/// mirrored.
pub(crate) fn is_rotation(m: DMat3, tolerance: f64) -> bool {
    let off = m.transpose() * m - DMat3::IDENTITY;
    m.determinant() > 0.0 && off.to_cols_array().iter().all(|x| x.abs() <= 2.0 * tolerance)
}

/// q and −q are the same turn, but not halfway to the next key.
pub(crate) fn same_hemisphere(q: DQuat, last: DQuat) -> DQuat {
    if q.dot(last) < 0.0 { -q } else { q }
}

/// Spherical interpolation along the shorter way.
pub(crate) fn slerp(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let cosine = a.dot(b);
    let (b, cosine) = if cosine < 0.0 { (-b, -cosine) } else { (b, cosine) };
    let angle = cosine.clamp(-1.0, 1.0).acos();
    let sine = angle.sin();
    if sine < 1e-6 {
        return (a + (b - a) * t).normalize();
    }
    (a * (((1.0 - t) * angle).sin() / sine) + b * ((t * angle).sin() / sine)).normalize()
}
