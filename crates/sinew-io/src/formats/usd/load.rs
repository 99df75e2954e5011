//! Layers, whichever way they are stored.

use std::path::Path;

use super::layer::Layer;
use super::{specs, text};
use crate::containers::bytes::Bytes;
use crate::containers::usdc;
use crate::{Error, Result};

/// Reads what there is in a layer. `path` is for messages.
pub(super) fn layer(bytes: Bytes, path: &Path) -> Result<Layer> {
    if bytes.starts_with(usdc::MAGIC) {
        return specs::read(bytes, path);
    }
    if bytes.starts_with(text::MAGIC) {
        return text::read(bytes, path);
    }
    Err(Error::malformed(path, "the file is neither a USD text file nor a binary one"))
}
