//! What a format cannot hold.

use std::fmt;

use serde::{Serialize, Serializer};
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew_io::formats::{Format, Keeps};

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

/// What there is besides positions.
pub struct Content<'a> {
    pub mesh: &'a Mesh,
    /// Whether there is a rest pose that is not just the first frame.
    pub rest: bool,
    /// The frame rate, where the input tells it.
    pub told_fps: Option<f64>,
    pub clips: &'a [Clip],
    /// Name of a single clip.
    pub clip: Option<&'a str>,
    /// Bones of a rig that is played.
    pub bones: Option<usize>,
    pub frames: usize,
}

/// What of it gets lost in a file of this format, and of another that is written with it.
pub fn list(content: &Content, format: &Format, beside: Option<&Format>) -> Vec<Loss> {
    let mesh = content.mesh;
    let kept = |is: fn(&Keeps) -> bool| is(&format.keeps) || beside.is_some_and(|other| is(&other.keeps));
    let mut lost = Vec::new();
    lost.extend(content.bones.filter(|_| !format.writes.rig).map(Loss::Bones));
    if mesh.face_count() > 0 && !format.writes.faces && beside.is_none() {
        lost.push(Loss::Faces(mesh.face_count()));
    }
    if mesh.uvs.is_some() && !kept(|k| k.uvs) {
        lost.push(Loss::Uvs);
    }
    if mesh.normals.is_some() && !kept(|k| k.normals) {
        lost.push(Loss::Normals);
    }
    if !mesh.materials.is_empty() && !kept(|k| k.materials) {
        lost.push(Loss::Materials(mesh.materials.iter().map(|m| m.name.clone()).collect()));
    }
    if !mesh.images.is_empty() && !kept(|k| k.textures) {
        lost.push(Loss::Textures(mesh.images.len()));
    }
    if !mesh.parts.is_empty() && !kept(|k| k.parts) {
        lost.push(Loss::Parts(mesh.parts.iter().map(|p| p.name.clone()).collect()));
    }
    lost.extend(content.told_fps.filter(|_| content.frames > 1 && !format.keeps.fps).map(Loss::Rate));
    if content.clips.len() > 1 && !format.keeps.clips {
        lost.push(Loss::ClipEnds(content.clips.iter().map(|c| c.name.clone()).collect()));
    } else if let Some(name) = content.clip.filter(|name| !name.is_empty() && !format.keeps.clips) {
        lost.push(Loss::ClipName(name.into()));
    }
    if content.rest && !format.keeps.rest && beside.is_none() {
        lost.push(Loss::Rest);
    }
    lost
}

/// A few names of many.
fn shortened(names: &[String]) -> String {
    const MOST: usize = 5;
    let first = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{first} and {} more", names.len() - MOST) } else { first }
}
