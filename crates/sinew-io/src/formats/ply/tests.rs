use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::geometry::Mesh;

use super::*;
use crate::StaticMesh;

fn good(bytes: &[u8]) -> StaticMesh {
    parse(bytes, Path::new("a.ply")).unwrap()
}

fn error(bytes: &[u8]) -> String {
    parse(bytes, Path::new("a.ply")).unwrap_err().to_string()
}

const VERTICES: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
const FACES: &str = "element face 1\nproperty list uchar int vertex_indices\n";

/// An ASCII file of three vertices and one face.
fn ascii(body: &str) -> Vec<u8> {
    format!("ply\nformat ascii 1.0\n{VERTICES}{FACES}end_header\n{body}").into_bytes()
}

#[test]
fn text_is_read() {
    let text = "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info none\r\n\
                element vertex 3\r\nproperty uchar red\r\nproperty double z\r\nproperty float32 y\r\n\
                property list uchar float extra\r\nproperty int x\r\n\
                element face 2\r\nproperty float quality\r\nproperty list uint8 uint32 vertex_index\r\n\
                end_header\r\n255 3 2 0 1\r\n255 6 5 2 7 7 4\r\n\r\n255 9 8 1 0 7\r\n0.5 3 0 1 2\r\n1 4 2 1 0 0\r\n";
    let r = good(text.as_bytes());
    assert_eq!(r.positions, [[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]].map(Vec3::from_array));
    assert_eq!(r.mesh.face_starts, [0, 3, 7]);
    assert_eq!(r.mesh.corners, [0, 1, 2, 2, 1, 0, 0]);
    assert_eq!((r.mesh.uvs, r.mesh.normals), (None, None));
}

/// A binary file with elements that mean nothing here before, between and after those that do.
fn binary(little: bool) -> Vec<u8> {
    let format = if little { "binary_little_endian" } else { "binary_big_endian" };
    let mut bytes = format!(
        "ply\nformat {format} 1.0\nelement camera 2\nproperty short id\nproperty double view\n\
         element strip 2\nproperty list ushort int8 items\nproperty uchar end\n\
         element face 1\nproperty list int ushort vertex_indices\nproperty list uchar float texcoord\n\
         element edge 0\nelement nothing 99999999999\n\
         element vertex 3\nproperty float nx\nproperty float ny\nproperty float nz\nproperty double x\n\
         property short y\nproperty char z\nproperty float s\nproperty float t\nend_header\n"
    )
    .into_bytes();
    let mut push = |value: &[u8]| {
        let mut value = value.to_vec();
        if !little {
            value.reverse();
        }
        bytes.extend(value);
    };
    for _ in 0..2 {
        push(&7_i16.to_le_bytes());
        push(&0.5_f64.to_le_bytes());
    }
    for length in [0_u16, 3] {
        push(&length.to_le_bytes());
        (0..length).for_each(|_| push(&[0xff]));
        push(&[1]);
    }
    push(&3_i32.to_le_bytes());
    (0..3_u16).rev().for_each(|i| push(&i.to_le_bytes()));
    push(&[1]);
    push(&0.25_f32.to_le_bytes());
    for i in 0..3_i8 {
        [0.0_f32, 0.0, 1.0].iter().for_each(|n| push(&n.to_le_bytes()));
        push(&(f64::from(i) + 0.5).to_le_bytes());
        push(&(i16::from(i) * -300).to_le_bytes());
        push(&(-i).to_le_bytes());
        push(&0.25_f32.to_le_bytes());
        push(&f32::from(i).to_le_bytes());
    }
    bytes
}

#[test]
fn both_byte_orders_give_the_same_mesh() {
    let r = good(&binary(true));
    assert_eq!(r, good(&binary(false)));
    assert_eq!(r.positions[2], Vec3::new(2.5, -600.0, -2.0));
    assert_eq!(r.mesh.corners, [2, 1, 0]);
    let normals = r.mesh.normals.unwrap();
    assert_eq!((normals.values, normals.indices), (vec![Vec3::Z; 3], vec![2, 1, 0]));
    let uvs = r.mesh.uvs.unwrap();
    assert_eq!(uvs.values, [Vec2::new(0.25, 1.0), Vec2::new(0.25, 0.0), Vec2::new(0.25, -1.0)]);
    assert_eq!(uvs.indices, [2, 1, 0]);
}

#[test]
fn a_binary_file_cut_anywhere_is_an_error() {
    let whole = binary(true);
    for length in 0..whole.len() {
        assert!(parse(&whole[..length], Path::new("a.ply")).is_err(), "{length} bytes");
    }
}

#[test]
fn normals_that_are_not_finite_are_left_out() {
    let mut bytes = binary(true);
    let vertex = bytes.len() - 31;
    bytes[vertex..vertex + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let r = good(&bytes);
    assert_eq!(r.mesh.normals, None);
    assert!(r.mesh.uvs.is_some());
    assert_eq!(
        crate::warning::sentences(&r.warnings),
        ["a.ply: the normals are left out, because those of vertex 2 are not finite"]
    );
}

#[test]
fn broken_headers_get_a_sentence() {
    let header = |lines: &str| format!("ply\nformat ascii 1.0\n{lines}\nend_header\n");
    for (text, expected) in [
        ("", ": this is not a PLY file: it does not start with “ply”".to_string()),
        ("plyx\n", ": this is not a PLY file: it does not start with “ply”".into()),
        ("ply\nformat ascii 1.0\n", ": the header has no “end_header”".into()),
        ("ply\nend_header\n", ": the header names no format".into()),
        ("ply\nformat text 1.0\n", ", line 2: “text” is not a PLY format".into()),
        ("ply\nformat ascii 2.0\n", ", line 2: PLY version “2.0” is not known, only 1.0".into()),
        (&header("vertices 3"), ", line 3: “vertices” is not a PLY statement".into()),
        (&header("element"), ", line 3: the element has no name".into()),
        (&header("element vertex"), ", line 3: the element has no count".into()),
        (&header("element vertex -1"), ", line 3: the element's count is -1".into()),
        (&header("element a 1\nelement a 1"), ", line 4: the element “a” comes twice".into()),
        (&header("property float x"), ", line 3: the property belongs to no element".into()),
        (&header("element a 1\nproperty half x"), ", line 4: “half” is not a PLY type".into()),
        (&header("element a 1\nproperty float"), ", line 4: the property has no name".into()),
        (
            &header("element a 1\nproperty list float int x"),
            ", line 4: the length of a list has to be of a whole type".into(),
        ),
        (&header("element face 0"), ": the header lists no element “vertex”".into()),
        (
            &header("element vertex 1\nproperty float x\nproperty float y"),
            ", line 3: the vertices have no property “z”".into(),
        ),
        (
            &header(&format!("{VERTICES}element face 0\nproperty int vertex_indices"))
                .replace("vertex 3", "vertex 0"),
            ", line 7: the faces have no list “vertex_indices” or “vertex_index”".into(),
        ),
        (
            &header(VERTICES).replace("vertex 3", "vertex 3000000000"),
            ", line 3: the header promises 3000000000 of vertex, more than fit".into(),
        ),
    ] {
        assert_eq!(error(text.as_bytes()), format!("a.ply{expected}"));
    }
}

#[test]
fn broken_text_gets_a_sentence_with_the_line() {
    let vertices = "0 0 0\n1 0 0\n0 1 0\n";
    for (body, expected) in [
        ("0 0 0\n1 0\n".to_string(), ", line 11: the line has fewer values than the header says"),
        ("0 0 0\n1 x 0\n".into(), ", line 11: “x” is not a number"),
        ("0 0 0\n1 0 NaN\n".into(), ", line 11: “NaN” is not a finite number"),
        ("0 0 0\n1 0 0\n".into(), ", line 11: the file ends before its values do"),
        (format!("{vertices}3 0 1\n"), ", line 13: the line has fewer values than the header says"),
        (format!("{vertices}9 0 1 2\n"), ", line 13: a list of 9 values is longer than the rest of the file"),
        (format!("{vertices}-3 0 1 2\n"), ", line 13: a list has the length -3"),
        (format!("{vertices}3 0 1 -1\n"), ", line 13: face 0 refers to vertex -1, which cannot be"),
        (format!("{vertices}3 0 1 3\n"), ": face 0 refers to vertex 3, but there are only 3 vertices"),
        (format!("{vertices}2 0 1\n"), ": face 0 has 2 corners; a face needs at least 3"),
    ] {
        assert_eq!(error(&ascii(&body)), format!("a.ply{expected}"));
    }
}

#[test]
fn promises_of_binary_headers_are_checked_before_anything_is_allocated() {
    let header = format!("ply\nformat binary_little_endian 1.0\n{VERTICES}{FACES}end_header\n");
    let huge = header.replace("vertex 3", "vertex 100000000000000000");
    assert_eq!(
        error(huge.as_bytes()),
        "a.ply: the file is cut short: 100000000000000000 records of vertex need 1200000000000000186 bytes, \
         but only 186 are there"
    );
    let mut long_list = header.replace("list uchar", "list uint").into_bytes();
    long_list.extend([0; 36]);
    long_list.extend(u32::MAX.to_le_bytes());
    assert_eq!(error(&long_list), "a.ply: a list of 4294967295 values is longer than the rest of the file");
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    for largest in [5, 300] {
        let mut mesh = Mesh { vertex_count: 301, ..Mesh::default() };
        mesh.push_face(&[2, 1, 0]);
        mesh.push_face(&(0..largest).collect::<Vec<u32>>());
        let positions: Vec<Vec3> = (0..301).map(|i| Vec3::splat(i as f32 * 0.1)).collect();
        let bytes = write(&path, &mesh, &positions).unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let back = read(&path).unwrap();
        assert_eq!((back.mesh, back.positions, back.warnings), (mesh, positions, vec![]));
    }
}
