//! Whatever the bytes, the ASF reader answers with a skeleton that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

use sinew_io::formats::acclaim::{parse_amc, parse_asf};

/// The motion of the seed.
const MOTION: &[u8] = include_bytes!("../seeds/amc/arm.amc");

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(skeleton) = parse_asf(bytes, Path::new("fuzz.asf")) else { return };
    // Lengths may add up to more than there are numbers for, but to nothing else.
    if let Err(error) = skeleton.at_rest().validate() {
        assert!(error.to_string().contains("that can be undone"), "{error}");
    }
    if let Ok((motion, _)) = parse_amc(MOTION, Path::new("fuzz.amc"), &skeleton) {
        assert_eq!(motion.validate(), Ok(()));
    }
});
