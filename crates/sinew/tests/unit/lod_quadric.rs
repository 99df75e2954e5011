use super::*;

#[test]
fn a_plane_s_quadric_is_its_squared_distance() {
    let normal = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let q = Quadric::plane(normal, DVec3::new(0.3, 0.1, 5.0), 2.0);
    let p = DVec3::new(-1.0, 4.0, 0.5);
    let distance = normal.dot(p - DVec3::new(0.3, 0.1, 5.0));
    assert!((q.at(p) - 2.0 * distance * distance).abs() < 1e-12);
}

#[test]
fn a_texture_slides_by_what_the_coordinate_is_off() {
    let places = [DVec3::ZERO, DVec3::new(2.0, 0.0, 1.0), DVec3::new(0.0, 1.0, 0.0)];
    let uvs = [Vec2::new(0.1, 0.2), Vec2::new(0.5, 0.2), Vec2::new(0.1, 0.9)];
    let slide = Slide::of_triangle(places, uvs, 3.0);
    for (place, uv) in places.into_iter().zip(uvs) {
        assert!(slide.at(place, uv) < 1e-6);
        let off = Vec2::new(0.25, -0.5);
        let expected = 3.0 * f64::from(off.length_squared());
        assert!((slide.at(place, uv + off) - expected).abs() < 1e-6);
    }
}
