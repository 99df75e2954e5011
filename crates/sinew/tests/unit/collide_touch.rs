use proptest::prelude::*;

use super::*;

fn triangle(points: [[f64; 3]; 3]) -> [DVec3; 3] {
    points.map(DVec3::from_array)
}

#[test]
fn known_pairs() {
    let flat = triangle([[0., 0., 0.], [4., 0., 0.], [0., 4., 0.]]);
    let through = triangle([[1., 1., -1.], [1., 1., 3.], [2., 1., 3.]]);
    let found = touch(&flat, &through).unwrap();
    assert!(found.points[0].distance(DVec3::new(1., 1., 0.)) < 1e-12);
    assert!(found.points[1].distance(DVec3::new(1.25, 1., 0.)) < 1e-12);
    // Down by one through the flat one; the flat one reaches through the plane y = 1 by 1 on its near side.
    assert!((found.depth - 1.0).abs() < 1e-12, "{found:?}");
    let above = through.map(|p| p + DVec3::Z * 1.5);
    assert_eq!(touch(&flat, &above), None);
    let beside = through.map(|p| p + DVec3::X * 5.0);
    assert_eq!(touch(&flat, &beside), None);
    let standing = through.map(|p| p + DVec3::Z);
    assert_eq!(touch(&flat, &standing).unwrap().depth, 0.0, "a corner that rests on it touches");
    assert_eq!(touch(&flat, &triangle([[1., 1., 0.]; 3])), None);
}

#[test]
fn pairs_in_one_plane() {
    let big = triangle([[0., 0., 0.], [9., 0., 0.], [0., 9., 0.]]);
    let small = triangle([[1., 1., 0.], [2., 1., 0.], [1., 2., 0.]]);
    assert!(touch(&big, &small).is_some() && touch(&small, &big).is_some());
    assert_eq!(touch(&big, &small.map(|p| p + DVec3::X * 9.0)), None);
    // A star: edges cross, no corner is inside.
    let a = triangle([[0., 2., 0.], [-2., -1., 0.], [2., -1., 0.]]);
    let b = a.map(|p| DVec3::new(p.x, -p.y, 0.0));
    let point = touch(&a, &b).unwrap().points[0];
    assert!(point.z == 0.0 && point.length() < 2.0);
    let edge = triangle([[0., 0., 0.], [9., 0., 0.], [0., -9., 0.]]);
    assert!(touch(&big, &edge).is_some(), "a common edge is touching");
}

fn point() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Whether an edge passes through a triangle, by volumes.
fn crosses(p: DVec3, q: DVec3, t: &[DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).dot((c - a).cross(d - a));
    let around = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| volume(p, q, t[i], t[j]) > 0.0);
    let apart = (volume(t[0], t[1], t[2], p) > 0.0) != (volume(t[0], t[1], t[2], q) > 0.0);
    apart && around[0] == around[1] && around[1] == around[2]
}

proptest! {
    #[test]
    fn triangles_touch_where_an_edge_of_one_crosses_the_other(
        a in prop::array::uniform3(point()),
        b in prop::array::uniform3(point()),
    ) {
        let found = touch(&a, &b);
        let edge = |s: &[DVec3; 3], t: &[DVec3; 3]| (0..3).any(|i| crosses(s[i], s[(i + 1) % 3], t));
        prop_assert_eq!(found.is_some(), edge(&a, &b) || edge(&b, &a));
        let [rough_a, rough_b] = [&a, &b].map(|t| t.map(|p| p.as_vec3a()));
        let exact = |t: &[Vec3A; 3]| t.map(|p| p.as_dvec3());
        let apart = surely_apart(&rough_a, &rough_b);
        prop_assert!(!apart || touch(&exact(&rough_a), &exact(&rough_b)).is_none());
        let turned = touch(&b, &a);
        prop_assert_eq!(found.is_some(), turned.is_some());
        if let (Some(found), Some(turned)) = (found, turned) {
            prop_assert!((found.depth - turned.depth).abs() < 1e-12);
            // A shift by the depth, and a little, along one of the normals, takes them apart.
            let apart = [&a, &b].iter().any(|t| {
                let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
                [1.0, -1.0].iter().any(|sign| {
                    let shift = normal * (sign * (found.depth + 1e-9));
                    touch(&a.map(|p| p + shift), &b).is_none()
                })
            });
            prop_assert!(apart);
        }
    }
}
