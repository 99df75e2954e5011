//! What a file holds and nothing that is read of it does.

use std::fmt;

use super::words::{count, listed, rounded};

/// What a file holds that is not read, so that nothing made of it has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unkept {
    /// Extensions of the materials of a glTF file, by name.
    MaterialExtensions(Vec<String>),
    /// How strong normal and occlusion textures are, in so many materials.
    TextureStrengths(usize),
    /// How so many textures repeat or are filtered.
    TextureSampling(usize),
    /// Properties that people or programs gave to objects, by name.
    CustomProperties(Vec<String>),
    /// So many meshes that the file does not show.
    HiddenMeshes(usize),
    /// Meshes without points, as programs write hidden ones, by name.
    MeshesWithoutPoints(Vec<String>),
    /// So many tracks whose keys hold their value until the next.
    Steps(usize),
    /// Keys between frames.
    KeysBetweenFrames {
        /// How many tracks have any.
        tracks: usize,
        /// Frames per second.
        fps: f64,
    },
    /// Armatures whose bones are those of one, by name.
    Armatures(Vec<String>),
    /// Empties, by name.
    Empties(Vec<String>),
}

impl fmt::Display for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MaterialExtensions(names) => {
                write!(
                    f,
                    "{} of materials ({})",
                    count(names.len(), "extension", "extensions"),
                    listed(names)
                )
            }
            Self::TextureStrengths(materials) => {
                let materials = count(*materials, "material", "materials");
                write!(f, "how strong normal and occlusion textures of {materials} are")
            }
            Self::TextureSampling(textures) => {
                let textures = count(*textures, "texture", "textures");
                write!(f, "how {textures} should be repeated and filtered")
            }
            Self::CustomProperties(names) => {
                let properties = count(names.len(), "custom property", "custom properties");
                write!(f, "{properties} ({})", listed(names))
            }
            Self::HiddenMeshes(meshes) => {
                write!(f, "{} that the file does not show", count(*meshes, "mesh", "meshes"))
            }
            Self::MeshesWithoutPoints(names) => {
                let meshes = count(names.len(), "mesh", "meshes");
                write!(f, "{meshes} without points, as hidden ones are written ({})", listed(names))
            }
            Self::Steps(tracks) => {
                write!(
                    f,
                    "steps in {}: they become ramps from frame to frame",
                    count(*tracks, "track", "tracks")
                )
            }
            Self::KeysBetweenFrames { tracks, fps } => {
                let tracks = count(*tracks, "track", "tracks");
                write!(f, "keys between frames in {tracks}: keys are resampled at {} a second", rounded(*fps))
            }
            Self::Armatures(names) => {
                write!(f, "which of {} armatures ({}) bones are of: they are one", names.len(), listed(names))
            }
            Self::Empties(names) => {
                write!(f, "{} ({})", count(names.len(), "empty", "empties"), listed(names))
            }
        }
    }
}
