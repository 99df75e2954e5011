//! Acclaim's pair of files: ASF, a skeleton, and AMC, its motion. The form in which Carnegie Mellon's motion
//! capture database is kept.
//!
//! An ASF bone starts where the one it hangs on ends. It has a direction and a length in the world at rest,
//! and axes of its own, C, about which it turns: the frame's angles make a turn M in those axes, which is
//! C M C⁻¹ in the world's. Angles act in the order in which they are named, so that `axis X Y Z` is
//! Rz Ry Rx. Each bone becomes a joint where it starts, and the root one of its own; in the bind pose no
//! joint is turned. So the joints, and what they do, are those of a BVH file of the same motion.
//!
//! The root's `orientation` is taken for its axes, and its `position` is added to its place in every frame.
//!
//! Lengths stay as they are in the file. `length` under `:units` says by what inches were multiplied to get
//! them, as the database's authors use it: with 0.45, a unit is 0.0254 m / 0.45.

mod amc;
mod amc_entry;
mod asf;
mod asf_entry;
mod beside;
mod skeleton;
mod tree;

pub use amc::parse_amc;
pub use amc_entry::AMC;
pub use asf::{parse_asf, read_asf};
pub use asf_entry::ASF;
pub use skeleton::{FPS, Skeleton};
