//! `.sinew` files, clip by clip.

use std::collections::VecDeque;
use std::io::BufReader;

use glam::Vec3;
use sinew::animation::Clip;
use sinew::rig::Rig;

use super::{Contents, FileReader, Poses, Stored, clips, open_clip};
use crate::scene::choice::choose;
use crate::scene::names::Names;
use crate::scene::{OpenOptions, PoseStream, Poses as AllPoses, SampleOptions, check_fps};
use crate::source::{ReadSeek, Source};
use crate::{Error, Result};

/// A file read whole, with the clips that are asked for. A frame rate replaces those of the file.
pub(super) fn contents(source: &Source, reader: FileReader, options: &SampleOptions) -> Result<Contents> {
    let path = source.path();
    check_fps(path, options.fps)?;
    let mut contents = reader.collect()?;
    let names: Vec<&str> = match &contents.stored {
        Stored::Rig(rig) if !rig.clips.is_empty() => rig.clips.iter().map(|c| c.name.as_str()).collect(),
        _ => vec![&contents.clip],
    };
    let chosen = choose(&names, &options.clips).map_err(|sentence| Error::unsupported(path, sentence))?;
    match &mut contents.stored {
        Stored::Rig(rig) => {
            if !rig.clips.is_empty() {
                if options.clips.is_empty() {
                    contents.warnings.push(first_taken(&rig.clips[0].name));
                }
                contents.clip = keep(rig, &chosen);
            }
            rig.fps = options.fps.unwrap_or(rig.fps);
            rig.clips.iter_mut().for_each(|c| c.fps = options.fps.unwrap_or(c.fps));
        }
        Stored::Chain(chain) => chain.fps = options.fps.unwrap_or(chain.fps),
    }
    Ok(contents)
}

/// What to say when the first of several clips was taken and none was asked for.
fn first_taken(taken: &str) -> String {
    let taken = if taken.is_empty() { "the first" } else { taken };
    format!(
        "the file has several clips and {taken} was taken; --clip NAME takes another, --clip all takes them all"
    )
}

/// Leaves the chosen clips in the rig, in the order they are chosen. Returns the name of a single one.
fn keep(rig: &mut Rig, chosen: &[usize]) -> String {
    let all = std::mem::take(&mut rig.clips);
    let (bones, rank) = (rig.bones.len(), rig.rank());
    let frames = |each: usize| {
        let ranges = chosen.iter().map(|&number| all[number].frames.clone());
        ranges.map(move |frames| frames.start * each..frames.end * each)
    };
    rig.transforms = frames(bones).flat_map(|range| &rig.transforms[range]).copied().collect();
    if let Some(c) = &mut rig.corrections {
        c.coefficients = frames(rank).flat_map(|range| &c.coefficients[range]).copied().collect();
    }
    let mut clips = one_after_another(&all, chosen);
    rig.fps = clips[0].fps;
    if clips.len() == 1 {
        return clips.remove(0).name;
    }
    rig.clips = clips;
    String::new()
}

/// The chosen clips, with the frames they have when nothing is between them.
fn one_after_another(all: &[Clip], chosen: &[usize]) -> Vec<Clip> {
    let (mut names, mut start) = (Names::default(), 0);
    let place = |&number: &usize| {
        let Clip { name, frames, fps } = all[number].clone();
        let end = start + frames.len();
        let frames = std::mem::replace(&mut start, end)..end;
        Clip { name: names.unique(name), frames, fps }
    };
    chosen.iter().map(place).collect()
}

/// Poses of the clips that are asked for, one after the other.
struct ClipPoses {
    poses: Poses<BufReader<Box<dyn ReadSeek>>>,
    source: Source,
    /// Numbers of the clips after this one.
    left: VecDeque<usize>,
    /// Whether nobody asked for a clip.
    unasked: bool,
    /// About earlier clips.
    warnings: Vec<String>,
}

impl AllPoses for ClipPoses {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        while !self.poses.next_into(out)? {
            let Some(next) = self.left.pop_front() else { return Ok(false) };
            self.warnings.extend(self.poses.reader().warnings());
            self.poses = Poses::new(open_clip(&self.source, next)?);
        }
        Ok(true)
    }

    fn warnings(&self) -> Vec<String> {
        let reader = self.poses.reader();
        let more = (self.unasked && reader.has_next_clip()).then(|| first_taken(&reader.head.clip.name));
        self.warnings.iter().cloned().chain(reader.warnings()).chain(more).collect()
    }
}

/// Opens a file to play the clips that are asked for. Which there are shows only at the end of the file, so
/// that it is gone through once when some are.
pub(super) fn stream(source: &Source, first: FileReader, options: &OpenOptions) -> Result<PoseStream> {
    let unasked = options.clips.is_empty();
    let (clips, chosen) = if unasked {
        (Vec::new(), vec![0])
    } else {
        let all = clips(source)?;
        let names: Vec<&str> = all.iter().map(|c| c.name.as_str()).collect();
        let chosen =
            choose(&names, &options.clips).map_err(|sentence| Error::unsupported(source.path(), sentence))?;
        (one_after_another(&all, &chosen), chosen)
    };
    let mut left = VecDeque::from(chosen);
    let reader = match left.pop_front() {
        Some(number @ 1..) => open_clip(source, number)?,
        _ => first,
    };
    let head = &reader.head;
    let (mesh, rest, fps) = (head.mesh.clone(), Some(head.rest.clone()), head.clip.fps);
    let (vertices, bones) = (head.rest.len(), Some(head.bones.len()));
    let clip = Some(head.clip.name.clone()).filter(|c| !c.is_empty() && left.is_empty());
    let poses = Poses::new(reader);
    let poses = ClipPoses { poses, source: source.clone(), left, unasked, warnings: Vec::new() };
    let mut stream = PoseStream::new(mesh, vertices, source.name(), Box::new(poses));
    stream.frame_count = clips.last().map(|c| c.frames.end);
    stream.clips = if clips.len() > 1 { clips } else { Vec::new() };
    (stream.rest, stream.fps, stream.clip, stream.bones) = (rest, fps, clip, bones);
    Ok(stream)
}
