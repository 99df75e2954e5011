use super::*;
use crate::animation::{Frames, MeshAnimation};
use crate::geometry::Mesh;

fn animation(poses: &[Vec<Vec3>]) -> MeshAnimation {
    let mesh = Mesh::from_triangles(poses[0].len(), &[[0, 1, 2]]);
    MeshAnimation {
        mesh,
        rest: None,
        frames: Frames::from_poses(poses),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

#[test]
fn measures_follow_their_definitions() {
    let base = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let moved: Vec<Vec3> = base.iter().map(|p| *p + Vec3::Z).collect();
    let p = animation(&[base.clone(), moved.clone()]);
    let mut off = moved.clone();
    off[2] += Vec3::X * 0.5;
    let q = animation(&[base, off]);
    let m = compare(&p, &q, p.rest_bounds());
    // Three vertices move ±0.5 about their mean in two frames: the motion is √(6·0.25).
    assert!((m.error.percent - 100.0 * 0.5 / 1.5_f64.sqrt()).abs() < 1e-9);
    assert!((m.error.max - 100.0 * 0.5 / 2.0_f64.sqrt()).abs() < 1e-9);
    assert_eq!((m.error.max_frame, m.error.max_vertex), (1, 2));
    assert!((m.error.accu - 100.0 * 0.5 / 6.0).abs() < 1e-9);
    assert!((m.error.rms - 1000.0 * 2.0 / 2.0_f64.sqrt() * 0.5 / 18.0_f64.sqrt()).abs() < 1e-9);
    assert_eq!(m.per_frame[0], 0.0);
}

#[test]
fn nothing_moves_and_nothing_differs() {
    let p = animation(&[vec![Vec3::ZERO, Vec3::X, Vec3::Y]]);
    assert_eq!(compare(&p, &p, p.rest_bounds()).error, ErrorMeasure::default());
}
