//! Values of text layers.

use std::ops::Range;

use super::layer::Layer;
use super::scan::Scanner;
use crate::Result;

/// The numbers of a value.
pub(super) fn numbers(layer: &Layer, range: Range<usize>) -> Result<Option<Vec<f64>>> {
    let start = range.start;
    let bytes = layer.slice(range, "values")?;
    if matches!(bytes, b"None" | b"AnimationBlock")
        || bytes.iter().any(|b| matches!(b, b'"' | b'\'' | b'@' | b'<'))
    {
        return Ok(None);
    }
    if bytes.contains(&b'#') {
        return parse_numbers(layer, &uncommented(bytes), start);
    }
    parse_numbers(layer, bytes, start)
}

/// The same text without its comments.
fn uncommented(bytes: &[u8]) -> Vec<u8> {
    let lines =
        bytes.split(|b| *b == b'\n').map(|line| line.split(|b| *b == b'#').next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// `start` is where an error is said to be.
fn parse_numbers(layer: &Layer, bytes: &[u8], start: usize) -> Result<Option<Vec<f64>>> {
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
            let text = Scanner { bytes: layer.bytes.all(), at: start, path: &layer.path };
            text.error(format!("{} is not a number", String::from_utf8_lossy(&word[..word.len().min(40)])))
        })?);
    }
    Ok(Some(numbers))
}

/// The words of a value.
pub(super) fn words(layer: &Layer, range: Range<usize>) -> Result<Vec<String>> {
    let mut text = Scanner {
        bytes: layer.bytes.get(0..range.end).unwrap_or_default(),
        at: range.start,
        path: &layer.path,
    };
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
