//! Offsets of many points in every example, kept small.

use glam::DVec3;

/// Offsets in whole steps, 32767 of which are an example's largest: far below what can be seen, and a quarter of
/// the memory, which counts since a root's handle may be a tenth of the surface. Most examples leave it where it
/// is, and nothing is kept of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    /// Size of a step and offsets of all points, example by example; no points for one without offsets.
    examples: Vec<(f64, Vec<[i16; 3]>)>,
}

impl Offsets {
    /// Offsets of all points in the first example, then in the second, and so on. An example in which none is
    /// larger than `least` has none.
    pub fn new(examples: &[Vec<DVec3>], least: f64) -> Self {
        let kept = |all: &Vec<DVec3>| {
            let largest = all.iter().fold(0.0_f64, |most, o| most.max(o.abs().max_element()));
            if largest <= least {
                return (0.0, Vec::new());
            }
            let step = largest / f64::from(i16::MAX);
            (step, all.iter().map(|o| (*o / step).round().to_array().map(|x| x as i16)).collect())
        };
        Self { examples: examples.iter().map(kept).collect() }
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        self.examples.iter().map(|(step, values)| size_of_val(step) + size_of_val(&values[..])).sum()
    }

    /// The weighted sum of the offsets of one point.
    pub fn of(&self, point: usize, weights: &[f32]) -> DVec3 {
        let weighted = |((step, values), weight): (&(f64, Vec<[i16; 3]>), &f32)| {
            let own = values.get(point).map_or(DVec3::ZERO, |o| DVec3::from_array(o.map(f64::from)));
            own * (f64::from(*weight) * step)
        };
        self.examples.iter().zip(weights).map(weighted).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_come_back_and_those_too_small_to_matter_take_no_room() {
        let some =
            |k: f64| (0..50).map(|i| DVec3::new(k * f64::from(i), (f64::from(i) * k).sin(), -k)).collect();
        let examples: [Vec<DVec3>; 3] = [some(0.1), some(7.0), vec![DVec3::splat(1e-9); 50]];
        let offsets = Offsets::new(&examples, 1e-6);
        for point in 0..50 {
            let wanted = 0.5 * examples[0][point] - 2.0 * examples[1][point];
            assert!(offsets.of(point, &[0.5, -2.0, 3.0]).distance(wanted) < 0.02);
        }
        assert!(offsets.bytes() < 2 * 50 * 6 + 50);
    }
}
