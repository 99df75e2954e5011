//! The motion that a rig has of its own, as far as it teaches how its bones hang together.

use glam::{DAffine3, DMat3, DVec3};

use super::tuning::TUNING;
use crate::animation::{centroid, evenly};
use crate::geometry::{Bounds, vertex_areas};
use crate::rig::Rig;

/// What the bones do in some poses. Places are those to which a bone carries the middle of the rest pose:
/// unlike translations they do not grow with the distance from the origin.
pub(super) struct RigMotion {
    /// Number of bones.
    pub bones: usize,
    /// Middle of the rest pose.
    pub middle: DVec3,
    /// Diagonal of the rest pose, one if it has none.
    pub unit: f64,
    /// How much of the surface each bone carries.
    pub masses: Vec<f64>,
    /// Linear part of every bone, pose after pose. The first pose is the rest pose.
    pub turns: Vec<DMat3>,
    /// Place of every bone, pose after pose.
    pub places: Vec<DVec3>,
}

impl RigMotion {
    /// Poses spread evenly over the frames of `rig`.
    pub fn new(rig: &Rig) -> Self {
        let bones = rig.bones.len();
        let middle = centroid(&rig.rest);
        let diagonal = Bounds::of(&rig.rest).diagonal();
        let unit = if diagonal > 0.0 { diagonal } else { 1.0 };
        let mut all = vec![DAffine3::IDENTITY; bones];
        for frame in evenly(rig.frame_count(), TUNING.translations.poses) {
            all.extend_from_slice(rig.frame_transforms(frame));
        }
        let turns = all.iter().map(|t| t.matrix3).collect();
        let places = all.iter().map(|t| t.transform_point3(middle)).collect();
        let mut masses = vec![0.0; bones];
        for (v, area) in areas(rig).into_iter().enumerate() {
            rig.weights.influences(v).for_each(|(bone, weight)| masses[bone] += area * weight);
        }
        Self { bones, middle, unit, masses, turns, places }
    }

    /// Number of poses.
    pub fn len(&self) -> usize {
        self.turns.len() / self.bones
    }

    /// Linear parts in a pose.
    pub fn turns_of(&self, pose: usize) -> &[DMat3] {
        &self.turns[pose * self.bones..(pose + 1) * self.bones]
    }

    /// Places in a pose.
    pub fn places_of(&self, pose: usize) -> &[DVec3] {
        &self.places[pose * self.bones..(pose + 1) * self.bones]
    }
}

/// The surface around each vertex: a third of each of its triangles.
pub(super) fn areas(rig: &Rig) -> Vec<f64> {
    vertex_areas(&rig.mesh.triangles(&rig.rest), &rig.rest)
}
