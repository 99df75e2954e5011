//! From a moving mesh to a skeleton: joints in a tree, and the weights that tie a surface to it.
//!
//! [`heat_weights`] finds weights from shape alone, for joints however they were made.

mod articulation;
mod blends;
mod ccd;
mod contacts;
mod figure;
mod find;
mod finish;
mod heat;
mod lengths;
mod limits;
mod linkage;
mod moments;
mod naming;
mod options;
mod parts;
mod scene;
mod search;
mod sketch;
mod tree;

pub use ccd::{CcdOptions, Marker, ccd};
pub use find::find_skeleton;
pub use heat::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
pub use lengths::{ConstantLengths, constant_lengths};
pub use limits::{continuous, joint_limits};
pub use naming::{Arranged, arrange, choose_root, rooted};
pub use options::{
    Angles, JointLimits, Segments, Skeletal, SkeletonError, SkeletonOptions, SkeletonSeconds, Weighing,
};
