use super::*;

/// A box, without its first faces if asked.
fn cube(without: usize) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let places = (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32));
    let sides = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let cut = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    (sides.into_iter().skip(without).flat_map(cut).collect(), places.collect())
}

#[test]
fn volumes_are_those_of_boxes_open_or_not() {
    for open in 0..=2 {
        // Without one side, or without two that face each other: a box still.
        let (triangles, places) = cube(open);
        let moved: Vec<Vec3> = places.iter().map(|p| *p * Vec3::new(2.0, 1.0, 3.0) + 10.0).collect();
        assert!((signed_volume(&triangles, &moved) - 6.0).abs() < 1e-5, "{open} sides missing");
        let inside_out: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        assert!((signed_volume(&inside_out, &moved) + 6.0).abs() < 1e-5);
    }
}

#[test]
fn detail_survives_turns_and_not_flattening() {
    let bump = |x: usize, y: usize| 0.3 * ((x as f32).sin() + (y as f32 * 1.3).cos());
    let grid = |height: f32| -> Vec<Vec3> {
        let all = (0..100).map(|i| (i % 10, i / 10));
        all.map(|(x, y)| Vec3::new(x as f32, y as f32, height * bump(x, y))).collect()
    };
    let cells = (0..81_u32).map(|i| i / 9 * 10 + i % 9);
    let triangles: Vec<[u32; 3]> = cells.flat_map(|v| [[v, v + 1, v + 11], [v, v + 11, v + 10]]).collect();
    let rest = grid(1.0);
    let turn = glam::Quat::from_rotation_x(2.0) * glam::Quat::from_rotation_z(1.0);
    let turned: Vec<Vec3> = rest.iter().map(|p| turn * *p + Vec3::X).collect();
    assert!(detail_deviation(&triangles, &rest, &turned) < 1e-4);
    let flat = detail_deviation(&triangles, &rest, &grid(0.0));
    let half = detail_deviation(&triangles, &rest, &grid(0.5));
    assert!(half > 0.1 && flat > 1.5 * half, "{half}, {flat}");
}
