//! Whatever the bytes, the reader of known joints answers with a list or with one sentence.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for name in ["fuzz.toml", "fuzz.json"] {
        let Err(error) = sinew_io::joints_file::parse(bytes, Path::new(name)) else { continue };
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
});
