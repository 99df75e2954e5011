//! Numbers of this room that were tuned on characters, each with why. What follows from the mathematics stands where
//! it is used.

use crate::tuning::tuning;

tuning! {
    /// All of them.
    Tuning {
        /// A vertex belongs to the handle of a joint that has so much of its weight.
        clear_share: f32 = 0.9,
        /// A joint that nowhere has so much gets the vertices that it moves most and that have this share of the most
        /// it has anywhere.
        near_share: f32 = 0.9,
        /// A bend stretches a triangle by no more than this share of its length, and shortens it by no more: inside a
        /// sharp bend the surface would be turned inside out. A little beyond one, since what is stitched never gets
        /// quite so far; less costs volume.
        most_stretch: f64 = 1.2,
        /// Limbs swell so many times as much as they would need if they grew on all sides: they do not inside a bend. An
        /// elbow and a knee of a person (MakeHuman) bent by 120° lose with it about what they lose where limbs bend in arcs.
        swelling: f64 = 2.2,
        /// No limb swells by more than this share.
        most_swelling: f64 = 0.35,
        /// Added to the system of a middle line, as a share of the whole surface: without much to go by it is a point.
        middle_stiffness: f64 = 1e-4,
        /// How much every turn concerns every element, however far: examples that differ only elsewhere are told apart.
        elsewhere: f64 = 1e-3,
        /// Damping of the slopes of pose space, as a share of the mean squared distance of the examples from the rest
        /// pose: examples whose poses are nearly in one line must not drive them steep.
        damping: f64 = 1e-3,
        /// Poses in which no joint turns by more than this against the other, in radians, are the same.
        same_pose: f64 = 1e-3,
        /// Shapes nearer than this share of the diagonal are the same.
        same_shape: f64 = 1e-4,
        /// Offsets below this share of the diagonal are none.
        no_offset: f64 = 1e-6,
    }
}

pub(super) const TUNING: Tuning = Tuning::DEFAULT;
