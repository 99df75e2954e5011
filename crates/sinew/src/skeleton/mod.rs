//! From a moving mesh to a skeleton: joints in a tree, their turns, and the weights that tie a surface to it.
//!
//! [`find_skeleton`] goes the way of "Automatic Conversion of Mesh Animations into Skeleton-based Animations" (de
//! Aguiar, Theobalt, Thrun and Seidel 2008): parts that move rigidly, which of them hang together, joints, angles,
//! weights. What is done differently:
//!
//! - All that decides about joints is done on samples: points spread evenly over the surface, in some frames
//!   ([`SurfaceSamples`](crate::segment::SurfaceSamples)). Density and numbering of the mesh play no part, nor does its
//!   size.
//! - Parts are patches that keep their shape ([`Patches`](crate::segment::Patches)), cut where they lie in several
//!   pieces, and thinned out: a bone goes whose points a blend of its neighbours moves nearly as well (`parts`,
//!   `blends`). The paper's spectral segments ([`Spectral`](crate::segment::Spectral)) cut blend zones into parts of
//!   their own; they can be asked for, as can others ([`SkeletonOptions::segmenter`]).
//! - The tree is the one in which neighbours slip least against each other (`tree`), not the one of longest seams.
//! - Joints, lengths and all turns are one least-squares problem over the whole skeleton (`articulation`), which never
//!   looks at a vertex again once some sums are known (`moments`); equations 2 and 3 of the paper are special cases. Joints
//!   are pulled to seams as in equation 2, level with the limb along the axis of a hinge (`contacts`).
//! - Joints are put in where a part was missed (`linkage`) and taken out where they are hardly missed, judged by
//!   the fitted skeleton (`search`, `skeleton_fit`), or carry nothing (`spare`). Both sides of a body get the same ones
//!   (`alike`).
//! - Weights are those that fit best under the skeleton's motion, smoothed against strain in other poses (`assemble`,
//!   `strain`); [`heat_weights`] finds them from
//!   shape alone as the paper does, for joints however they were made. [`ccd`] finds angles as the paper does.
//!
//! ```
//! use sinew::skeleton::{SkeletonOptions, find_skeleton};
//! use sinew::progress::Silent;
//! use sinew_sample::{CreatureOptions, creature};
//!
//! let options = CreatureOptions { frames: 12, detail: 0.6, ..Default::default() };
//! let found = find_skeleton(&creature(&options), &SkeletonOptions::default(), &Silent)?;
//! let skeleton = found.rig.skeleton.as_ref().expect("found");
//! assert_eq!(skeleton.roots().count(), 1);
//! assert!(found.error.accu < 1.0);
//! # Ok::<(), sinew::skeleton::SkeletonError>(())
//! ```

mod alike;
mod articulation;
mod aside;
mod assemble;
mod blends;
mod body;
mod called;
mod ccd;
mod contacts;
mod edit_error;
mod edited;
mod equations;
mod find;
mod heat;
mod known;
mod known_error;
mod lengths;
mod limits;
mod linkage;
mod moments;
mod naming;
mod options;
mod parts;
mod parts_of_body;
mod search;
mod several;
mod skeleton_fit;
mod spare;
mod strain;
mod tree;
mod tuning;

use articulation::{Anchors, Articulation};
pub use aside::SetAside;
use blends::{Blend, Nearby, Residuals, weights_of};
use body::{Body, PartTree};
pub use ccd::{CcdOptions, Marker, ccd};
pub use edit_error::JointEditError;
pub use edited::{EditedJoint, EditedSkeleton};
pub use find::find_skeleton;
pub use heat::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
pub use known::{Known, KnownJoint, RootChoice, find_skeleton_knowing, names_like};
pub use known_error::KnownError;
pub use lengths::{ConstantLengths, constant_lengths};
pub use limits::{continuous, joint_limits};
use moments::{Moments, Sampled};
pub use naming::{Arranged, arrange, choose_root, rooted};
pub use options::{
    Angles, JointLimits, JointNames, JointWeights, Skeletal, SkeletonError, SkeletonOptions, SkeletonSeconds,
    SkeletonWarning,
};
use parts::{Parts, Plan};
pub(crate) use parts_of_body::parts_of_body;
use skeleton_fit::SkeletonFit;
use tree::parents_first;
use tuning::TUNING;
pub use tuning::{
    AnchorTuning, ArticulationTuning, BlendTuning, BodyTuning, EditTuning, FindTuning, LinkageTuning,
    PartsTuning, SearchTuning, SeveralTuning, SpareTuning, StrainTuning, TreeTuning, Tuning,
};
