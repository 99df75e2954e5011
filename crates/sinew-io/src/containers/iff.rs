//! The chunks of a data file, without their values.

use std::path::Path;

use crate::{Error, Result};

/// Where the values of a channel are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    pub channel: String,
    /// Number of vectors.
    pub count: usize,
    /// Whether numbers have 8 bytes rather than 4.
    pub double: bool,
    /// Where they start.
    pub start: usize,
}

/// All channels at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// In 6000ths of a second; none where the file is of one time and does not say.
    pub time: Option<i32>,
    pub values: Vec<Values>,
}

/// Chunks of a part of a file.
struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    wide: bool,
}

/// A chunk: its tag, and where its bytes are.
struct Chunk {
    tag: [u8; 4],
    start: usize,
    end: usize,
}

impl Chunks<'_> {
    fn next(&mut self) -> std::result::Result<Option<Chunk>, String> {
        if self.at >= self.end {
            return Ok(None);
        }
        let (header, multiple) = if self.wide { (16, 8) } else { (8, 4) };
        let cut = || format!("the file is cut short in the chunk at byte {}", self.at);
        let head = self.bytes.get(self.at..self.at + header).filter(|_| self.at + header <= self.end);
        let head = head.ok_or_else(cut)?;
        let length =
            head[header - if self.wide { 8 } else { 4 }..].iter().fold(0_u64, |n, b| n << 8 | u64::from(*b));
        let start = self.at + header;
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let end = end.filter(|end| *end <= self.end).ok_or_else(cut)?;
        let tag = [head[0], head[1], head[2], head[3]];
        // Values are filled up, groups are not: what is in them is. The last chunk need not be.
        let filled = if is_group(tag) { end } else { start + (end - start).next_multiple_of(multiple) };
        self.at = filled.min(self.end);
        Ok(Some(Chunk { tag, start, end }))
    }
}

fn is_group(tag: [u8; 4]) -> bool {
    tag == *b"FOR4" || tag == *b"FOR8"
}

/// Whether a file starts like one of these.
pub(crate) fn is_data(start: &[u8]) -> bool {
    let at = |place: usize| start.get(place..place + 4);
    (start.starts_with(b"FOR4") && at(8) == Some(b"CACH"))
        || (start.starts_with(b"FOR8") && at(16) == Some(b"CACH"))
}

/// Lists the samples of a file.
pub(crate) fn samples(bytes: &[u8], path: &Path) -> Result<Vec<Sample>> {
    let malformed = |message: String| Error::malformed(path, message);
    if !is_data(bytes) {
        return Err(malformed(
            "this is not a Maya cache: it does not start with FOR4 or FOR8 and CACH".into(),
        ));
    }
    let wide = bytes.starts_with(b"FOR8");
    let mut groups = Chunks { bytes, at: 0, end: bytes.len(), wide };
    let mut found = Vec::new();
    while let Some(group) = groups.next().map_err(malformed)? {
        let kind = bytes[group.start..group.end].get(..4).filter(|_| is_group(group.tag));
        if kind == Some(b"MYCH") {
            let inside = Chunks { bytes, at: group.start + 4, end: group.end, wide };
            found.push(sample(inside).map_err(malformed)?);
        }
    }
    Ok(found)
}

fn sample(mut chunks: Chunks) -> std::result::Result<Sample, String> {
    let mut sample = Sample { time: None, values: Vec::new() };
    let (mut channel, mut size) = (String::new(), None);
    while let Some(Chunk { tag, start, end }) = chunks.next()? {
        let bytes = &chunks.bytes[start..end];
        match &tag {
            b"TIME" => sample.time = bytes.first_chunk().map(|time| i32::from_be_bytes(*time)),
            b"CHNM" => {
                let name = bytes.split(|b| *b == 0).next().unwrap_or_default();
                channel = String::from_utf8_lossy(name).into_owned();
            }
            b"SIZE" => size = bytes.first_chunk().map(|size| u32::from_be_bytes(*size) as usize),
            b"FVCA" | b"DVCA" => {
                let double = tag == *b"DVCA";
                let each = if double { 24 } else { 12 };
                let count = bytes.len() / each;
                if size.is_some_and(|size| size != count) || !bytes.len().is_multiple_of(each) {
                    return Err(format!(
                        "channel {channel} says it has {} vectors, but has {} bytes",
                        size.unwrap_or(count),
                        bytes.len()
                    ));
                }
                sample.values.push(Values { channel: std::mem::take(&mut channel), count, double, start });
            }
            _ => {}
        }
    }
    Ok(sample)
}
