//! Deformation that knows the character: a mesh, a skeleton, a few handles and example shapes; then any pose.
//!
//! Follows "Context-Aware Skeletal Shape Deformation" (Weber, Sorkine, Lipman and Gotsman 2007):
//!
//! ```text
//! handles ──> influences ──> a rotation per triangle ──> with examples ──> stitched
//! handles     influences     tree, blends                pose_space        stitch
//! ```
//!
//! What is done differently is said where it is done. In short: rotations are blended down the joint tree, so
//! that nothing flips at half a turn (`tree`, [`Pose`]); triangles around a bend are asked to stretch as those of
//! a bent tube do, so that limbs keep their volume (`bend`); a joint's turn also concerns what its parent carries
//! (`pose_space`); limbs go around corners as their bones do, so that hands and feet are where their joints take them
//! ([`DeformOptions::follow`]), and swell where that costs volume (`swell`); bones may get longer ([`Pose::places`]);
//! pieces without a handle hang on the nearest piece (`surface`). Examples can be
//! kept at a few triangles ([`anchors`]).
//!
//! A [`Deformer`] is set up once; a [`Poser`] made from it answers poses without allocating.
//!
//! ```
//! use glam::{DVec3, Vec3};
//! use sinew::deform::{Character, DeformOptions, Deformer, Handles, Pose};
//! use sinew::geometry::Mesh;
//! use sinew::progress::Silent;
//! use sinew::rig::Skeleton;
//!
//! // A strip of four squares, with a joint in the middle.
//! let rest: Vec<Vec3> = (0..5).flat_map(|x| [0.0, 1.0].map(|y| Vec3::new(x as f32, y, 0.0))).collect();
//! let triangles = [0, 2, 4, 6].map(|v| [[v, v + 2, v + 1], [v + 1, v + 2, v + 3]]).concat();
//! let mesh = Mesh::from_triangles(rest.len(), &triangles);
//! let skeleton = Skeleton::new(vec![None, Some(0)]);
//! let joints = [DVec3::ZERO, 2.0 * DVec3::X];
//! let character = Character { mesh: &mesh, rest: &rest, skeleton: &skeleton, joints: &joints };
//!
//! let handles = Handles::from_lists(rest.len(), &[Some(vec![0, 1]), Some(vec![8, 9])])?;
//! let deformer = Deformer::new(&character, &handles, &[], &DeformOptions::default(), &Silent)?;
//! let mut pose = Pose::rest(&skeleton, &joints);
//! pose.turns[1] = DVec3::Y * -90_f64.to_radians();
//! let bent = deformer.pose(&pose);
//! assert!(bent[8].z > 2.0, "the far end points up");
//! # Ok::<(), sinew::deform::DeformError>(())
//! ```

pub mod anchors;
mod bend;
mod binding;
mod blends;
mod character;
mod correction;
mod deformer;
mod dirichlet;
mod error;
mod examples;
mod exp;
mod field;
mod gradient;
mod handles;
mod influences;
mod measure;
mod offsets;
mod pose;
mod pose_space;
mod poser;
mod stitch;
mod stored_examples;
mod surface;
mod swell;
mod tree;
mod tuning;

pub use character::{Character, DeformOptions, Example};
pub use deformer::Deformer;
pub use error::DeformError;
pub use field::{ExampleField, transformation};
pub use handles::Handles;
pub use measure::{detail_deviation, signed_volume};
pub use offsets::HeldOffsets;
pub use pose::Pose;
pub use poser::Poser;
pub use stored_examples::{StoredExample, StoredExamples};
pub use tuning::Tuning;
