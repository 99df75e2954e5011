//! From a moving mesh to a skeleton: joints in a tree, and the weights that tie a surface to it.
//!
//! [`heat_weights`] finds weights from shape alone, for joints however they were made.

mod heat;

pub use heat::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
