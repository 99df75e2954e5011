//! A rig with a skeleton for several tests.

pub mod fbx;
pub mod gltf;

use glam::{DQuat, DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights};

/// Parents of the joints of [`rig`].
pub const PARENTS: [Option<usize>; 6] = [None, Some(0), Some(1), Some(0), Some(3), Some(4)];

/// A body with two limbs. Joint `j` of frame `f` turns by the angles `turn(j, f)`, z before x before y.
pub fn rig(frames: usize, turn: impl Fn(usize, usize) -> [f64; 3]) -> Rig {
    let places = [
        [0.1, 1.0, 0.0],
        [0.4, 1.1, 0.1],
        [0.9, 1.3, 0.0],
        [-0.3, 0.9, 0.2],
        [-0.9, 0.7, 0.1],
        [-1.3, 0.2, 0.4],
    ]
    .map(DVec3::from_array);
    let bone = |j: usize| Bone { name: format!("joint {j}"), center: places[j], rigid: true, axes: None };
    let skeleton = Skeleton::new(PARENTS.into());
    let transforms = (0..frames).flat_map(|f| {
        let turns = (0..6).map(|j| {
            let [z, x, y] = turn(j, f);
            DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y)
        });
        let mut at = vec![DVec3::ZERO; 6];
        at[0] = places[0] + DVec3::new(0.1, 0.02, -0.05) * f as f64;
        skeleton.transforms(&places, &JointPose { turns: turns.collect(), places: at })
    });
    // Four vertices around each joint, shared with its parent.
    let rest: Vec<Vec3> = (0..24)
        .map(|v| {
            places[v / 4].as_vec3() + 0.1 * Vec3::new((v % 2) as f32, (v / 2 % 2) as f32, (v % 3) as f32)
        })
        .collect();
    let bones = (0..24).flat_map(|v| [v as u32 / 4, PARENTS[v / 4].unwrap_or(1) as u32]).collect();
    let triangles: Vec<[u32; 3]> = (0..22).map(|i| [i, i + 1, i + 2]).collect();
    Rig {
        mesh: Mesh::from_triangles(24, &triangles),
        rest,
        weights: SkinWeights { per_vertex: 2, bones, weights: [0.75, 0.25].repeat(24) },
        bones: (0..6).map(bone).collect(),
        transforms: transforms.collect(),
        skeleton: Some(skeleton),
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// Turns that go on and on, joint 1 through whole circles.
pub fn lively(j: usize, f: usize) -> [f64; 3] {
    let (j, f) = (j as f64, f as f64);
    [0.3 * f * f64::from(j == 1.0), 0.5 * (0.2 * f + j).sin(), 0.4 * (0.13 * f * j).cos()]
}

/// Warnings as people read them.
pub fn sentences(warnings: &[sinew_io::Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}
