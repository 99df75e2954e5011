//! Which of the frames are meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{JobError, Outcome};
use crate::pictures::spread;

/// Which frames are meant, counted from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FrameChoice {
    /// All of them.
    All,
    /// These.
    These(Vec<usize>),
    /// So many, spread evenly over all, the first included.
    Spread(usize),
}

impl FrameChoice {
    /// The frames, of so many in `source`.
    ///
    /// # Errors
    /// [`JobError::NoFrame`].
    pub fn frames(&self, total: usize, source: &str) -> Outcome<Vec<usize>> {
        match self {
            Self::All => Ok((0..total).collect()),
            Self::Spread(count) => Ok(spread(total, *count)),
            Self::These(frames) => match frames.iter().find(|f| **f >= total) {
                None => Ok(frames.clone()),
                Some(&frame) => Err(JobError::NoFrame { source_name: source.into(), frame, frames: total }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_chosen() {
        assert_eq!(FrameChoice::All.frames(3, "rig").unwrap(), [0, 1, 2]);
        assert_eq!(FrameChoice::These(vec![2]).frames(3, "rig").unwrap(), [2]);
        assert!(FrameChoice::These(vec![3]).frames(3, "rig").is_err());
        assert_eq!(FrameChoice::Spread(2).frames(4, "rig").unwrap(), [0, 2]);
    }
}
