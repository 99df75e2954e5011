//! From a moving mesh to a skeleton: joints in a tree, and the weights that tie a surface to it.
//!
//! [`heat_weights`] finds weights from shape alone, for joints however they were made.

mod articulation;
mod ccd;
mod figure;
mod heat;
mod lengths;
mod limits;
mod linkage;
mod moments;
mod naming;
mod options;
mod parts;
mod sketch;
mod tree;
mod try_out;

pub use ccd::{CcdOptions, Marker, ccd};
pub use heat::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
pub use lengths::{ConstantLengths, constant_lengths};
pub use limits::{continuous, joint_limits};
pub use naming::{Arranged, arrange, choose_root, rooted};
pub use options::{
    Angles, JointLimits, Segments, Skeletal, SkeletonError, SkeletonOptions, SkeletonSeconds, Weighing,
};
pub use try_out::try_out;

/// stub
pub fn find_skeleton(
    animation: &crate::animation::MeshAnimation,
    options: &SkeletonOptions,
    progress: &dyn crate::progress::Progress,
) -> Result<Skeletal, SkeletonError> {
    let _ = (options, progress);
    animation.validate()?;
    let rig = try_out(animation);
    let measured =
        crate::animation::compare(animation, &crate::rig::Player::new(&rig), animation.rest_bounds());
    Ok(Skeletal {
        limits: vec![JointLimits::default(); rig.bones.len()],
        rig,
        error: measured.error,
        error_per_frame: measured.per_frame,
        near_rigid_fraction: 1.0,
        seconds: SkeletonSeconds::default(),
        warnings: Vec::new(),
    })
}
