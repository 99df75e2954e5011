use super::*;

#[test]
fn pieces_and_seams_are_bridged() {
    // Two triangles side by side, cut along their common edge, one more far off, and a loose vertex.
    let p = [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1], [5, 0], [6, 0], [5, 1], [9, 0]]
        .map(|[x, y]| Vec3::new(x as f32, y as f32, 0.0));
    let graph = SurfaceGraph::new(&[[0, 1, 2], [3, 4, 5], [6, 7, 8]], &p);
    let mut distance = vec![f64::INFINITY; p.len()];
    let mut owner = vec![u32::MAX; p.len()];
    graph.spread_from(0, 7, 0.0, &mut distance, &mut owner);
    assert_eq!(distance[3], 1.0, "a seam is no distance");
    assert_eq!(distance[7], 6.0, "over the gap between (1, 0) or (1, 1) and the third triangle");
    assert_eq!(distance[9], 9.0);
    assert!(owner.iter().all(|o| *o == 7));
    assert_eq!(graph.used().count(), 9);
    let nearest = graph.nearest_sources(&[0, 6], 2);
    assert_eq!(nearest[2 * 4], (2.0, 0));
    assert_eq!(nearest[2 * 7], (1.0, 1));
}
