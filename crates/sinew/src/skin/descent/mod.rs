//! The least error for a number of bones: coordinate descent over bones, weights and rest pose.
//!
//! "Skinning Mesh Animations" fits bones once and weights once. Going round pays (Kavan, Sloan and O'Sullivan
//! 2010, FESAM; Le and Deng 2012, whose method Dem Bones is): for given bones every vertex has a best mixture
//! and a best rest position, for given mixtures every frame has best bones, and both lower the same error
//! Σ‖P − Σ w T h‖² (equation 1 of Le and Deng).
//!
//! What is done here, file by file, and where it departs from those:
//! - `problem`: rounds run in few coordinates instead of all frames ([`crate::reduced`]), on a sample of the vertices
//!   first and on all at the end (`extend`); true transforms are solved once, last (`transforms`).
//! - `flexible`, `rigid`: flexible bones are solved all together; rigid ones one after the other against what the others
//!   leave over (Le and Deng, section 4.2), on sums over the vertices (`normal`), in several frames side by side (`sweep`).
//! - `vertex`: a vertex keeps its bones from round to round and exchanges one when another, mixed in, lowers its error
//!   more, rather than taking the nearest (Le and Deng, section 4.1, take those of the largest weights).
//! - `local`: of many bones, a vertex looks at those that suit its surroundings alone, so that a round costs the same for
//!   any number of them.
//! - `rounds`: rounds have momentum; bones that move nothing are given work (`dead_bones`).
//! - `relocate`: with much time, bones that are hardly missed go to where they are needed while vertices have several.
//! - `initialise`: several starts are tried and the best goes on; bones that are hardly missed move to where
//!   they are needed before vertices have more than one. `given` starts from a skin instead.
//! - `curve`: error against the number of bones for the price of a fit; `bone_count`: without a number, the fewest that are
//!   enough by it.
//! - `smoothing`: at the end weights are smoothed over the surface and isolated patches are taken out, as far as that
//!   costs little.
//! - `sparse`: in the end, on request, bones stand exactly still in most frames.
//! - `norm`: in the end, on request, the largest errors count for more than the others. Both work in the frames themselves
//!   (`in_frames`, `exchange`), as vertices or bones differ from frame to frame.
//! - `sums`: weights and rest pose for frames that go by and are not kept, once a skin is known.
//! - `fit`: all of it, one after the other ([`Descent`]).

pub(super) mod blocks;
mod bone_count;
mod bones;
mod curve;
mod dead_bones;
mod exchange;
mod extend;
mod fit;
mod flexible;
mod forms;
mod given;
mod in_frames;
mod initialise;
mod local;
mod model;
mod neighbours;
mod norm;
mod normal;
mod options;
mod pairs;
mod problem;
mod relocate;
pub(super) mod rigid;
mod rounds;
mod smoothing;
mod sparse;
mod sums;
pub(super) mod sweep;
mod transforms;
mod vertex;

use self::bones::{Bones, RigidMotion};
pub use self::curve::{Curve, Level};
pub use self::fit::Descent;
use self::model::{Freedom, Model, Pull, Task};
use self::neighbours::Neighbours;
use self::normal::Normal;
pub use self::options::{DescentOptions, Effort, Initialisation, Norm, NotANorm, SkinSize, Solve};
use self::pairs::Pairs;
use self::problem::{Points, Problem};
pub use self::sums::{SkinSums, SumsOptions};
use self::vertex::{Scratch, Solved};
