//! Skins that ask for dual quaternions, wholly or for some of their vertices.
//!
//! Poses are played so. A rig is linear: it is given out with the largest distance between the two.

use std::borrow::Borrow;

use glam::Vec3;
use sinew::geometry::Bounds;
use sinew::rig::{BlendPlayer, Blending, Bone, Player, Rig};

use super::instances::Instance;
use crate::Warning;
use crate::scene::hierarchy::BoneSource;

/// Which vertices are blended by dual quaternions.
#[derive(Default)]
pub(super) struct Dual {
    /// How much of each vertex is; none beyond the end.
    shares: Vec<f32>,
    /// Names of the objects that ask for it.
    objects: Vec<String>,
}

/// How much of a vertex of a skin is blended by dual quaternions.
fn share(vertex: &ufbx::SkinVertex) -> f32 {
    (vertex.dq_weight as f32).clamp(0.0, 1.0)
}

/// Whether an object asks for dual quaternions.
pub(super) fn asks(mesh: &ufbx::Mesh) -> bool {
    let skin = mesh.skin_deformers.as_ref().first();
    skin.is_some_and(|skin| skin.vertices.iter().any(|v| share(v) > 0.0))
}

impl Dual {
    /// Adds an instance whose vertices start with this one.
    pub fn add(&mut self, Instance { node, mesh }: &Instance, first: usize) {
        if !asks(mesh) {
            return;
        }
        self.objects.push(node.element.name.to_string());
        self.shares.resize(first, 0.0);
        self.shares.extend(mesh.skin_deformers[0].vertices.iter().take(mesh.num_vertices).map(share));
    }

    /// Puts bones where their joints are: with dual quaternions that is what they stretch about.
    pub fn stretch_about_joints(&self, bones: &mut [Bone], sources: &[BoneSource]) {
        for (bone, source) in bones.iter_mut().zip(sources).filter(|_| !self.objects.is_empty()) {
            let joint = source.inverse.inverse().translation;
            bone.center = if joint.is_finite() { joint } else { bone.center };
        }
    }

    /// What plays a rig as the file asks.
    pub fn player<R: Borrow<Rig> + Sync>(self, rig: R) -> BlendPlayer<R> {
        match self.objects.is_empty() {
            true => BlendPlayer::new(rig, Blending::Linear),
            false => BlendPlayer::mixed(rig, self.shares),
        }
    }

    /// Says how far a rig is from what the file asks for, where it asks for anything.
    pub fn warning(self, rig: &Rig) -> Option<Warning> {
        let (name, others) = (self.objects.first()?.clone(), self.objects.len() - 1);
        let (linear, dual) = (Player::new(rig), self.player(rig));
        let mut poses = [rig.rest.clone(), rig.rest.clone()];
        let mut worst = 0.0_f32;
        for frame in 0..rig.frame_count() {
            let [a, b] = &mut poses;
            linear.pose_into(frame, a);
            dual.pose_into(frame, b);
            worst = a.iter().zip(b).map(|(a, b): (&Vec3, &mut Vec3)| a.distance(*b)).fold(worst, f32::max);
        }
        let percent = 100.0 * f64::from(worst) / Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
        Some(Warning::LinearNotDual { name, others, percent })
    }
}
