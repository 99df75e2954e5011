//! What moves no vertex and what vertices have besides places: through every format that holds it, and on to every other.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};
use sinew::animation::{Clip, compare};
use sinew::geometry::{
    Attribute, AttributeKind, Bounds, CornerLayer, Domain, Image, Material, Mesh, Part, Texture, TextureSlot,
};
use sinew::nodes::{self, Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};
use sinew::rig::{Bone, Corrections, JointPose, Player, Rig, ShapeName, Skeleton, SkinWeights};
use sinew_io::Warning;
use sinew_io::formats::sinew_file::{self, Stored};
use sinew_io::formats::{fbx, gltf, usd};
use sinew_io::scene::{SampleOptions, SampledRig};

const FRAMES: usize = 4;
/// How far numbers may be off that went through single precision and angles.
const NEAR: f64 = 2e-5;

fn node(name: &str, parent: Parent, kind: NodeKind, motion: NodeMotion) -> Node {
    Node { name: name.into(), parent, kind, motion }
}

fn placed(turn: f64, at: [f64; 3]) -> DAffine3 {
    DAffine3::from_rotation_translation(DQuat::from_rotation_y(turn) * DQuat::from_rotation_x(0.3), at.into())
}

/// A body and a hat with all a mesh can have, of triangles only, so that faces are the same in every format.
fn mesh() -> (Mesh, Vec<Vec3>) {
    let rest: Vec<Vec3> =
        (0..12).map(|v| Vec3::new((v % 2) as f32, (v / 2) as f32, 0.1 * (v % 3) as f32)).collect();
    let mut triangles: Vec<[u32; 3]> =
        (0..6).map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] }).collect();
    triangles.extend([[8, 9, 10], [10, 9, 11]]);
    let mut mesh = Mesh::from_triangles(12, &triangles);
    let corners = mesh.corners.clone();
    mesh.uvs = Some(CornerLayer {
        values: rest.iter().map(|p| Vec2::new(p.x, p.y / 8.0)).collect(),
        indices: corners.clone(),
    });
    // A light map with a seam within each part, colours that end at an edge, numbers of the file's own.
    let lightmap: Vec<[f32; 2]> = corners
        .iter()
        .enumerate()
        .map(|(c, &v)| [v as f32 / 16.0 + if c < 9 { 0.0 } else { 0.25 }, 0.125])
        .collect();
    let painted: Vec<[f32; 4]> =
        (0..12).map(|v| [v as f32 / 16.0, 0.5, 1.0 - v as f32 / 16.0, 0.75]).collect();
    let mask: Vec<[f32; 3]> =
        (0..corners.len()).map(|c| if c / 3 % 2 == 0 { [1.0, 0.0, 0.25] } else { [0.0, 1.0, 0.5] }).collect();
    let atlas: Vec<[f32; 2]> = (0..12).map(|v| [0.5, v as f32 / 32.0]).collect();
    let tint: Vec<[f32; 3]> = (0..12).map(|v| [0.25, v as f32 / 16.0, 0.5]).collect();
    let heat: Vec<[f32; 1]> = (0..12).map(|v| [v as f32 * 0.5]).collect();
    let flow: Vec<[f32; 3]> = (0..corners.len()).map(|c| [c as f32, -1.0, 0.5]).collect();
    use AttributeKind::{Color, Custom, Uv};
    mesh.attributes = vec![
        Attribute::new("lightmap", Uv, Domain::Corner, 2, lightmap.iter().map(|r| &r[..])),
        Attribute::new("Atlas", Uv, Domain::Vertex, 2, atlas.iter().map(|r| &r[..])),
        Attribute::new("Col", Color, Domain::Vertex, 4, painted.iter().map(|r| &r[..])),
        Attribute::new("mask", Color, Domain::Corner, 3, mask.iter().map(|r| &r[..])),
        // In an order that is not that of their names.
        Attribute::new("COLOR_1", Color, Domain::Vertex, 3, tint.iter().map(|r| &r[..])),
        Attribute::new("heat", Custom, Domain::Vertex, 1, heat.iter().map(|r| &r[..])),
        Attribute::new("flow", Custom, Domain::Corner, 3, flow.iter().map(|r| &r[..])),
    ];
    let lit = Texture { uv_set: 1, ..Texture::new(TextureSlot::Emissive, 1) };
    let skin = vec![Texture::new(TextureSlot::BaseColor, 0), lit];
    mesh.materials = vec![
        Material { name: "skin".into(), textures: skin, ..Material::default() },
        Material { name: "felt".into(), ..Material::default() },
    ];
    mesh.images = ["base", "baked"]
        .map(|name| Image {
            name: name.into(),
            mime_type: "image/png".into(),
            bytes: b"\x89PNG\r\n\x1a\n and so on".into(),
        })
        .into();
    mesh.face_materials = vec![0, 0, 0, 0, 0, 0, 1, 1];
    mesh.parts = vec![
        Part { name: "body".into(), faces: 0..6, vertices: 0..8 },
        Part { name: "hat".into(), faces: 6..8, vertices: 8..12 },
    ];
    (mesh, rest)
}

/// A rig with everything that there is besides motion: a joint without weights between others and one at the end, and
/// nodes on bones, on each other and by themselves.
fn everything() -> Rig {
    let (mesh, rest) = mesh();
    let parents = vec![None, Some(0), Some(1), Some(2), Some(3)];
    let places: Vec<DVec3> = (0..5).map(|j| DVec3::new(0.5, 1.2 * j as f64, 0.1 * j as f64)).collect();
    let skeleton = Skeleton::new(parents);
    let turn = |j: usize, f: usize| {
        DQuat::from_rotation_z(0.2 * (f * (j + 1)) as f64) * DQuat::from_rotation_x(0.1 * f as f64)
    };
    let transforms = (0..FRAMES).flat_map(|f| {
        let mut at = vec![DVec3::ZERO; 5];
        at[0] = places[0] + DVec3::new(0.1, 0.0, 0.05) * f as f64;
        skeleton.transforms(&places, &JointPose { turns: (0..5).map(|j| turn(j, f)).collect(), places: at })
    });
    let names = ["root", "spine", "arm", "hand", "hand_end"];
    // Nothing follows the spine, nor the end of the hand.
    let bones = (0..12)
        .flat_map(|v| {
            if v < 4 {
                [0, 2]
            } else if v < 8 {
                [2, 3]
            } else {
                [3, 0]
            }
        })
        .collect();
    let perspective = Camera { lens: Lens::Perspective(0.8), aspect: Some(1.5), near: 0.1, far: Some(100.0) };
    let flat = Camera { lens: Lens::Orthographic(3.0), aspect: Some(2.0), near: 0.5, far: Some(20.0) };
    let light =
        |shape, intensity| NodeKind::Light(Light { shape, color: [1.0, 0.5, 0.25], intensity, range: None });
    let flight = (0..FRAMES).map(|f| placed(0.2 * f as f64, [3.0, 0.5 * f as f64, 2.0])).collect();
    let large =
        DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), DQuat::from_rotation_z(0.4), DVec3::Z);
    Rig {
        transforms: transforms.collect(),
        mesh,
        rest,
        weights: SkinWeights { per_vertex: 2, bones, weights: [0.75, 0.25].repeat(12) },
        bones: names
            .iter()
            .zip(&places)
            .map(|(name, at)| Bone { name: (*name).into(), center: *at, rigid: true, axes: None })
            .collect(),
        skeleton: Some(skeleton),
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: vec![
            node("socket", Parent::Bone(3), NodeKind::Empty, NodeMotion::Still(placed(0.5, [0.5, 4.0, 0.5]))),
            node("muzzle", Parent::Node(0), NodeKind::Empty, NodeMotion::Still(large)),
            node("view", Parent::Scene, NodeKind::Camera(perspective), NodeMotion::Moving(flight)),
            node(
                "torch",
                Parent::Bone(2),
                light(LightShape::Spot { inner: 0.3, outer: 0.6 }, 20.0),
                NodeMotion::Still(placed(0.1, [0.7, 2.5, 0.2])),
            ),
            node("set", Parent::Scene, NodeKind::Empty, NodeMotion::Still(placed(0.0, [5.0, 0.0, 0.0]))),
            node(
                "plan",
                Parent::Node(4),
                NodeKind::Camera(flat),
                NodeMotion::Still(placed(1.0, [0.0, 6.0, 0.0])),
            ),
            node(
                "sun",
                Parent::Node(4),
                light(LightShape::Sun, 3.0),
                NodeMotion::Still(placed(-0.7, [0.0, 9.0, 0.0])),
            ),
            node(
                "bulb",
                Parent::Bone(4),
                light(LightShape::Point, 12.0),
                NodeMotion::Still(placed(0.0, [0.5, 5.0, 0.4])),
            ),
        ],
        armature: "Hero".into(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum File {
    Glb,
    Fbx,
    Usd,
    Sinew,
}

const ALL: [File; 4] = [File::Glb, File::Fbx, File::Usd, File::Sinew];

impl File {
    /// Writes a rig and reads it again.
    fn through(self, rig: &Rig) -> SampledRig {
        let options = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
        let folder = tempfile::tempdir().unwrap();
        match self {
            Self::Glb => {
                let how =
                    gltf::WriteOptions { name: "figure".into(), keep_normals: true, ..Default::default() };
                let (bytes, warnings) = gltf::to_bytes(rig, &how).unwrap();
                let widened = |w: &Warning| matches!(w, Warning::AttributesWidened { .. });
                let others: Vec<_> = warnings.iter().filter(|w| !widened(w)).collect();
                assert_eq!(others, Vec::<&Warning>::new());
                gltf::parse_alone(&bytes, Path::new("a.glb")).unwrap().rig(&options).unwrap()
            }
            Self::Fbx => {
                let how =
                    fbx::WriteOptions { name: "figure".into(), keep_normals: true, ..Default::default() };
                let (bytes, _) = fbx::to_bytes(rig, &how).unwrap();
                fbx::parse_alone(&bytes, Path::new("a.fbx")).unwrap().rig(&options).unwrap()
            }
            Self::Usd => {
                let path = folder.path().join("a.usdz");
                let how =
                    usd::WriteOptions { name: "figure".into(), keep_normals: true, ..Default::default() };
                usd::write_rig(&path, rig, &how).unwrap();
                usd::open(&path).unwrap().rig(&options).unwrap()
            }
            Self::Sinew => {
                let path = folder.path().join("a.sinew");
                sinew_file::write_rig(&path, rig, "").unwrap();
                let read = sinew_file::read(&path).unwrap();
                let Stored::Rig(rig) = read.stored else { panic!("a rig") };
                SampledRig {
                    rig,
                    warnings: read.warnings,
                    clip: None,
                    light: None,
                    facts: Default::default(),
                }
            }
        }
    }

    /// Whether it holds attributes that are neither UVs nor colours.
    fn holds_custom(self) -> bool {
        self != Self::Fbx
    }
}

/// What corners have, by the vertices of their face and their own.
fn at_corners(mesh: &Mesh, attribute: &Attribute) -> BTreeMap<(Vec<u32>, u32), Vec<f32>> {
    let mut found = BTreeMap::new();
    for face in 0..mesh.face_count() {
        let mut key = mesh.face(face).to_vec();
        key.sort_unstable();
        for corner in mesh.corner_range(face) {
            let value = attribute.at_corner(&mesh.corners, corner).to_vec();
            found.insert((key.clone(), mesh.corners[corner]), value);
        }
    }
    found
}

fn same_attributes(back: &Mesh, wanted: &Mesh, custom: bool, way: &str) {
    let wanted_ones: Vec<&Attribute> =
        wanted.attributes.iter().filter(|a| custom || a.kind != AttributeKind::Custom).collect();
    // Some formats sort those of a file's own by name; others are told by their place.
    let list = |all: &[&Attribute]| {
        let (mut own, mut names): (Vec<&Attribute>, Vec<&Attribute>) =
            all.iter().partition(|a| a.kind == AttributeKind::Custom);
        own.sort_by_key(|a| &a.name);
        names.extend(own);
        names.iter().map(|a| format!("{} {:?} {:?}", a.name, a.kind, a.domain)).collect::<Vec<_>>()
    };
    assert_eq!(list(&back.attributes.iter().collect::<Vec<_>>()), list(&wanted_ones), "{way}");
    for wanted_one in wanted_ones {
        let back_one = back.attributes.iter().find(|a| a.name == wanted_one.name).unwrap();
        let (found, meant) = (at_corners(back, back_one), at_corners(wanted, wanted_one));
        assert_eq!(found.len(), meant.len(), "{way}");
        for (corner, value) in &meant {
            // A format may add an opacity of one.
            let like = found[corner].iter().zip(value).all(|(a, b)| (a - b).abs() < 1e-5);
            let opaque = found[corner][value.len()..].iter().all(|x| *x == 1.0);
            assert!(
                like && opaque,
                "{way}: {} at {corner:?} is {:?}, not {value:?}",
                wanted_one.name,
                found[corner]
            );
        }
    }
}

fn parent_name(rig: &Rig, node: &Node) -> String {
    match node.parent {
        Parent::Scene => "scene".into(),
        Parent::Bone(bone) => format!("bone {}", rig.bones[bone].name),
        Parent::Node(other) => format!("node {}", rig.nodes[other].name),
    }
}

/// The numbers of a kind, and its name.
fn numbers(kind: &NodeKind) -> (&'static str, Vec<f64>) {
    match kind {
        NodeKind::Empty => ("empty", Vec::new()),
        NodeKind::Group => ("group", Vec::new()),
        NodeKind::Camera(c) => {
            let (name, size) = match c.lens {
                Lens::Perspective(angle) => ("camera", angle),
                Lens::Orthographic(height) => ("flat camera", height),
            };
            (name, vec![size, c.aspect.unwrap_or(0.0), c.near, c.far.unwrap_or(0.0)])
        }
        NodeKind::Light(l) => {
            let (name, mut all) = match l.shape {
                LightShape::Point => ("point", vec![]),
                LightShape::Sun => ("sun", vec![]),
                LightShape::Spot { inner, outer } => ("spot", vec![inner, outer]),
                LightShape::Area { width, height } => ("area", vec![width, height]),
            };
            all.extend(l.color.map(f64::from));
            all.extend([l.intensity, l.range.unwrap_or(0.0)]);
            (name, all)
        }
    }
}

fn same_nodes(back: &Rig, wanted: &Rig, near: f64, way: &str) {
    let list = |rig: &Rig| {
        let mut all: Vec<String> =
            rig.nodes.iter().map(|n| format!("{} on {}", n.name, parent_name(rig, n))).collect();
        all.sort();
        all
    };
    assert_eq!(list(back), list(wanted), "{way}");
    for (number, meant) in wanted.nodes.iter().enumerate() {
        let at = back.nodes.iter().position(|n| n.name == meant.name).unwrap();
        let (kind, found) = numbers(&back.nodes[at].kind);
        let (wanted_kind, wanted_numbers) = numbers(&meant.kind);
        assert_eq!(kind, wanted_kind, "{way}: {}", meant.name);
        let like = found.iter().zip(&wanted_numbers).all(|(a, b)| (a - b).abs() <= NEAR * b.abs().max(1.0));
        assert!(like, "{way}: {} is {found:?}, not {wanted_numbers:?}", meant.name);
        for frame in 0..wanted.frame_count() {
            let is = nodes::worlds(&back.nodes, frame, back.frame_transforms(frame))[at];
            let was = nodes::worlds(&wanted.nodes, frame, wanted.frame_transforms(frame))[number];
            assert!(
                is.abs_diff_eq(was, near),
                "{way}: {} in frame {frame} is at {is:?}, not {was:?}",
                meant.name
            );
        }
    }
}

fn same_joints(back: &Rig, wanted: &Rig, way: &str) {
    let list = |rig: &Rig| {
        let skeleton = rig.skeleton.as_ref().unwrap_or_else(|| panic!("{way}: no skeleton"));
        let name = |j: usize| rig.bones[j].name.clone();
        let mut all: Vec<_> = (0..skeleton.len())
            .map(|j| (name(j), skeleton.parents[j].map(name), skeleton.above(j).map(name)))
            .collect();
        all.sort();
        all
    };
    assert_eq!(list(back), list(wanted), "{way}");
}

fn same_looks(back: &Mesh, wanted: &Mesh, way: &str) {
    for meant in &wanted.materials {
        let found = back.materials.iter().find(|m| m.name == meant.name).unwrap_or_else(|| panic!("{way}"));
        let list = |m: &Material, mesh: &Mesh| {
            let of = |t: &Texture| format!("{:?} {} {}", t.slot, mesh.images[t.image].name, t.uv_set);
            m.textures.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(list(found, back), list(meant, wanted), "{way}: {}", meant.name);
    }
}

#[test]
fn everything_goes_through_every_format_and_on_to_every_other() {
    let rig = everything();
    rig.validate().unwrap();
    rig.mesh.validate().unwrap();
    for first in ALL {
        let once = first.through(&rig).rig;
        for second in ALL {
            let way = format!("{first:?} to {second:?}");
            let back = second.through(&once).rig;
            assert_eq!(back.armature, "Hero", "{way}");
            same_joints(&back, &rig, &way);
            same_nodes(&back, &rig, NEAR, &way);
            same_attributes(&back.mesh, &rig.mesh, first.holds_custom() && second.holds_custom(), &way);
            same_looks(&back.mesh, &rig.mesh, &way);
        }
    }
}

/// The arm slides on the spine, which no vertex follows, and takes along what hangs on it. All joints were bound by axes of
/// their own.
fn sliding() -> Rig {
    let mut rig = everything();
    for (frame, transforms) in rig.transforms.chunks_exact_mut(5).enumerate() {
        let by = DVec3::new(0.03, 0.1, 0.02) * (frame * frame) as f64;
        transforms[2..].iter_mut().for_each(|t| t.translation += by);
    }
    let parents = vec![None, Some(0), None, Some(2), Some(3)];
    rig.skeleton = Some(Skeleton { parents, slides_on: vec![None, None, Some(1), None, None] });
    for (number, bone) in rig.bones.iter_mut().enumerate() {
        let angle = 0.3 + number as f64;
        bone.axes = Some(DQuat::from_rotation_z(angle) * DQuat::from_rotation_y(0.5 * angle));
    }
    rig
}

#[test]
fn joints_that_slide_stay_on_their_joint_and_all_keep_their_axes() {
    let rig = sliding();
    rig.validate().unwrap();
    for first in ALL {
        let once = first.through(&rig).rig;
        for second in ALL {
            let way = format!("{first:?} to {second:?}");
            let back = second.through(&once).rig;
            same_joints(&back, &rig, &way);
            same_nodes(&back, &rig, NEAR, &way);
            for bone in &back.bones {
                let meant = rig.bones.iter().find(|b| b.name == bone.name).and_then(|b| b.axes).unwrap();
                let off = meant.angle_between(bone.axes.unwrap_or_else(|| panic!("{way}: {}", bone.name)));
                assert!(off < 1e-3, "{way}: {} is {off} off", bone.name);
            }
            let error = compare(&Player::new(&rig), &Player::new(&back), Bounds::of(&rig.rest)).error;
            assert!(error.max < 1e-3, "{way}: {}", error.max);
        }
    }
}

#[test]
fn bones_keep_their_names_where_parts_of_the_mesh_have_the_same() {
    let mut rig = everything();
    rig.mesh.parts[0].name = "arm".into();
    for file in ALL {
        let back = file.through(&rig).rig;
        assert_eq!(
            back.bones.iter().map(|b| &b.name[..]).collect::<Vec<_>>(),
            ["root", "spine", "arm", "hand", "hand_end"],
            "{file:?}"
        );
        // In FBX files a part has no name but that of its node.
        let wanted = if file == File::Fbx { "arm.1" } else { "arm" };
        assert_eq!(back.mesh.parts[0].name, wanted, "{file:?}");
    }
}

/// A face of three shapes: one that comes and goes, one that nothing moves, and one that shows at rest.
fn face() -> Rig {
    let mut rig = everything();
    let vertices = rig.rest.len();
    let shape = |r: usize| {
        (0..vertices).map(move |v| Vec3::new(0.1, 0.05 * r as f32, 0.01 * v as f32) * (v % (r + 2)) as f32)
    };
    let frown = |f: usize| 0.5 * f as f32 / FRAMES as f32;
    rig.corrections = Some(Corrections {
        rank: 3,
        basis: (0..3).flat_map(shape).collect(),
        normals: Vec::new(),
        coefficients: (0..FRAMES).flat_map(|f| [0.2 * f as f32, 0.0, frown(f)]).collect(),
        names: [("smile", 0.0), ("jawOpen", 0.0), ("frown", 0.25)]
            .map(|(name, at_rest)| ShapeName { name: name.into(), at_rest })
            .into(),
    });
    rig
}

#[test]
fn shapes_keep_their_names_order_and_weights_whether_or_not_anything_moves_them() {
    let rig = face();
    rig.validate().unwrap();
    let weights = |rig: &Rig| -> Vec<(String, Vec<f32>)> {
        let of = rig.corrections.as_ref().unwrap();
        let weight = |r: usize, f: usize| of.coefficients[f * of.rank + r] + of.names[r].at_rest;
        (0..of.rank).map(|r| (of.name(r), (0..FRAMES).map(|f| weight(r, f)).collect())).collect()
    };
    let wanted = weights(&rig);
    for first in ALL {
        let once = first.through(&rig).rig;
        for second in ALL {
            let way = format!("{first:?} to {second:?}");
            let back = second.through(&once).rig;
            for ((name, found), (meant, like)) in weights(&back).iter().zip(&wanted) {
                assert_eq!(name, meant, "{way}");
                assert!(
                    found.iter().zip(like).all(|(a, b)| (a - b).abs() < 1e-5),
                    "{way}: {name} {found:?} {like:?}"
                );
            }
            assert_eq!(back.rank(), 3, "{way}");
            let error = compare(&Player::new(&rig), &Player::new(&back), Bounds::of(&rig.rest)).error;
            assert!(error.max < 1e-3, "{way}: {}", error.max);
        }
    }
    for mut rig in [face(), sliding()] {
        rig.nodes.clear();
        assert_eq!(File::Sinew.through(&rig).rig, rig);
    }
}

/// What a rig's shapes are shown by in every frame.
fn weights(rig: &Rig) -> Vec<(String, Vec<f32>)> {
    let of = rig.corrections.as_ref().unwrap();
    let weight = |r: usize, f: usize| of.coefficients[f * of.rank + r] + of.names[r].at_rest;
    (0..of.rank).map(|r| (of.name(r), (0..rig.frame_count()).map(|f| weight(r, f)).collect())).collect()
}

/// Sliders of Blender end at 0 and 1.
#[test]
fn weights_stay_within_zero_and_one_where_sliders_end() {
    let mut rig = face();
    let of = rig.corrections.as_mut().unwrap();
    of.names[2].at_rest = -0.5;
    for f in 0..FRAMES {
        of.coefficients[3 * f] = 3.0 * f as f32 / (FRAMES - 1) as f32 - 1.5;
    }
    rig.validate().unwrap();
    for file in [File::Glb, File::Usd] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if file == File::Glb { "a.glb" } else { "a.usda" });
        let (back, warnings) = match file {
            File::Glb => {
                let how = gltf::WriteOptions { name: "figure".into(), ..Default::default() };
                let (bytes, warnings) = gltf::to_bytes(&rig, &how).unwrap();
                (
                    gltf::parse_alone(&bytes, &path).unwrap().rig(&SampleOptions::default()).unwrap().rig,
                    warnings,
                )
            }
            _ => {
                let written = usd::write_rig(&path, &rig, &Default::default()).unwrap();
                (usd::open(&path).unwrap().rig(&SampleOptions::default()).unwrap().rig, written.warnings)
            }
        };
        let found = weights(&back);
        let names: Vec<&str> = found.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["smile", "smile_opposite", "jawOpen", "frown", "frown_opposite"], "{file:?}");
        let all = found.iter().flat_map(|(_, weights)| weights);
        assert!(all.clone().all(|w| (-1e-6..=1.0 + 1e-6).contains(w)), "{file:?}: {found:?}");
        let error = compare(&Player::new(&rig), &Player::new(&back), Bounds::of(&rig.rest)).error;
        assert!(error.max < 1e-3, "{file:?}: {}", error.max);
        let said = warnings.iter().any(|w| w.to_string().starts_with("2 shapes are shown by weights beyond"));
        assert!(said, "{file:?}: {warnings:?}");
    }
    // Sliders of FBX go on.
    assert_eq!(weights(&File::Fbx.through(&rig).rig).len(), 3);
}

/// Viewers of USD show displayColor, however the first colours are called.
#[test]
fn the_first_colours_are_what_viewers_of_usd_show() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    usd::write_rig(&path, &everything(), &Default::default()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for wanted in [
        "color3f[] primvars:displayColor = [(0, 0.5, 1)",
        "displayName = \"Col\"",
        "float[] primvars:displayOpacity = [0.75",
        "color3f[] primvars:mask = ",
        "reorder properties = [\"primvars:st\", \"primvars:lightmap\", \"primvars:Atlas\", \"primvars:displayColor\", \
         \"primvars:mask\", \"primvars:COLOR_1\"",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    // Of other programs, that state no order.
    let without: String = text.lines().filter(|l| !l.contains("reorder")).map(|l| format!("{l}\n")).collect();
    let file = usd::parse_alone(without.as_bytes(), &path).unwrap();
    let mesh = file.rig(&SampleOptions::default()).unwrap().rig.mesh;
    let first = mesh.attributes.iter().find(|a| a.kind == AttributeKind::Color).unwrap();
    assert_eq!(first.name, "Col");
}

/// A skeleton of USD plays one animation: not that in which nothing moves, as Mixamo's first take.
#[test]
fn usd_plays_the_first_take_that_moves() {
    let mut rig = everything();
    let still = rig.frame_transforms(0).repeat(2);
    rig.transforms.splice(0..0, still);
    rig.nodes.clear();
    rig.clips = vec![
        Clip { name: "Take 001".into(), frames: 0..2, fps: 24.0 },
        Clip { name: "Wave".into(), frames: 2..FRAMES + 2, fps: 30.0 },
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    let written = usd::write_rig(&path, &rig, &Default::default()).unwrap();
    assert!(written.warnings.contains(&Warning::OneClipPlayed("Wave".into())), "{:?}", written.warnings);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("/Wave>") && text.contains("framesPerSecond = 30"), "{text:.800}");
    let back = usd::open(&path).unwrap();
    let names: Vec<String> = back.clips().unwrap().into_iter().map(|clip| clip.name).collect();
    assert_eq!(names, ["Wave", "Take 001"]);
    let played = back.rig(&SampleOptions::default()).unwrap().rig;
    assert_eq!((played.frame_count(), played.fps), (FRAMES, 30.0));
    let alone = Rig {
        transforms: rig.transforms[2 * rig.bones.len()..].to_vec(),
        clips: Vec::new(),
        fps: 30.0,
        ..rig.clone()
    };
    let error = compare(&Player::new(&alone), &Player::new(&played), Bounds::of(&rig.rest)).error;
    assert!(error.max < 1e-3, "{}", error.max);
}

#[test]
fn a_sinew_file_holds_it_to_the_last_bit() {
    let mut rig = everything();
    rig.nodes[4].kind = NodeKind::Group;
    let area = LightShape::Area { width: 2.0, height: 0.5 };
    rig.nodes[7].kind =
        NodeKind::Light(Light { shape: area, color: [0.1; 3], intensity: 3.0, range: Some(7.0) });
    assert_eq!(File::Sinew.through(&rig).rig, rig);
}

/// Bones that stretch make no skeleton, and in files they are nodes in nodes.
#[test]
fn nodes_follow_bones_that_stretch() {
    let mut rig = everything();
    rig.skeleton = None;
    for (number, t) in rig.transforms.iter_mut().enumerate() {
        let turn = glam::DMat3::from_rotation_z(0.3 * number as f64);
        let long = glam::DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 0.1 * (number % 5) as f64, 1.0));
        t.matrix3 *= turn * long * turn.transpose();
    }
    rig.bones.iter_mut().for_each(|bone| bone.rigid = false);
    for file in ALL {
        let way = format!("{file:?}");
        let back = file.through(&rig).rig;
        assert_eq!((&back.armature[..], back.bones.len()), ("Hero", 5), "{way}");
        // USD's scales are half floats, of which two are multiplied.
        let near = if file == File::Usd { 2e-4 } else { NEAR };
        same_nodes(&back, &rig, near, &way);
    }
}

#[test]
fn nodes_move_in_every_clip() {
    let mut rig = everything();
    rig.clips = vec![
        Clip { name: "walk".into(), frames: 0..2, fps: 24.0 },
        Clip { name: "run".into(), frames: 2..FRAMES, fps: 12.0 },
    ];
    for file in [File::Glb, File::Fbx, File::Sinew] {
        let way = format!("{file:?}");
        let back = file.through(&rig).rig;
        assert_eq!(back.clips, rig.clips, "{way}");
        same_nodes(&back, &rig, NEAR, &way);
    }
}

/// Groups hold what a rig has, so that in a file that it is written to they are empties like others.
#[test]
fn groups_become_empties() {
    let mut rig = everything();
    rig.nodes[4].kind = NodeKind::Group;
    for file in [File::Glb, File::Fbx, File::Usd] {
        let back = file.through(&rig).rig;
        assert_eq!(
            back.nodes.iter().find(|n| n.name == "set").map(|n| &n.kind),
            Some(&NodeKind::Empty),
            "{file:?}"
        );
    }
}

#[test]
fn without_any_of_it_files_hold_nothing_of_it() {
    let mut rig = everything();
    rig.nodes.clear();
    rig.armature.clear();
    rig.mesh.attributes.clear();
    rig.mesh.materials[0].textures.clear();
    for file in ALL {
        let back = file.through(&rig).rig;
        assert_eq!(
            (back.nodes.len(), &back.armature[..], back.mesh.attributes.len()),
            (0, "", 0),
            "{file:?}"
        );
        assert_eq!(back.bones.len(), 5, "{file:?}");
    }
}

/// The header of a GLB file.
fn header(rig: &Rig, light: Option<sinew::light::Light>) -> serde_json::Value {
    let how = gltf::WriteOptions { name: "figure".into(), light, ..Default::default() };
    let (bytes, _) = gltf::to_bytes(rig, &how).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Blender mixes up the attributes of a file's own where they are not equally wide. What they are as wide as, they say.
#[test]
fn attributes_of_a_files_own_are_equally_wide_in_glb() {
    let rig = everything();
    let vertices = rig.rest.len();
    let shapes = sinew::light::Light {
        vertices,
        shapes: vec![100; vertices],
        ranges: vec![[0.0, 1.0]],
        coefficients: vec![1.0; FRAMES],
    };
    let (_, said) = gltf::to_bytes(&rig, &gltf::WriteOptions::default()).unwrap();
    assert_eq!(said, [Warning::AttributesWidened { names: vec!["_HEAT".into()], width: 3 }]);
    for (light, wanted) in [(None, "VEC3"), (Some(shapes), "VEC4")] {
        let header = header(&rig, light);
        let mut seen = Vec::new();
        for mesh in header["meshes"].as_array().unwrap() {
            for primitive in mesh["primitives"].as_array().unwrap() {
                for (key, accessor) in primitive["attributes"].as_object().unwrap() {
                    if key.starts_with('_') {
                        let kind = &header["accessors"][accessor.as_u64().unwrap() as usize]["type"];
                        assert_eq!(kind, wanted, "{key}");
                        seen.push(key.clone());
                    }
                }
            }
        }
        for key in ["_HEAT", "_FLOW", "_SOURCE_VERTEX"] {
            assert!(seen.iter().any(|seen| seen == key), "{key}");
        }
    }
    let back = File::Glb.through(&rig).rig;
    let width = |name: &str| back.mesh.attributes.iter().find(|a| a.name == name).map(|a| a.width);
    assert_eq!((width("heat"), width("flow")), (Some(1), Some(3)));
}

#[test]
fn what_lights_lose_is_said() {
    let mut rig = everything();
    let light = |shape, range| NodeKind::Light(Light { shape, color: [1.0; 3], intensity: 5.0, range });
    rig.nodes[3].kind = light(LightShape::Area { width: 2.0, height: 0.5 }, None);
    rig.nodes[7].kind = light(LightShape::Point, Some(9.0));
    let words = |warnings: Vec<Warning>| warnings.iter().map(|w| format!("{w}; ")).collect::<String>();
    let glb = words(gltf::to_bytes(&rig, &gltf::WriteOptions::default()).unwrap().1);
    assert!(glb.contains("\"torch\" shines from an area") && !glb.contains("reach"), "{glb}");
    // Others find an empty there; files of our own hold the light all the same.
    let bytes = gltf::to_bytes(&rig, &gltf::WriteOptions::default()).unwrap().0;
    let back = gltf::parse_alone(&bytes, Path::new("a.glb")).unwrap().rig(&SampleOptions::default()).unwrap();
    let torch = |rig: &Rig| rig.nodes.iter().find(|n| n.name == "torch").unwrap().kind.clone();
    assert_eq!(torch(&back.rig), torch(&rig));
    assert!(!words(back.warnings).contains("custom propert"));
    let fbx = words(fbx::to_bytes(&rig, &fbx::WriteOptions::default()).unwrap().1);
    assert!(fbx.contains("\"torch\" shines from an area of 2 by 0.5"), "{fbx}");
    assert!(fbx.contains("1 light reaches only so far"), "{fbx}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    let usd = words(usd::write_rig(&path, &rig, &usd::WriteOptions::default()).unwrap().warnings);
    assert!(usd.contains("1 light reaches only so far") && !usd.contains("area"), "{usd}");
}

/// Blender states what a flat picture shows in metres, and reads it so, in files of any unit.
#[test]
fn flat_cameras_are_stated_in_metres_in_fbx() {
    let rig = everything();
    let how = fbx::WriteOptions { name: "figure".into(), metres_per_unit: 0.01, ..Default::default() };
    let (bytes, _) = fbx::to_bytes(&rig, &how).unwrap();
    let after = |from: usize, word: &[u8]| {
        from + bytes[from..].windows(word.len()).position(|w| w == word).unwrap() + word.len()
    };
    let number = after(after(0, b"OrthoZoom"), b"D");
    let zoom = f64::from_le_bytes(bytes[number..number + 8].try_into().unwrap());
    // Three units high and twice as wide.
    assert!((zoom - 0.06).abs() < 1e-12, "{zoom}");
    let read = fbx::parse_alone(&bytes, Path::new("a.fbx")).unwrap();
    let back = read.rig(&SampleOptions::default()).unwrap().rig;
    let plan = back.nodes.iter().find(|node| node.name == "plan").unwrap();
    assert!((numbers(&plan.kind).1[0] - 3.0).abs() < NEAR, "{plan:?}");
}

#[test]
fn parts_without_uvs_and_colours_stay_so_beside_others() {
    let mut rig = everything();
    // What readers fill a part up with that has neither: zeros and white.
    let mesh = &mut rig.mesh;
    let hat = 6 * 3;
    let uvs = mesh.uvs.as_mut().unwrap();
    uvs.values.push(Vec2::ZERO);
    let blank = uvs.values.len() as u32 - 1;
    uvs.indices[hat..].fill(blank);
    let white: Vec<[f32; 3]> =
        (0..mesh.corners.len()).map(|c| if c < hat { [0.5; 3] } else { [1.0; 3] }).collect();
    let rows = white.iter().map(|row| &row[..]);
    mesh.attributes = vec![Attribute::new("Col", AttributeKind::Color, Domain::Corner, 3, rows)];
    mesh.materials.iter_mut().for_each(|material| material.textures.clear());
    let keys = |rig: &Rig| -> Vec<bool> {
        let bytes = gltf::to_bytes(rig, &Default::default()).unwrap().0;
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let back =
            gltf::parse_alone(&bytes, Path::new("a.glb")).unwrap().rig(&SampleOptions::default()).unwrap();
        assert_eq!(back.rig.mesh.attributes[0].value_count(), 2);
        let has =
            |mesh: usize, key: &str| !json["meshes"][mesh]["primitives"][0]["attributes"][key].is_null();
        vec![has(0, "TEXCOORD_0"), has(0, "COLOR_0"), has(1, "TEXCOORD_0"), has(1, "COLOR_0")]
    };
    assert_eq!(keys(&rig), [true, true, false, false]);
    rig.mesh.materials[1].textures.push(Texture::new(TextureSlot::BaseColor, 0));
    assert_eq!(keys(&rig), [true, true, true, false], "a texture needs something to lie on");
}

/// Blender makes all that is topmost a hundred times as large in a file of centimetres, other programs do not.
#[test]
fn scales_of_nodes_are_those_of_the_source_in_files_of_metres() {
    let mut rig = everything();
    let of = |scale: f64, at: [f64; 3]| {
        NodeMotion::Still(DAffine3::from_scale_rotation_translation(
            DVec3::splat(scale),
            DQuat::IDENTITY,
            at.into(),
        ))
    };
    let written = |rig: &Rig| {
        let how = gltf::WriteOptions { metres_per_unit: Some(0.01), ..Default::default() };
        let bytes = gltf::to_bytes(rig, &how).unwrap().0;
        gltf::parse_alone(&bytes, Path::new("a.glb")).unwrap().rig(&SampleOptions::default()).unwrap().rig
    };
    let scales = |rig: &Rig| -> Vec<f64> {
        let scale = |node: &Node| node.motion.at(0).matrix3.determinant().cbrt();
        let number = |name: &str| rig.nodes.iter().find(|node| node.name == name).map_or(0.0, scale);
        ["twice", "on it", "view", "held"].map(|name| (number(name) * 1000.0).round() / 1000.0).into()
    };
    let camera = rig.nodes[2].kind.clone();
    for topmost in [100.0, 1.0] {
        rig.nodes = vec![
            node("twice", Parent::Scene, NodeKind::Empty, of(2.0 * topmost, [300.0, 0.0, 0.0])),
            node("on it", Parent::Node(0), NodeKind::Empty, of(0.5, [0.0, 100.0 / topmost, 0.0])),
            node("view", Parent::Scene, camera.clone(), of(topmost, [0.0, 50.0, 0.0])),
            node("held", Parent::Bone(3), NodeKind::Empty, of(topmost, [10.0, 20.0, 0.0])),
        ];
        let back = written(&rig);
        assert_eq!(scales(&back), [2.0, 0.5, 1.0, 1.0], "{topmost}");
        let places = |rig: &Rig, metres: f64| -> Vec<DVec3> {
            let worlds = nodes::worlds(&rig.nodes, 0, rig.frame_transforms(0));
            let mut placed: Vec<_> = rig.nodes.iter().map(|node| &node.name).zip(worlds).collect();
            placed.sort_by_key(|(name, _)| *name);
            placed.iter().map(|(_, world)| world.translation * metres).collect()
        };
        for (found, meant) in places(&back, 1.0).iter().zip(places(&rig, 0.01)) {
            assert!(found.abs_diff_eq(meant, 1e-6), "{topmost}: {found} {meant}");
        }
    }
}
