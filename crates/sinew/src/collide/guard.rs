//! The leaves of one region, each with the sphere that guards it.

use glam::Vec3;

use super::body::Body;
use super::bound::{Swing, sphere_around};
use super::leaf::MOST;
use super::model::Model;
use super::moment::Moment;
use super::regions::Numbered;
use crate::geometry::Bounds;

/// What the bound of a leaf needs to know of its vertices.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub region: u32,
    /// Its triangles are `start..end`, in the order of the trees.
    pub start: u32,
    pub end: u32,
    /// c̄ and ρ.
    pub middle: Vec3,
    pub radius: f32,
    /// The farthest that the model is off at any of its vertices.
    pub missed: f32,
    /// Its shapes begin here.
    pub swings: u32,
}

/// A region, how it moves, and its leaves.
pub(super) struct Guarded {
    pub model: Model,
    pub triangles: Vec<Numbered>,
    pub guards: Vec<Guard>,
    pub swings: Vec<Swing>,
    /// The vertices that the model counts, and where they are at rest.
    vertices: Vec<u32>,
    rest: Vec<Vec3>,
}

impl Guarded {
    /// Learns how some triangles move, with what is left by the model within `fine`, and divides them into leaves.
    pub fn new(body: &Body, moments: &[Moment], mut triangles: Vec<Numbered>, fine: f64) -> Self {
        let vertices = vertices_of(&triangles);
        let rest: Vec<Vec3> = vertices.iter().map(|&v| body.rest[v as usize].into()).collect();
        let pose = |moment: &Moment| vertices.iter().map(|&v| moment.vertex(body, v).into()).collect();
        let poses: Vec<Vec<Vec3>> = moments.iter().map(pose).collect();
        let mut found = Self {
            model: Model::new(&rest, &poses, fine),
            triangles: Vec::new(),
            guards: Vec::new(),
            swings: Vec::new(),
            vertices,
            rest,
        };
        found.divide(&mut triangles, 0);
        found.triangles = triangles;
        // What only building needed.
        (found.model.shapes, found.model.missed, found.vertices, found.rest) = Default::default();
        found
    }

    /// Halves triangles, which start at `start` in the region, until they are few enough for a leaf.
    fn divide(&mut self, triangles: &mut [Numbered], start: usize) {
        if triangles.len() <= MOST {
            return self.push_guard(triangles, start);
        }
        let middle = |t: &[u32; 3]| t.iter().map(|&v| self.rest[self.index(v)]).sum::<Vec3>();
        let mut sorted: Vec<(Vec3, Numbered)> = triangles.iter().map(|one| (middle(&one.1), *one)).collect();
        let bounds = Bounds::of(&sorted.iter().map(|(p, _)| *p).collect::<Vec<_>>());
        let axis = (bounds.max - bounds.min).max_position();
        let half = triangles.len() / 2;
        sorted.select_nth_unstable_by(half, |(p, s), (q, t)| p[axis].total_cmp(&q[axis]).then(s.cmp(t)));
        triangles.iter_mut().zip(sorted).for_each(|(to, (_, one))| *to = one);
        let (low, high) = triangles.split_at_mut(half);
        self.divide(low, start);
        self.divide(high, start + half);
    }

    fn push_guard(&mut self, triangles: &[Numbered], start: usize) {
        let vertices: Vec<usize> = vertices_of(triangles).into_iter().map(|v| self.index(v)).collect();
        let Model { rank, shapes, missed, .. } = &self.model;
        let those: Vec<Vec3> = vertices.iter().map(|&v| self.rest[v]).collect();
        let (middle, radius) = sphere_around(&those);
        self.guards.push(Guard {
            region: 0,
            start: start as u32,
            end: (start + triangles.len()) as u32,
            middle,
            radius,
            missed: vertices.iter().map(|&v| missed[v]).fold(0.0, f32::max),
            swings: self.swings.len() as u32,
        });
        for shape in 0..*rank {
            let moved: Vec<Vec3> = vertices.iter().map(|&v| shapes[v * rank + shape]).collect();
            let (mean, radius) = sphere_around(&moved);
            self.swings.push(Swing { mean, radius });
        }
    }

    /// The model's number of a vertex.
    fn index(&self, vertex: u32) -> usize {
        self.vertices.partition_point(|&v| v < vertex)
    }
}

/// Vertices of some triangles, in ascending order.
fn vertices_of(triangles: &[Numbered]) -> Vec<u32> {
    let mut used: Vec<u32> = triangles.iter().flat_map(|(_, t)| *t).collect();
    used.sort_unstable();
    used.dedup();
    used
}
