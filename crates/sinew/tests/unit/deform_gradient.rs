use super::*;

#[test]
fn gradients_take_sides_along() {
    let from = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 0.7, 0.1)];
    let to = [DVec3::ONE, DVec3::new(0.0, 3.0, 1.0), DVec3::new(2.0, 0.0, 0.5)];
    let g = gradient(from, to);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        assert!((g * (from[j] - from[i])).distance(to[j] - to[i]) < 1e-12);
    }
    let line = [DVec3::ZERO, 2.0 * DVec3::X, DVec3::X];
    let g = gradient(line, [DVec3::ZERO, 4.0 * DVec3::Y, 2.0 * DVec3::Y]);
    assert!((g * DVec3::X).distance(2.0 * DVec3::Y) < 1e-12);
    assert_eq!(gradient([DVec3::ONE; 3], to), DMat3::IDENTITY);
    let flat = gradient(from, [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
    assert!((flat * from[2]).distance(2.0 * DVec3::X) < 1e-12 && flat.is_finite());
}
