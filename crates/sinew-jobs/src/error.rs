//! Everything that ends a job early.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use sinew::collide::CollideError;
use sinew::deform::DeformError;
use sinew::flesh::FleshError;
use sinew::light::OcclusionError;
use sinew::lod::LodError;
use sinew::motion::{MappingError, TransplantError};
use sinew::progress::Cancelled;
use sinew::skeleton::SkeletonError;
use sinew::skin::SkinError;
use sinew_picture::PictureError;

use crate::names::has_extension;
use crate::refusals::{
    BakeRefusal, BatchRefusal, CollideRefusal, ConvertRefusal, CrowdRefusal, EditRefusal, FileRefusal,
    FitError, FitRefusal, GivenRefusal, ImportanceRefusal, InfoRefusal, LodRefusal, PictureRefusal,
    ShapeRefusal, SkeletonRefusal, SkinRefusal, StandardRefusal, StreamRefusal,
};
use crate::words::{number, one_of};

/// Short for results of jobs.
pub type Outcome<T> = Result<T, JobError>;

/// Why a job did not do what it was asked to.
///
/// What a door can mend in its own words (an option that is missing, two that do not go together) is told by variants with
/// the names of the job's fields; the command line says `--rest-scale` where the file of a job says `rest_scale`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] sinew_io::Error),
    /// An animation could not be skinned.
    #[error("{source_name}: {error}")]
    Skin {
        /// What was read.
        source_name: String,
        /// Why.
        error: SkinError,
    },
    /// An animation could not be given a skeleton.
    #[error("{source_name}: {error}")]
    Skeleton {
        /// What was read.
        source_name: String,
        /// Why.
        error: SkeletonError,
    },
    /// A rig could not be simplified.
    #[error("{source_name}: {error}")]
    Lod {
        /// What was read.
        source_name: String,
        /// Why.
        error: LodError,
    },
    /// A rig could not be prepared for contacts.
    #[error("{source_name}: {error}")]
    Body {
        /// What was read.
        source_name: String,
        /// Why.
        error: CollideError,
    },
    /// The light of a rig could not be looked for.
    #[error("{source_name}: {error}")]
    Light {
        /// What was read.
        source_name: String,
        /// Why.
        error: OcclusionError,
    },
    /// A file of flesh where a character with joints is meant.
    #[error("{}: this body learnt flesh, and has no joints to be posed", .0.display())]
    HoldsFlesh(PathBuf),
    /// Flesh could not be learnt or moved.
    #[error("{source_name}: {error}")]
    Flesh {
        /// What was read.
        source_name: String,
        /// Why.
        error: FleshError,
    },
    /// A picture could not be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The GPU could not do it.
    #[error(transparent)]
    Gpu(#[from] sinew_gpu::GpuError),
    /// A skeleton was asked for that no mesh can have.
    #[error(transparent)]
    SkeletonOptions(SkeletonError),
    /// What is known of a skeleton cannot be.
    #[error(transparent)]
    SkeletonKnown(#[from] SkeletonRefusal),
    /// A field of the job holds what it cannot hold.
    #[error("{field} {problem}")]
    Field {
        /// Its name.
        field: &'static str,
        /// What is wrong with it.
        problem: FieldProblem,
    },
    /// A file is named like one of another kind than what is to be written.
    #[error("{}: {kind}", path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// What is to be written.
        kind: FileKind,
    },
    /// There is no such frame.
    #[error("{source_name}: there is no frame {frame}; the frames are 0 to {}", frames.saturating_sub(1))]
    NoFrame {
        /// What was read.
        source_name: String,
        /// The frame that was asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// A rig cannot be played so.
    #[error(transparent)]
    Bake(#[from] BakeRefusal),
    /// There is no such list of jobs, or it cannot be run.
    #[error(transparent)]
    Batch(#[from] BatchRefusal),
    /// Contacts are not looked for so.
    #[error(transparent)]
    Collide(#[from] CollideRefusal),
    /// A file cannot become another so.
    #[error(transparent)]
    Convert(#[from] ConvertRefusal),
    /// There is no such crowd.
    #[error(transparent)]
    Crowd(#[from] CrowdRefusal),
    /// A file is not described so, or something is wrong with it.
    #[error(transparent)]
    Info(#[from] InfoRefusal),
    /// A rig does not get such levels of detail.
    #[error(transparent)]
    LodOptions(#[from] LodRefusal),
    /// Something cannot be drawn so.
    #[error(transparent)]
    PictureOptions(#[from] PictureRefusal),
    /// No joints were asked for.
    #[error("0 joints were asked for; a skeleton has at least 1")]
    NoJoints,
    /// Nothing would be left of the work.
    #[error("there is nowhere to put the result: give {}", one_of(fields))]
    NoTarget {
        /// The fields of the job that would name a file.
        fields: &'static [&'static str],
    },
    /// Two results would go to one file.
    #[error("{}: two results cannot go to one file", .0.display())]
    SameTarget(PathBuf),
    /// A result would go to a file that is read.
    #[error("{}: the result would be written over its own input; give it another name", .0.display())]
    OverInput(PathBuf),
    /// A result is a folder, but there is a file.
    #[error("{}: is {}, not a folder", .0.display(), if .0.is_file() { "a file" } else { "a pipe or a device" })]
    NotAFolder(PathBuf),
    /// A rig cannot be written to a file of this name.
    #[error("{}: files of rigs are named {}", path.display(), known.join(", "))]
    RigName {
        /// The file.
        path: PathBuf,
        /// Names that rigs can have.
        known: Vec<String>,
    },
    /// Only GLB files store less.
    #[error("compact is for GLB files; others keep every number as it is")]
    CompactFormat,
    /// An animation and its rest mesh are of different sizes.
    #[error(
        "{source_name}: the animation is {} times the size of its rest mesh {}: they seem to be in different units \
         (such as metres and centimetres); a rest_scale of {} brings the mesh to the animation's units",
        number(*ratio), rest.display(), number(*rest_scale)
    )]
    Units {
        /// What was read.
        source_name: String,
        /// The rest mesh.
        rest: PathBuf,
        /// How many times as large the animation is.
        ratio: f64,
        /// What would bring the mesh to the animation's size.
        rest_scale: f64,
    },
    /// Motion could not be moved over.
    #[error("{}: {error}", path.display())]
    Transplant {
        /// The file that is at fault.
        path: PathBuf,
        /// Why.
        error: TransplantError,
    },
    /// A map of bones to joints does not fit.
    #[error("{}: {error}", path.display())]
    Mapping {
        /// The map.
        path: PathBuf,
        /// Why.
        error: MappingError,
    },
    /// A skeleton without motion was given for motion.
    #[error(
        "{}: an ASF file is a skeleton without motion; give the AMC file that moves it, and this one as asf if that is \
         elsewhere", .0.display()
    )]
    SkeletonWithoutMotion(PathBuf),
    /// There is no such frame of a clip.
    #[error("{}: clip {clip} has no frame {frame} to align; its {frames} frames are counted from 0", path.display())]
    NoFrameToAlign {
        /// The file.
        path: PathBuf,
        /// The clip.
        clip: String,
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// No rate at which frames could follow each other.
    #[error("the frame rate must be a positive number, not {0}")]
    FrameRate(f64),
    /// A rig was not edited.
    #[error(transparent)]
    Edit(#[from] EditRefusal),
    /// A character cannot be deformed so.
    #[error("{}: {error}", path.display())]
    Deform {
        /// The file that is at fault.
        path: PathBuf,
        /// Why.
        error: DeformError,
    },
    /// Bones were asked for where no rig is written.
    #[error("bones is for rigs; name the output *.glb or *.sinew")]
    BonesOfNoRig,
    /// No rig was fitted.
    #[error("{source_name}: {error}")]
    Fit {
        /// What was read.
        source_name: String,
        /// Why.
        error: FitError,
    },
    /// Choices about a fit do not go together.
    #[error(transparent)]
    FitOptions(#[from] FitRefusal),
    /// An animation is not skinned so.
    #[error(transparent)]
    SkinOptions(#[from] SkinRefusal),
    /// Shapes are not skinned so.
    #[error(transparent)]
    Shapes(#[from] ShapeRefusal),
    /// Nobody knows how much vertices count.
    #[error(transparent)]
    Importance(#[from] ImportanceRefusal),
    /// A rig cannot be begun with.
    #[error(transparent)]
    Given(#[from] GivenRefusal),
    /// A rig was needed, and there is a chain of poses.
    #[error("bones that lead from pose to pose make no rig")]
    NoRig,
    /// A file is another than a moment before.
    #[error("{0}: the file changed while it was read")]
    FileChanged(String),
    /// Files do not go together, or cannot be written so.
    #[error(transparent)]
    Files(#[from] FileRefusal),
    /// The listener ended it.
    #[error("cancelled; nothing was written")]
    Cancelled,
    /// There is no stream, or it ended early and is kept as far as it went.
    #[error(transparent)]
    Stream(#[from] StreamRefusal),
    /// Standard streams are not used so.
    #[error(transparent)]
    Standard(#[from] StandardRefusal),
    /// The program that reads our output has gone, which is no error of ours.
    #[error("the output was closed")]
    OutputClosed,
}

/// What is wrong with a field. Its sentence follows the field's name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldProblem {
    /// It counts things, and there have to be some.
    #[error("takes a positive number")]
    Zero,
    /// It lists files, and there have to be some.
    #[error("names no file")]
    NoFile,
    /// It lists files, and there has to be one.
    #[error("names one file and no more")]
    NotOneFile,
    /// It has to be a number between two others.
    #[error("takes a number from {least:e} to {most:e}, not {value:e}")]
    Beyond {
        /// What it holds.
        value: f64,
        /// The least that it can be.
        least: f64,
        /// The most that it can be.
        most: f64,
    },
    /// It has to be a finite number above 0.
    #[error("takes a positive number, not {0}")]
    NotPositive(f64),
    /// It has to be a finite percentage above 0.
    #[error("takes a positive number of percent, not {0}")]
    NotPositivePercent(f64),
    /// It has to be a finite number of degrees.
    #[error("takes a number of degrees, not {0}")]
    NoAngle(f64),
    /// It has to be a finite number.
    #[error("takes finite numbers, not {0}")]
    NotFinite(f64),
    /// It has to be a whole number from 1 to some other.
    #[error("takes 1 to {most}, not {value}")]
    OutOfRange {
        /// What it holds.
        value: u64,
        /// The most that it can be.
        most: u64,
    },
    /// It has to be some share.
    #[error("is a share above 0 and at most 1, not {0}")]
    NoShareAboveZero(f64),
    /// It says how files are read, and what is worked on is in memory.
    #[error("is about files, and the animation is in memory")]
    InMemory,
    /// It has to be a share, which may be none.
    #[error("is a share from 0 to 1, not {0}")]
    NoShareFromZero(f64),
}

impl FieldProblem {
    /// Checks that a field is a number from 1 to `most`.
    ///
    /// # Errors
    /// [`FieldProblem::OutOfRange`].
    pub fn check_range(field: &'static str, value: u64, most: u64) -> Outcome<()> {
        match (1..=most).contains(&value) {
            true => Ok(()),
            false => JobError::field(field, Self::OutOfRange { value, most }),
        }
    }
}

/// What goes into files of one ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileKind {
    /// A picture.
    #[error("pictures are written as PNG; name the file *.png")]
    Picture,
    /// Levels of detail.
    #[error("levels of detail are written as GLB; name the file *.glb")]
    Levels,
    /// Baked light.
    #[error("light is kept in GLB files; name the file *.glb")]
    Light,
    /// A stream.
    #[error("streams are written as .sinew; name the file *.sinew")]
    Stream,
    /// Motion of joints.
    #[error("motion is written as BVH; name the file *.bvh")]
    Motion,
    /// A map of bones to joints.
    #[error("maps are written as TOML; name the file *.toml")]
    Map,
    /// A character that is ready for posing.
    #[error("characters are written as *.deform")]
    Character,
    /// A body with flesh.
    #[error("flesh is written as *.deform")]
    Flesh,
}

impl FileKind {
    /// Checks that a file is named like one of these.
    ///
    /// # Errors
    /// [`JobError::Name`].
    pub fn check(self, path: &Path) -> Outcome<()> {
        let ending = match self {
            Self::Picture => "png",
            Self::Levels | Self::Light => "glb",
            Self::Stream => "sinew",
            Self::Motion => "bvh",
            Self::Map => "toml",
            Self::Character | Self::Flesh => "deform",
        };
        match has_extension(path, ending) {
            true => Ok(()),
            false => Err(JobError::Name { path: path.into(), kind: self }),
        }
    }
}

impl From<Cancelled> for JobError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl JobError {
    /// A [`JobError::Field`].
    pub fn field<T>(field: &'static str, problem: FieldProblem) -> Outcome<T> {
        Err(Self::Field { field, problem })
    }

    /// A [`JobError::Lod`], unless the work was cancelled.
    pub fn lod(source: impl Display, error: LodError) -> Self {
        match error {
            LodError::Cancelled => Self::Cancelled,
            error => Self::Lod { source_name: source.to_string(), error },
        }
    }
}
