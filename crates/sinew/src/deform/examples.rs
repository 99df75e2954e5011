//! Example shapes, ready to be blended.
//!
//! Section 2.3, eq. 4. Every example is brought into the rest pose, triangle by triangle, and kept as what it
//! adds to the plain result there. What gradients cannot tell is kept as offsets: where it has the points
//! that the stitching holds, where its limbs are beside their bones, and loose pieces beside what they are
//! tied to.

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::anchors::AnchorOptions;
use super::binding::Binding;
use super::correction::Correction;
use super::ease::EasedTurns;
use super::gradient::{field, gradient};
use super::influences::Lists;
use super::offsets::HeldOffsets;
use super::pose_space::PoseSpace;
use super::surface::Link;
use super::tree::Tree;
use super::tuning::TUNING;
use super::{DeformError, Example, Pose};
use crate::progress::{Cancelled, Progress};

/// Examples of a character.
#[derive(Clone, Debug, Default)]
pub(super) struct Examples {
    pub count: usize,
    /// Turns of the joints, example after example.
    pub turns: Vec<DVec3>,
    /// How much of each example every joint gets.
    pub joints: PoseSpace,
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
    pub fn new(binding: &Binding, examples: &[Example]) -> Result<Self, DeformError> {
        let mut out = Self { poses: Vec::new(), shapes: Vec::new() };
        let mut counts: Vec<f64> = Vec::new();
        let tree = &binding.tree;
        for (number, example) in examples.iter().enumerate() {
            let back = DQuat::from_scaled_axis(example.pose.turns[tree.root]).inverse();
            let place = example.pose.places[tree.root];
            let seen = |p: Vec3| back * (p.as_dvec3() - place) + tree.joints[tree.root];
            let shape: Vec<DVec3> =
                binding.surface.gather(&example.positions).into_iter().map(seen).collect();
            let rest = Pose::rest(&tree.skeleton, &tree.joints);
            if same(binding, &example.pose, &rest) {
                let far =
                    |(p, r): (&DVec3, &Vec3)| p.distance(r.as_dvec3()) > TUNING.same_shape * binding.diagonal;
                if shape.iter().zip(&binding.surface.rest).any(far) {
                    return Err(DeformError::ExampleAtRest { example: number });
                }
                continue;
            }
            match out.poses.iter().position(|pose| same(binding, &example.pose, pose)) {
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
fn same(binding: &Binding, a: &Pose, b: &Pose) -> bool {
    let (a, b) = (binding.turned(a), binding.turned(b));
    a.turns.iter().zip(&b.turns).all(|(a, b)| a.distance(*b) <= TUNING.same_pose)
}

impl Examples {
    /// Prepares distinct examples.
    pub fn new(
        binding: &Binding,
        distinct: &Distinct,
        anchors: Option<&AnchorOptions>,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        let count = distinct.poses.len();
        if count == 0 {
            return Ok(Self::default());
        }
        let tree = &binding.tree;
        let (joints, triangles) = (tree.joints.len(), binding.surface.triangles().len());
        let turned: Vec<_> = distinct.poses.iter().map(|pose| binding.turned(pose)).collect();
        let turns: Vec<DVec3> = turned.iter().flat_map(|t| t.turns[..joints].to_vec()).collect();
        let mut out =
            Self { count, joints: Self::of_joints(tree, &turns, progress)?, turns, ..Self::default() };
        out.links = vec![DVec3::ZERO; count * binding.links.len()];
        out.handles = vec![DVec3::ZERO; count * joints];
        let (mut fields, mut all_plain) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (number, (shape, turned)) in distinct.shapes.iter().zip(&turned).enumerate() {
            progress.check()?;
            progress.advance(0.5 * number as f64 / count as f64);
            let mut eased = EasedTurns::default();
            binding.ease(&distinct.poses[number], turned, &mut eased);
            let (plain, bends): (Vec<DQuat>, Vec<DMat3>) =
                (0..triangles).map(|t| binding.blends.of(t, &eased.turned)).unzip();
            fields.push(field(&binding.surface, shape, &plain, &bends));
            let own = |&(point, joint): &(u32, u32)| {
                let rigid = turned.carried(tree, joint as usize, binding.surface.place(point));
                turned.world[joint as usize].inverse() * (shape[point as usize] - rigid)
            };
            let of_held: Vec<DVec3> = binding.stitch.held.iter().map(own).collect();
            out.held.push(HeldOffsets::new(&of_held, TUNING.no_offset * binding.diagonal));
            for (i, link) in binding.links.iter().enumerate() {
                out.links[i * count + number] =
                    link_offset(binding, link, shape, plain[link.triangle as usize]);
            }
            for joint in 0..joints {
                let points = binding.handles.of(joint);
                let Some((rest, mean)) = binding.means(points, |p| shape[p as usize]) else { continue };
                let back = turned.world[joint].inverse();
                out.handles[joint * count + number] = back * (mean - turned.carried(tree, joint, rest));
            }
            all_plain.push(plain);
        }
        let part = progress.part(0.5, 1.0);
        out.correction = Correction::new(binding, &out.turns, &fields, &all_plain, anchors, &part)?;
        Ok(out)
    }

    /// How much of each example every joint gets, given their turns.
    pub fn of_joints(tree: &Tree, turns: &[DVec3], progress: &dyn Progress) -> Result<PoseSpace, Cancelled> {
        let alone = Lists::from_lists((0..tree.joints.len() as u32).map(|joint| vec![(joint, 1.0)]));
        PoseSpace::new(tree, &alone, turns, progress)
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
fn link_offset(binding: &Binding, link: &Link, shape: &[DVec3], plain: DQuat) -> DVec3 {
    let surface = &binding.surface;
    let corners = surface.triangles()[link.triangle as usize];
    let t = gradient(corners.map(|p| surface.place(p)), corners.map(|p| shape[p as usize]));
    let [a, b] = link.ends;
    let edge = surface.place(a) - surface.place(b);
    plain.inverse() * (shape[a as usize] - shape[b as usize] - t * edge)
}
