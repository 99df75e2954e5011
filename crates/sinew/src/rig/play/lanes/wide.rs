//! One register of processors that have wide ones.
//!
//! [`Wide`] is only for functions that run where AVX2 and FMA were found, [`Wider`] where AVX-512 was too:
//! everything here is inlined into them. That is the safety of every call of an intrinsic below. Loads are of
//! parts of whole arrays, checked, and stores of whole arrays.

use std::arch::x86_64::*;

use super::{Each, Four, Lanes};

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct Wide(__m256);

/// Sixteen numbers.
#[derive(Clone, Copy)]
pub struct Wider(__m512);

/// Writes four points to their place.
#[inline(always)]
fn put([a, b, c]: [__m128; 3], place: u16, out: &mut [Four], spare: &mut Four) {
    let to = out.get_mut(place as usize).unwrap_or(spare).as_mut_ptr();
    unsafe {
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to.add(4), b);
        _mm_storeu_ps(to.add(8), c);
    }
}

/// What both do in the same way, each by instructions of its own.
macro_rules! arithmetic {
    (
        $load:ident, $add:ident, $mul:ident, $fmadd:ident, $fmsub:ident, $fnmadd:ident, $max:ident, $set1:ident,
        $rsqrt:ident
    ) => {
        #[inline(always)]
        fn load(x: &Each, from: usize) -> Self {
            Self(unsafe { $load(x[from..from + Self::WIDTH].as_ptr()) })
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Self(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        fn times(self, by: Self) -> Self {
            Self(unsafe { $mul(self.0, by.0) })
        }

        #[inline(always)]
        fn times_plus(self, by: Self, plus: Self) -> Self {
            Self(unsafe { $fmadd(self.0, by.0, plus.0) })
        }

        #[inline(always)]
        fn times_minus(self, by: Self, minus: Self) -> Self {
            Self(unsafe { $fmsub(self.0, by.0, minus.0) })
        }

        #[inline(always)]
        fn less_times(self, by: Self, from: Self) -> Self {
            Self(unsafe { $fnmadd(self.0, by.0, from.0) })
        }

        /// The processor's estimate, good to 11 bits or 14, and one step of Newton's.
        #[inline(always)]
        fn inverse_root(self) -> Self {
            unsafe {
                let of = $max(self.0, $set1(f32::MIN_POSITIVE));
                let y = $rsqrt(of);
                let half = $mul($mul(of, $set1(-0.5)), y);
                Self($mul(y, $fmadd(half, y, $set1(1.5))))
            }
        }
    };
}

impl Lanes for Wide {
    const WIDTH: usize = 8;

    #[inline(always)]
    fn all(x: &f32) -> Self {
        Self(unsafe { _mm256_broadcast_ss(x) })
    }

    arithmetic! {
        _mm256_loadu_ps, _mm256_add_ps, _mm256_mul_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps,
        _mm256_max_ps, _mm256_set1_ps, _mm256_rsqrt_ps
    }

    #[inline(always)]
    fn with_sign_of(self, of: Self) -> Self {
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_and_ps(of.0, _mm256_set1_ps(-0.0))) })
    }

    #[inline(always)]
    fn store([x, y, z]: [Self; 3], places: &[u16], out: &mut [Four], spare: &mut Four) {
        let (x, y, z) = (x.0, y.0, z.0);
        unsafe {
            // Within each half: x0 x2 y0 y2, then y1 y3 z1 z3, then z0 z2 x1 x3.
            let xy = _mm256_shuffle_ps(x, y, 0b10_00_10_00);
            let yz = _mm256_shuffle_ps(y, z, 0b11_01_11_01);
            let zx = _mm256_shuffle_ps(z, x, 0b11_01_10_00);
            // x0 y0 z0 x1, then y1 z1 x2 y2, then z2 x3 y3 z3.
            let a = _mm256_shuffle_ps(xy, zx, 0b10_00_10_00);
            let b = _mm256_shuffle_ps(yz, xy, 0b11_01_10_00);
            let c = _mm256_shuffle_ps(zx, yz, 0b11_01_11_01);
            let low = [_mm256_castps256_ps128(a), _mm256_castps256_ps128(b), _mm256_castps256_ps128(c)];
            put(low, places[0], out, spare);
            let high =
                [_mm256_extractf128_ps(a, 1), _mm256_extractf128_ps(b, 1), _mm256_extractf128_ps(c, 1)];
            put(high, places[1], out, spare);
        }
    }
}

impl Lanes for Wider {
    const WIDTH: usize = 16;

    #[inline(always)]
    fn all(x: &f32) -> Self {
        Self(unsafe { _mm512_set1_ps(*x) })
    }

    arithmetic! {
        _mm512_loadu_ps, _mm512_add_ps, _mm512_mul_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_fnmadd_ps,
        _mm512_max_ps, _mm512_set1_ps, _mm512_rsqrt14_ps
    }

    #[inline(always)]
    fn with_sign_of(self, of: Self) -> Self {
        unsafe {
            let sign = _mm512_and_si512(_mm512_castps_si512(of.0), _mm512_set1_epi32(i32::MIN));
            Self(_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(self.0), sign)))
        }
    }

    /// As with eight, by quarters.
    #[inline(always)]
    fn store([x, y, z]: [Self; 3], places: &[u16], out: &mut [Four], spare: &mut Four) {
        let (x, y, z) = (x.0, y.0, z.0);
        unsafe {
            let xy = _mm512_shuffle_ps(x, y, 0b10_00_10_00);
            let yz = _mm512_shuffle_ps(y, z, 0b11_01_11_01);
            let zx = _mm512_shuffle_ps(z, x, 0b11_01_10_00);
            let a = _mm512_shuffle_ps(xy, zx, 0b10_00_10_00);
            let b = _mm512_shuffle_ps(yz, xy, 0b11_01_10_00);
            let c = _mm512_shuffle_ps(zx, yz, 0b11_01_11_01);
            put(quarter::<0>(a, b, c), places[0], out, spare);
            put(quarter::<1>(a, b, c), places[1], out, spare);
            put(quarter::<2>(a, b, c), places[2], out, spare);
            put(quarter::<3>(a, b, c), places[3], out, spare);
        }
    }
}

#[inline(always)]
unsafe fn quarter<const WHICH: i32>(a: __m512, b: __m512, c: __m512) -> [__m128; 3] {
    unsafe {
        [_mm512_extractf32x4_ps(a, WHICH), _mm512_extractf32x4_ps(b, WHICH), _mm512_extractf32x4_ps(c, WHICH)]
    }
}
