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
}
