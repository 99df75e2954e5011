//! Bones and weights for frames that are mostly yet to come.
//!
//! Bones are points spread evenly over the surface, with weights that fall smoothly with the distance to
//! them, as in SAD: nothing is assumed about the motion, which is learned later ([`super::learn`]). Where some frames can be looked at before the first
//! is fitted, weights are brought nearer to what moves together in them; see [`super::seen`].

use glam::Vec3;

use super::StreamOptions;
use super::seen::Seen;
use crate::progress::Silent;
use crate::rig::{Bone, SkinWeights};
use crate::segment::{smooth_weights, spread_points};
use crate::skin::name_bones;

/// Bones, and what they move.
pub struct Layout {
    pub weights: SkinWeights,
    pub bones: Vec<Bone>,
}

/// Chooses bones and weights. `None` when there are no places for so many bones.
pub fn choose(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    ahead: &[&[Vec3]],
    options: &StreamOptions,
) -> Option<Layout> {
    let points = spread_points(triangles, rest, options.bones, &Silent).ok()?;
    let mut weights = smooth_weights(triangles, rest, &points, options.influences);
    // One frame does not move.
    if ahead.len() > 1 {
        weights = Seen::new(&points, &weights, rest, ahead, options).weights();
    }
    let bones = name_bones(rest, &weights, points.len(), options.kind);
    Some(Layout { weights, bones })
}
