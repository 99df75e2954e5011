use glam::DVec3;

use super::*;

fn area(points: &[Vec3]) -> (usize, f32) {
    let polygon: Vec<u32> = (0..points.len() as u32).collect();
    let (mut count, mut area) = (0, 0.0);
    triangulate_polygon(&polygon, points, |a, b, c| {
        let [a, b, c] = [a, b, c].map(|i| points[i as usize]);
        count += 1;
        area += 0.5 * (b - a).cross(c - a).length();
    });
    (count, area)
}

#[test]
fn concave_polygons_keep_their_area() {
    // An L of three unit squares.
    let l = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
    let points: Vec<Vec3> = l.iter().map(|&(x, y)| Vec3::new(x, 5.0, -y)).collect();
    let (count, sum) = area(&points);
    assert_eq!(count, 4);
    assert!((sum - 3.0).abs() < 1e-5, "{sum}");
}

#[test]
fn collapsed_polygons_still_give_triangles() {
    assert_eq!(area(&[Vec3::ONE; 6]).0, 4);
    assert_eq!(area(&[Vec3::ONE; 600]).0, 598);
    let line: Vec<Vec3> = (0..600).map(|i| Vec3::splat(i as f32)).collect();
    assert_eq!(area(&line).0, 598);
}

type Point = (f64, f64);

/// Random numbers below 1, the same each time.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// Cuts a polygon and checks that the triangles share edges as they should: each side of the polygon belongs to one, each
/// cut to two that lie on its two sides. The corners of all triangles.
fn cut(points: &[Vec3]) -> Vec<[u32; 3]> {
    let n = points.len() as u32;
    let polygon: Vec<u32> = (0..n).collect();
    let mut triangles = Vec::new();
    triangulate_polygon(&polygon, points, |a, b, c| triangles.push([a, b, c]));
    assert_eq!(triangles.len(), points.len() - 2);
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort();
    assert!(edges.windows(2).all(|pair| pair[0] != pair[1]), "two triangles on one side of an edge");
    for &[a, b] in &edges {
        assert!(b == (a + 1) % n || edges.binary_search(&[b, a]).is_ok(), "no triangle beyond {a} and {b}");
    }
    triangles
}

/// Cuts a simple polygon of the plane, laid in space in several ways, and checks that no triangle is turned over and that
/// together they are as large as the polygon.
fn check(polygon: &[Point]) {
    let twice = |corners: &[Point]| -> f64 {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(p, q)| p.0 * q.1 - p.1 * q.0).sum()
    };
    let mut turned: Vec<Point> =
        polygon.iter().map(|&(x, y)| (f64::from(x as f32), f64::from(y as f32))).collect();
    let whole = twice(&turned);
    assert!(whole > 0.0);
    for _ in 0..2 {
        for lay in [
            |x, y| Vec3::new(x, y, 3.0),
            |x: f32, y: f32| Vec3::new(y, x, 0.5 * x + 0.25 * y),
            |x, y| Vec3::new(-2.0, x, y),
            |x, y: f32| Vec3::new(x, 0.0, -y),
        ] {
            let points: Vec<Vec3> = turned.iter().map(|&(x, y)| lay(x as f32, y as f32)).collect();
            let areas = cut(&points).into_iter().map(|t| twice(&t.map(|i| turned[i as usize])));
            let (mut sum, mut least) = (0.0, f64::INFINITY);
            areas.for_each(|a| (sum, least) = (sum + a, least.min(a)));
            assert!(
                least >= -1e-9 * whole,
                "a triangle of {} corners is turned over: {least} of {whole}",
                polygon.len()
            );
            assert!((sum - whole).abs() <= 1e-9 * whole, "{sum}, not {whole}");
        }
        // The same upright.
        turned.iter_mut().for_each(|p| *p = (-p.1, p.0));
    }
}

/// The outline of a maze of `size` by `size` rooms without loops: one corner at each unit of its walls, or only where they
/// turn.
fn maze(size: usize, straight: bool, seed: u64) -> Vec<Point> {
    let side = 2 * size + 1;
    let mut free = vec![false; side * side];
    let mut random = random(seed);
    let mut path = vec![(1, 1)];
    free[side + 1] = true;
    while let Some(&(x, y)) = path.last() {
        let mut ways: Vec<(usize, usize)> =
            vec![(x + 2, y), (x, y + 2), (x.wrapping_sub(2), y), (x, y.wrapping_sub(2))];
        ways.retain(|&(x, y)| x < side && y < side && !free[y * side + x]);
        if ways.is_empty() {
            path.pop();
            continue;
        }
        let (u, v) = ways[(random() * ways.len() as f64) as usize];
        free[v * side + u] = true;
        free[(y + v) / 2 * side + (x + u) / 2] = true;
        path.push((u, v));
    }
    let free = |x: i64, y: i64| free[y as usize * side + x as usize];
    // Along the walls with the rooms to the left.
    let (mut at, mut step, mut outline) = ((1, 1), (1, 0), Vec::new());
    loop {
        let (x, y) = at;
        let cell = |(dx, dy): (i64, i64)| free(x + (dx - 1) / 2, y + (dy - 1) / 2);
        let ahead = |(dx, dy): (i64, i64), (sx, sy): (i64, i64)| (dx + sx, dy + sy);
        let left = (-step.1, step.0);
        let right = (step.1, -step.0);
        let new = if cell(ahead(step, right)) {
            right
        } else if cell(ahead(step, left)) {
            step
        } else {
            left
        };
        if straight || new != step {
            outline.push((x as f64, y as f64));
        }
        step = new;
        at = (x + step.0, y + step.1);
        if at == (1, 1) {
            return outline;
        }
    }
}

#[test]
fn a_maze_of_forty_thousand_corners_is_cut() {
    let outline = maze(128, false, 1);
    assert!(outline.len() > 15_000, "{}", outline.len());
    check(&outline);
    let outline = maze(100, true, 2);
    assert!(outline.len() > 39_000, "{}", outline.len());
    check(&outline);
}

/// `count` points by angle and radius about a middle.
fn round(count: usize, place: impl Fn(usize) -> Point) -> Vec<Point> {
    let corner = |(angle, radius): Point| (radius * angle.cos(), radius * angle.sin());
    (0..count).map(|i| corner(place(i))).collect()
}

#[test]
fn large_polygons_of_all_shapes_are_cut() {
    let turn = std::f64::consts::TAU;
    let (count, half) = (40_000, 20_000);
    let share = |i: usize| i as f64 / count as f64;
    let mut random = random(3);
    let depths: Vec<f64> = (0..count).map(|_| random()).collect();
    check(&round(count, |i| (turn * share(i), 5.0)));
    // A star of deep rays, and one whose rays are as deep as they happen to be.
    check(&round(count, |i| (turn * share(i), if i % 2 == 0 { 100.0 } else { 1.0 })));
    check(&round(count, |i| (turn * share(i), 0.1 + depths[i])));
    // A spiral: in along one wall, out along the other.
    let wall = |i: usize| (20.0 * turn * i as f64 / half as f64, 2.0 + 40.0 * i as f64 / half as f64);
    let spiral = |i| if i < half { wall(i) } else { (wall(count - 1 - i).0, wall(count - 1 - i).1 - 0.8) };
    check(&round(count, spiral));
    // Combs: straight, aslant, of teeth as long as they happen to be, of teeth on both sides.
    for (slant, least) in [(0.0, 1.0), (3000.0, 1.0), (0.0, 0.0), (700.0, 0.0)] {
        let tooth = |i: usize| {
            let depth = if i.is_multiple_of(2) { 0.0 } else { 1000.0 * (least + (1.0 - least) * depths[i]) };
            (i as f64 + slant * depth / 1000.0, -depth)
        };
        let back = [(count as f64, 10.0), (-1.0, 10.0)];
        check(&(0..count).map(tooth).chain(back).collect::<Vec<_>>());
        let other =
            (0..half).map(|i| (count as f64 - 2.0 * i as f64, 10.0 + 900.0 * depths[i] * (i % 2) as f64));
        check(&(0..count).map(tooth).chain(other).collect::<Vec<_>>());
    }
}

#[test]
fn large_polygons_that_touch_themselves_are_cut() {
    // Holes in rows, each joined to the side above by a cut that runs there and back.
    let mut outline = vec![(0.0, 0.0), (64.0, 0.0), (64.0, 64.0)];
    for column in (1..64).rev().step_by(2) {
        let x = f64::from(column);
        outline.push((x, 64.0));
        for row in (1..64).rev().step_by(2) {
            let y = f64::from(row);
            outline.extend([(x, y), (x + 0.5, y - 0.5), (x, y - 1.0)]);
        }
        for row in (1..64).step_by(2) {
            let y = f64::from(row);
            outline.extend([(x, y - 1.0), (x - 0.5, y - 0.5), (x, y)]);
        }
        outline.push((x, 64.0));
    }
    outline.push((0.0, 64.0));
    check(&outline);
    // Squares joined at their corners, there along the lower sides and back along the upper ones.
    let there = (0..1000).flat_map(|i| [(f64::from(i), f64::from(i)), (f64::from(i) + 1.0, f64::from(i))]);
    let back = (0..1000)
        .rev()
        .flat_map(|i| [(f64::from(i) + 1.0, f64::from(i) + 1.0), (f64::from(i), f64::from(i) + 1.0)]);
    check(&there.chain(back).collect::<Vec<_>>());
    // Teeth whose tips touch the other side, and each corner twice.
    let teeth = (0..1000).map(|i| (f64::from(i), f64::from(i % 2)));
    let touching: Vec<Point> = teeth.chain([(999.0, 1.0), (0.0, 1.0)]).collect();
    check(&touching);
    check(&touching.iter().flat_map(|&p| [p, p]).collect::<Vec<_>>());
}

#[test]
fn large_polygons_that_cross_themselves_or_are_bent_give_all_triangles() {
    let turn = std::f64::consts::TAU;
    let mut random = random(5);
    cut(&(0..3000).map(|_| Vec3::from_array([(); 3].map(|()| random() as f32))).collect::<Vec<_>>());
    cut(&[Vec3::NAN; 500]);
    let lay = |corners: Vec<Point>, bend: f64| -> Vec<Vec3> {
        corners.iter().map(|&(x, y)| DVec3::new(x, y, bend * x * y).as_vec3()).collect()
    };
    cut(&lay(round(5000, |i| (turn * i as f64 / 5000.0, 1.0)), 3.0));
    cut(&lay(round(5001, |i| (turn * (2400 * i) as f64 / 5001.0, 1.0)), 0.0));
    cut(&lay(round(2000, |i| (turn * i as f64 / 1000.0, 1.0 + (i / 1000) as f64)), 0.0));
}

#[test]
fn random_polygons_about_the_size_where_the_sweep_begins_are_cut() {
    for seed in 0..200 {
        let mut random = random(seed);
        let count = EAR_CLIPPED - 20 + seed as usize;
        // Whole numbers make corners coincide with each other's heights, and sides run straight on.
        let radii: Vec<f64> = (0..count).map(|_| 1.0 + random()).collect();
        check(&round(count, |i| (std::f64::consts::TAU * i as f64 / count as f64, radii[i])));
        check(&maze(4 + seed as usize / 20, seed % 2 == 0, seed));
    }
}
