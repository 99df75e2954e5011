//! The outermost layer: GLB chunks, data URIs, files beside the file.

use std::path::{Component, Path};

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

/// Where the bytes of a URI may come from.
#[derive(Clone, Copy)]
pub(crate) enum External {
    /// Files relative to the glTF file.
    Read,
    /// Only the file itself.
    Refuse,
}

/// The bytes behind a URI: inline data, or a file beside `path`.
pub(crate) fn resolve(uri: &str, path: &Path, external: External) -> Result<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let base64 = data.split_once(',').filter(|(head, _)| head.ends_with(";base64"));
        return base64
            .and_then(|(_, body)| decode_base64(body.as_bytes()))
            .ok_or_else(|| Error::malformed(path, "a data URI is not valid base64"));
    }
    if matches!(external, External::Refuse) {
        return Err(Error::unsupported(path, format!("the data lies in another file, {}", shortened(uri))));
    }
    let relative = percent_decoded(uri);
    let relative = Path::new(&relative);
    let plain = |c: Component| matches!(c, Component::Normal(_) | Component::CurDir | Component::ParentDir);
    if uri.contains("://") || uri.starts_with("file:") || !relative.components().all(plain) {
        let message = format!("{} is not a relative path: Sinew follows no other links", shortened(uri));
        return Err(Error::unsupported(path, message));
    }
    let file = path.parent().unwrap_or(Path::new("")).join(relative);
    if !crate::links::allowed(&file) {
        let message = format!("{} may not be read from here, or is not there", shortened(uri));
        return Err(Error::unsupported(path, message));
    }
    let metadata = std::fs::metadata(&file).map_err(Error::io(&file))?;
    if !metadata.is_file() {
        return Err(Error::unsupported(path, format!("{} is not a file", file.display())));
    }
    std::fs::read(&file).map_err(Error::io(&file))
}

fn shortened(uri: &str) -> String {
    uri.chars().take(80).collect()
}

fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|b| (*b as char).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((16 * high + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Decodes base64 (RFC 4648, either alphabet, padding optional).
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|b| *b != b'=').map_or(0, |last| last + 1);
    let mut out = Vec::with_capacity(end / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for &byte in &text[..end] {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    // One letter alone carries six bits, less than a byte.
    (end % 4 != 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_known_answers() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9vYmFy", "foobar"), ("Zm8", "fo")]
        {
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decode_base64(b"Zm9v!"), None);
        assert_eq!(decode_base64(b"Zm9vZ"), None);
    }

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

    #[test]
    fn links_out_of_the_folder_are_refused() {
        for uri in ["/etc/hostname", "https://example.org/a.bin", "file:a.bin"] {
            assert!(matches!(
                resolve(uri, Path::new("a.gltf"), External::Read),
                Err(Error::Unsupported { .. })
            ));
        }
        assert_eq!(percent_decoded("a%20b%2"), "a b%2");
    }
}
