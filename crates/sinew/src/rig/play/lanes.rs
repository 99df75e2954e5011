//! Eight numbers at a time, in one register where the machine has registers that wide.
//!
//! Products and sums are fused, with one rounding, on every machine, so that positions have the same bits
//! everywhere. Only [`Lanes::inverse_root`] may differ in the last bits from one make of processor to another.

/// Eight numbers side by side.
pub(super) type Eight = [f32; 8];

/// Arithmetic on eight numbers.
pub(super) trait Lanes: Copy {
    /// The same number in all lanes.
    fn all(x: &f32) -> Self;
    /// Eight numbers.
    fn load(x: &Eight) -> Self;
    /// Sums.
    fn plus(self, other: Self) -> Self;
    /// Products.
    fn times(self, by: Self) -> Self;
    /// `self · by + plus`.
    fn times_plus(self, by: Self, plus: Self) -> Self;
    /// `self · by − minus`.
    fn times_minus(self, by: Self, minus: Self) -> Self;
    /// `1 / √self` to about six digits; large, but finite, for 0.
    fn inverse_root(self) -> Self;
    /// The other way round where `of` is negative.
    fn with_sign_of(self, of: Self) -> Self;
    /// Writes eight points, coordinates of each side by side.
    fn store(points: [Self; 3], out: &mut [f32; 24]);
}

/// For any machine.
#[derive(Clone, Copy)]
pub(super) struct Plain(Eight);

impl Plain {
    #[inline(always)]
    fn each(f: impl Fn(usize) -> f32) -> Self {
        Self(std::array::from_fn(f))
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn all(x: &f32) -> Self {
        Self([*x; 8])
    }

    #[inline(always)]
    fn load(x: &Eight) -> Self {
        Self(*x)
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
    fn inverse_root(self) -> Self {
        Self::each(|i| 1.0 / self.0[i].max(f32::MIN_POSITIVE).sqrt())
    }

    #[inline(always)]
    fn with_sign_of(self, of: Self) -> Self {
        Self::each(|i| if of.0[i].is_sign_negative() { -self.0[i] } else { self.0[i] })
    }

    #[inline(always)]
    fn store([x, y, z]: [Self; 3], out: &mut [f32; 24]) {
        for (i, out) in out.chunks_exact_mut(3).enumerate() {
            out.copy_from_slice(&[x.0[i], y.0[i], z.0[i]]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    use std::arch::x86_64::*;

    use super::{Eight, Lanes};

    /// One register. Only for functions that run where AVX2 and FMA were found: everything here is inlined
    /// into them.
    #[derive(Clone, Copy)]
    pub struct Wide(__m256);

    // SAFETY of all below: see the type. Loads and stores are of whole arrays of the right length.
    impl Lanes for Wide {
        #[inline(always)]
        fn all(x: &f32) -> Self {
            Self(unsafe { _mm256_broadcast_ss(x) })
        }

        #[inline(always)]
        fn load(x: &Eight) -> Self {
            Self(unsafe { _mm256_loadu_ps(x.as_ptr()) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, by: Self) -> Self {
            Self(unsafe { _mm256_mul_ps(self.0, by.0) })
        }

        #[inline(always)]
        fn times_plus(self, by: Self, plus: Self) -> Self {
            Self(unsafe { _mm256_fmadd_ps(self.0, by.0, plus.0) })
        }

        #[inline(always)]
        fn times_minus(self, by: Self, minus: Self) -> Self {
            Self(unsafe { _mm256_fmsub_ps(self.0, by.0, minus.0) })
        }

        /// The processor's estimate, good to 11 bits, and one step of Newton's.
        #[inline(always)]
        fn inverse_root(self) -> Self {
            unsafe {
                let of = _mm256_max_ps(self.0, _mm256_set1_ps(f32::MIN_POSITIVE));
                let y = _mm256_rsqrt_ps(of);
                let half = _mm256_mul_ps(_mm256_mul_ps(of, _mm256_set1_ps(-0.5)), y);
                Self(_mm256_mul_ps(y, _mm256_fmadd_ps(half, y, _mm256_set1_ps(1.5))))
            }
        }

        #[inline(always)]
        fn with_sign_of(self, of: Self) -> Self {
            Self(unsafe { _mm256_xor_ps(self.0, _mm256_and_ps(of.0, _mm256_set1_ps(-0.0))) })
        }

        #[inline(always)]
        fn store([x, y, z]: [Self; 3], out: &mut [f32; 24]) {
            let (x, y, z) = (x.0, y.0, z.0);
            unsafe {
                // Within each half: x0 x2 y0 y2, then y1 y3 z1 z3, then z0 z2 x1 x3.
                let xy = _mm256_shuffle_ps(x, y, 0b10_00_10_00);
                let yz = _mm256_shuffle_ps(y, z, 0b11_01_11_01);
                let zx = _mm256_shuffle_ps(z, x, 0b11_01_10_00);
                // x0 y0 z0 x1, then y1 z1 x2 y2, then z2 x3 y3 z3.
                let first = _mm256_shuffle_ps(xy, zx, 0b10_00_10_00);
                let second = _mm256_shuffle_ps(yz, xy, 0b11_01_10_00);
                let third = _mm256_shuffle_ps(zx, yz, 0b11_01_11_01);
                let at = out.as_mut_ptr();
                _mm256_storeu_ps(at, _mm256_permute2f128_ps(first, second, 0x20));
                _mm256_storeu_ps(at.add(8), _mm256_permute2f128_ps(third, first, 0x30));
                _mm256_storeu_ps(at.add(16), _mm256_permute2f128_ps(second, third, 0x31));
            }
        }
    }
}
