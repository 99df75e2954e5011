//! Unit tests of `segment/points.rs`, which reach what is private there.

use super::*;
use crate::progress::Silent;

/// A strip of squares, `long` by one.
fn strip(long: usize) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let p = (0..=long).flat_map(|x| [0, 1].map(|y| Vec3::new(x as f32, y as f32, 0.0))).collect();
    let t = (0..long as u32).flat_map(|i| {
        let a = 2 * i;
        [[a, a + 2, a + 3], [a, a + 3, a + 1]]
    });
    (t.collect(), p)
}

#[test]
fn points_lie_evenly_on_a_strip() {
    let (triangles, p) = strip(60);
    let mut x: Vec<f32> =
        spread_points(&triangles, &p, 6, &Silent).unwrap().iter().map(|&v| p[v as usize].x).collect();
    x.sort_by(f32::total_cmp);
    for (i, x) in x.iter().enumerate() {
        assert!((x - (5.0 + 10.0 * i as f32)).abs() <= 3.0, "point {i} is at {x}");
    }
}

#[test]
fn weights_change_little_from_vertex_to_vertex() {
    let (triangles, p) = strip(200);
    let points = spread_points(&triangles, &p, 9, &Silent).unwrap();
    let weights = smooth_weights(&triangles, &p, &points, 3);
    let dense = |v: usize| {
        let mut row = [0.0; 9];
        let (bones, w) = weights.of(v);
        bones.iter().zip(w).for_each(|(&b, &w)| row[b as usize] += w);
        row
    };
    for v in 0..p.len() - 2 {
        let step: f32 = dense(v).iter().zip(dense(v + 2)).map(|(a, b)| (a - b).abs()).sum();
        assert!(step < 0.2, "{step} at {v}");
    }
}
