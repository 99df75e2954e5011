//! Writes the seeds of the `glb`, `fbx`, `usd`, `sinew_file` and `deform_file` targets:
//! `cargo run --example glb_seeds` in this folder.
//!
//! Five rigs of two quads go through Sinew's own writer. Seeds kept by hand hold what that writer never uses:
//! `foreign.gltf` strips, sparse accessors, splines and several instances of a mesh, `text.fbx` a file of text
//! with z up, an in-between shape and a point cache.

use std::path::Path;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec2, Vec3};
use sinew::animation::Clip;
use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformOptions, Example, Handles, Pose};
use sinew::geometry::{Attribute, AttributeKind, CornerLayer, Domain, Material, Mesh, Part};
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};
use sinew::rig::{Bone, Corrections, JointPose, PoseChain, Rig, Skeleton, SkinWeights};
use sinew_io::deform_file::{self, Examples, Setup};
use sinew_io::formats::gltf::{WriteOptions, write};
use sinew_io::formats::sinew_file::{write_chain, write_rig};
use sinew_io::formats::{fbx, usd};
use sinew_io::scene::DEFAULT_COMPACT_ERROR;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/glb");
    std::fs::create_dir_all(&folder)?;
    write(&folder.join("flexible.glb"), &rig(3, 1, false), &WriteOptions::default())?;
    write(&folder.join("rigid.glb"), &rig(3, 0, true), &WriteOptions::default())?;
    let compact = WriteOptions { compact: Some(DEFAULT_COMPACT_ERROR), ..WriteOptions::default() };
    write(&folder.join("compact.glb"), &rig(5, 1, true), &compact)?;
    write(&folder.join("tree.glb"), &tree(), &WriteOptions::default())?;
    write(&folder.join("cargo.glb"), &laden(), &WriteOptions::default())?;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/usd");
    usd::write_rig(&folder.join("cargo.usda"), &laden(), &usd::WriteOptions::default())?;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/fbx");
    std::fs::create_dir_all(&folder)?;
    fbx::write(&folder.join("flexible.fbx"), &rig(3, 1, false), &fbx::WriteOptions::default())?;
    fbx::write(&folder.join("tree.fbx"), &tree(), &fbx::WriteOptions::default())?;
    fbx::write(&folder.join("cargo.fbx"), &laden(), &fbx::WriteOptions::default())?;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/sinew_file");
    std::fs::create_dir_all(&folder)?;
    let rig = rig(2, 1, false);
    write_rig(&folder.join("rig.sinew"), &rig, "walk")?;
    write_rig(&folder.join("tree.sinew"), &tree(), "walk")?;
    write_rig(&folder.join("cargo.sinew"), &laden(), "walk")?;
    let clip = |name: &str, frames, fps| Clip { name: name.into(), frames, fps };
    let clips = vec![clip("walk", 0..1, 24.0), clip("run", 1..rig.frame_count(), 30.0)];
    write_rig(&folder.join("clips.sinew"), &Rig { clips, ..rig.clone() }, "")?;
    let Rig { mesh, rest, weights, bones, transforms: steps, fps, .. } = rig;
    let later_weights = vec![(1, weights.clone())];
    let moves = vec![(1, vec![(0, DVec3::X)])];
    let chain = PoseChain {
        mesh,
        rest,
        weights,
        later_weights,
        bones,
        steps,
        keys: vec![1],
        moves,
        fps,
        nodes: Vec::new(),
    };
    write_chain(&folder.join("chain.sinew"), &chain, "")?;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/deform_file");
    std::fs::create_dir_all(&folder)?;
    let shapes = character()?;
    deform_file::write(&folder.join("shapes.deform"), &shapes)?;
    let deformer = shapes.deformer(&sinew::progress::Silent)?;
    deform_file::write(&folder.join("kept.deform"), &shapes.kept_by(&deformer))?;
    Ok(())
}

/// A character of three joints with two examples, to be kept at two anchors.
fn character() -> Result<Setup, Box<dyn std::error::Error>> {
    let mut rig = tree();
    rig.transforms.truncate(rig.bones.len());
    let example = |number: f32| {
        let positions = rig.rest.iter().map(|p| *p + Vec3::new(0.0, 0.1 * p.x, number * p.y)).collect();
        let turns = vec![DVec3::ZERO, DVec3::X * f64::from(number), DVec3::Z];
        (format!("{number}"), Example { positions, pose: Pose { turns, places: vec![DVec3::ONE; 3] } })
    };
    let examples = Examples::Shapes(vec![example(0.5), example(1.0)]);
    let handles = Handles::from_lists(rig.rest.len(), &[Some(vec![0]), Some(vec![2, 5]), None])?;
    let anchors = Some(AnchorOptions { count: AnchorCount::Number(2), per_triangle: 2 });
    let options = DeformOptions { anchors, ..DeformOptions::default() };
    Ok(Setup { rig, handles, examples, options, metres_per_unit: None })
}

/// A rig of three joints.
fn tree() -> Rig {
    let rig = rig(3, 0, true);
    let skeleton = Skeleton::new(vec![None, Some(0), Some(0)]);
    let centers = rig.joint_places();
    let transforms = (0..rig.frame_count()).flat_map(|frame| {
        let turn = DQuat::from_rotation_z(0.2 * frame as f64);
        let pose = JointPose { turns: vec![turn; 3], places: vec![DVec3::X * frame as f64; 3] };
        skeleton.transforms(&centers, &pose)
    });
    Rig { transforms: transforms.collect(), skeleton: Some(skeleton), ..rig }
}

/// The same with all that moves no vertex, and what vertices have besides places.
fn laden() -> Rig {
    let mut rig = tree();
    use AttributeKind::{Color, Custom, Uv};
    let rows = |width: usize| (0..8 * width).map(|i| i as f32 / 32.0).collect::<Vec<f32>>();
    let layer = |name: &str, kind, domain, width: usize, count: usize| {
        Attribute::new(name, kind, domain, width, rows(width).chunks_exact(width).take(count))
    };
    rig.mesh.attributes = vec![
        layer("lightmap", Uv, Domain::Corner, 2, 8),
        layer("Col", Color, Domain::Vertex, 4, 6),
        layer("heat", Custom, Domain::Vertex, 1, 6),
        layer("flow", Custom, Domain::Corner, 3, 8),
    ];
    let lens = |lens| NodeKind::Camera(Camera { lens, aspect: Some(1.5), near: 0.1, far: Some(100.0) });
    let light =
        |shape| NodeKind::Light(Light { shape, color: [1.0, 0.5, 0.25], intensity: 9.0, range: Some(4.0) });
    let kinds = [
        NodeKind::Empty,
        lens(Lens::Perspective(0.8)),
        lens(Lens::Orthographic(3.0)),
        light(LightShape::Sun),
        light(LightShape::Spot { inner: 0.3, outer: 0.6 }),
        light(LightShape::Area { width: 2.0, height: 0.5 }),
    ];
    let node = |(number, kind): (usize, NodeKind)| {
        let place =
            DAffine3::from_rotation_translation(DQuat::from_rotation_x(0.3), DVec3::splat(number as f64));
        let frames = rig.frame_count();
        let motion =
            if number == 1 { NodeMotion::Moving(vec![place; frames]) } else { NodeMotion::Still(place) };
        let parent = [Parent::Scene, Parent::Bone(1), Parent::Node(0)][number.min(2)];
        Node { name: format!("n{number}"), parent, kind, motion }
    };
    rig.nodes = kinds.into_iter().enumerate().map(node).collect();
    rig.armature = "Hero".into();
    rig
}

/// Two quads in a row, a UV seam, two parts and two materials.
fn mesh() -> Mesh {
    let mut mesh = Mesh { vertex_count: 6, ..Mesh::default() };
    mesh.push_face(&[0, 1, 4, 3]);
    mesh.push_face(&[1, 2, 5, 4]);
    let corners = [[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.0, 1.0], [0.6, 0.0]];
    let values = corners.map(Vec2::from_array).to_vec();
    mesh.uvs = Some(CornerLayer { values, indices: vec![0, 1, 2, 3, 4, 0, 3, 2] });
    mesh.materials = ["skin", "nail"].map(|n| Material { name: n.into(), ..Material::default() }).into();
    mesh.face_materials = vec![0, 1];
    mesh.parts = vec![Part { name: "body".into(), faces: 0..2, vertices: 0..6 }];
    mesh
}

fn rig(influences: usize, rank: usize, rigid: bool) -> Rig {
    const FRAMES: usize = 3;
    let mesh = mesh();
    let n = mesh.vertex_count;
    let rest = (0..n).map(|v| Vec3::new((v % 3) as f32, (v / 3) as f32, 0.1 * v as f32)).collect();
    let row: Vec<f32> = (0..influences).rev().map(|k| (k + 1) as f32).collect();
    let sum: f32 = row.iter().sum();
    let weights = SkinWeights {
        per_vertex: influences,
        bones: (0..n * influences).map(|slot| ((slot / influences + slot) % influences) as u32).collect(),
        weights: row.iter().map(|w| w / sum).collect::<Vec<_>>().repeat(n),
    };
    let motion = |i: usize| {
        let (frame, bone) = ((i / influences) as f64, (i % influences) as f64);
        let mut matrix3 = DMat3::from_rotation_z(0.4 * frame * (1.0 + bone));
        if !rigid {
            matrix3.x_axis += DVec3::new(0.1, 0.2, -0.1) * frame;
        }
        DAffine3 { matrix3, translation: DVec3::new(frame, 0.2 * bone, 0.0) }
    };
    let corrections = (rank > 0).then(|| Corrections {
        rank,
        basis: (0..rank * n).map(|i| Vec3::Z * (0.1 * i as f32)).collect(),
        normals: vec![Vec3::X * 0.1; rank * n],
        coefficients: (0..rank * FRAMES).map(|i| i as f32 - 1.0).collect(),
        names: Vec::new(),
    });
    Rig {
        mesh,
        rest,
        weights,
        bones: (0..influences)
            .map(|b| Bone { name: format!("b{b}"), center: DVec3::splat(b as f64), rigid, axes: None })
            .collect(),
        transforms: (0..FRAMES * influences).map(motion).collect(),
        skeleton: None,
        corrections,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}
