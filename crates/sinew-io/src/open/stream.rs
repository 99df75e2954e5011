//! From whatever a user names to poses that come one after the other.

use std::path::PathBuf;

use glam::Vec3;
use sinew::animation::Frames;
use sinew::geometry::Bounds;
use sinew::nodes;

use super::clips::{self, Part};
use super::gather::{Input, gather, names};
use super::rest::{Beside, needs_rest, rest_beside};
use crate::room::room;
use crate::scene::{OpenOptions, Opened, PoseStream, check_fps};
use crate::sequence::SequenceStream;
use crate::source::Source;
use crate::{Error, Result, StaticMesh};

/// Opens an animation to read it pose by pose; several inputs are clips, one after the other. A point cache needs a
/// rest mesh.
///
/// Files with clips are themselves held in memory; of a `.sinew` file, only what comes before its frames.
pub fn stream<S>(inputs: &[S], options: &OpenOptions) -> Result<PoseStream>
where
    for<'a> &'a S: Into<Source>,
{
    let inputs = &Source::each(inputs)[..];
    let stream = poses_of(inputs, options)?;
    match inputs {
        [input, ..] if options.rest.is_none() && stream.mesh.face_count() == 0 => {
            Err(needs_rest(input.path()))
        }
        _ => Ok(stream),
    }
}

/// Like [`stream`], but a point cache needs no rest mesh: without one, the mesh has no faces.
pub fn poses(input: impl Into<Source>, options: &OpenOptions) -> Result<PoseStream> {
    poses_of(&[input.into()], options)
}

/// The first so many poses of a stream in memory, and how many there are in all, where that is known.
pub fn first_poses(mut stream: PoseStream, most: usize) -> Result<(Opened, Option<usize>)> {
    let all = stream.frame_count;
    let (mut flat, mut pose, mut count) = (Vec::new(), vec![Vec3::ZERO; stream.vertex_count()], 0);
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
    let mut flat = room(chosen.len(), stream.vertex_count(), &path)?;
    let (mut pose, mut frame) = (vec![Vec3::ZERO; stream.vertex_count()], 0);
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
    stream.nodes = nodes::in_frames(&stream.nodes, chosen);
    let before = |frame: usize| chosen.partition_point(|&c| c < frame);
    stream.clips.iter_mut().for_each(|c| c.frames = before(c.frames.start)..before(c.frames.end));
    Ok(stream.into_opened(Frames::new(flat, chosen.len(), pose.len())))
}

fn poses_of(inputs: &[Source], options: &OpenOptions) -> Result<PoseStream> {
    if let Some(first) = inputs.first() {
        check_fps(first.path(), options.fps)?;
    }
    let mut gathered = gather(inputs)?;
    let mut stream = match gathered.len() {
        1 => stream_of(&gathered.remove(0).1, options)?,
        _ => {
            let part = |(path, input)| Ok(Part { opened: stream_of(&input, options)?, path });
            clips::join_streams(gathered.into_iter().map(part).collect::<Result<_>>()?)?
        }
    };
    if let Some(fps) = options.fps {
        stream.assumed_fps = false;
        stream.fps = fps;
        stream.clips.iter_mut().for_each(|c| c.fps = fps);
    }
    if let Some(rest) = &options.rest {
        put_rest(&mut stream, rest, options)?;
    }
    Ok(stream)
}

fn stream_of(input: &Input, options: &OpenOptions) -> Result<PoseStream> {
    match input {
        Input::Meshes(files) => Ok(meshes(files)?.said(&options.said)),
        Input::File(document) => {
            let stream = document.stream(options)?;
            let input_bytes = stream.input_bytes.max(document.source().length()?);
            Ok(PoseStream { input_bytes, ..stream }.said(&options.said))
        }
    }
}

/// Gives the animation the mesh and pose of another file.
fn put_rest(stream: &mut PoseStream, source: &Source, options: &OpenOptions) -> Result<()> {
    let (facts, name) = (stream.facts.clone(), stream.source.clone());
    let (vertices, faces) = (stream.vertex_count(), stream.mesh.face_count());
    let beside = Beside { vertices, faces, source: &name, facts: &facts };
    let size = || Ok(stream.first_pose()?.map_or(0.0, |pose| Bounds::of(&pose).diagonal()));
    let (rest, metres) = rest_beside(source, options, &beside, size)?;
    stream.facts.metres_per_unit = metres;
    stream.mesh = rest.mesh;
    stream.rest = Some(rest.positions);
    stream.warnings.extend(rest.warnings);
    stream.source = format!("{} on {}", stream.source, source.name());
    stream.input_bytes += source.length()?;
    Ok(())
}

fn meshes(files: &[Source]) -> Result<PoseStream> {
    let sequence = SequenceStream::open(files.to_vec())?;
    let StaticMesh { mesh, warnings, facts, .. } = sequence.first.clone();
    let (vertices, frames) = (mesh.vertex_count, sequence.frame_count());
    let stream = PoseStream::new(mesh, vertices, names(files), Box::new(sequence));
    let input_bytes = files.iter().map(Source::length).sum::<Result<u64>>()?;
    let stream = stream.with_warnings(warnings);
    Ok(PoseStream { frame_count: Some(frames), assumed_fps: true, input_bytes, facts, ..stream })
}
