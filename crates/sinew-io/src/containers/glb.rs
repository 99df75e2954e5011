//! GLB: JSON and binary data in chunks.

use std::path::Path;

use crate::{Error, Result};

const MAGIC: u32 = 0x4654_6C67; // "glTF"
const JSON_CHUNK: u32 = 0x4E4F_534A; // "JSON"
const BIN_CHUNK: u32 = 0x004E_4942; // "BIN\0"

/// The two parts of a file.
pub(crate) struct Chunks<'a> {
    pub json: &'a [u8],
    pub bin: Option<&'a [u8]>,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

fn truncated(path: &Path, what: &str, needed: u64, available: u64) -> Error {
    Error::Truncated { path: path.into(), what: what.into(), needed, available }
}

/// Finds JSON and binary data. Bytes that do not start with GLB's magic may be JSON.
pub(crate) fn split<'a>(bytes: &'a [u8], path: &Path) -> Result<Chunks<'a>> {
    if word(bytes, 0) != Some(MAGIC) {
        if MAGIC.to_le_bytes().starts_with(bytes) {
            return Err(truncated(path, "the header's fields", 12, bytes.len() as u64));
        }
        let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if !json.trim_ascii_start().starts_with(b"{") {
            return Err(Error::malformed(
                path,
                "this is no glTF: it begins neither with the letters glTF nor as JSON does",
            ));
        }
        return Ok(Chunks { json, bin: None });
    }
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(truncated(path, "the header's fields", 12, bytes.len() as u64));
    };
    if version != 2 {
        return Err(Error::unsupported(
            path,
            format!("this is GLB version {version}; Sinew reads version 2"),
        ));
    }
    let Some(bytes) = bytes.get(..length as usize) else {
        return Err(truncated(path, "the chunks", u64::from(length), bytes.len() as u64));
    };
    let mut chunks = Chunks { json: &[], bin: None };
    let mut at = 12;
    while at < bytes.len() {
        let (Some(size), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(truncated(path, "a chunk's size and type", 8, (bytes.len() - at) as u64));
        };
        let start = at + 8;
        let Some(body) = bytes[start..].get(..size as usize) else {
            return Err(truncated(path, "a chunk's contents", u64::from(size), (bytes.len() - start) as u64));
        };
        match kind {
            JSON_CHUNK if chunks.json.is_empty() => chunks.json = body,
            BIN_CHUNK if chunks.bin.is_none() => chunks.bin = Some(body),
            _ => {} // The specification asks readers to skip chunks they do not know.
        }
        at = start + size as usize;
    }
    if chunks.json.is_empty() {
        return Err(Error::malformed(path, "the file has no JSON chunk"));
    }
    Ok(chunks)
}

/// Joins JSON and binary data into a GLB file.
pub(crate) fn join(json: &[u8], bin: &[u8]) -> Option<Vec<u8>> {
    let pad = |n: usize| n.next_multiple_of(4);
    let bin_size = if bin.is_empty() { 0 } else { 8 + pad(bin.len()) };
    let length = 12 + 8 + pad(json.len()) + bin_size;
    let mut out = Vec::with_capacity(length);
    for w in [MAGIC, 2, u32::try_from(length).ok()?, pad(json.len()) as u32, JSON_CHUNK] {
        out.extend_from_slice(&w.to_le_bytes());
    }
    out.extend_from_slice(json);
    out.resize(out.len().next_multiple_of(4), b' ');
    if !bin.is_empty() {
        out.extend_from_slice(&(pad(bin.len()) as u32).to_le_bytes());
        out.extend_from_slice(&BIN_CHUNK.to_le_bytes());
        out.extend_from_slice(bin);
        out.resize(length, 0);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back() {
        let path = Path::new("a.glb");
        let file = join(b"{\"a\":1}", &[1, 2, 3]).unwrap();
        let chunks = split(&file, path).unwrap();
        assert_eq!(chunks.json, b"{\"a\":1} ");
        assert_eq!(chunks.bin, Some(&[1, 2, 3, 0][..]));
        for cut in 0..file.len() {
            assert!(matches!(split(&file[..cut], path), Err(Error::Truncated { .. })), "{cut}");
        }
    }
}
