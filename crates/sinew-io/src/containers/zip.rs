//! ZIP archives, as far as NPZ files and packages of USD use them: entries stored or deflated, with 64-bit sizes where they
//! are needed, neither split nor encrypted. Follows PKWARE's APPNOTE 6.3.
//!
//! By hand: entries are read where they lie in a file, mapped or by several readers at once, and their sizes are held against
//! the file before anything is inflated, so that of the `zip` crate only the directory would be of use; its writer goes on in
//! its destructor when writing has failed, and prints to standard error.

use std::io::{Read, SeekFrom, Write};
use std::path::Path;

use super::bytes::ReadSeek;
use crate::{Error, Result};

/// The end record and the longest comment after it.
const LONGEST_END: u64 = 22 + 65535;
/// Archives of arrays and packages have few entries.
const LONGEST_DIRECTORY: u64 = 1 << 24;
/// No deflated byte stands for more than this many.
const MOST_INFLATED: u64 = 1032;

/// An entry of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub deflated: bool,
    /// Bytes in the archive.
    pub stored: u64,
    /// Bytes when inflated.
    pub size: u64,
    /// Where its bytes start.
    pub start: u64,
}

/// Fields of a record, read one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let (field, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(field.iter().rev().fold(0, |sum, byte| 256 * sum + u64::from(*byte)))
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }
}

/// Lists the entries.
pub(crate) fn entries(file: &mut dyn ReadSeek, path: &Path) -> Result<Vec<Entry>> {
    let length = file.seek(SeekFrom::End(0)).map_err(Error::io(path))?;
    let malformed = |why: &str| Error::malformed(path, format!("the archive cannot be read: {why}"));
    let tail = length.min(LONGEST_END);
    let end = read_at(file, length - tail, tail, path)?;
    let at = end.windows(4).rposition(|four| four == b"PK\x05\x06");
    let at = at.ok_or_else(|| malformed("its end is missing, so the file was probably cut short"))?;
    let (size, start) = directory(file, &end[at..], length - tail + at as u64, path)
        .transpose()
        .unwrap_or_else(|| Err(malformed("its end record is cut short")))?;
    if size > LONGEST_DIRECTORY || start.checked_add(size).is_none_or(|end| end > length) {
        return Err(malformed("its directory is not where it should be"));
    }
    let directory = read_at(file, start, size, path)?;
    let mut fields = Fields(&directory);
    let mut found = Vec::new();
    while !fields.0.is_empty() {
        let entry = entry(&mut fields).ok_or_else(|| malformed("its directory is damaged"))?;
        found.push(entry.map_err(|why| Error::unsupported(path, why))?);
    }
    for entry in &mut found {
        let local = read_at(file, entry.start.min(length), 30.min(length.saturating_sub(entry.start)), path)?;
        let names = (local.starts_with(b"PK\x03\x04") && local.len() == 30)
            .then(|| 30 + u64::from(local[26]) + 256 * u64::from(local[27]))
            .map(|at| at + u64::from(local[28]) + 256 * u64::from(local[29]));
        let start = names.and_then(|bytes| entry.start.checked_add(bytes));
        let end = start.and_then(|start| start.checked_add(entry.stored));
        match (start, end) {
            (Some(start), Some(end)) if end <= length => entry.start = start,
            _ => return Err(malformed(&format!("{} is not where it should be", entry.name))),
        }
        let most = if entry.deflated { entry.stored.saturating_mul(MOST_INFLATED) } else { entry.stored };
        if entry.size > most {
            return Err(malformed(&format!("{} cannot be as long as it says", entry.name)));
        }
    }
    Ok(found)
}

/// Bytes of a file.
fn read_at(file: &mut dyn ReadSeek, start: u64, length: u64, path: &Path) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start)).map_err(Error::io(path))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).map_err(Error::io(path))?;
    Ok(bytes)
}

/// Size and start of the directory, from the end record at `place`. The 64-bit one is before it.
fn directory(file: &mut dyn ReadSeek, end: &[u8], place: u64, path: &Path) -> Result<Option<(u64, u64)>> {
    let mut fields = Fields(end);
    let short = (|| {
        fields.skip(12)?;
        Some((fields.number(4)?, fields.number(4)?))
    })();
    if !matches!(short, Some((size, start)) if size == 0xFFFF_FFFF || start == 0xFFFF_FFFF) {
        return Ok(short);
    }
    let locator = read_at(file, place.saturating_sub(20), 20, path)?;
    let mut fields = Fields(&locator);
    let Some(at) =
        locator.starts_with(b"PK\x06\x07").then(|| fields.skip(8)).flatten().and_then(|()| fields.number(8))
    else {
        return Ok(None);
    };
    let record = read_at(file, at, 56, path)?;
    let mut fields = Fields(&record);
    Ok((|| {
        fields.skip(40)?;
        Some((fields.number(8)?, fields.number(8)?))
    })()
    .filter(|_| record.starts_with(b"PK\x06\x06")))
}

/// One entry of the directory; `None` when it is damaged, a sentence when it cannot be used.
fn entry(fields: &mut Fields) -> Option<std::result::Result<Entry, String>> {
    if !fields.0.starts_with(b"PK\x01\x02") {
        return None;
    }
    fields.skip(8)?;
    let flags = fields.number(2)?;
    let method = fields.number(2)?;
    fields.skip(8)?;
    let [mut stored, mut size] = [fields.number(4)?, fields.number(4)?];
    let [name, extra, comment] = [fields.number(2)?, fields.number(2)?, fields.number(2)?];
    fields.skip(8)?;
    let mut start = fields.number(4)?;
    let (text, rest) = fields.0.split_at_checked(name as usize)?;
    let name = String::from_utf8_lossy(text).into_owned();
    let (mut extras, rest) = rest.split_at_checked(extra as usize)?;
    fields.0 = rest.get(comment as usize..)?;
    while let [a, b, c, d, after @ ..] = extras {
        let (id, length) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
        let (field, rest) = after.split_at_checked(length.into())?;
        if id == 1 {
            let mut wide = Fields(field);
            for value in [&mut size, &mut stored, &mut start] {
                if *value == 0xFFFF_FFFF {
                    *value = wide.number(8)?;
                }
            }
        }
        extras = rest;
    }
    Some(match (flags & 1, method) {
        (0, 0 | 8) => Ok(Entry { name, deflated: method == 8, stored, size, start }),
        (0, _) => Err(format!("{name} is compressed in a way that is not known ({method})")),
        _ => Err(format!("{name} is encrypted")),
    })
}

/// Writes an archive of stored entries, one after another.
pub(crate) struct Archive<'a> {
    out: &'a mut dyn Write,
    at: u64,
    directory: Vec<u8>,
    entries: u64,
    sum: crc32fast::Hasher,
}

impl<'a> Archive<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, at: 0, directory: Vec::new(), entries: 0, sum: crc32fast::Hasher::new() }
    }

    /// Writes an entry of `size` bytes through `fill`.
    pub fn entry(
        &mut self,
        name: &str,
        size: u64,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let start = self.at;
        // Checksums are not known yet and follow the bytes; sizes of 8 bytes are always there, as NumPy has it.
        let mut local = b"PK\x03\x04\x2D\0\x08\0\0\0\0\0\x21\0\0\0\0\0".to_vec();
        local.extend([0xFF; 8]);
        local.extend((name.len() as u16).to_le_bytes());
        // An unused field, of the kind that Android fills archives up with, brings the bytes to a multiple of 64.
        let fixed = start + (local.len() + 2 + name.len() + 20 + 4) as u64;
        let filling = (fixed.next_multiple_of(64) - fixed) as u16;
        local.extend((20 + 4 + filling).to_le_bytes());
        local.extend(name.as_bytes());
        local.extend([1, 0, 16, 0]);
        local.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
        local.extend([0x35, 0xD9]);
        local.extend(filling.to_le_bytes());
        local.resize(local.len() + usize::from(filling), 0);
        self.write_all(&local)?;
        self.sum = crc32fast::Hasher::new();
        fill(self)?;
        let sum = std::mem::take(&mut self.sum).finalize();
        let mut after = b"PK\x07\x08".to_vec();
        after.extend(sum.to_le_bytes());
        after.extend([size.to_le_bytes(), size.to_le_bytes()].concat());
        self.write_all(&after)?;
        self.directory.extend(b"PK\x01\x02\x2D\0\x2D\0\x08\0\0\0\0\0\x21\0");
        self.directory.extend(sum.to_le_bytes());
        self.directory.extend([0xFF; 8]);
        self.directory.extend((name.len() as u16).to_le_bytes());
        self.directory.extend(28_u16.to_le_bytes());
        self.directory.extend([0; 10]);
        self.directory.extend([0xFF; 4]);
        self.directory.extend(name.as_bytes());
        self.directory.extend([1, 0, 24, 0]);
        self.directory.extend([size, size, start].map(u64::to_le_bytes).concat());
        self.entries += 1;
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> std::io::Result<()> {
        let (start, size, entries) = (self.at, self.directory.len() as u64, self.entries);
        let directory = std::mem::take(&mut self.directory);
        self.write_all(&directory)?;
        let place = self.at;
        let mut end = b"PK\x06\x06".to_vec();
        end.extend(44_u64.to_le_bytes());
        end.extend([45, 0, 45, 0]);
        end.extend([0; 8]);
        end.extend([entries, entries, size, start].map(u64::to_le_bytes).concat());
        end.extend(b"PK\x06\x07\0\0\0\0");
        end.extend(place.to_le_bytes());
        end.extend(1_u32.to_le_bytes());
        end.extend(b"PK\x05\x06\0\0\0\0");
        end.extend([entries as u16, entries as u16].map(u16::to_le_bytes).concat());
        end.extend([0xFF; 8]);
        end.extend([0, 0]);
        self.write_all(&end)
    }
}

impl Write for Archive<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
