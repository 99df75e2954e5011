//! Packages (`.usdz`): zip files whose members are not compressed and start at multiples of 64 bytes.
//!
//! By hand beside [`zip::Archive`]: readers of packages look for a member's size before it, and know none of 64 bits.
//!
//! The first member is the layer that is opened; others are layers it refers to, and images.

use std::io::{BufWriter, Cursor, SeekFrom, Write};
use std::path::Path;

use super::bytes::Bytes;
use super::zip::{self, Entry};
use crate::{Error, Result, WriteSeek};

/// What a package starts with.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

const LOCAL: u32 = 0x0403_4B50;
const CENTRAL: u32 = 0x0201_4B50;
const END: u32 = 0x0605_4B50;
/// Where the data of a member may start.
const ALIGNMENT: u64 = 64;
/// Kind of the bytes that fill up a member's head.
const PADDING: u16 = 0x1986;
/// The date of all members, as zip files state it: 1 January 1980. The same rig gives the same bytes.
const DATE: u32 = 0x0021_0000;
/// A zip file with larger members or more of them is another format.
const LARGEST: u64 = u32::MAX as u64;

/// A member of a package.
pub(crate) struct Member {
    pub name: String,
    pub bytes: Bytes,
}

/// Finds the members of a package, in the order of the package.
pub(crate) fn members(bytes: &Bytes, path: &Path) -> Result<Vec<Member>> {
    let found = zip::entries(&mut Cursor::new(bytes.all()), path)?;
    let member = |Entry { name, deflated, stored, start, .. }: Entry| {
        if deflated {
            let message = format!("{name} is compressed, which packages of USD files may not be");
            return Err(Error::unsupported(path, message));
        }
        // What is in the file can be addressed.
        let start = start as usize;
        let missing = || Error::malformed(path, format!("{name} is not where it should be"));
        let bytes = bytes.part(start..start + stored as usize).ok_or_else(missing)?;
        Ok(Member { name, bytes })
    };
    found.into_iter().map(member).collect()
}

/// A package being written. A zip file states size and checksum of a member before it; both are put there once the
/// member is whole.
pub(crate) struct PackageWriter<'a> {
    out: &'a mut dyn WriteSeek,
    /// Where the package begins.
    start: u64,
    at: u64,
    table: Vec<u8>,
    count: u16,
}

impl<'a> PackageWriter<'a> {
    pub fn new(out: &'a mut dyn WriteSeek) -> Self {
        Self { out, start: 0, at: 0, table: Vec::new(), count: 0 }
    }

    /// Adds a member that `fill` writes.
    pub fn add(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let head = self.at + 30 + name.len() as u64;
        // The filling has a head of its own, of four bytes.
        let filling = 4 + (ALIGNMENT - (head + 4) % ALIGNMENT) % ALIGNMENT;
        if head + filling > LARGEST || self.count == u16::MAX {
            return Err(too_large());
        }
        let local = self.at as u32;
        let mut start = local_head(name, 0, 0);
        start.extend((filling as u16).to_le_bytes());
        start.extend(name.as_bytes());
        start.extend(PADDING.to_le_bytes());
        start.extend((filling as u16 - 4).to_le_bytes());
        start.resize(start.len() + filling as usize - 4, 0);
        if self.count == 0 {
            self.start = self.out.stream_position()?;
        }
        self.out.write_all(&start)?;
        let mut member =
            Summed { out: BufWriter::new(&mut *self.out), size: 0, sum: crc32fast::Hasher::new() };
        fill(&mut member)?;
        member.flush()?;
        let (size, sum) = (member.size, member.sum.clone().finalize());
        drop(member);
        let end = head + filling + size;
        if size > LARGEST || end > LARGEST {
            return Err(too_large());
        }
        // Now that they are known.
        self.out.seek(SeekFrom::Start(self.start + self.at))?;
        self.out.write_all(&local_head(name, size as u32, sum))?;
        self.out.seek(SeekFrom::Start(self.start + end))?;
        self.at = end;

        self.table.extend(CENTRAL.to_le_bytes());
        self.table.extend(10_u16.to_le_bytes());
        self.table.extend(&local_head(name, size as u32, sum)[4..]);
        // No extra field, no comment, no disk, no attributes.
        self.table.extend([0; 12]);
        self.table.extend(local.to_le_bytes());
        self.table.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    /// Writes the table of contents.
    pub fn finish(self) -> std::io::Result<()> {
        self.out.write_all(&self.table)?;
        let mut end = END.to_le_bytes().to_vec();
        end.extend([0, 0, self.count, self.count].iter().flat_map(|x| x.to_le_bytes()));
        end.extend([self.table.len() as u32, self.at as u32].iter().flat_map(|x| x.to_le_bytes()));
        end.extend([0; 2]);
        self.out.write_all(&end)
    }
}

/// What stands before a member, up to the length of its extra field.
fn local_head(name: &str, size: u32, sum: u32) -> Vec<u8> {
    let mut head = LOCAL.to_le_bytes().to_vec();
    head.extend(10_u16.to_le_bytes());
    head.extend([0_u16; 2].iter().flat_map(|x| x.to_le_bytes()));
    head.extend([DATE, sum, size, size].iter().flat_map(|x| x.to_le_bytes()));
    head.extend((name.len() as u16).to_le_bytes());
    head
}

fn too_large() -> std::io::Error {
    std::io::Error::other("a package may have no more than 4 GB; write a .usda file")
}

/// A member whose size and checksum are kept.
struct Summed<W: Write> {
    out: W,
    size: u64,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.size += written as u64;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
