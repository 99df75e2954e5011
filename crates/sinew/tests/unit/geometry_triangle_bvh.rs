use super::*;
use proptest::prelude::*;

fn point() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn the_tree_finds_what_looking_at_every_triangle_finds(
        made in prop::collection::vec(point(), 60),
        posed in prop::collection::vec(point(), 60),
        corners in prop::collection::vec((0..60_u32, 0..60_u32, 0..60_u32), 0..80),
        (from, to) in (point(), point()),
    ) {
        let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
        let tree = TriangleBvh::new(&triangles, &made);
        let counts = |t: &[u32; 3]| !t[0].is_multiple_of(3);
        let way = to - from;
        // Sides of the triangle's plane, and of the three planes through the line and a corner.
        let crossed = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| posed[v as usize]);
            let normal = (b - a).cross(c - a);
            let apart = normal.dot(from - a) * normal.dot(to - a) < 0.0;
            let around = [(a, b), (b, c), (c, a)].map(|(p, q)| way.dot((p - from).cross(q - from)) > 0.0);
            apart && around[0] == around[1] && around[1] == around[2]
        };
        let expected = triangles.iter().any(|t| counts(t) && crossed(t));
        prop_assert_eq!(tree.posed(&posed).crosses(from, to, counts), expected);
    }

    #[test]
    fn the_hierarchy_finds_the_nearest_of_all(
        points in prop::collection::vec(point(), 30),
        corners in prop::collection::vec((0..30_u32, 0..30_u32, 0..30_u32), 1..60),
        p in point(),
        guess in 0..80_usize,
    ) {
        let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
        let bvh = TriangleBvh::new(&triangles, &points);
        let found = bvh.posed(&points).nearest(p, guess).0;
        let distance = |t: &[u32; 3]| {
            closest_on_triangle(p, t.map(|v| points[v as usize])).distance_squared(p)
        };
        let least = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
        // The hierarchy sorts triangles, and rounding may differ with the order of corners by nothing else.
        prop_assert_eq!(found, least);
    }
}

#[test]
fn lines_along_an_axis_and_in_the_plane_of_a_box() {
    let p = [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]].map(DVec3::from_array);
    let tree = TriangleBvh::new(&[[0, 1, 2]], &p);
    let tree = tree.posed(&p);
    let crosses = |from: [f64; 3], to: [f64; 3]| tree.crosses(from.into(), to.into(), |_| true);
    assert!(crosses([0.5, 0.5, -1.0], [0.5, 0.5, 1.0]));
    assert!(!crosses([0.5, 0.5, 0.1], [0.5, 0.5, 1.0]));
    assert!(!crosses([0.5, 0.5, 0.0], [0.5, 0.5, 1.0]), "a line may start on the surface");
    assert!(!crosses([-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]), "a line in the plane does not cross it");
    assert!(!crosses([0.5, 0.5, 1.0], [0.5, 0.5, 1.0]));
}
