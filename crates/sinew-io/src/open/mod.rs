//! From whatever a user names to an animation or a rig.
//!
//! | given                                         | becomes                                          |
//! | --------------------------------------------- | ------------------------------------------------ |
//! | a PC2 or MDD cache and a rest mesh            | the cache's poses on the mesh                    |
//! | a folder or pattern of OBJ or PLY files       | one pose a file, in natural order                |
//! | several OBJ or PLY files                      | the same                                         |
//! | one OBJ or PLY file                           | one pose                                         |
//! | a glTF file                                   | one or more of its clips, played                 |
//! | a `.sinew` file                               | the same                                         |
//! | several of these, other than single meshes    | one clip each, all on one mesh                   |

mod clips;
mod format;
mod rest;
mod stored;
mod stream;

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::{AnimationError, Frames, MeshAnimation};
use sinew::geometry::{Mesh, corner_normals};
use sinew::lod::Level;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};

use clips::Part;
pub use format::{Format, format};
pub use rest::rest;
pub use stream::{PoseStream, stream};

use crate::glb::{self, SampleOptions, SampledRig};
use crate::room::room;
use crate::sinew_file::{Contents, Stored};
use crate::{Error, PointCache, Result, StaticMesh, mdd, obj, pc2, ply, sequence};

/// Frame rate of caches and sequences that tell none: that of film.
pub const DEFAULT_FPS: f64 = 24.0;

/// How inputs become an animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// The mesh that goes with a point cache. With other inputs: a pose, UVs and materials instead of
    /// their own.
    pub rest: Option<PathBuf>,
    /// The rest mesh is scaled by this first.
    pub rest_scale: Option<f64>,
    /// Frames per second; glTF clips are sampled at it. Without: what the file says, or 24.
    pub fps: Option<f64>,
    /// Clips of glTF and `.sinew` files, by name or number, or "all". The first of each file without.
    pub clips: Vec<String>,
    /// Whether vertices of a glTF file that are alike become one; see [`SampleOptions::weld`].
    pub weld: Option<bool>,
}

impl OpenOptions {
    fn sampling(&self) -> SampleOptions {
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
    motion(inputs, options, progress)
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
        put_rest(&mut opened, path, options.rest_scale)?;
    }
    Ok(opened)
}

/// Opens a glTF or `.sinew` file as a rig. A frame rate given for a `.sinew` file replaces the one it has:
/// its frames stay as they are.
pub fn rig(path: &Path, options: &SampleOptions) -> Result<SampledRig> {
    Ok(rig_and_levels(path, options)?.0)
}

/// Like [`rig`], with the levels of detail that a glTF file has ([`glb::Gltf::rig_and_levels`]).
pub fn rig_and_levels(path: &Path, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
    if format(path)? == Format::Gltf {
        return glb::open(path)?.rig_and_levels(options);
    }
    let Contents { stored, clip, warnings } = rig_or_chain(path, options)?;
    match stored {
        Stored::Rig(rig) => {
            let clip = Some(clip).filter(|c| !c.is_empty());
            Ok((SampledRig { rig, warnings, clip, light: None }, Vec::new()))
        }
        Stored::Chain(_) => Err(Error::unsupported(
            path,
            "the bones in this file carry each pose to the next, which is not a rig with a rest pose; \
             sinew bake plays it into a point cache, from which sinew skin makes one",
        )),
    }
}

/// Like [`rig`], for those who can also use bones that carry each pose to the next.
pub fn rig_or_chain(path: &Path, options: &SampleOptions) -> Result<Contents> {
    match format(path)? {
        Format::Gltf => {
            let SampledRig { rig, warnings, clip, .. } = glb::open(path)?.rig(options)?;
            Ok(Contents { stored: Stored::Rig(rig), clip: clip.unwrap_or_default(), warnings })
        }
        Format::Sinew => stored::contents(path, options),
        other => {
            let message = format!("{} holds no rig; GLB and .sinew files do", other.one());
            Err(Error::unsupported(path, message))
        }
    }
}

fn needs_rest(path: &Path) -> Error {
    Error::unsupported(
        path,
        "a point cache holds no faces; the mesh that goes with it is needed too (--rest FILE: OBJ, PLY or GLB)",
    )
}

/// What the inputs are.
enum Source {
    Cache(PathBuf, Format),
    Meshes(Vec<PathBuf>),
    Gltf(PathBuf),
    Sinew(PathBuf),
}

fn open_source(source: &Source, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
    let mut opened = match source {
        Source::Cache(path, format) => cache(path, *format)?,
        Source::Meshes(files) => meshes(files, progress)?,
        Source::Gltf(path) => gltf(path, &options.sampling())?,
        Source::Sinew(path) => stored::animation(path, options)?,
    };
    opened.input_bytes = source.bytes()?;
    Ok(opened)
}

/// What the inputs are, one for each clip, with the paths they were named by.
fn gather(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, Source)>> {
    if let [path] = inputs {
        return Ok(vec![(path.clone(), one(path)?)]);
    }
    let is_mesh = |path: &PathBuf| -> Result<bool> {
        Ok(path.is_file() && matches!(format(path)?, Format::Obj | Format::Ply))
    };
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
    Ok(match format(path)? {
        Format::Obj | Format::Ply => Source::Meshes(vec![path.into()]),
        Format::Gltf => Source::Gltf(path.into()),
        Format::Sinew => Source::Sinew(path.into()),
        joints if joints.is_motion() => {
            let message = format!("{} holds joints that move, but no mesh", joints.one());
            return Err(Error::unsupported(path, message));
        }
        cache => Source::Cache(path.into(), cache),
    })
}

impl Source {
    fn bytes(&self) -> Result<u64> {
        let files = match self {
            Self::Cache(path, _) | Self::Gltf(path) | Self::Sinew(path) => std::slice::from_ref(path),
            Self::Meshes(files) => files,
        };
        files.iter().map(|f| file_bytes(f)).sum()
    }
}

pub(crate) fn file_bytes(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path).map_err(Error::io(path))?.len())
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn cache(path: &Path, format: Format) -> Result<Opened> {
    let PointCache { frames, fps, warnings, .. } =
        if format == Format::Pc2 { pc2::open(path)? } else { mdd::read(path)? };
    let mesh = Mesh { vertex_count: frames.vertex_count(), face_starts: vec![0], ..Mesh::default() };
    let animation =
        MeshAnimation { mesh, rest: None, frames, fps: fps.unwrap_or(DEFAULT_FPS), clips: Vec::new() };
    Ok(Opened {
        animation,
        warnings,
        source: name(path),
        input_bytes: 0,
        clip: None,
        assumed_fps: fps.is_none(),
    })
}

fn meshes(files: &[PathBuf], progress: &dyn Progress) -> Result<Opened> {
    let (StaticMesh { mesh, warnings, .. }, frames) = match files {
        [path] => single(path)?,
        _ => sequence::read(files, progress)?,
    };
    let animation = MeshAnimation { mesh, rest: None, frames, fps: DEFAULT_FPS, clips: Vec::new() };
    Ok(Opened { animation, warnings, source: names(files), input_bytes: 0, clip: None, assumed_fps: true })
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
    let mesh = if format(path)? == Format::Ply { ply::read(path)? } else { obj::read(path)? };
    let frames = Frames::from_poses(std::slice::from_ref(&mesh.positions));
    Ok((mesh, frames))
}

fn gltf(path: &Path, options: &SampleOptions) -> Result<Opened> {
    let file = glb::open(path)?;
    let SampledRig { rig, mut warnings, clip, .. } = file.rig(options)?;
    let clips = file.info()?.clips;
    if options.clips.is_empty() && clips > 1 {
        let taken = clip.as_deref().unwrap_or("the first");
        warnings.push(format!("the file has {clips} clips and {taken} was taken; --clip NAME takes another, --clip all takes them all"));
    }
    let frames = play(&rig, path)?;
    let Rig { mesh, rest, fps, clips: stated, .. } = rig;
    let mut animation = MeshAnimation { mesh, rest: Some(rest), frames, fps, clips: stated };
    // Bones may carry the scale of a scene, so that the mesh as stored is no pose of it.
    if animation.validate().is_err_and(|e| speaks_of_units(&e)) {
        animation.rest = None;
        if animation.mesh.normals.is_some() {
            animation.mesh.normals = Some(corner_normals(&animation.mesh, animation.frames.frame(0)));
        }
        warnings.push("the mesh as stored has another size than in its animation and is no rest pose".into());
    }
    let source = match clip.as_deref() {
        Some(clip) if !clip.is_empty() => format!("{}, clip {clip}", name(path)),
        _ => name(path),
    };
    Ok(Opened { animation, warnings, source, input_bytes: 0, clip, assumed_fps: false })
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

/// Gives an animation the mesh and pose of another file.
fn put_rest(opened: &mut Opened, path: &Path, scale: Option<f64>) -> Result<()> {
    let animation = &mut opened.animation;
    let (vertices, faces) = (animation.frames.vertex_count(), animation.mesh.face_count());
    let StaticMesh { mesh, positions, warnings } = scaled_rest(path, scale, vertices, faces, &opened.source)?;
    animation.mesh = mesh;
    animation.rest = Some(positions);
    opened.warnings.extend(warnings);
    opened.source = format!("{} on {}", opened.source, name(path));
    opened.input_bytes += file_bytes(path)?;
    Ok(())
}

/// Reads the mesh that goes with `source`, which has so many vertices and faces (0 where it has none).
fn scaled_rest(
    path: &Path,
    scale: Option<f64>,
    vertices: usize,
    faces: usize,
    source: &str,
) -> Result<StaticMesh> {
    let mut rest = rest::rest(path, Some(vertices))?;
    let mesh = &rest.mesh;
    if mesh.vertex_count != vertices {
        let message =
            format!("the mesh has {} vertices, but each frame of {source} has {vertices}", mesh.vertex_count);
        return Err(Error::unsupported(path, message));
    }
    if faces != 0 && faces != mesh.face_count() {
        let message = format!("the mesh has {} faces, but {source} has {faces}", mesh.face_count());
        return Err(Error::unsupported(path, message));
    }
    if let Some(scale) = scale {
        if !(scale > 0.0 && scale.is_finite()) {
            let message = format!("the rest mesh cannot be scaled by {scale}; give a positive number");
            return Err(Error::unsupported(path, message));
        }
        rest.positions.iter_mut().for_each(|p| *p = (p.as_dvec3() * scale).as_vec3());
    }
    Ok(rest)
}

#[cfg(test)]
mod tests;
