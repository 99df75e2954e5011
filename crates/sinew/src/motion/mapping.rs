//! Which joint of a source each bone of a rig follows.

use std::collections::HashSet;

use super::Motion;
use super::names::nearest_spelling;
use crate::rig::Rig;

/// Which joint each bone follows. Many bones may follow one joint. A bone that follows none goes with the
/// bone it hangs on.
///
/// ```
/// use sinew::motion::{Mapping, Motion};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let small = CreatureOptions { frames: 8, detail: 0.6, ..Default::default() };
/// let animation = creature(&small);
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let motion = Motion::of_rig(&rig);
/// let own = motion.joints[3].name.clone();
/// let mapping = Mapping::from_names(&rig, &motion, [(own.as_str(), Some(own.as_str()))])?;
/// assert_eq!(mapping.joints[3], Some(3));
/// let error = Mapping::from_names(&rig, &motion, [("tentacle", None)]).unwrap_err();
/// assert!(error.to_string().contains("no bone \"tentacle\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The joint of each bone, by number.
    pub joints: Vec<Option<usize>>,
}

/// Why a mapping does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A bone that the rig does not have.
    #[error("the rig has no bone {name:?}{}", suggestion(name, nearest))]
    NoSuchBone {
        /// What was given.
        name: String,
        /// The bone that is spelled most like it.
        nearest: Option<String>,
    },
    /// A joint that the source does not have.
    #[error(
        "bone {bone:?} is to follow {name:?}, and the source has no such joint{}",
        suggestion(name, nearest)
    )]
    NoSuchJoint {
        /// The bone.
        bone: String,
        /// What was given.
        name: String,
        /// The joint that is spelled most like it.
        nearest: Option<String>,
    },
    /// A bone that is given twice.
    #[error("bone {name:?} is given twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// Nothing would move.
    #[error("no bone follows a joint")]
    Empty,
    /// Not one entry for each bone, or a number that no joint has.
    #[error("the mapping is not of this rig and this source")]
    Other,
}

fn suggestion(name: &str, nearest: &Option<String>) -> String {
    match nearest {
        Some(near) if near.to_lowercase() == name.to_lowercase() => format!("; it is spelled {near:?}"),
        Some(near) => format!("; {near:?} is spelled most like it"),
        None => String::new(),
    }
}

impl Mapping {
    /// From names of bones, each with the name of the joint it follows, or none; capital letters count. Bones
    /// that are not given follow none.
    ///
    /// # Errors
    /// When a bone or joint is not there, a bone is given twice, or no bone follows a joint.
    pub fn from_names<'a>(
        rig: &Rig,
        motion: &Motion,
        pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Self, MappingError> {
        let mut joints = vec![None; rig.bones.len()];
        let mut given = HashSet::new();
        for (name, joint) in pairs {
            let bone = rig.bones.iter().position(|bone| bone.name == name);
            let bone = bone.ok_or_else(|| MappingError::NoSuchBone {
                name: name.into(),
                nearest: nearest(name, rig.bones.iter().map(|b| b.name.as_str())),
            })?;
            if !given.insert(bone) {
                return Err(MappingError::Twice { name: name.into() });
            }
            let Some(joint) = joint else { continue };
            let number = motion.joints.iter().position(|j| j.name == joint);
            let number = number.ok_or_else(|| MappingError::NoSuchJoint {
                bone: name.into(),
                name: joint.into(),
                nearest: nearest(joint, motion.joints.iter().map(|j| j.name.as_str())),
            })?;
            joints[bone] = Some(number);
        }
        let mapping = Self { joints };
        mapping.check(rig, motion).map(|()| mapping)
    }

    /// Checks that the mapping is of this rig and this source, and that something moves.
    ///
    /// # Errors
    /// When it is of another rig or source, or no bone follows a joint.
    pub fn check(&self, rig: &Rig, motion: &Motion) -> Result<(), MappingError> {
        let there = |joint: &usize| *joint < motion.joints.len();
        if self.joints.len() != rig.bones.len() || !self.joints.iter().flatten().all(there) {
            return Err(MappingError::Other);
        }
        if self.joints.iter().all(Option::is_none) { Err(MappingError::Empty) } else { Ok(()) }
    }

    /// The joint that each bone goes with in the end: its own, or that of the nearest bone which has one,
    /// first up what the bones hang on, then anywhere.
    pub fn followed(&self, parents: &[Option<usize>]) -> Vec<usize> {
        let up = |bone: usize| {
            let mut above = std::iter::successors(Some(bone), |&bone| parents[bone]).take(parents.len());
            above.find_map(|bone| self.joints[bone])
        };
        let ups: Vec<Option<usize>> = (0..parents.len()).map(up).collect();
        // What hangs above all mapped bones goes with the first of those that hang on it.
        let down = |bone: usize| {
            let hangs_on = |&other: &usize| {
                std::iter::successors(Some(other), |&b| parents[b]).take(parents.len()).any(|b| b == bone)
            };
            (0..parents.len()).filter(hangs_on).find_map(|other| self.joints[other])
        };
        let any = self.joints.iter().flatten().next().copied().unwrap_or(0);
        (0..parents.len()).map(|bone| ups[bone].or_else(|| down(bone)).unwrap_or(any)).collect()
    }
}

fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest_spelling(name, known).map(str::to_owned)
}
