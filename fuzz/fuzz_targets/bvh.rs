//! Whatever the bytes, the BVH reader answers with a motion that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(motion) = sinew_io::formats::bvh::parse(bytes, Path::new("fuzz.bvh")) {
        assert_eq!(motion.validate(), Ok(()));
        assert!(motion.resampled(motion.fps * 0.7).is_ok());
    }
});
