//! The values after a PLY header, one by one, whatever they are stored as.

use std::path::Path;

use super::header::{Element, Format, Header, Scalar};
use crate::text::{Lines, Words, quoted};
use crate::{Error, Result};

/// A cursor over the values of a file.
pub(super) trait Body {
    /// Checks that an element can be there at all, before anything is allocated for it.
    fn begin_element(&mut self, element: &Element) -> Result<()>;
    /// Moves to the next record.
    fn begin_record(&mut self) -> Result<()>;
    /// The next value of the record.
    fn value(&mut self, scalar: Scalar) -> Result<f64>;
    /// Skips a whole element.
    fn skip(&mut self, element: &Element) -> Result<()>;
    /// At most this many more values are there.
    fn most_values(&self) -> usize;
    /// An error at this place.
    fn error(&self, message: String) -> Error;

    /// The length of a list, checked against what is left.
    fn list_length(&mut self, count: Scalar) -> Result<usize> {
        let length = self.value(count)?;
        if length < 0.0 || length.fract() != 0.0 {
            return Err(self.error(format!("a list has the length {length}")));
        }
        if length > self.most_values() as f64 {
            return Err(self.error(format!("a list of {length} values is longer than the rest of the file")));
        }
        Ok(length as usize)
    }
}

/// The body of a file in its format.
pub(super) fn open<'a>(bytes: &'a [u8], header: &Header, path: &'a Path) -> Box<dyn Body + 'a> {
    let lines = Lines::new(&bytes[header.length..], header.next_line);
    match header.format {
        Format::Ascii => {
            Box::new(Text { lines, words: Words::new(b""), path, left: bytes.len() - header.length })
        }
        Format::LittleEndian => Box::new(Binary::<true> { bytes, at: header.length, path }),
        Format::BigEndian => Box::new(Binary::<false> { bytes, at: header.length, path }),
    }
}

/// One record a line, values separated by blanks.
struct Text<'a> {
    lines: Lines<'a>,
    words: Words<'a>,
    path: &'a Path,
    left: usize,
}

impl Body for Text<'_> {
    fn begin_element(&mut self, element: &Element) -> Result<()> {
        // A record is at least one digit and an end of line.
        if element.count > self.left / 2 + 1 && !element.properties.is_empty() {
            let message = format!("the header promises {} of {}, more than fit", element.count, element.name);
            return Err(Error::at_line(self.path, element.line, message));
        }
        Ok(())
    }

    fn begin_record(&mut self) -> Result<()> {
        let Some((_, text)) = self.lines.next_filled() else {
            return Err(self.error("the file ends before its values do".into()));
        };
        self.words = Words::new(text);
        Ok(())
    }

    fn value(&mut self, _: Scalar) -> Result<f64> {
        let Some(word) = self.words.next() else {
            return Err(self.error("the line has fewer values than the header says".into()));
        };
        match std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.error(format!("{} is not a finite number", quoted(word)))),
            None => Err(self.error(format!("{} is not a number", quoted(word)))),
        }
    }

    fn skip(&mut self, element: &Element) -> Result<()> {
        self.begin_element(element)?;
        if !element.properties.is_empty() {
            for _ in 0..element.count {
                self.begin_record()?;
            }
        }
        Ok(())
    }

    fn most_values(&self) -> usize {
        self.words.rest().len()
    }

    fn error(&self, message: String) -> Error {
        Error::at_line(self.path, self.lines.line(), message)
    }
}

/// Packed values, all little-endian or all big-endian.
struct Binary<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: usize,
    path: &'a Path,
}

impl<const LITTLE: bool> Binary<'_, LITTLE> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((value, _)) = self.bytes[self.at..].split_first_chunk::<N>() else {
            return Err(self.truncated("the values".into(), N as u64));
        };
        self.at += N;
        let mut value = *value;
        if !LITTLE {
            value.reverse();
        }
        Ok(value)
    }

    fn truncated(&self, what: String, more: u64) -> Error {
        let needed = (self.at as u64).saturating_add(more);
        Error::Truncated { path: self.path.into(), what, needed, available: self.bytes.len() as u64 }
    }
}

impl<const LITTLE: bool> Body for Binary<'_, LITTLE> {
    fn begin_element(&mut self, element: &Element) -> Result<()> {
        let least = (element.count as u64).saturating_mul(element.smallest_record() as u64);
        if least > (self.bytes.len() - self.at) as u64 {
            return Err(self.truncated(format!("{} records of {}", element.count, element.name), least));
        }
        Ok(())
    }

    fn begin_record(&mut self) -> Result<()> {
        Ok(())
    }

    fn value(&mut self, scalar: Scalar) -> Result<f64> {
        Ok(match scalar {
            Scalar::I8 => i8::from_le_bytes(self.take()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.take()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.take()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.take()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.take()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.take()?).into(),
            Scalar::F32 => f32::from_le_bytes(self.take()?).into(),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn skip(&mut self, element: &Element) -> Result<()> {
        self.begin_element(element)?;
        if element.is_fixed() {
            // Checked just above to be inside the file.
            self.at += element.count * element.smallest_record();
            return Ok(());
        }
        for _ in 0..element.count {
            for property in &element.properties {
                match property.list {
                    None => drop(self.value(property.scalar)?),
                    Some(count) => {
                        let bytes = self.list_length(count)? * property.scalar.size();
                        if bytes > self.bytes.len() - self.at {
                            return Err(self.truncated("the values of a list".into(), bytes as u64));
                        }
                        self.at += bytes;
                    }
                }
            }
        }
        Ok(())
    }

    fn most_values(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn error(&self, message: String) -> Error {
        Error::malformed(self.path, message)
    }
}
