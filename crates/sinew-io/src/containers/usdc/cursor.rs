//! Reading a file number by number, with every place checked.

use super::blocks;
use super::file::CrateFile;
use crate::Result;

/// Items a list of paths, tokens or times may have.
const MOST_ITEMS: u64 = 1 << 26;
/// Items a compressed table may have for each byte of the file.
const MOST_PER_BYTE: u64 = 16;

/// A place in a file.
pub(crate) struct Cursor<'a> {
    pub file: &'a CrateFile,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &'a CrateFile, at: u64) -> Self {
        Self { file, at: usize::try_from(at).unwrap_or(usize::MAX) }
    }

    /// The next bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.saturating_add(count);
        let bytes = self.file.slice(self.at..end)?;
        self.at = end;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.bytes(N)?);
        Ok(out)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// How many items follow, of which each takes at least `size` bytes.
    pub fn count(&mut self, size: usize) -> Result<usize> {
        let count = self.u64()?;
        let left = self.file.bytes.len().saturating_sub(self.at) as u64;
        if count > MOST_ITEMS || count.saturating_mul(size as u64) > left {
            return Err(self.file.malformed(format!(
                "a list is said to have {count} items, more than the file has room for"
            )));
        }
        Ok(count as usize)
    }

    /// How many items a compressed table has: paths, words and fields take some room each, if not a byte.
    pub fn packed_count(&mut self) -> Result<usize> {
        let count = self.u64()?;
        let most = (self.file.bytes.len() as u64).saturating_mul(MOST_PER_BYTE);
        if count > MOST_ITEMS.min(most) {
            return Err(self.file.malformed(format!("a list is said to have {count} items")));
        }
        Ok(count as usize)
    }

    /// Goes where the next eight bytes say, counted from here.
    pub fn jump(&mut self) -> Result<()> {
        let start = self.at;
        let offset = self.u64()? as i64;
        self.at = usize::try_from(start as i64)
            .ok()
            .and_then(|s| s.checked_add_signed(offset as isize))
            .ok_or_else(|| self.file.malformed("a value is said to be outside of the file"))?;
        Ok(())
    }

    /// A compressed block of a stated size.
    pub fn block(&mut self) -> Result<&'a [u8]> {
        let size = self.u64()?;
        self.bytes(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Compressed integers.
    pub fn integers(&mut self, count: usize, wide: bool) -> Result<Vec<i64>> {
        let block = self.block()?;
        blocks::integers(block, count, wide)
            .ok_or_else(|| self.file.malformed(format!("a block of {count} compressed integers is damaged")))
    }
}
