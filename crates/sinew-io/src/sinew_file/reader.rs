//! Reading a file from front to back.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use glam::{DAffine3, Vec3};
use sinew::geometry::{Image, Material, Mesh};
use sinew::rig::{Bone, Corrections, PoseChain, Rig, SkinWeights};

use super::bytes::Cursor;
use super::record::{Kind, Next, Records, fill, skippable};
use super::{Clip, Contents, Frame, Head, MAGIC, Motion, Stored, VERSION, kind, mesh, skin};
use crate::{Error, Result};

/// Opens a file and reads everything before its frames.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>> {
    let file = File::open(path).map_err(Error::io(path))?;
    Reader::new(BufReader::with_capacity(1 << 16, file), path)
}

/// Reads a file frame by frame. What it holds does not grow with the number of frames.
pub struct Reader<R> {
    /// Everything but the frames.
    pub head: Head,
    records: Records<R>,
    path: PathBuf,
    contents: Vec<u8>,
    frames: u64,
    /// Why there are no more frames, once there are none.
    end: Option<End>,
    more_clips: bool,
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
        Ok(Self { head, records, path, contents: Vec::new(), frames: 0, end: None, more_clips: false })
    }

    /// Reads the next frame into `frame`; `false` when there is none. See [`Reader::warnings`] for why.
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<bool> {
        let (bones, rank) = (self.head.bones.len(), self.head.rank());
        while self.end.is_none() {
            let most = |kind| match kind {
                kind::FRAME | kind::KEY_FRAME => Some(skin::frame_size(bones, rank)),
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
                Next::Record(kind::DONE) => Some(self.done()?),
                Next::Record(kind) if skippable(kind) => None,
                Next::Record(kind) => return Err(unknown(kind, &self.path)),
                Next::End | Next::Cut(_) => Some(End::Cut),
                Next::Damaged(_) => Some(End::Damaged),
            };
        }
        Ok(false)
    }

    /// How many frames were read.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// What was found amiss so far, as sentences for people. Complete when all frames were read.
    pub fn warnings(&self) -> Vec<String> {
        let path = self.path.display();
        let frames = match (self.frames, self.head.clip.frames) {
            (n, Some(all)) if all >= n => format!("{n} of {all} frames are whole and played"),
            (1, _) => "1 frame is whole and played".into(),
            (n, _) => format!("{n} frames are whole and played"),
        };
        let mut warnings = Vec::new();
        match self.end {
            Some(End::Cut) => warnings.push(format!("{path}: the file is cut short; {frames}")),
            Some(End::Damaged) => {
                warnings.push(format!("{path}: the file is damaged after frame {}; {frames}", self.frames));
            }
            Some(End::Whole) | None => {}
        }
        if self.more_clips {
            warnings.push(format!("{path}: the file holds several clips, and only the first is read"));
        }
        warnings
    }

    /// Reads all frames into one rig. No frames at all are an error.
    pub fn collect(mut self) -> Result<Contents> {
        let mut frame = Frame::default();
        let (mut transforms, mut coefficients, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        while self.next_frame(&mut frame)? {
            if frame.key {
                keys.push(self.frames as usize - 1);
            }
            transforms.extend_from_slice(&frame.transforms);
            coefficients.extend_from_slice(&frame.coefficients);
        }
        if self.frames == 0 {
            return Err(self.no_frames());
        }
        let warnings = self.warnings();
        let Head { mesh, rest, weights, bones, corrections, clip } = self.head;
        let Clip { name, fps, motion, .. } = clip;
        let stored = match motion {
            Motion::FromRest => {
                let corrections = corrections.map(|c| Corrections { coefficients, ..c });
                let clips = Vec::new();
                Stored::Rig(Rig { mesh, rest, weights, bones, transforms, corrections, fps, clips })
            }
            Motion::FromLast => {
                let steps = transforms;
                Stored::Chain(PoseChain { mesh, rest, weights, bones, steps, keys, fps })
            }
        };
        Ok(Contents { stored, clip: name, warnings })
    }

    /// The sentence for a file without a whole frame.
    pub fn no_frames(&self) -> Error {
        let message = match self.end {
            Some(End::Cut) => "the file is cut short before the end of its first frame",
            Some(End::Damaged) => "the first frame is damaged",
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

    /// Checks the record that ends the clip, and looks whether another follows.
    fn done(&mut self) -> Result<End> {
        if Cursor(&self.contents).value() != Some(self.frames) {
            return Ok(End::Damaged);
        }
        let next = self.records.next(&mut self.contents, |_| None).map_err(Error::io(&self.path))?;
        self.more_clips = next == Next::Record(kind::CLIP);
        Ok(End::Whole)
    }
}

fn check_start(input: &mut impl Read, path: &Path) -> Result<()> {
    let mut start = [0; 12];
    let filled = fill(input, &mut start).map_err(Error::io(path))?;
    let (magic, version) = start.split_at(MAGIC.len());
    if magic[..filled.min(MAGIC.len())] != MAGIC[..filled.min(MAGIC.len())] {
        return Err(Error::malformed(path, "this is not a Sinew file: it does not start with its signature"));
    }
    if filled < start.len() {
        let (what, needed) = ("the signature and version".into(), start.len() as u64);
        return Err(Error::Truncated { path: path.into(), what, needed, available: filled as u64 });
    }
    let version = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
    if version != VERSION {
        let message =
            format!("this is version {version} of the Sinew format; this program reads version {VERSION}");
        return Err(Error::unsupported(path, message));
    }
    Ok(())
}

/// Parts of the head as they come.
#[derive(Default)]
struct Parts {
    mesh: Option<Mesh>,
    materials: Vec<Material>,
    images: Vec<Image>,
    rest: Option<Vec<Vec3>>,
    bones: Option<Vec<Bone>>,
    weights: Option<SkinWeights>,
    corrections: Option<Corrections>,
}

fn read_head<R: Read>(records: &mut Records<R>, path: &Path) -> Result<Head> {
    let known = |kind: Kind| (!skippable(kind)).then_some(u64::MAX);
    let (mut parts, mut contents) = (Parts::default(), Vec::new());
    loop {
        let kind = match records.next(&mut contents, known).map_err(Error::io(path))? {
            Next::Record(kind) => kind,
            Next::End | Next::Cut(None) => {
                return Err(Error::malformed(path, "the file is cut short before its first frame"));
            }
            Next::Cut(Some(kind)) => {
                let message = format!("the file is cut short in {} before its first frame", name(kind));
                return Err(Error::malformed(path, message));
            }
            Next::Damaged(kind) => {
                let message = format!("{} is damaged: its checksum does not fit", name(kind));
                return Err(Error::malformed(path, message));
            }
        };
        if kind == kind::CLIP {
            let clip = skin::take_clip(&contents).ok_or_else(|| wrong(kind, path))?;
            return parts.finish(clip, path);
        }
        if !skippable(kind) {
            parts.take(kind, &contents, path)?;
        }
    }
}

impl Parts {
    fn take(&mut self, kind: Kind, contents: &[u8], path: &Path) -> Result<()> {
        let taken = match kind {
            kind::MESH => mesh::take_mesh(contents).map(|mesh| self.mesh = Some(mesh)),
            kind::MATERIALS => mesh::take_materials(contents).map(|materials| self.materials = materials),
            kind::IMAGE => mesh::take_image(contents).map(|image| self.images.push(image)),
            kind::REST => skin::take_rest(contents).map(|rest| self.rest = Some(rest)),
            kind::BONES => skin::take_bones(contents).map(|bones| self.bones = Some(bones)),
            kind::WEIGHTS => skin::take_weights(contents).map(|weights| self.weights = Some(weights)),
            kind::CORRECTIONS => skin::take_corrections(contents).map(|c| self.corrections = Some(c)),
            _ => return Err(unknown(kind, path)),
        };
        taken.ok_or_else(|| wrong(kind, path))
    }

    /// Puts the parts together and checks that they fit.
    fn finish(self, clip: Clip, path: &Path) -> Result<Head> {
        let missing = |kind| Error::malformed(path, format!("the file lacks {}", name(kind)));
        let mesh = self.mesh.ok_or_else(|| missing(kind::MESH))?;
        let mesh = Mesh { materials: self.materials, images: self.images, ..mesh };
        let rest = self.rest.ok_or_else(|| missing(kind::REST))?;
        let bones = self.bones.ok_or_else(|| missing(kind::BONES))?;
        let weights = self.weights.ok_or_else(|| missing(kind::WEIGHTS))?;
        let corrections = self.corrections;
        let (transforms, clips, fps) = (Vec::new(), Vec::new(), clip.fps);
        let rig = Rig { mesh, rest, weights, bones, transforms, corrections, fps, clips };
        check(&rig, clip.motion).map_err(|message| Error::malformed(path, message))?;
        let Rig { mesh, rest, weights, bones, corrections, .. } = rig;
        Ok(Head { mesh, rest, weights, bones, corrections, clip })
    }
}

/// Everything that players rely on, of a rig without frames.
fn check(rig: &Rig, motion: Motion) -> std::result::Result<(), String> {
    let Rig { mesh, rest, weights, bones, corrections, fps, .. } = rig;
    mesh.validate().map_err(|e| e.to_string())?;
    rig.validate().map_err(|e| e.to_string())?;
    if mesh.vertex_count == 0 {
        return Err("the mesh has no vertices".into());
    }
    if mesh.materials.iter().flat_map(|m| &m.textures).any(|(_, image)| *image >= mesh.images.len()) {
        return Err("a material refers to an image that is not there".into());
    }
    if !(*fps > 0.0 && fps.is_finite()) {
        return Err(format!("the frame rate must be a positive number, not {fps}"));
    }
    if motion == Motion::FromLast && corrections.is_some() {
        return Err("corrections do not go with bones that carry each pose to the next".into());
    }
    let finite = rest.iter().all(|p| p.is_finite())
        && bones.iter().all(|b| b.center.is_finite())
        && weights.weights.iter().all(|w| w.is_finite())
        && corrections.iter().all(|c| c.basis.iter().chain(&c.normals).all(|p| p.is_finite()));
    if finite { Ok(()) } else { Err("the rig holds numbers that are not finite".into()) }
}

/// A kind in words.
fn name(kind: Kind) -> String {
    match kind {
        kind::MESH => "the mesh".into(),
        kind::MATERIALS => "the list of materials".into(),
        kind::IMAGE => "an image".into(),
        kind::REST => "the rest pose".into(),
        kind::BONES => "the list of bones".into(),
        kind::WEIGHTS => "the weights".into(),
        kind::CORRECTIONS => "the corrections".into(),
        kind::CLIP => "the head of the clip".into(),
        other => format!("a record of kind {}", other.escape_ascii()),
    }
}

fn wrong(kind: Kind, path: &Path) -> Error {
    Error::malformed(path, format!("{} does not follow the format", name(kind)))
}

fn unknown(kind: Kind, path: &Path) -> Error {
    let message = format!("{} cannot be skipped, and this program does not know it", name(kind));
    Error::unsupported(path, message)
}
