//! Walking over USD text: words, strings, and values that are stepped over whole.

use std::path::Path;

use crate::{Error, Result};

/// Brackets may be nested this deep in a value.
const DEEPEST_VALUE: usize = 32;

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub path: &'a Path,
}

impl<'a> Scanner<'a> {
    /// An error here, with its line.
    pub fn error(&self, message: impl Into<String>) -> Error {
        let before = &self.bytes[..self.at.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        Error::at_line(self.path, line, message)
    }

    /// The next byte that is neither blank nor in a comment; nothing at the end.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => self.at += self.bytes[self.at..].iter().take_while(|b| **b != b'\n').count(),
                _ => return Some(byte),
            }
        }
        None
    }

    /// Steps over a byte if it is the next.
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over a byte that has to be there.
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) {
            return Ok(());
        }
        Err(match self.peek() {
            None => self.cut_short(),
            Some(found) => self.error(format!("expected {:?}, found {:?}", byte as char, found as char)),
        })
    }

    /// What is said where the text ends too early.
    pub fn cut_short(&self) -> Error {
        self.error("the file is cut short: it ends in the middle of a prim or a value")
    }

    /// A word of letters, digits and `_ : . - + ! []`; empty where there is none.
    pub fn word(&mut self) -> &'a str {
        self.peek();
        let part = |b: &&u8| {
            b.is_ascii_alphanumeric() || matches!(**b, b'_' | b':' | b'.' | b'-' | b'+' | b'!' | 128..)
        };
        let mut length = self.bytes[self.at..].iter().take_while(part).count();
        // The brackets of an array's type belong to it.
        if length > 0 && self.bytes[self.at + length..].starts_with(b"[]") {
            length += 2;
        }
        let word = &self.bytes[self.at..self.at + length];
        self.at += length;
        std::str::from_utf8(word).unwrap_or_default()
    }

    /// Whether a string comes next.
    pub fn at_string(&mut self) -> bool {
        matches!(self.peek(), Some(b'"' | b'\''))
    }

    /// The contents of a string, in one or three quotes of either kind.
    pub fn string(&mut self) -> Result<String> {
        if !self.at_string() {
            return Err(if self.peek().is_none() {
                self.cut_short()
            } else {
                self.error("expected a name in quotes")
            });
        }
        let start = self.at;
        self.skip_string()?;
        let text = &self.bytes[start..self.at];
        let quotes = if text.len() >= 6 && text[1] == text[0] && text[2] == text[0] { 3 } else { 1 };
        Ok(unescaped(&text[quotes..text.len() - quotes]))
    }

    fn skip_string(&mut self) -> Result<()> {
        let quote = self.bytes[self.at];
        let long = self.bytes[self.at..].starts_with(&[quote; 3]);
        let end = &[quote; 3][..if long { 3 } else { 1 }];
        self.at += end.len();
        loop {
            match self.bytes.get(self.at) {
                None => return Err(self.cut_short()),
                Some(b'\\') => self.at += 2,
                Some(b'\n') if !long => return Err(self.error("a string does not end on its line")),
                Some(_) if self.bytes[self.at..].starts_with(end) => break,
                Some(_) => self.at += 1,
            }
        }
        self.at += end.len();
        Ok(())
    }

    /// The name of a file between `@` or `@@@`.
    pub fn asset(&mut self) -> Result<String> {
        self.expect(b'@')?;
        let long = self.bytes[self.at..].starts_with(b"@@");
        self.at += if long { 2 } else { 0 };
        let end: &[u8] = if long { b"@@@" } else { b"@" };
        let length = self.bytes[self.at..].windows(end.len()).position(|w| w == end);
        let length = length.ok_or_else(|| self.cut_short())?;
        let name = String::from_utf8_lossy(&self.bytes[self.at..self.at + length]).into_owned();
        self.at += length + end.len();
        Ok(name)
    }

    /// A path between `<` and `>`.
    pub fn target(&mut self) -> Result<String> {
        self.expect(b'<')?;
        let length = self.bytes[self.at..].iter().position(|b| *b == b'>').ok_or_else(|| self.cut_short())?;
        let path = String::from_utf8_lossy(&self.bytes[self.at..self.at + length]).into_owned();
        self.at += length + 1;
        Ok(path)
    }

    /// Steps over a value. Returns where it starts and ends.
    pub fn skip_value(&mut self) -> Result<(usize, usize)> {
        self.peek();
        let start = self.at;
        let mut depth = 0;
        loop {
            match self.peek() {
                None => return Err(self.cut_short()),
                Some(b'"' | b'\'') => self.skip_string()?,
                Some(b'@') => _ = self.asset()?,
                Some(b'<') => _ = self.target()?,
                Some(b'[' | b'(' | b'{') => {
                    depth += 1;
                    if depth > DEEPEST_VALUE {
                        return Err(self.error("brackets are nested too deep"));
                    }
                    self.at += 1;
                    self.skip_numbers();
                    continue;
                }
                Some(b']' | b')' | b'}') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',' | b';' | b':' | b'=') if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                Some(first) => {
                    if self.word().is_empty() {
                        let found = char::from(first);
                        return Err(self.error(format!("expected a value, found {found:?}")));
                    }
                }
            }
            if depth == 0 {
                return Ok((start, self.at));
            }
        }
    }

    /// Steps over numbers and what is between them, which is most of a file, quickly.
    fn skip_numbers(&mut self) {
        let plain = |b: &&u8| matches!(**b, b'0'..=b'9' | b' ' | b',' | b'.' | b'-' | b'e' | b'+' | b'\n');
        self.at += self.bytes[self.at..].iter().take_while(plain).count();
    }
}

fn unescaped(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(&other) => other,
                None => b'\\',
            },
            byte => byte,
        });
    }
    String::from_utf8_lossy(&out).into_owned()
}
