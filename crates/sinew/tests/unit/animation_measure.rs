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
    assert!((m.error.mean - 100.0 * 0.5 / 6.0 / 2.0_f64.sqrt()).abs() < 1e-9);
    assert_eq!(m.error.p99, m.error.max, "one of six is more than one in a hundred");
}

#[test]
fn percentiles_leave_out_one_in_a_hundred() {
    let base: Vec<Vec3> = (0..400).map(|i| Vec3::new((i % 20) as f32, (i / 20) as f32, 0.0)).collect();
    let p = animation(&[base.clone(), base.clone()]);
    // Two frames of 400: eight may be above.
    for (far, within) in [(8, 0.1), (9, 3.0)] {
        let mut off = base.clone();
        off.iter_mut().for_each(|p| p.z = 0.1);
        off[..far].iter_mut().for_each(|p| p.z = 3.0);
        let m = compare(&p, &animation(&[base.clone(), off]), p.rest_bounds()).error;
        let distance = m.p99 / 100.0 * p.rest_bounds().diagonal();
        assert!((distance / within - 1.0).abs() < 0.005, "{far}: {distance}");
    }
}

#[test]
fn nothing_moves_and_nothing_differs() {
    let p = animation(&[vec![Vec3::ZERO, Vec3::X, Vec3::Y]]);
    assert_eq!(compare(&p, &p, p.rest_bounds()).error, ErrorMeasure::default());
}
