//! What a format cannot hold.

use std::fmt;

use serde::{Serialize, Serializer};
use sinew_io::formats::length;
use sinew_io::warning::Unkept;

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
    /// UV sets after the first, by name.
    UvSets(Vec<String>),
    /// Colours of vertices, by name.
    Colors(Vec<String>),
    /// Attributes of vertices that are neither, by name.
    Attributes(Vec<String>),
    /// Empties, cameras and lights, by name.
    Nodes(Vec<String>),
    /// The name of the object that holds the bones.
    Armature(String),
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
    /// So many correction shapes.
    Corrections(usize),
    /// Baked light.
    Light,
    /// What is not read of a file.
    Unread(Unkept),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bones(n) => {
                write!(f, "{} and the weights of the skin: the rig is played", count(*n, "bone", "bones"))
            }
            Self::Faces(n) => f.write_str(&count(*n, "face", "faces")),
            Self::Uvs => f.write_str("UVs"),
            Self::UvSets(names) => {
                write!(
                    f,
                    "{} after the first ({})",
                    count(names.len(), "UV set", "UV sets"),
                    shortened(names)
                )
            }
            Self::Colors(names) => write!(f, "colours of vertices ({})", shortened(names)),
            Self::Attributes(names) => {
                let attributes = count(names.len(), "attribute", "attributes");
                write!(f, "{attributes} of vertices ({})", shortened(names))
            }
            Self::Nodes(names) => {
                let nodes = count(names.len(), "empty, camera or light", "empties, cameras and lights");
                write!(f, "{nodes} ({})", shortened(names))
            }
            Self::Armature(name) => write!(f, "the armature's name, {name}"),
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
            Self::Corrections(n) => f.write_str(&count(*n, "correction shape", "correction shapes")),
            Self::Light => f.write_str("light over the vertices"),
            Self::Unread(unkept) => unkept.fmt(f),
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
