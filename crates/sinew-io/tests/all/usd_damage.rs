//! Damaged USD files are answered with a rig that holds together or with a sentence.

use std::path::Path;

use glam::{DAffine3, DVec3, Vec3};
use proptest::prelude::*;
use sinew::geometry::Mesh;
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_io::formats::usd::{self, WriteOptions};
use sinew_io::scene::SampleOptions;

const TEXT: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usda");
const BINARY: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usdc");
const PACKAGE: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usdz");

/// Reads all there is. Whether it was all right.
fn try_all(bytes: &[u8]) -> bool {
    let said = |error: sinew_io::Error| {
        let sentence = error.to_string();
        assert!(sentence.len() > 12 && !sentence.contains("panicked"), "{sentence}");
    };
    let file = match usd::parse_alone(bytes, Path::new("test.usd")) {
        Ok(file) => file,
        Err(error) => {
            said(error);
            return false;
        }
    };
    let _ = file.info().map_err(said);
    let _ = file.rig(&SampleOptions::default()).map_err(said);
    match file.animation(&SampleOptions::default()) {
        Ok(animation) if animation.mesh.vertex_count < 1000 && animation.frame_count() < 1000 => {
            let mut pose = vec![Vec3::ZERO; animation.mesh.vertex_count];
            let last = animation.frame_count() - 1;
            animation.player().pose_into(last, &mut pose).map_err(said).is_ok()
        }
        Ok(_) => true,
        Err(error) => {
            said(error);
            false
        }
    }
}

/// A file that Sinew wrote.
fn written(name: &str) -> Vec<u8> {
    let rig = Rig {
        mesh: Mesh::from_triangles(4, &[[0, 1, 2], [1, 2, 3]]),
        rest: (0..4).map(|i| Vec3::new(i as f32, (i * i) as f32, 0.0)).collect(),
        weights: SkinWeights::single(4),
        bones: vec![Bone { name: "bone".into(), center: DVec3::ONE, rigid: false, axes: None }],
        transforms: (1..5).map(|i| DAffine3::from_scale(DVec3::new(f64::from(i), 1.0, 1.0))).collect(),
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    usd::write_rig(&path, &rig, &WriteOptions::default()).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn whole_files_are_read_and_halves_are_refused() {
    for bytes in [TEXT.to_vec(), BINARY.to_vec(), PACKAGE.to_vec(), written("r.usda"), written("r.usdz")] {
        assert!(try_all(&bytes));
        for part in 0..64 {
            let cut = &bytes[..bytes.len() * part / 64];
            assert!(!try_all(cut), "{part}/64 of {} bytes", bytes.len());
        }
    }
}

#[test]
fn every_flipped_bit_is_survived() {
    for bytes in [BINARY, PACKAGE, TEXT] {
        let mut damaged = bytes.to_vec();
        for place in 0..bytes.len() {
            // One bit of each byte, and another one at the next.
            damaged[place] ^= 1 << (place % 8);
            try_all(&damaged);
            damaged[place] = bytes[place];
        }
    }
}

#[test]
fn absurd_counts_are_refused_before_memory_is_filled() {
    // Every eight bytes of the binary file in turn as a count beyond all bounds.
    for count in [u64::MAX, 1 << 40, 1 << 31, (1 << 25) + 3] {
        for place in 0..BINARY.len() - 8 {
            let mut damaged = BINARY.to_vec();
            damaged[place..place + 8].copy_from_slice(&count.to_le_bytes());
            try_all(&damaged);
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let said = |text: &str| {
        usd::parse_alone(text.as_bytes(), Path::new("t.usda"))
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    for (text, sentence) in [
        ("#usda 1.0\ndef Mesh \"m\"\n{\n    int[] a = [1, 2", "t.usda, line 4: the file is cut short"),
        ("#usda 1.0\nlet x\n", "line 2: expected def, over or class, found let"),
        ("#usda 1.0\ndef Mesh m {}", "line 2: expected a name in quotes"),
        ("#usda 1.0\ndef \"m\" { float x.timeSamples = { 2: 1, 1: 2 } }", "time 1 does not come after"),
        ("hello", "neither a USD text file nor a binary one"),
        ("", "neither a USD text file nor a binary one"),
        ("PXR-USDC\0\x02\0\0", "version 0.2.0"),
    ] {
        assert!(said(text).contains(sentence), "{text:?}: {:?}", said(text));
    }
    // Found by fuzzing: what is no text may be the last there is.
    let cut = usd::parse_alone(b"#usda 1.0\n(\n  a =\n Code\x83\xf5", Path::new("t.usda"));
    assert!(cut.err().is_some_and(|e| e.to_string().contains("line 4: expected a value, found 'C'")));
    let deep = "def \"a\" {".repeat(4000);
    assert!(said(&format!("#usda 1.0\n{deep}")).contains("nested more than 128 deep"));
    let brackets = format!("#usda 1.0\ndef \"a\" {{ float x = {}", "[".repeat(100_000));
    assert!(said(&brackets).contains("nested too deep"));
    let animation = |text: &str| {
        let file = usd::parse_alone(text.as_bytes(), Path::new("t.usda")).unwrap();
        file.animation(&SampleOptions::default()).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let mesh = |counts: &str, indices: &str| {
        animation(&format!(
            "#usda 1.0\ndef Mesh \"m\" {{ int[] faceVertexCounts = [{counts}]\n\
             int[] faceVertexIndices = [{indices}]\n\
             point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] }}"
        ))
    };
    assert_eq!(mesh("3", "0, 1, 2"), "");
    assert!(mesh("3", "0, 1, 7").contains("mesh /m uses point 7, but it has only 3"));
    assert!(mesh("4", "0, 1, 2").contains("has faces of other corners"));
    assert!(mesh("-3", "0, 1, 2").contains("has faces of other corners"));
    assert!(mesh("x", "0, 1, 2").contains("line 2: x is not a number"));
}

proptest! {
    #[test]
    fn any_damage_to_text_is_survived(
        place in 0..TEXT.len(),
        length in 0_usize..40,
        inserted in "[ -~\n]{0,12}",
    ) {
        let mut damaged = TEXT[..place].to_vec();
        damaged.extend(inserted.as_bytes());
        damaged.extend(&TEXT[(place + length).min(TEXT.len())..]);
        try_all(&damaged);
    }
}
