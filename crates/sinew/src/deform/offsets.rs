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
mod tests {
    use super::*;

    #[test]
    fn offsets_come_back_and_those_too_small_to_matter_take_no_room() {
        let some =
            |k: f64| (0..50).map(|i| DVec3::new(k * f64::from(i), (f64::from(i) * k).sin(), -k)).collect();
        let examples: [Vec<DVec3>; 3] = [some(0.1), some(7.0), vec![DVec3::splat(1e-9); 50]];
        let offsets = examples.each_ref().map(|all| HeldOffsets::new(all, 1e-6));
        for point in 0..50 {
            let wanted = 0.5 * examples[0][point] - 2.0 * examples[1][point];
            assert!(held_offset(&offsets, point, &[0.5, -2.0, 3.0]).distance(wanted) < 0.02);
        }
        assert!(offsets.iter().map(HeldOffsets::bytes).sum::<usize>() < 2 * 50 * 6 + 50);
    }
}
