//! What versions play.

use std::sync::Arc;

use sinew::animation::{Frames, PoseSource};
use sinew::geometry::Mesh;
use sinew::rig::{Player, PoseChain, Rig, SkinWeights};

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

    /// Memory it takes, about.
    pub fn bytes(&self) -> usize {
        let frames = match self {
            Self::Rig(rig) => size_of_val(&rig.transforms[..]),
            Self::Chain(chain, frames) => size_of_val(&chain.steps[..]) + size_of_val(frames.flat()),
            Self::Poses(_, frames) => size_of_val(frames.flat()),
        };
        let mesh = self.mesh();
        let images: usize = mesh.images.iter().map(|image| image.bytes.len()).sum();
        let vertex = 12 + 8 * self.weights().per_vertex + 24 * self.rank();
        frames + images + vertex * mesh.vertex_count + 24 * mesh.corners.len()
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
