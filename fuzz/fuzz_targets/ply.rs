//! Whatever the bytes, the PLY reader answers with a mesh that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(result) = sinew_io::formats::ply::parse(bytes, Path::new("fuzz.ply")) {
        assert_eq!(result.mesh.validate(), Ok(()));
        assert_eq!(result.mesh.vertex_count, result.positions.len());
    }
});
