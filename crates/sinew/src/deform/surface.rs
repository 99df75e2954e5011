//! The surface that deforms: seams closed, loose pieces tied to the rest.

use glam::{DVec3, Vec3};

use crate::geometry::joining::joining_links;
use crate::geometry::laplacian::LaplacianPattern;
use crate::geometry::surface::pieces;
use crate::geometry::weld::{numbered, weld};

/// Points, triangles and pieces. Vertices that are at the same place in the rest pose and in all examples are
/// one point.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// The point of each vertex.
    pub point_of: Vec<u32>,
    /// A vertex of each point.
    pub first: Vec<u32>,
    /// Rest pose of the points.
    pub rest: Vec<Vec3>,
    /// Edges and triangles; those that name a point twice are left out.
    pub pattern: LaplacianPattern,
    /// The piece of each point, named by one of its points.
    pub piece: Vec<u32>,
}

/// A tie between a piece without a handle and what is nearest to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    /// The points, smaller first.
    pub ends: [u32; 2],
    /// A triangle at one of its ends: the link turns as it does.
    pub triangle: u32,
}

/// Which vertices are one point.
pub(super) struct Welded {
    point_of: Vec<u32>,
    first: Vec<u32>,
}

impl Welded {
    /// Vertices that are at the same place in the rest pose and in all examples are one.
    pub fn new(rest: &[Vec3], examples: &[&[Vec3]]) -> Self {
        let place = |pose: usize, v: u32| match pose {
            0 => rest[v as usize],
            example => examples[example - 1][v as usize],
        };
        let (point_of, first) = weld(rest.len(), 1 + examples.len(), place);
        Self { point_of, first }
    }

    /// As the rest pose has it, but for vertices that are one with another `first` than there, each named with
    /// it. None where those are not at the same place, or `first` not the first of its own.
    pub fn torn(rest: &[Vec3], torn: &[[u32; 2]]) -> Option<Self> {
        let whole = Self::new(rest, &[]);
        let mut first_of: Vec<u32> = whole.point_of.iter().map(|&p| whole.first[p as usize]).collect();
        for &[vertex, first] in torn {
            let at = |v: u32| whole.point_of.get(v as usize);
            if first > vertex || at(vertex)? != at(first)? {
                return None;
            }
            first_of[vertex as usize] = first;
        }
        let (point_of, first) = numbered(&first_of);
        let own = |&[_, first]: &[u32; 2]| first_of[first as usize] == first;
        torn.iter().all(own).then_some(Self { point_of, first })
    }
}

impl Surface {
    pub fn new(triangles: &[[u32; 3]], rest: &[Vec3], welded: Welded) -> Self {
        let Welded { point_of, first } = welded;
        let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| point_of[v as usize])).collect();
        let pattern = LaplacianPattern::new(first.len(), &triangles);
        let piece = pieces(first.len(), pattern.edges());
        let rest = first.iter().map(|&v| rest[v as usize]).collect();
        Self { point_of, first, rest, pattern, piece }
    }

    /// What [`Welded::torn`] makes the same points of.
    pub fn torn(&self) -> Vec<[u32; 2]> {
        let rest: Vec<Vec3> = self.point_of.iter().map(|&p| self.rest[p as usize]).collect();
        let whole = Welded::new(&rest, &[]);
        let first = |v: usize| self.first[self.point_of[v] as usize];
        let differs = |v: &usize| first(*v) != whole.first[whole.point_of[*v] as usize];
        (0..rest.len()).filter(differs).map(|v| [v as u32, first(v)]).collect()
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        self.pattern.triangles()
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Where a point is in the rest pose.
    pub fn place(&self, point: u32) -> DVec3 {
        self.rest[point as usize].as_dvec3()
    }

    /// A pose of the vertices as one of the points.
    pub fn gather(&self, pose: &[Vec3]) -> Vec<Vec3> {
        self.first.iter().map(|&v| pose[v as usize]).collect()
    }

    /// The shortest ties that bring every piece without a handle to one that has one.
    pub fn links(&self, has_handle: &[bool]) -> Vec<Link> {
        // All that have one count as one piece.
        let Some(held) = (0..self.len()).find(|&p| has_handle[p]).map(|p| self.piece[p]) else {
            return Vec::new();
        };
        let mut handled = vec![false; self.len()];
        (0..self.len()).filter(|&p| has_handle[p]).for_each(|p| handled[self.piece[p] as usize] = true);
        let united = self.piece.iter().map(|&p| if handled[p as usize] { held } else { p }).collect();
        let mut triangle_of = vec![u32::MAX; self.len()];
        for (number, corners) in (0_u32..).zip(self.triangles()) {
            corners.iter().for_each(|&p| triangle_of[p as usize] = number);
        }
        let link = |[a, b]: [u32; 2]| {
            let triangle = triangle_of[a as usize].min(triangle_of[b as usize]);
            // Between two loose points: any will do.
            let triangle = if triangle == u32::MAX { 0 } else { triangle };
            Link { ends: [a.min(b), a.max(b)], triangle }
        };
        let mut links: Vec<Link> = joining_links(&self.rest, united).into_iter().map(link).collect();
        links.sort_unstable_by_key(|link| link.ends);
        links
    }
}
