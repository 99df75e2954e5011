//! Reading motion.
//!
//! In the bind pose no joint is turned: they stand at their offsets. A joint's turns are multiplied in the
//! order in which they are named. Programs disagree on what position channels are. Where only the root has
//! them, they are its place, whatever its offset. Where other joints have them too, they are the places of
//! joints against their parents, as most programs write them, unless they are nearer to zero than to the
//! joints' offsets in the first frame: then they are added to those.

use std::path::Path;

use glam::{DAffine3, DQuat, DVec3};
use sinew::motion::{Motion, SourceJoint};

use super::hierarchy::{Hierarchy, Joint, Kind};
use crate::room::check_joints;
use crate::source::Source;
use crate::text::{Lines, Tokens, Words, integer, real};
use crate::{Error, Result};

/// Reads a file.
pub fn read(source: impl Into<Source>) -> Result<Motion> {
    let source = source.into();
    parse(&source.read()?, source.path())
}

/// Reads a file already in memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Motion> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut tokens = Tokens::new(bytes);
    let joints = Hierarchy::read(&mut tokens, path)?;
    let clip = Recorded::read(tokens, &joints, path)?;
    let motion = play(joints, &clip);
    motion.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
    Ok(motion)
}

/// What `MOTION` holds.
struct Recorded {
    /// Numbers of all channels, frame after frame.
    values: Vec<f64>,
    frames: usize,
    fps: f64,
}

impl Recorded {
    fn read(mut tokens: Tokens, joints: &[Joint], path: &Path) -> Result<Self> {
        let stated = Self::head(&mut tokens, "Frames:", path)?;
        let stated = integer(stated).map_err(|e| Error::at_line(path, tokens.line(), e))?;
        if stated < 0 {
            return Err(Error::at_line(path, tokens.line(), format!("there cannot be {stated} frames")));
        }
        let seconds = Self::head(&mut tokens, "Frame Time:", path)?;
        let seconds = real(seconds).map_err(|e| Error::at_line(path, tokens.line(), e))?;
        if !(seconds > 0.0 && (1.0 / seconds).is_finite()) {
            let message = format!("the time of a frame must be a positive number, not {seconds}");
            return Err(Error::at_line(path, tokens.line(), message));
        }
        if !(seconds * stated as f64).is_finite() {
            let message = format!("{stated} frames of {seconds:e} s never end");
            return Err(Error::at_line(path, tokens.line(), message));
        }
        let mut lines = tokens.into_lines();
        let (values, frames) = Self::frames(&mut lines, stated, joints, path)?;
        Ok(Self { values, frames, fps: snapped(1.0 / seconds) })
    }

    /// The word after a heading, which may be parted by blanks.
    fn head<'a>(tokens: &mut Tokens<'a>, heading: &str, path: &Path) -> Result<&'a [u8]> {
        let cut_off =
            |line: usize| Error::at_line(path, line, "the file is cut off: it ends before the first frame");
        let wanted = heading.replace(' ', "").to_ascii_uppercase();
        let mut seen = Vec::new();
        while seen.len() < wanted.len() {
            let word = tokens.next().ok_or_else(|| cut_off(tokens.line()))?;
            seen.extend(word.to_ascii_uppercase());
        }
        if seen != wanted.as_bytes() {
            let message = format!("“{heading}” and a number belong here");
            return Err(Error::at_line(path, tokens.line(), message));
        }
        tokens.next().ok_or_else(|| cut_off(tokens.line()))
    }

    fn frames(lines: &mut Lines, stated: i64, joints: &[Joint], path: &Path) -> Result<(Vec<f64>, usize)> {
        let channels: usize = joints.iter().map(|joint| joint.channels().len()).sum();
        let (mut values, mut frames) = (Vec::new(), 0_usize);
        while let Some((line, text)) = lines.next_filled() {
            let error = |message: String| Error::at_line(path, line, message);
            if frames as i64 == stated {
                return Err(error(format!("the file states {stated} frames, but here is another")));
            }
            let start = values.len();
            for word in Words::new(text) {
                match real(word) {
                    Ok(value) => values.push(value),
                    Err(_) if is_half_a_number(word) && lines.is_done() => break,
                    Err(e) => return Err(error(format!("frame {frames}: {e}"))),
                }
            }
            let found = values.len() - start;
            if found != channels {
                let last = found < channels && lines.is_done();
                let why = if last { "the file is cut off: " } else { "" };
                return Err(error(format!(
                    "{why}frame {frames} has {found} numbers, but the joints have {channels} channels"
                )));
            }
            frames += 1;
            check_joints(frames, joints.len(), values.len(), path)?;
        }
        if frames as i64 != stated {
            let message = format!("the file is cut off: it states {stated} frames, and {frames} are there");
            return Err(Error::at_line(path, lines.line().max(1), message));
        }
        Ok((values, frames))
    }
}

/// Whether a word may be the start of a number where a file is cut off.
fn is_half_a_number(word: &[u8]) -> bool {
    real(&[word, b"0"].concat()).is_ok()
}

/// Times of frames are rounded: a rate close to a whole number, or to such a number times 1000/1001 (NTSC),
/// is that.
fn snapped(fps: f64) -> f64 {
    let ntsc = (fps * 1.001).round() / 1.001;
    [fps.round(), ntsc].into_iter().find(|f| (fps - f).abs() < 1e-4 * fps && *f > 0.0).unwrap_or(fps)
}

/// Where all joints are in all frames.
fn play(joints: Vec<Joint>, clip: &Recorded) -> Motion {
    let added = positions_are_added(&joints, clip);
    let mut worlds: Vec<DAffine3> = Vec::with_capacity(joints.len() * clip.frames);
    let channels = clip.values.len() / clip.frames.max(1);
    for values in clip.values.chunks_exact(channels.max(1)) {
        let (start, mut at) = (worlds.len(), 0);
        for joint in &joints {
            let values = &values[at..at + joint.channels().len()];
            at += values.len();
            let local = local(joint, values, added && joint.parent.is_some());
            worlds.push(joint.parent.map_or(local, |parent| worlds[start + parent] * local));
        }
    }
    let mut bind: Vec<DAffine3> = Vec::with_capacity(joints.len());
    for joint in &joints {
        let above = joint.parent.map_or(DVec3::ZERO, |parent| bind[parent].translation);
        bind.push(DAffine3::from_translation(above + joint.offset));
    }
    let source = |joint: Joint| SourceJoint { name: joint.name, parent: joint.parent, tip: joint.tip };
    let joints = joints.into_iter().map(source).collect();
    Motion { joints, bind, worlds, fps: clip.fps, ..Motion::default() }
}

/// A joint's transform against its parent.
fn local(joint: &Joint, values: &[f64], added: bool) -> DAffine3 {
    let (mut place, mut turn) = (joint.offset.to_array(), DQuat::IDENTITY);
    for (channel, value) in joint.channels().iter().zip(values) {
        match channel.kind {
            Kind::Position if added => place[channel.axis] += value,
            Kind::Position => place[channel.axis] = *value,
            Kind::Rotation => {
                turn *= DQuat::from_axis_angle(DVec3::AXES[channel.axis], value.to_radians());
            }
        }
    }
    DAffine3::from_rotation_translation(turn.normalize(), DVec3::from_array(place))
}

/// Whether positions of joints other than roots are nearer to zero than to the offsets, in the first frame.
fn positions_are_added(joints: &[Joint], clip: &Recorded) -> bool {
    let (mut at, mut from_zero, mut from_offset) = (0, 0.0, 0.0);
    for joint in joints {
        for channel in joint.channels() {
            if channel.kind == Kind::Position && joint.parent.is_some() {
                let value = clip.values.get(at).copied().unwrap_or_default();
                from_zero += value.abs();
                from_offset += (value - joint.offset[channel.axis]).abs();
            }
            at += 1;
        }
    }
    from_zero < from_offset
}
