//! Reading the motion of a skeleton.

use std::collections::HashMap;
use std::path::Path;

use sinew::motion::Motion;

use super::skeleton::{FPS, Freedom, Skeleton};
use crate::room::check_joints;
use crate::text::{Lines, Words, integer, quoted, real};
use crate::{Error, Result, Warning};

/// Reads a file already in memory, given the skeleton that goes with it. `path` is for messages. Returns the
/// motion, and what was left out.
pub fn parse_amc(bytes: &[u8], path: &Path, skeleton: &Skeleton) -> Result<(Motion, Vec<Warning>)> {
    let numbers = skeleton.bones.iter().enumerate().map(|(number, bone)| (bone.name.as_str(), number));
    let mut file = File {
        path,
        skeleton,
        numbers: numbers.collect(),
        lines: Lines::new(bytes, 1),
        degrees: skeleton.degrees,
        fps: FPS,
        values: skeleton.bones.iter().map(|bone| vec![0.0; bone.freedoms.len()]).collect(),
        filled: vec![false; skeleton.bones.len()],
        first: None,
        last_number: None,
        numbers_read: 0,
        worlds: Vec::new(),
    };
    file.read()?;
    let warnings = file.warnings();
    let motion = Motion { fps: file.fps, ..skeleton.motion(file.worlds) };
    motion.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
    Ok((motion, warnings))
}

struct File<'a> {
    path: &'a Path,
    skeleton: &'a Skeleton,
    /// Bones by name.
    numbers: HashMap<&'a str, usize>,
    lines: Lines<'a>,
    degrees: bool,
    fps: f64,
    /// Numbers of the bones in the frame that is being read.
    values: Vec<Vec<f64>>,
    /// Which bones it has had.
    filled: Vec<bool>,
    /// Which bones the first frame had.
    first: Option<Vec<bool>>,
    /// What the frame is called.
    last_number: Option<i64>,
    /// Of all frames.
    numbers_read: usize,
    worlds: Vec<glam::DAffine3>,
}

impl<'a> File<'a> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::at_line(self.path, self.lines.line().max(1), message)
    }

    fn read(&mut self) -> Result<()> {
        while let Some((_, text)) = self.lines.next_filled() {
            let text = text.trim_ascii();
            let mut words = Words::new(text);
            match (words.next().unwrap_or_default(), words.clone().next()) {
                ([b'#', ..], _) => {}
                (word @ [b':', ..], value) => self.heading(word, value)?,
                (word, None) if integer(word).is_ok() => self.frame(word)?,
                (word, _) => self.bone(word, words)?,
            }
        }
        if self.last_number.is_none() {
            return Err(self.error("the file is cut off: it ends before the first frame"));
        }
        self.close(true)
    }

    fn heading(&mut self, word: &[u8], value: Option<&[u8]>) -> Result<()> {
        match word.to_ascii_lowercase().as_slice() {
            b":degrees" => self.degrees = true,
            b":radians" => self.degrees = false,
            b":samples-per-second" => {
                let fps = real(value.unwrap_or_default()).map_err(|e| self.error(e))?;
                if fps <= 0.0 {
                    return Err(self.error(format!("the frame rate must be a positive number, not {fps}")));
                }
                self.fps = fps;
            }
            _ => {}
        }
        Ok(())
    }

    /// Begins a frame.
    fn frame(&mut self, word: &[u8]) -> Result<()> {
        let number = integer(word).map_err(|e| self.error(e))?;
        if let Some(last) = self.last_number {
            if number != last + 1 {
                return Err(self.error(format!("frame {number} comes after frame {last}")));
            }
            self.close(false)?;
        }
        self.last_number = Some(number);
        Ok(())
    }

    fn bone(&mut self, word: &[u8], words: Words<'a>) -> Result<()> {
        let Some(frame) = self.last_number else {
            let message = format!("{} stands where the number of the first frame belongs", quoted(word));
            return Err(self.error(message));
        };
        let known = std::str::from_utf8(word).ok().and_then(|name| self.numbers.get(name));
        let Some(&bone) = known else {
            return Err(self.error(match self.is_last_line() {
                true => self.cut_off(),
                false => format!("frame {frame} names the bone {}, which the skeleton has not", quoted(word)),
            }));
        };
        let name = &self.skeleton.bones[bone].name;
        if std::mem::replace(&mut self.filled[bone], true) {
            return Err(self.error(format!("frame {frame} has bone {name} twice")));
        }
        let (expected, found) = (self.values[bone].len(), words.clone().count());
        if expected != found {
            let belong =
                if expected == 1 { "1 number belongs" } else { &format!("{expected} numbers belong") };
            return Err(self.error(match found < expected && self.is_last_line() {
                true => self.cut_off(),
                false => format!("frame {frame}: {belong} to bone {name}, and {found} are here"),
            }));
        }
        self.numbers_read += found;
        for (at, word) in words.enumerate() {
            self.values[bone][at] =
                real(word).map_err(|e| self.error(format!("frame {frame}, bone {name}: {e}")))?;
        }
        Ok(())
    }

    fn is_last_line(&self) -> bool {
        self.lines.is_done()
    }

    fn cut_off(&self) -> String {
        let frame = self.last_number.unwrap_or_default();
        format!("the file is cut off within frame {frame}")
    }

    /// Ends a frame.
    fn close(&mut self, last: bool) -> Result<()> {
        let first = self.first.get_or_insert_with(|| self.filled.clone());
        if let Some(bone) = (0..first.len()).find(|&bone| first[bone] != self.filled[bone]) {
            let (name, frame) = (&self.skeleton.bones[bone].name, self.last_number.unwrap_or_default());
            let missing = first[bone];
            return Err(self.error(match (missing, last) {
                (true, true) => self.cut_off(),
                (true, false) => format!("frame {frame} leaves out bone {name}"),
                (false, _) => format!("frame {frame} has bone {name}, which the first frame leaves out"),
            }));
        }
        let bones = self.skeleton.bones.len();
        check_joints(self.worlds.len() / bones + 1, bones, self.numbers_read, self.path)?;
        self.skeleton.pose(&self.values, self.degrees, &mut self.worlds);
        self.filled.fill(false);
        Ok(())
    }

    fn warnings(&self) -> Vec<Warning> {
        let bones = || self.skeleton.bones.iter().zip(self.first.iter().flatten());
        let still = bones().filter(|(bone, moved)| !bone.freedoms.is_empty() && !**moved);
        let stretched = bones().filter(|(bone, moved)| bone.freedoms.contains(&Freedom::Length) && **moved);
        let still = still.map(|(bone, _)| Warning::BoneStill(bone.name.clone()));
        still.chain(stretched.map(|(bone, _)| Warning::BoneStretches(bone.name.clone()))).collect()
    }
}
