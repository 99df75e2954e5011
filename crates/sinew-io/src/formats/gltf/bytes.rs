//! A rig as a file or its bytes.

use std::path::Path;

use sinew::lod::Level;
use sinew::rig::Rig;

use super::options::WriteOptions;
use super::pack::pack;
use super::write::build;
use crate::scene::{DEFAULT_COMPACT_ERROR, WriteReport};
use crate::{Result, Target, save_target};

/// Writes a rig as a GLB file.
pub fn write(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, rig, options))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(to: &mut Target, rig: &Rig, options: &WriteOptions) -> Result<Vec<String>> {
    let (bytes, warnings) = bytes_of(to.path(), rig, &[], options)?;
    to.write(|out| out.write_all(&bytes))?;
    Ok(warnings)
}

/// The bytes of a GLB file and what could not be stored in it as it is.
pub fn to_bytes(rig: &Rig, options: &WriteOptions) -> Result<(Vec<u8>, Vec<String>)> {
    to_bytes_with_levels(rig, &[], options)
}

/// The same with levels of detail, the finest first, for readers that know `MSFT_lod`. Others show the rig as it
/// is. Each mesh node names nodes of its levels, which are in no scene and share its vertices, skin and clips: a
/// level costs its triangles and nothing else.
pub fn to_bytes_with_levels(
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<String>)> {
    let name = if options.name.is_empty() { "rig" } else { &options.name };
    bytes_of(&Path::new(name).with_extension("glb"), rig, levels, options)
}

fn bytes_of(
    path: &Path,
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<String>)> {
    if options.pack {
        return pack(path, rig, levels, options, options.compact.unwrap_or(DEFAULT_COMPACT_ERROR));
    }
    let built = build(path, rig, levels, options, None)?;
    Ok((built.bytes, built.warnings))
}
