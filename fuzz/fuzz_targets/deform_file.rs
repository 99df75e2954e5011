//! Whatever the bytes, the `.deform` reader answers with a character that can be posed or with an error.
//!
//! Checksums refuse nearly every mutation at the door. Such files are tried a second time with those of the file
//! and of the rig in it put right.
#![no_main]

mod checksums;

use std::path::Path;

use checksums::{crc32, mend_records};
use sinew_io::deform_file::{Examples, Setup, parse, to_bytes};

/// Where the rig starts, after the magic, the version and its length.
const RIG: usize = 20;
/// Characters and examples beyond these are legal but slow.
const MOST_CORNERS: usize = 1 << 12;
const MOST_EXAMPLES: usize = 16;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&mended(bytes));
});

fn read(bytes: &[u8]) {
    let path = Path::new("fuzz.deform");
    let Ok(setup) = parse(bytes, path) else { return };
    assert_eq!(setup.rig.validate(), Ok(()));
    let written = to_bytes(&setup);
    let again = parse(&written, path).map(|setup| to_bytes(&setup));
    assert!(again.is_ok_and(|again| again == written), "what was read can be written and read");
    let examples = match &setup.examples {
        Examples::Shapes(shapes) => shapes.len(),
        Examples::Kept(_, kept) => kept.examples.len(),
    };
    if setup.rig.mesh.corners.len() <= MOST_CORNERS && examples <= MOST_EXAMPLES {
        pose(&setup);
    }
}

fn pose(setup: &Setup) {
    let Ok(deformer) = setup.deformer(&sinew::progress::Silent) else { return };
    let mut pose = sinew::deform::Pose::rest(&setup.skeleton(), &setup.joints());
    let rest = deformer.pose(&pose);
    assert_eq!(rest.len(), setup.rig.rest.len());
    pose.turns.iter_mut().for_each(|turn| turn.y += 1.0);
    deformer.pose(&pose);
    let kept = setup.clone().kept_by(&deformer);
    let Ok(opened) = kept.deformer(&sinew::progress::Silent) else {
        panic!("what a character keeps makes it again")
    };
    let same = opened.pose(&pose).into_iter().zip(deformer.pose(&pose));
    // Bits, since wild numbers may come to no number at all.
    same.for_each(|(a, b)| assert_eq!(a.to_array().map(f32::to_bits), b.to_array().map(f32::to_bits)));
}

/// The same file with checksums that fit.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    let length =
        bytes.get(12..RIG).map_or(0, |l| l.iter().rev().fold(0_u64, |sum, b| sum << 8 | u64::from(*b)));
    let end = usize::try_from(length).ok().and_then(|length| RIG.checked_add(length));
    if let Some(rig) = end.and_then(|end| mended.get_mut(RIG..end)) {
        let right = mend_records(rig);
        rig.copy_from_slice(&right);
    }
    if let Some(end) = mended.len().checked_sub(4) {
        let sum = crc32(&mended[..end]);
        mended[end..].copy_from_slice(&sum.to_le_bytes());
    }
    mended
}
