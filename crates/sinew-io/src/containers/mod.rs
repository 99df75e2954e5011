//! Bytes in boxes: how files are cut into pieces, whatever the pieces mean.
//!
//! Nothing here knows a mesh or a bone. What is in the boxes is read by [`crate::formats`].

pub(crate) mod bytes;
pub(crate) mod fbx_nodes;
pub(crate) mod fields;
pub(crate) mod glb;
pub(crate) mod iff;
pub(crate) mod mapped;
pub(crate) mod meshopt;
pub(crate) mod ogawa;
pub(crate) mod records;
pub(crate) mod usdc;
pub(crate) mod usdz;
pub(crate) mod zip;
