//! The byte codecs and filters of glTF's `EXT_meshopt_compression`, both ways.
//!
//! Follows the extension's specification (Khronos Group, ratified 2021), appendices A and B. Attributes are
//! stored as byte-wise differences in groups of sixteen, triangles as one byte each where they share an edge
//! with a recent one. Decoders trust nothing: what does not fit together gives `None`. Encoders choose the
//! smallest of what the format offers, the table of triangle codes included.
//!
//! | data                                | codec          | filter                                     |
//! | ----------------------------------- | -------------- | ------------------------------------------ |
//! | vertices, key times, matrices       | [`attributes`] |                                            |
//! | unit normals                        | [`attributes`] | [`filters::octahedral`]                    |
//! | rotations                           | [`attributes`] | [`filters::quaternion`]                    |
//! | other floats                        | [`attributes`] | [`filters::exponential`]                   |
//! | corners of triangles                | [`triangles`]  |                                            |
//! | other indices                       | [`indices`]    |                                            |

pub mod attributes;
pub mod filters;
pub mod indices;
pub mod triangles;
mod varint;

#[cfg(test)]
mod tests;
