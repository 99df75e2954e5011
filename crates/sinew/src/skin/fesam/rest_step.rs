//! The rest pose in closed form (equation 5 of PPS): with T the linear part of what carries a vertex from
//! the rest pose to a frame and d what is missing there, its displacement solves Σ TᵀT c = Σ Tᵀd.
//!
//! From pose to pose T is the product along time (equation 4), so that the same step serves both schemes.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::Model;
use crate::animation::Frames;

/// Share of a vertex' equations added to their diagonal.
const RIDGE: f64 = 1e-9;

/// Moves every rest position to where the frames are met best. No vertex gets worse.
pub fn move_rest(model: &mut Model, frames: &Frames) {
    let moved = (0..model.skin.rest.len())
        .into_par_iter()
        .with_min_len(64)
        .map(|v| {
            let (mut square, mut side) = (DMat3::ZERO, DVec3::ZERO);
            model.walk(v, |t, here| {
                let back = here.from_rest.matrix3.transpose();
                square += back * here.from_rest.matrix3;
                side += back * (frames.frame(t)[v].as_dvec3() - here.place);
            });
            displaced(model.skin.rest[v], square, side)
        })
        .collect();
    model.skin.rest = moved;
}

fn displaced(rest: Vec3, square: DMat3, side: DVec3) -> Vec3 {
    let ridge = RIDGE * (square.x_axis.x + square.y_axis.y + square.z_axis.z) + f64::MIN_POSITIVE;
    let change = (square + DMat3::from_diagonal(DVec3::splat(ridge))).inverse() * side;
    let new = (rest.as_dvec3() + change).as_vec3();
    // As it is stored, rounding included.
    let change = new.as_dvec3() - rest.as_dvec3();
    let gain = 2.0 * side.dot(change) - change.dot(square * change);
    if new.is_finite() && gain > 0.0 { new } else { rest }
}
