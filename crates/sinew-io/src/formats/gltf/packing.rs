//! How numbers of packed files are rounded (see [`super::pack`]).

use glam::{DAffine3, DVec3, Vec3};
use serde_json::{Value, json};
use sinew::rig::Rig;

use crate::scene::skinning::WeightFormat;

/// Most that positions can be, in steps.
const LARGEST: f64 = 65535.0;
/// Bits that normals have on each axis of an octahedron.
pub(super) const NORMAL_BITS: u32 = 8;

/// Where a file says what its positions are steps from, and how long the steps are.
pub(super) const PLACE: &str = "steps";

/// How numbers are rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// What positions are relative to.
    pub origin: DVec3,
    /// One step of positions and displacements.
    pub step: f64,
    /// A distance that rounding bones may add.
    pub distance: f64,
    /// Distance at which bones have what they turn and stretch, at most.
    pub reach: f64,
    /// How far corrections move anything, at most.
    pub displaced: f64,
    /// What weights of influences are stored as.
    pub weights: WeightFormat,
}

impl Packing {
    /// Rounding by about `distance` altogether.
    pub fn new(rig: &Rig, distance: f64, weights: WeightFormat) -> Self {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in &rig.rest {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let mut around = 0.0;
        if let Some(c) = &rig.corrections {
            for r in 0..c.rank {
                let shape = &c.basis[r * rig.rest.len()..(r + 1) * rig.rest.len()];
                let most = shape.iter().fold(0.0_f32, |m, u| m.max(u.abs().max_element()));
                let q = c.coefficients.iter().skip(r).step_by(c.rank).fold(0.0_f32, |m, q| m.max(q.abs()));
                around += f64::from(most) * f64::from(q);
            }
        }
        let (low, high) = (low.as_dvec3() - around, high.as_dvec3() + around);
        let extent = (high - low).max_element();
        // Errors of a base and of shapes on it add up like steps of a random walk.
        let terms = (1.0 + rig.rank() as f64).sqrt();
        let step = (distance / terms).max(extent / LARGEST).max(f64::MIN_POSITIVE);
        Self { origin: low, step, distance, reach: 0.5 * (high - low).length(), displaced: around, weights }
    }

    /// From what positions are stored as to the rest pose.
    pub fn unpack(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(DVec3::splat(self.step), glam::DQuat::IDENTITY, self.origin)
    }

    /// What a file says about that.
    pub fn extras(&self) -> Value {
        json!({ PLACE: { "origin": self.origin.to_array(), "length": self.step } })
    }

    /// Positions in steps.
    pub fn positions(&self, positions: &[[f32; 3]]) -> Vec<[i32; 3]> {
        let steps = |p: &[f32; 3]| (DVec3::from(p.map(f64::from)) - self.origin) / self.step;
        positions.iter().map(|p| steps(p).to_array().map(|x| x.round().clamp(0.0, LARGEST) as i32)).collect()
    }

    /// Displacements in steps.
    pub fn displacements(&self, displacements: &[[f32; 3]]) -> Vec<[i32; 3]> {
        let part = |x: f32| (f64::from(x) / self.step).round().clamp(-32767.0, 32767.0) as i32;
        displacements.iter().map(|d| d.map(part)).collect()
    }

    /// Bits of rotations.
    pub fn turn_bits(&self) -> u32 {
        let steps = (self.reach / self.distance.max(f64::MIN_POSITIVE)).max(1.0);
        (steps.log2().ceil() as u32 + 1).clamp(8, 16)
    }

    /// Step of numbers that move what is `reach` away by so much each.
    pub fn step_of(&self, reach: f64) -> f32 {
        (self.distance / reach.max(f64::MIN_POSITIVE)) as f32
    }
}
