//! A file: its bytes, and the tables that values refer to.

use std::ops::Range;
use std::path::PathBuf;

use crate::containers::bytes::Bytes;
use crate::{Error, Result};

/// Elements that a path may have.
const LONGEST_PATH: usize = 512;

/// What a binary layer starts with.
pub(crate) const MAGIC: &[u8] = b"PXR-USDC";

/// What values refer to.
#[derive(Default)]
pub(crate) struct Tables {
    pub version: [u8; 3],
    pub tokens: Vec<String>,
    /// For each string its token.
    pub strings: Vec<u32>,
    pub paths: Vec<PathNode>,
}

/// What an element of a path names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    Prim,
    Property,
    /// `{set=name}`.
    Variant,
    /// `[target]`.
    Other,
}

/// One path: an element below another path.
#[derive(Clone, Debug)]
pub(crate) struct PathNode {
    /// None for the root, and where the file has no such path.
    pub parent: Option<usize>,
    /// Which token names it.
    pub token: usize,
    pub element: Element,
}

impl Tables {
    pub fn token(&self, index: u64) -> &str {
        usize::try_from(index).ok().and_then(|i| self.tokens.get(i)).map_or("", String::as_str)
    }

    pub fn string(&self, index: u64) -> &str {
        let token = usize::try_from(index).ok().and_then(|i| self.strings.get(i));
        token.map_or("", |token| self.token(u64::from(*token)))
    }

    /// A path in words.
    pub fn path(&self, index: u64) -> String {
        let mut names = Vec::new();
        let mut at = usize::try_from(index).ok();
        while let Some(node) = at.and_then(|i| self.paths.get(i)).filter(|_| names.len() <= LONGEST_PATH) {
            if node.parent.is_some() {
                names.push((self.token(node.token as u64), node.element));
            }
            at = node.parent;
        }
        let mut path = String::new();
        for (name, element) in names.iter().rev() {
            match element {
                Element::Prim => path.push('/'),
                Element::Property => path.push('.'),
                Element::Variant | Element::Other => continue,
            }
            path.push_str(name);
        }
        if path.is_empty() { "/".into() } else { path }
    }
}

/// A file whose tables are known. Values stay where they are until they are asked for.
pub(crate) struct CrateFile {
    pub path: PathBuf,
    pub bytes: Bytes,
    pub tables: Tables,
}

impl CrateFile {
    /// An [`Error::Malformed`] of this file.
    pub fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(&self.path, message)
    }

    /// Some bytes, or a sentence.
    pub fn slice(&self, range: Range<usize>) -> Result<&[u8]> {
        let (end, len) = (range.end, self.bytes.len());
        self.bytes.get(range).ok_or_else(|| Error::Truncated {
            path: self.path.clone(),
            what: "its tables and values".into(),
            needed: end as u64,
            available: len as u64,
        })
    }
}
