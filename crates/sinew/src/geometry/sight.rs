//! Lines of sight: whether a straight line between two points crosses a surface.
//!
//! A tree of boxes over the triangles, halved at the median of the longest side. The tree is made in one
//! pose; in others only the boxes are fitted anew, which is much cheaper and, for a mesh that moves, hardly
//! looser.

use glam::DVec3;

/// Triangles in a box that is not split further.
const LEAF: usize = 4;
/// How far beyond its edges a triangle still stops a line, so that none slips between two.
const EDGE: f64 = 1e-9;
/// Share of a line next to its ends in which crossings do not count.
const ENDS: f64 = 1e-6;

/// A box of the tree: its triangles are `start..end`; its halves are boxes too.
pub(crate) struct Node {
    pub start: u32,
    pub end: u32,
    /// Where the second half is; the first follows the box itself. 0 for a leaf.
    pub second: u32,
}

/// Triangles sorted into boxes.
pub(crate) struct TriangleTree {
    pub triangles: Vec<[u32; 3]>,
    pub nodes: Vec<Node>,
}

/// The tree in one pose.
pub(crate) struct PosedTree<'a> {
    pub tree: &'a TriangleTree,
    pub positions: &'a [DVec3],
    /// The smallest and the largest corner of each box.
    pub boxes: Vec<[DVec3; 2]>,
}

impl TriangleTree {
    /// Sorts `triangles` as they lie in one pose.
    pub fn new(triangles: &[[u32; 3]], positions: &[DVec3]) -> Self {
        let middle = |t: &[u32; 3]| t.iter().map(|&v| positions[v as usize]).sum::<DVec3>();
        let mut sorted: Vec<(DVec3, [u32; 3])> = triangles.iter().map(|t| (middle(t), *t)).collect();
        let mut nodes = Vec::new();
        if !sorted.is_empty() {
            let end = sorted.len();
            split(&mut nodes, &mut sorted, 0, end);
        }
        Self { triangles: sorted.into_iter().map(|(_, t)| t).collect(), nodes }
    }

    /// The tree with the triangles as they lie in another pose.
    pub fn posed<'a>(&'a self, positions: &'a [DVec3]) -> PosedTree<'a> {
        let mut boxes = vec![[DVec3::ZERO; 2]; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            boxes[at] = if node.second == 0 {
                let corners = self.triangles[node.start as usize..node.end as usize].as_flattened();
                let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
                let places = corners.iter().map(|&v| positions[v as usize]);
                places.fold(nothing, |[min, max], p| [min.min(p), max.max(p)])
            } else {
                let ([a, b], [c, d]) = (boxes[at + 1], boxes[node.second as usize]);
                [a.min(c), b.max(d)]
            };
        }
        PosedTree { tree: self, positions, boxes }
    }
}

fn split(nodes: &mut Vec<Node>, sorted: &mut [(DVec3, [u32; 3])], start: usize, end: usize) {
    let at = nodes.len();
    nodes.push(Node { start: start as u32, end: end as u32, second: 0 });
    if end - start <= LEAF {
        return;
    }
    let some = &mut sorted[start..end];
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (min, max) = some.iter().fold(nothing, |(min, max), (p, _)| (min.min(*p), max.max(*p)));
    let axis = (max - min).max_position();
    let half = (end - start) / 2;
    some.select_nth_unstable_by(half, |(p, s), (q, t)| p[axis].total_cmp(&q[axis]).then(s.cmp(t)));
    split(nodes, sorted, start, start + half);
    nodes[at].second = nodes.len() as u32;
    split(nodes, sorted, start + half, end);
}

/// A line from a point, ready to be tested against boxes.
struct Line {
    from: DVec3,
    way: DVec3,
    inverse: DVec3,
}

impl PosedTree<'_> {
    /// Whether the line between two points crosses one of the triangles that `counts`.
    pub fn crosses(&self, from: DVec3, to: DVec3, counts: impl Fn(&[u32; 3]) -> bool) -> bool {
        let way = to - from;
        // A direction of nothing but zeros would make 0 · ∞ of a box that touches the line.
        let inverse =
            DVec3::from_array(way.to_array().map(|x| if x.abs() < 1e-300 { 1e300 } else { 1.0 / x }));
        let line = Line { from, way, inverse };
        let mut at = 0;
        // Boxes still to be looked at: one a level, and halving leaves no more than 32 levels.
        let mut waiting = [0_usize; 40];
        let mut count = 0;
        if self.boxes.is_empty() {
            return false;
        }
        loop {
            let node = &self.tree.nodes[at];
            if line.meets(&self.boxes[at]) {
                if node.second != 0 {
                    waiting[count] = node.second as usize;
                    count += 1;
                    at += 1;
                    continue;
                }
                let some = &self.tree.triangles[node.start as usize..node.end as usize];
                if some.iter().any(|t| line.hits(t.map(|v| self.positions[v as usize])) && counts(t)) {
                    return true;
                }
            }
            if count == 0 {
                return false;
            }
            count -= 1;
            at = waiting[count];
        }
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
            let tree = TriangleTree::new(&triangles, &made);
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
    }

    #[test]
    fn lines_along_an_axis_and_in_the_plane_of_a_box() {
        let p = [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]].map(DVec3::from_array);
        let tree = TriangleTree::new(&[[0, 1, 2]], &p);
        let tree = tree.posed(&p);
        let crosses = |from: [f64; 3], to: [f64; 3]| tree.crosses(from.into(), to.into(), |_| true);
        assert!(crosses([0.5, 0.5, -1.0], [0.5, 0.5, 1.0]));
        assert!(!crosses([0.5, 0.5, 0.1], [0.5, 0.5, 1.0]));
        assert!(!crosses([0.5, 0.5, 0.0], [0.5, 0.5, 1.0]), "a line may start on the surface");
        assert!(!crosses([-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]), "a line in the plane does not cross it");
        assert!(!crosses([0.5, 0.5, 1.0], [0.5, 0.5, 1.0]));
    }
}
