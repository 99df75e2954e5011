//! The list of contents at the start of a PLY file.

use std::path::Path;

use crate::text::{Lines, Words, integer, name, quoted};
use crate::{Error, Result};

/// How values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// Type of a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    /// Bytes in binary files.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The most that whole numbers of it count to; one of others.
    pub fn largest(self) -> f64 {
        match self {
            Self::I8 => f64::from(i8::MAX),
            Self::U8 => f64::from(u8::MAX),
            Self::I16 => f64::from(i16::MAX),
            Self::U16 => f64::from(u16::MAX),
            Self::I32 => f64::from(i32::MAX),
            Self::U32 => f64::from(u32::MAX),
            Self::F32 | Self::F64 => 1.0,
        }
    }

    fn parse(word: Option<&[u8]>) -> std::result::Result<Self, String> {
        Ok(match word.unwrap_or_default() {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            other => return Err(format!("{} is not a PLY type", quoted(other))),
        })
    }
}

/// One column of an element.
pub(super) struct Property {
    pub name: String,
    /// Type of the number of items when this is a list.
    pub list: Option<Scalar>,
    /// Type of the value, or of each item.
    pub scalar: Scalar,
}

/// One table of the file.
pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
    /// Line of the header.
    pub line: usize,
}

impl Element {
    /// Bytes that a record has at least; exactly that many when there are no lists.
    pub fn smallest_record(&self) -> usize {
        self.properties.iter().map(|p| p.list.unwrap_or(p.scalar).size()).sum()
    }

    /// Whether all records have the same size.
    pub fn is_fixed(&self) -> bool {
        self.properties.iter().all(|p| p.list.is_none())
    }

    /// Position of the property that has one of these names.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name.as_str()))
    }
}

pub(super) struct Header {
    pub format: Format,
    pub elements: Vec<Element>,
    /// Where the data starts.
    pub length: usize,
    /// Line that the data starts on.
    pub next_line: usize,
}

impl Header {
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let mut lines = Lines::new(bytes, 1);
        if lines.next().is_none_or(|(_, text)| text.trim_ascii_end() != b"ply") {
            return Err(Error::malformed(path, "this is not a PLY file: it does not start with “ply”"));
        }
        let mut format = None;
        let mut elements = Vec::new();
        while let Some((line, text)) = lines.next() {
            let words = Words::new(text);
            if words.clone().next() == Some(b"end_header") {
                let format = format.ok_or_else(|| Error::malformed(path, "the header names no format"))?;
                return Ok(Self { format, elements, length: lines.offset(), next_line: lines.line() + 1 });
            }
            statement(words, line, &mut format, &mut elements)
                .map_err(|message| Error::at_line(path, line, message))?;
        }
        Err(Error::malformed(path, "the header has no “end_header”"))
    }
}

fn statement(
    mut words: Words,
    line: usize,
    format: &mut Option<Format>,
    elements: &mut Vec<Element>,
) -> std::result::Result<(), String> {
    match words.next() {
        Some(b"format") => *format = Some(parse_format(words)?),
        Some(b"element") => {
            let element_name = name(words.next().ok_or("the element has no name")?);
            let count = integer(words.next().ok_or("the element has no count")?)?;
            let count = usize::try_from(count).map_err(|_| format!("the element's count is {count}"))?;
            if elements.iter().any(|e| e.name == element_name) {
                return Err(format!("the element {} comes twice", quoted(element_name.as_bytes())));
            }
            elements.push(Element { name: element_name, count, properties: Vec::new(), line });
        }
        Some(b"property") => {
            let element = elements.last_mut().ok_or("the property belongs to no element")?;
            element.properties.push(parse_property(words)?);
        }
        Some(b"comment" | b"obj_info") | None => {}
        Some(other) => return Err(format!("{} is not a PLY statement", quoted(other))),
    }
    Ok(())
}

fn parse_format(mut words: Words) -> std::result::Result<Format, String> {
    let format = match words.next().unwrap_or_default() {
        b"ascii" => Format::Ascii,
        b"binary_little_endian" => Format::LittleEndian,
        b"binary_big_endian" => Format::BigEndian,
        other => return Err(format!("{} is not a PLY format", quoted(other))),
    };
    match words.next() {
        Some(b"1.0") => Ok(format),
        other => Err(format!("PLY version {} is not known, only 1.0", quoted(other.unwrap_or_default()))),
    }
}

fn parse_property(mut words: Words) -> std::result::Result<Property, String> {
    let mut word = words.next();
    let mut list = None;
    if word == Some(b"list") {
        list = Some(Scalar::parse(words.next())?);
        word = words.next();
    }
    if list.is_some_and(|count| matches!(count, Scalar::F32 | Scalar::F64)) {
        return Err("the length of a list has to be of a whole type".into());
    }
    let scalar = Scalar::parse(word)?;
    let name = name(words.next().ok_or("the property has no name")?);
    Ok(Property { name, list, scalar })
}
