//! The motion that a rig has of its own, as far as it teaches how its bones hang together.

use glam::{DAffine3, DMat3, DVec3};

use crate::animation::centroid;
use crate::geometry::Bounds;
use crate::rig::Rig;

/// Poses that are looked at, besides the rest pose.
const MOST: usize = 256;

/// What the bones do in some poses. Places are those to which a bone carries the middle of the rest pose:
/// unlike translations they do not grow with the distance from the origin.
pub(super) struct OwnMotion {
    /// Number of bones.
    pub bones: usize,
    /// Middle of the rest pose.
    pub middle: DVec3,
    /// Diagonal of the rest pose, one if it has none.
    pub unit: f64,
    /// How much of the mesh each bone carries: its sum of weights.
    pub masses: Vec<f64>,
    /// Linear part of every bone, pose after pose. The first pose is the rest pose.
    pub turns: Vec<DMat3>,
    /// Place of every bone, pose after pose.
    pub places: Vec<DVec3>,
}

impl OwnMotion {
    /// Poses spread evenly over the frames of `rig`.
    pub fn new(rig: &Rig) -> Self {
        let bones = rig.bones.len();
        let middle = centroid(&rig.rest);
        let diagonal = Bounds::of(&rig.rest).diagonal();
        let unit = if diagonal > 0.0 { diagonal } else { 1.0 };
        let mut all = vec![DAffine3::IDENTITY; bones];
        for frame in spread(rig.frame_count(), MOST) {
            all.extend_from_slice(rig.frame_transforms(frame));
        }
        let turns = all.iter().map(|t| t.matrix3).collect();
        let places = all.iter().map(|t| t.transform_point3(middle)).collect();
        let mut masses = vec![0.0; bones];
        for (&bone, &weight) in rig.weights.bones.iter().zip(&rig.weights.weights) {
            masses[bone as usize] += f64::from(weight);
        }
        Self { bones, middle, unit, masses, turns, places }
    }

    /// The bone that carries most.
    pub fn heaviest(&self) -> usize {
        (0..self.bones).rev().max_by(|&a, &b| self.masses[a].total_cmp(&self.masses[b])).unwrap_or(0)
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

/// At most so many of a number of frames, evenly over all.
pub(super) fn spread(all: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = all.min(most);
    (0..count).map(move |i| i * all / count)
}
