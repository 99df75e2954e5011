//! Examples as files hold them once anchors are chosen: no shapes, only what posing needs.

use glam::{DVec3, Vec3};

use super::DeformError;
use super::anchors::{AnchorError, AnchoredField, Anchors};
use super::binding::Binding;
use super::correction::Correction;
use super::examples::Examples;
use super::offsets::HeldOffsets;
use super::surface::Welded;
use crate::progress::Progress;

/// All that a character keeps of examples at anchors. With the mesh, the skeleton and the handles that is enough
/// to make it again; the bases of the anchors and the functions that tell how much of each example a pose gets
/// come of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredExamples {
    /// The triangles that are anchors ([`Anchors::triangles`]).
    pub anchors: Vec<u32>,
    /// Anchors of each triangle.
    pub per_triangle: usize,
    /// Vertices that are at one place in the rest pose but not in all examples: each that is no longer one with
    /// the first vertex there, and the first that it is still one with, if only itself.
    pub torn: Vec<[u32; 2]>,
    /// The examples, no two of one pose.
    pub examples: Vec<StoredExample>,
}

/// One of [`StoredExamples`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredExample {
    /// Turns of the joints in its pose, seen from the first root.
    pub turns: Vec<DVec3>,
    /// What it adds at the anchors.
    pub field: AnchoredField,
    /// Where it has the points that the stitching holds, beside where their joints take them.
    pub held: HeldOffsets,
    /// Where it has loose pieces, beside what they are tied to: one offset per tie.
    pub links: Vec<DVec3>,
    /// Where it has the middles of handles, beside where their joints take them: one offset per joint.
    pub handles: Vec<DVec3>,
}

impl StoredExamples {
    /// What a character keeps, if it has anchors.
    pub(super) fn of(binding: &Binding, examples: &Examples) -> Option<Self> {
        let (anchors, fields) = examples.correction.anchors()?;
        let joints = binding.tree.joints.len();
        let every =
            |all: &[DVec3], number: usize| all.iter().skip(number).step_by(examples.count).copied().collect();
        let kept = |(number, field): (usize, &AnchoredField)| StoredExample {
            turns: examples.turns[number * joints..(number + 1) * joints].to_vec(),
            field: field.clone(),
            held: examples.held[number].clone(),
            links: every(&examples.links, number),
            handles: every(&examples.handles, number),
        };
        let all = Self {
            anchors: anchors.triangles().to_vec(),
            per_triangle: anchors.per_triangle(),
            torn: binding.surface.torn(),
            examples: fields.iter().enumerate().map(kept).collect(),
        };
        // Wild shapes may come to numbers that are none.
        all.check(binding).is_ok().then_some(all)
    }

    /// Which vertices are one point.
    pub(super) fn welded(&self, rest: &[Vec3]) -> Result<Welded, DeformError> {
        Welded::torn(rest, &self.torn).ok_or(DeformError::StoredPoints)
    }

    /// The examples, ready to be blended.
    pub(super) fn examples(
        &self,
        binding: &Binding,
        progress: &dyn Progress,
    ) -> Result<Examples, DeformError> {
        self.check(binding)?;
        let (triangles, rest) = (binding.surface.triangles(), &binding.surface.rest);
        let anchors = Anchors::of_triangles(triangles, rest, self.anchors.clone(), self.per_triangle)?;
        let turns: Vec<DVec3> = self.examples.iter().flat_map(|e| e.turns.iter().copied()).collect();
        let things = |all: fn(&StoredExample) -> &[DVec3]| {
            let of = |thing: usize| self.examples.iter().map(move |e| all(e)[thing]);
            (0..all(&self.examples[0]).len()).flat_map(of).collect()
        };
        let fields = self.examples.iter().map(|e| e.field.clone()).collect();
        Ok(Examples {
            count: self.examples.len(),
            joints: Examples::of_joints(&binding.tree, &turns, progress)?,
            correction: Correction::anchored(binding, &turns, anchors, fields, progress)?,
            held: self.examples.iter().map(|e| e.held.clone()).collect(),
            links: things(|e| &e.links),
            handles: things(|e| &e.handles),
            turns,
        })
    }

    fn check(&self, binding: &Binding) -> Result<(), DeformError> {
        if self.examples.is_empty() {
            return Err(AnchorError::NoExamples.into());
        }
        let (joints, held) = (binding.tree.joints.len(), binding.stitch.held.len());
        for (number, example) in self.examples.iter().enumerate() {
            let of_held = example.held.values.len();
            let lengths = [
                ("turns of joints", example.turns.len(), joints),
                ("values at anchors", example.field.values.len(), self.anchors.len()),
                ("offsets of held points", of_held, if of_held == 0 { 0 } else { held }),
                ("offsets of loose pieces", example.links.len(), binding.links.len()),
                ("offsets of handles", example.handles.len(), joints),
            ];
            if let Some(&(what, found, expected)) =
                lengths.iter().find(|(_, found, expected)| found != expected)
            {
                return Err(DeformError::StoredLength { example: number, what, found, expected });
            }
            let offsets = example.links.iter().chain(&example.handles);
            let vectors = example.turns.iter().chain(offsets).all(|v| v.is_finite());
            let steps = example.field.steps.iter().all(|step| step.is_finite());
            if !(vectors && steps && example.held.step.is_finite()) {
                return Err(DeformError::StoredNotFinite { example: number });
            }
        }
        Ok(())
    }
}
