//! The rig: what Sinew makes, writes, plays and edits.

mod axes;
mod blending;
mod centres;
mod chain;
mod change;
mod fewer;
mod pieces;
mod play;
mod skeleton;
mod still;

use std::borrow::Cow;

use glam::{DAffine3, DQuat, DVec3, Vec3};

pub use blending::{BlendPlayer, Blending};
pub use chain::{ChainPlayer, Moves, PoseChain, move_on, step_pose};
pub(crate) use chain::{blend, blended};
pub use play::{Player, Skinner};
pub use skeleton::{JointPose, Skeleton};

use crate::animation::{Clip, ClipError, PoseSource, check_clips, clips_or_one};
use crate::geometry::Mesh;
use crate::nodes::{self, Node, NodeError};

/// A mesh, its bones, their motion, and what ties the one to the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The pose that bones deform.
    pub rest: Vec<Vec3>,
    /// Which bones move which vertices.
    pub weights: SkinWeights,
    /// The bones.
    pub bones: Vec<Bone>,
    /// Transform of every bone in every frame, frame after frame: maps the rest pose to the frame's pose.
    pub transforms: Vec<DAffine3>,
    /// The joint tree, if the bones hang together.
    pub skeleton: Option<Skeleton>,
    /// Displacements of the rest pose, if any.
    pub corrections: Option<Corrections>,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Where the frames are of several motions: which are of which. All one motion when empty.
    pub clips: Vec<Clip>,
    /// What hangs on the bones or stands beside them and moves no vertex.
    pub nodes: Vec<Node>,
    /// Name of the object that the bones are in, as files have one: an armature, a skeleton root. Empty where none is
    /// known.
    pub armature: String,
}

/// One bone. Its motion is in [`Rig::transforms`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Name, unique in its rig.
    pub name: String,
    /// A point of the rest pose in the middle of what the bone moves, or its joint where the rig has a
    /// skeleton. Files place the bone here, and motion between frames turns about it.
    pub center: DVec3,
    /// Whether the bone only turns and shifts, never stretches.
    pub rigid: bool,
    /// The axes that a file bound the bone by, as the turn that takes the world's there. Other motion for the same
    /// joints, and what is attached to them, is told in these.
    pub axes: Option<DQuat>,
}

/// Influences: `per_vertex` slots for each vertex, the largest weight first, unused ones zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinWeights {
    /// Slots per vertex.
    pub per_vertex: usize,
    /// Bone of each slot; 0 where the weight is 0.
    pub bones: Vec<u32>,
    /// Weight of each slot. A vertex's weights sum to one.
    pub weights: Vec<f32>,
}

impl SkinWeights {
    /// All vertices follow bone 0.
    pub fn single(vertex_count: usize) -> Self {
        Self::of_one_each(vec![0; vertex_count])
    }

    /// Each vertex follows one bone.
    pub(crate) fn of_one_each(bones: Vec<u32>) -> Self {
        Self { per_vertex: 1, weights: vec![1.0; bones.len()], bones }
    }

    /// No weights at all, to be filled in.
    pub fn zeros(vertices: usize, per_vertex: usize) -> Self {
        let slots = vertices * per_vertex;
        Self { per_vertex, bones: vec![0; slots], weights: vec![0.0; slots] }
    }

    /// From a table with a weight for every vertex and bone, vertex after vertex: the `most` largest of each vertex are
    /// kept (by size without their sign) and made to sum to one.
    ///
    /// # Errors
    /// When the table is not `bones` wide, or a weight is not a finite number.
    pub fn from_dense(weights: &[f32], bones: usize, most: usize) -> Result<Self, RigError> {
        let vertices = weights.len() / bones.max(1);
        check_length("weights", weights.len(), vertices * bones)?;
        let of_vertex = |row: &[f32]| row.iter().enumerate().map(|(bone, w)| (bone as u32, *w)).collect();
        let lists: Vec<Vec<(u32, f32)>> = weights.chunks_exact(bones.max(1)).map(of_vertex).collect();
        Self::from_sparse(&lists, bones, most)
    }

    /// From bones and weights of every vertex, in any order: the `most` largest of each vertex are kept (by size
    /// without their sign) and made to sum to one. A vertex without any follows bone 0.
    ///
    /// # Errors
    /// When a vertex names a bone that is not there, or a weight is not a finite number.
    pub fn from_sparse(lists: &[Vec<(u32, f32)>], bones: usize, most: usize) -> Result<Self, RigError> {
        if bones == 0 {
            return Err(RigError::NoBones);
        }
        let per_vertex = lists.iter().map(Vec::len).max().unwrap_or(0).min(most).max(1);
        let mut out = Self::zeros(lists.len(), per_vertex);
        for (vertex, list) in lists.iter().enumerate() {
            if list.iter().any(|(_, weight)| !weight.is_finite()) {
                return Err(RigError::WeightNotFinite { vertex });
            }
            if let Some(&(bone, _)) = list.iter().find(|(bone, _)| *bone as usize >= bones) {
                return Err(RigError::NoSuchBone { vertex, bone, count: bones });
            }
            let mut kept: Vec<(u32, f32)> = list.iter().copied().filter(|(_, w)| *w != 0.0).collect();
            kept.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            kept.truncate(per_vertex);
            let sum: f32 = kept.iter().map(|(_, weight)| weight).sum();
            let (kept, sum) = if sum == 0.0 { (vec![(0, 1.0)], 1.0) } else { (kept, sum) };
            for (slot, (bone, weight)) in kept.into_iter().enumerate() {
                out.bones[vertex * per_vertex + slot] = bone;
                out.weights[vertex * per_vertex + slot] = weight / sum;
            }
        }
        Ok(out)
    }

    /// Bones and weights of one vertex, unused slots included.
    pub fn of(&self, vertex: usize) -> (&[u32], &[f32]) {
        let slots = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        (&self.bones[slots.clone()], &self.weights[slots])
    }

    /// Bones and weights of one vertex that are not zero.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let (bones, weights) = self.of(vertex);
        bones.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(&b, &w)| (b as usize, f64::from(w)))
    }

    /// The bone with the most weight on each of so many vertices.
    pub fn main_bones(&self, vertices: usize) -> Vec<usize> {
        let most = |v: usize| self.influences(v).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        (0..vertices).map(|v| most(v).map_or(0, |(bone, _)| bone)).collect()
    }

    /// Gives bones the numbers that they have in another order of them.
    pub(crate) fn renumber(&mut self, order: &[usize]) {
        let number = |old: u32| order.iter().position(|bone| *bone == old as usize).expect("named") as u32;
        let slots = self.bones.iter_mut().zip(&self.weights);
        slots.for_each(|(bone, weight)| *bone = if *weight > 0.0 { number(*bone) } else { 0 });
    }

    /// The most non-zero weights on any vertex.
    pub fn most_influences(&self) -> usize {
        let count = |weights: &[f32]| weights.iter().filter(|w| **w != 0.0).count();
        self.weights.chunks_exact(self.per_vertex.max(1)).map(count).max().unwrap_or(0)
    }

    /// Checks that these are weights of so many vertices and bones.
    ///
    /// # Errors
    /// When a length is wrong or a bone is not there.
    pub fn validate(&self, vertices: usize, bones: usize) -> Result<(), RigError> {
        check_length("weights", self.weights.len(), vertices * self.per_vertex)?;
        check_length("influences", self.bones.len(), vertices * self.per_vertex)?;
        match self.bones.iter().position(|&bone| bone as usize >= bones) {
            None => Ok(()),
            Some(slot) => {
                let (vertex, bone) = (slot / self.per_vertex, self.bones[slot]);
                Err(RigError::NoSuchBone { vertex, bone, count: bones })
            }
        }
    }

    /// The most negative weight, 0 when there is none.
    pub fn smallest(&self) -> f32 {
        self.weights.iter().copied().fold(0.0, f32::min)
    }
}

/// A low-rank model of displacements added to the rest pose before the bones act:
/// p = T (p̄ + Σ_r u_r q_r). Of shapes that were fitted the strongest come first, so that any prefix is a coarser model;
/// those of a file are in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrections {
    /// Number of basis shapes.
    pub rank: usize,
    /// Displacements: basis shape after basis shape, one per vertex.
    pub basis: Vec<Vec3>,
    /// Changes of the vertex normals that go with the same coefficients, laid out like `basis`. May be
    /// empty.
    pub normals: Vec<Vec3>,
    /// Coefficients: frame after frame, one per basis shape.
    pub coefficients: Vec<f32>,
    /// What the shapes are where others made them, who know them by name: a smile, an open jaw. Empty for shapes that
    /// were fitted.
    pub names: Vec<ShapeName>,
}

/// A shape of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeName {
    /// Its name.
    pub name: String,
    /// The weight that the file gives it where nothing moves: the rest pose shows so much of it, and coefficients are
    /// counted from there.
    pub at_rest: f32,
}

impl Corrections {
    /// Keeps the first `rank` basis shapes.
    pub fn truncate(&mut self, rank: usize) {
        if rank >= self.rank {
            return;
        }
        let vertices = self.basis.len() / self.rank;
        self.basis.truncate(rank * vertices);
        self.normals.truncate(rank * vertices);
        self.coefficients =
            self.coefficients.chunks_exact(self.rank).flat_map(|q| &q[..rank]).copied().collect();
        self.names.truncate(rank);
        self.rank = rank;
    }

    /// The name of a shape: its own, or one made of its number.
    pub fn name(&self, shape: usize) -> String {
        self.names.get(shape).map_or_else(|| format!("correction_{shape}"), |known| known.name.clone())
    }
}

/// Ways in which a rig can contradict itself.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// An array has the wrong length.
    #[error("the rig's {what}: {found} entries where {expected} belong")]
    Length {
        /// Which array.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A weight names a bone that does not exist.
    #[error("vertex {vertex} follows bone {bone}, but there are only {count} bones")]
    NoSuchBone {
        /// The vertex.
        vertex: usize,
        /// The bone it names.
        bone: u32,
        /// How many there are.
        count: usize,
    },
    /// A weight that is NaN or infinite.
    #[error("vertex {vertex} has a weight that is not a finite number")]
    WeightNotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// Key frames of a chain that are not there, or out of order.
    #[error("the key frames are not frames of the chain in ascending order")]
    Keys,
    /// Weights that change at frames that are not there, or out of order.
    #[error("the weights do not change at frames of the chain in ascending order")]
    LaterWeights,
    /// Vertices moved on in frames or of numbers that are not there, or out of order.
    #[error("frames of the chain that move vertices, and the vertices they move, are not in ascending order")]
    Moves,
    /// A joint before its parent.
    #[error("joint {joint} comes before its parent")]
    JointOrder {
        /// The joint.
        joint: usize,
    },
    /// A number is not finite.
    #[error("the rig's {what} holds a number that is not finite")]
    NotFinite {
        /// Where it is.
        what: &'static str,
    },
    /// There is no bone.
    #[error("the rig has no bones")]
    NoBones,
    /// Clips and frames disagree.
    #[error(transparent)]
    Clips(#[from] ClipError),
    /// Nodes contradict themselves.
    #[error(transparent)]
    Nodes(#[from] NodeError),
}

impl Rig {
    /// A rig without a skeleton, corrections or clips: bones are called `bone_0`, `bone_1` and so on and sit in the
    /// middle of what they move. `transforms` hold all bones of the first frame, then of the second, and so on.
    ///
    /// # Errors
    /// When lengths or bones do not fit.
    pub fn new(
        mesh: Mesh,
        rest: Vec<Vec3>,
        weights: SkinWeights,
        transforms: Vec<DAffine3>,
        bones: usize,
        fps: f64,
    ) -> Result<Self, RigError> {
        let is_rigid = |t: &DAffine3| {
            let off = t.matrix3.transpose() * t.matrix3 - glam::DMat3::IDENTITY;
            off.to_cols_array().iter().all(|x| x.abs() < RIGID) && t.matrix3.determinant() > 0.0
        };
        let bone = |number: usize| Bone {
            name: format!("bone_{number}"),
            center: DVec3::ZERO,
            rigid: transforms.iter().skip(number).step_by(bones.max(1)).all(is_rigid),
            axes: None,
        };
        let bones = (0..bones).map(bone).collect();
        let mut made = Self {
            mesh,
            rest,
            weights,
            bones,
            transforms,
            skeleton: None,
            corrections: None,
            fps,
            clips: Vec::new(),
            nodes: Vec::new(),
            armature: String::new(),
        };
        made.validate()?;
        let middles = made.bone_middles();
        for (bone, middle) in made.bones.iter_mut().zip(middles) {
            bone.center = middle.unwrap_or(bone.center);
        }
        Ok(made)
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.transforms.len() / self.bones.len().max(1)
    }

    /// The clips, or one of all frames.
    pub fn clips(&self) -> Cow<'_, [Clip]> {
        clips_or_one(&self.clips, self.frame_count(), self.fps)
    }

    /// Transforms of all bones in one frame.
    pub fn frame_transforms(&self, frame: usize) -> &[DAffine3] {
        let b = self.bones.len();
        &self.transforms[frame * b..(frame + 1) * b]
    }

    /// Coefficients of the corrections in one frame; none without corrections.
    pub fn frame_coefficients(&self, frame: usize) -> &[f32] {
        match &self.corrections {
            Some(c) => &c.coefficients[frame * c.rank..(frame + 1) * c.rank],
            None => &[],
        }
    }

    /// Rank of the corrections, 0 without.
    pub fn rank(&self) -> usize {
        self.corrections.as_ref().map_or(0, |c| c.rank)
    }

    /// Checks that all lengths and indices agree.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn validate(&self) -> Result<(), RigError> {
        if self.bones.is_empty() {
            return Err(RigError::NoBones);
        }
        let (n, b, s) = (self.mesh.vertex_count, self.bones.len(), self.frame_count());
        check_length("rest pose", self.rest.len(), n)?;
        check_length("transforms", self.transforms.len(), s * b)?;
        self.weights.validate(n, b)?;
        check_clips(&self.clips, s)?;
        nodes::validate(&self.nodes, b, s)?;
        if let Some(skeleton) = &self.skeleton {
            skeleton.validate(b)?;
        }
        if let Some(c) = &self.corrections {
            check_length("correction basis", c.basis.len(), c.rank * n)?;
            check_length("correction coefficients", c.coefficients.len(), c.rank * s)?;
            if !c.names.is_empty() {
                check_length("correction names", c.names.len(), c.rank)?;
            }
            if !c.normals.is_empty() {
                check_length("correction normals", c.normals.len(), c.rank * n)?;
            }
        }
        Ok(())
    }

    /// Checks that all numbers are finite.
    ///
    /// # Errors
    /// [`RigError::NotFinite`] where one is not.
    pub fn check_finite(&self) -> Result<(), RigError> {
        let corrections = self.corrections.as_ref();
        let checks = [
            ("rest pose", self.rest.iter().all(|p| p.is_finite())),
            ("list of weights", self.weights.weights.iter().all(|w| w.is_finite())),
            ("motion", self.transforms.iter().all(|t| t.is_finite())),
            ("list of corrections", corrections.is_none_or(|c| c.basis.iter().all(|u| u.is_finite()))),
            (
                "list of coefficients",
                corrections.is_none_or(|c| c.coefficients.iter().all(|q| q.is_finite())),
            ),
        ];
        let broken = checks.into_iter().find(|(_, finite)| !finite);
        broken.map_or(Ok(()), |(what, _)| Err(RigError::NotFinite { what }))
    }

    /// The pose of one frame. For many frames, keep a [`Player`].
    pub fn pose(&self, frame: usize) -> Vec<Vec3> {
        Player::new(self).pose(frame)
    }
}

/// How far a linear part may be from a rotation for a bone to be rigid.
const RIGID: f64 = 1e-6;

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), RigError> {
    if found == expected { Ok(()) } else { Err(RigError::Length { what, found, expected }) }
}

/// Of the `n` values of each frame those that `order` names.
pub(crate) fn picked<T: Copy>(values: &[T], n: usize, order: &[usize]) -> Vec<T> {
    values.chunks_exact(n).flat_map(|frame| order.iter().map(|&k| frame[k])).collect()
}
