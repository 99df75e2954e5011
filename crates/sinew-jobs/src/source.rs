//! Animations that jobs make rigs of: which files, and how they are read.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::AnimationError;
use sinew::progress::Progress;
use sinew_io::motion::Up;
use sinew_io::open::{self, OpenOptions, Opened};

use crate::error::{FieldProblem, JobError, Outcome};
use crate::refusals::FileRefusal;
use crate::units::{self, Unit};
use crate::words::all_of;

/// What names an animation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// A point cache, a folder or pattern of frames, several such files in the order of their numbers, or a file that holds
    /// an animation; several of these are clips of one rig.
    pub inputs: Vec<PathBuf>,
    /// The mesh that goes with a point cache: faces, UVs, materials and a pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PathBuf>,
    /// Scales that mesh first, when it is in other units than the animation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_scale: Option<f64>,
    /// Frames per second of inputs that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Clips of a file that holds several, by name or number; "all" for all, the first that moves without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
    /// How long a unit of the inputs is, where that is not what they say: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the inputs is up, where that is not what they say; y is up in what is made of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

impl Source {
    /// How the files are read.
    pub fn options(&self) -> OpenOptions {
        OpenOptions {
            rest: self.rest.as_ref().map(sinew_io::Source::from),
            rest_scale: self.rest_scale,
            fps: self.fps,
            clips: self.clips.clone(),
            weld: None,
            said: units::said(self.unit, self.up, self.scale),
        }
    }

    /// Checks what no file has to be read for.
    ///
    /// # Errors
    /// No inputs, or a scale that is none.
    pub fn validate(&self) -> Outcome<()> {
        if self.inputs.is_empty() {
            return JobError::field("inputs", FieldProblem::NoFile);
        }
        self.check_numbers()
    }

    /// Checks what is said about an animation, wherever that is.
    ///
    /// # Errors
    /// A scale that is none.
    pub fn check_numbers(&self) -> Outcome<()> {
        units::check(self.scale)
    }

    /// The animation where it is in memory already, at the rate and with what is said about its numbers here.
    ///
    /// # Errors
    /// A field that is about files.
    pub fn take(&self, mut opened: Opened) -> Outcome<Opened> {
        let of_files = [
            (!self.inputs.is_empty(), "inputs"),
            (self.rest.is_some(), "rest"),
            (self.rest_scale.is_some(), "rest_scale"),
            (!self.clips.is_empty(), "clips"),
        ];
        if let Some((_, field)) = of_files.into_iter().find(|(given, _)| *given) {
            return JobError::field(field, FieldProblem::InMemory);
        }
        if let Some(fps) = self.fps {
            opened.set_fps(fps);
        }
        doubt(&mut opened);
        Ok(opened.said(&units::said(self.unit, self.up, self.scale)))
    }

    /// Checks that clips are only chosen of files that have any.
    ///
    /// # Errors
    /// [`FileRefusal::NoClips`].
    pub fn check_clips(&self) -> Outcome<()> {
        check_clips(&self.inputs, &self.clips)
    }

    /// Reads the animation.
    ///
    /// # Errors
    /// What is wrong with a file, or that reading was cancelled.
    pub fn read(&self, progress: &dyn Progress) -> Outcome<Opened> {
        self.check_clips()?;
        read(&self.inputs, &self.options(), progress)
    }
}

/// Reads an animation.
///
/// # Errors
/// What is wrong with a file, or that reading was cancelled.
pub fn read(inputs: &[PathBuf], options: &OpenOptions, progress: &dyn Progress) -> Outcome<Opened> {
    progress.stage("reading");
    // A read that was cancelled is no bad file.
    let mut opened = open::animation(inputs, options, progress)
        .map_err(|e| if progress.cancelled() { JobError::Cancelled } else { JobError::from(e) })?;
    // Readers of files with clips say so themselves.
    if !inputs.iter().any(|path| has_clips(path)) {
        doubt(&mut opened);
    }
    Ok(opened)
}

/// Says so where nothing moves.
fn doubt(opened: &mut Opened) {
    let frames = &opened.animation.frames;
    if !frames.moves(0..frames.len()) {
        opened.warnings.push(sinew_io::Warning::NothingMovesIn(opened.source.clone()));
    }
}

/// Checks that clips are only chosen of files that have any.
///
/// # Errors
/// [`FileRefusal::NoClips`].
pub fn check_clips(inputs: &[PathBuf], clips: &[String]) -> Outcome<()> {
    match clips.iter().find(|clip| *clip != "all") {
        Some(clip) if !inputs.iter().any(|path| has_clips(path)) => {
            let names: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
            Err(FileRefusal::NoClips { source_name: all_of(&names), clip: clip.clone() }.into())
        }
        _ => Ok(()),
    }
}

/// Whether a file is of a format that has clips.
pub fn has_clips(path: &Path) -> bool {
    // What is not there is told by those who read it.
    !path.exists() || path.is_file() && open::format(path).is_ok_and(|format| format.reads.rig)
}

/// What can be done about an animation that cannot be used, where files have to be named for it.
pub fn remedy(error: &AnimationError, opened: &Opened, options: &OpenOptions) -> Option<JobError> {
    match (error, &options.rest) {
        (AnimationError::Units { ratio }, Some(rest)) => Some(JobError::Units {
            source_name: opened.source.clone(),
            rest: rest.path().into(),
            ratio: *ratio,
            rest_scale: ratio * options.rest_scale.unwrap_or(1.0),
        }),
        _ => None,
    }
}
