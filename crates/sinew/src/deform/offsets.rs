//! Offsets of many points in every example, kept small.

use glam::DVec3;

/// Offsets in whole steps, 32767 of which are an example's largest: far below what can be seen, and a quarter of
/// the memory, which counts since a root's handle may be a tenth of the surface.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    /// Size of a step in each example.
    steps: Vec<f64>,
    /// For each point the offsets of all examples.
    values: Vec<[i16; 3]>,
}

impl Offsets {
    /// Offsets of all points in the first example, then in the second, and so on.
    pub fn new(examples: &[Vec<DVec3>]) -> Self {
        let largest = |all: &Vec<DVec3>| all.iter().fold(0.0_f64, |most, o| most.max(o.abs().max_element()));
        let steps: Vec<f64> = examples.iter().map(|all| largest(all) / f64::from(i16::MAX)).collect();
        let points = examples.first().map_or(0, Vec::len);
        let in_steps = |point: usize| {
            let own = examples.iter().zip(&steps).map(move |(all, step)| (all[point], *step));
            own.map(|(o, step)| if step > 0.0 { (o / step).round() } else { DVec3::ZERO })
        };
        let values = (0..points).flat_map(in_steps).map(|o| o.to_array().map(|x| x as i16)).collect();
        Self { steps, values }
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.steps[..]) + size_of_val(&self.values[..])
    }

    /// The weighted sum of the offsets of one point.
    pub fn of(&self, point: usize, weights: &[f32]) -> DVec3 {
        let own = &self.values[point * weights.len()..(point + 1) * weights.len()];
        let factors = weights.iter().zip(&self.steps).map(|(weight, step)| f64::from(*weight) * step);
        own.iter().zip(factors).map(|(o, factor)| DVec3::from_array(o.map(f64::from)) * factor).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_come_back() {
        let some =
            |k: f64| (0..50).map(|i| DVec3::new(k * f64::from(i), (f64::from(i) * k).sin(), -k)).collect();
        let examples: [Vec<DVec3>; 3] = [some(0.1), some(7.0), vec![DVec3::ZERO; 50]];
        let offsets = Offsets::new(&examples);
        for point in 0..50 {
            let wanted = 0.5 * examples[0][point] - 2.0 * examples[1][point];
            assert!(offsets.of(point, &[0.5, -2.0, 3.0]).distance(wanted) < 0.02);
        }
    }
}
