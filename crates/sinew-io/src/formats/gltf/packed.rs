//! Buffer views that `EXT_meshopt_compression` packs: unpacked when a file is opened.

use std::path::Path;

use super::schema::{BufferView, Packed, Root};
use crate::containers::meshopt::filters::Filter;
use crate::containers::meshopt::{attributes, indices, triangles};
use crate::source::Bytes;
use crate::{Error, Result};

/// The extension, and the name that it is to have later.
pub(super) const EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Whether a buffer stands for what packed views unpack to, and needs no bytes of its own.
pub(super) fn is_placeholder(root: &Root, buffer: usize) -> bool {
    root.buffer_views.iter().any(|view| view.buffer == buffer && view.extensions.packed().is_some())
}

/// The bytes of all packed views.
pub(super) fn unpack(root: &Root, buffers: &[Bytes], path: &Path) -> Result<Vec<Option<Vec<u8>>>> {
    let view = |(index, view): (usize, &BufferView)| {
        let Some(packed) = view.extensions.packed() else { return Ok(None) };
        let broken = || {
            let message = format!("the packed bytes of buffer view {index} cannot be unpacked");
            Error::malformed(path, message)
        };
        let end = packed.byte_offset.checked_add(packed.byte_length);
        let stream = buffers.get(packed.buffer).and_then(|b| b.get(packed.byte_offset..end?));
        let bytes = stream.and_then(|stream| unpacked(packed, stream)).ok_or_else(broken)?;
        if bytes.len() != view.byte_length {
            return Err(broken());
        }
        Ok(Some(bytes))
    };
    root.buffer_views.iter().enumerate().map(view).collect()
}

fn unpacked(packed: &Packed, stream: &[u8]) -> Option<Vec<u8>> {
    let filter = Filter::named(packed.filter.as_deref())?;
    let Packed { count, byte_stride: stride, .. } = *packed;
    match packed.mode.as_str() {
        "ATTRIBUTES" if filter.takes(stride) => {
            let mut bytes = attributes::decode(stream, count, stride)?;
            filter.undo(&mut bytes, stride);
            Some(bytes)
        }
        "TRIANGLES" => index_bytes(&triangles::decode(stream, count)?, stride),
        "INDICES" => index_bytes(&indices::decode(stream, count)?, stride),
        _ => None,
    }
}

fn index_bytes(indices: &[u32], stride: usize) -> Option<Vec<u8>> {
    match stride {
        2 => Some(indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect()),
        4 => Some(indices.iter().flat_map(|i| i.to_le_bytes()).collect()),
        _ => None,
    }
}
