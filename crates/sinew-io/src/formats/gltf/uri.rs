//! Data URIs, and files beside the file.

use std::path::{Component, Path};

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::source::{Bytes, Source};
use crate::{Error, Result};

/// The bytes behind a URI: inline data, or a file beside the source.
pub(super) fn resolve(uri: &str, source: &Source) -> Result<Bytes> {
    let path = source.path();
    if let Some(data) = uri.strip_prefix("data:") {
        let base64 = data.split_once(',').filter(|(head, _)| head.ends_with(";base64"));
        return base64
            .and_then(|(_, body)| decode_base64(body))
            .map(Bytes::owned)
            .ok_or_else(|| Error::malformed(path, "a data URI is not valid base64"));
    }
    let relative = percent_decode_str(uri).decode_utf8_lossy();
    let relative = Path::new(relative.as_ref());
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

/// Decodes base64 in either of its alphabets, padded or not.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let letters = if text.contains(['-', '_']) { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    GeneralPurpose::new(letters, config).decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_known_answers() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9vYmFy", "foobar"), ("Zm8", "fo")]
        {
            assert_eq!(decode_base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decode_base64("Zm9v!"), None);
        assert_eq!(decode_base64("Zm9vZ"), None);
    }

    #[test]
    fn links_out_of_the_folder_are_refused() {
        for uri in ["/etc/hostname", "https://example.org/a.bin", "file:a.bin"] {
            assert!(matches!(resolve(uri, &Source::file("a.gltf")), Err(Error::Unsupported { .. })));
        }
    }
}
