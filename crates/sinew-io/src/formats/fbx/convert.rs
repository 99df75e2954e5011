//! Numbers of `ufbx` as ours.

use glam::{DAffine3, DMat3, DVec3};

/// Transforms that take a cube to less than this of what it could be are flat.
const FLAT: f64 = 1e-9;

/// A vector.
pub fn vector(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// A transform.
pub fn affine(m: &ufbx::Matrix) -> DAffine3 {
    let axes = [[m.m00, m.m10, m.m20], [m.m01, m.m11, m.m21], [m.m02, m.m12, m.m22]];
    DAffine3 { matrix3: DMat3::from_cols_array_2d(&axes), translation: DVec3::new(m.m03, m.m13, m.m23) }
}

/// Whether a transform can be undone.
pub fn usable(t: &DAffine3) -> bool {
    let size: f64 = t.matrix3.to_cols_array().iter().map(|x| x.abs()).sum();
    let flat = t.matrix3.determinant().abs() < FLAT * size.powi(3);
    t.is_finite() && t.inverse().is_finite() && !flat
}

/// Turns the axes of a file to x right, y up and z towards the viewer. Files that say nothing have these.
pub fn upright(axes: &ufbx::CoordinateAxes) -> DMat3 {
    let directions = [axes.right, axes.up, axes.front].map(direction);
    match directions {
        [Some(right), Some(up), Some(front)] => {
            let turn = DMat3::from_cols(right, up, front).transpose();
            if turn.determinant().abs() > 0.5 { turn } else { DMat3::IDENTITY }
        }
        _ => DMat3::IDENTITY,
    }
}

fn direction(axis: ufbx::CoordinateAxis) -> Option<DVec3> {
    use ufbx::CoordinateAxis::*;
    match axis {
        PositiveX => Some(DVec3::X),
        NegativeX => Some(DVec3::NEG_X),
        PositiveY => Some(DVec3::Y),
        NegativeY => Some(DVec3::NEG_Y),
        PositiveZ => Some(DVec3::Z),
        NegativeZ => Some(DVec3::NEG_Z),
        Unknown => None,
    }
}

/// The name of an axis, for people.
pub fn axis_name(axis: ufbx::CoordinateAxis) -> &'static str {
    use ufbx::CoordinateAxis::*;
    match axis {
        PositiveX => "x",
        NegativeX => "-x",
        PositiveY => "y",
        NegativeY => "-y",
        PositiveZ => "z",
        NegativeZ => "-z",
        Unknown => "unknown",
    }
}
