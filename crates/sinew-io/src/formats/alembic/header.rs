//! What stands in headers: names, kinds and numbers of samples.

use crate::Result;
use crate::containers::ogawa::{Group, Ogawa};

/// Bytes of hashes after the headers of an object's children.
pub(super) const HASHES: usize = 32;
/// Stands for metadata that follow, instead of being one of those the archive lists.
pub(super) const INLINE: usize = 0xFF;
/// Samples a property may have. The stored ones are counted by the file's length, but repeated ones cost
/// nothing to state.
const MOST_SAMPLES: u32 = 1 << 24;

/// Bits of a property's header: it has a time sampling other than the first;
pub(super) const HAS_SAMPLING: u32 = 0x100;
/// it states its first and last change;
pub(super) const HAS_CHANGES: u32 = 0x200;
/// all its samples are equally long;
pub(super) const SAME_LENGTH: u32 = 0x400;
/// all its samples are alike.
pub(super) const CONSTANT: u32 = 0x800;

/// A child of an object.
pub(super) struct ObjectHeader {
    pub name: String,
    pub meta: Meta,
}

/// Pairs of words, as `key=value;key=value`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Meta(pub String);

impl Meta {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.split(';').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }
}

/// What a property's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pod {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
    Text,
    WideText,
}

impl Pod {
    const ALL: [Self; 14] = [
        Self::Bool,
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::Text,
        Self::WideText,
    ];

    fn of(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compound,
    Scalar,
    Array,
}

/// A property as its compound describes it.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub name: String,
    pub meta: Meta,
    pub kind: Kind,
    pub pod: Pod,
    /// Numbers a value has, such as 3 for points.
    pub extent: usize,
    /// Samples in all, stored or repeated.
    pub samples: usize,
    /// Whether the file says that all samples are equally long.
    pub same_length: bool,
    /// The first sample that differs from sample 0; 0 when none does.
    pub first_changed: usize,
    /// The last sample that differs from the one before.
    pub last_changed: usize,
    /// Which time sampling of the archive.
    pub sampling: usize,
    /// Its samples, or its properties.
    pub group: Group,
}

/// Reads through the bytes of a block of headers.
struct Words<'a> {
    file: &'a Ogawa,
    bytes: &'a [u8],
}

impl<'a> Words<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.bytes.split_at_checked(length) else {
            return Err(self.file.malformed(format!(
                "a header is cut off: it needs {length} bytes more, and {} are there",
                self.bytes.len()
            )));
        };
        self.bytes = rest;
        Ok(taken)
    }

    /// A little-endian number of up to 4 bytes.
    fn number(&mut self, bytes: usize) -> Result<u32> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    fn text(&mut self, length: usize) -> Result<String> {
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    fn meta(&mut self, index: usize, size: usize, known: &[Meta]) -> Result<Meta> {
        if index == INLINE {
            let length = self.number(size)? as usize;
            return self.text(length).map(Meta);
        }
        known.get(index).cloned().ok_or_else(|| {
            self.file.malformed(format!("a header names metadata {index}, but there are {}", known.len()))
        })
    }
}

/// The metadata that headers name by number; number 0 has none.
pub(super) fn indexed_meta(file: &Ogawa, bytes: &[u8]) -> Result<Vec<Meta>> {
    let mut words = Words { file, bytes };
    let mut out = vec![Meta::default()];
    while !words.bytes.is_empty() {
        let length = words.number(1)? as usize;
        out.push(Meta(words.text(length)?));
    }
    Ok(out)
}

/// Headers of an object's children.
pub(super) fn object_headers(file: &Ogawa, bytes: &[u8], known: &[Meta]) -> Result<Vec<ObjectHeader>> {
    let mut words = Words { file, bytes: &bytes[..bytes.len().saturating_sub(HASHES)] };
    let mut out = Vec::new();
    while !words.bytes.is_empty() {
        let length = words.number(4)? as usize;
        let name = words.text(length)?;
        let index = words.number(1)? as usize;
        out.push(ObjectHeader { name, meta: words.meta(index, 4, known)? });
    }
    Ok(out)
}

/// The properties of a compound.
pub(super) fn properties(file: &Ogawa, group: Group, known: &[Meta]) -> Result<Vec<Property>> {
    let Some(bytes) = file.last_data(group)? else { return Ok(Vec::new()) };
    let mut words = Words { file, bytes };
    let mut out = Vec::new();
    while !words.bytes.is_empty() {
        // The last entry is the headers themselves.
        if out.len() + 1 >= group.len {
            return Err(file.malformed("an object has headers of more properties than it holds"));
        }
        let group = file.child_group(group, out.len())?;
        out.push(property(&mut words, group, known)?);
    }
    Ok(out)
}

/// Reads one header; its bits are described in the module's documentation.
fn property(words: &mut Words, group: Group, known: &[Meta]) -> Result<Property> {
    let file = words.file;
    let info = words.number(4)?;
    let kind = match info & 3 {
        0 => Kind::Compound,
        1 => Kind::Scalar,
        _ => Kind::Array,
    };
    let size = match info >> 2 & 3 {
        3 => return Err(file.malformed("a property's header has counts of an unknown size")),
        power => 1 << power,
    };
    let Some(pod) = Pod::of(info >> 4 & 15) else {
        return Err(
            file.malformed(format!("a property holds numbers of an unknown kind, {}", info >> 4 & 15))
        );
    };
    let (mut samples, mut first, mut last, mut sampling) = (0, 0, 0, 0);
    if kind != Kind::Compound {
        samples = words.number(size)?;
        if info & HAS_CHANGES != 0 {
            first = words.number(size)?;
            last = words.number(size)?;
        } else if info & CONSTANT == 0 {
            first = 1;
            last = samples.saturating_sub(1);
        }
        if info & HAS_SAMPLING != 0 {
            sampling = words.number(size)?;
        }
    }
    let length = words.number(size)? as usize;
    let name = words.text(length)?;
    let meta = words.meta((info >> 20 & 0xFF) as usize, size, known)?;
    if samples > MOST_SAMPLES {
        return Err(file.malformed(format!("property {name} says that it has {samples} samples")));
    }
    if first > last || last > samples {
        // Two samples that are alike: stated as changing from 1 to 0 by some writers.
        if !(first == 1 && last == 0) {
            return Err(file.malformed(format!(
                "property {name} says that its samples change from {first} to {last}, but it has {samples}"
            )));
        }
        first = 0;
    }
    Ok(Property {
        name,
        meta,
        kind,
        pod,
        extent: (info >> 12 & 0xFF) as usize,
        samples: samples as usize,
        same_length: info & SAME_LENGTH != 0,
        first_changed: first as usize,
        last_changed: last as usize,
        sampling: sampling as usize,
        group,
    })
}
