//! Flesh that goes on by itself: hair, ears, bellies and skirts, learnt from a body that moved with them and the same motion
//! without.
//!
//! What is learnt is not how the flesh moved but what it is: how stiff, how heavy, how firmly held. Moved anew, it swings as
//! that motion makes it swing.
//!
//! ```text
//! motion without flesh ─┬─> free vertices ──> network ──> stiffness, hold, damping ──> Flesh
//! the same with it ─────┘    (they differ)    of points     (the motion is met)          │
//! other motion without flesh ──────────────────────────────────────────────────────────> with it
//! ```
//!
//! **The model** is an elastic body of points, each tied to its nearest in the rest pose. Cells of neighbours keep their shape
//! up to a rotation (Sorkine and Alexa, "As-Rigid-As-Possible Surface Modeling", 2007), which stands for the interior that a
//! surface does not have; vertices that the motion carries exactly are where it puts them. A step is implicit Euler, solved by
//! turns of a local and a global part (Bouaziz et al., "Projective Dynamics", 2014): the matrix stays, and is inverted once. It is
//! stable for any stiffness and any motion, as every step minimises an energy.
//!
//! **Learning** asks for the parameters with which the simulated motion is closest to the given one over all frames, not step
//! by step: regressions of the next frame from the last ones fit well and fall apart when played. There are few parameters,
//! a stiffness that varies smoothly over the body, a hold and a damping, so that another clip of the same body follows from one.
//! Steps of implicit Euler lose some motion, the more the longer they are; what is learnt goes with the length of a
//! step, so that playing takes steps of that length whatever the rate of its frames.

mod error;
mod learn;
mod least_squares;
mod network;
mod parameters;
mod play;
mod resample;
mod simulate;
mod tuning;

pub use error::FleshError;
pub use learn::{FleshErrors, LearntFlesh, learn_flesh};
pub use parameters::CellShape;
pub use play::{Flesh, StoredFlesh};
pub use tuning::{FleshTuning, TUNING};
