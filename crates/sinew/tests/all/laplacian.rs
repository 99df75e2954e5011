//! Cotangent Laplacians: known answers on flat meshes and spheres, and on what is no good mesh.

use glam::Vec3;
use proptest::prelude::*;
use sinew::geometry::laplacian::{Laplacian, LaplacianPattern};
use sinew::solve::sparse::SymbolicCholesky;

/// A square of `n` × `n` cells, each vertex moved by `shift`, the cells' diagonals in no one direction.
fn square(n: usize, shift: impl Fn(usize) -> (f32, f32)) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for y in 0..=n {
        for x in 0..=n {
            let (dx, dy) = shift(positions.len());
            positions.push(Vec3::new(x as f32 + dx, y as f32 + dy, 0.0));
            if x < n && y < n {
                let at = (y * (n + 1) + x) as u32;
                let [a, b, c, d] = [at, at + 1, at + 2 + n as u32, at + 1 + n as u32];
                let odd = (x + y) % 2 == 1;
                triangles.extend(if odd { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
            }
        }
    }
    (triangles, positions)
}

/// A sphere of radius 1: a cube's faces of `n` × `n` cells blown up.
fn sphere(n: i32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut positions: Vec<Vec3> = Vec::new();
    let mut numbers = std::collections::BTreeMap::new();
    let mut triangles = Vec::new();
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -n), (axis, n)]) {
        let mut vertex = |i: i32, j: i32| {
            let mut p = [0; 3];
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, 2 * i - n, 2 * j - n);
            *numbers.entry(p).or_insert_with(|| {
                positions.push(Vec3::from_array(p.map(|x| x as f32)).normalize());
                positions.len() as u32 - 1
            })
        };
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (triangles, positions)
}

proptest! {
    #[test]
    fn linear_functions_are_harmonic_inside_a_flat_mesh(
        shifts in prop::collection::vec((-0.15..0.15_f32, -0.15..0.15_f32), 36),
        (gx, gy) in (-2.0..2.0_f64, -2.0..2.0_f64),
    ) {
        let n = 5;
        let (triangles, p) = square(n, |i| shifts[i]);
        let laplacian = Laplacian::new(&triangles, &p);
        let f: Vec<f64> = p.iter().map(|p| 3.0 + gx * f64::from(p.x) + gy * f64::from(p.y)).collect();
        let lf = laplacian.apply(&f);
        for i in (1..n).flat_map(|y| (1..n).map(move |x| y * (n + 1) + x)) {
            prop_assert!(lf[i].abs() < 1e-9, "{} at {}", lf[i], i);
        }
        // The energy of a linear function is its slope squared times the area.
        let energy: f64 = f.iter().zip(&lf).map(|(f, l)| f * l).sum();
        let area: f64 = laplacian.areas.iter().sum();
        prop_assert!((energy - (gx * gx + gy * gy) * area).abs() < 1e-9 * (1.0 + energy));
    }

    #[test]
    fn no_function_has_negative_energy_however_the_triangles_lie(
        points in prop::collection::vec((0..4_u8, 0..4_u8, 0..2_u8), 12),
        corners in prop::collection::vec((0..12_u32, 0..12_u32, 0..12_u32), 1..30),
        f in prop::collection::vec(-1.0..1.0_f64, 12),
    ) {
        // Small whole numbers: many triangles are collapsed, doubled, or share an edge with many.
        let place = |&(x, y, z): &(u8, u8, u8)| Vec3::new(x.into(), y.into(), z.into());
        let p: Vec<Vec3> = points.iter().map(place).collect();
        let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
        let laplacian = Laplacian::new(&triangles, &p);
        prop_assert!(laplacian.weights.iter().all(|w| w.is_finite()));
        prop_assert!(laplacian.apply(&[1.0; 12]).iter().all(|x| *x == 0.0), "constants are the kernel");
        let scale: f64 = laplacian.weights.iter().map(|w| w.abs()).sum();
        let energy = |l: &Laplacian| f.iter().zip(l.apply(&f)).map(|(f, l)| f * l).sum::<f64>();
        prop_assert!(energy(&laplacian) >= -1e-9 * scale);
        let positive = laplacian.without_negative_weights();
        prop_assert!(positive.weights.iter().all(|w| *w > 0.0));
        prop_assert!(energy(&positive) >= 0.0);
    }
}

proptest! {
    #[test]
    fn without_negative_weights_solutions_stay_between_what_is_given(
        shifts in prop::collection::vec((-0.9..0.9_f32, -0.9..0.9_f32), 36),
        given in prop::collection::vec((0.0..1.0_f64, 0..3_u8), 36),
    ) {
        // Vertices moved so far that many triangles are obtuse or fold over; a third of them is held.
        let (triangles, p) = square(5, |i| shifts[i]);
        let pattern = LaplacianPattern::new(p.len(), &triangles);
        let laplacian = pattern.laplacian(&p).without_negative_weights();
        let held: Vec<f64> =
            given.iter().enumerate().map(|(i, g)| if g.1 == 0 || i == 0 { 0.5 } else { 0.0 }).collect();
        let symbolic = SymbolicCholesky::new(pattern.matrix_pattern()).unwrap();
        let mut f: Vec<f64> = given.iter().zip(&held).map(|(g, h)| g.0 * h).collect();
        symbolic.factor(&laplacian.plus_diagonal(&held)).unwrap().solve(&mut f).unwrap();
        let of_held = || given.iter().zip(&held).filter(|(_, h)| **h > 0.0).map(|(g, _)| g.0);
        let (low, high) = (of_held().fold(1.0, f64::min), of_held().fold(0.0, f64::max));
        prop_assert!(f.iter().all(|f| (low - 1e-9..=high + 1e-9).contains(f)), "{:?}", f);
    }
}

#[test]
fn a_sphere_has_its_area_and_its_first_harmonics() {
    let (triangles, p) = sphere(24);
    let laplacian = Laplacian::new(&triangles, &p);
    let area: f64 = laplacian.areas.iter().sum();
    assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 3e-3, "{area}");
    // −Δ x = 2 x on the unit sphere; in the mean, since single vertices converge more slowly.
    for axis in 0..3 {
        let x: Vec<f64> = p.iter().map(|p| f64::from(p[axis])).collect();
        let energy: f64 = laplacian.apply(&x).iter().zip(&x).map(|(l, x)| l * x).sum();
        let mass: f64 = laplacian.areas.iter().zip(&x).map(|(a, x)| a * x * x).sum();
        assert!((energy / mass - 2.0).abs() < 5e-3, "{}", energy / mass);
    }
}

#[test]
fn entries_are_those_of_the_operator() {
    let (triangles, p) = square(3, |i| ((i * 7 % 5) as f32 * 0.05, (i * 3 % 4) as f32 * 0.05));
    let pattern = LaplacianPattern::new(p.len(), &triangles);
    let laplacian = pattern.laplacian(&p);
    let diagonal: Vec<f64> = (0..p.len()).map(|i| 0.1 * i as f64).collect();
    let f: Vec<f64> = (0..p.len()).map(|i| (i as f64).sin()).collect();
    let out = pattern.matrix_pattern().times(&laplacian.plus_diagonal(&diagonal), &f);
    for (i, lf) in laplacian.apply(&f).iter().enumerate() {
        assert!((out[i] - lf - diagonal[i] * f[i]).abs() < 1e-12);
    }
}

#[test]
fn right_triangles_have_the_weights_of_the_textbook() {
    // A unit square cut along its diagonal: sides 1/2, diagonal 0.
    let (triangles, p) = square(1, |_| (0.0, 0.0));
    let laplacian = Laplacian::new(&triangles, &p);
    for (&[a, b], w) in laplacian.edges.iter().zip(&laplacian.weights) {
        let diagonal = p[a as usize].distance(p[b as usize]) > 1.2;
        assert!((w - if diagonal { 0.0 } else { 0.5 }).abs() < 1e-12);
    }
    assert!((laplacian.areas.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}
