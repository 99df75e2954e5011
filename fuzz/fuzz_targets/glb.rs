//! Whatever the bytes, the glTF reader answers with a rig that holds together or with an error.
//!
//! A GLB file states its lengths three times, so a mutation that inserts a byte is refused at the door.
//! Such files are tried a second time with the lengths put right.
#![no_main]

mod mutate;

use std::path::Path;

use sinew_io::formats::gltf::{Gltf, parse_alone};
use sinew_io::scene::SampleOptions;

/// Files that ask for more than this are legal but slow.
const MOST_VERTICES: usize = 1 << 14;
const MOST_FRAMES: f64 = 500.0;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::gltf(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    if let Some(mended) = mend_lengths(bytes) {
        read(&mended);
    }
});

fn read(bytes: &[u8]) {
    let Ok(file) = parse_alone(bytes, Path::new("fuzz.glb")) else { return };
    let (Ok(clips), Ok(info)) = (file.clips(), file.info()) else {
        // What cannot be counted may still not bring the reader down.
        let _ = file.rig(&SampleOptions { fps: Some(1e-3), ..SampleOptions::default() });
        return;
    };
    assert!(clips.iter().all(|c| c.duration.is_finite() && c.fps.is_none_or(|f| f.is_finite() && f > 0.0)));
    let seconds = clips.first().map_or(0.0, |c| c.duration);
    let fps = clips.first().and_then(|c| c.fps).unwrap_or(30.0);
    if info.vertices > MOST_VERTICES || info.morph_targets > 64 || seconds * fps > MOST_FRAMES {
        return;
    }
    if let Ok((motion, _)) = file.joint_motion(&[], Some(fps.min(MOST_FRAMES / seconds.max(1.0)))) {
        assert_eq!(motion.validate(), Ok(()));
    }
    for weld in [None, Some(false), Some(true)] {
        check(&file, &SampleOptions { weld, ..SampleOptions::default() });
    }
}

fn check(file: &Gltf, options: &SampleOptions) {
    let Ok(sampled) = file.rig(options) else { return };
    let rig = sampled.rig;
    assert_eq!(rig.validate(), Ok(()));
    assert_eq!(rig.mesh.validate(), Ok(()));
    assert!(rig.rest.iter().all(|p| p.is_finite()) && rig.transforms.iter().all(|t| t.is_finite()));
    assert!(rig.frame_count() > 0);
    assert_eq!(rig.pose(rig.frame_count() - 1).len(), rig.rest.len());
}

/// The same JSON and binary chunks in a GLB file whose lengths are right.
fn mend_lengths(bytes: &[u8]) -> Option<Vec<u8>> {
    let body = bytes.strip_prefix(b"glTF")?.get(16..)?;
    let marker = body.windows(4).position(|w| w == b"BIN\0")?;
    let (json, bin) = (&body[..marker.checked_sub(4)?], &body[marker + 4..]);
    let mut out = b"glTF".to_vec();
    let words = [2, 28 + json.len() + bin.len(), json.len()];
    out.extend(words.iter().flat_map(|w| (*w as u32).to_le_bytes()));
    out.extend(b"JSON");
    out.extend(json);
    out.extend((bin.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bin);
    Some(out)
}
