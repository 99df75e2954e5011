//! Light that moves with a mesh: how open to the sky every vertex is in every frame, in a few shapes.
//!
//! Section 7 of "Skinning Mesh Animations" (James and Twigg 2005) bakes diffuse light into its meshes and stores
//! it in few dimensions, as light deforms with the mesh as its corrections do. Here that light is ambient
//! occlusion: [`ambient_occlusion`] looks from every vertex into the directions above it, in every frame, and
//! [`LightShapes`] keeps the outcome as a sum of few shapes over the vertices, each with a coefficient a frame.
//! The shapes are those of a truncated singular value decomposition, which has the least squared error, or of a
//! factorisation without negative numbers, which players that only add can show ([`Factoring`]). [`Light`] holds them
//! in a byte a vertex and shape: what files carry and graphics cards read.
//!
//! ```
//! use sinew::animation::Frames;
//! use sinew::light::{Factoring, Light, LightShapes, OcclusionOptions, ambient_occlusion};
//! use sinew::progress::Silent;
//! use sinew_sample::{CreatureOptions, creature};
//!
//! let animation = creature(&CreatureOptions { frames: 4, detail: 0.4, ..Default::default() });
//! let triangles = animation.mesh.triangles(animation.frames.frame(0));
//! let options = OcclusionOptions { rays: 16, ..Default::default() };
//! let seen = ambient_occlusion(&triangles, None, &animation.frames, &options, &Silent)?;
//! let light = Light::new(&LightShapes::new(&seen, 2, Factoring::Singular, &Silent)?);
//! assert_eq!(light.rank(), 2);
//! assert!(light.error(&seen).mean < 0.05);
//! # Ok::<(), sinew::light::OcclusionError>(())
//! ```

mod factor;
mod occlusion;
mod packed;
mod rays;
mod tuning;

pub use factor::{Factoring, LightShapes};
pub use occlusion::{Occlusion, OcclusionError, OcclusionOptions, ambient_occlusion, rig_occlusion};
pub use packed::{Light, LightError};
pub use tuning::Tuning;
