//! TOML files that people write.
//!
//! What a parser says about them is for people who know parsers. Here they are shown the line, and what would
//! be understood there.

use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{Error, Result, Source};

/// Longer lines are shown up to here.
const MOST_SHOWN: usize = 60;

/// Reads a TOML file. `expected` tells in a few words what its lines look like.
pub fn read<T: DeserializeOwned>(path: &Path, expected: &str) -> Result<T> {
    parse(&Source::file(path).read()?, path, expected)
}

/// The same from bytes; `path` is for errors.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], path: &Path, expected: &str) -> Result<T> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = line_at(bytes, e.valid_up_to()).0;
        Error::at_line(path, line, "this is no text; TOML files are written in UTF-8")
    })?;
    toml::from_str(text).map_err(|e| {
        let Some(span) = e.span().filter(|span| span.start < span.end || span.start > 0) else {
            return Error::malformed(path, format!("what belongs in it is missing; {expected}"));
        };
        let (line, shown) = place(text, &span);
        let wrong =
            if e.message().starts_with("duplicate key") { "is there twice" } else { "is not understood" };
        Error::at_line(path, line, format!("“{shown}” {wrong}; {expected}"))
    })
}

/// The line in which a span begins, and what is written there.
fn place(text: &str, span: &Range<usize>) -> (usize, String) {
    let (line, range) = line_at(text.as_bytes(), span.start);
    let shown = text.get(range).unwrap_or_default().trim();
    let shown: String =
        shown.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_SHOWN).collect();
    (line, shown)
}

/// Number, from 1, of the line that holds a byte, and where it is.
fn line_at(bytes: &[u8], at: usize) -> (usize, Range<usize>) {
    let (before, after) = bytes.split_at(at.min(bytes.len()));
    let number = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let length = after.iter().position(|b| *b == b'\n').unwrap_or(after.len());
    (number, start..before.len() + length)
}
