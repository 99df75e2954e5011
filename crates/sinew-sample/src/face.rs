//! A made-up head with shapes: a ball with a nose, and bumps that rise, sink and slide here and there on it.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::rig::{Bone, Corrections, Rig, ShapeName, SkinWeights};

/// Rows and columns of the head.
const ROWS: usize = 24;
const COLUMNS: usize = 32;

/// A shape: its name, the direction it is in from the middle of the head, how wide it is, and where it moves the surface.
type Bump = (&'static str, [f64; 3], f64, [f64; 3]);

const BUMPS: [Bump; 8] = [
    ("jaw_open", [0.0, -0.75, 0.65], 0.55, [0.0, -0.14, -0.02]),
    ("smile_left", [0.45, -0.35, 0.8], 0.3, [0.05, 0.05, -0.02]),
    ("smile_right", [-0.45, -0.35, 0.8], 0.3, [-0.05, 0.05, -0.02]),
    ("pucker", [0.0, -0.4, 0.9], 0.3, [0.0, 0.0, 0.08]),
    ("brow_left", [0.4, 0.5, 0.75], 0.28, [0.0, 0.05, 0.01]),
    ("brow_right", [-0.4, 0.5, 0.75], 0.28, [0.0, 0.05, 0.01]),
    ("puff_left", [0.75, -0.25, 0.6], 0.32, [0.06, 0.0, 0.02]),
    ("puff_right", [-0.75, -0.25, 0.6], 0.32, [-0.06, 0.0, 0.02]),
];

/// The head as files of faces hold it: one bone, one frame, and shapes of which none is shown. About 0.25 m high.
pub fn face() -> Rig {
    let (rest, faces) = head();
    let vertices = rest.len();
    let basis = BUMPS.iter().flat_map(|bump| rest.iter().map(|p| moved(p.as_dvec3(), bump))).collect();
    let name = |bump: &Bump| ShapeName { name: bump.0.into(), at_rest: 0.0 };
    Rig {
        mesh: Mesh::from_faces(vertices, &faces),
        weights: SkinWeights::single(vertices),
        bones: vec![Bone { name: "head".into(), center: DVec3::ZERO, rigid: true, axes: None }],
        transforms: vec![glam::DAffine3::IDENTITY],
        skeleton: None,
        corrections: Some(Corrections {
            rank: BUMPS.len(),
            basis,
            normals: Vec::new(),
            coefficients: vec![0.0; BUMPS.len()],
            names: BUMPS.iter().map(name).collect(),
        }),
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
        rest,
    }
}

/// Vertices and faces, poles included.
fn head() -> (Vec<Vec3>, Vec<Vec<u32>>) {
    let place = |row: usize, column: usize| {
        let (down, around) = (PI * row as f64 / ROWS as f64, TAU * column as f64 / COLUMNS as f64);
        let on_ball = DVec3::new(down.sin() * around.sin(), down.cos(), down.sin() * around.cos());
        let nose = 0.2 * (-(on_ball - DVec3::new(0.0, 0.05, 1.0)).length_squared() / 0.03).exp();
        (on_ball * DVec3::new(0.09, 0.125, 0.1) * (1.0 + nose)).as_vec3()
    };
    let mut rest = vec![place(0, 0)];
    rest.extend((1..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| place(row, column))));
    rest.push(place(ROWS, 0));
    let at = |row: usize, column: usize| match row {
        0 => 0,
        ROWS => (1 + (ROWS - 1) * COLUMNS) as u32,
        row => (1 + (row - 1) * COLUMNS + column % COLUMNS) as u32,
    };
    let face = |row: usize, column: usize| {
        let mut corners =
            vec![at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
        corners.dedup();
        if corners.first() == corners.last() {
            corners.pop();
        }
        corners
    };
    let faces = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| face(row, column))).collect();
    (rest, faces)
}

/// Where a bump moves a point of the surface: most in its middle, nothing beyond its edge.
fn moved(p: DVec3, &(_, towards, width, by): &Bump) -> Vec3 {
    let on_ball = (p / DVec3::new(0.09, 0.125, 0.1)).normalize_or_zero();
    let away = on_ball.distance(DVec3::from_array(towards).normalize()) / (2.0 * width);
    let share = (1.0 - away * away).max(0.0).powi(2);
    // A little of a twist, so that no single bone can do it.
    let twist = DVec3::new(on_ball.y, -on_ball.x, 0.0) * 0.1 * by.iter().sum::<f64>();
    ((DVec3::from_array(by) + twist) * share * 0.2).as_vec3()
}
