//! `.sinew` files: what is written is read again, and what is broken plays as far as it is whole.

use std::path::Path;

use glam::{DAffine3, DMat3, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use sinew::geometry::{CornerLayer, Image, Material, Mesh, Part, Texture, TextureSlot};
use sinew::rig::{Bone, Corrections, Moves, PoseChain, Rig, Skeleton, SkinWeights};
use sinew_io::formats::sinew_file::{
    Clip, Contents, Frame, HeadRef, Label, Motion, Poses, Reader, Stored, Writer, clips, open_clip, parse,
    read, write_chain, write_rig,
};
use sinew_io::formats::{Facts, SINEW};

/// A quad and a triangle in two parts, with everything a mesh can have.
fn mesh() -> Mesh {
    let material = |name: &str, textures| Material {
        name: name.into(),
        base_color: [0.1, 0.2, 0.3, 0.4],
        emissive: [0.5, 0.6, 0.7],
        alpha_mode: "MASK".into(),
        double_sided: true,
        textures,
        ..Material::default()
    };
    let mut mesh = Mesh {
        vertex_count: 6,
        uvs: Some(CornerLayer { values: vec![Vec2::X, Vec2::Y], indices: vec![0, 1, 0, 1, 1, 1, 0] }),
        normals: Some(CornerLayer { values: vec![Vec3::Z], indices: vec![0; 7] }),
        face_materials: vec![1, 0],
        materials: vec![
            material(
                "skin",
                vec![Texture::new(TextureSlot::Emissive, 0), Texture::new(TextureSlot::Normal, 1)],
            ),
            material("Ärmel", Vec::new()),
        ],
        images: ["a", "b"]
            .map(|n| Image { name: n.into(), mime_type: "image/png".into(), bytes: vec![1, 2, 3] })
            .into(),
        parts: vec![
            Part { name: "body".into(), faces: 0..1, vertices: 0..4 },
            Part { name: "".into(), faces: 1..2, vertices: 4..6 },
        ],
        ..Mesh::default()
    };
    mesh.push_face(&[0, 1, 2, 3]);
    mesh.push_face(&[3, 4, 5]);
    mesh
}

fn rest() -> Vec<Vec3> {
    (0..6).map(|i| Vec3::new(i as f32, -0.0, 1.0 / 3.0)).collect()
}

/// Two influences a vertex, one of them below zero.
fn weights() -> SkinWeights {
    SkinWeights { per_vertex: 2, bones: [0, 1].repeat(6), weights: [1.25, -0.25].repeat(6) }
}

fn bones() -> Vec<Bone> {
    let bone =
        |name: &str, rigid| Bone { name: name.into(), center: DVec3::splat(1.0 / 3.0), rigid, axes: None };
    vec![bone("Kopf", true), bone("", false)]
}

/// Transforms that no f32 holds.
fn transforms(frames: usize) -> Vec<DAffine3> {
    let entry = |i: usize, k: usize| (i * 12 + k) as f64 / 7.0 - 1e-12;
    let column = |i: usize, k: usize| DVec3::new(entry(i, k), entry(i, k + 1), entry(i, k + 2));
    (0..2 * frames)
        .map(|i| DAffine3 {
            matrix3: DMat3::from_cols(column(i, 0), column(i, 3), column(i, 6)),
            translation: column(i, 9),
        })
        .collect()
}

fn rig(frames: usize) -> Rig {
    let corrections = Corrections {
        rank: 3,
        basis: (0..18).map(|i| Vec3::splat(i as f32 * 0.1)).collect(),
        normals: (0..18).map(|i| Vec3::splat(-i as f32 * 0.1)).collect(),
        coefficients: (0..3 * frames).map(|i| i as f32 - 0.5).collect(),
        names: Vec::new(),
    };
    Rig {
        mesh: mesh(),
        rest: rest(),
        weights: weights(),
        bones: bones(),
        transforms: transforms(frames),
        skeleton: Some(Skeleton::new(vec![None, Some(0)])),
        corrections: Some(corrections),
        fps: 30000.0 / 1001.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// Other weights from frame 1 on that can be written in short, and from frame 3 on some that cannot.
fn later_weights(frames: usize) -> Vec<(usize, SkinWeights)> {
    let mut short = weights();
    short.weights = [60000.0 / 65535.0, 5535.0 / 65535.0].repeat(6);
    let exact = SkinWeights { weights: weights().weights.iter().map(|w| w * 0.77).collect(), ..weights() };
    [(1, short), (3, exact)].into_iter().filter(|(from, _)| *from < frames).collect()
}

/// Vertices that the first frame and the last but one move on.
fn moves(frames: usize) -> Vec<(usize, Moves)> {
    let two: Moves = vec![(1, DVec3::new(0.1, 0.2, 0.3)), (4, DVec3::NEG_X)];
    [(0, two), (3, vec![(0, DVec3::Y)])].into_iter().filter(|(at, _)| *at < frames).collect()
}

fn chain(frames: usize) -> PoseChain {
    PoseChain {
        mesh: mesh(),
        rest: rest(),
        weights: weights(),
        later_weights: later_weights(frames),
        bones: bones(),
        steps: transforms(frames),
        keys: (0..frames).skip(2).step_by(3).collect(),
        moves: moves(frames),
        fps: 25.0,
        nodes: Vec::new(),
    }
}

fn written(write: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    write(&path);
    std::fs::read(path).unwrap()
}

fn rig_bytes(frames: usize) -> Vec<u8> {
    written(|path| assert!(write_rig(path, &rig(frames), "walk").is_ok()))
}

fn parsed(bytes: &[u8]) -> Result<Contents, String> {
    parse(bytes, Path::new("a.sinew")).map_err(|e| e.to_string())
}

/// The rig cut to its first frames.
fn cut(mut rig: Rig, frames: usize) -> Stored {
    rig.transforms.truncate(frames * rig.bones.len());
    if let Some(c) = &mut rig.corrections {
        c.coefficients.truncate(frames * c.rank);
    }
    Stored::Rig(rig)
}

/// Where each record begins, with its kind.
fn records(bytes: &[u8]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 12;
    while at < bytes.len() {
        found.push((at, String::from_utf8_lossy(&bytes[at..at + 4]).into_owned()));
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap());
        at += 16 + length as usize;
    }
    found
}

#[test]
fn rigs_and_chains_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    let bytes = write_rig(&path, &rig(5), "walk").unwrap();
    assert_eq!(bytes, path.metadata().unwrap().len());
    let contents = read(&path).unwrap();
    assert_eq!(
        contents,
        Contents {
            stored: Stored::Rig(rig(5)),
            clip: "walk".into(),
            warnings: vec![],
            facts: Facts::default()
        }
    );

    write_chain(&path, &chain(4), "").unwrap();
    assert_eq!(chain(4).keys, [2]);
    assert_eq!(read(&path).unwrap().stored, Stored::Chain(chain(4)));

    let bare = Rig {
        mesh: Mesh { vertex_count: 6, face_starts: vec![0], ..Mesh::default() },
        corrections: None,
        ..rig(1)
    };
    write_rig(&path, &bare, "").unwrap();
    assert_eq!(read(&path).unwrap().stored, Stored::Rig(bare));
}

#[test]
fn skeletons_may_be_missing_but_not_wrong() {
    let bytes = rig_bytes(1);
    let list = |parents: &[u32]| {
        let mut out = (parents.len() as u64).to_le_bytes().to_vec();
        parents.iter().for_each(|p| out.extend(p.to_le_bytes()));
        out
    };
    let parents = |contents: Option<&[u8]>| match parsed(&replaced(&bytes, "skel", contents))?.stored {
        Stored::Rig(rig) => Ok(rig.skeleton.map(|s| s.parents)),
        Stored::Chain(_) => Err("a chain".into()),
    };
    assert_eq!(parents(None), Ok(None));
    assert_eq!(parents(Some(&list(&[u32::MAX, u32::MAX]))), Ok(Some(vec![None, None])));
    let refused = |contents: &[u8], sentence: &str| {
        assert_eq!(parents(Some(contents)), Err::<Option<_>, String>(format!("a.sinew: {sentence}")));
    };
    refused(&list(&[u32::MAX]), "the rig's joints: 1 entries where 2 belong");
    refused(&list(&[u32::MAX, 1]), "joint 1 comes before its parent");
    refused(&list(&[u32::MAX - 1, 0]), "joint 0 comes before its parent");
    refused(&list(&[u32::MAX, 0])[..15], "the skeleton does not follow the format");
    refused(&[&list(&[u32::MAX, 0])[..], &[0]].concat(), "the skeleton does not follow the format");
    refused(&(1_u64 << 62).to_le_bytes(), "the skeleton does not follow the format");
    let clip = clip_contents(1, "a");
    let sentence = parsed(&replaced(&replaced(&bytes, "CORR", None), "CLIP", Some(&clip))).unwrap_err();
    assert_eq!(sentence, "a.sinew: a skeleton does not go with bones that carry each pose to the next");
}

#[test]
fn a_file_cut_anywhere_plays_to_its_last_whole_frame() {
    let bytes = rig_bytes(4);
    let records = records(&bytes);
    let starts_of =
        |kind: &str| -> Vec<usize> { records.iter().filter(|r| r.1 == kind).map(|r| r.0).collect() };
    let (frames, done) = (starts_of("FRAM"), starts_of("DONE")[0]);
    let ends = [&frames[1..], &[done]].concat();
    for length in 0..bytes.len() {
        let whole = ends.iter().filter(|end| **end <= length).count();
        match parsed(&bytes[..length]) {
            Ok(contents) => {
                assert!(whole > 0, "{length}");
                assert_eq!(contents.stored, cut(rig(4), whole), "{length}");
                let said =
                    format!("a.sinew: the file is cut short; {whole} of 4 frames are whole and played");
                assert_eq!(crate::common::sentences(&contents.warnings), [said]);
            }
            Err(sentence) => {
                assert_eq!(whole, 0, "{length}: {sentence}");
                assert!(sentence.contains("cut short"), "{length}: {sentence}");
            }
        }
    }
}

#[test]
fn a_stream_cut_anywhere_plays_to_its_last_whole_frame() {
    let chain = chain(5);
    assert_eq!(chain.later_weights.len(), 2);
    let bytes = written(|path| assert!(write_chain(path, &chain, "a").is_ok()));
    let kinds: Vec<String> = records(&bytes).into_iter().map(|r| r.1).skip_while(|k| k != "CLIP").collect();
    assert_eq!(kinds[1..], ["MOVE", "FRAM", "WSHT", "FRAM", "KEYF", "WGHT", "MOVE", "FRAM", "FRAM", "DONE"]);
    let is_frame = |kind: &str| kind == "FRAM" || kind == "KEYF";
    let all = records(&bytes);
    let ends: Vec<usize> = (0..all.len()).filter(|&i| is_frame(&all[i].1)).map(|i| all[i + 1].0).collect();
    for length in ends[0]..bytes.len() {
        let whole = ends.iter().filter(|end| **end <= length).count();
        let contents = parsed(&bytes[..length]).unwrap();
        assert_eq!(contents.warnings.len(), 1, "{length} bytes");
        let mut first = chain.clone();
        first.steps.truncate(2 * whole);
        first.keys.retain(|key| *key < whole);
        first.later_weights.retain(|(from, _)| *from < whole);
        first.moves.retain(|(at, _)| *at < whole);
        assert_eq!(contents.stored, Stored::Chain(first), "{length} bytes");
        // One frame after the other gives the same.
        let mut poses = Poses::new(Reader::new(&bytes[..length], Path::new("a.sinew")).unwrap());
        let mut pose = vec![Vec3::ZERO; 6];
        for t in 0..whole {
            assert!(poses.next_into(&mut pose).unwrap());
            assert_eq!(pose, chain.bake().frame(t), "frame {t} of {length} bytes");
        }
        assert!(!poses.next_into(&mut pose).unwrap());
    }
}

/// A file with another record before its last frame.
fn with(bytes: &[u8], kind: &str, contents: &[u8]) -> Result<Contents, String> {
    let at = records(bytes).iter().rfind(|r| r.1 == "FRAM").unwrap().0;
    parsed(&[&bytes[..at], &record(kind, contents), &bytes[at..]].concat())
}

#[test]
fn weights_between_frames_that_are_wrong_get_a_sentence() {
    let bytes = written(|path| assert!(write_chain(path, &chain(3), "a").is_ok()));
    let short = |slots: u32, bones: &[u8], weights: &[u16]| {
        let mut out = slots.to_le_bytes().to_vec();
        out.extend((bones.len() as u64).to_le_bytes());
        out.extend(bones);
        out.extend((weights.len() as u64).to_le_bytes());
        weights.iter().for_each(|w| out.extend(w.to_le_bytes()));
        out
    };
    let good = short(1, &[1; 6], &[65535; 6]);
    assert!(with(&bytes, "WSHT", &good).is_ok());
    let refused = |kind: &str, contents: &[u8], words: &str| {
        let message = with(&bytes, kind, contents).unwrap_err();
        assert!(message.contains(words), "{message}");
    };
    refused("WSHT", &short(1, &[2; 6], &[65535; 6]), "only 2 bones");
    refused("WSHT", &short(1, &[1; 5], &[65535; 6]), "5 entries where 6 belong");
    refused("WSHT", &short(u32::MAX, &[1; 6], &[65535; 6]), "entries where");
    refused("WSHT", &good[..good.len() - 1], "does not follow the format");
    let mut numbers = 1_u32.to_le_bytes().to_vec();
    numbers.extend(6_u64.to_le_bytes());
    numbers.extend([0; 24]);
    numbers.extend(6_u64.to_le_bytes());
    numbers.extend(f32::NAN.to_le_bytes().repeat(6));
    refused("WGHT", &numbers, "finite");
    // More than any weights take is damage, and the frames before it play.
    let long = with(&bytes, "WSHT", &vec![0; 4096]).unwrap();
    assert!(long.warnings[0].to_string().contains("damaged after frame 1"), "{:?}", long.warnings);
    // Bones that act on the rest pose keep their weights.
    let message = with(&rig_bytes(3), "WSHT", &good).unwrap_err();
    assert!(message.contains("weights change only where"), "{message}");
}

#[test]
fn displacements_that_are_wrong_get_a_sentence() {
    let bytes = written(|path| assert!(write_chain(path, &chain(3), "a").is_ok()));
    let moves = |vertices: &[u32], by: &[f64]| {
        let mut out = (vertices.len() as u64).to_le_bytes().to_vec();
        out.extend(vertices.iter().flat_map(|v| v.to_le_bytes()));
        out.extend((by.len() as u64 / 3).to_le_bytes());
        out.extend(by.iter().flat_map(|x| x.to_le_bytes()));
        out
    };
    let refused = |contents: &[u8], expected: &str| {
        let message = with(&bytes, "MOVE", contents).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    let good = moves(&[2, 5], &[1.0; 6]);
    let read = with(&bytes, "MOVE", &good).unwrap();
    let Stored::Chain(chain) = read.stored else { panic!("a chain was written") };
    assert_eq!(chain.moves_at(1), [(2, DVec3::ONE), (5, DVec3::ONE)]);
    for wrong in [moves(&[2, 6], &[1.0; 6]), moves(&[2, 2], &[1.0; 6]), moves(&[2], &[1.0, f64::NAN, 0.0])] {
        refused(&wrong, "the displacements of frame 1 do not fit the mesh");
    }
    refused(&moves(&[1, 2], &[1.0; 3]), "does not follow the format");
    refused(&good[..good.len() - 1], "does not follow the format");
    let long = with(&bytes, "MOVE", &vec![0; 4096]).unwrap();
    assert!(long.warnings[0].to_string().contains("damaged after frame 1"), "{:?}", long.warnings);
    let message = with(&rig_bytes(3), "MOVE", &good).unwrap_err();
    assert!(message.contains("moved on only where"), "{message}");
}

#[test]
fn a_flipped_byte_never_passes_for_another_rig() {
    let bytes = rig_bytes(3);
    let first_frame = records(&bytes).iter().find(|r| r.1 == "FRAM").unwrap().0;
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 1 << (at % 8);
        match parsed(&broken) {
            Ok(contents) => {
                assert!(at >= first_frame, "{at}: the head counts as whole");
                let Stored::Rig(played) = &contents.stored else { panic!("{at}: another kind of rig") };
                assert_eq!(contents.stored, cut(rig(3), played.frame_count()), "{at}");
                assert_eq!(contents.warnings.len(), 1, "{at}");
            }
            Err(sentence) => assert!(sentence.starts_with("a.sinew: "), "{sentence}"),
        }
    }
}

#[test]
fn heads_that_are_wrong_get_a_sentence() {
    let bytes = rig_bytes(1);
    let start = |kind: &str| records(&bytes).iter().find(|r| r.1 == kind).unwrap().0;
    let with = |at: usize, value: &[u8]| {
        let mut broken = bytes.clone();
        broken[at..at + value.len()].copy_from_slice(value);
        parsed(&broken).unwrap_err()
    };
    assert_eq!(
        with(8, &7_u32.to_le_bytes()),
        "a.sinew: this is version 7 of the Sinew format; this program reads version 1"
    );
    assert_eq!(with(0, b"GIF"), "a.sinew: this is not a Sinew file: it does not start with its signature");
    assert_eq!(
        parsed(&bytes[..9]).unwrap_err(),
        "a.sinew: the file is cut short: the signature and version need 12 bytes, but only 9 are there"
    );
    assert_eq!(
        with(start("REST") + 20, &[77]),
        "a.sinew: the rest pose is damaged: its checksum does not fit"
    );
    // Nothing is allocated for such a promise.
    assert_eq!(
        with(start("REST") + 4, &(u64::MAX / 2).to_le_bytes()),
        "a.sinew: the file is cut short in the rest pose before its first frame"
    );
    // A list in a sound record that promises more than the record holds.
    let huge = [&(1_u64 << 61).to_le_bytes()[..], &[0; 12]].concat();
    assert_eq!(
        parsed(&replaced(&bytes, "REST", Some(&huge))).unwrap_err(),
        "a.sinew: the rest pose does not follow the format"
    );
    assert_eq!(
        parsed(&replaced(&bytes, "BONE", None)).unwrap_err(),
        "a.sinew: the file lacks the list of bones"
    );
    assert_eq!(parsed(&rig_bytes(0)).unwrap_err(), "a.sinew: the file has no frames");
    assert_eq!(
        parsed(&bytes[..start("FRAM") + 50]).unwrap_err(),
        "a.sinew: the file is cut short before the end of its first frame"
    );
}

/// The file with the records of one kind left out or given other contents.
fn replaced(bytes: &[u8], kind: &str, contents: Option<&[u8]>) -> Vec<u8> {
    let mut out = bytes[..12].to_vec();
    for (at, name) in records(bytes) {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
        match contents {
            _ if name != kind => out.extend_from_slice(&bytes[at..at + length + 16]),
            Some(contents) => out.extend(record(kind, contents)),
            None => {}
        }
    }
    out
}

/// A sound record, put together by hand.
fn record(kind: &str, contents: &[u8]) -> Vec<u8> {
    let mut out = [kind.as_bytes(), &(contents.len() as u64).to_le_bytes(), contents].concat();
    // CRC-32 bit by bit, so that the table of the library is checked too.
    let crc = out.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ if c & 1 == 1 { 0xEDB8_8320 } else { 0 })
    });
    out.extend((!crc).to_le_bytes());
    out
}

#[test]
fn unknown_records_are_skipped_only_when_they_may_be() {
    let bytes = rig_bytes(3);
    let starts = records(&bytes);
    for (at, _) in &starts {
        let with = |kind: &str| {
            let mut more = bytes.clone();
            more.splice(at..at, record(kind, &[5; 10_000]));
            parsed(&more)
        };
        assert_eq!(with("note").unwrap().stored, Stored::Rig(rig(3)));
        assert_eq!(with("note").unwrap().warnings, Vec::<sinew_io::Warning>::new());
        let sentence = with("NOTE").unwrap_err();
        assert_eq!(
            sentence,
            "a.sinew: a record of kind NOTE cannot be skipped, and this program does not know it"
        );
    }
}

#[test]
fn frames_that_are_lost_or_doubled_end_the_clip() {
    let bytes = rig_bytes(4);
    let starts: Vec<usize> = records(&bytes).iter().filter(|r| r.1 == "FRAM").map(|r| r.0).collect();
    let lost = [&bytes[..starts[1]], &bytes[starts[2]..]].concat();
    let doubled = [&bytes[..starts[1]], &bytes[starts[0]..]].concat();
    for broken in [lost, doubled] {
        let contents = parsed(&broken).unwrap();
        assert_eq!(contents.stored, cut(rig(4), 1));
        assert_eq!(
            crate::common::sentences(&contents.warnings),
            ["a.sinew: the file is damaged after frame 1; 1 of 4 frames are whole and played"]
        );
    }
}

/// A rig of seven frames in three clips.
fn clips_rig() -> Rig {
    let clip = |name: &str, frames, fps| sinew::animation::Clip { name: name.into(), frames, fps };
    Rig {
        fps: 24.0,
        clips: vec![clip("walk", 0..2, 24.0), clip("Sprung", 2..3, 60.0), clip("run", 3..7, 0.5)],
        ..rig(7)
    }
}

#[test]
fn clips_come_back_with_names_frames_and_rates() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    write_rig(&path, &clips_rig(), "not this").unwrap();
    let contents = read(&path).unwrap();
    assert_eq!(
        contents,
        Contents {
            stored: Stored::Rig(clips_rig()),
            clip: "".into(),
            warnings: vec![],
            facts: Facts::default()
        }
    );
    assert_eq!(clips(&path).unwrap(), clips_rig().clips);
    // Each clip is found alone, and the frames before it do not count.
    for (number, clip) in clips_rig().clips.iter().enumerate() {
        let mut reader = open_clip(&path, number).unwrap();
        assert_eq!((&reader.head.clip.name, reader.head.clip.fps), (&clip.name, clip.fps));
        let mut frame = Frame::default();
        for at in clip.frames.clone() {
            assert!(reader.next_frame(&mut frame).unwrap());
            assert_eq!(frame.transforms, clips_rig().frame_transforms(at));
        }
        assert!(!reader.next_frame(&mut frame).unwrap());
        assert_eq!(reader.has_next_clip(), number < 2);
    }
    assert!(open_clip(&path, 3).is_err());
}

#[test]
fn clips_that_are_cut_off_are_missed() {
    let bytes = written(|path| assert!(write_rig(path, &clips_rig(), "").is_ok()));
    let records = records(&bytes);
    let starts = |kind: &str| records.iter().filter(|r| r.1 == kind).map(|r| r.0).collect::<Vec<_>>();
    let ends: Vec<usize> = starts("FRAM").iter().map(|start| start + 16 + 8 + 2 * 96 + 3 * 4).collect();
    for length in starts("FRAM")[1]..bytes.len() {
        let contents = parsed(&bytes[..length]).unwrap();
        let Stored::Rig(played) = contents.stored else { panic!("another kind of rig") };
        let whole = ends.iter().filter(|end| **end <= length).count();
        assert_eq!((played.frame_count(), played.validate()), (whole, Ok(())), "{length}");
        assert_eq!(played.transforms, clips_rig().transforms[..2 * whole]);
        assert_eq!(contents.warnings.len(), 1, "{length}");
    }
    // Right between two clips.
    let between = parsed(&bytes[..starts("CLIP")[1]]).unwrap();
    assert_eq!(
        (between.clip.as_str(), between.stored),
        ("walk", Stored::Rig(Rig { fps: 24.0, ..rig_of(2) }))
    );
    assert_eq!(
        crate::common::sentences(&between.warnings),
        ["a.sinew: the file is cut short; 2 of 2 frames of clip walk are whole and played"]
    );
    let within = parsed(&bytes[..starts("FRAM")[5]]).unwrap();
    assert_eq!(
        crate::common::sentences(&within.warnings),
        ["a.sinew: the file is cut short; 2 of 4 frames of clip run are whole and played"]
    );
}

/// The rig of the first frames of [`clips_rig`].
fn rig_of(frames: usize) -> Rig {
    match cut(rig(7), frames) {
        Stored::Rig(rig) => rig,
        Stored::Chain(_) => unreachable!("a rig was cut"),
    }
}

#[test]
fn clips_without_names_or_with_the_same_are_told_apart() {
    let bytes = rig_bytes(2);
    let clip = records(&bytes).iter().find(|r| r.1 == "CLIP").unwrap().0;
    let nameless = replaced(&bytes, "CLIP", Some(&clip_contents(0, "")));
    let from = |bytes: &[u8]| bytes[clip..].to_vec();
    let contents = parsed(&[bytes.clone(), from(&bytes), from(&nameless)].concat()).unwrap();
    assert_eq!(contents.warnings, Vec::<sinew_io::Warning>::new());
    let Stored::Rig(rig) = contents.stored else { panic!("another kind of rig") };
    let names: Vec<_> = rig.clips.iter().map(|c| (c.name.as_str(), c.frames.clone())).collect();
    assert_eq!(names, [("walk", 0..2), ("walk.1", 2..4), ("clip_2", 4..6)]);

    // What a later clip cannot be.
    let with = |contents: &[u8]| {
        let later = replaced(&bytes, "CLIP", Some(contents));
        parsed(&[bytes.clone(), from(&later)].concat()).unwrap_err()
    };
    assert_eq!(
        with(&clip_contents(1, "x")),
        "a.sinew: bones act on the rest pose in some clips and on the pose before in others"
    );
    assert_eq!(with(&[0; 3]), "a.sinew: the head of the clip does not follow the format");
    let empty = rig_bytes(0);
    assert_eq!(
        parsed(&[bytes.clone(), from(&empty)].concat()).unwrap_err(),
        "a.sinew: one of its clips has no frames"
    );
}

/// The contents of a `CLIP` record.
fn clip_contents(motion: u8, name: &str) -> Vec<u8> {
    let (fps, length) = (24.0_f64.to_le_bytes(), (name.len() as u64).to_le_bytes());
    [&[motion][..], &fps, &length, name.as_bytes(), &u64::MAX.to_le_bytes()].concat()
}

#[test]
fn of_pose_to_pose_clips_the_first_is_read() {
    let bytes = written(|path| assert!(write_chain(path, &chain(3), "a").is_ok()));
    let clip = records(&bytes).iter().find(|r| r.1 == "CLIP").unwrap().0;
    let contents = parsed(&[&bytes[..], &bytes[clip..]].concat()).unwrap();
    assert_eq!(contents.stored, Stored::Chain(chain(3)));
    assert_eq!(
        crate::common::sentences(&contents.warnings),
        ["a.sinew: the file holds several clips, and only the first is read"]
    );
}

/// Takes what is written and keeps only its length, as a pipe to another program would.
#[derive(Default)]
struct Pipe {
    bytes: u64,
}

impl std::io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Repeats a file's frames without end.
struct Endless {
    head: Vec<u8>,
    at: usize,
    number: u64,
}

impl std::io::Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.head.len() {
            let mut contents = self.number.to_le_bytes().to_vec();
            contents.resize(8 + 2 * 96, 0);
            (self.head, self.at) = (record("FRAM", &contents), 0);
            self.number += 1;
        }
        let count = out.len().min(self.head.len() - self.at);
        out[..count].copy_from_slice(&self.head[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[test]
fn frames_are_written_and_read_one_at_a_time() {
    let chain = chain(1);
    let clip = Clip { name: String::new(), fps: 24.0, motion: Motion::FromLast, frames: None };
    let PoseChain { mesh, rest, weights, bones, steps, .. } = &chain;
    let head = HeadRef {
        mesh,
        rest,
        weights,
        bones,
        skeleton: None,
        corrections: None,
        nodes: &[],
        armature: "",
        clip: &clip,
        metres_per_unit: None,
    };
    let mut writer = Writer::new(Pipe::default(), &head).unwrap();
    for _ in 0..1000 {
        writer.frame(steps, &[]).unwrap();
    }
    assert_eq!(writer.frames(), 1000);
    assert!(writer.finish().unwrap().bytes > 1000 * 2 * 96);

    let mut bytes = Vec::new();
    Writer::new(&mut bytes, &head).unwrap();
    // The input has no end: a reader that wanted more than a frame at a time would never return.
    let mut reader = Reader::new(Endless { head: bytes, at: 0, number: 0 }, Path::new("pipe")).unwrap();
    let mut frame = Frame::default();
    for _ in 0..1000 {
        assert!(reader.next_frame(&mut frame).unwrap());
        assert_eq!(frame.transforms.len(), 2);
    }
    assert_eq!(reader.frames(), 1000);
}

proptest! {
    #[test]
    fn any_transform_and_weight_survives(
        entries in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 24),
        weights in prop::collection::vec(prop::num::f32::NORMAL, 12),
    ) {
        let steps = entries
            .chunks_exact(12)
            .map(|e| DAffine3::from_cols_array(&std::array::from_fn(|i| e[i])))
            .collect();
        let chain = PoseChain { steps, weights: SkinWeights { weights, ..self::weights() }, ..chain(1) };
        let bytes = written(|path| assert!(write_chain(path, &chain, "x").is_ok()));
        prop_assert_eq!(parsed(&bytes).unwrap().stored, Stored::Chain(chain));
    }
}

#[test]
fn the_unit_is_kept_and_nothing_else_changes_for_it() {
    let plain = written(|path| assert!(write_rig(path, &rig(2), "walk").is_ok()));
    let label = Label { clip: "walk", metres_per_unit: Some(0.01) };
    let labelled = written(|path| assert!(write_rig(path, &rig(2), label).is_ok()));
    assert_eq!(labelled.len(), plain.len() + 4 + 8 + 8 + 4, "one record of one number");
    let path = Path::new("a.sinew");
    let (old, new) = (parse(&plain, path).unwrap(), parse(&labelled, path).unwrap());
    assert_eq!(old.facts.metres_per_unit, None);
    assert_eq!(new.facts.metres_per_unit, Some(0.01));
    assert_eq!(old.stored, new.stored);
    let of_chain = written(|path| assert!(write_chain(path, &chain(2), label).is_ok()));
    assert_eq!(parse(&of_chain, path).unwrap().facts.metres_per_unit, Some(0.01));

    // What is no length is no unit.
    for metres in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let label = Label { metres_per_unit: Some(metres), ..label };
        let wrong = written(|path| assert!(write_rig(path, &rig(2), label).is_ok()));
        assert!(parse(&wrong, path).unwrap_err().to_string().contains("the unit"), "{metres}");
    }

    // Whoever opens the file gets the unit with it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.sinew");
    std::fs::write(&path, &labelled).unwrap();
    let opened =
        sinew_io::open::animation(std::slice::from_ref(&path), &Default::default(), &sinew::progress::Silent);
    assert_eq!(opened.unwrap().facts.metres_per_unit, Some(0.01));
    assert_eq!(sinew_io::open::rig(&path, &Default::default()).unwrap().facts.metres_per_unit, Some(0.01));
    assert_eq!(sinew_io::open::rest(&path, None).unwrap().facts.metres_per_unit, Some(0.01));
    assert_eq!(SINEW.open(&(&path).into()).unwrap().facts().unwrap().metres_per_unit, Some(0.01));
}
