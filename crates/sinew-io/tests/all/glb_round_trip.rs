//! A rig that goes through a GLB file plays the same poses.

use glam::{DAffine3, DMat3, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use sinew::animation::compare;
use sinew::geometry::{Bounds, CornerLayer, Image, Material, Mesh, Part, Texture, TextureSlot};
use sinew::rig::{Bone, Corrections, Player, Rig, SkinWeights};
use sinew_io::formats::gltf::{Gltf, WriteOptions, open, parse_alone, to_bytes, write};
use sinew_io::scene::{DEFAULT_COMPACT_ERROR, SampleOptions};

/// Numbers from a seed, for shapes that need no shrinking.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

#[derive(Clone, Debug)]
struct Shape {
    seed: u64,
    bones: usize,
    influences: usize,
    frames: usize,
    rank: usize,
    uvs: bool,
    hard: bool,
    parts: bool,
    materials: bool,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let counts = (1..5_usize, 1..=6_usize, 1..5_usize, 0..3_usize);
    (any::<u64>(), counts, any::<[bool; 4]>()).prop_map(
        |(seed, (bones, influences, frames, rank), [uvs, hard, parts, materials])| Shape {
            seed,
            bones: bones + influences,
            influences,
            frames,
            rank,
            uvs,
            hard,
            parts,
            materials,
        },
    )
}

/// Two patches of quads and triangles with one loose vertex each.
fn mesh(shape: &Shape, random: &mut Random) -> Mesh {
    const SIDE: usize = 4;
    let of_patch = SIDE * SIDE + 1;
    let mut mesh = Mesh { vertex_count: 2 * of_patch, ..Mesh::default() };
    for patch in 0..2 {
        let v = |x: usize, y: usize| (patch * of_patch + y * SIDE + x) as u32;
        for y in 0..SIDE - 1 {
            for x in 0..SIDE - 1 {
                if x == 0 {
                    mesh.push_face(&[v(x, y), v(x + 1, y), v(x + 1, y + 1)]);
                    mesh.push_face(&[v(x, y), v(x + 1, y + 1), v(x, y + 1)]);
                } else {
                    mesh.push_face(&[v(x, y), v(x + 1, y), v(x + 1, y + 1), v(x, y + 1)]);
                }
            }
        }
    }
    let (faces, corners) = (mesh.face_count(), mesh.corners.len());
    if shape.uvs {
        // Few values, so that some corners of a vertex agree and others do not.
        let values = (0..5).map(|i| Vec2::new(i as f32 / 5.0, 0.5)).collect();
        let indices = (0..corners).map(|_| (5.0 * random.unit()) as u32).collect();
        mesh.uvs = Some(CornerLayer { values, indices });
    }
    if shape.hard {
        let indices = (0..faces).flat_map(|f| mesh.corner_range(f).map(move |_| (f % 3) as u32)).collect();
        mesh.normals = Some(CornerLayer { values: vec![Vec3::X, Vec3::Y, Vec3::Z], indices });
    }
    if shape.parts {
        let part = |name: &str, i: usize| Part {
            name: name.into(),
            faces: i * faces / 2..(i + 1) * faces / 2,
            vertices: i * of_patch..(i + 1) * of_patch,
        };
        mesh.parts = vec![part("left", 0), part("right", 1)];
    }
    if shape.materials {
        mesh.materials = ["red", "green"].map(|n| Material { name: n.into(), ..Material::default() }).into();
        mesh.face_materials = (0..faces).map(|f| (f % 2) as u32).collect();
    }
    mesh
}

fn rig(shape: &Shape) -> Rig {
    let mut random = Random(shape.seed);
    let mesh = mesh(shape, &mut random);
    let n = mesh.vertex_count;
    let rest: Vec<Vec3> = (0..n).map(|_| (3.0 * random.vector()).as_vec3()).collect();
    let mut weights = SkinWeights { per_vertex: shape.influences, bones: vec![], weights: vec![] };
    for v in 0..n {
        let mut row: Vec<f64> = (0..shape.influences).map(|_| 0.05 + random.unit()).collect();
        row.sort_by(|a, b| b.total_cmp(a));
        let sum: f64 = row.iter().sum();
        weights.weights.extend(row.iter().map(|w| (w / sum) as f32));
        weights.bones.extend((0..shape.influences).map(|k| ((v + k) % shape.bones) as u32));
    }
    let transforms = (0..shape.frames * shape.bones)
        .map(|i| {
            let columns = [random.vector(), random.vector(), random.vector()];
            let mut matrix3 = DMat3::from_cols(columns[0], columns[1], columns[2]) * 1.5;
            match i % 5 {
                0 => matrix3 = DMat3::IDENTITY,
                1 => matrix3.z_axis = matrix3.x_axis.cross(matrix3.y_axis) * -1.0,
                2 => matrix3.y_axis = matrix3.x_axis,
                _ => {}
            }
            DAffine3 { matrix3, translation: 5.0 * random.vector() }
        })
        .collect();
    let bones = (0..shape.bones)
        .map(|b| Bone { name: format!("bone_{b}"), center: random.vector(), rigid: false, axes: None })
        .collect();
    let corrections = (shape.rank > 0).then(|| Corrections {
        rank: shape.rank,
        basis: (0..shape.rank * n).map(|_| random.vector().as_vec3()).collect(),
        normals: Vec::new(),
        coefficients: (0..shape.rank * shape.frames).map(|_| 3.0 * random.signed() as f32).collect(),
        names: Vec::new(),
    });
    Rig {
        mesh,
        rest,
        weights,
        bones,
        transforms,
        skeleton: None,
        corrections,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn through_file(rig: &Rig, options: &WriteOptions) -> (Gltf, Rig) {
    let (bytes, _) = to_bytes(rig, options).unwrap();
    let gltf = parse_alone(&bytes, "test.glb".as_ref()).unwrap();
    let back = gltf.rig(&SampleOptions::default()).unwrap();
    assert_eq!(back.warnings, Vec::<sinew_io::Warning>::new());
    (gltf, back.rig)
}

/// Largest vertex distance as a fraction of the rest pose's diagonal.
fn distance(a: &Rig, b: &Rig) -> f64 {
    compare(&Player::new(a), &Player::new(b), Bounds::of(&a.rest)).error.max / 100.0
}

/// Distinct UVs at each face corner, by vertex and position in the list of triangles.
fn corner_uvs(rig: &Rig) -> Vec<(u32, [u32; 2])> {
    let layer = rig.mesh.uvs.as_ref().unwrap();
    let triangles = rig.mesh.triangle_corners(&rig.rest);
    let mut out: Vec<_> = triangles
        .as_flattened()
        .iter()
        .map(|&c| {
            let uv = layer.values[layer.indices[c as usize] as usize];
            (rig.mesh.corners[c as usize], uv.to_array().map(f32::to_bits))
        })
        .collect();
    out.sort_unstable();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn rigs_come_back(shape in shapes()) {
        let rig = rig(&shape);
        let (_, back) = through_file(&rig, &WriteOptions::default());
        prop_assert_eq!(back.rest.len(), rig.rest.len());
        prop_assert_eq!(back.frame_count(), rig.frame_count());
        prop_assert!(distance(&rig, &back) < 3e-6, "{}", distance(&rig, &back));
        prop_assert_eq!(back.rank(), if rig.frame_count() > 0 { rig.rank() } else { 0 });
        let names = |r: &Rig| r.bones.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&back), names(&rig));
        if shape.uvs {
            prop_assert_eq!(corner_uvs(&back), corner_uvs(&rig));
        }
        if shape.parts {
            let ranges = |r: &Rig| r.mesh.parts.iter().map(|p| (p.name.clone(), p.vertices.clone())).collect::<Vec<_>>();
            prop_assert_eq!(ranges(&back), ranges(&rig));
        }
        if shape.materials {
            let names: Vec<&str> = back.mesh.materials.iter().map(|m| m.name.as_str()).collect();
            prop_assert_eq!(names, vec!["red", "green"]);
        }
        // What was read is written to the same poses again.
        let (_, again) = through_file(&back, &WriteOptions::default());
        prop_assert!(distance(&rig, &again) < 6e-6);
    }

    #[test]
    fn compact_files_keep_their_bound(shape in shapes(), bound in 1e-5..3e-2_f64) {
        let rig = rig(&shape);
        let (_, back) = through_file(&rig, &WriteOptions { compact: Some(bound), ..Default::default() });
        prop_assert_eq!(back.frame_count(), rig.frame_count());
        prop_assert!(distance(&rig, &back) <= bound, "{} > {}", distance(&rig, &back), bound);
    }
}

/// A bar that bends slowly: what compact files are for.
fn bending(frames: usize) -> Rig {
    let shape = Shape {
        seed: 7,
        bones: 2,
        influences: 2,
        frames,
        rank: 0,
        uvs: false,
        hard: false,
        parts: false,
        materials: false,
    };
    let mut rig = rig(&shape);
    for f in 0..frames {
        let turn = DMat3::from_rotation_z(0.002 * f as f64);
        rig.transforms[2 * f] = DAffine3::IDENTITY;
        rig.transforms[2 * f + 1] = DAffine3 { matrix3: turn, translation: DVec3::X * 0.01 * f as f64 };
    }
    rig
}

#[test]
fn compact_files_are_smaller_and_keep_their_length() {
    let rig = bending(200);
    let exact = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    let options = WriteOptions { compact: Some(DEFAULT_COMPACT_ERROR), ..Default::default() };
    let compact = to_bytes(&rig, &options).unwrap().0;
    assert!(2 * compact.len() < exact.len(), "{} of {}", compact.len(), exact.len());
    let (gltf, back) = through_file(&rig, &options);
    assert_eq!((back.frame_count(), back.fps), (200, 24.0));
    assert!(gltf.clips().unwrap()[0].keys < 100);
}

#[test]
fn vertices_stay_as_they_are_unless_something_splits_them() {
    let mut rig = bending(3);
    let json = |rig: &Rig| {
        let bytes = to_bytes(rig, &WriteOptions::default()).unwrap().0;
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice::<serde_json::Value>(&bytes[20..20 + length]).unwrap()
    };
    let plain = json(&rig);
    let attributes = &plain["meshes"][0]["primitives"][0]["attributes"];
    let position = attributes["POSITION"].as_u64().unwrap() as usize;
    assert_eq!(plain["accessors"][position]["count"], rig.rest.len());
    assert!(attributes.get("_SOURCE_VERTEX").is_none());
    // The still bone has no channel, the moving one does not stretch and needs one node.
    assert_eq!(plain["animations"][0]["channels"].as_array().unwrap().len(), 2);
    assert_eq!(plain["nodes"].as_array().unwrap().len(), 4);
    let corners = rig.mesh.corners.len() as u32;
    rig.mesh.uvs = Some(CornerLayer {
        values: (0..corners).map(|i| Vec2::new(i as f32, 0.0)).collect(),
        indices: (0..corners).collect(),
    });
    let split = json(&rig);
    let attributes = &split["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes.get("_SOURCE_VERTEX").is_some());
}

#[test]
fn still_and_single_poses_keep_their_frames() {
    let mut rig = bending(5);
    rig.transforms.fill(DAffine3::IDENTITY);
    let (_, back) = through_file(&rig, &WriteOptions::default());
    assert_eq!(back.frame_count(), 5);
    rig.transforms.truncate(2);
    let (gltf, back) = through_file(&rig, &WriteOptions::default());
    assert_eq!((back.frame_count(), gltf.clips().unwrap().len()), (1, 0));
    rig.transforms[1].translation = DVec3::Y;
    let (_, back) = through_file(&rig, &WriteOptions::default());
    assert_eq!(back.frame_count(), 1);
    assert!(distance(&rig, &back) < 1e-6);
}

#[test]
fn materials_and_images_come_back() {
    let mut rig = bending(2);
    let corners = rig.mesh.corners.len();
    let mut material = Material {
        name: "skin".into(),
        base_color: [0.25, 0.5, 0.75, 1.0],
        metallic: 0.5,
        roughness: 0.25,
        emissive: [0.5, 0.0, 0.0],
        alpha_mode: "MASK".into(),
        alpha_cutoff: 0.25,
        double_sided: true,
        textures: Vec::new(),
    };
    use TextureSlot::{BaseColor, Emissive, MetallicRoughness, Normal, Occlusion};
    let textures = [(BaseColor, 0), (MetallicRoughness, 1), (Normal, 1), (Occlusion, 0), (Emissive, 1)];
    material.textures = textures.map(|(slot, image)| Texture::new(slot, image)).to_vec();
    let image = |name: &str, mime: &str, bytes: &[u8]| Image {
        name: name.into(),
        mime_type: mime.into(),
        bytes: bytes.into(),
    };
    rig.mesh.images = vec![
        image("a", "image/png", b"\x89PNG and so on"),
        image("b", "image/jpeg", b"\xFF\xD8\xFF and so on"),
    ];
    rig.mesh.materials = vec![material];
    rig.mesh.face_materials = vec![0; rig.mesh.face_count()];
    rig.mesh.uvs = Some(CornerLayer { values: vec![Vec2::ZERO], indices: vec![0; corners] });
    let (_, back) = through_file(&rig, &WriteOptions::default());
    assert_eq!(back.mesh.materials, rig.mesh.materials);
    assert_eq!(back.mesh.images, rig.mesh.images);
}

#[test]
fn what_gltf_cannot_hold_is_refused_with_a_sentence() {
    let message = |rig: &Rig| to_bytes(rig, &WriteOptions::default()).unwrap_err().to_string();
    let mut negative = bending(2);
    negative.weights.weights[0] = 1.5;
    negative.weights.weights[1] = -0.5;
    assert!(message(&negative).contains("no negative weights"), "{}", message(&negative));
    let mut infinite = bending(2);
    infinite.transforms[3].translation.x = f64::INFINITY;
    assert!(message(&infinite).contains("bone bone_1 has no finite transform in frame 1"));
    let mut weightless = bending(2);
    weightless.weights.weights[..2].fill(0.0);
    assert!(message(&weightless).contains("vertex 0 follows no bone"));
}

#[test]
fn the_same_rig_gives_the_same_bytes() {
    let shape = Shape {
        seed: 3,
        bones: 6,
        influences: 5,
        frames: 4,
        rank: 2,
        uvs: true,
        hard: true,
        parts: true,
        materials: true,
    };
    let bytes = || to_bytes(&rig(&shape), &WriteOptions::default()).unwrap().0;
    assert_eq!(bytes(), bytes());
}

#[test]
fn files_are_written_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.glb");
    let report = write(&path, &bending(3), &WriteOptions::default()).unwrap();
    assert_eq!(report.bytes, std::fs::metadata(&path).unwrap().len());
    let gltf = open(&path).unwrap();
    assert_eq!(gltf.clips().unwrap()[0].name, "bar");
    let info = gltf.info().unwrap();
    assert_eq!((info.joints, info.mesh_instances, info.vertices), (2, 1, bending(3).rest.len()));
}

#[test]
fn normals_are_kept_when_asked() {
    let mut rig = bending(2);
    let corners = rig.mesh.corners.len();
    let odd = Vec3::new(0.6, 0.0, 0.8);
    rig.mesh.normals = Some(CornerLayer { values: vec![odd], indices: vec![0; corners] });
    let normals = |keep_normals| {
        let (_, back) = through_file(&rig, &WriteOptions { keep_normals, ..Default::default() });
        back.mesh.normals.unwrap().values
    };
    assert_eq!(normals(true), vec![odd]);
    assert!(normals(false).len() > 1);
    assert!(normals(false).iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
}
