//! Going down two trees, or one, where bounds meet.

use glam::DVec3;

use super::bound::Bound;
use super::posed::Posed;
use super::slab::{Beyond, slab};
use super::touch::touch;

/// Two triangles that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Their numbers in [`Mesh::triangles`](crate::geometry::Mesh::triangles) of the rest pose: of the first body
    /// and of the second, or the smaller first within one.
    pub triangles: [u32; 2],
    /// The ends of the line that they have in common, where the bodies meet.
    pub points: [DVec3; 2],
    /// How far they reach through each other, as [`Touch::depth`](super::Touch::depth).
    pub depth: f64,
}

/// What a node of a tree holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    /// Its triangles are `start..end`.
    pub start: u32,
    pub end: u32,
    /// Where the second half is; the first follows the node itself. 0 for a leaf.
    pub second: u32,
}

/// A tree of bounds over triangles in one frame.
pub(super) trait Side {
    /// What holds a node's triangles.
    type Bound: Copy;
    fn links(&self, node: u32) -> Links;
    fn bound(&self, node: u32) -> Self::Bound;
    /// Whether a node can have any part in what is asked.
    fn counts(&self, node: u32) -> bool;
    fn meet(a: Self::Bound, b: Self::Bound) -> bool;
    /// Larger bounds are split first.
    fn size(bound: Self::Bound) -> f32;
    fn corners(&self, triangle: u32) -> [DVec3; 3];
    /// Number of a triangle in the rig.
    fn number(&self, triangle: u32) -> u32;
    /// Its corners, the same for vertices that are always at one place.
    fn points(&self, triangle: u32) -> [u32; 3];
}

impl Side for Posed<'_> {
    type Bound = Bound;

    fn links(&self, node: u32) -> Links {
        let node = &self.body.nodes[node as usize];
        Links { start: node.start, end: node.end, second: node.second }
    }

    fn bound(&self, node: u32) -> Bound {
        Posed::bound(self, node)
    }

    fn counts(&self, node: u32) -> bool {
        self.reaches(node)
    }

    fn meet(a: Bound, b: Bound) -> bool {
        a.meets(&b)
    }

    fn size(bound: Bound) -> f32 {
        bound.radius
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        Posed::corners(self, triangle)
    }

    fn number(&self, triangle: u32) -> u32 {
        self.body.numbers[triangle as usize]
    }

    fn points(&self, triangle: u32) -> [u32; 3] {
        self.body.triangles[triangle as usize].map(|v| self.body.points[v as usize])
    }
}

/// Where two bodies touch, as they are set: all pairs of triangles, in ascending order of their numbers.
pub fn between(a: &Posed, b: &Posed) -> Vec<Contact> {
    let Some([of_a, of_b]) = slab(a, b) else { return Vec::new() };
    let near = |side: &Posed, beyond: Beyond| -> Vec<u32> {
        side.look(Some(beyond));
        side.body.roots.iter().copied().filter(|&root| side.counts(root)).collect()
    };
    let (of_a, of_b) = (near(a, of_a), near(b, of_b));
    let found = crossing(a, b, of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| (i, j))).collect());
    a.look(None);
    b.look(None);
    found
}

/// Where a body touches itself: all pairs of triangles that share no vertex, in ascending order of their numbers.
/// Vertices that are always at one place, as along seams, count as one.
pub fn within(body: &Posed) -> Vec<Contact> {
    looped(body, &body.body.roots)
}

/// Contacts below pairs of nodes of two trees.
pub(super) fn crossing<S: Side>(a: &S, b: &S, waiting: Vec<(u32, u32)>) -> Vec<Contact> {
    let mut found = Vec::new();
    descend(a, b, waiting, &mut |i, j| found.extend(contact(a, b, i, j)));
    found.sort_unstable_by_key(|contact| contact.triangles);
    found
}

/// Contacts within one tree, or between several of one body.
pub(super) fn looped<S: Side>(tree: &S, roots: &[u32]) -> Vec<Contact> {
    let mut found = Vec::new();
    let mut test = |i: u32, j: u32| {
        let (of_i, of_j) = (tree.points(i), tree.points(j));
        if of_i.iter().any(|p| of_j.contains(p)) {
            return;
        }
        let (i, j) = if tree.number(i) < tree.number(j) { (i, j) } else { (j, i) };
        found.extend(contact(tree, tree, i, j));
    };
    let mut across = Vec::new();
    for (k, &root) in roots.iter().enumerate() {
        across.extend(roots[..k].iter().map(|&other| (other, root)));
    }
    let mut alone = roots.to_vec();
    while let Some(node) = alone.pop() {
        let Links { start, end, second } = tree.links(node);
        if second != 0 {
            alone.extend([node + 1, second]);
            across.push((node + 1, second));
            continue;
        }
        for j in start..end {
            (start..j).for_each(|i| test(i, j));
        }
    }
    descend(tree, tree, across, &mut test);
    found.sort_unstable_by_key(|contact| contact.triangles);
    found
}

/// Hands out pairs of triangles whose bounds meet.
fn descend<S: Side>(a: &S, b: &S, mut waiting: Vec<(u32, u32)>, test: &mut impl FnMut(u32, u32)) {
    while let Some((i, j)) = waiting.pop() {
        let bounds = (a.bound(i), b.bound(j));
        if !S::meet(bounds.0, bounds.1) {
            continue;
        }
        let (at_a, at_b) = (a.links(i), b.links(j));
        match (at_a.second, at_b.second) {
            (0, 0) => {
                for s in at_a.start..at_a.end {
                    (at_b.start..at_b.end).for_each(|t| test(s, t));
                }
            }
            (second, other) if other == 0 || (second != 0 && S::size(bounds.0) >= S::size(bounds.1)) => {
                waiting.extend([i + 1, second].into_iter().filter(|&i| a.counts(i)).map(|i| (i, j)));
            }
            (_, second) => {
                waiting.extend([j + 1, second].into_iter().filter(|&j| b.counts(j)).map(|j| (i, j)));
            }
        }
    }
}

fn contact<S: Side>(a: &S, b: &S, i: u32, j: u32) -> Option<Contact> {
    let (of_a, of_b) = (a.corners(i), b.corners(j));
    // Most are not even near.
    let reach = |t: &[DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let ((min_a, max_a), (min_b, max_b)) = (reach(&of_a), reach(&of_b));
    if min_a.cmpgt(max_b).any() || min_b.cmpgt(max_a).any() {
        return None;
    }
    let found = touch(&of_a, &of_b)?;
    Some(Contact { triangles: [a.number(i), b.number(j)], points: found.points, depth: found.depth })
}
