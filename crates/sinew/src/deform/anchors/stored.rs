//! An example's values at the anchors, as they are kept.

use super::fit::Table;

/// Numbers of one anchor or triangle: x, y, z of the turn, then the skew as in
/// [`ExampleField`](crate::deform::ExampleField).
pub type Blend = [f32; NUMBERS];

pub(super) const NUMBERS: usize = 9;

/// What an example adds at the anchors: of each of the nine numbers a whole number of steps, 65535 of which
/// cover the largest value there is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnchoredField {
    /// Size of one step of each number.
    pub steps: [f32; NUMBERS],
    /// Steps of each anchor.
    pub values: Vec<[i16; NUMBERS]>,
}

impl AnchoredField {
    /// Bytes of an example for each anchor.
    pub const ANCHOR_BYTES: usize = size_of::<[i16; NUMBERS]>();
    /// Bytes of an example besides.
    pub const FIXED_BYTES: usize = size_of::<[f32; NUMBERS]>();

    /// The fitted values of one example.
    pub(super) fn new(values: &Table) -> Self {
        let rows: Vec<&[f64]> = values.numbers.chunks_exact(NUMBERS).collect();
        let largest = |k: usize| rows.iter().fold(0.0_f64, |most, row| most.max(row[k].abs()));
        let steps: [f32; NUMBERS] = std::array::from_fn(|k| (largest(k) / f64::from(i16::MAX)) as f32);
        let in_steps = |x: f64, step: f32| if step > 0.0 { (x / f64::from(step)).round() as i16 } else { 0 };
        let values = rows.iter().map(|row| std::array::from_fn(|k| in_steps(row[k], steps[k]))).collect();
        Self { steps, values }
    }

    /// Adds the example's value at one anchor, `weight` times.
    #[inline]
    pub fn add_to(&self, anchor: usize, weight: f32, blend: &mut Blend) {
        let value = &self.values[anchor];
        for k in 0..NUMBERS {
            blend[k] += weight * (self.steps[k] * f32::from(value[k]));
        }
    }

    /// Bytes it takes, in memory and at least in a file.
    pub fn bytes(&self) -> usize {
        Self::FIXED_BYTES + Self::ANCHOR_BYTES * self.values.len()
    }
}
