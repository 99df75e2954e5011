//! The character as one object: set up once, posed again and again.

use glam::{DVec3, Vec3};

use super::anchors::{AnchorOptions, Anchors};
use super::check;
use super::examples::{Distinct, Example, Examples};
use super::field::ExampleField;
use super::frame::Frame;
use super::kept::KeptExamples;
use super::surface::Welded;
use super::{DeformError, Handles, Pose, Poser};
use crate::geometry::Mesh;
use crate::rig::Skeleton;

/// A mesh in its rest pose with the skeleton inside it.
#[derive(Clone, Copy, Debug)]
pub struct Character<'a> {
    /// Faces.
    pub mesh: &'a Mesh,
    /// The rest pose.
    pub rest: &'a [Vec3],
    /// The joint tree.
    pub skeleton: &'a Skeleton,
    /// Where the joints are in the rest pose.
    pub joints: &'a [DVec3],
}

/// Options of [`Deformer::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct DeformOptions {
    /// Cut-off of the joints' influences on a triangle, above 0 and at most 1: only the largest are kept that
    /// make this share.
    pub keep: f64,
    /// How far limbs follow their bones where stitching leaves them beside, 0 to 1. At 0 only gradients
    /// count, as in the paper; at 1 the middle of every handle is where its joint takes it.
    pub follow: f64,
    /// Keeps what examples add at a few triangles instead of all. Smaller, and faster with several examples;
    /// examples are then nearly met, not exactly. With all triangles as anchors they are kept whole.
    pub anchors: Option<AnchorOptions>,
}

impl Default for DeformOptions {
    fn default() -> Self {
        Self { keep: 0.95, follow: 0.0, anchors: None }
    }
}

impl DeformOptions {
    fn assert(&self) {
        assert!(self.keep > 0.0 && self.keep <= 1.0, "a share of the influences");
        assert!((0.0..=1.0).contains(&self.follow), "a share of the way");
    }
}

/// A character, ready to be posed.
#[derive(Clone, Debug)]
pub struct Deformer {
    pub(super) frame: Frame,
    pub(super) examples: Examples,
    pub(super) follow: f64,
}

impl Deformer {
    /// Sets a character up.
    ///
    /// # Panics
    /// When options are out of their range.
    pub fn new(
        character: &Character,
        handles: &Handles,
        examples: &[Example],
        options: &DeformOptions,
    ) -> Result<Self, DeformError> {
        options.assert();
        check::check(character, handles, examples)?;
        let shapes: Vec<&[Vec3]> = examples.iter().map(|example| &example.positions[..]).collect();
        let welded = Welded::new(character.rest, &shapes);
        let frame = Frame::new(character, handles, welded, options.keep)?;
        let distinct = Distinct::new(&frame, examples)?;
        let examples = Examples::new(&frame, &distinct, options.anchors.as_ref())?;
        Ok(Self { frame, examples, follow: options.follow })
    }

    /// Sets a character up with examples as [`Self::kept_examples`] gave them, for the same mesh, skeleton,
    /// handles and options: poses are the same to the last bit. Nothing is chosen or fitted, so
    /// [`DeformOptions::anchors`] does not matter.
    ///
    /// # Panics
    /// When options are out of their range.
    pub fn with_kept(
        character: &Character,
        handles: &Handles,
        kept: &KeptExamples,
        options: &DeformOptions,
    ) -> Result<Self, DeformError> {
        options.assert();
        check::check(character, handles, &[])?;
        let welded = kept.welded(character.rest)?;
        let frame = Frame::new(character, handles, welded, options.keep)?;
        let examples = kept.examples(&frame)?;
        Ok(Self { frame, examples, follow: options.follow })
    }

    /// The examples as a few numbers, where they are kept at anchors; see [`Self::with_kept`].
    pub fn kept_examples(&self) -> Option<KeptExamples> {
        KeptExamples::of(&self.frame, &self.examples)
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.frame.surface.point_of.len()
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.frame.tree.joints.len()
    }

    /// Number of examples; those of one pose are one.
    pub fn example_count(&self) -> usize {
        self.examples.count
    }

    /// The triangles that are deformed, over points: vertices at one place are one point, and triangles that
    /// name a point twice are left out.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.frame.surface.triangles()
    }

    /// Where the points are in the rest pose.
    pub fn points(&self) -> &[Vec3] {
        &self.frame.surface.rest
    }

    /// Joints and influences of one of [`Self::triangles`], the largest first; they sum to one.
    pub fn influences(&self, triangle: usize) -> &[(u32, f32)] {
        self.frame.influences.of(triangle)
    }

    /// Joints and influences of a vertex, the largest first; they sum to one.
    pub fn vertex_influences(&self, vertex: usize) -> &[(u32, f32)] {
        self.frame.points.of(self.frame.surface.point_of[vertex] as usize)
    }

    /// What each example adds to the plain result.
    pub fn example_fields(&self) -> Vec<ExampleField> {
        (0..self.examples.count).map(|e| self.examples.correction.field(e, self.examples.count)).collect()
    }

    /// The anchors at which examples are kept, if they are.
    pub fn anchors(&self) -> Option<&Anchors> {
        self.examples.correction.anchors().map(|(anchors, _)| anchors)
    }

    /// Bytes that the examples take, with all that is kept for them. The bases of anchors are not counted
    /// ([`Anchors::basis_bytes`]): the mesh and the anchors decide them, and files need not hold them.
    pub fn example_bytes(&self) -> usize {
        self.examples.bytes()
    }

    /// Entries of the factored Poisson system, which is what most of the memory goes to.
    pub fn factor_entries(&self) -> usize {
        self.frame.stitch.factor_len()
    }

    /// Prepares to pose the character.
    pub fn poser(&self) -> Poser<'_> {
        Poser::new(self)
    }

    /// The shape of one pose. For many, keep a [`Poser`].
    pub fn pose(&self, pose: &Pose) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.vertex_count()];
        self.poser().pose_into(pose, &mut out);
        out
    }
}
