//! Why a joint is not changed so.

use glam::DVec3;

/// Why a joint is not changed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointEditError {
    /// There is no joint of this number.
    #[error("there is no joint {joint}; the joints are 0 to {}", joints.saturating_sub(1))]
    NoSuchJoint {
        /// The number.
        joint: usize,
        /// How many there are.
        joints: usize,
    },
    /// A place with a coordinate that is no number.
    #[error("a joint is at finite coordinates, not at {}, {}, {}", place.x, place.y, place.z)]
    NotFinite {
        /// The place.
        place: DVec3,
    },
    /// A place far outside the body.
    #[error(
        "{}, {}, {} is outside the body: {percent:.0} % of its longest side away from the box around its rest pose",
        place.x, place.y, place.z
    )]
    OutsideBody {
        /// The place.
        place: DVec3,
        /// How far it is from the box around the body, in percent of the longest side.
        percent: f64,
    },
    /// A name that is empty.
    #[error("a joint needs a name")]
    NoName,
    /// Two joints of one name.
    #[error("another joint is called {name} already")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A joint cannot hang on itself or on what hangs on it.
    #[error("joint {joint} cannot hang on joint {parent}, which is the same or hangs on it")]
    UnderItself {
        /// The joint.
        joint: usize,
        /// What it should hang on.
        parent: usize,
    },
    /// The root hangs on nothing.
    #[error("joint {joint} is the root, which hangs on nothing; make another joint the root first")]
    Root {
        /// The joint.
        joint: usize,
    },
    /// The only joint cannot go.
    #[error("a skeleton has at least one joint")]
    LastJoint,
}
