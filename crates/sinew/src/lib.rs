//! Sinew turns a mesh animation into a rig: bones, skin weights and small corrections that replay it.
//!
//! Data flows one way. [`skin::skin`] goes all of it; each step is a public function too:
//!
//! ```text
//! MeshAnimation ──> segments ──> bones <──> weights, rest pose ──> corrections ──> Rig
//!   animation       segment      skin             skin               skin          rig
//! ```
//!
//! The usual method goes round between bones and weights until neither gains; the papers' methods go once.
//!
//! | I have                          | I want                    | use                          |
//! | ------------------------------- | ------------------------- | ---------------------------- |
//! | arrays in memory                | an animation              | [`animation::MeshAnimation::from_positions`] |
//! | an animation                    | a rig, by any of the methods | [`skin::skin`]            |
//! | an animation                    | poses from poses          | [`skin::pose_to_pose`]       |
//! | bones, weights or groups; many fits of one animation | better ones | [`skin::Descent`]     |
//! | weights and two poses           | transforms of all bones   | [`skin::TransformSolver`]    |
//! | an animation                    | what of it moves together | one of [`segment::ALL`]      |
//! | an animation and bones          | weights                   | [`skin::solve_weights`]      |
//! | an animation                    | a skeleton and a skin on it | [`skeleton::find_skeleton`] |
//! | joints that move inside a body  | weights from its shape    | [`skeleton::heat_weights`]   |
//! | arrays in memory                | a rig                     | [`rig::Rig::new`], [`rig::SkinWeights::from_dense`] |
//! | a rig                           | its poses                 | [`rig::Rig::pose`], [`rig::Player`] |
//! | a rig and motion from elsewhere | that motion on it         | [`motion::Plan`], [`motion::Transplanter`] |
//! | a rig and rotations from elsewhere | translations that hold it together | [`motion::TranslationSolver`] |
//! | a mesh, its skeleton and example shapes | its shape in any pose | [`deform::Deformer`]  |
//! | a motion with flesh and the same without | that flesh on other motion | [`flesh::learn_flesh`], [`flesh::Flesh::moved`] |
//! | a rig                           | a bone turned, the others moved along | [`motion::BoneEditor`] |
//! | a rig and a sculpted pose       | it in that frame, and later ones following | [`motion::PoseEditor`] |
//! | a rig                           | coarser levels of it      | [`lod::simplify`]            |
//! | a rig                           | light baked on it         | [`light::rig_occlusion`], [`light::LightShapes`] |
//! | rigs that move                  | where they touch          | [`collide::Body`]            |
//! | frames that come one by one     | steps from pose to pose   | [`stream::Encoder`]          |
//! | equations of a mesh, points to be laid over others | their solution | [`solve`]          |
//! | two animations, or one and a rig | how far they are apart   | [`animation::compare`]       |
//! | nothing                         | something to try it on    | `creature` of `sinew-sample` |
//!
//! # Words
//!
//! A *bone* has a transform per frame and no parent. A *joint* is a node of a skeleton. A *pose* is one frame's shape. The *rest pose* is
//! what bones deform. An *influence* is one weight on one vertex. *Percent* is
//! 100·‖P − Q‖ / ‖P − mean over time of P‖.
//!
//! # Long calls
//!
//! What takes longer than a moment takes a [`progress::Progress`] and returns a `Result` whose error has a `Cancelled`
//! variant. Errors and warnings are enums with data; their sentences name no flag and no button, so that each program
//! adds the remedy that it has. `examples/` shows whole programs: arrays in memory, a skeleton, a transplant, playing.
//!
//! # Promises
//!
//! The library reads no files, prints nothing and holds no global state. The same input gives the same
//! bits for any number of threads.
//!
//! # Example
//!
//! ```
//! use sinew::{progress::Silent, skin};
//! use sinew_sample::{CreatureOptions, creature};
//!
//! let animation = creature(&CreatureOptions { frames: 8, ..Default::default() });
//! let options = skin::SkinOptions { bones: Some(24), ..Default::default() };
//! let skinned = skin::skin(&animation, &options, &Silent)?;
//! assert!(skinned.error.percent < 2.0);
//! # Ok::<(), skin::SkinError>(())
//! ```

pub mod animation;
pub mod choice;
pub mod collide;
pub mod deform;
pub mod flesh;
pub mod geometry;
pub mod light;
pub mod lod;
pub mod motion;
pub mod nodes;
pub mod progress;
mod reduced;
pub mod rig;
pub mod segment;
pub mod skeleton;
pub mod skin;
pub mod solve;
pub mod stream;
mod tracks;
mod tuning;
mod wide;

pub use glam;
