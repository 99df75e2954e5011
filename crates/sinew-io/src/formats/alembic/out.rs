//! Writing the container, and headers into it.

use std::collections::HashMap;
use std::io::{Result, Seek, SeekFrom, Write};

use super::digest::digest;
use super::header::{CONSTANT, HAS_CHANGES, HAS_SAMPLING, HASHES, INLINE, Kind, Pod, SAME_LENGTH};
use crate::containers::ogawa::{DATA, HEADER, MAGIC, VERSION, WHOLE};

/// A file being written: blocks go out as they come, and what leads to them at the end.
pub(super) struct Out<'a, W: Write + Seek> {
    to: &'a mut W,
    at: u64,
    /// Samples written so far, by digest and length: the same again costs nothing.
    known: HashMap<([u8; 16], usize), u64>,
    /// Metadata that headers name by number.
    metas: Vec<String>,
}

/// A property or an object that is written, for the group that holds it.
pub(super) struct Written {
    offset: u64,
    header: Vec<u8>,
}

impl Written {
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The same once more, for archives that hold a thing twice.
    #[cfg(test)]
    pub fn again(&self) -> Self {
        Self { offset: self.offset, header: self.header.clone() }
    }
}

/// Samples of a property so far: those before the first change and after the last are stored once.
#[derive(Default)]
pub(super) struct Samples {
    /// Offsets of what is stored.
    stored: Vec<u64>,
    count: u32,
    first_changed: u32,
    last_changed: u32,
}

impl Samples {
    /// The only sample of a property that does not change.
    pub fn one(offset: u64) -> Self {
        let mut out = Self::default();
        out.push(offset);
        out
    }

    /// Adds a sample.
    pub fn push(&mut self, offset: u64) {
        let next = self.count;
        self.count += 1;
        let Some(&last) = self.stored.last() else { return self.stored.push(offset) };
        if last == offset {
            return;
        }
        // What was held since the last change is in its midst now.
        if self.first_changed != 0 {
            let held = next - 1 - self.last_changed;
            self.stored.extend(std::iter::repeat_n(last, held as usize));
        } else {
            self.first_changed = next;
        }
        self.last_changed = next;
        self.stored.push(offset);
    }
}

/// What a property is called and holds.
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub meta: &'a str,
    pub kind: Kind,
    pub pod: Pod,
    pub extent: usize,
    /// Which of the archive's time samplings.
    pub sampling: u32,
}

impl<'a, W: Write + Seek> Out<'a, W> {
    pub fn new(to: &'a mut W) -> Result<Self> {
        // The rest of the header is known at the end.
        to.write_all(&[0; HEADER])?;
        Ok(Self { to, at: HEADER as u64, known: HashMap::new(), metas: Vec::new() })
    }

    /// Completes the header: only now is the file whole.
    pub fn finish(self, root: u64) -> Result<()> {
        self.to.seek(SeekFrom::Start(0))?;
        self.to.write_all(MAGIC)?;
        self.to.write_all(&[WHOLE])?;
        self.to.write_all(&VERSION)?;
        self.to.write_all(&root.to_le_bytes())?;
        self.to.seek(SeekFrom::Start(self.at)).map(drop)
    }

    /// Writes a block of bytes, which may be in two pieces.
    pub fn data(&mut self, pieces: [&[u8]; 2]) -> Result<u64> {
        let length = (pieces[0].len() + pieces[1].len()) as u64;
        if length == 0 {
            return Ok(DATA);
        }
        let at = self.at;
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(pieces[0])?;
        self.to.write_all(pieces[1])?;
        self.at += 8 + length;
        Ok(at | DATA)
    }

    /// Writes a list of offsets.
    pub fn group(&mut self, children: &[u64]) -> Result<u64> {
        if children.is_empty() {
            return Ok(0);
        }
        let at = self.at;
        self.to.write_all(&(children.len() as u64).to_le_bytes())?;
        for child in children {
            self.to.write_all(&child.to_le_bytes())?;
        }
        self.at += 8 + 8 * children.len() as u64;
        Ok(at)
    }

    /// Writes a sample, unless it is in the file already.
    pub fn sample(&mut self, bytes: &[u8]) -> Result<u64> {
        if bytes.is_empty() {
            return Ok(DATA);
        }
        let key = (digest(bytes), bytes.len());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let offset = self.data([&key.0, bytes])?;
        self.known.insert(key, offset);
        Ok(offset)
    }

    /// Writes a property's list of samples.
    pub fn property(&mut self, what: &Named, samples: &Samples) -> Result<Written> {
        let children = match what.kind {
            // Dimensions follow each sample; none are written where there is one, as it is told by the
            // sample's length.
            Kind::Array => samples.stored.iter().flat_map(|offset| [*offset, DATA]).collect(),
            _ => samples.stored.clone(),
        };
        let offset = self.group(&children)?;
        Ok(Written { offset, header: self.property_header(what, samples) })
    }

    /// A property that never changes.
    pub fn constant(&mut self, what: &Named, bytes: &[u8]) -> Result<Written> {
        let sample = self.sample(bytes)?;
        self.property(what, &Samples::one(sample))
    }

    /// Writes a compound's group: its properties, then their headers.
    pub fn compound(&mut self, name: &str, meta: &str, properties: &[Written]) -> Result<Written> {
        let offset = self.properties(properties)?;
        let named = Named { name, meta, kind: Kind::Compound, pod: Pod::Bool, extent: 0, sampling: 0 };
        Ok(Written { offset, header: self.property_header(&named, &Samples::default()) })
    }

    fn properties(&mut self, properties: &[Written]) -> Result<u64> {
        if properties.is_empty() {
            return Ok(0);
        }
        let headers: Vec<u8> = properties.iter().flat_map(|p| p.header.iter().copied()).collect();
        let mut children: Vec<u64> = properties.iter().map(|p| p.offset).collect();
        children.push(self.data([&headers, &[]])?);
        self.group(&children)
    }

    /// Writes an object: its properties, its children and their headers.
    pub fn object(
        &mut self,
        name: &str,
        meta: &str,
        properties: &[Written],
        children: &[Written],
    ) -> Result<Written> {
        let mut entries = vec![self.properties(properties)?];
        entries.extend(children.iter().map(|c| c.offset));
        let mut headers: Vec<u8> = children.iter().flat_map(|c| c.header.iter().copied()).collect();
        headers.extend(self.hashes(properties, children));
        entries.push(self.data([&headers, &[]])?);
        let offset = self.group(&entries)?;
        let mut header = Vec::new();
        header.extend((name.len() as u32).to_le_bytes());
        header.extend(name.as_bytes());
        let index = self.meta(meta);
        header.push(index as u8);
        if index == INLINE {
            header.extend((meta.len() as u32).to_le_bytes());
            header.extend(meta.as_bytes());
        }
        Ok(Written { offset, header })
    }

    /// Hashes of an object's properties and children, by which programs find out that two are alike. Theirs
    /// are others, but they only ever compare those of one file.
    fn hashes(&self, properties: &[Written], children: &[Written]) -> [u8; HASHES] {
        let of = |all: &[Written]| {
            let bytes = all.iter().flat_map(|w| w.offset.to_le_bytes().into_iter().chain(w.header.clone()));
            digest(&bytes.collect::<Vec<u8>>())
        };
        let mut out = [0; HASHES];
        out[..16].copy_from_slice(&of(properties));
        out[16..].copy_from_slice(&of(children));
        out
    }

    /// Number of some metadata in the archive's list.
    fn meta(&mut self, meta: &str) -> usize {
        if meta.is_empty() {
            return 0;
        }
        if let Some(known) = self.metas.iter().position(|m| m == meta) {
            return known + 1;
        }
        if meta.len() > 0xFF || self.metas.len() + 1 >= INLINE {
            return INLINE;
        }
        self.metas.push(meta.into());
        self.metas.len()
    }

    /// The list of metadata.
    pub fn metas(&mut self) -> Result<u64> {
        let bytes: Vec<u8> =
            self.metas.iter().flat_map(|m| [&[m.len() as u8], m.as_bytes()].concat()).collect();
        self.data([&bytes, &[]])
    }

    /// The header of a property; its bits are described in the module's documentation.
    fn property_header(&mut self, what: &Named, samples: &Samples) -> Vec<u8> {
        let longest = [what.name.len() as u32, what.meta.len() as u32, samples.count, what.sampling];
        let longest = longest.into_iter().max().unwrap_or(0);
        let power = [0xFF, 0xFFFF].iter().filter(|most| longest > **most).count() as u32;
        let number = |n: u32| n.to_le_bytes().into_iter().take(1 << power);
        let index = self.meta(what.meta);
        let mut info = power << 2 | (index as u32) << 20;
        let mut numbers: Vec<u8> = Vec::new();
        if what.kind != Kind::Compound {
            info |= what.kind as u32 | (what.pod as u32) << 4 | (what.extent as u32) << 12 | SAME_LENGTH;
            numbers.extend(number(samples.count));
            if samples.last_changed == 0 {
                info |= CONSTANT;
            } else if samples.first_changed != 1 || samples.last_changed + 1 != samples.count {
                info |= HAS_CHANGES;
                numbers.extend(number(samples.first_changed).chain(number(samples.last_changed)));
            }
            if what.sampling != 0 {
                info |= HAS_SAMPLING;
                numbers.extend(number(what.sampling));
            }
        }
        let mut out: Vec<u8> = info.to_le_bytes().into();
        out.extend(numbers);
        out.extend(number(what.name.len() as u32).chain(what.name.bytes()));
        if index == INLINE {
            out.extend(number(what.meta.len() as u32).chain(what.meta.bytes()));
        }
        out
    }
}
