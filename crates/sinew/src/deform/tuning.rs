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
        /// What is left of a limb beyond a joint is a hand or a foot where it is no longer than this share of the whole:
        /// 0.07 to 0.13 in people, while a lower leg and its foot are half of a leg.
        extremity: f64 = 0.2,
        /// Damping of the turns that ease a bend, as a share of the squared lengths of what is turned: a limb that is
        /// nearly straight is not bent to get shorter.
        ease_damping: f64 = 0.02,
        /// No bend is eased by turning a part by more radians (20°).
        most_ease: f64 = 0.35,
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
