//! Sixteen numbers, or a part of them that fits one register of the machine.
//!
//! Products and sums are fused, with one rounding, on every machine, so that positions have the same bits
//! everywhere. Only [`Lanes::inverse_root`] may differ in the last bits from one make of processor to another.

/// Vertices that are handled together.
pub(super) const LANES: usize = 16;

/// A number for each of them.
pub(super) type Each = [f32; LANES];

/// Four points, coordinates of each side by side.
pub(super) type Four = [f32; 12];

/// Arithmetic on a register of numbers.
pub(super) trait Lanes: Copy {
    /// How many numbers. [`LANES`] are handled in parts of so many.
    const WIDTH: usize;
    /// The same number in all lanes.
    fn all(x: &f32) -> Self;
    /// The part of the numbers that begins at `from`.
    fn load(x: &Each, from: usize) -> Self;
    /// Sums.
    fn plus(self, other: Self) -> Self;
    /// Products.
    fn times(self, by: Self) -> Self;
    /// `self · by + plus`.
    fn times_plus(self, by: Self, plus: Self) -> Self;
    /// `self · by − minus`.
    fn times_minus(self, by: Self, minus: Self) -> Self;
    /// `from − self · by`.
    fn less_times(self, by: Self, from: Self) -> Self;
    /// `1 / √self` to about six digits; large, but finite, for 0.
    fn inverse_root(self) -> Self;
    /// The other way round where `of` is negative.
    fn with_sign_of(self, of: Self) -> Self;
    /// Writes each four of the points to its place, or to `spare` where it is behind all of them.
    fn store(points: [Self; 3], places: &[u16], out: &mut [Four], spare: &mut Four);
}

/// For any machine.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; 8]);

impl Plain {
    #[inline(always)]
    fn each(f: impl Fn(usize) -> f32) -> Self {
        Self(std::array::from_fn(f))
    }
}

impl Lanes for Plain {
    const WIDTH: usize = 8;

    #[inline(always)]
    fn all(x: &f32) -> Self {
        Self([*x; 8])
    }

    #[inline(always)]
    fn load(x: &Each, from: usize) -> Self {
        Self::each(|i| x[from + i])
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self::each(|i| self.0[i] + other.0[i])
    }

    #[inline(always)]
    fn times(self, by: Self) -> Self {
        Self::each(|i| self.0[i] * by.0[i])
    }

    #[inline(always)]
    fn times_plus(self, by: Self, plus: Self) -> Self {
        Self::each(|i| self.0[i].mul_add(by.0[i], plus.0[i]))
    }

    #[inline(always)]
    fn times_minus(self, by: Self, minus: Self) -> Self {
        Self::each(|i| self.0[i].mul_add(by.0[i], -minus.0[i]))
    }

    #[inline(always)]
    fn less_times(self, by: Self, from: Self) -> Self {
        Self::each(|i| (-self.0[i]).mul_add(by.0[i], from.0[i]))
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        Self::each(|i| 1.0 / self.0[i].max(f32::MIN_POSITIVE).sqrt())
    }

    #[inline(always)]
    fn with_sign_of(self, of: Self) -> Self {
        Self::each(|i| if of.0[i].is_sign_negative() { -self.0[i] } else { self.0[i] })
    }

    #[inline(always)]
    fn store([x, y, z]: [Self; 3], places: &[u16], out: &mut [Four], spare: &mut Four) {
        for (i, place) in places.iter().enumerate() {
            let four: Four = std::array::from_fn(|k| [x, y, z][k % 3].0[4 * i + k / 3]);
            *out.get_mut(*place as usize).unwrap_or(spare) = four;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
pub(super) use wide::{Wide, Wider};
