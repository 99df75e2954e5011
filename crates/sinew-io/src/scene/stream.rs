//! Poses that come one after the other.

use std::path::Path;

use glam::Vec3;
use sinew::animation::{Clip, Frames, MeshAnimation};
use sinew::geometry::Mesh;
use sinew::nodes::{self, Node};
use sinew::progress::Progress;
use sinew::rig::{Rig, Skinner};

use super::facts::Facts;
use super::hung::freed;
use super::opened::{DEFAULT_FPS, Opened, bare};
use super::point_cache::CacheStream;
use super::sampled::SampledRig;
use crate::source::Source;
use crate::{Error, Result, Warning};

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
    /// What stands beside the mesh and moves no vertex, in all frames.
    pub nodes: Vec<Node>,
    /// How many bones move it, of a file with a rig.
    pub bones: Option<usize>,
    /// Whether nothing told a frame rate, and [`DEFAULT_FPS`] was taken.
    pub assumed_fps: bool,
    /// What the file says about its unit, axes and times; of several, what the first says.
    pub facts: Facts,
    /// What was found amiss when the file was opened.
    pub(crate) warnings: Vec<Warning>,
    pub(crate) vertex_count: usize,
    pub(crate) poses: Box<dyn Poses>,
}

/// Where the poses of a [`PoseStream`] come from.
pub trait Poses: Send {
    /// Writes the next pose into `out`, one place a vertex; `false` when there is none.
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool>;

    /// What was found amiss so far, where that shows only on the way.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }
}

impl Poses for CacheStream {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        Self::next_into(self, out)
    }
}

/// A rig, its skin, and the next frame.
struct Played(Rig, Skinner, usize);

impl Poses for Played {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        let Self(rig, skinner, next) = self;
        if *next == rig.frame_count() {
            return Ok(false);
        }
        skinner.pose_into(rig.frame_transforms(*next), rig.frame_coefficients(*next), out);
        *next += 1;
        Ok(true)
    }
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
        self.poses.next_into(out)
    }

    /// What was found amiss so far.
    pub fn warnings(&self) -> Vec<Warning> {
        [self.warnings.clone(), self.poses.warnings()].concat()
    }

    /// What was opened, with these frames.
    pub(crate) fn into_opened(self, frames: Frames) -> Opened {
        let warnings = self.warnings();
        let Self { mesh, rest, fps, clip, clips, nodes, source, input_bytes, assumed_fps, facts, .. } = self;
        let nodes = nodes::in_frames(&nodes, &(0..frames.len()).collect::<Vec<_>>());
        let animation = MeshAnimation { mesh, rest, frames, fps, clips, nodes };
        Opened { animation, warnings, source, input_bytes, clip, assumed_fps, facts }
    }

    /// A stream of `poses` of so many vertices, with nothing else known.
    pub fn new(mesh: Mesh, vertex_count: usize, source: String, poses: Box<dyn Poses>) -> Self {
        Self {
            mesh,
            rest: None,
            fps: DEFAULT_FPS,
            frame_count: None,
            source,
            input_bytes: 0,
            clip: None,
            clips: Vec::new(),
            nodes: Vec::new(),
            bones: None,
            assumed_fps: false,
            facts: Facts::default(),
            warnings: Vec::new(),
            vertex_count,
            poses,
        }
    }

    /// The same with what was found amiss.
    #[must_use]
    pub fn with_warnings(self, warnings: Vec<Warning>) -> Self {
        Self { warnings, ..self }
    }

    /// The poses of a cache, which has no faces.
    pub(crate) fn of_cache(source: &Source, cache: CacheStream) -> Self {
        let vertices = cache.vertex_count;
        let mesh = bare(vertices);
        let (frames, fps, warnings) = (cache.frame_count, cache.fps, cache.warnings.clone());
        let stream = Self::new(mesh, vertices, source.name(), Box::new(cache)).with_warnings(warnings);
        let assumed_fps = fps.is_none();
        let facts = Facts { fps, ..Facts::default() };
        Self { frame_count: Some(frames), fps: fps.unwrap_or(DEFAULT_FPS), assumed_fps, facts, ..stream }
    }

    /// The poses of a rig.
    pub fn of_rig(source: &Source, SampledRig { rig, warnings, clip, facts, .. }: SampledRig) -> Self {
        let (mesh, rest) = (rig.mesh.clone(), Some(rig.rest.clone()));
        let (vertices, frames, fps) = (rig.rest.len(), rig.frame_count(), rig.fps);
        let (bones, clips, nodes) = (Some(rig.bones.len()), rig.clips.clone(), freed(&rig));
        let skinner = Skinner::new(&rig);
        let poses = Box::new(Played(rig, skinner, 0));
        let stream = Self::new(mesh, vertices, source.name(), poses).with_warnings(warnings);
        Self { rest, fps, frame_count: Some(frames), clip, clips, nodes, bones, facts, ..stream }
    }

    /// Takes all poses into memory. `path` is for messages.
    pub(crate) fn all(mut self, path: &Path, progress: &dyn Progress) -> Result<Opened> {
        let mut flat: Vec<f32> = Vec::new();
        let (mut pose, mut count) = (vec![Vec3::ZERO; self.vertex_count()], 0);
        let beyond = || Error::unsupported(path, "the poses of all frames do not fit into memory");
        if let Some(frames) = self.frame_count {
            let floats =
                pose.len().checked_mul(3).and_then(|each| each.checked_mul(frames)).ok_or_else(beyond)?;
            flat.try_reserve_exact(floats).map_err(|_| beyond())?;
        }
        while self.next_into(&mut pose)? {
            flat.try_reserve(3 * pose.len()).map_err(|_| beyond())?;
            flat.extend_from_slice(bytemuck::cast_slice(&pose));
            count += 1;
            if let Some(frames) = self.frame_count {
                progress.advance(f64::from(count as u32) / frames.max(1) as f64);
            }
            if progress.cancelled() {
                let source = std::io::Error::new(std::io::ErrorKind::Interrupted, "reading was cancelled");
                return Err(Error::Io { path: path.into(), source });
            }
        }
        Ok(self.into_opened(Frames::new(flat, count, pose.len())))
    }
}
