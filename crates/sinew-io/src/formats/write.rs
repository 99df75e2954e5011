//! Writing, whatever the format.

use std::path::Path;

use glam::Vec3;
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::light::Light;
use sinew::rig::Rig;

use super::Facts;
use crate::{Error, Result, Target, Warning};

/// What a file of poses holds besides them.
pub struct PoseSet<'a> {
    /// Faces, UVs, materials. Without faces of a bare cache.
    pub mesh: &'a Mesh,
    /// The pose that came with the mesh, when it is not just the first frame.
    pub rest: Option<&'a [Vec3]>,
    /// How many poses there are.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Where the poses are of several motions: which are of which. All one motion when empty.
    pub clips: &'a [Clip],
    /// Name of the motion where it is one.
    pub clip: Option<&'a str>,
    /// What is known of units and times. Positions have y up.
    pub facts: &'a Facts,
}

/// Fills in the pose of the frame it is given. Frames are asked for in order, each once. An error ends the
/// writing, and leaves nothing behind.
pub type NextPose<'a> = &'a mut dyn FnMut(usize, &mut [Vec3]) -> std::io::Result<()>;

/// How a rig is written.
#[derive(Clone, Default)]
pub struct RigOptions<'a> {
    /// Name of the clip, of a rig that states no clips.
    pub clip: Option<&'a str>,
    /// Whether the mesh's shading normals are those of the rig's rest pose, and stored as they are.
    pub keep_normals: bool,
    /// Store less, with no vertex of any frame off by more than this fraction of the rest pose's diagonal.
    pub compact: Option<f64>,
    /// Pack numbers of few bits, where the format can.
    pub pack: bool,
    /// Light over the vertices in all frames.
    pub light: Option<&'a Light>,
    /// What is known of units and times. Positions have y up.
    pub facts: Facts,
}

/// A file that was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Size of all its files.
    pub bytes: u64,
    /// What could not be stored as it is. What [`super::Format::keeps`] says is lost
    /// need not be repeated.
    pub warnings: Vec<Warning>,
    /// How many joints it has, of rigs in formats in which a bone can take several.
    pub joints: Option<usize>,
}

impl From<u64> for Written {
    fn from(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }
}

/// What is written.
pub enum Content<'a> {
    /// A mesh in one pose, for formats in which each file is one.
    Mesh(&'a Mesh, &'a [Vec3]),
    /// Poses, one after the other, for formats that hold any number.
    Poses(&'a PoseSet<'a>, NextPose<'a>),
    /// A rig.
    Rig(&'a Rig, &'a RigOptions<'a>),
    /// The joints of a rig and their motion in one clip, for formats without a mesh.
    Joints(&'a Rig, &'a Clip),
}

/// Writes files of one format: what [`super::Format::writes`] says it can hold. Each method returns what could not be
/// stored as it is. [`super::Format::save`] and [`super::Format::to_bytes`] call it.
pub trait Writer: Sync {
    /// A mesh in one pose.
    fn mesh(&self, to: &mut Target, _mesh: &Mesh, _positions: &[Vec3]) -> Result<Vec<Warning>> {
        Err(not_written(to.path(), "single meshes"))
    }

    /// Poses, one after the other.
    fn poses(&self, to: &mut Target, _set: &PoseSet, _next: NextPose) -> Result<Vec<Warning>> {
        Err(not_written(to.path(), "poses"))
    }

    /// A rig.
    fn rig(&self, to: &mut Target, _rig: &Rig, _options: &RigOptions) -> Result<Vec<Warning>> {
        Err(not_written(to.path(), "rigs"))
    }

    /// The joints of a rig and their motion.
    fn joints(&self, to: &mut Target, _rig: &Rig, _clip: &Clip) -> Result<Vec<Warning>> {
        Err(not_written(to.path(), "joints"))
    }
}

fn not_written(path: &Path, what: &str) -> Error {
    Error::unsupported(path, format!("{what} cannot be written in this format"))
}

/// Writes nothing: of formats that are only read.
pub struct Unwritten;

impl Writer for Unwritten {}

/// Hands what is written to the method for it.
pub(super) fn put(writer: &dyn Writer, to: &mut Target, content: Content) -> Result<Vec<Warning>> {
    match content {
        Content::Mesh(mesh, positions) => writer.mesh(to, mesh, positions),
        Content::Poses(set, next) => writer.poses(to, set, next),
        Content::Rig(rig, options) => writer.rig(to, rig, options),
        Content::Joints(rig, clip) => writer.joints(to, rig, clip),
    }
}
