//! Whatever the bytes, the USD reader answers with a rig or poses that hold together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

use sinew_io::formats::usd::parse_alone;
use sinew_io::scene::SampleOptions;

/// Files that ask for more than this are legal but slow.
const MOST_VERTICES: usize = 1 << 14;
const MOST_FRAMES: f64 = 200.0;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse_alone(bytes, Path::new("fuzz.usd")) else { return };
    let Ok(info) = file.info() else { return };
    assert!(info.time_codes_per_second > 0.0);
    if info.vertices > MOST_VERTICES || info.blend_shapes > 64 || info.joints > 4096 {
        return;
    }
    let frames = info.clips.first().map_or(1.0, |c| (c.end - c.start) * c.fps / info.time_codes_per_second);
    if !(frames <= MOST_FRAMES) {
        return;
    }
    if let Ok(sampled) = file.rig(&SampleOptions::default()) {
        let rig = sampled.rig;
        assert_eq!(rig.validate(), Ok(()));
        assert_eq!(rig.mesh.validate(), Ok(()));
        assert!(rig.rest.iter().all(|p| p.is_finite()) && rig.transforms.iter().all(|t| t.is_finite()));
        assert_eq!(rig.pose(rig.frame_count() - 1).len(), rig.rest.len());
    }
    if let Ok(animation) = file.animation(&SampleOptions::default()) {
        let mut pose = vec![Default::default(); animation.mesh.vertex_count];
        let _ = animation.player().pose_into(animation.frame_count() - 1, &mut pose);
    }
});
