//! What there is to say of a file.

use std::fmt;

use serde::{Serialize, Serializer};
use sinew::geometry::{Attribute, AttributeKind, Bounds, Domain};
use sinew_io::formats::Facts;

use crate::joints::JointReport;
use crate::warning::Warning;

/// What is in a file: meshes and what moves them, or joints without a mesh.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum InfoReport {
    /// A mesh, its motion, a rig.
    Mesh(Box<MeshReport>),
    /// Joints and their motion.
    Motion(MotionReport),
}

/// What is in a file that has vertices.
#[derive(Debug, Serialize)]
pub struct MeshReport {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Its size.
    pub bytes: u64,
    /// The program that made it, where it tells.
    pub generator: Option<String>,
    /// How many vertices.
    pub vertices: usize,
    /// Null where there is no mesh.
    pub faces: Option<usize>,
    /// Null where there is no mesh.
    pub triangles: Option<usize>,
    /// Sets of faces that hang together by vertices; null where there is no mesh.
    pub pieces: Option<usize>,
    /// Those pieces, counted from 0, where there are several.
    pub piece_list: Vec<PieceReport>,
    /// Parts that have names.
    pub parts: Vec<PartReport>,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Seconds from the first frame to the last.
    pub duration: f64,
    /// Clips of a rig.
    pub clips: Vec<ClipReport>,
    /// Null where there is no rig.
    pub bones: Option<usize>,
    /// The most on any vertex; null where there is no rig.
    pub influences: Option<usize>,
    /// Null where there is no rig.
    pub morph_targets: Option<usize>,
    /// Triangles of the levels of detail in a glTF file, the mesh itself first; empty without levels.
    pub levels: Vec<usize>,
    /// Shapes of the light that a glTF file has over its vertices; null without.
    pub light: Option<usize>,
    /// The joint tree, parents before children; null where the bones do not hang together.
    pub skeleton: Option<Vec<JointReport>>,
    /// What bones act on, in a .sinew file; null in others.
    pub motion: Option<&'static str>,
    /// Frames from which other weights are used; null but in a .sinew file of bones that act from pose to pose.
    pub weight_changes: Option<Vec<usize>>,
    /// The most negative weight; null where none is.
    pub smallest_weight: Option<f32>,
    /// Whether there are texture coordinates.
    pub uvs: bool,
    /// Further layers: UV sets after the first, colours, and what else the file holds.
    pub attributes: Vec<AttributeReport>,
    /// Whether there are shading normals.
    pub normals: bool,
    /// Names of materials.
    pub materials: Vec<String>,
    /// How many images.
    pub images: usize,
    /// Sides of the box around the rest pose, or the first frame.
    pub size: [f32; 3],
    /// What the file says about its unit; null where it says nothing.
    pub metres_per_unit: Option<f64>,
    /// Sides of the box around the rest pose in metres, where the file tells its unit.
    pub size_in_metres: Option<[f64; 3]>,
    /// Which axis the file says is up; null where it says nothing.
    pub up: Option<String>,
    /// Whether the file says that its axes are left-handed; null where it says nothing.
    pub left_handed: Option<bool>,
    /// Times of the first and the last frame, in seconds.
    pub times: Option<(f64, f64)>,
    /// What is worth knowing.
    pub notes: Vec<Note>,
    /// What would stand in the way of skinning, or surprise.
    pub problems: Vec<String>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// Coordinates that are not finite numbers.
    #[serde(skip)]
    pub broken: usize,
    /// The box around the rest pose.
    #[serde(skip)]
    pub bounds: Bounds,
    /// What the file says about its numbers.
    #[serde(skip)]
    pub facts: Facts,
}

/// A layer on a mesh.
#[derive(Debug, Serialize)]
pub struct AttributeReport {
    /// Its name.
    pub name: String,
    /// What it is: "uv", "color" or "custom".
    pub kind: &'static str,
    /// What has a value each: "vertex" or "corner".
    pub domain: &'static str,
    /// How many numbers a value has.
    pub width: usize,
}

impl From<&Attribute> for AttributeReport {
    fn from(attribute: &Attribute) -> Self {
        let kind = match attribute.kind {
            AttributeKind::Uv => "uv",
            AttributeKind::Color => "color",
            AttributeKind::Custom => "custom",
        };
        let domain = match attribute.domain {
            Domain::Vertex => "vertex",
            Domain::Corner => "corner",
        };
        Self { name: attribute.name.clone(), kind, domain, width: attribute.width }
    }
}

/// What is worth knowing about a file. In reports it is its sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// What the file says.
    File(String),
    /// Only the first frames were looked at.
    FirstFrames {
        /// So many.
        seen: usize,
        /// Of so many, where that is known.
        of: Option<usize>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(note) => f.write_str(note),
            Self::FirstFrames { seen, of } => {
                let of = of.map_or(String::new(), |frames| format!(" of {frames}"));
                write!(f, "the first {seen}{of} frames were looked at")
            }
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// A part of a mesh.
#[derive(Debug, Serialize)]
pub struct PartReport {
    /// Its name.
    pub name: String,
    /// How many vertices.
    pub vertices: usize,
    /// How many faces.
    pub faces: usize,
}

/// A piece of a mesh.
#[derive(Debug, Serialize)]
pub struct PieceReport {
    /// How many vertices.
    pub vertices: usize,
    /// How many faces.
    pub faces: usize,
    /// The part that its first vertex is in; null where parts have no names.
    pub part: Option<String>,
    /// The middle of its vertices in the rest pose.
    pub middle: [f32; 3],
}

/// A clip of a rig.
#[derive(Debug, Serialize)]
pub struct ClipReport {
    /// Its name.
    pub name: String,
    /// In seconds.
    pub duration: f64,
    /// Frames per second, where they are evenly spaced.
    pub fps: Option<f64>,
    /// How many keys.
    pub keys: usize,
}

/// What is in a file of joints without a mesh.
#[derive(Debug, Serialize)]
pub struct MotionReport {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// Its size.
    pub bytes: u64,
    /// The files that were read.
    pub source: String,
    /// How many frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Seconds from the first frame to the last.
    pub duration: f64,
    /// Parents before children.
    pub joints: Vec<MotionJoint>,
    /// Of the bind pose, in units of the file.
    pub height: f64,
    /// Null where the file does not tell.
    pub metres_per_unit: Option<f64>,
    /// The axis along which the figure seems to stand; null where that is not clear.
    pub stands_along: Option<String>,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// A joint of a file without a mesh.
#[derive(Debug, Serialize)]
pub struct MotionJoint {
    /// Its name.
    pub name: String,
    /// Number of the parent in the same list; null for a root.
    pub parent: Option<usize>,
    /// Where it is in the bind pose.
    pub place: [f64; 3],
}
