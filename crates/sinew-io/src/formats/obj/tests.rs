use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::geometry::{CornerLayer, Image, Material, Mesh, Part, Texture, TextureSlot};

use super::*;
use crate::StaticMesh;

fn parse_text(text: &str) -> crate::Result<StaticMesh> {
    parse(text.as_bytes(), Path::new("a.obj"), &|_| Err(std::io::ErrorKind::NotFound.into()))
}

fn good(text: &str) -> StaticMesh {
    parse_text(text).unwrap()
}

fn error(text: &str) -> String {
    parse_text(text).unwrap_err().to_string()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn square(more: &str) -> String {
    format!("{SQUARE}{more}")
}

#[test]
fn vertices_keep_order_and_number() {
    let r = good("v 1 2 3\nv 9 9 9\nv 4 5 6 1.0\nv 7 8 9 0.5 0.5 0.5 # grey\nf 1 3 4\n");
    let expected = [[1., 2., 3.], [9., 9., 9.], [4., 5., 6.], [7., 8., 9.]].map(Vec3::from_array);
    assert_eq!(r.positions, expected);
    assert_eq!(r.mesh.vertex_count, 4);
    assert_eq!(r.mesh.corners, [0, 2, 3]);
    assert_eq!((r.mesh.uvs, r.mesh.normals, r.mesh.parts.len()), (None, None, 0));
}

#[test]
fn polygons_of_any_size_and_relative_indices() {
    let r = good(&square("f -4 -3 -2 -1\nv 2 2 2\nf 1 2 -1\nf 1 2 3 4 5 # five\nl 1 2\np 1\n"));
    assert_eq!(r.mesh.face_starts, [0, 4, 7, 12]);
    assert_eq!(r.mesh.corners, [0, 1, 2, 3, 0, 1, 4, 0, 1, 2, 3, 4]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    assert_eq!(good(&format!("f 1 2 3 4\n{SQUARE}")).mesh.corners, [0, 1, 2, 3]);
}

#[test]
fn texture_coordinates_start_at_the_upper_left() {
    let r = good(&square("vt 0.25 0.75\nvt 0.5\nvt 1 0 0\nf 1/1 2/2 3/3 4/-1\n"));
    let uvs = r.mesh.uvs.unwrap();
    assert_eq!(uvs.values, [Vec2::new(0.25, 0.25), Vec2::new(0.5, 1.0), Vec2::new(1.0, 1.0)]);
    assert_eq!(uvs.indices, [0, 1, 2, 2]);
}

#[test]
fn all_forms_of_corners_are_read() {
    let layers = "vt 0 0\nvt 1 1\nvn 0 0 1\nvn 0 1 0\n";
    let r = good(&square(&format!("{layers}f 1//1 2//1 3//2\n")));
    assert_eq!(r.mesh.uvs, None);
    assert_eq!(
        r.mesh.normals.unwrap(),
        CornerLayer { values: vec![Vec3::Z, Vec3::Y], indices: vec![0, 0, 1] }
    );
    let r = good(&square(&format!("{layers}f 1/1/1 2/2/-1 3/-2/2\n")));
    assert_eq!(r.mesh.uvs.unwrap().indices, [0, 1, 0]);
    assert_eq!(r.mesh.normals.unwrap().indices, [0, 1, 1]);
    let r = good(&square(&format!("{layers}f 1/ 2// 3\n")));
    assert_eq!((r.mesh.uvs, r.mesh.normals), (None, None));
}

#[test]
fn layers_that_only_some_faces_have_are_completed() {
    let r = good(&square("vt 1 1\nvn 1 0 0\nf 1 2 3\nf 1/1/1 3/1/1 4/1/1\nf 1 3 4\n"));
    let uvs = r.mesh.uvs.unwrap();
    assert_eq!(uvs.indices, [1, 1, 1, 0, 0, 0, 1, 1, 1]);
    assert_eq!(uvs.values[1], Vec2::ZERO);
    let normals = r.mesh.normals.unwrap();
    assert_eq!(normals.indices[3..6], [0, 0, 0]);
    for corner in [0, 1, 2, 6, 7, 8] {
        assert_eq!(normals.values[normals.indices[corner] as usize], Vec3::Z);
    }
    assert_eq!(normals.indices[0], normals.indices[6], "corners of one vertex share their smooth normal");
}

#[test]
fn lines_continue_and_end_in_any_way() {
    let text = "# C:\\exports\\\r\nv 0 0 \\\r\n0\r\nv 1 0 0\rv 0 1 0\n\n  \tf 1 \\\n 2\\\n 3";
    let r = good(text);
    assert_eq!(r.positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
    assert_eq!(r.mesh.corners, [0, 1, 2]);
    assert_eq!(
        error("v 0 0 \\\n0\nv 0 \\\n0\n"),
        "a.obj, line 3: a vertex needs 3 coordinates, but only 2 are given"
    );
    assert_eq!(good("v 1 1 1\\").positions, [Vec3::ONE]);
}

#[test]
fn broken_files_get_a_sentence_with_the_line() {
    for (text, expected) in [
        ("v 0 0 x", "line 1: “x” is not a number"),
        ("\nv 0 0 nan", "line 2: “nan” is not a finite number"),
        ("v 0 0 -inf", "line 1: “-inf” is not a finite number"),
        ("v 0 1e40 0", "line 1: “1e40” is not a finite number"),
        ("v 0 0", "line 1: a vertex needs 3 coordinates, but only 2 are given"),
        ("v 0 0 # 1", "line 1: a vertex needs 3 coordinates, but only 2 are given"),
        ("vn 0", "line 1: a normal needs 3 coordinates, but only 1 are given"),
        ("vt", "line 1: a texture coordinate needs a number, but none is given"),
        ("vt 0 y", "line 1: “y” is not a number"),
    ] {
        assert_eq!(error(text), format!("a.obj, {expected}"));
    }
    for (face, expected) in [
        ("f 1 2 0", "the face refers to vertex 0, but OBJ counts from 1 (in “0”)"),
        ("f 1 2 -5", "the face refers to vertex -5, but only 4 came before it (in “-5”)"),
        ("f 1 2 5", "the face refers to vertex 5, but there are only 4"),
        ("f 1/1 2/1 3/1", "the face refers to texture coordinate 1, but there are only 0"),
        ("f 1//9 2//1 3//1", "the face refers to normal 9, but there are only 0"),
        ("f 1 2 3.5", "“3.5” is not a whole number (in “3.5”)"),
        ("f 1 2 3/x", "“x” is not a whole number (in “3/x”)"),
        (
            "f 1 2 4294967296",
            "the face refers to vertex 4294967296, which is more than Sinew can hold (in “4294967296”)",
        ),
        (
            "f 1 2 99999999999999999999",
            "“99999999999999999999” is not a whole number (in “99999999999999999999”)",
        ),
        ("f 1 2", "the face has 2 corners; a face needs at least 3"),
        ("f", "the face has 0 corners; a face needs at least 3"),
        ("f 1/1/1/1 2 3", "a face corner has at most three indices (in “1/1/1/1”)"),
    ] {
        assert_eq!(error(&square(face)), format!("a.obj, line 5: {expected}"));
    }
}

fn parts(text: &str) -> Vec<(String, std::ops::Range<usize>, std::ops::Range<usize>)> {
    good(text).mesh.parts.into_iter().map(|p| (p.name, p.faces, p.vertices)).collect()
}

#[test]
fn objects_become_parts() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let lone = "v 5 5 5\n";
    let text = format!(
        "{lone}o a a\n{triangle}g skin\nf -3 -2 -1\ng bone\nf -1 -2 -3\n{lone}o empty\n{lone}o b\n{lone}{triangle}f 8 9 10\n{lone}"
    );
    assert_eq!(parts(&text), [("a a".into(), 0..2, 0..6), ("b".into(), 2..3, 6..11)]);
    // Vertices first, faces later: nothing says where the lone vertex belongs.
    let text = format!("{triangle}{lone}{triangle}g a\nf 1 2 3\nusemtl m\ng a\nf 3 2 1\ng b\nf 5 6 7\n");
    assert_eq!(parts(&text), [("a".into(), 0..2, 0..4), ("b".into(), 2..3, 4..7)]);
    let text = format!("{triangle}{triangle}f 1 2 3\no b\nf 4 5 6\n");
    assert_eq!(parts(&text), [("default".into(), 0..1, 0..3), ("b".into(), 1..2, 3..6)]);
}

#[test]
fn objects_that_share_vertices_or_interleave_do_not() {
    assert_eq!(parts(&square("o a\nf 1 2 3\no b\nf 1 3 4\n")), []);
    let six = format!("{SQUARE}v 5 5 5\nv 6 6 6\n");
    assert_eq!(parts(&format!("{six}o a\nf 4 5 6\no b\nf 1 2 3\n")), []);
    assert_eq!(parts(&format!("{six}o a\nf 1 2 3\no b\nf 4 5 6\no a\nf 1 2 3\n")), []);
}

#[test]
fn faces_know_their_material() {
    let mtl = b"newmtl red\nKd 1 0 0\nnewmtl unused\nmap_Kd not.png\n";
    let text = square(
        "mtllib m.mtl\nf 1 2 3\nusemtl red\nf 1 2 3\nusemtl other one\nf 1 3 4\nusemtl red\nf 1 2 4\n",
    );
    let load = |path: &Path| {
        if path == Path::new("m.mtl") { Ok(mtl.to_vec()) } else { Err(std::io::ErrorKind::NotFound.into()) }
    };
    let r = parse(text.as_bytes(), Path::new("a.obj"), &load).unwrap();
    assert_eq!(r.mesh.face_materials, [2, 0, 1, 0]);
    let names: Vec<&str> = r.mesh.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["red", "other one", "default"]);
    assert_eq!(r.mesh.materials[0].base_color, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        crate::warning::sentences(&r.warnings),
        ["a.obj: no material library defines other one; a plain one stands in"]
    );
}

#[test]
fn a_missing_library_is_a_warning() {
    let r = good(&square("mtllib gone.mtl\nusemtl red\nf 1 2 3\n"));
    assert_eq!(r.warnings.len(), 2);
    assert!(
        r.warnings[0].to_string().starts_with("a.obj: the material library “gone.mtl” could not be read: ")
    );
    assert_eq!(r.mesh.materials[0].name, "red");
    // Nothing is looked for when no face has a material.
    assert!(good(&square("mtllib gone.mtl\nf 1 2 3\n")).warnings.is_empty());
}

#[test]
fn a_missing_file_names_itself() {
    let message = read(Path::new("/no/such.obj")).unwrap_err().to_string();
    assert!(message.starts_with("/no/such.obj: "), "{message}");
}

fn textured() -> (Mesh, Vec<Vec3>) {
    let mut mesh = Mesh { vertex_count: 8, ..Mesh::default() };
    mesh.push_face(&[0, 1, 2]);
    mesh.push_face(&[4, 5, 6, 7]);
    mesh.uvs = Some(CornerLayer {
        values: vec![Vec2::ZERO, Vec2::new(0.25, 0.5), Vec2::new(2.0, -1.0)],
        indices: vec![0, 1, 2, 2, 1, 0, 0],
    });
    mesh.normals = Some(CornerLayer { values: vec![Vec3::X, Vec3::Y], indices: vec![0, 0, 1, 1, 1, 0, 0] });
    mesh.face_materials = vec![1, 0];
    let png = b"\x89PNG\r\n\x1a\nnot really";
    mesh.images = vec![Image { name: "model_0".into(), mime_type: "image/png".into(), bytes: png.to_vec() }];
    mesh.materials = vec![
        Material {
            name: "blue".into(),
            base_color: [0.0, 0.1, 1.0, 0.5],
            alpha_mode: "BLEND".into(),
            roughness: 0.3,
            metallic: 1.0,
            emissive: [0.0, 0.5, 0.0],
            ..Material::default()
        },
        Material {
            name: "skin".into(),
            textures: vec![Texture::new(TextureSlot::BaseColor, 0)],
            ..Material::default()
        },
    ];
    mesh.parts = vec![
        Part { name: "left".into(), faces: 0..1, vertices: 0..4 },
        Part { name: "right".into(), faces: 1..2, vertices: 4..8 },
    ];
    (mesh, (0..8).map(|i| Vec3::new(i as f32 * 0.1, 1e-7, 3e8)).collect())
}

#[test]
fn appearance_survives_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.obj");
    let (mesh, positions) = textured();
    let bytes = write(&path, &mesh, &positions).unwrap();
    let on_disk: u64 =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(bytes, on_disk);
    let back = read(&path).unwrap();
    assert_eq!(back.warnings, Vec::<crate::Warning>::new());
    assert_eq!(back.positions, positions);
    // Materials come back in order of use.
    let mut expected = mesh;
    expected.face_materials = vec![0, 1];
    expected.materials.swap(0, 1);
    assert_eq!(back.mesh, expected);
}

#[test]
fn names_are_made_fit_for_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.obj");
    let (mut mesh, positions) = textured();
    mesh.materials[0].name = "a b".into();
    mesh.materials[1].name = "a\nb".into();
    mesh.parts[0].name = String::new();
    mesh.parts[1].name = "x\\".into();
    write(&path, &mesh, &positions).unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.mesh.parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["part", "x\\_"]);
    assert_eq!(back.mesh.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["a_b_2", "a_b"]);
    assert_eq!(back.mesh.materials[1].metallic, 1.0);
}
