//! Hot loops compiled several times, for the widest registers a machine may have.
//!
//! A loop's body is an `#[inline(always)]` function; [`for_wide_machines`] makes a function of it that
//! picks the best build when it runs. Fused multiply-add stays off, so that all builds round alike and
//! give the same bits.

macro_rules! for_wide_machines {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $type:ty),*) $(-> $ret:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub fn $name($($arg: $type),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw")]
                fn avx512($($arg: $type),*) $(-> $ret)? {
                    $body($($arg),*)
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
            $body($($arg),*)
        }
    };
}

pub(crate) use for_wide_machines;
