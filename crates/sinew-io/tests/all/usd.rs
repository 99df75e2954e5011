//! USD files: known answers, and rigs and caches through files and back.

use std::path::Path;

use crate::common::{lively, rig};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec2, Vec3};
use sinew::animation::{Clip, compare};
use sinew::geometry::{Bounds, CornerLayer, Image, Material, Part, Texture, TextureSlot};
use sinew::rig::{Blending, Corrections, Player, Rig};
use sinew_io::formats::usd::{self, CacheOptions, Info, Kind, UsdFile, WriteOptions};
use sinew_io::scene::SampleOptions;

const TEXT: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usda");
const BINARY: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usdc");
const PACKAGE: &[u8] = include_bytes!("../../../../fuzz/seeds/usd/small.usdz");

fn parse(bytes: &[u8]) -> UsdFile {
    usd::parse_alone(bytes, Path::new("test.usd")).unwrap()
}

fn poses(file: &UsdFile) -> Vec<Vec<Vec3>> {
    let animation = file.animation(&SampleOptions::default()).unwrap();
    let mut pose = vec![Vec3::ZERO; animation.mesh.vertex_count];
    let player = animation.player();
    (0..animation.frame_count())
        .map(|frame| {
            player.pose_into(frame, &mut pose).unwrap();
            pose.clone()
        })
        .collect()
}

fn close(a: Vec3, b: [f32; 3]) -> bool {
    a.distance(Vec3::from_array(b)) < 1e-5
}

fn text(body: &str) -> UsdFile {
    parse(format!("#usda 1.0\n{body}").as_bytes())
}

/// A mesh prim of one triangle with other lines.
fn triangle(lines: &str) -> String {
    format!(
        "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n\
         point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n{lines}"
    )
}

/// Where the second point of a file with one triangle is in each frame.
fn second_point(body: &str) -> Vec<Vec3> {
    poses(&text(body)).iter().map(|pose| pose[1]).collect()
}

#[test]
fn text_binary_and_package_say_the_same() {
    for (bytes, kind) in [(TEXT, Kind::Text), (BINARY, Kind::Binary), (PACKAGE, Kind::Package)] {
        let file = parse(bytes);
        let info: Info = file.info().unwrap();
        assert_eq!((info.kind, info.meshes, info.vertices, info.cached_meshes), (kind, 3, 15, 1));
        assert_eq!((info.skeletons, info.joints, info.blend_shapes), (1, 2, 1));
        assert_eq!((info.up_axis, info.meters_per_unit, info.time_codes_per_second), ('Z', 0.01, 24.0));
        assert_eq!((info.clips[0].start, info.clips[0].end, info.clips.len()), (1.0, 3.0, 1));
        let animation = file.animation(&SampleOptions::default()).unwrap();
        let names: Vec<&str> = animation.mesh.parts.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["Strip", "Box", "Cache"]);
        assert_eq!(animation.mesh.materials[0].base_color, [0.5, 0.25, 1.0, 1.0]);
        assert_eq!(animation.mesh.materials[0].name, "Paint");
        let uvs = animation.mesh.uvs.as_ref().unwrap();
        assert_eq!(uvs.values[uvs.indices[1] as usize], Vec2::new(1.0, 1.0));
        let poses = poses(&file);
        assert_eq!(poses.len(), 3);
        assert!(close(poses[0][5], [1.0, 7.0, 0.0]));
        // The knee is bent, the second point shifted by the blend shape, the box has moved.
        assert!(close(poses[2][4], [1.0, 6.0, 0.0]) && close(poses[2][5], [1.0, 5.0, 0.0]));
        assert!(close(poses[2][1], [2.0, 5.0, 0.0]) && close(poses[1][1], [1.5, 5.0, 0.0]));
        assert!(close(poses[2][11], [4.0, 4.0, 0.0]));
        assert!(close(poses[1][12], [0.0, 1.0, 0.0]) && close(poses[2][12], [0.0, 4.0, 0.0]));
    }
}

#[test]
fn points_that_change_are_no_rig() {
    let error = parse(TEXT).rig(&SampleOptions::default()).unwrap_err().to_string();
    assert!(error.contains("mesh /Cache change over time"), "{error}");
    let cut = String::from_utf8(TEXT.to_vec()).unwrap();
    let rig = parse(cut.split("def Mesh \"Cache\"").next().unwrap().as_bytes());
    let rig = rig.rig(&SampleOptions::default()).unwrap().rig;
    let names: Vec<&str> = rig.bones.iter().map(|b| b.name.as_str()).collect();
    assert_eq!((names, rig.frame_count(), rig.rank()), (vec!["hip", "knee", "Box"], 3, 1));
}

#[test]
fn operations_go_from_the_last_to_the_first() {
    let moved = |lines: &str| second_point(&format!("def Mesh \"m\" {{ {} }}", triangle(lines)))[0];
    let order = |ops: &str| format!("uniform token[] xformOpOrder = [{ops}]");
    let turn = |kind: &str| {
        format!("float3 xformOp:{kind} = (90, 90, 0)\n{}", order(&format!("\"xformOp:{kind}\"")))
    };
    // About x, which leaves the point on its axis, then about y; and the other way round.
    assert!(close(moved(&turn("rotateXYZ")), [0.0, 0.0, -1.0]));
    assert!(close(moved(&turn("rotateYXZ")), [0.0, 1.0, 0.0]));
    let both = "double3 xformOp:translate = (5, 0, 0)\nfloat3 xformOp:scale = (2, 2, 2)\n";
    assert!(close(
        moved(&(both.to_owned() + &order("\"xformOp:translate\", \"xformOp:scale\""))),
        [7.0, 0.0, 0.0]
    ));
    assert!(close(
        moved(&(both.to_owned() + &order("\"xformOp:scale\", \"xformOp:translate\""))),
        [12.0, 0.0, 0.0]
    ));
    let undone = order("\"xformOp:translate\", \"xformOp:scale\", \"!invert!xformOp:translate\"");
    assert!(close(moved(&(both.to_owned() + &undone)), [-3.0, 0.0, 0.0]));
    let quarter = "quatf xformOp:orient = (0.70710677, 0, 0, 0.70710677)\n".to_owned();
    assert!(close(moved(&(quarter + &order("\"xformOp:orient\""))), [0.0, 1.0, 0.0]));
    let matrix = "matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (3, 0, 0, 1))\n";
    assert!(close(moved(&(matrix.to_owned() + &order("\"xformOp:transform\""))), [3.0, 1.0, 0.0]));
}

#[test]
fn prims_hang_on_those_above_them_unless_they_say_otherwise() {
    let body = |reset: &str| {
        format!(
            "def Xform \"a\" {{ double3 xformOp:translate.timeSamples = {{ 0: (0, 0, 0), 2: (0, 0, 2) }}
                uniform token[] xformOpOrder = [\"xformOp:translate\"]
                def Mesh \"m\" {{ float xformOp:rotateZ = 90
                uniform token[] xformOpOrder = [{reset}\"xformOp:rotateZ\"]\n{} }} }}",
            triangle("")
        )
    };
    let points = second_point(&body(""));
    assert_eq!(points.len(), 3);
    assert!(close(points[1], [0.0, 1.0, 1.0]) && close(points[2], [0.0, 1.0, 2.0]));
    let points = second_point(&body("\"!resetXformStack!\", "));
    assert!(points.iter().all(|p| close(*p, [0.0, 1.0, 0.0])));
}

#[test]
fn references_classes_and_variants_are_followed() {
    let model = format!(
        "class \"Blue\" {{ color3f[] primvars:displayColor = [(0, 0, 1)] }}
         def Xform \"Model\" {{ def Xform \"Hold\" {{
             def Mesh \"m\" (inherits = </Blue>) {{ {} rel proxy = </Model/Hold> }} }} }}\n",
        triangle(
            "double3 xformOp:translate = (0, 0, 1)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]"
        )
    );
    let instance = "def \"Copy\" (prepend references = </Model> (offset = 10; scale = 2)
         variants = { string look = \"far\" }
         prepend variantSets = \"look\") { variantSet \"look\" = { \"near\" { }
         \"far\" { over \"Hold\" { over \"m\" { double3 xformOp:translate = (0, 0, 9) } } } } }";
    let file = text(&(model.clone() + instance));
    let animation = file.animation(&SampleOptions::default()).unwrap();
    assert_eq!(animation.mesh.parts.len(), 2);
    assert_eq!(animation.mesh.materials[0].base_color, [0.0, 0.0, 1.0, 1.0]);
    let pose = &poses(&file)[0];
    assert!(close(pose[0], [0.0, 0.0, 1.0]) && close(pose[3], [0.0, 0.0, 9.0]), "{pose:?}");
    // A reference that leads back to where it started ends in a sentence.
    let looped = "def \"A\" (references = </B>) {}
        def \"B\" (references = </A>) { def \"C\" (references = </B>) {} }";
    let error = usd::parse_alone(format!("#usda 1.0\n{looped}").as_bytes(), "x.usda".as_ref()).err().unwrap();
    assert!(error.to_string().contains("more of the file than Sinew puts together"), "{error}");
}

#[test]
fn other_files_are_found_beside_and_missed_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let part = format!("#usda 1.0\n( defaultPrim = \"m\" )\ndef Mesh \"m\" {{ {} }}", triangle(""));
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("parts/part.usda"), part).unwrap();
    let path = folder.path().join("whole.usda");
    std::fs::write(
        &path,
        "#usda 1.0\ndef \"a\" (payload = @./parts/part.usda@) {}\ndef \"b\" (references = @none.usda@) {}",
    )
    .unwrap();
    let file = usd::open(&path).unwrap();
    assert_eq!(file.info().unwrap().vertices, 3);
    assert!(file.info().unwrap().warnings[0].to_string().contains("none.usda"));
    // Bytes alone have no files beside them.
    let alone = usd::parse_alone(&std::fs::read(&path).unwrap(), &path).unwrap();
    assert_eq!((alone.info().unwrap().vertices, alone.info().unwrap().warnings.len()), (0, 2));
}

#[test]
fn faces_look_outwards_and_shapes_stop_in_between() {
    let left = triangle("uniform token orientation = \"leftHanded\"");
    let mesh = |body: &str| text(body).animation(&SampleOptions::default()).unwrap().mesh;
    assert_eq!(mesh(&format!("def Mesh \"m\" {{ {left} }}")).corners, [0, 2, 1]);
    let mirrored =
        triangle("float3 xformOp:scale = (1, 1, -1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]");
    assert_eq!(mesh(&format!("def Mesh \"m\" {{ {mirrored} }}")).corners, [0, 2, 1]);
    let body = format!(
        "def SkelRoot \"r\" {{ rel skel:skeleton = <s>
         def Skeleton \"s\" {{ uniform token[] joints = [\"j\"]
            uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
            uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
            rel skel:animationSource = <a>
            def SkelAnimation \"a\" {{ uniform token[] blendShapes = [\"up\"]
               float[] blendShapeWeights.timeSamples = {{ 0: [0], 4: [2] }} }} }}
         def Mesh \"m\" {{ {} uniform token[] skel:blendShapes = [\"up\"]
            rel skel:blendShapeTargets = <up>
            def BlendShape \"up\" {{ uniform vector3f[] offsets = [(0, 0, 0), (0, 1, 0), (0, 0, 0)]
               uniform vector3f[] inbetweens:half = [(0, 0, 0), (0, 0, 8), (0, 0, 0)] (
                  weight = 0.5 ) }} }} }}",
        triangle("")
    );
    let points = second_point(&body);
    assert!(close(points[1], [1.0, 0.0, 8.0]) && close(points[2], [1.0, 1.0, 0.0]), "{points:?}");
    // Beyond the last shape it goes on as it went before.
    assert!(close(points[4], [1.0, 3.0, -16.0]), "{points:?}");
}

/// The box of joints, with stretches and shears of its own, materials, UVs, two parts and corrections.
fn flexible() -> Rig {
    let mut rig = rig(20, lively);
    rig.skeleton = None;
    let bones = rig.bones.len();
    for (i, t) in rig.transforms.iter_mut().enumerate() {
        let (bone, frame) = ((i % bones) as f64, (i / bones) as f64);
        let axes = DMat3::from_quat(DQuat::from_rotation_x(bone + 0.1 * frame));
        let sigma =
            DVec3::new(1.0 + 0.05 * (0.3 * frame + bone).sin(), 1.0, 1.0 - 0.04 * (0.2 * frame).cos());
        let stretch = axes * DMat3::from_diagonal(sigma) * axes.transpose();
        *t *= DAffine3::from_mat3(stretch);
    }
    rig.bones.iter_mut().for_each(|b| b.rigid = false);
    let n = rig.rest.len();
    let wave = |v: usize, r: usize| Vec3::new((v + r) as f32 * 0.01, 0.02 * ((v * 7 + r) % 5) as f32, -0.03);
    rig.corrections = Some(Corrections {
        rank: 2,
        basis: (0..2 * n).map(|i| wave(i % n, i / n)).collect(),
        normals: Vec::new(),
        coefficients: (0..40)
            .map(|i| if i % 2 == 0 { (i as f32 * 0.3).sin() } else { -0.02 * i as f32 })
            .collect(),
        names: Vec::new(),
    });
    let corners = rig.mesh.corners.len();
    let uv = |i: usize| Vec2::new(i as f32 / 32.0, 0.25 * (i % 4) as f32);
    rig.mesh.uvs = Some(CornerLayer {
        values: (0..8).map(uv).collect(),
        indices: (0..corners as u32).map(|c| c % 8).collect(),
    });
    let faces = rig.mesh.face_count();
    // The first strip uses vertices 0 to 11, the second the others: faces across are turned back.
    for (face, corners) in rig.mesh.corners.chunks_exact_mut(3).enumerate() {
        let first = if face < faces / 2 { 0 } else { 12 };
        corners.iter_mut().enumerate().for_each(|(i, c)| *c = first + (face as u32 + i as u32) % 12);
    }
    rig.mesh.parts = vec![
        Part { name: "upper part".into(), faces: 0..faces / 2, vertices: 0..12 },
        Part { name: "lower".into(), faces: faces / 2..faces, vertices: 12..24 },
    ];
    rig.mesh.face_materials = (0..faces as u32).map(|f| u32::from(f > 2 && f < 15)).collect();
    let skin = Material { name: "skin 1".into(), base_color: [0.5, 0.25, 0.125, 1.0], ..Material::default() };
    let glass = Material {
        name: "glass".into(),
        base_color: [1.0, 1.0, 1.0, 0.5],
        alpha_mode: "BLEND".into(),
        ..skin.clone()
    };
    rig.mesh.materials = vec![skin, glass];
    rig
}

fn through(rig: &Rig, name: &str, options: &WriteOptions) -> (Rig, Vec<sinew_io::Warning>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let report = usd::write_rig(&path, rig, options).unwrap();
    assert_eq!(report.bytes, std::fs::metadata(&path).unwrap().len());
    let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    (usd::open(&path).unwrap().rig(&all).unwrap().rig, report.warnings)
}

/// Largest distance of any vertex in any frame, in percent of the diagonal.
fn distance(a: &Rig, b: &Rig) -> f64 {
    compare(&Player::new(a), &Player::new(b), Bounds::of(&a.rest)).error.max
}

#[test]
fn a_flexible_rig_comes_back() {
    let rig = flexible();
    for name in ["rig.usda", "rig.usdz"] {
        let (back, warnings) = through(&rig, name, &WriteOptions::default());
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!((&back.rest, &back.weights, back.fps), (&rig.rest, &rig.weights, rig.fps));
        assert_eq!(back.rank(), 2);
        let names = |rig: &Rig| rig.bones.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&back), names(&rig));
        assert!(back.bones.iter().zip(&rig.bones).all(|(a, b)| a.center.distance(b.center) < 1e-6));
        assert_eq!((&back.mesh.corners, &back.mesh.parts), (&rig.mesh.corners, &rig.mesh.parts));
        let material =
            |rig: &Rig, face: usize| rig.mesh.materials[rig.mesh.face_materials[face] as usize].clone();
        assert!((0..rig.mesh.face_count()).all(|f| material(&back, f) == material(&rig, f)));
        let uv = |rig: &Rig, c: usize| {
            let uvs = rig.mesh.uvs.as_ref().unwrap();
            uvs.values[uvs.indices[c] as usize]
        };
        assert!((0..rig.mesh.corners.len()).all(|c| uv(&back, c).distance(uv(&rig, c)) < 1e-6));
        // Half floats alone would be off by 0.05 percent of what a bone reaches.
        assert!(distance(&rig, &back) < 0.002, "{}", distance(&rig, &back));
    }
}

#[test]
fn normals_are_those_of_vertices_where_each_has_one() {
    let mut rig = flexible();
    let (vertices, last) = (rig.rest.len(), rig.mesh.corners.len() - 1);
    let normal = |v: usize| Vec3::new(v as f32, 1.0, 2.0).normalize();
    let mut layer =
        CornerLayer { values: (0..vertices).map(normal).collect(), indices: rig.mesh.corners.clone() };
    for expected in [["vertex", "vertex"], ["vertex", "faceVarying"]] {
        rig.mesh.normals = Some(layer.clone());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.usda");
        let options = WriteOptions { keep_normals: true, ..WriteOptions::default() };
        usd::write_rig(&path, &rig, &options).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let kind = |rest: &str| rest.split("interpolation = \"").nth(1)?.split('"').next().map(String::from);
        let kinds: Vec<String> = text.split("normal3f[] normals").skip(1).filter_map(kind).collect();
        assert_eq!(kinds, expected);
        let back = parse(text.as_bytes()).rig(&SampleOptions::default()).unwrap().rig.mesh.normals.unwrap();
        for (corner, (a, b)) in layer.indices.iter().zip(&back.indices).enumerate() {
            let (a, b) = (layer.values[*a as usize], back.values[*b as usize]);
            assert!(a.distance(b) < 1e-5, "{b} for {a} at corner {corner}");
        }
        // A second normal at a vertex of the second part.
        layer.values.push(Vec3::Z);
        layer.indices[last] = vertices as u32;
    }
}

#[test]
fn a_skeleton_and_all_clips_come_back() {
    let mut rig = rig(30, lively);
    rig.clips = vec![
        Clip { name: "walk".into(), frames: 0..12, fps: 24.0 },
        Clip { name: "run fast".into(), frames: 12..30, fps: 30.0 },
    ];
    let (back, warnings) = through(&rig, "rig.usda", &WriteOptions::default());
    assert!(warnings.len() == 1 && warnings[0].to_string().contains("plays walk"), "{warnings:?}");
    assert_eq!((&back.skeleton, &back.clips), (&rig.skeleton, &rig.clips));
    assert!(
        back.bones
            .iter()
            .zip(&rig.bones)
            .all(|(a, b)| a.name == b.name && a.center.distance(b.center) < 1e-6)
    );
    assert!(distance(&rig, &back) < 1e-4, "{}", distance(&rig, &back));
}

#[test]
fn images_travel_in_packages() {
    let mut rig = flexible();
    let bytes = b"\x89PNG and so on".to_vec();
    rig.mesh.images =
        vec![Image { name: "hide".into(), mime_type: "image/png".into(), bytes: bytes.clone() }];
    rig.mesh.materials[0].textures = vec![Texture::new(TextureSlot::BaseColor, 0)];
    let (back, warnings) = through(&rig, "rig.usdz", &WriteOptions::default());
    assert!(warnings.is_empty());
    assert_eq!((back.mesh.images[0].bytes.clone(), &back.mesh.images[0].name[..]), (bytes, "hide"));
    let textured = back.mesh.materials.iter().find(|m| m.name == "skin 1").unwrap();
    assert_eq!(textured.textures, [Texture::new(TextureSlot::BaseColor, 0)]);
    let (_, warnings) = through(&rig, "rig.usda", &WriteOptions::default());
    assert!(warnings[0].to_string().contains(".usdz"));
}

#[test]
fn packages_are_aligned_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rig.usdz");
    usd::write_rig(&path, &rig(3, lively), &WriteOptions::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let head = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    assert_eq!((&bytes[..4], head(8)), (&b"PK\x03\x04"[..], 0));
    let start = 30 + head(26) + head(28);
    assert_eq!(start % 64, 0);
    assert!(bytes[start..].starts_with(b"#usda 1.0"));
}

#[test]
fn caches_come_back_to_the_bit() {
    let rig = flexible();
    let player = Player::new(&rig);
    let folder = tempfile::tempdir().unwrap();
    for name in ["cache.usda", "cache.usdz"] {
        let path = folder.path().join(name);
        let frames = rig.frame_count();
        let options = CacheOptions { rest: Some(&rig.rest), fps: 30.0, meters_per_unit: Some(0.01) };
        usd::write_animation(&path, &rig.mesh, frames, &options, |frame, pose| {
            player.pose_into(frame, pose);
            Ok(())
        })
        .unwrap();
        let file = usd::open(&path).unwrap();
        let animation = file.animation(&SampleOptions::default()).unwrap();
        assert_eq!(
            (animation.fps, animation.frame_count(), animation.rest.as_ref()),
            (30.0, frames, Some(&rig.rest))
        );
        assert_eq!((&animation.mesh.corners, &animation.mesh.parts), (&rig.mesh.corners, &rig.mesh.parts));
        for (frame, pose) in poses(&file).iter().enumerate() {
            assert_eq!(*pose, rig.pose(frame));
        }
    }
    // What cannot be written leaves what was there before.
    let path = folder.path().join("cache.usda");
    let before = std::fs::read(&path).unwrap();
    let options = CacheOptions { fps: 30.0, ..CacheOptions::default() };
    let failed = usd::write_animation(&path, &rig.mesh, 2, &options, |_, pose| {
        pose[3].x = f32::NAN;
        Ok(())
    });
    assert!(failed.unwrap_err().to_string().contains("vertex 3 of frame 0"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn dual_quaternions_are_asked_for() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let dual = text.replace(
        "rel skel:skeleton = </Model/Skel>",
        "rel skel:skeleton = </Model/Skel>\n uniform token primvars:skel:skinningMethod = \"dualQuaternion\"",
    );
    assert_eq!(parse(TEXT).blending().unwrap(), Blending::Linear);
    assert_eq!(parse(dual.as_bytes()).blending().unwrap(), Blending::Dual);
}

#[test]
fn properties_that_people_gave_are_told() {
    let body = format!(
        "def Xform \"a\" {{\ncustom string userProperties:mood = \"calm\"\n\
         custom string userProperties:blender:object_name = \"a\"\ndef Mesh \"m\" {{\n{}\n}}\n}}",
        triangle("")
    );
    let read = text(&body).rig(&SampleOptions::default()).unwrap();
    let unkept: Vec<String> = read.warnings.iter().filter_map(|w| Some(w.unkept()?.to_string())).collect();
    assert_eq!(unkept, ["1 custom property (mood)"]);
}

/// A shot that begins at frame 1001, with two samples a frame.
#[test]
fn what_frames_do_not_tell_of_times_is_said() {
    let shot = |head: &str| {
        let points = "point3f[] points.timeSamples = { 1001: [(0, 0, 0), (1, 0, 0), (0, 1, 0)], \
                      1002: [(0, 0, 0), (2, 0, 0), (0, 1, 0)], 1003: [(0, 0, 0), (3, 0, 0), (0, 1, 0)] }";
        let body = format!(
            "#usda 1.0\n(\n{head}\n)\ndef Mesh \"m\"\n{{\nint[] faceVertexCounts = [3]\n\
             int[] faceVertexIndices = [0, 1, 2]\n{points}\n}}\n"
        );
        let animation = parse(body.as_bytes()).animation(&SampleOptions::default()).unwrap();
        (animation.frame_count(), crate::common::sentences(&animation.warnings))
    };
    let first = "the first frame is number 1001 in the file; here frames are counted from 0, and the number is not kept";
    assert_eq!(shot("timeCodesPerSecond = 24"), (3, vec![first.to_string()]));
    let (frames, said) = shot("timeCodesPerSecond = 48\nframesPerSecond = 24");
    assert_eq!((frames, said.len()), (2, 2), "{said:?}");
    assert_eq!(said[0], "1 sample lies between frames and is left out; another frame rate shows it");
}
