//! What somebody should know about a job that did what it was asked to.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use sinew_io::formats::length;

use crate::words::number;

/// What somebody should know. In reports it is its sentence, which names no option of any door: each adds its own remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// What a reader, a writer or the library says.
    Said(String),
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

impl Warning {
    /// Sentences of others.
    pub fn said(sentences: impl IntoIterator<Item = String>) -> Vec<Self> {
        sentences.into_iter().map(Self::Said).collect()
    }
}

impl From<String> for Warning {
    fn from(sentence: String) -> Self {
        Self::Said(sentence)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(sentence) => f.write_str(sentence),
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

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
