//! Animations with a known answer.

pub mod bodies;
pub mod limbs;
pub mod rigs;
pub mod skeletons;

use glam::{Quat, Vec3};
use sinew::animation::{Frames, MeshAnimation, compare};
use sinew::geometry::Mesh;
use sinew::rig::{Player, Rig};

/// A row of unit boxes, eight vertices and twelve triangles each, that turn about axes of their own and
/// drift apart.
pub fn articulated_boxes(count: usize, frames: usize) -> MeshAnimation {
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut mesh = Mesh { vertex_count: 8 * count, ..Mesh::default() };
    for b in 0..count as u32 {
        for quad in quads {
            mesh.push_face(&quad.map(|v: u32| 8 * b + v));
        }
    }
    let corner =
        |v: usize| Vec3::new((v & 1) as f32, (v >> 1 & 1) as f32, (v >> 2 & 1) as f32) - Vec3::splat(0.5);
    let pose = |time: f32| -> Vec<Vec3> {
        (0..8 * count)
            .map(|i| {
                let b = (i / 8) as f32;
                let axis = Vec3::new((1.3 * b).cos(), (2.1 * b).sin(), 0.4 + 0.3 * b).normalize();
                let turn = Quat::from_axis_angle(axis, (0.8 + 0.35 * b) * time);
                turn * corner(i % 8) + Vec3::new(2.0 * b, (time + b).sin(), 0.3 * time * b)
            })
            .collect()
    };
    let poses: Vec<_> = (0..frames).map(|t| pose(t as f32 / frames as f32 * 2.0)).collect();
    MeshAnimation {
        mesh,
        rest: Some(pose(0.0)),
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

/// A tube of quads that bends to and fro and twists: what no small number of bones replays exactly.
pub fn bent_tube(frames: usize) -> MeshAnimation {
    const RINGS: usize = 30;
    const AROUND: usize = 10;
    let mut mesh = Mesh { vertex_count: RINGS * AROUND, ..Mesh::default() };
    for r in 0..RINGS - 1 {
        for a in 0..AROUND {
            let at = |r: usize, a: usize| (r * AROUND + a % AROUND) as u32;
            mesh.push_face(&[at(r, a), at(r, a + 1), at(r + 1, a + 1), at(r + 1, a)]);
        }
    }
    let pose = |bend: f32, twist: f32| -> Vec<Vec3> {
        (0..RINGS * AROUND)
            .map(|i| {
                let along = (i / AROUND) as f32 / (RINGS - 1) as f32;
                let around = (i % AROUND) as f32 / AROUND as f32 * std::f32::consts::TAU + twist * along;
                let angle = bend * along;
                // A circular arc of length one; nearly straight arcs would divide by zero.
                let radius = 1.0 / bend.abs().max(1e-3).copysign(bend);
                let center = Vec3::new(radius * (1.0 - angle.cos()), radius * angle.sin(), 0.0);
                let across = Vec3::new(angle.cos(), -angle.sin(), 0.0);
                center + 0.08 * (across * around.cos() + Vec3::Z * around.sin())
            })
            .collect()
    };
    let poses: Vec<_> = (0..frames)
        .map(|t| {
            let phase = t as f32 / frames as f32 * std::f32::consts::TAU;
            pose(0.2 + 1.6 * phase.sin(), 0.8 * (2.0 * phase).sin())
        })
        .collect();
    MeshAnimation {
        mesh,
        rest: Some(pose(0.01, 0.0)),
        frames: Frames::from_poses(&poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

/// Distance of a rig from its animation.
pub fn error_percent(animation: &MeshAnimation, rig: &Rig) -> f64 {
    compare(animation, &Player::new(rig), animation.rest_bounds()).error.percent
}

/// Runs with a number of threads.
pub fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool").install(work)
}
