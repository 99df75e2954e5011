//! Deformation gradients: what a shape does to every triangle of the rest pose.

use std::collections::VecDeque;

use glam::{DMat3, DQuat, DVec3};

use super::field::ExampleField;
use super::pose::nearest_turn;
use super::surface::Surface;
use crate::geometry::grouped::Lists;
use crate::geometry::rotation_vector;
use crate::solve::procrustes::polar;

/// A triangle with less area than this share of its longest side squared has no plane.
const FLAT: f64 = 1e-9;

/// The matrix that takes the sides of triangle `from` to those of `to`, and its normal to theirs. Where
/// `from` has no plane it takes its longest side there.
pub(super) fn gradient(from: [DVec3; 3], to: [DVec3; 3]) -> DMat3 {
    let frame = |[a, b, c]: [DVec3; 3]| {
        let (x, y) = (b - a, c - a);
        let normal = x.cross(y);
        let longest = x.length_squared().max(y.length_squared()).max((c - b).length_squared());
        (normal.length() > FLAT * longest).then(|| DMat3::from_cols(x, y, normal.normalize()))
    };
    match (frame(from), frame(to)) {
        (Some(from), Some(to)) => to * from.inverse(),
        (Some(rest), None) => {
            // The sides are known; the normal is that of the turned rest pose.
            let [a, b, c] = to;
            let turn = along_longest(from, to);
            DMat3::from_cols(b - a, c - a, turn.0 * rest.z_axis) * rest.inverse()
        }
        _ => {
            let (turn, stretch) = along_longest(from, to);
            DMat3::from_quat(turn) * stretch
        }
    }
}

/// The shortest turn and the stretch of the longest side.
fn along_longest(from: [DVec3; 3], to: [DVec3; 3]) -> (DQuat, f64) {
    let sides = |[a, b, c]: [DVec3; 3]| [b - a, c - b, a - c];
    let pairs = sides(from).into_iter().zip(sides(to));
    let longest = pairs.reduce(|p, q| if q.0.length_squared() > p.0.length_squared() { q } else { p });
    let (from, to) = longest.expect("three sides");
    match (from.try_normalize(), to.try_normalize()) {
        (Some(a), Some(b)) => (DQuat::from_rotation_arc(a, b), to.length() / from.length()),
        _ => (DQuat::IDENTITY, 1.0),
    }
}

/// What an example, seen from the root, adds to the plain rotations and bends of its pose (section 2.3).
pub(super) fn field(surface: &Surface, shape: &[DVec3], plain: &[DQuat], bends: &[DMat3]) -> ExampleField {
    let mut turns = Vec::with_capacity(plain.len());
    let mut skews = Vec::with_capacity(plain.len());
    for ((corners, rotation), bend) in surface.triangles().iter().zip(plain).zip(bends) {
        let rest = corners.map(|p| surface.place(p));
        let posed = corners.map(|p| shape[p as usize]);
        let t = DMat3::from_quat(rotation.inverse()) * gradient(rest, posed) - *bend;
        let q = polar(t).unwrap_or(DMat3::IDENTITY);
        let s = q.transpose() * t;
        let off = |a: usize, b: usize| 0.5 * (s.col(a)[b] + s.col(b)[a]);
        turns.push(rotation_vector(DQuat::from_mat3(&q)));
        skews.push([s.x_axis.x - 1.0, s.y_axis.y - 1.0, s.z_axis.z - 1.0, off(0, 1), off(0, 2), off(1, 2)]);
    }
    unwrap(surface, &mut turns);
    ExampleField { turns, skews }
}

/// Brings neighbours to the same side of a half turn, from the least turned triangle of every piece on.
fn unwrap(surface: &Surface, turns: &mut [DVec3]) {
    let sides = surface.pattern.opposite_edges();
    let at_edges = (0_u32..).zip(sides).flat_map(|(triangle, sides)| sides.map(|edge| (edge, triangle)));
    let at_edges = Lists::grouped(surface.pattern.edges().len(), at_edges);
    let mut order: Vec<usize> = (0..turns.len()).collect();
    order.sort_by(|&a, &b| turns[a].length_squared().total_cmp(&turns[b].length_squared()));
    let mut seen = vec![false; turns.len()];
    let mut queue = VecDeque::new();
    for start in order {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        queue.push_back(start);
        while let Some(triangle) = queue.pop_front() {
            // Itself too, which has been seen.
            for &next in sides[triangle].iter().flat_map(|&edge| at_edges.of(edge as usize)) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    turns[next as usize] = nearest_turn(turns[next as usize], turns[triangle]);
                    queue.push_back(next as usize);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/deform_gradient.rs"]
mod tests;
