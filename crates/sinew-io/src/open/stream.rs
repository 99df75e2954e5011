//! From whatever a user names to poses that come one after the other.

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::{Clip, Frames, MeshAnimation};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::{Rig, Skinner};

use super::clips::{self, Part};
use super::{
    Beside, DEFAULT_FPS, OpenOptions, Opened, Source, file_bytes, gather, name, rest_beside, stored,
};
use crate::room::room;
use crate::scene::{Facts, SampledRig};
use crate::sequence::SequenceStream;
use crate::{CacheStream, Error, Result, StaticMesh};

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
    /// Whether nothing told a frame rate, and [`DEFAULT_FPS`] was taken.
    pub assumed_fps: bool,
    /// What the source says about its numbers.
    pub facts: Facts,
    /// What was found amiss when the file was opened, as sentences for people.
    pub(crate) warnings: Vec<String>,
    pub(crate) vertex_count: usize,
    pub(crate) poses: Box<dyn Poses>,
}

/// Where the poses of a [`PoseStream`] come from.
pub trait Poses: Send {
    /// Writes the next pose into `out`, one place a vertex; `false` when there is none.
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool>;

    /// What was found amiss so far, where that shows only on the way.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Poses for CacheStream {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        Self::next_into(self, out)
    }
}

impl Poses for SequenceStream {
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

/// Opens an animation to read it pose by pose; several inputs are clips, one after the other. A point cache needs a
/// rest mesh.
///
/// Files with clips are themselves held in memory; of a `.sinew` file, only what comes before its frames.
pub fn stream(inputs: &[PathBuf], options: &OpenOptions) -> Result<PoseStream> {
    let stream = poses_of(inputs, options)?;
    match inputs {
        [path, ..] if options.rest.is_none() && stream.mesh.face_count() == 0 => Err(super::needs_rest(path)),
        _ => Ok(stream),
    }
}

/// Like [`stream`], but a point cache needs no rest mesh: without one, the mesh has no faces.
pub fn poses(input: &Path, options: &OpenOptions) -> Result<PoseStream> {
    poses_of(&[input.to_path_buf()], options)
}

/// The first so many poses of a stream in memory, and how many there are in all, where that is known.
pub fn first_poses(mut stream: PoseStream, most: usize) -> Result<(Opened, Option<usize>)> {
    let all = stream.frame_count;
    let (mut flat, mut pose, mut count) = (Vec::new(), vec![Vec3::ZERO; stream.vertex_count], 0);
    while count < most && stream.next_into(&mut pose)? {
        flat.extend_from_slice(bytemuck::cast_slice(&pose));
        count += 1;
    }
    Ok((stream.into_opened(Frames::new(flat, count, pose.len())), all))
}

/// Those poses of a stream in memory whose frames are `chosen`, in ascending order and at least one of every clip.
/// All poses go by: `seen` is shown each with its number.
pub fn chosen_poses<E: From<Error>>(
    mut stream: PoseStream,
    chosen: &[usize],
    mut seen: impl FnMut(usize, &[Vec3]) -> std::result::Result<(), E>,
) -> std::result::Result<Opened, E> {
    let path = PathBuf::from(&stream.source);
    let mut flat = room(chosen.len(), stream.vertex_count, &path)?;
    let (mut pose, mut frame) = (vec![Vec3::ZERO; stream.vertex_count], 0);
    let mut wanted = chosen.iter().peekable();
    while stream.next_into(&mut pose)? {
        seen(frame, &pose)?;
        if wanted.next_if_eq(&&frame).is_some() {
            flat.extend_from_slice(bytemuck::cast_slice(&pose));
        }
        frame += 1;
    }
    if let Some(missing) = wanted.next() {
        return Err(Error::malformed(&path, format!("frame {missing} is missing, there are {frame}")).into());
    }
    let before = |frame: usize| chosen.partition_point(|&c| c < frame);
    stream.clips.iter_mut().for_each(|c| c.frames = before(c.frames.start)..before(c.frames.end));
    Ok(stream.into_opened(Frames::new(flat, chosen.len(), pose.len())))
}

fn poses_of(inputs: &[PathBuf], options: &OpenOptions) -> Result<PoseStream> {
    if let Some(first) = inputs.first() {
        stored::check_fps(first, options.fps)?;
    }
    let mut sources = gather(inputs)?;
    let mut stream = match sources.len() {
        1 => stream_of(&sources.remove(0).1, options)?,
        _ => {
            let part = |(path, source)| Ok(Part { opened: stream_of(&source, options)?, path });
            clips::join_streams(sources.into_iter().map(part).collect::<Result<_>>()?)?
        }
    };
    if let Some(fps) = options.fps {
        stream.assumed_fps = false;
        stream.fps = fps;
        stream.clips.iter_mut().for_each(|c| c.fps = fps);
    }
    if let Some(path) = &options.rest {
        stream.put_rest(path, options)?;
    }
    Ok(stream)
}

fn stream_of(source: &Source, options: &OpenOptions) -> Result<PoseStream> {
    match source {
        Source::Meshes(files) => Ok(meshes(files)?.said(&options.said)),
        Source::File(path, format) => {
            let stream = format.reader.stream(path, options)?;
            let input_bytes = stream.input_bytes.max(file_bytes(path)?);
            Ok(PoseStream { input_bytes, ..stream }.said(&options.said))
        }
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

    /// What was found amiss so far, as sentences for people.
    pub fn warnings(&self) -> Vec<String> {
        [self.warnings.clone(), self.poses.warnings()].concat()
    }

    /// What was opened, with these frames.
    pub(crate) fn into_opened(self, frames: Frames) -> Opened {
        let warnings = self.warnings();
        let Self { mesh, rest, fps, clip, clips, source, input_bytes, assumed_fps, facts, .. } = self;
        let animation = MeshAnimation { mesh, rest, frames, fps, clips };
        Opened { animation, warnings, source, input_bytes, clip, assumed_fps, facts }
    }

    /// Gives the animation the mesh and pose of another file.
    fn put_rest(&mut self, path: &Path, options: &OpenOptions) -> Result<()> {
        let (facts, source) = (self.facts.clone(), self.source.clone());
        let (vertices, faces) = (self.vertex_count, self.mesh.face_count());
        let beside = Beside { vertices, faces, source: &source, facts: &facts };
        let size = || Ok(self.first_pose()?.map_or(0.0, |pose| Bounds::of(&pose).diagonal()));
        let (rest, metres) = rest_beside(path, options, &beside, size)?;
        self.facts.metres_per_unit = metres;
        self.mesh = rest.mesh;
        self.rest = Some(rest.positions);
        self.warnings.extend(rest.warnings);
        self.source = format!("{} on {}", self.source, name(path));
        self.input_bytes += super::file_bytes(path)?;
        Ok(())
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
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// The poses of a cache, which has no faces.
    pub(crate) fn of_cache(path: &Path, cache: CacheStream) -> Self {
        let vertices = cache.vertex_count;
        let mesh = super::bare(vertices);
        let (frames, fps, warnings) = (cache.frame_count, cache.fps, cache.warnings.clone());
        let stream = Self::new(mesh, vertices, name(path), Box::new(cache)).with_warnings(warnings);
        let (assumed_fps, facts) = (fps.is_none(), Facts { fps, ..Facts::default() });
        Self { frame_count: Some(frames), fps: fps.unwrap_or(DEFAULT_FPS), assumed_fps, facts, ..stream }
    }

    /// The poses of a rig.
    pub fn of_rig(path: &Path, sampled: SampledRig) -> Self {
        let SampledRig { rig, warnings, clip, facts, .. } = sampled;
        let (mesh, rest) = (rig.mesh.clone(), Some(rig.rest.clone()));
        let (vertices, frames, fps) = (rig.rest.len(), rig.frame_count(), rig.fps);
        let (bones, clips) = (Some(rig.bones.len()), rig.clips.clone());
        let skinner = Skinner::new(&rig);
        let poses = Box::new(Played(rig, skinner, 0));
        let stream = Self::new(mesh, vertices, name(path), poses).with_warnings(warnings);
        Self { rest, fps, frame_count: Some(frames), clip, clips, bones, facts, ..stream }
    }
}

fn meshes(files: &[PathBuf]) -> Result<PoseStream> {
    let sequence = SequenceStream::open(files.to_vec())?;
    let StaticMesh { mesh, warnings, facts, .. } = sequence.first.clone();
    let (vertices, frames) = (mesh.vertex_count, sequence.frame_count());
    let stream = PoseStream::new(mesh, vertices, super::names(files), Box::new(sequence));
    let input_bytes = files.iter().map(|f| file_bytes(f)).sum::<Result<u64>>()?;
    let stream = stream.with_warnings(warnings);
    Ok(PoseStream { frame_count: Some(frames), assumed_fps: true, input_bytes, facts, ..stream })
}
