//! Whatever the bytes, the NPZ and NPY reader answers with poses or with an error.
#![no_main]

use glam::Vec3;
use sinew_io::Source;
use sinew_io::open::Poses;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(opened) = sinew_io::formats::numpy::open(Source::bytes("fuzz.npz", bytes)) else { return };
    assert_eq!(opened.mesh.validate(), Ok(()));
    // What is deflated may be a thousand times as long.
    assert!(12 * opened.vertex_count() <= 1100 * bytes.len());
    let Ok(mut poses) = opened.poses() else { return };
    let mut out = vec![Vec3::ZERO; opened.vertex_count()];
    for _ in 0..opened.frame_count.min(64) {
        if poses.next_into(&mut out).is_err() {
            return;
        }
    }
});
