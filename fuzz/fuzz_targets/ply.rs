//! Whatever the bytes, the PLY reader answers with a mesh that holds together or with an error.
#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(result) = sinew_io::formats::ply::parse(bytes, Path::new("fuzz.ply")) {
        assert_eq!(result.mesh.validate(), Ok(()));
        assert_eq!(result.mesh.vertex_count, result.positions.len());
    }
});
