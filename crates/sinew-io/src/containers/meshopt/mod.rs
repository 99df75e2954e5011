//! The byte codecs and filters of glTF's `EXT_meshopt_compression`, both ways, and what `KHR_meshopt_compression` adds
//! to them (a second version of the attribute codec, a filter for colours), in.
//!
//! By hand: the crate for it is C++ behind unsafe calls and wants a C++ compiler. These are a few hundred lines that
//! trust nothing, and packed files come out smaller.
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
