//! A rig made ready for queries: regions, how they move, and a tree of spheres on each.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use super::bound::Swing;
use super::guard::{Guard, Guarded};
use super::lanes::{Lanes, NOTHING, Reach, joined};
use super::model::{Model, spread};
use super::moment::Moment;
use super::posed::Posed;
use super::regions::{Numbered, main_bone, regions};
use super::tree::{Below, Node, tree};
use super::{CollideError, Place};
use crate::geometry::Bounds;
use crate::rig::Rig;

/// What regions' models leave, as a share of the diagonal: a good deal less than triangles are large.
const LEFT: f64 = 1e-3;
/// Frames that the tree is built for, spread over all.
const SHOWN: usize = 4;

/// A rig made ready for queries in any of its frames.
pub struct Body<'a> {
    pub(super) rig: &'a Rig,
    /// The middle of the rest pose, and the rest pose as seen from it. Vertices are in the order that leaves need
    /// them in, so that what one leaf needs lies together.
    pub(super) center: DVec3,
    pub(super) rest: Vec<Vec3A>,
    /// Displacements by all correction shapes, vertex after vertex.
    pub(super) shapes: Vec<Vec3A>,
    /// Bones and their weights, vertex after vertex.
    pub(super) influences: Vec<(u32, f32)>,
    /// The vertices of the rig by the numbers they have here.
    pub(super) places: Vec<u32>,
    /// Triangles in the order of the trees, and their numbers in the rig.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) numbers: Vec<u32>,
    /// Corners of the triangles, the same for vertices that are always at one place.
    pub(super) points: Vec<[u32; 3]>,
    /// Of each region how it moves.
    pub(super) models: Vec<Model>,
    /// The tree, from its root, and what guards its leaves.
    pub(super) nodes: Vec<Node>,
    pub(super) guards: Vec<Guard>,
    pub(super) swings: Vec<Swing>,
    /// Boxes of what is below each node, frame after frame.
    pub(super) boxes: Vec<Lanes>,
    /// At least how far from the origin anything is that goes into a vertex or a bound, in each frame.
    pub(super) far: Vec<f32>,
    /// The largest sum of sizes of weights on a vertex.
    pub(super) heaviest: f32,
}

impl<'a> Body<'a> {
    /// Sorts the triangles of a rig into regions, learns how they move, and builds their trees. All vertices of
    /// all frames are looked at here, once, and never again.
    pub fn new(rig: &'a Rig) -> Result<Self, CollideError> {
        rig.validate()?;
        check_finite(rig)?;
        let bounds = Bounds::of(&rig.rest);
        let mut body = Self {
            rig,
            center: bounds.center(),
            rest: rig.rest.iter().map(|p| (p.as_dvec3() - bounds.center()).as_vec3().into()).collect(),
            shapes: by_vertex(rig),
            influences: rig.weights.bones.iter().copied().zip(rig.weights.weights.iter().copied()).collect(),
            places: Vec::new(),
            triangles: Vec::new(),
            numbers: Vec::new(),
            points: Vec::new(),
            models: Vec::new(),
            nodes: Vec::new(),
            guards: Vec::new(),
            swings: Vec::new(),
            boxes: Vec::new(),
            far: Vec::new(),
            heaviest: heaviest(rig),
        };
        let moments: Vec<Moment> = (0..rig.frame_count().max(1))
            .map(|frame| {
                let mut moment = Moment::default();
                moment.set(&body, frame, &Place::IDENTITY);
                moment
            })
            .collect();
        let points = rig.points();
        let regions = regions(&body.numbered(), &rig.weights, &points);
        if regions.is_empty() {
            return Err(CollideError::NoTriangles);
        }
        let fine = LEFT * bounds.diagonal();
        let divide = |triangles| Guarded::new(&body, &moments, triangles, fine);
        let regions: Vec<Guarded> = regions.into_par_iter().map(divide).collect();
        regions.into_iter().for_each(|region| body.add(region));
        body.points = body.triangles.iter().map(|t| t.map(|v| points[v as usize])).collect();
        body.renumber();
        let leaves: Vec<Vec<Reach>> = moments.par_iter().map(|moment| body.leaf_boxes(moment)).collect();
        body.nodes =
            tree(&spread(leaves.len(), SHOWN).map(|frame| leaves[frame].clone()).collect::<Vec<_>>());
        body.boxes = leaves.par_iter().flat_map_iter(|leaves| body.boxes_of(leaves)).collect();
        let reach = reach(rig);
        body.far = moments.iter().map(|moment| moment.far(reach)).collect();
        for model in &body.models {
            for (far, frame) in body.far.iter_mut().zip(&model.frames) {
                *far = far.max(frame.far(reach));
            }
        }
        Ok(body)
    }

    /// The rig.
    pub fn rig(&self) -> &'a Rig {
        self.rig
    }

    /// Ready to be set to a frame.
    pub fn posed(&self) -> Posed<'_> {
        Posed::new(self)
    }

    /// The bone that moves each triangle most, by the triangles' numbers in [`Mesh::triangles`].
    ///
    /// [`Mesh::triangles`]: crate::geometry::Mesh::triangles
    pub fn bones_of_triangles(&self) -> Vec<u32> {
        let all = self.rig.mesh.triangles(&self.rig.rest);
        all.iter().map(|triangle| main_bone(&self.rig.weights, triangle)).collect()
    }

    /// Triangles of three vertices, with their numbers.
    fn numbered(&self) -> Vec<Numbered> {
        let all = self.rig.mesh.triangles(&self.rig.rest).into_iter().enumerate();
        let whole = all.filter(|(_, [a, b, c])| a != b && b != c && c != a);
        whole.map(|(number, triangle)| (number as u32, triangle)).collect()
    }

    /// Adds a region.
    fn add(&mut self, region: Guarded) {
        let Guarded { model, triangles, guards, swings, .. } = region;
        let (first, first_swing) = (self.triangles.len() as u32, self.swings.len() as u32);
        let region = self.models.len() as u32;
        self.guards.extend(guards.into_iter().map(|guard| Guard {
            region,
            start: guard.start + first,
            end: guard.end + first,
            swings: guard.swings + first_swing,
            ..guard
        }));
        self.swings.extend(swings);
        self.numbers.extend(triangles.iter().map(|(number, _)| *number));
        self.triangles.extend(triangles.iter().map(|(_, triangle)| *triangle));
        self.models.push(model);
    }

    /// Gives vertices new numbers, in the order of the triangles.
    fn renumber(&mut self) {
        let count = self.rest.len();
        self.places = vec![u32::MAX; count];
        let mut order = Vec::with_capacity(count);
        for v in self.triangles.as_flattened().iter().copied().chain(0..count as u32) {
            if self.places[v as usize] == u32::MAX {
                self.places[v as usize] = order.len() as u32;
                order.push(v as usize);
            }
        }
        let places = &self.places;
        self.triangles.as_flattened_mut().iter_mut().for_each(|v| *v = places[*v as usize]);
        self.rest = reordered(&self.rest, &order);
        self.shapes = reordered(&self.shapes, &order);
        self.influences = reordered(&self.influences, &order);
    }

    /// The boxes of the leaves in a frame.
    fn leaf_boxes(&self, moment: &Moment) -> Vec<Reach> {
        let pose: Vec<Vec3A> = (0..self.rest.len() as u32).map(|v| moment.vertex(self, v)).collect();
        let around = |guard: &Guard| {
            let corners = self.triangles[guard.start as usize..guard.end as usize].as_flattened().iter();
            corners.map(|&v| pose[v as usize]).fold(NOTHING, |all, p| joined(all, [p, p]))
        };
        self.guards.iter().map(around).collect()
    }

    /// The boxes of what is below all nodes, from those of the leaves.
    fn boxes_of(&self, leaves: &[Reach]) -> Vec<Lanes> {
        let mut nodes = vec![NOTHING; self.nodes.len()];
        let mut boxes = Vec::with_capacity(nodes.len());
        for (at, below) in self.nodes.iter().enumerate().rev() {
            let parts = below.map(|below| match below {
                Below::Node(node) => nodes[node as usize],
                Below::Leaf(leaf) => leaves[leaf as usize],
                Below::Nothing => NOTHING,
            });
            nodes[at] = parts.into_iter().fold(NOTHING, joined);
            boxes.push(Lanes::new(&parts));
        }
        boxes.reverse();
        boxes
    }
}

/// The same in another order, an equal share for each number.
fn reordered<T: Copy>(all: &[T], order: &[usize]) -> Vec<T> {
    let each = all.len() / order.len().max(1);
    order.iter().flat_map(|&v| &all[v * each..(v + 1) * each]).copied().collect()
}

/// Displacements, vertex after vertex: what one vertex needs lies together.
fn by_vertex(rig: &Rig) -> Vec<Vec3A> {
    let Some(c) = &rig.corrections else { return Vec::new() };
    let n = rig.rest.len();
    (0..n).flat_map(|v| (0..c.rank).map(move |r| c.basis[r * n + v].into())).collect()
}

/// How far the rest pose, displaced by the corrections, is from its middle at most.
fn reach(rig: &Rig) -> f32 {
    let corrections = rig.corrections.iter().filter(|c| c.rank > 0);
    let swings = corrections.map(|c| {
        let longest = |r: usize| {
            let shape = &c.basis[r * rig.rest.len()..(r + 1) * rig.rest.len()];
            shape.iter().map(|u| u.length()).fold(0.0, f32::max)
        };
        let most = |r: usize| c.coefficients.iter().skip(r).step_by(c.rank).fold(0.0, |m, q| q.abs().max(m));
        (0..c.rank).map(|r| longest(r) * most(r)).sum::<f32>()
    });
    Bounds::of(&rig.rest).diagonal() as f32 + swings.sum::<f32>()
}

fn heaviest(rig: &Rig) -> f32 {
    let weight = |w: &[f32]| w.iter().map(|w| w.abs()).sum::<f32>();
    rig.weights.weights.chunks_exact(rig.weights.per_vertex.max(1)).map(weight).fold(1.0, f32::max)
}

fn check_finite(rig: &Rig) -> Result<(), CollideError> {
    let corrections = rig.corrections.as_ref();
    let checks = [
        ("rest pose", rig.rest.iter().all(|p| p.is_finite())),
        ("weights", rig.weights.weights.iter().all(|w| w.is_finite())),
        ("transforms", rig.transforms.iter().all(|t| t.is_finite())),
        ("corrections", corrections.is_none_or(|c| c.basis.iter().all(|u| u.is_finite()))),
        ("coefficients", corrections.is_none_or(|c| c.coefficients.iter().all(|q| q.is_finite()))),
    ];
    match checks.into_iter().find(|(_, finite)| !finite) {
        None => Ok(()),
        Some((what, _)) => Err(CollideError::NotFinite { what }),
    }
}
