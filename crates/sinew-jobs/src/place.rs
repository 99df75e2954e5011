//! Where an error is: for doors that tell it to programs, which read fields rather than sentences.

use std::path::{Path, PathBuf};

use sinew::animation::AnimationError;
use sinew::skeleton::SkeletonError;
use sinew::skin::SkinError;

use crate::error::JobError;
use crate::refusals::{FileRefusal, FitError};

sinew::choices! {
    /// What an error is about.
    #[derive(Default)]
    pub enum Subject: "subject" {
        /// A file.
        File = "file", "a file that cannot be read or written",
        /// An animation.
        Animation = "animation", "positions or faces that cannot be used",
        /// What was asked for.
        Options = "options", "what was asked for cannot be, or does not go together",
        /// The work.
        #[default]
        Work = "work", "the work itself",
        /// Nothing: it was ended.
        Cancelled = "cancelled", "the work was cancelled",
    }
}

/// Where an error is, as far as it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// What it is about.
    pub subject: Subject,
    /// The file.
    pub file: Option<PathBuf>,
    /// The frame, from 0.
    pub frame: Option<usize>,
    /// The vertex, from 0.
    pub vertex: Option<usize>,
    /// The field of the job.
    pub field: Option<&'static str>,
}

impl Place {
    fn of(subject: Subject) -> Self {
        Self { subject, ..Self::default() }
    }

    fn in_file(path: &Path) -> Self {
        Self { file: Some(path.into()), ..Self::of(Subject::File) }
    }
}

impl JobError {
    /// Where it is.
    pub fn place(&self) -> Place {
        match self {
            Self::Cancelled => Place::of(Subject::Cancelled),
            Self::File(error) => of_file(error),
            Self::Skin { error, .. } => of_skin(error),
            Self::Fit { error: FitError::Skin(error), .. } => of_skin(error),
            Self::Skeleton { error: SkeletonError::Animation(error), .. } => of_animation(error),
            Self::Files(FileRefusal::NotFinite { frame, vertex, .. }) => {
                Place { frame: Some(*frame), vertex: Some(*vertex), ..Place::of(Subject::Animation) }
            }
            Self::Field { field, .. } => Place { field: Some(field), ..Place::of(Subject::Options) },
            Self::Name { path, .. } | Self::RigName { path, .. } => {
                Place { file: Some(path.clone()), ..Place::of(Subject::Options) }
            }
            Self::NoFrame { frame, .. } => Place { frame: Some(*frame), ..Place::of(Subject::Options) },
            Self::SameTarget(path) | Self::OverInput(path) | Self::NotAFolder(path) => {
                Place { file: Some(path.clone()), ..Place::of(Subject::Options) }
            }
            Self::Units { rest, .. } => Place { file: Some(rest.clone()), ..Place::of(Subject::Animation) },
            Self::Transplant { path, .. } | Self::Mapping { path, .. } | Self::Deform { path, .. } => {
                Place { file: Some(path.clone()), ..Place::default() }
            }
            Self::SkeletonWithoutMotion(path) => Place::in_file(path),
            Self::NoFrameToAlign { path, frame, .. } => Place {
                file: Some(path.clone()),
                frame: Some(*frame),
                field: Some("align_source"),
                ..Place::of(Subject::Options)
            },
            Self::FitOptions(_)
            | Self::SkinOptions(_)
            | Self::SkeletonOptions(_)
            | Self::SkeletonKnown(_)
            | Self::PictureOptions(_)
            | Self::LodOptions(_)
            | Self::NoJoints
            | Self::NoTarget { .. }
            | Self::CompactFormat
            | Self::FrameRate(_)
            | Self::BonesOfNoRig
            | Self::NoRig => Place::of(Subject::Options),
            _ => Place::default(),
        }
    }
}

fn of_file(error: &sinew_io::Error) -> Place {
    use sinew_io::Error as E;
    match error {
        E::FrameMismatch { path, frame, .. } => Place { frame: Some(*frame), ..Place::in_file(path) },
        E::Io { path, .. }
        | E::Truncated { path, .. }
        | E::Malformed { path, .. }
        | E::Unsupported { path, .. }
        | E::NeedsMesh { path, .. }
        | E::CacheNotFrames { path, .. }
        | E::FrameAmongClips { path, .. }
        | E::NoSkeletonBeside { path, .. } => Place::in_file(path),
        E::NegativeWeight { path, vertex, .. } => Place { vertex: Some(*vertex), ..Place::in_file(path) },
    }
}

fn of_skin(error: &SkinError) -> Place {
    match error {
        SkinError::Animation(error) => of_animation(error),
        SkinError::AllDegenerate { .. } => Place::of(Subject::Animation),
        SkinError::NoSuchFrame { frame, .. } => {
            Place { frame: Some(*frame), field: Some("rest_pose"), ..Place::of(Subject::Options) }
        }
        SkinError::BoneCount { .. } | SkinError::PointCount { .. } => {
            Place { field: Some("bones"), ..Place::of(Subject::Options) }
        }
        SkinError::InfluenceCount { .. } => {
            Place { field: Some("influences"), ..Place::of(Subject::Options) }
        }
        SkinError::Cancelled => Place::of(Subject::Cancelled),
        _ => Place::of(Subject::Options),
    }
}

/// Frames of clips are counted from the first of the clip, as in the sentence.
fn of_animation(error: &AnimationError) -> Place {
    let (mut frame, mut vertex) = (None, None);
    match error {
        AnimationError::InClip { error, .. } => return of_animation(error),
        AnimationError::NotFinite { frame: f, vertex: v }
        | AnimationError::TooLarge { frame: f, vertex: v } => {
            (frame, vertex) = (Some(*f), Some(*v));
        }
        AnimationError::RestNotFinite { vertex: v } => vertex = Some(*v),
        AnimationError::NoSuchVertex { vertex: v, .. } => vertex = Some(*v as usize),
        _ => {}
    }
    Place { frame, vertex, ..Place::of(Subject::Animation) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_they_are() {
        let error = AnimationError::NotFinite { frame: 3, vertex: 7 };
        let place = JobError::Skin { source_name: "a".into(), error: error.into() }.place();
        assert_eq!((place.subject, place.frame, place.vertex), (Subject::Animation, Some(3), Some(7)));
        let place = JobError::File(sinew_io::Error::malformed(Path::new("a.obj"), "no")).place();
        assert_eq!((place.subject, place.file.as_deref()), (Subject::File, Some(Path::new("a.obj"))));
        assert_eq!(JobError::Cancelled.place().subject, Subject::Cancelled);
    }
}
