//! The plain way: every vertex of every frame, and a tree of boxes fitted anew to all triangles.

use glam::{DVec3, Vec3, Vec3A};

use super::Place;
use super::body::Body;
use super::posed::Moment;
use super::query::{Contact, Links, Side, crossing, looped};

/// Triangles in a box that is not split further.
const LEAF: usize = 4;

/// A body in one frame, all of it.
pub struct Boxes<'a> {
    body: &'a Body<'a>,
    /// Triangles as the body counts them, in the order of the tree.
    order: Vec<u32>,
    nodes: Vec<Links>,
    moment: Moment,
    vertices: Vec<Vec3>,
    bounds: Vec<[Vec3A; 2]>,
}

impl<'a> Boxes<'a> {
    /// Builds the tree in the rest pose.
    pub fn new(body: &'a Body<'a>) -> Self {
        let middle = |t: u32| body.triangles[t as usize].iter().map(|&v| body.rest[v as usize]).sum::<Vec3>();
        let mut order: Vec<(u32, Vec3)> = (0..body.triangles.len() as u32).map(|t| (t, middle(t))).collect();
        let mut nodes = Vec::new();
        split(&mut nodes, &mut order, 0);
        let mut boxes = Self {
            body,
            order: order.into_iter().map(|(t, _)| t).collect(),
            bounds: vec![[Vec3A::ZERO; 2]; nodes.len()],
            nodes,
            moment: Moment::default(),
            vertices: vec![Vec3::ZERO; body.rest.len()],
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
                let nothing = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];
                corners
                    .map(|v| Vec3A::from(self.vertices[v as usize]))
                    .fold(nothing, |[min, max], p| [min.min(p), max.max(p)])
            } else {
                let ([a, b], [c, d]) = (self.bounds[at + 1], self.bounds[second as usize]);
                [a.min(c), b.max(d)]
            };
        }
    }

    /// Where two bodies touch: the same as [`between`](super::between), the plain way.
    pub fn between(&self, other: &Self) -> Vec<Contact> {
        crossing(self, other, vec![(0, 0)])
    }

    /// Where a body touches itself: the same as [`within`](super::within), the plain way.
    pub fn within(&self) -> Vec<Contact> {
        looped(self, &[0])
    }
}

impl Side for Boxes<'_> {
    type Bound = [Vec3A; 2];

    fn links(&self, node: u32) -> Links {
        self.nodes[node as usize]
    }

    fn bound(&self, node: u32) -> Self::Bound {
        self.bounds[node as usize]
    }

    fn counts(&self, _: u32) -> bool {
        true
    }

    fn meet([a, b]: Self::Bound, [c, d]: Self::Bound) -> bool {
        a.cmple(d).all() && c.cmple(b).all()
    }

    fn size([min, max]: Self::Bound) -> f32 {
        (max - min).length_squared()
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let triangle = self.body.triangles[self.order[triangle as usize] as usize];
        triangle.map(|v| self.vertices[v as usize].as_dvec3())
    }

    fn number(&self, triangle: u32) -> u32 {
        self.body.numbers[self.order[triangle as usize] as usize]
    }

    fn points(&self, triangle: u32) -> [u32; 3] {
        let triangle = self.body.triangles[self.order[triangle as usize] as usize];
        triangle.map(|v| self.body.points[v as usize])
    }
}

fn split(nodes: &mut Vec<Links>, triangles: &mut [(u32, Vec3)], start: u32) {
    let at = nodes.len();
    nodes.push(Links { start, end: start + triangles.len() as u32, second: 0 });
    if triangles.len() <= LEAF {
        return;
    }
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (min, max) = triangles.iter().fold(nothing, |(min, max), (_, p)| (min.min(*p), max.max(*p)));
    let axis = (max - min).max_position();
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |(i, p), (j, q)| p[axis].total_cmp(&q[axis]).then(i.cmp(j)));
    let (low, high) = triangles.split_at_mut(half);
    split(nodes, low, start);
    nodes[at].second = nodes.len() as u32;
    split(nodes, high, start + half as u32);
}
