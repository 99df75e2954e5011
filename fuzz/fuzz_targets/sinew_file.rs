//! Whatever the bytes, the `.sinew` reader answers with a rig that holds together or with an error.
//!
//! Checksums refuse nearly every mutation at the door. Such files are tried a second time with the checksums
//! put right.
#![no_main]

mod checksums;

use std::path::Path;

use checksums::mend_records;
use sinew_io::formats::sinew_file::{Poses, Reader, Stored, parse};

/// Files that ask for more than this are legal but slow.
const MOST_POINTS: usize = 1 << 20;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&mend_records(bytes));
});

fn read(bytes: &[u8]) {
    let path = Path::new("fuzz.sinew");
    let Ok(contents) = parse(bytes, path) else { return };
    let mut clips = 1;
    let (frames, vertices) = match &contents.stored {
        Stored::Rig(rig) => {
            assert_eq!(rig.validate(), Ok(()));
            assert!(rig.fps > 0.0 && rig.transforms.iter().all(|t| t.is_finite()));
            clips = rig.clips().len();
            (rig.frame_count(), rig.rest.len())
        }
        Stored::Chain(chain) => {
            assert_eq!(chain.validate(), Ok(()));
            assert!(chain.fps > 0.0 && chain.steps.iter().all(|t| t.is_finite()));
            (chain.frame_count(), chain.rest.len())
        }
    };
    assert_eq!(contents.stored.mesh().validate(), Ok(()));
    assert!(frames > 0 && contents.stored.rest().iter().all(|p| p.is_finite()));
    // A file holds all it promises: nothing is made up.
    assert!(frames * contents.stored.bones().len() * 96 + vertices * 12 < bytes.len());
    if frames * vertices > MOST_POINTS {
        return;
    }
    let Ok(mut reader) = Reader::new(bytes, path) else { panic!("read once, but not twice") };
    let mut pose = vec![Default::default(); vertices];
    let (mut played, mut clip) = (0, 0);
    loop {
        let mut poses = Poses::new(reader);
        while poses.next_into(&mut pose).is_ok_and(|more| more) {
            played += 1;
        }
        clip += 1;
        if clip == clips {
            break;
        }
        let Ok(again) = Reader::new(bytes, path) else { panic!("read once, but not twice") };
        reader = again;
        for _ in 0..clip {
            assert!(reader.next_clip().is_ok_and(|there| there), "all clips that were read are there");
        }
    }
    assert_eq!(played, frames);
}
