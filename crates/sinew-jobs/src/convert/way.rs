//! Which way leads from one file to the other.

use std::path::Path;

use sinew_io::formats::{Format, Holds};
use sinew_io::{open, sequence};

use super::job::ConvertJob;
use crate::error::Outcome;
use crate::poses::{Target, is_folder};
use crate::refusals::{Content, ConvertRefusal, Takes};

/// What is converted.
pub struct Source {
    /// None of a folder or pattern of frames.
    pub format: Option<&'static Format>,
    pub holds: Holds,
}

impl Source {
    pub fn of(path: &Path) -> Outcome<Self> {
        if !path.is_file() {
            // Says what is wrong where there are no frames either.
            sequence::list(&path.into())?;
            return Ok(Self { format: None, holds: Holds::ANIMATION });
        }
        let file = open::document(path)?;
        Ok(Self { format: Some(file.format()), holds: file.holds()? })
    }

    /// Name for people.
    pub fn name(&self) -> &'static str {
        self.format.map_or("frame sequence", |format| format.name)
    }

    /// What it holds, in words.
    fn content(&self) -> Content {
        match self.holds {
            Holds { rig: true, .. } => Content::Rig,
            Holds { poses: true, faces: true, .. } => Content::Animation,
            Holds { poses: true, .. } => Content::Poses,
            Holds { faces: true, .. } => Content::Mesh,
            _ => Content::Joints,
        }
    }
}

/// How a file becomes another.
pub enum Way {
    /// A rig stays one.
    Rig(&'static Format),
    /// A mesh in one pose becomes a rig whose one bone does not move.
    Still(&'static Format),
    /// Joints without a mesh.
    Joints(&'static Format),
    /// Poses, one after another.
    Poses(Target),
}

impl Way {
    pub fn of(source: &Source, job: &ConvertJob) -> Outcome<Self> {
        let (from, output) = (source.holds, &job.output);
        let no_way = |takes: Takes| {
            let (input, output) = (job.input.clone(), job.output.clone());
            Err(ConvertRefusal::NoWay { input, holds: source.content(), output, takes }.into())
        };
        let has_poses = from.poses || from.faces;
        if is_folder(output) {
            if !has_poses {
                return no_way(Takes::MeshEachFrame);
            }
            return Ok(Self::Poses(Target::Folder(job.format.format())));
        }
        let format = job.output_format()?;
        let to = format.writes;
        match () {
            () if from.rig && to.rig => Ok(Self::Rig(format)),
            () if has_poses && to.poses => Ok(Self::Poses(Target::File(format))),
            () if from.joints && to.is_motion() => Ok(Self::Joints(format)),
            () if from.faces && to.is_frame() => Ok(Self::Poses(Target::Mesh(format))),
            () if from.is_frame() && to.rig => Ok(Self::Still(format)),
            () if has_poses && to.rig => Err(ConvertRefusal::NeedsRig {
                input: job.input.clone(),
                is: source.format.map_or("a frame sequence".into(), Format::one),
                holds: source.content(),
                takes: format.one(),
                output: output.clone(),
            }
            .into()),
            () if has_poses && to.is_frame() => no_way(Takes::Mesh),
            () if to.rig => no_way(Takes::Rig),
            () => no_way(if to.joints { Takes::Joints } else { Takes::Poses }),
        }
    }

    /// The format that is written.
    pub fn format(&self) -> &'static Format {
        match self {
            Self::Rig(format) | Self::Still(format) | Self::Joints(format) => format,
            Self::Poses(target) => target.format(),
        }
    }

    /// What is written, in one word.
    pub fn what(&self) -> &'static str {
        match self {
            Self::Rig(_) | Self::Still(_) => "rig",
            Self::Joints(_) => "joints",
            Self::Poses(Target::Mesh(_)) => "mesh",
            Self::Poses(_) => "poses",
        }
    }
}
