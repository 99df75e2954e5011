//! The plain way: every vertex of every frame, and a tree of boxes fitted anew to all triangles.

use glam::{DVec3, Vec3A};

use super::Place;
use super::body::Body;
use super::lanes::{NOTHING, Reach, joined, meet};
use super::moment::Moment;
use super::query::{Contact, sorted};

/// Triangles in a box that is not split further.
const LEAF: usize = 4;

/// A body in one frame, all of it.
pub struct Boxes<'a> {
    body: &'a Body<'a>,
    /// Triangles as the body counts them, in the order of the tree.
    order: Vec<u32>,
    nodes: Vec<Links>,
    moment: Moment,
    vertices: Vec<Vec3A>,
    bounds: Vec<Reach>,
}

/// What a node holds.
#[derive(Clone, Copy)]
struct Links {
    /// Its triangles are `start..end`.
    start: u32,
    end: u32,
    /// Where the second half is; the first follows the node itself. 0 for a leaf.
    second: u32,
}

impl<'a> Boxes<'a> {
    /// Builds the tree in the rest pose.
    pub fn new(body: &'a Body<'a>) -> Self {
        let middle =
            |t: u32| body.triangles[t as usize].iter().map(|&v| body.rest[v as usize]).sum::<Vec3A>();
        let mut order: Vec<(u32, Vec3A)> = (0..body.triangles.len() as u32).map(|t| (t, middle(t))).collect();
        let mut nodes = Vec::new();
        split(&mut nodes, &mut order, 0);
        let mut boxes = Self {
            body,
            order: order.into_iter().map(|(t, _)| t).collect(),
            bounds: vec![[Vec3A::ZERO; 2]; nodes.len()],
            nodes,
            moment: Moment::default(),
            vertices: vec![Vec3A::ZERO; body.rest.len()],
        };
        boxes.set(0, &Place::IDENTITY);
        boxes
    }

    /// Computes all vertices of a frame and fits all boxes to them.
    ///
    /// # Panics
    /// When there are frames, but not this one.
    pub fn set(&mut self, frame: usize, place: &Place) {
        self.moment.set(self.body, frame, place);
        for (v, vertex) in self.vertices.iter_mut().enumerate() {
            *vertex = self.moment.vertex(self.body, v as u32);
        }
        for at in (0..self.nodes.len()).rev() {
            let Links { start, end, second } = self.nodes[at];
            self.bounds[at] = if second == 0 {
                let triangles = self.order[start as usize..end as usize].iter();
                let corners = triangles.flat_map(|&t| self.body.triangles[t as usize]);
                let places = corners.map(|v| self.vertices[v as usize]);
                places.fold(NOTHING, |all, p| joined(all, [p, p]))
            } else {
                joined(self.bounds[at + 1], self.bounds[second as usize])
            };
        }
    }

    /// Where two bodies touch: the same as [`between`](super::between), the plain way.
    pub fn between(&self, other: &Self) -> Vec<Contact> {
        let mut found = Vec::new();
        self.descend(other, vec![(0, 0)], &mut |i, j| found.extend(self.contact(other, i, j)));
        sorted(found)
    }

    /// Where a body touches itself: the same as [`within`](super::within), the plain way.
    pub fn within(&self) -> Vec<Contact> {
        let mut found = Vec::new();
        let mut test = |i: u32, j: u32| {
            let (of_i, of_j) = (self.points(i), self.points(j));
            if of_i.iter().any(|p| of_j.contains(p)) {
                return;
            }
            let (i, j) = if self.number(i) < self.number(j) { (i, j) } else { (j, i) };
            found.extend(self.contact(self, i, j));
        };
        let (mut alone, mut across) = (vec![0], Vec::new());
        while let Some(node) = alone.pop() {
            let Links { start, end, second } = self.nodes[node as usize];
            if second != 0 {
                alone.extend([node + 1, second]);
                across.push((node + 1, second));
                continue;
            }
            for j in start..end {
                (start..j).for_each(|i| test(i, j));
            }
        }
        self.descend(self, across, &mut test);
        sorted(found)
    }

    /// Hands out pairs of triangles whose boxes meet.
    fn descend(&self, other: &Self, mut waiting: Vec<(u32, u32)>, test: &mut impl FnMut(u32, u32)) {
        while let Some((i, j)) = waiting.pop() {
            let (a, b) = (self.bounds[i as usize], other.bounds[j as usize]);
            if !meet(a, b) {
                continue;
            }
            let (at_a, at_b) = (self.nodes[i as usize], other.nodes[j as usize]);
            let size = |[min, max]: Reach| (max - min).length_squared();
            match (at_a.second, at_b.second) {
                (0, 0) => {
                    for s in at_a.start..at_a.end {
                        (at_b.start..at_b.end).for_each(|t| test(s, t));
                    }
                }
                (second, other) if other == 0 || (second != 0 && size(a) >= size(b)) => {
                    waiting.extend([(i + 1, j), (second, j)]);
                }
                (_, second) => waiting.extend([(i, j + 1), (i, second)]),
            }
        }
    }

    fn contact(&self, other: &Self, i: u32, j: u32) -> Option<Contact> {
        let (of_a, of_b) = (self.corners(i), other.corners(j));
        // Most are not even near.
        let reach = |t: &[DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
        let ((min_a, max_a), (min_b, max_b)) = (reach(&of_a), reach(&of_b));
        if min_a.cmpgt(max_b).any() || min_b.cmpgt(max_a).any() {
            return None;
        }
        Contact::of(&of_a, &of_b, [self.number(i), other.number(j)])
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let [a, b, c] = self.body.triangles[self.order[triangle as usize] as usize];
        [a, b, c].map(|v| self.vertices[v as usize].as_dvec3())
    }

    fn number(&self, triangle: u32) -> u32 {
        self.body.numbers[self.order[triangle as usize] as usize]
    }

    fn points(&self, triangle: u32) -> [u32; 3] {
        self.body.points[self.order[triangle as usize] as usize]
    }
}

fn split(nodes: &mut Vec<Links>, triangles: &mut [(u32, Vec3A)], start: u32) {
    let at = nodes.len();
    nodes.push(Links { start, end: start + triangles.len() as u32, second: 0 });
    if triangles.len() <= LEAF {
        return;
    }
    let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    let (min, max) = triangles.iter().fold(nothing, |(min, max), (_, p)| (min.min(*p), max.max(*p)));
    let axis = (max - min).max_position();
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |(i, p), (j, q)| p[axis].total_cmp(&q[axis]).then(i.cmp(j)));
    let (low, high) = triangles.split_at_mut(half);
    split(nodes, low, start);
    nodes[at].second = nodes.len() as u32;
    split(nodes, high, start + half as u32);
}
