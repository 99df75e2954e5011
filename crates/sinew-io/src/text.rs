//! Lines, words and numbers of text formats, straight from bytes and without allocation per line.

/// Walks the lines of a text. Ends of line are LF, CRLF or CR.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    /// Starts at the beginning of `bytes`, whose first line has the number `first`.
    pub fn new(bytes: &'a [u8], first: usize) -> Self {
        Self { bytes, at: 0, line: first - 1 }
    }

    /// The next line without its end, and its number; `None` after the last.
    pub fn next(&mut self) -> Option<(usize, &'a [u8])> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        let end = if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        self.at += length + end;
        self.line += 1;
        Some((self.line, &rest[..length]))
    }

    /// Everything from the next line on.
    pub fn ahead(&self) -> &'a [u8] {
        &self.bytes[self.offset()..]
    }

    /// Passes over the next line, which is so long with its end.
    pub fn pass(&mut self, length: usize) {
        self.at += length;
        self.line += 1;
    }

    /// The next line that has more than blanks on it.
    pub fn next_filled(&mut self) -> Option<(usize, &'a [u8])> {
        loop {
            let (line, text) = self.next()?;
            if text.iter().any(|b| !is_blank(*b)) {
                return Some((line, text));
            }
        }
    }

    /// Number of the last line handed out.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Whether there is nothing but blanks after the last line handed out.
    pub fn is_done(&self) -> bool {
        self.bytes[self.offset()..].trim_ascii().is_empty()
    }

    /// Where the next line starts.
    pub fn offset(&self) -> usize {
        self.at.min(self.bytes.len())
    }
}

/// The words of a line, separated by blanks.
#[derive(Clone)]
pub(crate) struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self(line)
    }

    /// Everything not yet taken, without blanks around it.
    pub fn rest(&self) -> &'a [u8] {
        self.0.trim_ascii()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.0.iter().position(|&b| !is_blank(b))?;
        let rest = &self.0[start..];
        let length = rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        self.0 = &rest[length..];
        Some(&rest[..length])
    }
}

/// Words one after another, whatever lines they are on.
pub(crate) struct Tokens<'a> {
    lines: Lines<'a>,
    words: Words<'a>,
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { lines: Lines::new(bytes, 1), words: Words::new(b"") }
    }

    /// Everything on the line not yet taken, without blanks around it.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        std::mem::replace(&mut self.words, Words::new(b"")).rest()
    }

    /// Number of the line of the last word handed out.
    pub fn line(&self) -> usize {
        self.lines.line().max(1)
    }

    /// The lines after this one.
    pub fn into_lines(self) -> Lines<'a> {
        self.lines
    }

    /// The next word on the line, without taking it.
    pub fn peek_on_line(&self) -> Option<&'a [u8]> {
        self.words.clone().next()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            self.words = Words::new(self.lines.next()?.1);
        }
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Reads a finite number. The error is a sentence that quotes the word.
pub(crate) fn number(word: &[u8]) -> Result<f32, String> {
    finite(word, f32::is_finite)
}

/// Like [`number`], in double precision.
pub(crate) fn real(word: &[u8]) -> Result<f64, String> {
    finite(word, f64::is_finite)
}

fn finite<T: Copy + std::str::FromStr>(word: &[u8], is_finite: fn(T) -> bool) -> Result<T, String> {
    let value: Option<T> = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
    match value {
        Some(value) if is_finite(value) => Ok(value),
        Some(_) => Err(format!("{} is not a finite number", quoted(word))),
        None => Err(format!("{} is not a number", quoted(word))),
    }
}

/// Reads a whole number. The error is a sentence that quotes the word.
pub(crate) fn integer(word: &[u8]) -> Result<i64, String> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // 18 digits cannot overflow, and no file has that many of anything.
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("{} is not a whole number", quoted(word)));
    }
    let value = digits.iter().fold(0, |sum, digit| 10 * sum + i64::from(digit - b'0'));
    Ok(if negative { -value } else { value })
}

/// A word of a file in quotes, for a message: cut when long, made readable when it is not text.
pub(crate) fn quoted(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text: String = String::from_utf8_lossy(word)
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .take(LONGEST)
        .collect();
    let dots = if word.len() > LONGEST { "…" } else { "" };
    format!("“{text}{dots}”")
}

/// A name as it is kept: text, whatever the bytes were.
pub(crate) fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_line_counts_once() {
        let mut lines = Lines::new(b"a\nb\r\nc\rd\n\ne", 1);
        let all: Vec<_> = std::iter::from_fn(|| lines.next()).collect();
        let expected: Vec<(usize, &[u8])> =
            vec![(1, b"a"), (2, b"b"), (3, b"c"), (4, b"d"), (5, b""), (6, b"e")];
        assert_eq!(all, expected);
        assert_eq!(lines.offset(), 11);
    }

    #[test]
    fn words_are_split_at_blanks() {
        let mut words = Words::new(b"  v \t 1  2 ");
        assert_eq!(words.next(), Some(&b"v"[..]));
        assert_eq!(words.rest(), b"1  2");
        assert_eq!(words.count(), 2);
    }

    #[test]
    fn numbers_are_finite() {
        assert_eq!(number(b"-1.5e2"), Ok(-150.0));
        assert_eq!(number(b"+.5"), Ok(0.5));
        assert_eq!(number(b"nan").unwrap_err(), "“nan” is not a finite number");
        assert_eq!(number(b"1e99").unwrap_err(), "“1e99” is not a finite number");
        assert_eq!(number(b"1,5").unwrap_err(), "“1,5” is not a number");
    }

    #[test]
    fn integers_do_not_overflow() {
        assert_eq!(integer(b"-17"), Ok(-17));
        assert_eq!(integer(b"+17"), Ok(17));
        for bad in [&b"9999999999999999999"[..], b"", b"-", b"1.0", b"--1"] {
            assert!(integer(bad).is_err());
        }
    }
}
