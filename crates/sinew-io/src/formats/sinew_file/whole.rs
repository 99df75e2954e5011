//! Whole files at once.

use std::io::{Read, Write};
use std::path::Path;

use glam::Vec3;
use sinew::animation;
use sinew::geometry::Mesh;
use sinew::nodes::{self, Node};
use sinew::rig::{Bone, Corrections, PoseChain, Rig, SkinWeights};

use super::{Clip, Frame, Head, HeadRef, Motion, Reader, Writer, open};
use crate::scene::Facts;
use crate::scene::names::Names;
use crate::source::Source;
use crate::warning::Remark;
use crate::{Result, Warning, save};

/// The two kinds of rigs a file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// Bones deform the rest pose.
    Rig(Rig),
    /// Bones carry each pose to the next.
    Chain(PoseChain),
}

impl Stored {
    /// Faces, UVs, materials.
    pub fn mesh(&self) -> &Mesh {
        match self {
            Self::Rig(rig) => &rig.mesh,
            Self::Chain(chain) => &chain.mesh,
        }
    }

    /// The rest pose.
    pub fn rest(&self) -> &[Vec3] {
        match self {
            Self::Rig(rig) => &rig.rest,
            Self::Chain(chain) => &chain.rest,
        }
    }

    /// Which bones move which vertices, at first where that changes.
    pub fn weights(&self) -> &SkinWeights {
        match self {
            Self::Rig(rig) => &rig.weights,
            Self::Chain(chain) => &chain.weights,
        }
    }

    /// The bones.
    pub fn bones(&self) -> &[Bone] {
        match self {
            Self::Rig(rig) => &rig.bones,
            Self::Chain(chain) => &chain.bones,
        }
    }
}

/// A file read whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// What it holds.
    pub stored: Stored,
    /// Name of the clip, may be empty; empty of several, which the rig names.
    pub clip: String,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    /// What the file says about its unit, axes and times.
    pub facts: Facts,
}

/// What is said of a rig besides what it holds: an unnamed clip and no unit by default, the name of the clip where
/// that is all there is to say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Label<'a> {
    /// Name of its motion, where it states no clips.
    pub clip: &'a str,
    /// How many metres a unit is, where that is known.
    pub metres_per_unit: Option<f64>,
}

impl<'a> From<&'a str> for Label<'a> {
    fn from(clip: &'a str) -> Self {
        Self { clip, ..Self::default() }
    }
}

/// Writes a rig whole. Returns the number of bytes.
///
/// # Panics
/// When the rig contradicts itself; see [`Rig::validate`].
pub fn write_rig<'a>(path: &Path, rig: &Rig, label: impl Into<Label<'a>>) -> Result<u64> {
    let label = label.into();
    save(path, |out| put_rig(out, rig, label))
}

/// The same as bytes.
pub fn rig_to_bytes<'a>(rig: &Rig, label: impl Into<Label<'a>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Memory takes everything.
    put_rig(&mut bytes, rig, label.into()).expect("writing to memory");
    bytes
}

pub(super) fn put_rig(out: &mut dyn Write, rig: &Rig, label: Label) -> std::io::Result<()> {
    let stated = rig.clips();
    let clips: Vec<Clip> = stated
        .iter()
        .map(|c| Clip {
            name: if rig.clips.is_empty() { label.clip.into() } else { c.name.clone() },
            fps: c.fps,
            motion: Motion::FromRest,
            frames: Some(c.frames.len() as u64),
        })
        .collect();
    let coefficients = rig.corrections.as_ref().map_or(&[][..], |c| &c.coefficients);
    let head = HeadRef {
        mesh: &rig.mesh,
        rest: &rig.rest,
        weights: &rig.weights,
        bones: &rig.bones,
        skeleton: rig.skeleton.as_ref(),
        corrections: rig.corrections.as_ref(),
        nodes: &rig.nodes,
        armature: &rig.armature,
        clip: &clips[0],
        metres_per_unit: label.metres_per_unit,
    };
    let mut writer = Writer::new(out, &head)?;
    let rank = head.rank();
    for (number, clip) in clips.iter().enumerate() {
        if number > 0 {
            writer.next_clip(clip)?;
        }
        for frame in stated[number].frames.clone() {
            writer.frame(rig.frame_transforms(frame), &coefficients[frame * rank..(frame + 1) * rank])?;
        }
    }
    writer.finish().map(drop)
}

/// Writes a pose-to-pose rig whole. Returns the number of bytes.
///
/// # Panics
/// When the chain contradicts itself; see [`PoseChain::validate`].
pub fn write_chain<'a>(path: &Path, chain: &PoseChain, label: impl Into<Label<'a>>) -> Result<u64> {
    let label = label.into();
    save(path, |out| put_chain(out, chain, label))
}

/// The same as bytes.
pub fn chain_to_bytes<'a>(chain: &PoseChain, label: impl Into<Label<'a>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Memory takes everything.
    put_chain(&mut bytes, chain, label.into()).expect("writing to memory");
    bytes
}

fn put_chain(out: &mut dyn Write, chain: &PoseChain, label: Label) -> std::io::Result<()> {
    let count = chain.frame_count();
    let clip = Clip {
        name: label.clip.into(),
        fps: chain.fps,
        motion: Motion::FromLast,
        frames: Some(count as u64),
    };
    let head = HeadRef {
        mesh: &chain.mesh,
        rest: &chain.rest,
        weights: &chain.weights,
        bones: &chain.bones,
        skeleton: None,
        corrections: None,
        nodes: &chain.nodes,
        armature: "",
        clip: &clip,
        metres_per_unit: label.metres_per_unit,
    };
    let mut writer = Writer::new(out, &head)?;
    let mut later = chain.later_weights.iter().peekable();
    for frame in 0..count {
        if let Some((_, weights)) = later.next_if(|(from, _)| *from == frame) {
            writer.new_weights(weights)?;
        }
        let moves = chain.moves_at(frame);
        if !moves.is_empty() {
            writer.moves(moves)?;
        }
        match chain.keys.binary_search(&frame) {
            Ok(_) => writer.key_frame(chain.frame_steps(frame))?,
            Err(_) => writer.frame(chain.frame_steps(frame), &[])?,
        }
    }
    writer.finish().map(drop)
}

/// Reads a file whole: as many frames as are there. One without any is an error.
pub fn read(source: impl Into<Source>) -> Result<Contents> {
    open(source)?.collect()
}

/// Reads a file once to tell its clips, with the frames that are whole. None at all are an error.
pub fn clips(source: impl Into<Source>) -> Result<Vec<animation::Clip>> {
    let mut reader = open(source)?;
    let (mut clips, mut frame) = (Vec::new(), Frame::default());
    loop {
        while reader.next_frame(&mut frame)? {}
        reader.add_clip(&mut clips)?;
        if !reader.next_clip()? {
            return Ok(told_apart(clips));
        }
    }
}

/// Reads a file from memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Contents> {
    Reader::new(bytes, path)?.collect()
}

/// Several clips have names, each its own.
fn told_apart(mut clips: Vec<animation::Clip>) -> Vec<animation::Clip> {
    if clips.len() > 1 {
        let mut names = Names::default();
        for (number, clip) in clips.iter_mut().enumerate() {
            let name = std::mem::take(&mut clip.name);
            clip.name = names.unique(if name.is_empty() { format!("clip_{number}") } else { name });
        }
    }
    clips
}

impl<R: Read> Reader<R> {
    /// The nodes in as many frames as were read. Those that were lost at the end of a file are left out.
    fn nodes_in(&self, frames: usize) -> Result<Vec<Node>> {
        let nodes = &self.head.nodes;
        let lacks = |node: &&Node| !node.motion.is_still() && node.motion.places().len() < frames;
        match nodes.iter().find(lacks) {
            Some(node) => Err(self.malformed(&format!("node {} does not move in all frames", node.name))),
            None => Ok(nodes::in_frames(nodes, &(0..frames).collect::<Vec<_>>())),
        }
    }

    /// Reads all clips into one rig, of a pose-to-pose rig the first. No frames at all are an error.
    pub fn collect(mut self) -> Result<Contents> {
        let (mut clips, mut frame) = (Vec::new(), Frame::default());
        let (mut transforms, mut coefficients) = (Vec::new(), Vec::new());
        let (mut keys, mut later_weights, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            while self.next_frame(&mut frame)? {
                let number = self.frames() as usize - 1;
                keys.extend(frame.key.then_some(number));
                later_weights.extend(frame.new_weights.take().map(|weights| (number, weights)));
                if !frame.moves.is_empty() {
                    moves.push((number, std::mem::take(&mut frame.moves)));
                }
                transforms.extend_from_slice(&frame.transforms);
                coefficients.extend_from_slice(&frame.coefficients);
            }
            self.add_clip(&mut clips)?;
            if self.head.clip.motion == Motion::FromLast || !self.next_clip()? {
                break;
            }
        }
        let mut warnings = self.warnings();
        if self.has_next_clip() {
            warnings.push(self.said(Remark::OnlyFirstClip.into()));
        }
        let mut clips = told_apart(clips);
        let (fps, motion) = (clips[0].fps, self.head.clip.motion);
        // A rig of one clip states none.
        let clip = if clips.len() == 1 { clips.remove(0).name } else { String::new() };
        let frames = transforms.len() / self.head.bones.len().max(1);
        let nodes = self.nodes_in(frames)?;
        let facts = self.head.facts();
        let Head { mesh, rest, weights, bones, skeleton, corrections, armature, .. } = self.head;
        let stored = match motion {
            Motion::FromRest => {
                let corrections = corrections.map(|c| Corrections { coefficients, ..c });
                Stored::Rig(Rig {
                    mesh,
                    rest,
                    weights,
                    bones,
                    transforms,
                    skeleton,
                    corrections,
                    fps,
                    clips,
                    nodes,
                    armature,
                })
            }
            Motion::FromLast => {
                let steps = transforms;
                let chain =
                    PoseChain { mesh, rest, weights, later_weights, bones, steps, keys, moves, fps, nodes };
                Stored::Chain(chain)
            }
        };
        Ok(Contents { stored, clip, warnings, facts })
    }
}
