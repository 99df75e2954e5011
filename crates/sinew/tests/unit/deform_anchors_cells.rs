use super::*;

#[test]
fn groups_hold_every_point_once() {
    let points: Vec<Vec3> =
        (0..100).map(|i| Vec3::new(((i * 37) % 100) as f32, (i % 7) as f32, 0.0)).collect();
    let groups = groups(&points, 8);
    assert!(groups.iter().all(|g| (4..=8).contains(&g.len())));
    let mut all = groups.concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..100));
}
