//! What a format cannot hold.

use std::fmt;

use serde::{Serialize, Serializer};
use sinew_io::formats::length;

use crate::words::{count, number};

/// What got lost on the way into another format. In reports it is its sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// So many bones: the rig was played.
    Bones(usize),
    /// So many faces, which go into a mesh beside the file.
    Faces(usize),
    /// Texture coordinates.
    Uvs,
    /// Shading normals.
    Normals,
    /// Materials, by name.
    Materials(Vec<String>),
    /// So many textures.
    Textures(usize),
    /// Parts, by name.
    Parts(Vec<String>),
    /// How many frames there are in a second.
    Rate(f64),
    /// How many metres a unit is.
    Unit(f64),
    /// Where these clips end.
    ClipEnds(Vec<String>),
    /// The name of the clip.
    ClipName(String),
    /// Clips after the first.
    LaterClips(Vec<String>),
    /// The rest pose, which goes into a mesh beside the file.
    Rest,
    /// The mesh, where only joints are kept.
    Mesh {
        /// Of so many vertices.
        vertices: usize,
    },
    /// So many levels of detail.
    Levels(usize),
    /// Baked light.
    Light,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bones(n) => {
                write!(f, "{} and the weights of the skin: the rig is played", count(*n, "bone", "bones"))
            }
            Self::Faces(n) => f.write_str(&count(*n, "face", "faces")),
            Self::Uvs => f.write_str("UVs"),
            Self::Normals => f.write_str("shading normals, and with them which edges are hard"),
            Self::Materials(names) => {
                write!(f, "{} ({})", count(names.len(), "material", "materials"), shortened(names))
            }
            Self::Textures(n) => f.write_str(&count(*n, "texture", "textures")),
            Self::Parts(names) => {
                write!(f, "names of {} ({})", count(names.len(), "part", "parts"), shortened(names))
            }
            Self::Rate(fps) => write!(f, "the frame rate, {} a second", number(*fps)),
            Self::Unit(metres) => write!(f, "the unit, {}: numbers are those of the source", length(*metres)),
            Self::ClipEnds(names) => {
                let clips = count(names.len(), "clip", "clips");
                write!(f, "where {clips} end ({}): they follow one another", shortened(names))
            }
            Self::ClipName(name) => write!(f, "the name of the clip, {name}"),
            Self::LaterClips(names) => write!(f, "clips after the first: {}", names.join(", ")),
            Self::Rest => f.write_str("the rest pose"),
            Self::Mesh { vertices } => {
                let vertices = count(*vertices, "vertex", "vertices");
                write!(f, "the mesh of {vertices}, and the weights of its skin")
            }
            Self::Levels(n) => f.write_str(&count(*n, "level of detail", "levels of detail")),
            Self::Light => f.write_str("light over the vertices"),
        }
    }
}

impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A few names of many.
fn shortened(names: &[String]) -> String {
    const MOST: usize = 5;
    let first = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{first} and {} more", names.len() - MOST) } else { first }
}
