//! Whatever the bytes, the Alembic reader answers with a mesh and poses that hold together or with an error.
#![no_main]

use std::path::Path;

use sinew_io::formats::alembic::{ReadOptions, parse};

/// Files that ask for more than this are legal but slow.
const MOST_VERTICES: usize = 1 << 16;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes.to_vec(), Path::new("fuzz.abc")) else { return };
    let Ok(info) = file.info() else {
        // What cannot be counted may still not bring the reader down.
        let _ = file.animation(&ReadOptions::default());
        return;
    };
    assert!(info.frames > 0 && info.fps.is_finite() && info.fps > 0.0 && info.start <= info.end);
    let vertices: usize = info.objects.iter().map(|o| o.vertices + o.faces).sum();
    if vertices > MOST_VERTICES {
        return;
    }
    for fps in [None, Some(info.fps * 1.7)] {
        let Ok(animation) = file.animation(&ReadOptions { fps }) else { continue };
        assert_eq!(animation.mesh.validate(), Ok(()));
        assert!(animation.rest.as_ref().is_none_or(|rest| rest.len() == animation.mesh.vertex_count));
        let mut pose = vec![Default::default(); animation.mesh.vertex_count];
        for frame in [0, animation.frame_count / 2, animation.frame_count - 1] {
            // A sample that is not as long as the index says is told where it is read.
            let _ = animation.pose_into(frame, &mut pose);
        }
    }
});
