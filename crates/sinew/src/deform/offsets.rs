//! Offsets of many points in every example, kept small.

use glam::DVec3;

/// Offsets of all held points in one example, in whole steps, 32767 of which are the largest: far below what can
/// be seen, and a quarter of the memory, which counts since a root's handle may be a tenth of the surface. Most
/// examples leave it where it is, and nothing is kept of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldOffsets {
    /// Size of a step.
    pub step: f64,
    /// Steps along x, y and z of each point; empty where there are no offsets.
    pub values: Vec<[i16; 3]>,
}

impl HeldOffsets {
    /// Offsets of all points; none where none is larger than `least`.
    pub(super) fn new(all: &[DVec3], least: f64) -> Self {
        let largest = all.iter().fold(0.0_f64, |most, o| most.max(o.abs().max_element()));
        if largest <= least {
            return Self::default();
        }
        let step = largest / f64::from(i16::MAX);
        let values = all.iter().map(|o| (*o / step).round().to_array().map(|x| x as i16)).collect();
        Self { step, values }
    }

    /// Bytes they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.step) + size_of_val(&self.values[..])
    }

    /// The offset of one point.
    fn of(&self, point: usize) -> DVec3 {
        let value = self.values.get(point);
        value.map_or(DVec3::ZERO, |o| self.step * DVec3::from_array(o.map(f64::from)))
    }
}

/// The weighted sum of the offsets of one point in all examples.
pub(super) fn held_offset(examples: &[HeldOffsets], point: usize, weights: &[f32]) -> DVec3 {
    examples.iter().zip(weights).map(|(e, weight)| f64::from(*weight) * e.of(point)).sum()
}

#[cfg(test)]
#[path = "../../tests/unit/deform_offsets.rs"]
mod tests;
