//! Random meshes go out to files and come back the same.

use glam::{Vec2, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;
use sinew::geometry::{CornerLayer, Material, Mesh, Part};
use sinew_io::formats::{mdd, obj, pc2, ply};

/// Any finite number, however large or small.
fn coordinate() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |x| x.is_finite())
}

fn point() -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from_array)
}

/// A texture coordinate that survives the change of origin: 1 − (1 − v) is v.
fn uv() -> impl Strategy<Value = Vec2> {
    (coordinate(), -1000_i32..1000).prop_map(|(u, v)| Vec2::new(u, v as f32 / 256.0))
}

/// Faces of 3 to 7 corners over the vertices of one part.
fn part_faces(vertices: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    vec(vec(0..vertices as u32, 3..8), 1..6)
}

fn layer<T: Clone + std::fmt::Debug>(
    corners: usize,
    value: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<CornerLayer<T>>> {
    let filled = vec(value, 1..10).prop_flat_map(move |values| {
        vec(0..values.len() as u32, corners)
            .prop_map(move |indices| CornerLayer { values: values.clone(), indices })
    });
    prop::option::of(filled)
}

/// A mesh of one to three parts (none for a single one half of the time) with random layers.
fn mesh() -> impl Strategy<Value = (Mesh, Vec<Vec3>)> {
    let parts = vec((3_usize..10).prop_flat_map(|n| (Just(n), part_faces(n))), 1..4);
    (parts, any::<bool>()).prop_flat_map(|(parts, named)| {
        let mut mesh = Mesh::default();
        for (i, (count, faces)) in parts.iter().enumerate() {
            let (first_vertex, first_face) = (mesh.vertex_count, mesh.face_count());
            for face in faces {
                mesh.push_face(&face.iter().map(|v| v + first_vertex as u32).collect::<Vec<_>>());
            }
            mesh.vertex_count += count;
            if named {
                mesh.parts.push(Part {
                    name: format!("part.{i}"),
                    faces: first_face..mesh.face_count(),
                    vertices: first_vertex..mesh.vertex_count,
                });
            }
        }
        let corners = mesh.corners.len();
        let layers = (layer(corners, uv()), layer(corners, point()), any::<bool>());
        (Just(mesh.clone()), layers, vec(point(), mesh.vertex_count)).prop_map(
            |(mut mesh, (uvs, normals, materials), positions)| {
                (mesh.uvs, mesh.normals) = (uvs, normals);
                if materials {
                    // Alternating, so that both are used in order.
                    mesh.face_materials = (0..mesh.face_count()).map(|face| face as u32 % 2).collect();
                    mesh.materials = ["one", "two"][..mesh.face_count().min(2)]
                        .iter()
                        .map(|name| Material { name: name.to_string(), ..Material::default() })
                        .collect();
                }
                (mesh, positions)
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn obj_keeps_meshes((mesh, positions) in mesh()) {
        prop_assert_eq!(mesh.validate(), Ok(()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        obj::write(&path, &mesh, &positions).unwrap();
        let back = obj::read(&path).unwrap();
        prop_assert_eq!(back.warnings, Vec::<sinew_io::Warning>::new());
        prop_assert_eq!(back.positions, positions);
        prop_assert_eq!(back.mesh, mesh);
    }

    #[test]
    fn ply_keeps_positions_and_faces((mesh, positions) in mesh()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        ply::write(&path, &mesh, &positions).unwrap();
        let back = ply::read(&path).unwrap();
        prop_assert_eq!(back.positions, positions);
        prop_assert_eq!((back.mesh.corners, back.mesh.face_starts), (mesh.corners, mesh.face_starts));
    }

    #[test]
    fn caches_keep_every_bit(
        (vertices, values) in (1_usize..20).prop_flat_map(|n| {
            (Just(n), vec(vec(any::<[u32; 3]>().prop_map(|b| Vec3::from_array(b.map(f32::from_bits))), n), 1..10))
        })
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let fill = |frame: usize, out: &mut [Vec3]| out.copy_from_slice(&values[frame]);
        let bits: Vec<u32> = values.iter().flatten().flat_map(|p| p.to_array().map(f32::to_bits)).collect();
        let read = |cache: sinew_io::PointCache| {
            cache.frames.flat().iter().map(|x| x.to_bits()).collect::<Vec<u32>>()
        };
        pc2::write(&path, vertices, values.len(), fill).unwrap();
        prop_assert_eq!(&read(pc2::open(&path).unwrap()), &bits);
        prop_assert_eq!(&read(pc2::parse(&std::fs::read(&path).unwrap(), &path).unwrap()), &bits);
        mdd::write(&path, vertices, values.len(), 24.0, fill).unwrap();
        prop_assert_eq!(&read(mdd::read(&path).unwrap()), &bits);
    }

    #[test]
    fn text_of_any_kind_never_panics(text in "[vtnfoglusemtl0-9 /.#\\\\\n-]{0,200}") {
        let load = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        if let Ok(result) = obj::parse(text.as_bytes(), "a.obj".as_ref(), &load) {
            prop_assert_eq!(result.mesh.validate(), Ok(()));
            prop_assert_eq!(result.mesh.vertex_count, result.positions.len());
        }
    }
}
