use std::io::Write;
use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::geometry::Mesh;

use super::array::header;
use super::*;
use crate::Result;
use crate::formats::{Facts, PoseSet};
use crate::open::Poses;

fn pose(frame: usize, out: &mut [Vec3]) -> std::io::Result<()> {
    out.iter_mut().enumerate().for_each(|(v, p)| *p = Vec3::new(frame as f32, v as f32 + 0.1, -0.5));
    Ok(())
}

/// A square of a triangle and a quad, in five frames.
fn mesh() -> Mesh {
    Mesh {
        vertex_count: 5,
        face_starts: vec![0, 3, 7],
        corners: vec![0, 1, 2, 0, 2, 3, 4],
        ..Mesh::default()
    }
}

fn written(path: &Path) {
    let (mesh, rest, facts) = (mesh(), vec![Vec3::X; 5], Facts::default());
    let (clips, clip) = (&[][..], None);
    let set = PoseSet { mesh: &mesh, rest: Some(&rest), frames: 4, fps: 30.0, clips, clip, facts: &facts };
    write_npz(path, &set, pose).unwrap();
}

fn all(path: &Path) -> Result<Vec<Vec<Vec3>>> {
    let file = open(path)?;
    let mut poses = file.poses()?;
    let (mut out, mut found) = (vec![Vec3::ZERO; file.vertex_count()], Vec::new());
    while poses.next_into(&mut out)? {
        found.push(out.clone());
    }
    if let Some(frames) = file.mapped()? {
        assert_eq!(found, (0..frames.len()).map(|f| frames.frame(f).to_vec()).collect::<Vec<_>>());
    }
    Ok(found)
}

fn expected() -> Vec<Vec<Vec3>> {
    let one = |frame| {
        let mut out = vec![Vec3::ZERO; 5];
        pose(frame, &mut out).unwrap();
        out
    };
    (0..4).map(one).collect()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }
}

/// An archive as Python's zipfile makes it, with arrays stored or deflated and no 64-bit sizes.
fn zipped(arrays: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in arrays {
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(data).unwrap();
        let stored = if deflate { packed.finish().unwrap() } else { data.clone() };
        let name = format!("{name}.npy");
        let mut fields = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0x21, 0, 0, 0, 0, 0];
        fields.extend((stored.len() as u32).to_le_bytes());
        fields.extend((data.len() as u32).to_le_bytes());
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        directory.extend([b"PK\x01\x02\x14\0".to_vec(), fields.clone(), vec![0; 10]].concat());
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend([b"PK\x03\x04".to_vec(), fields, name.into_bytes(), stored].concat());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([arrays.len() as u16; 2].map(u16::to_le_bytes).concat());
    bytes.extend([directory.len() as u32, start].map(u32::to_le_bytes).concat());
    bytes.extend([0, 0]);
    bytes
}

fn floats(shape: &[usize], double: bool) -> Vec<u8> {
    let flat = expected().concat();
    let flat = flat.iter().flat_map(|p| p.to_array());
    let mut bytes = header(if double { "<f8" } else { "<f4" }, shape);
    if double {
        bytes.extend(flat.flat_map(|x| f64::from(x).to_le_bytes()));
    } else {
        bytes.extend(flat.flat_map(f32::to_le_bytes));
    }
    bytes
}

#[test]
fn what_is_written_is_read_again() {
    let folder = Folder::new();
    written(&folder.at("a.npz"));
    let file = open(folder.at("a.npz")).unwrap();
    assert_eq!((&file.mesh, file.fps, file.frame_count), (&mesh(), Some(30.0), 4));
    assert_eq!(file.rest, Some(vec![Vec3::X; 5]));
    assert!(file.mapped().unwrap().is_some(), "values start at a multiple of four bytes");
    assert_eq!(all(&folder.at("a.npz")).unwrap(), expected());
    write_npy(&folder.at("a.npy"), 5, 4, pose).unwrap();
    assert_eq!(all(&folder.at("a.npy")).unwrap(), expected());
}

#[test]
fn arrays_of_others_are_read() {
    let folder = Folder::new();
    let mut faces = header("<i8", &[1, 3]);
    faces.extend([0_i64, 1, 4].iter().flat_map(|v| v.to_le_bytes()));
    let mut fps = header("<i4", &[]);
    fps.extend(60_i32.to_le_bytes());
    for (deflate, double, name) in [(true, false, "verts"), (false, true, "positions"), (true, true, "mine")]
    {
        let arrays = [
            (
                "names",
                b"\x93NUMPY\x01\x00\x3c\x00{'descr': '<U4', 'fortran_order': False, 'shape': (2,), }"
                    .to_vec(),
            ),
            (name, floats(&[4, 5, 3], double)),
            ("triangles", faces.clone()),
            ("fps", fps.clone()),
        ];
        let path = folder.put("a.npz", zipped(&arrays, deflate));
        let file = open(&path).unwrap();
        assert_eq!((file.mesh.corners.as_slice(), file.fps), (&[0, 1, 4][..], Some(60.0)));
        assert_eq!(all(&path).unwrap(), expected(), "{name}");
    }
    let single = folder.put("one.npy", floats(&[20, 3], false));
    assert_eq!(all(&single).unwrap(), [expected().concat()]);
}

#[test]
fn what_cannot_be_read_gets_a_sentence() {
    let folder = Folder::new();
    let error = |bytes: Vec<u8>| {
        let path = folder.put("a", bytes);
        let error = open(&path).unwrap_err().to_string();
        error.split_once(": ").unwrap().1.to_string()
    };
    let array = |descr: &str, order: &str| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (1, 2, 3), }}");
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([0; 48]);
        bytes
    };
    assert!(error(array(">f4", "False")).contains("values of the type >f4 are not read"));
    assert!(error(array("<f4", "True")).contains("numpy.ascontiguousarray"));
    assert!(error(floats(&[20, 1, 3, 1], false)).contains("the array is 20 x 1 x 3 x 1; poses are frames"));
    assert!(error(floats(&[0, 5, 3], false)).contains("has no poses"));
    assert!(error(floats(&[usize::MAX, usize::MAX, 3], false)).contains("cut short"));
    assert!(error(floats(&[5, 5, 3], false)).contains("cut short"));
    let none = zipped(&[("poses", floats(&[4, 15], false))], false);
    assert!(error(none).ends_with("such as `vertices`; there is poses (4 x 15)"));
    let mut bad = header("<i4", &[1, 3]);
    bad.extend([0_i32, 1, 5].iter().flat_map(|v| v.to_le_bytes()));
    let bad = zipped(&[("vertices", floats(&[4, 5, 3], false)), ("faces", bad)], false);
    assert!(error(bad).contains("faces refers to vertex 5, but there are 5"));
}

#[test]
fn archives_that_promise_more_than_they_hold_are_refused_before_anything_is_inflated() {
    let folder = Folder::new();
    let error = |bytes: Vec<u8>| {
        let error = open(&folder.put("a.npz", bytes)).unwrap_err().to_string();
        error.split_once(": ").unwrap().1.to_string()
    };
    let claim = |deflate: bool, field: usize, value: u32| {
        let mut bytes = zipped(&[("vertices", floats(&[4, 5, 3], false))], deflate);
        let entry = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
        bytes[entry + field..][..4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    // Sizes when inflated: of an entry that is stored, and of one that would be a bomb.
    for deflate in [false, true] {
        assert!(
            error(claim(deflate, 24, u32::MAX - 1)).ends_with("vertices.npy cannot be as long as it says")
        );
        // Bytes in the archive, and their place.
        assert!(error(claim(deflate, 20, u32::MAX - 1)).ends_with("vertices.npy is not where it should be"));
        assert!(error(claim(deflate, 42, u32::MAX - 1)).ends_with("vertices.npy is not where it should be"));
    }
}
