use proptest::prelude::*;

use super::*;

fn point() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn no_point_of_a_triangle_is_nearer(p in point(), a in point(), b in point(), c in point()) {
        let nearest = closest_on_triangle(p, [a, b, c]).distance(p);
        let mut least = f64::INFINITY;
        for i in 0..=40 {
            for j in 0..=40 - i {
                let q = a + (b - a) * (f64::from(i) / 40.0) + (c - a) * (f64::from(j) / 40.0);
                least = least.min(q.distance(p));
            }
        }
        prop_assert!(nearest <= least + 1e-12);
        prop_assert!(least - nearest < 0.1, "{} found, but {} is there", nearest, least);
    }
}
