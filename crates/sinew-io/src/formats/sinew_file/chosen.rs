//! `.sinew` files, clip by clip.

use std::collections::VecDeque;
use std::io::BufReader;

use glam::Vec3;
use sinew::animation::Clip;
use sinew::nodes;
use sinew::rig::Rig;

use super::{Contents, FileReader, Frame, Head, Motion, Poses, Stored, clips, open, open_clip};
use crate::scene::choice::choose;
use crate::scene::hung::freed;
use crate::scene::names::Names;
use crate::scene::{OpenOptions, PoseStream, Poses as AllPoses, SampleOptions, check_fps};
use crate::source::{ReadSeek, Source};
use crate::{Error, Result, Warning};

/// A file read whole, with the clips that are asked for. A frame rate replaces those of the file.
pub(super) fn contents(source: &Source, reader: FileReader, options: &SampleOptions) -> Result<Contents> {
    let path = source.path();
    check_fps(path, options.fps)?;
    let mut contents = reader.collect()?;
    let names: Vec<&str> = match &contents.stored {
        Stored::Rig(rig) if !rig.clips.is_empty() => rig.clips.iter().map(|c| c.name.as_str()).collect(),
        _ => vec![&contents.clip],
    };
    let mut chosen = choose(&names, &options.clips).map_err(|sentence| Error::unsupported(path, sentence))?;
    match &mut contents.stored {
        Stored::Rig(rig) => {
            if !rig.clips.is_empty() {
                if options.clips.is_empty() {
                    let names: Vec<String> = rig.clips.iter().map(|c| c.name.clone()).collect();
                    let moving = rig.clips.iter().position(|c| rig.moves(c.frames.clone()));
                    contents.warnings.push(match moving {
                        Some(number) => Warning::ClipTaken {
                            taken: names[number].clone(),
                            still: names[..number].to_vec(),
                            clips: Some(names.len()),
                        },
                        None => Warning::NothingMoves { clips: names.len(), names },
                    });
                    chosen = vec![moving.unwrap_or(0)];
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

/// Clips before the first in which anything moves, by name. All of them where nothing does.
fn still_clips(source: &Source) -> Result<StillClips> {
    let mut reader = open(source)?;
    let (mut first, mut frame, mut names) = (Frame::default(), Frame::default(), Vec::new());
    // Bones that carry each pose to the next stand still where they turn nothing, and there is one clip of them.
    if reader.head.clip.motion == Motion::FromLast {
        return Ok(StillClips { names, moving: true, frames: 0 });
    }
    let (mut frames, mut probe) = (0, probe(&reader.head));
    loop {
        let mut any = reader.next_frame(&mut first)?;
        while any && reader.next_frame(&mut frame)? {
            if moved(&mut probe, &first, &frame) {
                return Ok(StillClips { names, moving: true, frames });
            }
        }
        any = reader.frames() > 0;
        if any {
            frames = frames.max(reader.frames() as usize);
            names.push(reader.head.clip.name.clone());
        }
        if !reader.next_clip()? {
            return Ok(StillClips { names, moving: false, frames });
        }
    }
}

/// Clips in which nothing moves, as far as they were looked at.
struct StillClips {
    names: Vec<String>,
    /// Whether something moves in the clip after them.
    moving: bool,
    /// Frames of the longest.
    frames: usize,
}

/// A rig to try frames on.
fn probe(head: &Head) -> Rig {
    let Head { mesh, rest, weights, bones, corrections, .. } = head.clone();
    Rig {
        mesh,
        rest,
        weights,
        bones,
        transforms: Vec::new(),
        skeleton: None,
        corrections,
        fps: 1.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// Whether anything moves between two frames of a clip.
fn moved(probe: &mut Rig, a: &Frame, b: &Frame) -> bool {
    probe.transforms = [&a.transforms[..], &b.transforms].concat();
    let corrections = probe.corrections.as_mut();
    corrections.into_iter().for_each(|c| c.coefficients = [&a.coefficients[..], &b.coefficients].concat());
    probe.moves(0..2)
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
    rig.nodes = nodes::in_frames(&rig.nodes, &frames(1).flatten().collect::<Vec<_>>());
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
    /// Whether nobody asked for a clip, and those before it in which nothing moves.
    unasked: bool,
    still: Vec<String>,
    /// About earlier clips.
    warnings: Vec<Warning>,
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

    fn warnings(&self) -> Vec<Warning> {
        let reader = self.poses.reader();
        let several = self.unasked && (reader.has_next_clip() || !self.still.is_empty());
        let more = several.then(|| Warning::ClipTaken {
            taken: reader.head.clip.name.clone(),
            still: self.still.clone(),
            clips: None,
        });
        self.warnings.iter().cloned().chain(reader.warnings()).chain(more).collect()
    }
}

/// Opens a file to play the clips that are asked for. Which there are shows only at the end of the file, so
/// that it is gone through once when some are.
pub(super) fn stream(source: &Source, first: FileReader, options: &OpenOptions) -> Result<PoseStream> {
    let unasked = options.clips.is_empty();
    let (mut still, mut warnings) = (Vec::new(), Vec::new());
    let (clips, chosen) = if unasked {
        let found = still_clips(source)?;
        if found.moving {
            still = found.names;
        } else if found.names.len() > 1 || found.frames > 1 {
            warnings.push(Warning::NothingMoves { clips: found.names.len(), names: found.names.clone() });
        }
        // How many frames the first has is known when they are read.
        let taken = vec![still.len()];
        (if still.is_empty() { Vec::new() } else { one_after_another(&clips(source)?, &taken) }, taken)
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
    let (vertices, bones, has_nodes) = (head.rest.len(), Some(head.bones.len()), !head.nodes.is_empty());
    let facts = head.facts();
    let clip = Some(head.clip.name.clone()).filter(|c| !c.is_empty() && left.is_empty());
    let poses = Poses::new(reader);
    let poses = ClipPoses { poses, source: source.clone(), left, unasked, still, warnings };
    let mut stream = PoseStream::new(mesh, vertices, source.name(), Box::new(poses));
    stream.frame_count = clips.last().map(|c| c.frames.end);
    stream.clips = if clips.len() > 1 { clips } else { Vec::new() };
    (stream.rest, stream.fps, stream.clip, stream.bones) = (rest, fps, clip, bones);
    stream.facts = facts;
    if has_nodes {
        // What hangs on bones goes where they carry it in all frames.
        stream.nodes = match contents(source, open_clip(source, 0)?, &options.sampling())?.stored {
            Stored::Rig(rig) => freed(&rig),
            Stored::Chain(chain) => chain.nodes,
        };
    }
    Ok(stream)
}
