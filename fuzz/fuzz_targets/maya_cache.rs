//! Whatever the bytes, the reader of Maya's caches answers with poses it has bytes for or with an error.
#![no_main]

use glam::Vec3;
use sinew_io::Source;
use sinew_io::open::Poses;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(mut cache) = sinew_io::formats::maya::open(Source::bytes("fuzz.mcx", bytes)) else { return };
    assert!(12 * cache.vertex_count <= bytes.len() && 8 * cache.frame_count <= bytes.len());
    let mut out = vec![Vec3::ZERO; cache.vertex_count];
    while cache.next_into(&mut out).is_ok_and(|more| more) {}
});
