//! Whatever the bytes, the AMC reader answers with a motion that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

use sinew_io::formats::acclaim::{parse_amc, parse_asf};

/// The skeleton of the seed.
const SKELETON: &[u8] = include_bytes!("../seeds/asf/arm.asf");

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(skeleton) = parse_asf(SKELETON, Path::new("fuzz.asf")) else { panic!("the seed is sound") };
    if let Ok((motion, _)) = parse_amc(bytes, Path::new("fuzz.amc"), &skeleton) {
        assert_eq!(motion.validate(), Ok(()));
    }
});
