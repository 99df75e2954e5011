//! From whatever a user names to poses that come one after the other.

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::rig::{Rig, Skinner};

use super::{DEFAULT_FPS, Format, OpenOptions, Source, gather, name, scaled_rest, stored};
use crate::glb::SampledRig;
use crate::sequence::SequenceStream;
use crate::{CacheStream, Error, Result, StaticMesh, mdd, pc2};

/// An animation of which one pose at a time is in memory.
pub struct PoseStream {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The pose that came with the mesh, when it is not just the first frame.
    pub rest: Option<Vec<Vec3>>,
    /// Frames per second.
    pub fps: f64,
    /// How many frames there are, where that is known before they are read.
    pub frame_count: Option<usize>,
    /// The source in a few words, such as "anim.pc2 on rest.obj".
    pub source: String,
    /// Size of all files that were named or found.
    pub input_bytes: u64,
    /// The clip that is played, of a file with clips; `None` of several.
    pub clip: Option<String>,
    /// Where the poses are of several motions: which are of which. All one motion when empty.
    pub clips: Vec<Clip>,
    /// How many bones move it, of a file with a rig.
    pub bones: Option<usize>,
    warnings: Vec<String>,
    vertex_count: usize,
    poses: Poses,
}

pub(super) enum Poses {
    Cache(CacheStream),
    Meshes(SequenceStream),
    /// A rig and the next frame.
    Rig(Box<Rig>, Box<Skinner>, usize),
    Sinew(Box<stored::ClipPoses>),
}

/// Opens an animation to read it pose by pose. A point cache needs a rest mesh.
///
/// Files with clips are themselves held in memory; of a `.sinew` file, only what comes before its frames.
pub fn stream(inputs: &[PathBuf], options: &OpenOptions) -> Result<PoseStream> {
    let sources = gather(inputs)?;
    let [(_, source)] = &sources[..] else {
        let message =
            "several inputs are several clips, but poses can be taken one by one from a single one only";
        let first = inputs.first().map(PathBuf::as_path).unwrap_or(Path::new("."));
        return Err(Error::unsupported(first, message));
    };
    stored::check_fps(&inputs[0], options.fps)?;
    let mut stream = match source {
        Source::Cache(path, format) => cache(path, *format)?,
        Source::Meshes(files) => meshes(files)?,
        Source::Gltf(path) => gltf(path, options)?,
        Source::Sinew(path) => stored::stream(path, options)?,
    };
    stream.input_bytes = source.bytes()?;
    if let Some(fps) = options.fps {
        stream.fps = fps;
        stream.clips.iter_mut().for_each(|c| c.fps = fps);
    }
    if let Some(path) = &options.rest {
        stream.put_rest(path, options.rest_scale)?;
    } else if stream.mesh.face_count() == 0
        && let [path] = inputs
    {
        return Err(super::needs_rest(path));
    }
    Ok(stream)
}

impl PoseStream {
    /// Vertices in every frame.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Writes the next pose into `out`, one place a vertex; `false` when there is none.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        match &mut self.poses {
            Poses::Cache(cache) => cache.next_into(out),
            Poses::Meshes(sequence) => sequence.next_into(out),
            Poses::Sinew(poses) => poses.next_into(out),
            Poses::Rig(rig, skinner, next) => {
                if *next == rig.frame_count() {
                    return Ok(false);
                }
                skinner.pose_into(rig.frame_transforms(*next), rig.frame_coefficients(*next), out);
                *next += 1;
                Ok(true)
            }
        }
    }

    /// What was found amiss so far, as sentences for people.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        if let Poses::Sinew(poses) = &self.poses {
            warnings.extend(poses.warnings());
        }
        warnings
    }

    /// Gives the animation the mesh and pose of another file.
    fn put_rest(&mut self, path: &Path, scale: Option<f64>) -> Result<()> {
        let faces = self.mesh.face_count();
        let rest = scaled_rest(path, scale, self.vertex_count, faces, &self.source)?;
        self.mesh = rest.mesh;
        self.rest = Some(rest.positions);
        self.warnings.extend(rest.warnings);
        self.source = format!("{} on {}", self.source, name(path));
        self.input_bytes += super::file_bytes(path)?;
        Ok(())
    }

    pub(super) fn new(mesh: Mesh, vertex_count: usize, source: String, poses: Poses) -> Self {
        Self {
            mesh,
            rest: None,
            fps: DEFAULT_FPS,
            frame_count: None,
            source,
            input_bytes: 0,
            clip: None,
            clips: Vec::new(),
            bones: None,
            warnings: Vec::new(),
            vertex_count,
            poses,
        }
    }
}

fn cache(path: &Path, format: Format) -> Result<PoseStream> {
    let cache = if format == Format::Pc2 { pc2::stream(path)? } else { mdd::stream(path)? };
    let vertices = cache.vertex_count;
    let mesh = Mesh { vertex_count: vertices, face_starts: vec![0], ..Mesh::default() };
    let (frames, fps, warnings) = (cache.frame_count, cache.fps, cache.warnings.clone());
    let stream = PoseStream::new(mesh, vertices, name(path), Poses::Cache(cache));
    Ok(PoseStream { frame_count: Some(frames), fps: fps.unwrap_or(DEFAULT_FPS), warnings, ..stream })
}

fn meshes(files: &[PathBuf]) -> Result<PoseStream> {
    let sequence = SequenceStream::open(files.to_vec())?;
    let StaticMesh { mesh, warnings, .. } = sequence.first.clone();
    let (vertices, frames) = (mesh.vertex_count, sequence.frame_count());
    let stream = PoseStream::new(mesh, vertices, super::names(files), Poses::Meshes(sequence));
    Ok(PoseStream { frame_count: Some(frames), warnings, ..stream })
}

fn gltf(path: &Path, options: &OpenOptions) -> Result<PoseStream> {
    let SampledRig { rig, warnings, clip, .. } = super::rig(path, &options.sampling())?;
    let (mesh, rest) = (rig.mesh.clone(), Some(rig.rest.clone()));
    let (vertices, frames, fps) = (rig.rest.len(), rig.frame_count(), rig.fps);
    let (bones, clips) = (Some(rig.bones.len()), rig.clips.clone());
    let skinner = Box::new(Skinner::new(&rig));
    let poses = Poses::Rig(Box::new(rig), skinner, 0);
    let stream = PoseStream::new(mesh, vertices, name(path), poses);
    Ok(PoseStream { rest, fps, frame_count: Some(frames), clip, clips, bones, warnings, ..stream })
}
