//! A rig as a file or its bytes.

use std::borrow::Cow;
use std::path::Path;

use sinew::geometry::Similarity;
use sinew::lod::Level;
use sinew::rig::Rig;

use super::METRES_PER_UNIT;
use super::options::WriteOptions;
use super::pack::pack;
use super::write::{Built, build};
use crate::scene::hung::size_axes;
use crate::scene::{DEFAULT_COMPACT_ERROR, WriteReport};
use crate::{Error, Result, Target, Warning, save_target};

/// Writes a rig as a GLB file.
pub fn write(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, rig, options))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(to: &mut Target, rig: &Rig, options: &WriteOptions) -> Result<Vec<Warning>> {
    let built = built(to.path(), rig, &[], options)?;
    to.write(|out| out.write_all(&built.bytes))?;
    to.note_joints(built.joints);
    Ok(built.warnings)
}

/// A rig as the bytes of a GLB file.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The file.
    pub bytes: Vec<u8>,
    /// What could not be stored in it as it is, for people.
    pub warnings: Vec<Warning>,
    /// Nodes that stand for bones; a bone that stretches takes two.
    pub joints: usize,
}

/// The bytes of a GLB file and what could not be stored in it as it is.
pub fn to_bytes(rig: &Rig, options: &WriteOptions) -> Result<(Vec<u8>, Vec<Warning>)> {
    to_bytes_with_levels(rig, &[], options)
}

/// The same with levels of detail, the finest first.
pub fn to_bytes_with_levels(
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<Warning>)> {
    encode(rig, levels, options).map(|file| (file.bytes, file.warnings))
}

/// A rig with levels of detail, the finest first, for readers that know `MSFT_lod`. Others show the rig as it
/// is, but Blender, which shows nodes that are in no scene too, all levels as further bodies. Each mesh node names
/// nodes of its levels, which are in no scene and share its vertices, skin and clips: a level costs its triangles
/// and nothing else.
pub fn encode(rig: &Rig, levels: &[Level], options: &WriteOptions) -> Result<Encoded> {
    let name = if options.name.is_empty() { "rig" } else { &options.name };
    let built = built(&Path::new(name).with_extension("glb"), rig, levels, options)?;
    Ok(Encoded { bytes: built.bytes, warnings: built.warnings, joints: built.joints })
}

fn built(path: &Path, rig: &Rig, levels: &[Level], options: &WriteOptions) -> Result<Built> {
    let metres = options.metres_per_unit.unwrap_or(METRES_PER_UNIT);
    if !(metres > 0.0 && metres.is_finite()) {
        return Err(Error::unsupported(path, format!("a unit must be some metres long, not {metres}")));
    }
    let mut rig = Cow::Borrowed(rig);
    if metres != METRES_PER_UNIT {
        let factor = metres / METRES_PER_UNIT;
        rig.to_mut().change(&Similarity::scaling(factor));
        size_axes(&mut rig.to_mut().nodes, factor);
    }
    match options.pack {
        true => pack(path, &rig, levels, options, options.compact.unwrap_or(DEFAULT_COMPACT_ERROR)),
        false => build(path, &rig, levels, options, None),
    }
}
