use super::*;

fn quad() -> Mesh {
    let mut mesh = Mesh { vertex_count: 4, ..Mesh::default() };
    mesh.push_face(&[0, 1, 2, 3]);
    mesh
}

#[test]
fn a_quad_becomes_two_triangles() {
    let p = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
    assert_eq!(quad().triangles(&p).len(), 2);
    assert_eq!(quad().validate(), Ok(()));
}

#[test]
fn contradictions_are_named() {
    let mut mesh = quad();
    mesh.vertex_count = 3;
    assert_eq!(mesh.validate(), Err(MeshError::NoSuchVertex { face: 0, vertex: 3, count: 3 }));
    let mut mesh = quad();
    mesh.uvs = Some(CornerLayer { values: vec![Vec2::ZERO], indices: vec![0; 3] });
    assert_eq!(mesh.validate(), Err(MeshError::BadLayer { what: "UVs" }));
    let mut mesh = quad();
    mesh.parts = vec![Part { name: "a".into(), faces: 0..1, vertices: 0..3 }];
    assert_eq!(mesh.validate(), Err(MeshError::BadLayer { what: "parts" }));
}
