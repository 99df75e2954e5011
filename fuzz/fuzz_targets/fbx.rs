//! Whatever the bytes, the FBX reader answers with a rig that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

use sinew_io::formats::fbx::parse_alone;
use sinew_io::scene::SampleOptions;

/// Files that ask for more than this are legal but slow.
const MOST_VERTICES: usize = 1 << 14;
const MOST_FRAMES: f64 = 100.0;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse_alone(bytes, Path::new("fuzz.fbx")) else { return };
    let info = file.info();
    let long = info.clips.iter().any(|c| (c.end - c.start) * c.fps > MOST_FRAMES);
    if info.vertices > MOST_VERTICES || info.shapes > 64 || info.clips.len() > 8 || long {
        return;
    }
    let options = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    if let Ok(animation) = file.animation(&options) {
        let mut pose = vec![Default::default(); animation.rest().len()];
        let _ = animation.pose_into(animation.frame_count() - 1, &mut pose);
    }
    let Ok(sampled) = file.rig(&options) else { return };
    let rig = sampled.rig;
    assert_eq!(rig.validate(), Ok(()));
    assert_eq!(rig.mesh.validate(), Ok(()));
    assert!(rig.rest.iter().all(|p| p.is_finite()) && rig.transforms.iter().all(|t| t.is_finite()));
    assert!(rig.frame_count() > 0);
});
