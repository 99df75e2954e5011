//! Which way leads from one file to the other.

use std::path::Path;

use sinew_io::formats::{self, Format, Holds};
use sinew_io::open;

use super::ConvertArgs;
use crate::error::{CliError, Outcome};
use crate::poses::{Target, endings, is_folder};

/// What is converted.
pub struct Source {
    /// None of a folder or pattern of frames.
    pub format: Option<&'static Format>,
    pub holds: Holds,
}

impl Source {
    pub fn of(path: &Path) -> Outcome<Self> {
        if !path.is_file() {
            return Ok(Self { format: None, holds: Holds::ANIMATION });
        }
        let format = open::format(path)?;
        Ok(Self { format: Some(format), holds: format.holds(path)? })
    }

    /// Name for people.
    pub fn name(&self) -> &'static str {
        self.format.map_or("frame sequence", |format| format.name)
    }

    /// What it holds, in words.
    fn content(&self) -> &'static str {
        match self.holds {
            Holds { rig: true, .. } => "a rig",
            Holds { poses: true, faces: true, .. } => "an animation",
            Holds { poses: true, .. } => "poses without faces",
            Holds { faces: true, .. } => "a mesh",
            _ => "joints without a mesh",
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
    pub fn of(source: &Source, args: &ConvertArgs) -> Outcome<Self> {
        let (from, output) = (source.holds, &args.output);
        let has_poses = from.poses || from.faces;
        if is_folder(output) {
            if !has_poses {
                return CliError::refused(no_way(source, args, "a mesh in every frame"));
            }
            return Ok(Self::Poses(Target::Folder(args.format.format())));
        }
        let Some(format) = formats::to_write(output) else {
            return CliError::refused(format!(
                "{}: files are written as {}, or into a folder (frames/) for one mesh a frame",
                output.display(),
                endings("or", |f| !f.written.is_empty())
            ));
        };
        let to = format.writes;
        match () {
            () if from.rig && to.rig => Ok(Self::Rig(format)),
            () if has_poses && to.poses => Ok(Self::Poses(Target::File(format))),
            () if from.joints && to.is_motion() => Ok(Self::Joints(format)),
            () if from.faces && to.is_frame() => Ok(Self::Poses(Target::Mesh(format))),
            () if from.is_frame() && to.rig => Ok(Self::Still(format)),
            () if has_poses && to.rig => CliError::refused(format!(
                "{}: {} holds {}, and {} takes a rig; sinew skin {0} -o {} makes one",
                args.input.display(),
                source.format.map_or("a frame sequence".into(), Format::one),
                source.content(),
                format.one(),
                output.display()
            )),
            () if has_poses && to.is_frame() => {
                CliError::refused(no_way(source, args, "a mesh; --rest FILE and a folder give it faces"))
            }
            () => CliError::refused(no_way(source, args, if to.joints { "joints" } else { "poses" })),
        }
    }

    /// The format that is written.
    pub fn format(&self) -> &'static Format {
        match self {
            Self::Rig(format) | Self::Still(format) | Self::Joints(format) => format,
            Self::Poses(target) => target.format(),
        }
    }

    /// The file that is written, unless it is a folder.
    pub fn file<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        match self {
            Self::Poses(target) => target.file(path),
            _ => Some(path),
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

fn no_way(source: &Source, args: &ConvertArgs, takes: &str) -> String {
    let input = args.input.display();
    format!("{input}: this holds {}, and {} takes {takes}", source.content(), args.output.display())
}
