//! What the inputs are.

use std::path::PathBuf;

use crate::formats::{Document, tell};
use crate::source::Source;
use crate::{Error, Result, natural, sequence};

/// What an input is.
pub(super) enum Input {
    /// Meshes, each a frame.
    Meshes(Vec<Source>),
    /// A file of poses.
    File(Box<dyn Document>),
}

/// What the inputs are, one for each clip, with the paths they were named by.
pub(super) fn gather(inputs: &[Source]) -> Result<Vec<(PathBuf, Input)>> {
    if let [input] = inputs {
        return Ok(vec![(input.path().into(), one(input)?)]);
    }
    let is_mesh = |input: &Source| -> Result<bool> { Ok(input.is_file() && tell(input)?.reads.is_frame()) };
    let meshes: Vec<bool> = inputs.iter().map(is_mesh).collect::<Result<_>>()?;
    if meshes.iter().all(|m| *m) {
        // Several meshes are frames. Shells sort patterns letter by letter, so they are put in natural order.
        let mut files = inputs.to_vec();
        let name = |file: &Source| file.path().to_string_lossy().into_owned();
        files.sort_by(|a, b| natural::compare(&name(a), &name(b)));
        let first = files.first().map(|file| file.path().to_path_buf()).unwrap_or_default();
        return Ok(vec![(first, Input::Meshes(files))]);
    }
    if let (Some(frame), Some(clip)) = (meshes.iter().position(|m| *m), meshes.iter().position(|m| !*m)) {
        let [path, clip] = [frame, clip].map(|number| inputs[number].path().into());
        return Err(Error::FrameAmongClips { path, clip });
    }
    inputs.iter().map(|input| Ok((input.path().into(), one(input)?))).collect()
}

fn one(input: &Source) -> Result<Input> {
    if !input.is_file() {
        return Ok(Input::Meshes(sequence::list(input)?));
    }
    let format = tell(input)?;
    match format.reads {
        holds if holds.is_frame() => Ok(Input::Meshes(vec![input.clone()])),
        holds if holds.poses => Ok(Input::File(format.open(input)?)),
        _ => {
            let message = format!("{} holds joints that move, but no mesh", format.one());
            Err(Error::unsupported(input.path(), message))
        }
    }
}

/// Files in a few words.
pub(super) fn names(files: &[Source]) -> String {
    match files {
        [file] => file.name(),
        [first, .., last] => format!("{} files, {} to {}", files.len(), first.name(), last.name()),
        [] => String::new(),
    }
}
