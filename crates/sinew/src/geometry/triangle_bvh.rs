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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_looking_at_every_triangle_finds(
            made in prop::collection::vec(point(), 60),
            posed in prop::collection::vec(point(), 60),
            corners in prop::collection::vec((0..60_u32, 0..60_u32, 0..60_u32), 0..80),
            (from, to) in (point(), point()),
        ) {
            let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
            let tree = TriangleBvh::new(&triangles, &made);
            let counts = |t: &[u32; 3]| !t[0].is_multiple_of(3);
            let way = to - from;
            // Sides of the triangle's plane, and of the three planes through the line and a corner.
            let crossed = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| posed[v as usize]);
                let normal = (b - a).cross(c - a);
                let apart = normal.dot(from - a) * normal.dot(to - a) < 0.0;
                let around = [(a, b), (b, c), (c, a)].map(|(p, q)| way.dot((p - from).cross(q - from)) > 0.0);
                apart && around[0] == around[1] && around[1] == around[2]
            };
            let expected = triangles.iter().any(|t| counts(t) && crossed(t));
            prop_assert_eq!(tree.posed(&posed).crosses(from, to, counts), expected);
        }

        #[test]
        fn the_hierarchy_finds_the_nearest_of_all(
            points in prop::collection::vec(point(), 30),
            corners in prop::collection::vec((0..30_u32, 0..30_u32, 0..30_u32), 1..60),
            p in point(),
            guess in 0..80_usize,
        ) {
            let triangles: Vec<[u32; 3]> = corners.iter().map(|&(a, b, c)| [a, b, c]).collect();
            let bvh = TriangleBvh::new(&triangles, &points);
            let found = bvh.posed(&points).nearest(p, guess).0;
            let distance = |t: &[u32; 3]| {
                closest_on_triangle(p, t.map(|v| points[v as usize])).distance_squared(p)
            };
            let least = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
            // The hierarchy sorts triangles, and rounding may differ with the order of corners by nothing else.
            prop_assert_eq!(found, least);
        }
    }

    #[test]
    fn lines_along_an_axis_and_in_the_plane_of_a_box() {
        let p = [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]].map(DVec3::from_array);
        let tree = TriangleBvh::new(&[[0, 1, 2]], &p);
        let tree = tree.posed(&p);
        let crosses = |from: [f64; 3], to: [f64; 3]| tree.crosses(from.into(), to.into(), |_| true);
        assert!(crosses([0.5, 0.5, -1.0], [0.5, 0.5, 1.0]));
        assert!(!crosses([0.5, 0.5, 0.1], [0.5, 0.5, 1.0]));
        assert!(!crosses([0.5, 0.5, 0.0], [0.5, 0.5, 1.0]), "a line may start on the surface");
        assert!(!crosses([-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]), "a line in the plane does not cross it");
        assert!(!crosses([0.5, 0.5, 1.0], [0.5, 0.5, 1.0]));
    }
}
