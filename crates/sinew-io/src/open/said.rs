//! What was read, with what is said about its numbers.

use glam::Vec3;
use sinew::geometry::Similarity;
use sinew::nodes;

use super::{Opened, PoseStream, Poses};
use crate::formats::sinew_file::{Contents, Stored};
use crate::scene::Said;
use crate::scene::SampledRig;
use crate::{Result, StaticMesh, Warning};

impl Opened {
    /// The same with what is said about its numbers.
    #[must_use]
    pub fn said(mut self, said: &Said) -> Self {
        let change = said.settle(&mut self.facts);
        self.animation.change(&change);
        self
    }
}

impl SampledRig {
    /// The same with what is said about its numbers.
    #[must_use]
    pub fn said(mut self, said: &Said) -> Self {
        let change = said.settle(&mut self.facts);
        self.rig.change(&change);
        self
    }
}

impl Contents {
    /// The same with what is said about its numbers.
    #[must_use]
    pub fn said(mut self, said: &Said) -> Self {
        let change = said.settle(&mut self.facts);
        self.stored.change(&change);
        self
    }
}

impl Stored {
    /// Makes everything larger and turns it.
    pub fn change(&mut self, by: &Similarity) {
        match self {
            Self::Rig(rig) => rig.change(by),
            Self::Chain(chain) => chain.change(by),
        }
    }
}

impl StaticMesh {
    /// The same with what is said about its numbers.
    #[must_use]
    pub fn said(mut self, said: &Said) -> Self {
        let change = said.settle(&mut self.facts);
        self.change(&change);
        self
    }

    /// Makes everything larger and turns it.
    pub fn change(&mut self, by: &Similarity) {
        by.apply(&mut self.positions);
        by.apply_to_mesh(&mut self.mesh);
    }
}

impl PoseStream {
    /// The same with what is said about its numbers.
    #[must_use]
    pub fn said(mut self, said: &Said) -> Self {
        let change = said.settle(&mut self.facts);
        self.change(&change);
        self
    }

    /// Makes all poses larger and turns them.
    pub fn change(&mut self, by: &Similarity) {
        if by.is_identity() {
            return;
        }
        self.rest.iter_mut().for_each(|rest| by.apply(rest));
        by.apply_to_mesh(&mut self.mesh);
        self.nodes = nodes::placed(&self.nodes, by.scale(), by.turn());
        self.wrap(|poses| Box::new(Changed { poses, by: *by }));
    }

    /// The pose that comes next, which comes all the same.
    pub(super) fn first_pose(&mut self) -> Result<Option<Vec<Vec3>>> {
        let mut pose = vec![Vec3::ZERO; self.vertex_count()];
        if !self.next_into(&mut pose)? {
            return Ok(None);
        }
        let first = Some(pose.clone());
        self.wrap(|poses| Box::new(Ahead { first, poses }));
        Ok(Some(pose))
    }

    fn wrap(&mut self, around: impl FnOnce(Box<dyn Poses>) -> Box<dyn Poses>) {
        let poses = std::mem::replace(&mut self.poses, Box::new(NoPoses));
        self.poses = around(poses);
    }
}

/// Poses that are changed as they come.
struct Changed {
    poses: Box<dyn Poses>,
    by: Similarity,
}

impl Poses for Changed {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        let is_there = self.poses.next_into(out)?;
        if is_there {
            self.by.apply(out);
        }
        Ok(is_there)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.poses.warnings()
    }
}

/// Poses of which the first was looked at.
struct Ahead {
    first: Option<Vec<Vec3>>,
    poses: Box<dyn Poses>,
}

impl Poses for Ahead {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        match self.first.take() {
            Some(first) => {
                out.copy_from_slice(&first);
                Ok(true)
            }
            None => self.poses.next_into(out),
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        self.poses.warnings()
    }
}

/// Stands in while poses are wrapped.
struct NoPoses;

impl Poses for NoPoses {
    fn next_into(&mut self, _out: &mut [Vec3]) -> Result<bool> {
        Ok(false)
    }
}
