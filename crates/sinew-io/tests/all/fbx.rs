//! FBX files: what is written comes back, and what is broken is told.

use std::path::Path;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec2, Vec3};
use sinew::animation::Clip;
use sinew::geometry::{Bounds, CornerLayer, Image, Material, Mesh, Part, Texture, TextureSlot};
use sinew::rig::{Bone, Corrections, Player, Rig, SkinWeights};
use sinew_io::formats::fbx::{self, WriteOptions};
use sinew_io::scene::{SampleOptions, SampledRig};

/// Two boxes of quads, three flexible bones, two shapes, two materials, two clips of unlike rates.
fn flexible() -> Rig {
    let mut mesh = Mesh { vertex_count: 16, face_starts: vec![0], ..Mesh::default() };
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    for side in sides {
        mesh.push_face(&side);
    }
    for side in sides {
        mesh.push_face(&side.map(|v| v + 8));
    }
    mesh.push_face(&[8, 9, 11]);
    mesh.parts = vec![
        Part { name: "left box".into(), faces: 0..6, vertices: 0..8 },
        Part { name: "Kiste rechts ä".into(), faces: 6..13, vertices: 8..16 },
    ];
    let corners = mesh.corners.len();
    let uv = |i: usize| Vec2::new(i as f32 / 64.0, (i * 7 % 51) as f32 / 50.0);
    mesh.uvs =
        Some(CornerLayer { values: (0..corners).map(uv).collect(), indices: (0..corners as u32).collect() });
    mesh.materials = vec![
        Material {
            name: "skin".into(),
            base_color: [0.8, 0.5, 0.25, 1.0],
            roughness: 0.3,
            metallic: 0.75,
            textures: vec![Texture::new(TextureSlot::BaseColor, 0)],
            ..Material::default()
        },
        Material {
            name: "glass".into(),
            base_color: [0.1, 0.9, 0.3, 0.5],
            emissive: [0.0, 0.25, 0.5],
            alpha_mode: "BLEND".into(),
            ..Material::default()
        },
    ];
    let bytes = b"\x89PNG\r\n\x1a\nnot much of one".to_vec();
    mesh.images = vec![Image { name: "picture".into(), mime_type: "image/png".into(), bytes }];
    mesh.face_materials = (0..13).map(|f| u32::from(f % 3 == 1)).collect();
    let rest: Vec<Vec3> = (0..16_usize)
        .map(|v| Vec3::new((v & 1) as f32, (v >> 1 & 1) as f32, (v >> 2 & 1) as f32))
        .enumerate()
        .map(|(v, p)| p + 2.5 * (v / 8) as f32 * Vec3::X)
        .collect();
    let frames = 12;
    let transforms = (0..frames).flat_map(|f| (0..3).map(move |b| moved(f as f64, b as f64))).collect();
    let coefficients =
        (0..frames).flat_map(|f| [0.4 * (0.7 * f as f32).sin() - 0.2, 0.1 * f as f32]).collect();
    let bone = |b: usize| Bone {
        name: ["hip", "neck", "tail"][b].into(),
        center: DVec3::new(b as f64, 0.5, 0.25),
        rigid: false,
        axes: None,
    };
    Rig {
        mesh,
        rest,
        weights: SkinWeights {
            per_vertex: 2,
            bones: (0..16).flat_map(|v| [v % 3, (v + 1) % 3]).collect(),
            weights: [0.75, 0.25].repeat(16),
        },
        bones: (0..3).map(bone).collect(),
        transforms,
        skeleton: None,
        corrections: Some(Corrections {
            rank: 2,
            basis: (0..32).map(|i| 0.1 * Vec3::new((i % 3) as f32, (i % 5) as f32 - 2.0, 0.5)).collect(),
            normals: (0..32).map(|i| 0.05 * Vec3::new((i % 4) as f32, 0.1, (i % 7) as f32 - 3.0)).collect(),
            coefficients,
            names: Vec::new(),
        }),
        fps: 24.0,
        clips: vec![
            Clip { name: "walk".into(), frames: 0..7, fps: 24.0 },
            Clip { name: "run".into(), frames: 7..12, fps: 12.5 },
        ],
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// A turn, a stretch along slanting axes and a shift.
fn moved(f: f64, b: f64) -> DAffine3 {
    let turn = DQuat::from_rotation_z(0.5 * f + b) * DQuat::from_rotation_x(0.3 * f * b);
    let axes = DMat3::from_quat(DQuat::from_rotation_y(0.4 + 0.1 * f));
    let sigma = DVec3::new(1.2 + 0.1 * f.sin(), 1.0, 0.8 - 0.05 * b);
    let stretch = axes * DMat3::from_diagonal(sigma) * axes.transpose();
    DAffine3 { matrix3: DMat3::from_quat(turn) * stretch, translation: DVec3::new(0.1 * f, 0.2 * b, -0.3) }
}

fn bytes(rig: &Rig) -> Vec<u8> {
    let options = WriteOptions { name: "figure".into(), keep_normals: true, ..WriteOptions::default() };
    fbx::to_bytes(rig, &options).unwrap().0
}

fn read(bytes: &[u8], clips: &[&str]) -> SampledRig {
    let options =
        SampleOptions { clips: clips.iter().map(|c| c.to_string()).collect(), ..Default::default() };
    fbx::parse_alone(bytes, Path::new("a.fbx")).unwrap().rig(&options).unwrap()
}

/// Largest distance between two rigs' poses, as a fraction of the size.
fn off(a: &Rig, b: &Rig) -> f64 {
    assert_eq!((a.frame_count(), a.rest.len()), (b.frame_count(), b.rest.len()));
    let size = Bounds::of(&a.rest).diagonal();
    let (mut p, mut q) = (vec![Vec3::ZERO; a.rest.len()], vec![Vec3::ZERO; a.rest.len()]);
    let (mut worst, frames) = (0.0_f64, a.frame_count());
    let (a, b) = (Player::new(a), Player::new(b));
    for frame in 0..frames {
        a.pose_into(frame, &mut p);
        b.pose_into(frame, &mut q);
        worst = p.iter().zip(&q).map(|(p, q)| f64::from(p.distance(*q))).fold(worst, f64::max);
    }
    worst / size
}

#[test]
fn a_flexible_rig_comes_back() {
    let mut rig = flexible();
    let SampledRig { rig: mut back, warnings, .. } = read(&bytes(&rig), &["all"]);
    assert_eq!(warnings, Vec::<sinew_io::Warning>::new());
    let worst = off(&rig, &back);
    assert!(worst < 1e-6, "{worst}");
    assert_eq!(back.clips, rig.clips);
    let names = |rig: &Rig| rig.bones.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&back), names(&rig));
    assert_eq!(back.weights, rig.weights);
    assert_eq!(back.skeleton, None);
    // Normals are checked below: here the file has those of the rest pose, and the rig has none.
    assert!(back.mesh.normals.take().is_some());
    assert_eq!(back.mesh, rig.mesh);
    let (there, here) = (back.corrections.take().unwrap(), rig.corrections.take().unwrap());
    assert_eq!((there.rank, there.normals.len()), (2, here.normals.len()));
    assert!(back.rest.iter().zip(&rig.rest).all(|(a, b)| a.distance(*b) < 1e-6));
}

#[test]
fn one_clip_can_be_asked_for() {
    let rig = flexible();
    let run = read(&bytes(&rig), &["run"]);
    assert_eq!((run.clip.as_deref(), run.rig.frame_count(), run.rig.fps), (Some("run"), 5, 12.5));
    let walk = read(&bytes(&rig), &[]);
    assert_eq!((walk.clip.as_deref(), walk.rig.frame_count(), walk.rig.fps), (Some("walk"), 7, 24.0));
    let file = fbx::parse_alone(&bytes(&rig), Path::new("a.fbx")).unwrap();
    let wrong = SampleOptions { clips: vec!["hop".into()], ..Default::default() };
    let sentence = file.rig(&wrong).unwrap_err().to_string();
    assert_eq!(sentence, "a.fbx: there is no clip \"hop\"; the clips are walk, run");
}

#[test]
fn a_skeleton_comes_back() {
    let mut rig = crate::common::rig(30, crate::common::lively);
    rig.fps = 29.0;
    let back = read(&bytes(&rig), &[]).rig;
    assert_eq!((&back.skeleton, back.fps), (&rig.skeleton, 29.0));
    assert!(back.bones.iter().zip(&rig.bones).all(|(a, b)| a.name == b.name && a.rigid));
    assert!(back.bones.iter().zip(&rig.bones).all(|(a, b)| a.center.distance(b.center) < 1e-6));
    let worst = off(&rig, &back);
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn a_bone_that_moves_nothing_is_kept() {
    let mut rig = flexible();
    rig.weights.bones.iter_mut().for_each(|b| *b = (*b).min(1));
    let back = read(&bytes(&rig), &["all"]).rig;
    assert_eq!(back.bones.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["hip", "neck", "tail"]);
    assert!(off(&rig, &back) < 1e-6);
}

#[test]
fn normals_come_back_with_their_sharing() {
    let mut rig = flexible();
    rig.mesh.normals = Some(sinew::geometry::corner_normals(&rig.mesh, &rig.rest));
    let back = read(&bytes(&rig), &[]).rig;
    let (a, b) = (back.mesh.normals.unwrap(), rig.mesh.normals.unwrap());
    for corner in 0..rig.mesh.corners.len() {
        let (a, b) = (a.values[a.indices[corner] as usize], b.values[b.indices[corner] as usize]);
        assert!(a.distance(b) < 1e-6, "{a} {b}");
    }
    assert_eq!(a.indices, b.indices);
}

/// What ufbx itself shows, in the same frames.
#[test]
fn ufbx_shows_the_same() {
    let rig = flexible();
    let scene = ufbx::load_memory(&bytes(&rig), Default::default()).unwrap();
    let player = Player::new(&rig);
    let mut pose = vec![Vec3::ZERO; rig.rest.len()];
    for (number, clip) in rig.clips.iter().enumerate() {
        let stack = &scene.anim_stacks[number];
        assert_eq!(stack.element.name.as_ref(), clip.name);
        for frame in clip.frames.clone() {
            let time = (frame - clip.frames.start) as f64 / clip.fps;
            let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
            let shown = ufbx::evaluate_scene(&scene, &stack.anim, time, options).unwrap();
            player.pose_into(frame, &mut pose);
            for (part, wanted) in rig.mesh.parts.iter().zip(shown.meshes.as_ref()) {
                let found = wanted.skinned_position.values.iter();
                for (p, q) in pose[part.vertices.clone()].iter().zip(found) {
                    assert!(
                        p.as_dvec3().distance(DVec3::new(q.x, q.y, q.z)) < 1e-5,
                        "frame {frame}: {p} {q}"
                    );
                }
            }
        }
    }
}

/// World transforms of all joints in a frame, in the order of the clusters, as programs have them that build a
/// skeleton from the bind pose: a joint without a curve of its place stays where it was bound.
fn built_from_bind_pose(scene: &ufbx::Scene, frame: f64) -> Vec<DAffine3> {
    let affine = |m: &ufbx::Matrix| {
        let column = |x, y, z| DVec3::new(x, y, z);
        DAffine3::from_cols(
            column(m.m00, m.m10, m.m20),
            column(m.m01, m.m11, m.m21),
            column(m.m02, m.m12, m.m22),
            column(m.m03, m.m13, m.m23),
        )
    };
    let stack = &scene.anim_stacks[0];
    let clusters: Vec<_> = scene.skin_clusters.as_ref().iter().collect();
    let joint = |c: usize| clusters[c].bone_node.as_ref().unwrap();
    let above = |c: usize| {
        let parent = joint(c).parent.as_ref().map(|p| p.element.typed_id);
        (0..clusters.len()).find(|&p| Some(joint(p).element.typed_id) == parent)
    };
    let mut worlds: Vec<DAffine3> = Vec::new();
    for c in 0..clusters.len() {
        let local = ufbx::evaluate_transform(&stack.anim, joint(c), frame);
        let mut local = affine(&ufbx::transform_to_matrix(&local));
        let bind = affine(&clusters[c].bind_to_world);
        if ufbx::find_anim_prop(&stack.layers[0], &joint(c).element, "Lcl Translation").is_none() {
            let bound = above(c).map_or(DAffine3::IDENTITY, |p| affine(&clusters[p].bind_to_world));
            local.translation = (bound.inverse() * bind).translation;
        }
        worlds.push(
            above(c).map_or(DAffine3::IDENTITY, |p| worlds[p] * affine(&clusters[p].bind_to_world))
                * local
                * bind.inverse(),
        );
    }
    worlds
}

/// Which joints begin where their parents end, whose length is how far their children are on average: Blender takes
/// these for connected, and leaves them there.
fn connected(scene: &ufbx::Scene) -> Vec<bool> {
    let clusters: Vec<_> = scene.skin_clusters.as_ref().iter().collect();
    let joint = |c: usize| clusters[c].bone_node.as_ref().unwrap().as_ref();
    let head = |c: usize| {
        let m = &clusters[c].bind_to_world;
        (DVec3::new(m.m03, m.m13, m.m23), DVec3::new(m.m01, m.m11, m.m21))
    };
    let begins = |c: usize| {
        let above = |p: &usize| {
            joint(c)
                .parent
                .as_ref()
                .is_some_and(|parent| parent.element.typed_id == joint(*p).element.typed_id)
        };
        let Some(parent) = (0..clusters.len()).find(above) else { return false };
        let children: Vec<f64> = (0..clusters.len())
            .filter(|&o| {
                joint(o).parent.as_ref().map(|p| p.element.typed_id) == Some(joint(parent).element.typed_id)
            })
            .map(|o| head(o).0.distance(head(parent).0))
            .collect();
        let length = children.iter().sum::<f64>() / children.len() as f64;
        (head(parent).0 + length * head(parent).1).distance(head(c).0) < 1e-4
    };
    (0..clusters.len()).map(begins).collect()
}

/// A joint that slides on the one above it, which begins where that one ends.
#[test]
fn joints_that_leave_their_places_are_not_connected() {
    let mut rig = crate::common::rig(8, crate::common::lively);
    let joints = rig.bones.len();
    let skeleton = rig.skeleton.as_mut().unwrap();
    skeleton.slides_on = vec![None; joints];
    (skeleton.slides_on[2], skeleton.parents[2]) = (skeleton.parents[2], None);
    for (frame, transforms) in rig.transforms.chunks_exact_mut(joints).enumerate() {
        transforms[2].translation += DVec3::new(0.1 * frame as f64, 0.0, 0.05);
    }
    let scene = ufbx::load_memory(&bytes(&rig), Default::default()).unwrap();
    assert_eq!(connected(&scene), [false, false, false, false, true, true]);
    assert!(off(&rig, &read(&bytes(&rig), &["all"]).rig) < 1e-5);
}

/// Two bones without a skeleton hang on a joint that is made for them: the first right above it, and as far as the other.
#[test]
fn bones_right_above_the_joint_they_hang_on_are_not_connected() {
    let mut rig = crate::common::rig(8, crate::common::lively);
    rig.skeleton = None;
    let far = 2.0;
    rig.bones.iter_mut().enumerate().for_each(|(b, bone)| {
        bone.center = if b == 0 { DVec3::Y * far } else { DVec3::X * far };
    });
    let scene = ufbx::load_memory(&bytes(&rig), Default::default()).unwrap();
    let root = scene.nodes.as_ref().iter().find(|n| n.element.name.ends_with("_root")).unwrap();
    let place = |node: &ufbx::Node| {
        let at = node.local_transform.translation;
        DVec3::new(at.x, at.y, at.z)
    };
    let heads: Vec<DVec3> = root.children.as_ref().iter().map(|child| place(child)).collect();
    let length = heads.iter().map(|h| h.length()).sum::<f64>() / heads.len() as f64;
    for head in heads {
        assert!(head.distance(DVec3::Y * length) > 0.005, "{head} {length}");
    }
    assert!(off(&rig, &read(&bytes(&rig), &["all"]).rig) < 1e-5);
}

/// A joint may be held elsewhere than it was bound, in the same place in every frame.
#[test]
fn a_constant_place_that_is_not_the_bound_one_has_a_curve() {
    let mut rig = crate::common::rig(8, crate::common::lively);
    let plain = ufbx::load_memory(&bytes(&rig), Default::default()).unwrap();
    assert_eq!(connected(&plain), [false, false, true, false, true, true]);
    let joints = rig.bones.len();
    for frame in rig.transforms.chunks_exact_mut(joints) {
        // The third joint and nothing else hangs on the second.
        let aside = frame[1].transform_vector3(DVec3::new(0.01, 0.005, 0.0));
        frame[2].translation += aside;
    }
    let scene = ufbx::load_memory(&bytes(&rig), Default::default()).unwrap();
    assert_eq!(connected(&scene), [false, false, false, false, true, true]);
    for frame in 0..rig.frame_count() {
        let built = built_from_bind_pose(&scene, frame as f64 / rig.fps);
        for (joint, (found, wanted)) in built.iter().zip(rig.frame_transforms(frame)).enumerate() {
            let off = (0..4).map(|i| (found.to_cols_array_2d()[i], wanted.to_cols_array_2d()[i]));
            let off = off.map(|(a, b)| DVec3::from(a).distance(DVec3::from(b))).fold(0.0, f64::max);
            assert!(off < 1e-5, "joint {joint} in frame {frame}: {found:?} {wanted:?}");
        }
    }
    assert!(off(&rig, &read(&bytes(&rig), &[]).rig) < 1e-6);
}

#[test]
fn info_tells_what_is_there() {
    let options = WriteOptions { metres_per_unit: 0.01, ..WriteOptions::default() };
    let (bytes, warnings) = fbx::to_bytes(&flexible(), &options).unwrap();
    assert_eq!(warnings, Vec::<sinew_io::Warning>::new());
    let info = fbx::parse_alone(&bytes, Path::new("a.fbx")).unwrap().info();
    assert_eq!((info.version, info.text, info.joints, info.shapes, info.caches), (7500, false, 3, 4, 0));
    assert_eq!((info.vertices, info.faces, info.up_axis), (16, 13, "y"));
    assert_eq!(info.objects, ["left box", "Kiste rechts ä"]);
    assert_eq!((info.fps, info.metres_per_unit), (24.0, Some(0.01)));
    let clips: Vec<_> = info.clips.iter().map(|c| (c.name.as_str(), c.start, c.fps)).collect();
    assert_eq!(clips, [("walk", 0.0, 24.0), ("run", 0.0, 12.5)]);
    assert!((info.clips[1].end - 4.0 / 12.5).abs() < 1e-9);
    assert!(info.creator.starts_with("Sinew"));
}

/// Sets a whole number among the settings.
fn set(bytes: &mut [u8], name: &str, value: i32) {
    let mut wanted = vec![b'S'];
    wanted.extend_from_slice(&(name.len() as u32).to_le_bytes());
    wanted.extend_from_slice(name.as_bytes());
    wanted.extend_from_slice(b"S\x03\0\0\0intS\x07\0\0\0IntegerS\0\0\0\0I");
    let at = bytes.windows(wanted.len()).position(|w| w == wanted).unwrap() + wanted.len();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn z_up_is_turned_to_y_up() {
    let rig = flexible();
    let mut bytes = bytes(&rig);
    set(&mut bytes, "UpAxis", 2);
    set(&mut bytes, "FrontAxis", 1);
    set(&mut bytes, "FrontAxisSign", -1);
    assert_eq!(fbx::parse_alone(&bytes, Path::new("a.fbx")).unwrap().info().up_axis, "z");
    let back = read(&bytes, &["all"]).rig;
    assert!(back.rest.iter().zip(&rig.rest).all(|(a, b)| a.distance(Vec3::new(b.x, b.z, -b.y)) < 1e-6));
    let mut turned = rig.clone();
    let turn = DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y));
    turned.transforms.iter_mut().for_each(|t| *t = turn * *t * turn.inverse());
    turned.rest.iter_mut().for_each(|p| *p = Vec3::new(p.x, p.z, -p.y));
    let corrections = turned.corrections.as_mut().unwrap();
    corrections.basis.iter_mut().for_each(|p| *p = Vec3::new(p.x, p.z, -p.y));
    assert!(off(&turned, &back) < 1e-6);
}

#[test]
fn absurd_counts_are_told() {
    let whole = bytes(&flexible());
    let at = whole.windows(8).position(|w| w == b"Vertices").unwrap() + 8;
    assert_eq!(whole[at], b'd');
    for count in [0x7fff_ffff_u32, 0x1000_0000, 1_000_000] {
        let mut bytes = whole.clone();
        bytes[at + 1..at + 5].copy_from_slice(&count.to_le_bytes());
        let error = fbx::parse_alone(&bytes, Path::new("a.fbx")).unwrap_err();
        assert!(error.to_string().starts_with("a.fbx: "), "{error}");
    }
}

#[test]
fn what_is_no_fbx_file_is_told() {
    for bytes in [&b""[..], b"v 0 0 0\nv 1 0 0\nf 1 2 1\n", b"glTF\x02\0\0\0", &[0; 300]] {
        let error = fbx::parse_alone(bytes, Path::new("a.fbx")).and_then(|f| f.rig(&Default::default()));
        assert!(error.unwrap_err().to_string().starts_with("a.fbx: "));
    }
    let missing = fbx::open(Path::new("there/is/none.fbx")).unwrap_err().to_string();
    assert_eq!(missing, "there/is/none.fbx: there is no such file or folder");
}

#[test]
fn rigs_that_cannot_be_written_are_refused() {
    let mut rig = flexible();
    rig.weights.weights[0] = -0.5;
    let sentence = fbx::to_bytes(&rig, &WriteOptions::default()).unwrap_err().to_string();
    assert!(sentence.contains("negative weights"), "{sentence}");
    let options = WriteOptions { metres_per_unit: 0.0, ..WriteOptions::default() };
    assert!(fbx::to_bytes(&flexible(), &options).is_err());
}

/// A triangle that follows a point cache, as text, on a node that is moved and scaled.
const CACHED: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "TimeMode", "enum", "", "",11
	}
}
Objects:  {
	Geometry: 1, "Geometry::three", "Mesh" {
		Vertices: *9 {
			a: 0,0,0,1,0,0,0,1,0
		}
		PolygonVertexIndex: *3 {
			a: 0,1,-3
		}
	}
	Model: 2, "Model::three", "Mesh" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",10,0,0
			P: "Lcl Scaling", "Lcl Scaling", "", "A",2,2,2
		}
	}
	Deformer: 3, "Deformer::cache", "VertexCacheDeformer" {
		Version: 100
		Properties70:  {
			P: "ChannelName", "KString", "", "", "three"
		}
	}
	Cache: 4, "Cache::three", "" {
		Version: 100
		Properties70:  {
			P: "CacheFileName", "KString", "", "", "FOLDER\three.pc2"
			P: "CacheAbsoluteFileName", "KString", "", "", "D:\elsewhere\three.pc2"
			P: "CacheFileType", "enum", "", "",1
		}
	}
}
Connections:  {
	C: "OO",2,0
	C: "OO",1,2
	C: "OO",3,1
	C: "OO",4,3
}
"#;

/// Three frames in which the triangle is where it is, at 1 and at 2 along z.
fn cache() -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend_from_slice(bytemuck::bytes_of(&[1_i32, 3]));
    bytes.extend_from_slice(bytemuck::bytes_of(&[0_f32, 1.0]));
    bytes.extend_from_slice(bytemuck::bytes_of(&3_i32));
    for z in 0..3 {
        let z = z as f32;
        bytes.extend_from_slice(bytemuck::bytes_of(&[0.0, 0.0, z, 1.0, 0.0, z, 0.0, 1.0, z]));
    }
    bytes
}

#[test]
fn point_caches_are_found_and_played() {
    for (named, stored) in [("caches", "caches"), ("gone", "."), ("gone", "a_fpc"), ("..\\..\\tmp", ".")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.fbx");
        std::fs::write(&path, CACHED.replace("FOLDER", named)).unwrap();
        std::fs::create_dir_all(folder.path().join(stored)).unwrap();
        std::fs::write(folder.path().join(stored).join("three.pc2"), cache()).unwrap();
        let file = fbx::open(&path).unwrap();
        assert_eq!(file.info().caches, 1);
        let refused = file.rig(&Default::default()).unwrap_err().to_string();
        assert!(refused.contains("point cache"), "{refused}");
        let animation = file.animation(&Default::default()).unwrap();
        assert_eq!(animation.warnings, Vec::<sinew_io::Warning>::new());
        assert_eq!((animation.frame_count(), animation.fps(), animation.is_cached()), (3, 24.0, true));
        let mut pose = [Vec3::ZERO; 3];
        for frame in 0..3 {
            animation.pose_into(frame, &mut pose).unwrap();
            let z = 2.0 * frame as f32;
            assert_eq!(pose, [[10.0, 0.0, z], [12.0, 0.0, z], [10.0, 2.0, z]].map(Vec3::from_array));
        }
    }
}

#[test]
fn a_missing_or_broken_cache_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fbx");
    std::fs::write(&path, CACHED).unwrap();
    let told = |cache: Option<&[u8]>| {
        if let Some(bytes) = cache {
            std::fs::write(folder.path().join("three.pc2"), bytes).unwrap();
        }
        let animation = fbx::open(&path).unwrap().animation(&Default::default()).unwrap();
        let mut pose = [Vec3::ZERO; 3];
        (0..animation.frame_count()).try_for_each(|f| animation.pose_into(f, &mut pose)).err();
        crate::common::sentences(&animation.warnings)
    };
    let missing = told(None);
    assert!(missing.len() == 1 && missing[0].contains("no file FOLDER\\three.pc2 beside it"), "{missing:?}");
    let whole = cache();
    let mut other = whole.clone();
    other[16] = 2;
    let wrong = told(Some(&other));
    assert!(wrong.len() == 1 && wrong[0].contains("2 points for 3 vertices"), "{wrong:?}");
    for length in 0..whole.len() {
        told(Some(&whole[..length]));
    }
}

#[test]
fn the_table_reads_and_writes_it() {
    use sinew_io::formats::{self, Content, FBX, Facts, Holds, RigOptions};
    use sinew_io::open::{self, OpenOptions};
    let folder = tempfile::tempdir().unwrap();
    let (path, cached) = (folder.path().join("a.fbx"), folder.path().join("b.fbx"));
    let rig = flexible();
    let facts = Facts { metres_per_unit: Some(0.01), ..Facts::default() };
    let options = RigOptions { facts, ..RigOptions::default() };
    formats::to_write(&path).unwrap().save(&path, Content::Rig(&rig, &options)).unwrap();
    assert_eq!(open::format(&path).unwrap(), &FBX);
    let facts = open::facts(&path).unwrap();
    assert_eq!((facts.metres_per_unit, facts.fps, facts.left_handed), (Some(0.01), Some(24.0), Some(false)));
    assert_eq!(open::document(&path).unwrap().holds().unwrap(), Holds::RIG);
    let all = OpenOptions { clips: vec!["all".into()], ..OpenOptions::default() };
    let opened =
        open::animation(std::slice::from_ref(&path), &all, &sinew::progress::Silent).unwrap().animation;
    assert_eq!((opened.frames.len(), &opened.clips), (12, &rig.clips));
    std::fs::write(&cached, CACHED.replace("FOLDER", ".")).unwrap();
    std::fs::write(folder.path().join("three.pc2"), cache()).unwrap();
    assert_eq!(open::document(&cached).unwrap().holds().unwrap(), Holds::ANIMATION);
    let opened =
        open::animation(&[cached], &OpenOptions::default(), &sinew::progress::Silent).unwrap().animation;
    assert_eq!(opened.frames.frame(2)[0], Vec3::new(10.0, 0.0, 4.0));
}

/// glTF multiplies colour and texture, FBX puts the one in place of the other.
#[test]
fn a_texture_stands_in_place_of_the_colour_it_drives() {
    let mut rig = flexible();
    rig.mesh.materials[1].emissive = [3.0, 1.5, 0.0];
    let (mut bytes, _) = fbx::to_bytes(&rig, &WriteOptions::default()).unwrap();
    let materials = |bytes: &[u8]| {
        let file = fbx::parse_alone(bytes, Path::new("a.fbx")).unwrap();
        file.rig(&SampleOptions::default()).unwrap().rig.mesh.materials
    };
    let [skin, glass] = &materials(&bytes)[..] else { panic!("two") };
    assert_eq!(skin.base_color, [0.8, 0.5, 0.25, 1.0], "files of our own know their tints");
    assert_eq!(glass.emissive, [3.0, 1.5, 0.0]);
    // The same file of another program.
    let at: Vec<usize> = (0..bytes.len() - 5).filter(|at| &bytes[*at..*at + 5] == b"Sinew").collect();
    at.iter().for_each(|at| bytes[*at..*at + 5].copy_from_slice(b"Other"));
    let [skin, glass] = &materials(&bytes)[..] else { panic!("two") };
    assert_eq!(skin.base_color, [1.0; 4]);
    assert_eq!(glass.base_color, [0.1, 0.9, 0.3, 0.5]);
}
