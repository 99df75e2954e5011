//! What somebody should know about a result.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use sinew_io::formats::length;

use crate::words::number;

/// What somebody should know about a result. In reports it is a sentence, without its full stop.
///
/// Sentences name no option of a door: each adds its own remedy by matching on the variant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// What a file's reader or writer, or the library, has to say.
    File(String),
    /// The input has no faces, and the output could have held them.
    NoFaces {
        /// What was read.
        input: PathBuf,
    },
    /// The output's format has another unit than the input.
    Unit {
        /// Metres of the input's unit.
        input: f64,
        /// Metres of the output's unit.
        output: f64,
        /// The output's kind of file.
        format: String,
        /// How many times as large everything became.
        larger: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(sentence) => f.write_str(sentence),
            Self::NoFaces { input } => {
                write!(f, "{} holds no faces, so the new file has none", input.display())
            }
            Self::Unit { input, output, format, larger } => write!(
                f,
                "a unit is {} in the input and {} in {format}: what was written is {} times as large",
                length(*input),
                length(*output),
                number(*larger)
            ),
        }
    }
}

impl From<String> for Warning {
    fn from(sentence: String) -> Self {
        Self::File(sentence)
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Sentences as warnings.
pub fn told<S: Into<Warning>>(sentences: impl IntoIterator<Item = S>) -> Vec<Warning> {
    sentences.into_iter().map(Into::into).collect()
}
