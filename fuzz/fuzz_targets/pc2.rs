//! Whatever the bytes, the PC2 reader answers with frames it has bytes for or with an error.
#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(cache) = sinew_io::formats::pc2::parse(bytes, Path::new("fuzz.pc2")) {
        assert!(!cache.frames.is_empty() && cache.frames.vertex_count() > 0);
        assert!(4 * cache.frames.flat().len() < bytes.len());
        assert!(cache.fps.is_none_or(|fps| fps.is_finite() && fps > 0.0));
    }
});
