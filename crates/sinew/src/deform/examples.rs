//! Example shapes, ready to be blended.
//!
//! Section 2.3, eq. 4. Every example is brought into the rest pose, triangle by triangle, and kept as what it
//! adds to the plain result there. What gradients cannot tell is kept as offsets: where it has the points
//! that the stitching holds, where its limbs are beside their bones, and loose pieces beside what they are
//! tied to.

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::anchors::AnchorOptions;
use super::correction::Correction;
use super::gradient::{field, gradient};
use super::influences::Lists;
use super::offsets::HeldOffsets;
use super::space::Space;
use super::surface::Link;
use super::tree::Tree;
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
/// Offsets below this share of the diagonal are none.
const NO_OFFSET: f64 = 1e-6;

/// Examples of a character.
#[derive(Clone, Debug, Default)]
pub(super) struct Examples {
    pub count: usize,
    /// Turns of the joints, example after example.
    pub turns: Vec<DVec3>,
    /// How much of each example every joint gets.
    pub joints: Space,
    pub correction: Correction,
    /// Of the held points, example by example, in the axes of the joint that decides.
    pub held: Vec<HeldOffsets>,
    /// Likewise of the links and of the handles, but for each thing those of all examples.
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
    pub fn new(
        frame: &Frame,
        distinct: &Distinct,
        anchors: Option<&AnchorOptions>,
    ) -> Result<Self, DeformError> {
        let count = distinct.poses.len();
        if count == 0 {
            return Ok(Self::default());
        }
        let tree = &frame.tree;
        let (joints, triangles) = (tree.joints.len(), frame.surface.triangles().len());
        let turned: Vec<_> = distinct.poses.iter().map(|pose| frame.turned(pose)).collect();
        let turns: Vec<DVec3> = turned.iter().flat_map(|t| t.turns[..joints].to_vec()).collect();
        let mut out = Self { count, joints: Self::of_joints(tree, &turns), turns, ..Self::default() };
        out.links = vec![DVec3::ZERO; count * frame.links.len()];
        out.handles = vec![DVec3::ZERO; count * joints];
        let (mut fields, mut all_plain) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, (shape, turned)) in distinct.shapes.iter().zip(&turned).enumerate() {
            let (plain, bends): (Vec<DQuat>, Vec<DMat3>) =
                (0..triangles).map(|t| frame.blends.of(t, turned)).unzip();
            fields.push(field(&frame.surface, shape, &plain, &bends));
            let own = |&(point, joint): &(u32, u32)| {
                let rigid = turned.carried(tree, joint as usize, frame.surface.place(point));
                turned.world[joint as usize].inverse() * (shape[point as usize] - rigid)
            };
            let of_held: Vec<DVec3> = frame.stitch.held.iter().map(own).collect();
            out.held.push(HeldOffsets::new(&of_held, NO_OFFSET * frame.diagonal));
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
            all_plain.push(plain);
        }
        out.correction = Correction::new(frame, &out.turns, &fields, &all_plain, anchors)?;
        Ok(out)
    }

    /// How much of each example every joint gets, given their turns.
    pub fn of_joints(tree: &Tree, turns: &[DVec3]) -> Space {
        let alone = Lists::from_lists((0..tree.joints.len() as u32).map(|joint| vec![(joint, 1.0)]));
        Space::new(tree, &alone, turns)
    }

    /// Bytes that the examples take.
    pub fn bytes(&self) -> usize {
        let offsets = [&self.links, &self.handles, &self.turns];
        let offsets: usize = offsets.iter().map(|all| size_of_val(&all[..])).sum();
        let held: usize = self.held.iter().map(HeldOffsets::bytes).sum();
        self.correction.bytes() + self.joints.bytes() + held + offsets
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
