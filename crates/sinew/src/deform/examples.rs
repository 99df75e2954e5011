//! Example shapes, ready to be blended.
//!
//! Section 2.3, eq. 4. Every example is brought into the rest pose, triangle by triangle, and kept as what it
//! adds to the plain result there. What gradients cannot tell is kept as offsets: where it has the points
//! that the stitching holds, where its limbs are beside their bones, and loose pieces beside what they are
//! tied to.

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::field::ExampleField;
use super::gradient::{field, gradient};
use super::influences::Lists;
use super::space::{Compared, Space};
use super::surface::Link;
use super::{DeformError, Frame, Pose};

/// A shape of the mesh in a pose of its skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Positions of all vertices.
    pub positions: Vec<Vec3>,
    /// The pose it belongs to.
    pub pose: Pose,
}

/// Poses in which no joint turns by more than this against the other, in radians, are the same.
const SAME_POSE: f64 = 1e-3;
/// Shapes nearer than this share of the diagonal are the same.
const SAME_SHAPE: f64 = 1e-4;

/// What one triangle gets: turn and skew of [`ExampleField`].
pub(super) type Share = [f32; 9];

/// What examples add, at all triangles or at some.
#[derive(Clone, Debug, Default)]
pub(super) struct Correction {
    /// How much of each example every element gets: of every triangle, or of every anchor.
    space: Space,
    /// Shares of the elements, for each those of all examples.
    shares: Vec<Share>,
    /// With anchors: for every triangle, how much of which anchors it gets.
    spread: Option<Lists>,
}

/// Examples of a character.
#[derive(Clone, Debug, Default)]
pub(super) struct Examples {
    pub count: usize,
    /// Turns of the joints, example after example.
    pub turns: Vec<DVec3>,
    /// How much of each example every joint gets.
    pub joints: Space,
    pub correction: Correction,
    /// Of the held points, of the links and of the handles: for each those of all examples, in the axes of
    /// the joint that decides. Empty where there are none.
    pub held: Vec<DVec3>,
    pub links: Vec<DVec3>,
    pub handles: Vec<DVec3>,
}

/// Examples in which no two have the same pose, seen from the root.
pub(super) struct Distinct {
    pub poses: Vec<Pose>,
    /// Positions of the points.
    pub shapes: Vec<Vec<DVec3>>,
}

impl Distinct {
    /// Brings examples of one pose together as their mean and leaves out those that are the rest pose.
    pub fn new(frame: &Frame, examples: &[Example]) -> Result<Self, DeformError> {
        let mut out = Self { poses: Vec::new(), shapes: Vec::new() };
        let mut counts: Vec<f64> = Vec::new();
        let tree = &frame.tree;
        for (number, example) in examples.iter().enumerate() {
            let (back, place) = (
                DQuat::from_scaled_axis(example.pose.turns[tree.root]).inverse(),
                example.pose.places[tree.root],
            );
            let seen = |p: Vec3| back * (p.as_dvec3() - place) + tree.joints[tree.root];
            let shape: Vec<DVec3> = frame.surface.gather(&example.positions).into_iter().map(seen).collect();
            let rest = Pose::rest(&tree.skeleton, &tree.joints);
            if same(frame, &example.pose, &rest) {
                let far = |(p, r): (&DVec3, &Vec3)| p.distance(r.as_dvec3()) > SAME_SHAPE * frame.diagonal;
                if shape.iter().zip(&frame.surface.rest).any(far) {
                    return Err(DeformError::ExampleAtRest { example: number });
                }
                continue;
            }
            match out.poses.iter().position(|pose| same(frame, &example.pose, pose)) {
                Some(known) => {
                    out.shapes[known].iter_mut().zip(&shape).for_each(|(sum, p)| *sum += *p);
                    counts[known] += 1.0;
                }
                None => {
                    out.poses.push(example.pose.clone());
                    out.shapes.push(shape);
                    counts.push(1.0);
                }
            }
        }
        for (shape, count) in out.shapes.iter_mut().zip(counts) {
            shape.iter_mut().for_each(|p| *p /= count);
        }
        Ok(out)
    }
}

/// Whether two poses differ in nothing but the place and direction of the whole body.
fn same(frame: &Frame, a: &Pose, b: &Pose) -> bool {
    let (a, b) = (frame.turned(a), frame.turned(b));
    a.turns.iter().zip(&b.turns).all(|(a, b)| a.distance(*b) <= SAME_POSE)
}

impl Examples {
    /// Prepares distinct examples.
    pub fn new(frame: &Frame, distinct: &Distinct) -> Self {
        let count = distinct.poses.len();
        if count == 0 {
            return Self::default();
        }
        let tree = &frame.tree;
        let (joints, triangles) = (tree.joints.len(), frame.surface.triangles().len());
        let alone = Lists::from_lists((0..joints as u32).map(|joint| vec![(joint, 1.0)]));
        let turned: Vec<_> = distinct.poses.iter().map(|pose| frame.turned(pose)).collect();
        let turns: Vec<DVec3> = turned.iter().flat_map(|t| t.turns[..joints].to_vec()).collect();
        let mut out = Self { count, joints: Space::new(tree, &alone, &turns), ..Self::default() };
        out.correction.space = Space::new(tree, &frame.influences, &turns);
        out.correction.shares = vec![[0.0; 9]; count * triangles];
        out.turns = turns;
        out.held = vec![DVec3::ZERO; count * frame.stitch.held.len()];
        out.links = vec![DVec3::ZERO; count * frame.links.len()];
        out.handles = vec![DVec3::ZERO; count * joints];
        for (number, (shape, turned)) in distinct.shapes.iter().zip(&turned).enumerate() {
            let plain: Vec<DQuat> = (0..triangles).map(|t| frame.blends.rotation(t, turned)).collect();
            let bends: Vec<DMat3> = (0..triangles).map(|t| frame.blends.bend(t, turned)).collect();
            let field = field(&frame.surface, shape, &plain, &bends);
            for t in 0..triangles {
                out.correction.shares[t * count + number] = share(&field, t);
            }
            for (i, &(point, joint)) in frame.stitch.held.iter().enumerate() {
                let rigid = turned.carried(tree, joint as usize, frame.surface.place(point));
                let back = turned.world[joint as usize].inverse();
                out.held[i * count + number] = back * (shape[point as usize] - rigid);
            }
            for (i, link) in frame.links.iter().enumerate() {
                out.links[i * count + number] =
                    link_offset(frame, link, shape, plain[link.triangle as usize]);
            }
            for joint in 0..joints {
                let points = frame.handle(joint);
                let Some((rest, mean)) = frame.means(points, |p| shape[p as usize]) else { continue };
                let back = turned.world[joint].inverse();
                out.handles[joint * count + number] = back * (mean - turned.carried(tree, joint, rest));
            }
        }
        out
    }

    /// The weighted sum of the offsets of one thing, of `all` such.
    pub fn offset(all: &[DVec3], thing: usize, weights: &[f32]) -> DVec3 {
        let own = &all[thing * weights.len()..(thing + 1) * weights.len()];
        own.iter().zip(weights).map(|(offset, weight)| *offset * f64::from(*weight)).sum()
    }
}

/// How far a link of an example is from what its triangle makes of it, turned back into the rest pose.
fn link_offset(frame: &Frame, link: &Link, shape: &[DVec3], plain: DQuat) -> DVec3 {
    let surface = &frame.surface;
    let corners = surface.triangles()[link.triangle as usize];
    let t = gradient(corners.map(|p| surface.place(p)), corners.map(|p| shape[p as usize]));
    let [a, b] = link.ends;
    let edge = surface.place(a) - surface.place(b);
    plain.inverse() * (shape[a as usize] - shape[b as usize] - t * edge)
}

fn share(field: &ExampleField, triangle: usize) -> Share {
    let ([x, y, z], s) = (field.turns[triangle].to_array(), field.skews[triangle]);
    [x, y, z, s[0], s[1], s[2], s[3], s[4], s[5]].map(|v| v as f32)
}

impl Correction {
    /// Number of elements that have shares of their own.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Bytes that the examples take.
    pub fn bytes(&self) -> usize {
        let spread = self.spread.as_ref().map_or(0, Lists::bytes);
        self.space.bytes() + size_of_val(&self.shares[..]) + spread
    }

    /// What example `number` of `count` adds to every triangle.
    pub fn field(&self, number: usize, count: usize) -> ExampleField {
        let mut out = ExampleField::none(self.len());
        for element in 0..self.len() {
            let [x, y, z, skew @ ..] = self.shares[element * count + number].map(f64::from);
            out.turns[element] = DVec3::new(x, y, z);
            out.skews[element] = skew;
        }
        out
    }

    /// The blend of all examples at every element, in the pose that was compared.
    pub fn blend(&self, pose: &mut Compared, weights: &mut [f32], out: &mut [Share]) {
        let count = weights.len();
        for (element, (out, shares)) in out.iter_mut().zip(self.shares.chunks_exact(count)).enumerate() {
            self.space.weights(element, pose, weights);
            *out = [0.0; 9];
            for (weight, share) in weights.iter().zip(shares) {
                (0..9).for_each(|i| out[i] += weight * share[i]);
            }
        }
    }

    /// What a triangle gets of the blend.
    #[inline]
    pub fn share(&self, triangle: usize, blended: &[Share]) -> Share {
        let Some(spread) = &self.spread else { return blended[triangle] };
        let mut out = [0.0; 9];
        for &(anchor, weight) in spread.of(triangle) {
            let share = &blended[anchor as usize];
            (0..9).for_each(|i| out[i] += weight * share[i]);
        }
        out
    }
}
