//! Where rigs touch each other, or themselves, frame by frame, without looking at all of their vertices.
//!
//! Follows section 7 of James and Twigg 2005 and the Bounded Deformation Trees of James and Pai 2004. Triangles
//! are sorted by the bone that moves them most. Each such region gets a rigid frame and a low-rank model of how it
//! deforms in it, learned once from all frames, and is divided into leaves of a few triangles: where the sphere
//! around a leaf is and how large follows from the region's few numbers of a frame. A query goes down a tree over
//! the leaves of each body where bounds meet, and only there are spheres brought up to date and vertices computed.
//! Triangles are tested exactly at the leaves.
//!
//! Where this departs from the papers:
//!
//! - What a region's model misses is measured, per region and frame and per sphere, and added to the radii: contacts
//!   are those of the rig itself, however its bones stretch and blend, not those of the model.
//! - Regions move in their own best frames rather than in those of their bones: bones that a fit made may stretch and
//!   shear wildly where others make up for it.
//! - Spheres bound leaves only. Nodes above them, four parts each, have the boxes of their parts kept for every frame,
//!   in about three quarters of what the poses of all frames would take. A sphere around more than a few triangles is
//!   mostly empty.
//! - What leaves have to be compared is compared four triangles at a time, and in few bits before it is in many.
//!
//! Frames are those of the rig: bounds are learned from them. Bodies may stand anywhere.
//!
//! [`RefitBvh`] is the plain way to the same answer, to compare with: all vertices, then boxes fitted to all
//! triangles.
//!
//! | I have                 | I want                         | use                      |
//! | ---------------------- | ------------------------------ | ------------------------ |
//! | two rigs               | where they touch in a frame    | [`between`]              |
//! | a rig                  | where it touches itself        | [`within`]               |
//! | two triangles          | whether and where they touch   | [`touch()`]              |
//!
//! ```
//! use glam::DVec3;
//! use sinew::collide::{Body, Place, between};
//! use sinew::{progress::Silent, skin};
//! use sinew_sample::{CreatureOptions, creature};
//!
//! let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
//! let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
//! let rig = skin::skin(&animation, &options, &Silent)?.rig;
//! let body = Body::new(&rig, &Silent)?;
//! let (mut one, mut other) = (body.posed(), body.posed());
//! one.set(0, &Place::IDENTITY);
//! other.set(4, &Place::from_translation(DVec3::new(0.3, 0.0, 0.0)));
//! let contacts = between(&one, &other);
//! assert!(!contacts.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod bounds;
mod box_transform;
mod broad_phase;
mod contact;
mod frame_pose;
mod leaf_boxes;
mod model;
mod posed;
mod refit;
mod region_leaves;
mod regions;
mod surface_area;
mod touch;
mod tuning;

pub use body::Body;
pub use contact::{Contact, between, within};
pub use posed::{Posed, Work};
pub use refit::RefitBvh;
pub use touch::{Touch, touch};
pub use tuning::Tuning;

use crate::progress::cancels;
use crate::rig::RigError;

/// Where a rig stands: maps its poses to the space that rigs meet in.
pub type Place = glam::DAffine3;

/// Why a rig cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollideError {
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// There is nothing to touch.
    #[error("the rig has no triangles")]
    NoTriangles,
    /// The listener ended it.
    #[error("cancelled")]
    Cancelled,
}

cancels!(CollideError);
