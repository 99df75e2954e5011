use glam::Quat;

use super::*;

fn points() -> Vec<Vec3> {
    (0..40).map(|i| Vec3::new(i as f32 * 0.1, (i as f32).sin(), (i as f32 * 0.7).cos())).collect()
}

#[test]
fn what_moves_rigidly_needs_no_shapes() {
    let rest = points();
    let turn = |f: usize| Quat::from_rotation_y(f as f32 * 0.3) * Quat::from_rotation_x(0.2);
    let poses: Vec<Vec<Vec3>> =
        (0..9).map(|f| rest.iter().map(|p| turn(f) * *p + Vec3::X * f as f32).collect()).collect();
    let model = Model::new(&rest, &poses, 1e-4);
    assert_eq!(model.rank, 0);
    assert!(model.frames.iter().all(|f| f.missed < 1e-5));
}

#[test]
fn one_way_to_bend_is_one_shape() {
    let rest = points();
    let bend = |f: usize| (f as f32 * 0.9).sin() * 0.1;
    let pose = |f: usize| rest.iter().map(|p| *p + Vec3::Y * bend(f) * p.x * p.x).collect();
    let poses: Vec<Vec<Vec3>> = (0..9).map(pose).collect();
    let model = Model::new(&rest, &poses, 1e-3);
    assert!(model.rank >= 1 && model.rank <= 3, "{}", model.rank);
    assert!(model.missed.iter().all(|m| *m < 0.01));
}
