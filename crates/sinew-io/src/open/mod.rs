//! From whatever a user names to an animation or a rig.
//!
//! | given                                         | becomes                                          |
//! | --------------------------------------------- | ------------------------------------------------ |
//! | a point cache and a rest mesh                 | the cache's poses on the mesh                    |
//! | a folder or pattern of meshes                 | one pose a file, in natural order                |
//! | several meshes                                | the same                                         |
//! | one mesh                                      | one pose                                         |
//! | a file of poses with faces                    | its poses                                        |
//! | a rig                                         | one or more of its clips, played                 |
//! | several of these, other than single meshes    | one clip each, all on one mesh                   |
//!
//! Which formats these are is in the table of [`crate::formats`].

mod clips;
mod rest;
mod said;
pub(crate) mod stored;
mod stream;
pub mod units;

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::{AnimationError, Frames, MeshAnimation};
use sinew::geometry::{Mesh, corner_normals};
use sinew::lod::Level;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};

use clips::Part;
pub use rest::rest;
use rest::{Beside, needs_rest, rest_beside};
pub use stream::{PoseStream, Poses, chosen_poses, first_poses, poses, stream};

pub use crate::formats::Format;
use crate::formats::sinew_file::Contents;
use crate::formats::{self, Facts, Said};
use crate::room::room;
use crate::scene::{SampleOptions, SampledRig};
use crate::{Error, PointCache, Result, StaticMesh, sequence};

/// Frame rate of caches and sequences that tell none: that of film.
pub const DEFAULT_FPS: f64 = 24.0;

/// How inputs become an animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// The mesh that goes with a point cache. With other inputs: a pose, UVs and materials instead of
    /// their own.
    pub rest: Option<PathBuf>,
    /// The rest mesh is scaled by this first; without, by what its unit is in that of the animation.
    pub rest_scale: Option<f64>,
    /// Frames per second; glTF clips are sampled at it. Without: what the file says, or 24.
    pub fps: Option<f64>,
    /// Clips of glTF and `.sinew` files, by name or number, or "all". The first of each file without.
    pub clips: Vec<String>,
    /// Whether vertices of a glTF file that are alike become one; see [`SampleOptions::weld`].
    pub weld: Option<bool>,
    /// What is said about the numbers of the inputs.
    pub said: Said,
}

impl OpenOptions {
    /// The same for files that are read as rigs.
    pub fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clips.clone(), fps: self.fps, weld: self.weld }
    }
}

/// An opened animation and where it came from.
#[derive(Debug)]
pub struct Opened {
    /// The animation. Not yet validated.
    pub animation: MeshAnimation,
    /// What was found amiss, as sentences for people.
    pub warnings: Vec<String>,
    /// The source in a few words, such as "anim.pc2 on rest.obj".
    pub source: String,
    /// Size of all files that were named or found.
    pub input_bytes: u64,
    /// The clip that was sampled, of a file with clips; `None` of several, which the animation names.
    pub clip: Option<String>,
    /// Whether nothing told a frame rate, and [`DEFAULT_FPS`] was taken.
    pub assumed_fps: bool,
    /// What the source says about its numbers.
    pub facts: Facts,
}

/// Tells the format of a file: by content first, by the ending of its name second.
pub fn format(path: &Path) -> Result<&'static Format> {
    formats::tell(path)
}

/// What a file says about its units, axes and times. A folder says nothing.
pub fn facts(path: &Path) -> Result<Facts> {
    if path.is_file() { format(path)?.reader.facts(path) } else { Ok(Facts::default()) }
}

/// Opens an animation. A point cache needs a rest mesh.
pub fn animation(inputs: &[PathBuf], options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
    let is_cache = |path: &PathBuf| path.is_file() && format(path).is_ok_and(Format::is_cache);
    if let [path, ..] = inputs
        && options.rest.is_none()
        && inputs.iter().all(is_cache)
    {
        return Err(needs_rest(path));
    }
    let opened = motion(inputs, options, progress)?;
    match inputs {
        // Some formats hold faces or do not.
        [path, ..] if options.rest.is_none() && opened.animation.mesh.face_count() == 0 => {
            Err(needs_rest(path))
        }
        _ => Ok(opened),
    }
}

/// Like [`animation`], but a point cache needs no rest mesh: without one, the mesh has no faces.
pub fn motion(inputs: &[PathBuf], options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
    let mut sources = gather(inputs)?;
    let mut opened = match sources.len() {
        1 => open_source(&sources.remove(0).1, options, progress)?,
        _ => {
            let mut parts = Vec::new();
            let mut bytes = 0;
            for (path, source) in sources {
                let opened = open_source(&source, options, progress)?;
                bytes += opened.input_bytes;
                parts.push(Part { path, opened });
            }
            Opened { input_bytes: bytes, ..clips::join(parts)? }
        }
    };
    if let Some(fps) = options.fps {
        opened.assumed_fps = false;
        opened.animation.fps = fps;
        opened.animation.clips.iter_mut().for_each(|c| c.fps = fps);
    }
    if let Some(path) = &options.rest {
        opened.put_rest(path, options)?;
    }
    Ok(opened)
}

/// Opens a file as a rig. A frame rate given for a `.sinew` file replaces the one it has: its frames stay as
/// they are.
pub fn rig(path: &Path, options: &SampleOptions) -> Result<SampledRig> {
    rig_format(path)?.reader.rig(path, options)
}

/// Like [`rig`], with the levels of detail of a file that has any, the finest first.
pub fn rig_and_levels(path: &Path, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
    rig_format(path)?.reader.rig_and_levels(path, options)
}

/// Like [`rig`], for those who can also use bones that carry each pose to the next.
pub fn rig_or_chain(path: &Path, options: &SampleOptions) -> Result<Contents> {
    rig_format(path)?.reader.rig_or_chain(path, options)
}

/// The format of a file that should hold a rig.
fn rig_format(path: &Path) -> Result<&'static Format> {
    let format = format(path)?;
    if format.reads.rig {
        return Ok(format);
    }
    let holders = formats::list("and", |f| f.reads.rig);
    Err(Error::unsupported(path, format!("{} holds no rig; {holders} files do", format.one())))
}

/// What the inputs are.
enum Source {
    Meshes(Vec<PathBuf>),
    File(PathBuf, &'static Format),
}

fn open_source(source: &Source, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
    match source {
        Source::Meshes(files) => Ok(meshes(files, progress)?.said(&options.said)),
        Source::File(path, format) => {
            let opened = format.reader.animation(path, options, progress)?;
            let input_bytes = opened.input_bytes.max(file_bytes(path)?);
            Ok(Opened { input_bytes, ..opened }.said(&options.said))
        }
    }
}

/// What the inputs are, one for each clip, with the paths they were named by.
fn gather(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, Source)>> {
    if let [path] = inputs {
        return Ok(vec![(path.clone(), one(path)?)]);
    }
    let is_mesh = |path: &PathBuf| -> Result<bool> { Ok(path.is_file() && format(path)?.reads.is_frame()) };
    let meshes: Vec<bool> = inputs.iter().map(is_mesh).collect::<Result<_>>()?;
    if meshes.iter().all(|m| *m) {
        // Several meshes are frames. Shells sort patterns letter by letter, so they are put in natural order.
        let mut files = inputs.to_vec();
        files.sort_by(|a, b| sequence::natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
        let first = files.first().cloned().unwrap_or_default();
        return Ok(vec![(first, Source::Meshes(files))]);
    }
    if let (Some(frame), Some(clip)) = (meshes.iter().position(|m| *m), meshes.iter().position(|m| !*m)) {
        let message = format!(
            "one mesh is a frame, but {} is a clip: name the frames of a clip by their folder or a pattern, \
             and the mesh that goes with point caches with --rest",
            inputs[clip].display()
        );
        return Err(Error::unsupported(&inputs[frame], message));
    }
    inputs.iter().map(|path| Ok((path.clone(), one(path)?))).collect()
}

fn one(path: &Path) -> Result<Source> {
    if !path.is_file() {
        return Ok(Source::Meshes(sequence::list(path)?));
    }
    let format = format(path)?;
    match format.reads {
        holds if holds.is_frame() => Ok(Source::Meshes(vec![path.into()])),
        holds if holds.poses => Ok(Source::File(path.into(), format)),
        _ => {
            let message = format!("{} holds joints that move, but no mesh", format.one());
            Err(Error::unsupported(path, message))
        }
    }
}

pub(crate) fn file_bytes(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path).map_err(Error::io(path))?.len())
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A mesh of loose vertices.
pub(crate) fn bare(vertex_count: usize) -> Mesh {
    Mesh { vertex_count, face_starts: vec![0], ..Mesh::default() }
}

impl Opened {
    /// The poses of a cache, which has no faces.
    pub(crate) fn of_cache(path: &Path, cache: PointCache) -> Self {
        let PointCache { frames, fps, warnings, .. } = cache;
        let (mesh, assumed_fps) = (bare(frames.vertex_count()), fps.is_none());
        let facts = Facts { fps, ..Facts::default() };
        let fps = fps.unwrap_or(DEFAULT_FPS);
        let animation = MeshAnimation { mesh, rest: None, frames, fps, clips: Vec::new() };
        Self { animation, warnings, source: name(path), input_bytes: 0, clip: None, assumed_fps, facts }
    }

    /// All poses of a rig.
    pub fn of_rig(path: &Path, sampled: SampledRig) -> Result<Self> {
        let SampledRig { rig, mut warnings, clip, facts, .. } = sampled;
        let frames = play(&rig, path)?;
        let Rig { mesh, rest, fps, clips, .. } = rig;
        let mut animation = MeshAnimation { mesh, rest: Some(rest), frames, fps, clips };
        // Bones may carry the scale of a scene, so that the mesh as stored is no pose of it.
        if animation.validate().is_err_and(|e| speaks_of_units(&e)) {
            animation.rest = None;
            if animation.mesh.normals.is_some() {
                animation.mesh.normals = Some(corner_normals(&animation.mesh, animation.frames.frame(0)));
            }
            warnings
                .push("the mesh as stored has another size than in its animation and is no rest pose".into());
        }
        let source = match clip.as_deref() {
            Some(clip) if !clip.is_empty() => format!("{}, clip {clip}", name(path)),
            _ => name(path),
        };
        Ok(Self { animation, warnings, source, input_bytes: 0, clip, assumed_fps: false, facts })
    }
}

fn meshes(files: &[PathBuf], progress: &dyn Progress) -> Result<Opened> {
    let (StaticMesh { mesh, warnings, facts, .. }, frames) = match files {
        [path] => single(path)?,
        _ => sequence::read(files, progress)?,
    };
    let animation = MeshAnimation { mesh, rest: None, frames, fps: DEFAULT_FPS, clips: Vec::new() };
    let input_bytes = files.iter().map(|f| file_bytes(f)).sum::<Result<u64>>()?;
    let source = names(files);
    Ok(Opened { animation, warnings, source, input_bytes, clip: None, assumed_fps: true, facts })
}

fn names(files: &[PathBuf]) -> String {
    match files {
        [path] => name(path),
        [first, .., last] => format!("{} files, {} to {}", files.len(), name(first), name(last)),
        [] => String::new(),
    }
}

/// One mesh is an animation of one frame, whatever its file is called.
fn single(path: &Path) -> Result<(StaticMesh, Frames)> {
    let mesh = format(path)?.reader.mesh(path, None)?;
    let frames = Frames::from_poses(std::slice::from_ref(&mesh.positions));
    Ok((mesh, frames))
}

fn speaks_of_units(error: &AnimationError) -> bool {
    match error {
        AnimationError::Units { .. } => true,
        AnimationError::InClip { error, .. } => speaks_of_units(error),
        _ => false,
    }
}

/// All poses of a rig.
fn play(rig: &Rig, path: &Path) -> Result<Frames> {
    let (frames, vertices) = (rig.frame_count(), rig.rest.len());
    let mut flat = room(frames, vertices, path)?;
    flat.resize(3 * frames * vertices, 0.0);
    let player = Player::new(rig);
    let poses = bytemuck::cast_slice_mut::<f32, Vec3>(&mut flat);
    for (frame, out) in poses.chunks_exact_mut(vertices.max(1)).enumerate() {
        player.pose_into(frame, out);
    }
    Ok(Frames::new(flat, frames, vertices))
}

#[cfg(test)]
mod tests;
