//! Alembic archives as Sinew writes them: read back whole, and damaged in every way.

use std::path::Path;

use glam::{Vec2, Vec3};
use proptest::prelude::*;
use sinew::geometry::{Attribute, AttributeKind, CornerLayer, Domain, Material, Mesh, Part};
use sinew::progress::Silent;
use sinew_io::formats::alembic::{Animation, ReadOptions, WriteOptions, open, parse, to_bytes, write};
use sinew_io::formats::{self, Content, Facts, PoseSet};
use sinew_io::open::OpenOptions;

const FRAMES: usize = 5;

/// Two objects of quads and triangles, with everything a mesh can have.
fn mesh() -> Mesh {
    let mut mesh = Mesh { vertex_count: 9, ..Mesh::default() };
    for face in [&[0, 1, 2, 3][..], &[0, 3, 4], &[5, 6, 7], &[5, 7, 8]] {
        mesh.push_face(face);
    }
    let corners = mesh.corners.len() as u32;
    mesh.uvs = Some(CornerLayer {
        values: (0..6).map(|i| Vec2::new(i as f32 / 8.0, 1.0 - i as f32 / 16.0)).collect(),
        indices: (0..corners).map(|c| c % 6).collect(),
    });
    mesh.normals = Some(CornerLayer {
        values: vec![Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X],
        indices: (0..corners).map(|c| c / 4).collect(),
    });
    let material = |name: &str, base_color| Material { name: name.into(), base_color, ..Material::default() };
    mesh.materials = vec![material("skin", [0.5, 0.25, 0.125, 1.0]), material("cloth", [0.1, 0.2, 0.3, 0.4])];
    mesh.face_materials = vec![0, 1, 1, 0];
    mesh.parts = vec![
        Part { name: "body".into(), faces: 0..2, vertices: 0..5 },
        Part { name: "hat".into(), faces: 2..4, vertices: 5..9 },
    ];
    mesh
}

/// Poses of which two are alike, in the middle and at the end.
fn pose(frame: usize, out: &mut [Vec3]) {
    let shown = [0, 1, 1, 2, 2][frame % FRAMES] as f32;
    for (i, p) in out.iter_mut().enumerate() {
        let x = i as f32;
        *p = Vec3::new(x.sin() + 0.1 * shown, (1.3 * x).cos() * shown, 0.7 * x - shown);
    }
}

fn poses() -> Vec<Vec<Vec3>> {
    let one = |frame| {
        let mut out = vec![Vec3::ZERO; 9];
        pose(frame, &mut out);
        out
    };
    (0..FRAMES).map(one).collect()
}

fn rest() -> Vec<Vec3> {
    (0..9).map(|i| Vec3::new(i as f32, -1.5, 0.25 * i as f32)).collect()
}

fn options() -> WriteOptions {
    WriteOptions { fps: 30.0, start: 0.5, normals: true }
}

fn archive() -> Vec<u8> {
    let write = |frame: usize, out: &mut [Vec3]| {
        pose(frame, out);
        Ok(())
    };
    to_bytes(&mesh(), Some(&rest()), FRAMES, &options(), write).unwrap().0
}

fn read(bytes: Vec<u8>) -> sinew_io::Result<Animation> {
    parse(bytes, Path::new("a.abc"))?.animation(&ReadOptions::default())
}

fn played(animation: &Animation) -> Vec<Vec<Vec3>> {
    let frames = animation.frames().unwrap();
    (0..frames.len()).map(|f| frames.frame(f).to_vec()).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.abc");
    let report = write(&path, &mesh(), Some(&rest()), FRAMES, &options(), |frame, out| {
        pose(frame, out);
        Ok(())
    })
    .unwrap();
    assert_eq!(report.warnings, Vec::<sinew_io::Warning>::new());
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(report.bytes, bytes.len() as u64);
    assert_eq!(bytes, archive(), "a file and memory are the same");
    let file = open(&path).unwrap();
    let info = file.info().unwrap();
    assert_eq!((info.frames, info.fps, info.start, info.shutter_samples), (FRAMES, 30.0, 0.5, 1));
    assert!((info.end - (0.5 + 4.0 / 30.0)).abs() < 1e-12);
    let names: Vec<_> = info.objects.iter().map(|o| (o.name.as_str(), o.vertices, o.faces)).collect();
    assert_eq!(names, [("body", 5, 2), ("hat", 4, 2)]);
    assert!(info.application.unwrap().starts_with("Sinew"));

    let animation = file.animation(&ReadOptions::default()).unwrap();
    assert_eq!((animation.fps, animation.start), (30.0, 0.5));
    assert_eq!(played(&animation), poses());
    animation.forget();
    assert_eq!(played(&animation), poses(), "what was given back is read again");
    assert_eq!(animation.rest, Some(rest()));
    assert_eq!(animation.warnings, Vec::<sinew_io::Warning>::new());
    same_look(&animation.mesh, &mesh());
}

/// Whether faces, parts and what is on them agree; values of layers may be in another order.
fn same_look(a: &Mesh, b: &Mesh) {
    assert_eq!((&a.face_starts, &a.corners, &a.parts), (&b.face_starts, &b.corners, &b.parts));
    let uv = |m: &Mesh| -> Vec<Vec2> {
        let layer = m.uvs.as_ref().unwrap();
        layer.indices.iter().map(|i| layer.values[*i as usize]).collect()
    };
    let normals = |m: &Mesh| -> Vec<Vec3> {
        let layer = m.normals.as_ref().unwrap();
        layer.indices.iter().map(|i| layer.values[*i as usize]).collect()
    };
    let looks = |m: &Mesh| -> Vec<Material> {
        m.face_materials.iter().map(|f| m.materials[*f as usize].clone()).collect()
    };
    assert_eq!(uv(a), uv(b));
    assert_eq!(normals(a), normals(b));
    assert_eq!(looks(a), looks(b));
}

#[test]
fn a_mesh_without_parts_or_layers_is_one_object() {
    let plain = Mesh::from_triangles(3, &[[0, 1, 2]]);
    let (bytes, _) = to_bytes(&plain, None, 1, &WriteOptions::default(), |_, out| {
        out.copy_from_slice(&[Vec3::ZERO, Vec3::X, Vec3::Y]);
        Ok(())
    })
    .unwrap();
    let animation = read(bytes).unwrap();
    let named = Part { name: "mesh".into(), faces: 0..1, vertices: 0..3 };
    assert_eq!(animation.mesh, Mesh { parts: vec![named], ..plain });
    assert_eq!((animation.frame_count, animation.fps, animation.rest.as_ref()), (1, 24.0, None));
}

#[test]
fn what_alembic_cannot_hold_is_told() {
    let mut mesh = mesh();
    mesh.parts[0].name = "left/arm".into();
    mesh.parts[1].name = "left_arm".into();
    mesh.materials[1].metallic = 1.0;
    let (bytes, warnings) = to_bytes(&mesh, None, 1, &options(), |frame, out| {
        pose(frame, out);
        Ok(())
    })
    .unwrap();
    assert!(warnings.len() == 1 && warnings[0].to_string().contains("textures are left out"), "{warnings:?}");
    let names: Vec<String> = read(bytes).unwrap().mesh.parts.iter().map(|p| p.name.clone()).collect();
    assert_eq!(names, ["left_arm", "left_arm.1"]);
    // Parts that are not apart become one.
    mesh.corners[0] = 8;
    let (bytes, warnings) = to_bytes(&mesh, None, 1, &options(), |frame, out| {
        pose(frame, out);
        Ok(())
    })
    .unwrap();
    assert!(warnings[0].to_string().contains("share vertices"), "{warnings:?}");
    assert_eq!(read(bytes).unwrap().mesh.corners, mesh.corners);
}

#[test]
fn poses_in_between_are_interpolated() {
    let file = parse(archive(), Path::new("a.abc")).unwrap();
    let twice = file.animation(&ReadOptions { fps: Some(60.0) }).unwrap();
    assert_eq!((twice.frame_count, twice.fps), (2 * FRAMES - 1, 60.0));
    let (dense, sparse) = (played(&twice), poses());
    for frame in 0..FRAMES - 1 {
        assert_eq!(dense[2 * frame], sparse[frame]);
        for v in 0..9 {
            let middle = sparse[frame][v].midpoint(sparse[frame + 1][v]);
            assert!(dense[2 * frame + 1][v].abs_diff_eq(middle, 1e-6), "frame {frame}, vertex {v}");
        }
    }
    let error = file.animation(&ReadOptions { fps: Some(-1.0) }).unwrap_err().to_string();
    assert_eq!(error, "a.abc: the frame rate must be a positive number, not -1");
}

#[test]
fn repeated_poses_are_stored_once() {
    let mesh = Mesh::from_triangles(300, &[[0, 1, 2]]);
    let size = |frames, moves: bool| {
        let written = to_bytes(&mesh, None, frames, &WriteOptions::default(), |frame, out| {
            out.fill(Vec3::ONE);
            out[0].x = if moves { (frame % 2) as f32 } else { 0.0 };
            Ok(())
        });
        written.unwrap().0
    };
    let still = size(100, false);
    assert!(still.len() < size(1, false).len() + 16, "nothing is repeated");
    assert_eq!(played(&read(still).unwrap()).len(), 100);
    let swinging = size(100, true);
    assert!(swinging.len() < 3 * 12 * 300 + 10_000, "two poses are stored");
    let poses = played(&read(swinging).unwrap());
    assert!(poses.iter().enumerate().all(|(f, p)| p[0].x == (f % 2) as f32 && p[299] == Vec3::ONE));
}

#[test]
fn nothing_is_left_of_a_file_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.abc");
    let failing = |frame, _: &mut [Vec3]| {
        if frame == 2 { Err(std::io::Error::other("the third pose is missing")) } else { Ok(()) }
    };
    let error = write(&path, &mesh(), None, FRAMES, &options(), failing).unwrap_err().to_string();
    assert!(error.ends_with("a.abc: the third pose is missing"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_table_of_formats_reads_and_writes_archives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.abc");
    let facts = Facts { times: Some((0.5, 1.0)), ..Facts::default() };
    let (mesh, rest) = (mesh(), rest());
    let set = PoseSet {
        mesh: &mesh,
        rest: Some(&rest),
        frames: FRAMES,
        fps: 30.0,
        clips: &[],
        clip: None,
        facts: &facts,
    };
    let mut next = |frame: usize, out: &mut [Vec3]| {
        pose(frame, out);
        Ok(())
    };
    formats::to_write(&path).unwrap().save(&path, Content::Poses(&set, &mut next)).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), archive());
    let told = sinew_io::open::facts(&path).unwrap();
    assert_eq!((told.fps, told.times.unwrap().0), (Some(30.0), 0.5));

    let inputs = [path.clone()];
    let opened = sinew_io::open::animation(&inputs, &OpenOptions::default(), &Silent).unwrap();
    assert_eq!((opened.animation.fps, opened.assumed_fps), (30.0, false));
    assert_eq!(opened.animation.rest, Some(rest.clone()));
    for (frame, pose) in poses().iter().enumerate() {
        assert_eq!(opened.animation.frames.frame(frame), pose);
    }
    // Motion is a function of time: another rate has other frames.
    let twice = OpenOptions { fps: Some(60.0), ..OpenOptions::default() };
    let stream = sinew_io::open::stream(&inputs, &twice).unwrap();
    assert_eq!((stream.frame_count, stream.fps), (Some(2 * FRAMES - 1), 60.0));
    assert_eq!(sinew_io::open::rest(&path, None).unwrap().positions, rest);
}

fn refused(bytes: &[u8]) -> String {
    match read(bytes.to_vec()) {
        Ok(_) => panic!("this should be refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn other_files_are_told_from_archives() {
    let hdf = refused(b"\x89HDF\r\n\x1A\n and more");
    assert!(hdf.starts_with("a.abc: this is an Alembic archive of the older kind, in HDF5"), "{hdf}");
    assert_eq!(refused(b""), "a.abc: this is not an Alembic file: it does not start with Ogawa");
    assert_eq!(refused(b"Oga"), "a.abc: this is not an Alembic file: it does not start with Ogawa");
    let mut open = archive();
    open[5] = 0;
    assert_eq!(refused(&open), "a.abc: the file is not whole: its writer never closed it");
    let mut new = archive();
    new[7] = 2;
    assert_eq!(refused(&new), "a.abc: Ogawa version 2 is not known, only 1");
    let folder = tempfile::tempdir().unwrap();
    assert!(open_path(folder.path()).contains("is a folder"));
    std::fs::write(folder.path().join("empty.abc"), b"").unwrap();
    assert!(open_path(&folder.path().join("empty.abc")).contains("not an Alembic file"));
}

fn open_path(path: &Path) -> String {
    sinew_io::formats::alembic::open(path).err().unwrap().to_string()
}

#[test]
fn a_file_that_is_cut_short_says_so() {
    let bytes = archive();
    for part in 1..64 {
        let error = refused(&bytes[..bytes.len() * part / 64]);
        assert!(error.starts_with("a.abc: the file is cut short"), "{part}: {error}");
    }
}

/// Whatever is read of damaged bytes holds together.
fn holds_together(bytes: Vec<u8>) {
    let Ok(file) = parse(bytes, Path::new("a.abc")) else { return };
    let _ = file.info();
    let Ok(animation) = file.animation(&ReadOptions::default()) else { return };
    assert_eq!(animation.mesh.validate(), Ok(()));
    assert!(animation.fps > 0.0 && animation.fps.is_finite());
    let mut out = vec![Vec3::ZERO; animation.mesh.vertex_count];
    for frame in [0, animation.frame_count / 2, animation.frame_count - 1] {
        // A sample that is not as long as the index says is told where it is read.
        let _ = animation.pose_into(frame, &mut out);
    }
}

#[test]
fn no_flipped_bit_brings_the_reader_down() {
    let bytes = archive();
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        holds_together(damaged);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn absurd_numbers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0_usize..4), 1..4),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = archive();
        for (place, value, kind) in changes {
            let at = place.index(bytes.len() - 8);
            // Whole words, most of which are offsets and counts.
            let value = [value, u64::MAX, 1 << 63, value % bytes.len() as u64][kind];
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        holds_together(bytes);
    }
}

#[test]
fn attributes_of_all_kinds_come_back() {
    let mut mesh = mesh();
    let corners = mesh.corners.clone();
    let on_corners = |width: usize| -> Vec<Vec<f32>> {
        (0..corners.len()).map(|c| (0..width).map(|i| (c % 5 + i) as f32 / 8.0).collect()).collect()
    };
    let on_vertices = |width: usize| -> Vec<Vec<f32>> {
        (0..9).map(|v| (0..width).map(|i| (v + 10 * i) as f32 / 16.0).collect()).collect()
    };
    use AttributeKind::{Color, Custom, Uv};
    let kinds = [("light map", Uv, 2), ("paint", Color, 3), ("glass", Color, 4), ("heat", Custom, 1)];
    let custom = [("flow/2", Custom, 2), ("flow", Custom, 3), ("Pref", Custom, 4)];
    let kinds: Vec<_> = kinds.into_iter().chain(custom).collect();
    for (number, (name, kind, width)) in kinds.iter().enumerate() {
        let (domain, rows) = match number % 2 {
            0 => (Domain::Corner, on_corners(*width)),
            _ => (Domain::Vertex, on_vertices(*width)),
        };
        let rows = rows.iter().map(|row| &row[..]);
        mesh.attributes.push(Attribute::new(*name, *kind, domain, *width, rows));
    }
    let pose = |frame: usize, out: &mut [Vec3]| {
        pose(frame, out);
        Ok(())
    };
    let (bytes, warnings) = to_bytes(&mesh, None, 2, &options(), pose).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    let back = read(bytes).unwrap();
    assert_eq!(back.warnings, Vec::<String>::new());
    let names = ["light map", "paint", "glass", "heat", "flow_2", "flow", "Pref.1"];
    let found: Vec<_> =
        back.mesh.attributes.iter().map(|a| (&a.name[..], a.kind, a.domain, a.width)).collect();
    let meant: Vec<_> =
        names.iter().zip(&mesh.attributes).map(|(name, a)| (*name, a.kind, a.domain, a.width)).collect();
    assert_eq!(found, meant);
    for (is, was) in back.mesh.attributes.iter().zip(&mesh.attributes) {
        for corner in 0..corners.len() {
            let (is, was) = (is.at_corner(&back.mesh.corners, corner), was.at_corner(&corners, corner));
            assert!(is.iter().zip(was).all(|(a, b)| (a - b).abs() < 1e-6), "{is:?}, not {was:?}");
        }
    }
}
