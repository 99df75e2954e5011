//! Bones, weights and corrections.

mod bones;
mod influences;
mod weights;

pub use bones::fit_bones;
pub use influences::MOST_INFLUENCES;
pub use weights::{WeightMethod, WeightOptions, solve_weights};

/// What a bone may do to the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneKind {
    /// Turn and shift.
    Rigid,
    /// Turn, shift, stretch and shear.
    #[default]
    Flexible,
}
