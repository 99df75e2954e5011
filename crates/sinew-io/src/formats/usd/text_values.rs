//! Values of text layers.

use std::ops::Range;
use std::path::Path;

use super::scan::Scanner;
use crate::{Error, Result};

/// The numbers of a value.
pub(super) fn numbers(text: &[u8], path: &Path, range: Range<usize>) -> Result<Option<Vec<f64>>> {
    let (start, end) = (range.start, range.end);
    let bytes = text.get(range).ok_or_else(|| Error::Truncated {
        path: path.into(),
        what: "values".into(),
        needed: end as u64,
        available: text.len() as u64,
    })?;
    if matches!(bytes, b"None" | b"AnimationBlock")
        || bytes.iter().any(|b| matches!(b, b'"' | b'\'' | b'@' | b'<'))
    {
        return Ok(None);
    }
    if bytes.contains(&b'#') {
        return parse_numbers(&uncommented(bytes), text, path, start);
    }
    parse_numbers(bytes, text, path, start)
}

/// The same text without its comments.
fn uncommented(bytes: &[u8]) -> Vec<u8> {
    let lines =
        bytes.split(|b| *b == b'\n').map(|line| line.split(|b| *b == b'#').next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// `start` is where in `all` an error is said to be.
fn parse_numbers(bytes: &[u8], all: &[u8], path: &Path, start: usize) -> Result<Option<Vec<f64>>> {
    let mut numbers = Vec::new();
    let breaks = |b: &u8| matches!(b, b'[' | b']' | b'(' | b')' | b',') || b.is_ascii_whitespace();
    for word in bytes.split(breaks).filter(|w| !w.is_empty()) {
        let text = std::str::from_utf8(word).unwrap_or_default();
        let number = match text {
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ => text.parse().ok(),
        };
        numbers.push(number.ok_or_else(|| {
            let text = Scanner { bytes: all, at: start, path };
            text.error(format!("{} is not a number", String::from_utf8_lossy(&word[..word.len().min(40)])))
        })?);
    }
    Ok(Some(numbers))
}

/// The words of a value.
pub(super) fn words(text: &[u8], path: &Path, range: Range<usize>) -> Result<Vec<String>> {
    let mut text = Scanner { bytes: text.get(..range.end).unwrap_or_default(), at: range.start, path };
    let mut words = Vec::new();
    while let Some(byte) = text.peek() {
        match byte {
            b'"' | b'\'' => words.push(text.string()?),
            b'@' => words.push(text.asset()?),
            _ => text.at += 1,
        }
    }
    Ok(words)
}
