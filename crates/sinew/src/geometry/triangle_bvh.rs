//! Queries of a surface in double precision: whether a line between two points crosses it (visibility), and which
//! of its points is nearest to a given one.

use glam::DVec3;

use super::bvh::{Aabb, Bvh, around};
use super::closest::closest_on_triangle;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;
/// How far beyond its edges a triangle still stops a line, so that none slips between two.
const EDGE: f64 = 1e-9;
/// Share of a line next to its ends in which crossings do not count.
const ENDS: f64 = 1e-6;

/// Triangles sorted into a hierarchy.
pub(crate) struct TriangleBvh {
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
}

/// The hierarchy in one pose.
pub(crate) struct PosedBvh<'a> {
    of: &'a TriangleBvh,
    positions: &'a [DVec3],
    boxes: Vec<Aabb<DVec3>>,
}

impl TriangleBvh {
    /// Sorts `triangles` as they lie in one pose.
    pub fn new(triangles: &[[u32; 3]], positions: &[DVec3]) -> Self {
        let middle = |t: &[u32; 3]| t.iter().map(|&v| positions[v as usize]).sum::<DVec3>();
        let mut sorted: Vec<(DVec3, [u32; 3])> = triangles.iter().map(|t| (middle(t), *t)).collect();
        let bvh = Bvh::new(&mut sorted, LEAF, |(p, _)| *p, |(_, t)| *t);
        Self { triangles: sorted.into_iter().map(|(_, t)| t).collect(), bvh }
    }

    /// The hierarchy with the triangles as they lie in another pose.
    pub fn posed<'a>(&'a self, positions: &'a [DVec3]) -> PosedBvh<'a> {
        let boxes = self.bvh.fit(|triangles| {
            around(self.triangles[triangles].as_flattened().iter().map(|&v| positions[v as usize]))
        });
        PosedBvh { of: self, positions, boxes }
    }
}

/// A line from a point, ready to be tested against boxes.
struct Line {
    from: DVec3,
    way: DVec3,
    inverse: DVec3,
}

impl PosedBvh<'_> {
    /// Whether the line between two points crosses one of the triangles that `counts`.
    pub fn crosses(&self, from: DVec3, to: DVec3, counts: impl Fn(&[u32; 3]) -> bool) -> bool {
        let way = to - from;
        // A direction of nothing but zeros would make 0 · ∞ of a box that touches the line.
        let inverse =
            DVec3::from_array(way.to_array().map(|x| if x.abs() < 1e-300 { 1e300 } else { 1.0 / x }));
        let line = Line { from, way, inverse };
        self.of.bvh.any(
            |node| line.meets(&self.boxes[node]),
            |triangles| {
                let mut some = self.of.triangles[triangles].iter();
                some.any(|t| line.hits(t.map(|v| self.positions[v as usize])) && counts(t))
            },
        )
    }

    /// The squared distance from the surface and the triangle it is to, as the hierarchy counts them. A good guess
    /// of the triangle saves time. Infinite without triangles.
    pub fn nearest(&self, p: DVec3, guess: usize) -> (f64, usize) {
        let to = |t: usize| match self.of.triangles.get(t) {
            Some(corners) => {
                closest_on_triangle(p, corners.map(|v| self.positions[v as usize])).distance_squared(p)
            }
            None => f64::INFINITY,
        };
        let mut best = (to(guess), guess);
        self.of.bvh.nearest(
            &mut best,
            |node| {
                let [min, max] = self.boxes[node];
                (min - p).max(p - max).max(DVec3::ZERO).length_squared()
            },
            |_, distance, best| distance >= best.0,
            |triangles, best| {
                for t in triangles {
                    let distance = to(t);
                    if distance < best.0 {
                        *best = (distance, t);
                    }
                }
            },
        );
        best
    }
}

impl Line {
    fn meets(&self, [min, max]: &[DVec3; 2]) -> bool {
        let (a, b) = ((*min - self.from) * self.inverse, (*max - self.from) * self.inverse);
        let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element().min(1.0));
        // A little room for rounding.
        enter <= leave + 1e-9
    }

    /// Whether the line crosses a triangle, from either side (Möller and Trumbore 1997).
    fn hits(&self, [a, b, c]: [DVec3; 3]) -> bool {
        let (ab, ac) = (b - a, c - a);
        let across = self.way.cross(ac);
        let volume = ab.dot(across);
        if volume == 0.0 {
            return false;
        }
        let offset = self.from - a;
        let u = offset.dot(across) / volume;
        if !(-EDGE..=1.0 + EDGE).contains(&u) {
            return false;
        }
        let over = offset.cross(ab);
        let v = self.way.dot(over) / volume;
        if v < -EDGE || u + v > 1.0 + EDGE {
            return false;
        }
        (ENDS..=1.0 - ENDS).contains(&(ac.dot(over) / volume))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_triangle_bvh.rs"]
mod tests;
