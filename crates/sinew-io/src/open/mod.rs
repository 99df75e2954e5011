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
mod gather;
mod rest;
mod said;
mod stream;
pub mod units;

use sinew::animation::{Frames, MeshAnimation};
use sinew::lod::Level;
use sinew::progress::Progress;

use clips::Part;
use gather::{Input, gather, names};
use rest::needs_rest;
pub use rest::rest;
pub use stream::{chosen_poses, first_poses, poses, stream};

pub use crate::formats::Format;
use crate::formats::sinew_file::Contents;
use crate::formats::{self, Document, tell};
pub use crate::scene::{DEFAULT_FPS, OpenOptions, Opened, PoseStream, Poses};
use crate::scene::{Facts, SampleOptions, SampledRig};
use crate::source::Source;
use crate::{Error, Result, StaticMesh, sequence};

/// Tells the format of a file: by content first, by the ending of its name second.
pub fn format(source: impl Into<Source>) -> Result<&'static Format> {
    tell(&source.into())
}

/// Opens a file of any format, to ask it for what it holds.
pub fn document(source: impl Into<Source>) -> Result<Box<dyn Document>> {
    let source = source.into();
    tell(&source)?.open(&source)
}

/// What a file says about its units, axes and times. A folder says nothing.
pub fn facts(source: impl Into<Source>) -> Result<Facts> {
    let source = source.into();
    if source.is_file() { document(&source)?.facts() } else { Ok(Facts::default()) }
}

/// Opens an animation. A point cache needs a rest mesh.
pub fn animation<S>(inputs: &[S], options: &OpenOptions, progress: &dyn Progress) -> Result<Opened>
where
    for<'a> &'a S: Into<Source>,
{
    let inputs = &Source::each(inputs)[..];
    let is_cache = |input: &Source| input.is_file() && tell(input).is_ok_and(Format::is_cache);
    if let [input, ..] = inputs
        && options.rest.is_none()
        && inputs.iter().all(is_cache)
    {
        return Err(needs_rest(input.path()));
    }
    let opened = motion::<Source>(inputs, options, progress)?;
    match inputs {
        // Some formats hold faces or do not.
        [input, ..] if options.rest.is_none() && opened.animation.mesh.face_count() == 0 => {
            Err(needs_rest(input.path()))
        }
        _ => Ok(opened),
    }
}

/// Like [`animation`], but a point cache needs no rest mesh: without one, the mesh has no faces.
pub fn motion<S>(inputs: &[S], options: &OpenOptions, progress: &dyn Progress) -> Result<Opened>
where
    for<'a> &'a S: Into<Source>,
{
    let inputs = &Source::each(inputs)[..];
    let mut gathered = gather(inputs)?;
    let mut opened = match gathered.len() {
        1 => open_input(&gathered.remove(0).1, options, progress)?,
        _ => {
            let mut parts = Vec::new();
            let mut bytes = 0;
            for (path, input) in gathered {
                let opened = open_input(&input, options, progress)?;
                bytes += opened.input_bytes;
                parts.push(Part { path, opened });
            }
            Opened { input_bytes: bytes, ..clips::join(parts)? }
        }
    };
    if let Some(fps) = options.fps {
        opened.set_fps(fps);
    }
    if let Some(rest) = &options.rest {
        opened.put_rest(rest, options)?;
    }
    Ok(opened)
}

/// Opens a file as a rig. A frame rate given for a `.sinew` file replaces the one it has: its frames stay as
/// they are.
pub fn rig(source: impl Into<Source>, options: &SampleOptions) -> Result<SampledRig> {
    rig_document(source)?.rig(options)
}

/// Like [`rig`], with the levels of detail of a file that has any, the finest first.
pub fn rig_and_levels(
    source: impl Into<Source>,
    options: &SampleOptions,
) -> Result<(SampledRig, Vec<Level>)> {
    rig_document(source)?.rig_and_levels(options)
}

/// Like [`rig`], for those who can also use bones that carry each pose to the next.
pub fn rig_or_chain(source: impl Into<Source>, options: &SampleOptions) -> Result<Contents> {
    rig_document(source)?.rig_or_chain(options)
}

/// A file that should hold a rig.
fn rig_document(source: impl Into<Source>) -> Result<Box<dyn Document>> {
    let source = source.into();
    let format = tell(&source)?;
    if format.reads.rig {
        return format.open(&source);
    }
    let holders = formats::list("and", |f| f.reads.rig);
    Err(Error::unsupported(source.path(), format!("{} holds no rig; {holders} files do", format.one())))
}

fn open_input(input: &Input, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
    match input {
        Input::Meshes(files) => Ok(meshes(files, progress)?.said(&options.said)),
        Input::File(document) => {
            let opened = document.animation(options, progress)?;
            let input_bytes = opened.input_bytes.max(document.source().length()?);
            Ok(Opened { input_bytes, ..opened }.said(&options.said))
        }
    }
}

fn meshes(files: &[Source], progress: &dyn Progress) -> Result<Opened> {
    let (StaticMesh { mesh, warnings, facts, .. }, frames) = match files {
        [file] => single(file)?,
        _ => sequence::read(files, progress)?,
    };
    let animation =
        MeshAnimation { mesh, rest: None, frames, fps: DEFAULT_FPS, clips: Vec::new(), nodes: Vec::new() };
    let input_bytes = files.iter().map(Source::length).sum::<Result<u64>>()?;
    let source = names(files);
    Ok(Opened { animation, warnings, source, input_bytes, clip: None, assumed_fps: true, facts })
}

/// One mesh is an animation of one frame, whatever its file is called.
fn single(source: &Source) -> Result<(StaticMesh, Frames)> {
    let mesh = document(source)?.mesh(None)?;
    let frames = Frames::from_poses(std::slice::from_ref(&mesh.positions));
    Ok((mesh, frames))
}

#[cfg(test)]
mod tests;
