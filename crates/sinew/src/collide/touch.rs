//! Whether and where two triangles touch.
//!
//! After Möller 1997: each triangle is cut by the plane of the other, and the two cuts, which lie on one line,
//! overlap or do not. Touching in a point or along an edge counts. Triangles without area touch nothing.

use glam::{DVec3, Vec3A};

/// Two triangles that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The ends of the line that they have in common. Of triangles in one plane: twice a point of both.
    pub points: [DVec3; 2],
    /// How far the one reaches through the plane of the other: of the two, the one that reaches less. A shift by
    /// this much along the other's normal takes them apart.
    pub depth: f64,
}

/// One triangle against the plane of the other.
struct Cut {
    /// The plane's normal, and signed distances of the corners, times its length.
    sides: [f64; 3],
    normal: DVec3,
}

impl Cut {
    #[inline]
    fn new(triangle: &[DVec3; 3], on: DVec3, normal: DVec3) -> Self {
        let [a, b, c] = triangle;
        Self { sides: [normal.dot(a - on), normal.dot(b - on), normal.dot(c - on)], normal }
    }

    fn is_apart(&self) -> bool {
        let [a, b, c] = self.sides;
        a.min(b).min(c) > 0.0 || a.max(b).max(c) < 0.0
    }

    /// How far the triangle reaches through.
    fn reach(&self) -> f64 {
        let [a, b, c] = self.sides;
        let (over, under) = (a.max(b).max(c).max(0.0), -a.min(b).min(c).min(0.0));
        over.min(under) / self.normal.length()
    }

    /// Ends of what the plane cuts out of the triangle, in order along an axis, each with its place on that axis.
    fn ends(&self, triangle: &[DVec3; 3], axis: usize) -> [(f64, DVec3); 2] {
        let (mut low, mut high) =
            ((f64::INFINITY, DVec3::INFINITY), (f64::NEG_INFINITY, DVec3::NEG_INFINITY));
        let mut take = |p: DVec3| {
            let along = p.to_array()[axis];
            if along < low.0 {
                low = (along, p);
            }
            if along > high.0 {
                high = (along, p);
            }
        };
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (self.sides[i], self.sides[j]);
            if a == 0.0 {
                take(triangle[i]);
            } else if a * b < 0.0 {
                take(triangle[i] + (triangle[j] - triangle[i]) * (a / (a - b)));
            }
        }
        [low, high]
    }
}

/// Whether two triangles are surely on two sides of the plane of the second, or of the first: [`touch`] would find
/// nothing. In few bits, and quickly.
#[inline]
pub(super) fn surely_apart(a: &[Vec3A; 3], b: &[Vec3A; 3]) -> bool {
    let low = a[0].min(a[1]).min(a[2]).min(b[0].min(b[1]).min(b[2]));
    let high = a[0].max(a[1]).max(a[2]).max(b[0].max(b[1]).max(b[2]));
    // More than all rounding: each side is a sum of six products of three lengths, none more than this.
    let length = (high - low).length();
    let rounding = (32.0 * f32::EPSILON * length * length * length).max(TINY);
    // Both, always: to foresee the one is harder than to compute the other.
    is_beside(a, b, rounding) | is_beside(b, a, rounding)
}

/// Below this, sizes of tiny triangles may have vanished.
const TINY: f32 = 1e-24;

#[inline]
fn is_beside(triangle: &[Vec3A; 3], plane: &[Vec3A; 3], rounding: f32) -> bool {
    let normal = (plane[1] - plane[0]).cross(plane[2] - plane[0]);
    let [a, b, c] = triangle;
    let (x, y, z) = (normal.dot(*a - plane[0]), normal.dot(*b - plane[0]), normal.dot(*c - plane[0]));
    (x.min(y).min(z) > rounding) | (x.max(y).max(z) < -rounding)
}

/// Whether and where two triangles touch.
pub fn touch(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<Touch> {
    let of_b = (b[1] - b[0]).cross(b[2] - b[0]);
    let cut_a = Cut::new(a, b[0], of_b);
    if cut_a.is_apart() {
        return None;
    }
    let of_a = (a[1] - a[0]).cross(a[2] - a[0]);
    let cut_b = Cut::new(b, a[0], of_a);
    if cut_b.is_apart() || of_a == DVec3::ZERO || of_b == DVec3::ZERO {
        return None;
    }
    let along = of_a.cross(of_b);
    if cut_a.sides == [0.0; 3] || cut_b.sides == [0.0; 3] || along == DVec3::ZERO {
        return in_one_plane(a, b, of_a).map(|p| Touch { points: [p, p], depth: 0.0 });
    }
    let axis = along.abs().max_position();
    let [low_a, high_a] = cut_a.ends(a, axis);
    let [low_b, high_b] = cut_b.ends(b, axis);
    let low = if low_a.0 >= low_b.0 { low_a } else { low_b };
    let high = if high_a.0 <= high_b.0 { high_a } else { high_b };
    (low.0 <= high.0).then(|| Touch { points: [low.1, high.1], depth: cut_a.reach().min(cut_b.reach()) })
}

/// A point of both of two triangles in one plane.
fn in_one_plane(a: &[DVec3; 3], b: &[DVec3; 3], normal: DVec3) -> Option<DVec3> {
    let axis = normal.abs().max_position();
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    // Twice the area of a triangle as seen along the axis.
    let area = |p: DVec3, q: DVec3, r: DVec3| (q[x] - p[x]) * (r[y] - p[y]) - (q[y] - p[y]) * (r[x] - p[x]);
    let inside = |p: DVec3, t: &[DVec3; 3]| {
        let sides = [area(t[0], t[1], p), area(t[1], t[2], p), area(t[2], t[0], p)];
        sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
    };
    if let Some(p) = a.iter().find(|p| inside(**p, b)).or_else(|| b.iter().find(|p| inside(**p, a))) {
        return Some(*p);
    }
    for i in 0..3 {
        let (p, q) = (a[i], a[(i + 1) % 3]);
        for j in 0..3 {
            let (r, s) = (b[j], b[(j + 1) % 3]);
            let (from, to) = (area(r, s, p), area(r, s, q));
            // Ends on the other edge's line are corners inside, or apart.
            if from * to < 0.0 && area(p, q, r) * area(p, q, s) < 0.0 {
                return Some(p + (q - p) * (from / (from - to)));
            }
        }
    }
    None
}

#[cfg(test)]
#[path = "../../tests/unit/collide_touch.rs"]
mod tests;
