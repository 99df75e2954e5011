//! Versions: rigs side by side, to flip between.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::animation::{Frames, PoseSource};
use sinew::geometry::Mesh;
use sinew::rig::{Player, PoseChain, Rig, SkinWeights};

use super::editors::Editors;
use super::measure::Errors;
use super::{Outcome, Refusal, Session};

/// Where a version came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Kind {
    Fit,
    File,
    Edit,
    Skeleton,
    Transplant,
    Deform,
}

/// What a version plays. Shared with whoever draws, measures or writes it at the moment; an edit copies it
/// then.
#[derive(Clone)]
pub enum Shape {
    /// A rig.
    Rig(Arc<Rig>),
    /// Bones that carry each pose to the next, and all their poses.
    Chain(Arc<PoseChain>, Arc<Frames>),
    /// Poses on the mesh of a rig.
    Poses(Arc<Rig>, Arc<Frames>),
}

/// One of the rigs of a session.
#[derive(Clone)]
pub struct Version {
    /// Its number, never used for another.
    pub id: u32,
    /// Its name for people.
    pub name: String,
    /// Where it came from.
    pub kind: Kind,
    /// How it was made, in a word.
    pub method: String,
    /// The version it was made from.
    pub parent: Option<u32>,
    /// What it plays.
    pub shape: Shape,
    /// Changes whenever that does; what is fetched by it never does.
    pub content: u64,
    /// Size as a file, once it is known.
    pub bytes: Option<u64>,
    /// Distance from the original, once it is known.
    pub errors: Option<Arc<Errors>>,
    /// What edits need, made when first needed.
    pub(super) editors: Editors,
}

impl Version {
    /// A version that nothing is known of yet.
    pub(super) fn new(session: &mut Session, name: String, kind: Kind, method: &str, shape: Shape) -> Self {
        Self {
            id: session.next_version(),
            name,
            kind,
            method: method.into(),
            parent: None,
            shape,
            content: session.next_content(),
            bytes: None,
            errors: None,
            editors: Editors::default(),
        }
    }

    /// The rig, or why there is none.
    pub fn rig(&self) -> Result<&Arc<Rig>, Refusal> {
        match &self.shape {
            Shape::Rig(rig) => Ok(rig),
            Shape::Chain(..) => {
                Refusal::say(format!("the bones of {} lead from pose to pose and make no rig", self.name))
            }
            Shape::Poses(..) => Refusal::say(format!("{} is a posed character and no rig", self.name)),
        }
    }

    /// What its data is fetched by.
    pub fn key(&self) -> String {
        format!("{}.{}", self.id, self.content)
    }
}

impl Shape {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        match self {
            Self::Rig(rig) => rig.frame_count(),
            Self::Chain(_, frames) | Self::Poses(_, frames) => frames.len(),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.mesh().vertex_count
    }

    /// Faces, UVs, materials.
    pub fn mesh(&self) -> &Mesh {
        match self {
            Self::Rig(rig) | Self::Poses(rig, _) => &rig.mesh,
            Self::Chain(chain, _) => &chain.mesh,
        }
    }

    /// Influences.
    pub fn weights(&self) -> &SkinWeights {
        match self {
            Self::Rig(rig) | Self::Poses(rig, _) => &rig.weights,
            Self::Chain(chain, _) => &chain.weights,
        }
    }

    /// Number of correction shapes.
    pub fn rank(&self) -> usize {
        if let Self::Rig(rig) = self { rig.rank() } else { 0 }
    }

    /// Frames per second.
    pub fn fps(&self) -> f64 {
        match self {
            Self::Rig(rig) | Self::Poses(rig, _) => rig.fps,
            Self::Chain(chain, _) => chain.fps,
        }
    }

    /// Its poses.
    pub fn poses(&self) -> Box<dyn PoseSource + '_> {
        match self {
            Self::Rig(rig) => Box::new(Player::new(&**rig)),
            Self::Chain(_, frames) | Self::Poses(_, frames) => Box::new(Shared(frames)),
        }
    }

    /// A chain with all its poses.
    pub(super) fn of_chain(chain: PoseChain) -> Self {
        let frames = Arc::new(chain.bake());
        Self::Chain(Arc::new(chain), frames)
    }
}

/// Frames by reference.
struct Shared<'a>(&'a Frames);

impl PoseSource for Shared<'_> {
    fn frame_count(&self) -> usize {
        self.0.len()
    }

    fn vertex_count(&self) -> usize {
        self.0.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [glam::Vec3]) {
        self.0.pose_into(frame, out);
    }
}

/// The bones of a vertex.
#[derive(Serialize)]
struct Picked {
    bone: Option<u32>,
    weights: Vec<(u32, f32)>,
}

impl Session {
    /// The bones that move a vertex, the strongest first.
    pub(super) fn pick(&self, version: u32, vertex: usize) -> Result<Outcome, Refusal> {
        let shape = &self.version(version)?.shape;
        if vertex >= shape.vertex_count() {
            return Refusal::say(format!("there is no vertex {vertex}"));
        }
        let (bones, weights) = shape.weights().of(vertex);
        let pairs = bones.iter().copied().zip(weights.iter().copied());
        let mut weights: Vec<(u32, f32)> = pairs.filter(|(_, weight)| *weight != 0.0).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(Outcome::told(Picked { bone: weights.first().map(|w| w.0), weights }))
    }
}
