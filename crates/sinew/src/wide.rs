//! Hot loops compiled several times, for the widest registers a machine may have.
//!
//! [`for_wide_machines`] makes a function that picks the best build of its body when it runs. What the body calls is
//! built along with it where it is `#[inline(always)]`. Fused multiply-add stays off, so that all builds round alike and
//! give the same bits.

macro_rules! for_wide_machines {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$doc])*
        #[inline]
        $vis fn $name($($arg: $type),*) $(-> $ret)? {
            #[inline(always)]
            fn body($($arg: $type),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $ret)? {
                    body($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw")]
                fn avx512($($arg: $type),*) $(-> $ret)? {
                    body($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx512bw") {
                    // SAFETY: the feature was just found.
                    return unsafe { avx512($($arg),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the feature was just found.
                    return unsafe { avx2($($arg),*) };
                }
            }
            body($($arg),*)
        }
    };
}

pub(crate) use for_wide_machines;

/// Inner product in double precision of two runs of one length, in so many sums side by side.
#[inline(always)]
pub(crate) fn dot_in_lanes<const LANES: usize>(
    a: &[impl Into<f64> + Copy],
    b: &[impl Into<f64> + Copy],
) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let left = a.remainder().iter().zip(b.remainder());
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            lanes[lane] += a[lane].into() * b[lane].into();
        }
    }
    lanes.iter_mut().zip(left).for_each(|(lane, (&a, &b))| *lane += a.into() * b.into());
    lanes.iter().sum()
}

/// Numbers side by side that are computed with alike: a problem in each.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<const W: usize>(pub [f64; W]);

impl<const W: usize> Lanes<W> {
    /// The same number in all.
    #[inline(always)]
    pub fn all(x: f64) -> Self {
        Self([x; W])
    }

    /// Each told by its place.
    #[inline(always)]
    pub fn of(each: impl Fn(usize) -> f64) -> Self {
        let mut lanes = [0.0; W];
        (0..W).for_each(|i| lanes[i] = each(i));
        Self(lanes)
    }
}

macro_rules! lane_by_lane {
    ($($Op:ident $name:ident $sign:tt),+) => {
        $(impl<const W: usize> std::ops::$Op for Lanes<W> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self::of(|i| self.0[i] $sign other.0[i])
            }
        })+
    };
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const W: usize> std::ops::Neg for Lanes<W> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(|i| -self.0[i])
    }
}
