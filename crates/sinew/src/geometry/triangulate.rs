//! Polygons to triangles: fans for convex ones, ear clipping for the rest, a sweep for very large ones.

use glam::{Vec2, Vec3};

use super::sweep::triangulate_by_sweep;

/// Most corners of a polygon that is clipped ear by ear, which takes up to the cube of their number.
const EAR_CLIPPED: usize = 64;

/// Cuts one polygon into `len − 2` triangles and hands each to `emit` as indices into `polygon`.
///
/// Convex polygons become fans. Concave ones are projected along their mean normal and clipped ear by
/// ear; when no ear is left (a self-crossing or collapsed polygon) the remainder becomes a fan, so the
/// number of triangles never depends on the shape. Polygons of more than 64 corners, of any shape, are cut
/// by a sweep in about n log n steps instead.
pub fn triangulate_polygon(polygon: &[u32], positions: &[Vec3], mut emit: impl FnMut(u32, u32, u32)) {
    let n = polygon.len();
    if n < 3 {
        return;
    }
    if n == 3 {
        return emit(0, 1, 2);
    }
    if n > EAR_CLIPPED {
        return triangulate_by_sweep(polygon, positions, emit);
    }
    let flat = flatten(polygon, positions);
    let mut left: Vec<u32> = (0..n as u32).collect();
    while left.len() > 3 {
        let Some(ear) = (0..left.len()).find(|&i| is_ear(&flat, &left, i)) else {
            break;
        };
        let m = left.len();
        emit(left[(ear + m - 1) % m], left[ear], left[(ear + 1) % m]);
        left.remove(ear);
    }
    for i in 1..left.len() - 1 {
        emit(left[0], left[i], left[i + 1]);
    }
}

/// The polygon in the plane of its area-weighted normal, counter-clockwise.
fn flatten(polygon: &[u32], positions: &[Vec3]) -> Vec<Vec2> {
    let point = |i: usize| positions[polygon[i % polygon.len()] as usize];
    let origin = point(0);
    let normal =
        (0..polygon.len()).fold(Vec3::ZERO, |sum, i| sum + (point(i) - origin).cross(point(i + 1) - origin));
    let normal = normal.try_normalize().unwrap_or(Vec3::Z);
    let (x, y) = normal.any_orthonormal_pair();
    (0..polygon.len()).map(|i| Vec2::new((point(i) - origin).dot(x), (point(i) - origin).dot(y))).collect()
}

fn is_ear(flat: &[Vec2], left: &[u32], i: usize) -> bool {
    let m = left.len();
    let at = |k: usize| flat[left[k % m] as usize];
    let (a, b, c) = (at(i + m - 1), at(i), at(i + 1));
    if (b - a).perp_dot(c - b) <= 0.0 {
        return false;
    }
    // The corners next to the ear belong to it; any other corner inside would be cut off.
    (2..m - 1).all(|k| {
        let p = at(i + k);
        let inside = (b - a).perp_dot(p - a) >= 0.0
            && (c - b).perp_dot(p - b) >= 0.0
            && (a - c).perp_dot(p - c) >= 0.0;
        !inside
    })
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_triangulate.rs"]
mod tests;
