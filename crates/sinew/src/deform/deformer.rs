//! The character as one object: set up once, posed again and again.

use glam::Vec3;

use super::anchors::Anchors;
use super::binding::Binding;
use super::character::check;
use super::examples::{Distinct, Examples};
use super::field::ExampleField;
use super::stored_examples::StoredExamples;
use super::surface::Welded;
use super::{Character, DeformError, DeformOptions, Example, Handles};
use crate::progress::Progress;

/// A character, ready to be posed.
#[derive(Clone, Debug)]
pub struct Deformer {
    pub(super) binding: Binding,
    pub(super) examples: Examples,
    pub(super) follow: f64,
}

impl Deformer {
    /// Sets a character up.
    ///
    /// # Errors
    /// When options are out of their range, mesh, skeleton, handles and examples do not fit, something cannot be
    /// solved, or the listener cancels.
    pub fn new(
        character: &Character,
        handles: &Handles,
        examples: &[Example],
        options: &DeformOptions,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        progress.stage("setting up");
        options.validate()?;
        check(character, handles, examples)?;
        let shapes: Vec<&[Vec3]> = examples.iter().map(|example| &example.positions[..]).collect();
        let welded = Welded::new(character.rest, &shapes);
        let binding = Binding::new(character, handles, welded, options, &progress.part(0.0, 0.5))?;
        let distinct = Distinct::new(&binding, examples)?;
        let rest = progress.part(0.5, 1.0);
        let examples = Examples::new(&binding, &distinct, options.anchors.as_ref(), &rest)?;
        Ok(Self { binding, examples, follow: options.follow })
    }

    /// Sets a character up with examples as [`Self::stored_examples`] gave them, for the same mesh, skeleton,
    /// handles and options: poses are the same to the last bit. Nothing is chosen or fitted, so
    /// [`DeformOptions::anchors`] does not matter.
    ///
    /// # Errors
    /// As [`Self::new`], and when the examples are those of another character.
    pub fn with_stored(
        character: &Character,
        handles: &Handles,
        stored: &StoredExamples,
        options: &DeformOptions,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        progress.stage("setting up");
        options.validate()?;
        check(character, handles, &[])?;
        let welded = stored.welded(character.rest)?;
        let binding = Binding::new(character, handles, welded, options, progress)?;
        let examples = stored.examples(&binding, progress)?;
        Ok(Self { binding, examples, follow: options.follow })
    }

    /// The examples as a few numbers, where they are kept at anchors; see [`Self::with_stored`].
    pub fn stored_examples(&self) -> Option<StoredExamples> {
        StoredExamples::of(&self.binding, &self.examples)
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.binding.surface.point_of.len()
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.binding.tree.joints.len()
    }

    /// Number of examples; those of one pose are one.
    pub fn example_count(&self) -> usize {
        self.examples.count
    }

    /// The triangles that are deformed, over points: vertices at one place are one point, and triangles that
    /// name a point twice are left out.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.binding.surface.triangles()
    }

    /// Where the points are in the rest pose.
    pub fn points(&self) -> &[Vec3] {
        &self.binding.surface.rest
    }

    /// Joints and influences of one of [`Self::triangles`], the largest first; they sum to one.
    pub fn influences(&self, triangle: usize) -> &[(u32, f32)] {
        self.binding.influences.of(triangle)
    }

    /// Joints and influences of a vertex, the largest first; they sum to one.
    pub fn vertex_influences(&self, vertex: usize) -> &[(u32, f32)] {
        self.binding.points.of(self.binding.surface.point_of[vertex] as usize)
    }

    /// What each example adds to the plain result.
    pub fn example_fields(&self) -> Vec<ExampleField> {
        (0..self.examples.count).map(|e| self.examples.correction.field(e, self.examples.count)).collect()
    }

    /// The anchors at which examples are kept, if they are.
    pub fn anchors(&self) -> Option<&Anchors> {
        self.examples.correction.anchors().map(|(anchors, _)| anchors)
    }

    /// Bytes that the examples take, with all that is kept for them. The bases of anchors are not counted: the mesh and
    /// the anchors decide them, and files need not hold them.
    pub fn example_bytes(&self) -> usize {
        self.examples.bytes()
    }
}
