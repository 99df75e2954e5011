//! Reading a file from front to back.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use glam::DAffine3;
use sinew::animation;
use sinew::rig::{Moves, SkinWeights};
use sinew::skin::MOST_INFLUENCES;

use super::head::{check_fps, check_start, read_head, unknown, wrong};
use super::{Clip, Frame, Head, Motion, kind, skin};
use crate::containers::fields::Cursor;
use crate::containers::records::{Kind, Next, Records, skippable};
use crate::source::{ReadSeek, Source};
use crate::{Error, Result, Warning};

/// A reader of a file or of bytes.
pub type FileReader = Reader<BufReader<Box<dyn ReadSeek>>>;

/// Opens a file and reads everything before its frames.
pub fn open(source: impl Into<Source>) -> Result<FileReader> {
    let source = source.into();
    Reader::new(BufReader::with_capacity(1 << 16, source.reader()?), source.path())
}

/// Opens a file and goes to one of its clips, counted from 0.
pub fn open_clip(source: impl Into<Source>, number: usize) -> Result<FileReader> {
    let source = source.into();
    let mut reader = open(&source)?;
    for _ in 0..number {
        if !reader.next_clip()? {
            return Err(Error::malformed(source.path(), format!("there is no clip {number}")));
        }
    }
    Ok(reader)
}

/// Reads a file frame by frame. What it holds does not grow with the number of frames.
pub struct Reader<R> {
    /// Everything but the frames, with the clip whose frames are read.
    pub head: Head,
    records: Records<R>,
    path: PathBuf,
    contents: Vec<u8>,
    frames: u64,
    /// Why there are no more frames, once there are none.
    end: Option<End>,
    /// Clips before this one.
    clip: usize,
    /// Whether the clip says that another follows.
    more: bool,
    /// The clip that follows, once it is known.
    following: Option<Clip>,
}

/// Why frames end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// All are there.
    Whole,
    /// The file stops.
    Cut,
    /// A record is not what was written.
    Damaged,
}

impl<R: Read> Reader<R> {
    /// Reads everything before the frames. `path` is for messages.
    pub fn new(mut input: R, path: &Path) -> Result<Self> {
        check_start(&mut input, path)?;
        let mut records = Records::new(input);
        let head = read_head(&mut records, path)?;
        let path = path.into();
        let (contents, following) = (Vec::new(), None);
        Ok(Self { head, records, path, contents, frames: 0, end: None, clip: 0, more: false, following })
    }

    /// Reads the clip's next frame into `frame`; `false` when there is none. See [`Reader::warnings`] for why.
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<bool> {
        let (bones, rank) = (self.head.bones.len(), self.head.rank());
        let most_slots =
            self.head.rest.len().saturating_mul(self.head.weights.per_vertex.max(MOST_INFLUENCES));
        frame.new_weights = None;
        frame.moves.clear();
        while self.end.is_none() {
            let most = |kind| match kind {
                kind::FRAME | kind::KEY_FRAME => Some(skin::frame_size(bones, rank)),
                kind::WEIGHTS | kind::SHORT_WEIGHTS => Some(skin::weights_size(most_slots)),
                kind::MOVES => Some(skin::moves_size(self.head.rest.len())),
                kind::DONE => Some(8),
                _ => None,
            };
            let next = self.records.next(&mut self.contents, most).map_err(Error::io(&self.path))?;
            self.end = match next {
                Next::Record(kind @ (kind::FRAME | kind::KEY_FRAME)) => {
                    frame.key = kind == kind::KEY_FRAME;
                    if self.take_frame(frame)? {
                        return Ok(true);
                    }
                    Some(End::Damaged)
                }
                Next::Record(kind @ (kind::WEIGHTS | kind::SHORT_WEIGHTS)) => {
                    frame.new_weights = Some(self.take_weights(kind)?);
                    None
                }
                Next::Record(kind::MOVES) => {
                    frame.moves = self.take_moves()?;
                    None
                }
                Next::Record(kind::DONE) => Some(self.done()?),
                Next::Record(kind) if skippable(kind) => {
                    self.more |= kind == kind::MORE;
                    None
                }
                Next::Record(kind) => return Err(unknown(kind, &self.path)),
                Next::End | Next::Cut(_) => Some(End::Cut),
                Next::Damaged(_) => Some(End::Damaged),
            };
        }
        Ok(false)
    }

    /// Goes on to the next clip, past what is left of this one; `false` when there is none.
    pub fn next_clip(&mut self) -> Result<bool> {
        let mut frame = Frame::default();
        while self.next_frame(&mut frame)? {}
        let Some(clip) = self.following.take() else { return Ok(false) };
        self.head.clip = clip;
        self.clip += 1;
        (self.frames, self.end, self.more) = (0, None, false);
        Ok(true)
    }

    /// Whether another clip follows. Known when all frames of this one were read.
    pub fn has_next_clip(&self) -> bool {
        self.following.is_some()
    }

    /// How many frames of the clip were read.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// What was found amiss so far. Complete when all frames were read.
    pub fn warnings(&self) -> Vec<Warning> {
        let damaged = match self.end {
            Some(End::Cut) => false,
            Some(End::Damaged) => true,
            Some(End::Whole) | None => return Vec::new(),
        };
        let clip = (self.clip > 0 || self.more).then(|| self.head.clip.name.clone());
        let (frames, all) = (self.frames, self.head.clip.frames);
        vec![self.said(Warning::Ended { damaged, frames, all, clip })]
    }

    /// An error of the file.
    pub(super) fn malformed(&self, message: &str) -> Error {
        Error::malformed(&self.path, message)
    }

    /// A warning about the file.
    pub(super) fn said(&self, warning: Warning) -> Warning {
        warning.at(&self.path)
    }

    /// Adds this clip, of which all frames were read. One without frames is an error unless they were lost
    /// after an earlier clip.
    pub(super) fn add_clip(&self, clips: &mut Vec<animation::Clip>) -> Result<()> {
        if self.frames == 0 {
            let lost = !clips.is_empty() && self.end != Some(End::Whole);
            return if lost { Ok(()) } else { Err(self.no_frames()) };
        }
        let Clip { name, fps, .. } = self.head.clip.clone();
        let start = clips.last().map_or(0, |c| c.frames.end);
        clips.push(animation::Clip { name, frames: start..start + self.frames as usize, fps });
        Ok(())
    }

    /// The sentence for a file without a whole frame.
    pub fn no_frames(&self) -> Error {
        let message = match self.end {
            Some(End::Cut) => "the file is cut short before the end of its first frame",
            Some(End::Damaged) => "the first frame is damaged",
            Some(End::Whole) | None if self.clip > 0 => "one of its clips has no frames",
            Some(End::Whole) | None => "the file has no frames",
        };
        Error::malformed(&self.path, message)
    }

    /// Takes a frame apart. `false` when it is not the one that is due.
    fn take_frame(&mut self, frame: &mut Frame) -> Result<bool> {
        let (bones, rank) = (self.head.bones.len(), self.head.rank());
        let possible = !frame.key || self.head.clip.motion == Motion::FromLast;
        let due = possible
            && self.contents.len() as u64 == skin::frame_size(bones, rank)
            && skin::take_frame(&self.contents, bones, frame) == Some(self.frames);
        if !due {
            return Ok(false);
        }
        let finite = frame.transforms.iter().all(DAffine3::is_finite)
            && frame.coefficients.iter().all(|c| c.is_finite());
        if !finite {
            let message = format!("frame {} holds numbers that are not finite", self.frames);
            return Err(Error::malformed(&self.path, message));
        }
        self.frames += 1;
        Ok(true)
    }

    /// Takes weights between frames apart.
    fn take_weights(&self, kind: Kind) -> Result<SkinWeights> {
        if self.head.clip.motion != Motion::FromLast {
            let message = "weights change only where bones carry each pose to the next";
            return Err(Error::malformed(&self.path, message));
        }
        let short = kind == kind::SHORT_WEIGHTS;
        let taken = if short { skin::take_short_weights } else { skin::take_weights }(&self.contents);
        let weights = taken.ok_or_else(|| wrong(kind, &self.path))?;
        let before = |what: &str| format!("the weights before frame {}: {what}", self.frames);
        let Head { rest, bones, .. } = &self.head;
        let checked = weights.validate(rest.len(), bones.len());
        checked.map_err(|e| Error::malformed(&self.path, before(&e.to_string())))?;
        if !weights.weights.iter().all(|w| w.is_finite()) {
            return Err(Error::malformed(&self.path, before("not all numbers are finite")));
        }
        Ok(weights)
    }

    /// Takes displacements before a frame apart.
    fn take_moves(&self) -> Result<Moves> {
        if self.head.clip.motion != Motion::FromLast {
            let message = "vertices are moved on only where bones carry each pose to the next";
            return Err(Error::malformed(&self.path, message));
        }
        let moves = skin::take_moves(&self.contents).ok_or_else(|| wrong(kind::MOVES, &self.path))?;
        let vertices = self.head.rest.len();
        let fits = moves.is_sorted_by(|a, b| a.0 < b.0)
            && moves.iter().all(|(vertex, by)| (*vertex as usize) < vertices && by.is_finite());
        if !fits {
            let message = format!("the displacements of frame {} do not fit the mesh", self.frames);
            return Err(Error::malformed(&self.path, message));
        }
        Ok(moves)
    }

    /// Checks the record that ends the clip, and looks whether another follows.
    fn done(&mut self) -> Result<End> {
        if Cursor(&self.contents).value() != Some(self.frames) {
            return Ok(End::Damaged);
        }
        let most = |kind| (kind == kind::CLIP).then_some(u64::MAX);
        loop {
            match self.records.next(&mut self.contents, most).map_err(Error::io(&self.path))? {
                Next::Record(kind::CLIP) => {
                    self.following = Some(self.take_following()?);
                    return Ok(End::Whole);
                }
                Next::Record(kind) if skippable(kind) => {}
                Next::Record(kind) => return Err(unknown(kind, &self.path)),
                Next::End if !self.more => return Ok(End::Whole),
                Next::End | Next::Cut(_) => return Ok(End::Cut),
                Next::Damaged(_) => return Ok(End::Damaged),
            }
        }
    }

    /// Takes the head of a later clip apart.
    fn take_following(&self) -> Result<Clip> {
        let clip = skin::take_clip(&self.contents).ok_or_else(|| wrong(kind::CLIP, &self.path))?;
        if clip.motion != self.head.clip.motion {
            let message = "bones act on the rest pose in some clips and on the pose before in others";
            return Err(Error::malformed(&self.path, message));
        }
        check_fps(clip.fps).map_err(|message| Error::malformed(&self.path, message))?;
        Ok(clip)
    }
}
