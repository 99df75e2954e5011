//! Why what is known of a skeleton cannot be.

use super::JointEditError;

/// Why what is known cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// A joint that is known cannot be there.
    #[error("{}: {error}", called(*number, name))]
    Joint {
        /// Its number in the list, counted from 1.
        number: usize,
        /// Its name, if it has one.
        name: Option<String>,
        /// Why.
        error: JointEditError,
    },
    /// Neither a place nor a joint that was found.
    #[error("{}: it needs a place, or the name of a joint that is found without", called(*number, name))]
    Nowhere {
        /// Its number in the list, counted from 1.
        number: usize,
        /// Its name, if it has one.
        name: Option<String>,
    },
    /// Two joints at one place.
    #[error("joints {} and {} are at the same place", joints[0], joints[1])]
    SamePlace {
        /// Their numbers in the list, counted from 1.
        joints: [usize; 2],
    },
    /// No joint has a name that was given.
    #[error("there is no joint {name}; {}", near_in_words(near))]
    NoSuchJoint {
        /// The name.
        name: String,
        /// The names that are most like it.
        near: Vec<String>,
    },
    /// The root cannot be there.
    #[error("the root: {0}")]
    Root(JointEditError),
    /// Nothing is left to look at.
    #[error("all of the mesh is set aside; something has to tell where joints are")]
    NothingLeft,
}

fn called(number: usize, name: &Option<String>) -> String {
    let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    format!("joint {number}{name} of those that are known")
}

fn near_in_words(near: &[String]) -> String {
    match near {
        [] => "no joint has a name like it".into(),
        near => format!("the names most like it are {}", near.join(", ")),
    }
}
