//! A rig made ready for queries: regions, how they move, and a tree of spheres on each.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::bound::{Node, NodeKind, Swing, sphere_around};
use super::model::Model;
use super::posed::{Moment, Posed};
use super::regions::{Numbered, main_bone, regions};
use super::{CollideError, Place};
use crate::geometry::Bounds;
use crate::rig::Rig;

/// Triangles in a node that is not split further.
const LEAF: usize = 2;
/// Nodes of more triangles have their boxes kept for every frame.
const COARSE: usize = 16;
/// What regions' models leave, as a share of the diagonal: a good deal less than triangles are large.
const LEFT: f64 = 1e-3;

/// A rig made ready for queries in any of its frames.
pub struct Body<'a> {
    pub(super) rig: &'a Rig,
    /// The middle of the rest pose, and the rest pose as seen from it.
    pub(super) center: DVec3,
    pub(super) rest: Vec<Vec3>,
    /// Displacements by all correction shapes, vertex after vertex.
    pub(super) shapes: Vec<Vec3>,
    /// Triangles in the order of the trees, and their numbers in the rig.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) numbers: Vec<u32>,
    /// For each vertex the first that is always at the same place.
    pub(super) points: Vec<u32>,
    /// Of each region how it moves, and its first node.
    pub(super) models: Vec<Model>,
    pub(super) roots: Vec<u32>,
    /// Trees one after another; a node's halves follow it.
    pub(super) nodes: Vec<Node>,
    pub(super) swings: Vec<Swing>,
    /// Boxes of large nodes, frame after frame, and how many a frame has.
    pub(super) boxes: Vec<[Vec3; 2]>,
    pub(super) kept: usize,
    /// At least how far from the origin anything is that goes into a vertex or a bound, in each frame.
    pub(super) far: Vec<f32>,
    /// The largest sum of sizes of weights on a vertex.
    pub(super) heaviest: f32,
}

/// The tree of one region.
struct Tree {
    model: Model,
    /// The vertices that the model counts, and where they are at rest.
    vertices: Vec<u32>,
    rest: Vec<Vec3>,
    triangles: Vec<Numbered>,
    nodes: Vec<Node>,
    swings: Vec<Swing>,
    /// How many large nodes there are, and their boxes, frame after frame.
    large: u32,
    boxes: Vec<[Vec3; 2]>,
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
            rest: rig.rest.iter().map(|p| (p.as_dvec3() - bounds.center()).as_vec3()).collect(),
            shapes: by_vertex(rig),
            triangles: Vec::new(),
            numbers: Vec::new(),
            points: rig.points(),
            models: Vec::new(),
            roots: Vec::new(),
            nodes: Vec::new(),
            swings: Vec::new(),
            boxes: Vec::new(),
            kept: 0,
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
        let regions = regions(&body.numbered(), &rig.weights, &body.points);
        if regions.is_empty() {
            return Err(CollideError::NoTriangles);
        }
        let fine = LEFT * bounds.diagonal();
        let grow = |triangles| Tree::new(&body, &moments, triangles, fine);
        let grown: Vec<Tree> = regions.into_par_iter().map(grow).collect();
        for frame in 0..moments.len() {
            body.boxes.extend(grown.iter().flat_map(|tree| {
                let kept = tree.boxes.len() / moments.len();
                &tree.boxes[frame * kept..(frame + 1) * kept]
            }));
        }
        grown.into_iter().for_each(|tree| body.plant(tree));
        body.kept = body.boxes.len() / moments.len();
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

    /// Adds the tree of a region.
    fn plant(&mut self, tree: Tree) {
        let Tree { model, triangles, nodes, swings, .. } = tree;
        let (root, region) = (self.nodes.len() as u32, self.models.len() as u32);
        let (first, first_swing) = (self.triangles.len() as u32, self.swings.len() as u32);
        let large = |node: &&Node| matches!(node.kind, NodeKind::Large(_));
        let first_kept = self.nodes.iter().filter(large).count() as u32;
        let kind = |kind: NodeKind| match kind {
            NodeKind::Large(number) => NodeKind::Large(number + first_kept),
            other => other,
        };
        self.nodes.extend(nodes.into_iter().map(|node| Node {
            region,
            swings: node.swings + first_swing,
            kind: kind(node.kind),
            start: node.start + first,
            end: node.end + first,
            second: if node.second == 0 { 0 } else { node.second + root },
            ..node
        }));
        self.roots.push(root);
        self.swings.extend(swings);
        self.numbers.extend(triangles.iter().map(|(number, _)| *number));
        self.triangles.extend(triangles.iter().map(|(_, triangle)| *triangle));
        self.models.push(model);
    }
}

impl Tree {
    fn new(body: &Body, moments: &[Moment], mut triangles: Vec<Numbered>, fine: f64) -> Self {
        let vertices = vertices_of(&triangles);
        let rest: Vec<Vec3> = vertices.iter().map(|&v| body.rest[v as usize]).collect();
        let pose = |moment: &Moment| vertices.iter().map(|&v| moment.vertex(body, v)).collect();
        let poses: Vec<Vec<Vec3>> = moments.iter().map(pose).collect();
        let model = Model::new(&rest, &poses, fine);
        let (nodes, swings) = (Vec::new(), Vec::new());
        let mut tree =
            Self { model, vertices, rest, triangles: Vec::new(), nodes, swings, large: 0, boxes: Vec::new() };
        tree.grow(&mut triangles, 0, false);
        tree.triangles = triangles;
        tree.keep_boxes(&poses);
        // What only building needed.
        (tree.model.shapes, tree.model.missed) = Default::default();
        tree
    }

    /// Adds the node of these triangles, which start at `start` in the region, and all below it. What is `guarded`
    /// has a small node above it.
    fn grow(&mut self, triangles: &mut [Numbered], start: usize, guarded: bool) {
        let at = self.nodes.len();
        self.push_node(triangles, start, guarded);
        if triangles.len() <= LEAF {
            return;
        }
        let middle = |t: &[u32; 3]| t.iter().map(|&v| self.rest[self.index(v)]).sum::<Vec3>();
        let mut sorted: Vec<(Vec3, Numbered)> = triangles.iter().map(|one| (middle(&one.1), *one)).collect();
        let bounds = Bounds::of(&sorted.iter().map(|(p, _)| *p).collect::<Vec<_>>());
        let axis = (bounds.max - bounds.min).max_position();
        let half = triangles.len() / 2;
        sorted.select_nth_unstable_by(half, |(p, s), (q, t)| p[axis].total_cmp(&q[axis]).then(s.cmp(t)));
        triangles.iter_mut().zip(sorted).for_each(|(to, (_, one))| *to = one);
        let guarded = triangles.len() <= COARSE;
        let (low, high) = triangles.split_at_mut(half);
        self.grow(low, start, guarded);
        self.nodes[at].second = self.nodes.len() as u32;
        self.grow(high, start + half, guarded);
    }

    /// Takes the boxes of the large nodes in every frame.
    fn keep_boxes(&mut self, poses: &[Vec<Vec3>]) {
        let mut large = Vec::new();
        for node in self.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Large(_))) {
            large.push((node.start as usize, node.end as usize));
        }
        let used: Vec<Vec<usize>> = large
            .into_iter()
            .map(|(start, end)| {
                vertices_of(&self.triangles[start..end]).into_iter().map(|v| self.index(v)).collect()
            })
            .collect();
        let nothing = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        for pose in poses {
            self.boxes.extend(used.iter().map(|vertices| {
                vertices.iter().fold(nothing, |[min, max], &v| [min.min(pose[v]), max.max(pose[v])])
            }));
        }
    }

    fn push_node(&mut self, triangles: &[Numbered], start: usize, guarded: bool) {
        let kind = match triangles.len() {
            n if n > COARSE => {
                self.large += 1;
                NodeKind::Large(self.large - 1)
            }
            _ if guarded => NodeKind::Fine,
            _ => NodeKind::Guard,
        };
        let vertices: Vec<usize> = vertices_of(triangles).into_iter().map(|v| self.index(v)).collect();
        let Model { rank, shapes, missed, .. } = &self.model;
        let those: Vec<Vec3> = vertices.iter().map(|&v| self.rest[v]).collect();
        let (middle, radius) = sphere_around(&those);
        self.nodes.push(Node {
            region: 0,
            middle,
            radius,
            missed: vertices.iter().map(|&v| missed[v]).fold(0.0, f32::max),
            swings: self.swings.len() as u32,
            kind,
            start: start as u32,
            end: (start + triangles.len()) as u32,
            second: 0,
        });
        if kind != NodeKind::Guard {
            return;
        }
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

/// Displacements, vertex after vertex: what one vertex needs lies together.
fn by_vertex(rig: &Rig) -> Vec<Vec3> {
    let Some(c) = &rig.corrections else { return Vec::new() };
    let n = rig.rest.len();
    (0..n).flat_map(|v| (0..c.rank).map(move |r| c.basis[r * n + v])).collect()
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
