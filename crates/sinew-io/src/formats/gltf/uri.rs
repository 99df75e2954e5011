//! Data URIs, and files beside the file.

use std::path::{Component, Path};

use crate::source::{Bytes, Source};
use crate::{Error, Result};

/// The bytes behind a URI: inline data, or a file beside the source.
pub(super) fn resolve(uri: &str, source: &Source) -> Result<Bytes> {
    let path = source.path();
    if let Some(data) = uri.strip_prefix("data:") {
        let base64 = data.split_once(',').filter(|(head, _)| head.ends_with(";base64"));
        return base64
            .and_then(|(_, body)| decode_base64(body.as_bytes()))
            .map(Bytes::owned)
            .ok_or_else(|| Error::malformed(path, "a data URI is not valid base64"));
    }
    let relative = percent_decoded(uri);
    let relative = Path::new(&relative);
    let plain = |c: Component| matches!(c, Component::Normal(_) | Component::CurDir | Component::ParentDir);
    if uri.contains("://") || uri.starts_with("file:") || !relative.components().all(plain) {
        let message = format!("{} is not a relative path: Sinew follows no other links", shortened(uri));
        return Err(Error::unsupported(path, message));
    }
    let file = path.parent().unwrap_or(Path::new("")).join(relative);
    let Some(file) = source.link(&file) else {
        let message = format!("{} may not be read from here, or is not there", shortened(uri));
        return Err(Error::unsupported(path, message));
    };
    file.read()
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
    fn links_out_of_the_folder_are_refused() {
        for uri in ["/etc/hostname", "https://example.org/a.bin", "file:a.bin"] {
            assert!(matches!(resolve(uri, &Source::file("a.gltf")), Err(Error::Unsupported { .. })));
        }
        assert_eq!(percent_decoded("a%20b%2"), "a b%2");
    }
}
