//! Records: kind, length, contents, checksum.

use std::io::{ErrorKind, Read, Write};

use crc32fast::Hasher;

/// Four letters.
pub type Kind = [u8; 4];

/// Appends a record.
pub fn write(out: &mut impl Write, kind: Kind, contents: &[u8]) -> std::io::Result<()> {
    let length = (contents.len() as u64).to_le_bytes();
    let mut hasher = Hasher::new();
    [&kind[..], &length, contents].iter().for_each(|part| hasher.update(part));
    out.write_all(&kind)?;
    out.write_all(&length)?;
    out.write_all(contents)?;
    out.write_all(&hasher.finalize().to_le_bytes())
}

/// What comes next in a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A whole record; its contents are in the buffer.
    Record(Kind),
    /// Nothing: the file ends where a record could begin.
    End,
    /// The file ends within a record of this kind, or within the kind.
    Cut(Option<Kind>),
    /// A record whose checksum does not fit, or whose length cannot be right.
    Damaged(Kind),
}

/// Reads record after record.
pub struct Records<R> {
    input: R,
}

impl<R: Read> Records<R> {
    pub fn new(input: R) -> Self {
        Self { input }
    }

    /// Reads the next record into `contents`. `most` says how long contents of a kind can be, and `None`
    /// passes over the record.
    ///
    /// Memory grows with the bytes that are there, not with those that are promised.
    pub fn next(
        &mut self,
        contents: &mut Vec<u8>,
        most: impl Fn(Kind) -> Option<u64>,
    ) -> std::io::Result<Next> {
        contents.clear();
        let mut kind = [0; 4];
        match fill(&mut self.input, &mut kind)? {
            0 => return Ok(Next::End),
            4 => {}
            _ => return Ok(Next::Cut(None)),
        }
        let mut length = [0; 8];
        if fill(&mut self.input, &mut length)? < length.len() {
            return Ok(Next::Cut(Some(kind)));
        }
        let mut hasher = Hasher::new();
        hasher.update(&kind);
        hasher.update(&length);
        let length = u64::from_le_bytes(length);
        let read = match most(kind) {
            Some(most) if length > most => return Ok(Next::Damaged(kind)),
            Some(_) => {
                let read = (&mut self.input).take(length).read_to_end(contents)? as u64;
                hasher.update(contents);
                read
            }
            None => self.pass(length, &mut hasher)?,
        };
        let mut checksum = [0; 4];
        if read < length || fill(&mut self.input, &mut checksum)? < checksum.len() {
            return Ok(Next::Cut(Some(kind)));
        }
        let fits = hasher.finalize() == u32::from_le_bytes(checksum);
        Ok(if fits { Next::Record(kind) } else { Next::Damaged(kind) })
    }

    /// Reads past `length` bytes without keeping them. Returns how many there were.
    fn pass(&mut self, length: u64, hasher: &mut Hasher) -> std::io::Result<u64> {
        let mut buffer = [0; 4096];
        let mut passed = 0;
        while passed < length {
            let wanted = (length - passed).min(buffer.len() as u64) as usize;
            let read = fill(&mut self.input, &mut buffer[..wanted])?;
            hasher.update(&buffer[..read]);
            passed += read as u64;
            if read < wanted {
                break;
            }
        }
        Ok(passed)
    }
}

/// Whether readers that do not know the kind may pass over it.
pub fn skippable(kind: Kind) -> bool {
    kind[0].is_ascii_lowercase()
}

/// Fills a buffer as far as the input goes. Returns how far that is.
pub fn fill(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}
