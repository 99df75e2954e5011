use super::*;

fn place(x: i32, y: i32) -> Vec3 {
    Vec3::new(x as f32, y as f32, 0.0)
}

#[test]
fn seams_fans_pieces_and_collapsed_triangles_are_joined() {
    // Two triangles cut apart along their edge, two more on the first one's edge, and one far off with a
    // collapsed one on it.
    let p = [place(0, 0), place(1, 0), place(0, 1), place(1, 0), place(1, 1), place(0, 1)];
    let far = [place(9, 0), place(10, 0), place(9, 1)];
    let rest: Vec<Vec3> = p.into_iter().chain(far).chain([Vec3::Z, -Vec3::Z]).collect();
    let triangles = [[0, 1, 2], [3, 4, 5], [0, 1, 9], [0, 1, 10], [6, 7, 8], [6, 7, 6]];
    let graph = DualGraph::new(&triangles, &rest);
    let joined = |a: u32, b: u32| graph.neighbours(a).iter().any(|n| n.0 == b);
    assert!(joined(0, 1), "over the seam");
    assert!(joined(0, 2) && joined(2, 3), "around an edge of three");
    assert!(joined(4, 5), "collapsed");
    assert_eq!(pieces(6, &graph.pairs), [0; 6], "far off as well");
    assert!(graph.neighbours.iter().flatten().all(|n| n.1 > 0.0 && n.1.is_finite()));
    assert_eq!(graph.areas, [0.5, 0.5, 0.5, 0.5, 0.5, 0.0]);
}

#[test]
fn long_edges_hold_together_more_at_any_scale() {
    // A kite of four triangles around a point, two of them with a long common edge.
    let rest = [place(0, 0), place(4, 0), place(0, 1), place(-1, 0), place(0, -1)];
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    let weights = |scale: f32| {
        let graph = DualGraph::new(&triangles, &rest.map(|p| scale * p));
        let of = |a: u32, b: u32| graph.neighbours(a).iter().find(|n| n.0 == b).map(|n| n.1);
        [of(3, 0).unwrap(), of(0, 1).unwrap(), of(1, 2).unwrap()]
    };
    let [long, mixed, short] = weights(1.0);
    assert!(long > 1.5 * short && short > mixed, "{long} {mixed} {short}");
    weights(1e4).iter().zip([long, mixed, short]).for_each(|(a, b)| assert!((a / b - 1.0).abs() < 1e-5));
}
