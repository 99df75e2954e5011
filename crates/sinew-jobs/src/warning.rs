//! What somebody should know about a result.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use sinew::geometry::Mesh;
use sinew::motion::{EditWarning, PlanWarning, TransplantLoss};
use sinew::skeleton::SkeletonWarning;
use sinew::skin::SkinWarning;
use sinew_io::formats::length;

use crate::facts::{loose_in_words, loose_vertices};
use crate::loss::Loss;
use crate::off::Off;
use crate::refusals::RigDiffers;
use crate::words::{all_of, count, number};

/// Names that a sentence lists.
const MOST_NAMES: usize = 12;

/// What somebody should know about a result. In reports it is a sentence, without its full stop.
///
/// Sentences name no option of a door: each adds its own remedy by matching on the variant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// What a file's reader or writer has to say.
    File(sinew_io::Warning),
    /// One about one of several inputs.
    Of {
        /// What it is called.
        name: String,
        /// What is the matter.
        warning: Box<Self>,
    },
    /// Vertices that no face uses, which are kept.
    LooseVertices {
        /// How many.
        count: usize,
    },
    /// What a rig file holds that does not come along.
    NotKept {
        /// The file.
        path: PathBuf,
        /// What.
        lost: Vec<Loss>,
    },
    /// A level of detail could not be made as small as it was asked to be.
    TrianglesLeft {
        /// How many triangles were asked for.
        asked: usize,
        /// How many are left.
        left: usize,
    },
    /// A skeleton has more roots than bones were asked for.
    BonesLeft {
        /// How many bones were asked for.
        asked: usize,
        /// How many are left.
        left: usize,
    },
    /// Only the finest levels of detail are drawn.
    FinestLevels {
        /// How many.
        most: usize,
    },
    /// The GPU could not do it, and the CPU did.
    NoGpu {
        /// What the GPU said.
        why: String,
        /// What it was to do.
        task: GpuTask,
    },
    /// The input has no faces, and the output could have held them.
    NoFaces {
        /// What was read.
        input: PathBuf,
    },
    /// A scale that was asked for is the same as the one between the units of input and output, which counts as well.
    ScaledTwice {
        /// Metres of the input's unit.
        unit: f64,
        /// The scale.
        scale: f64,
    },
    /// Nothing moves in the clip that was taken.
    NothingMoves {
        /// What was read.
        source_name: String,
        /// The clip.
        clip: String,
    },
    /// A file of motion holds one clip of several.
    OneClip {
        /// The file.
        path: PathBuf,
        /// The clip.
        clip: String,
        /// How many there are.
        clips: usize,
    },
    /// One clip of several was taken, as nobody said which.
    ClipTaken {
        /// The clip.
        taken: String,
        /// All there are.
        clips: Vec<String>,
    },
    /// Bones that moved several separate places of the surface were taken apart.
    BonesSplit {
        /// Names of those that were added.
        added: Vec<String>,
    },
    /// What a rig with another motion does not have of the one it had.
    Lost(TransplantLoss),
    /// What may be wrong about how a motion goes onto a rig.
    Plan(PlanWarning),
    /// What may not be as it was meant after an edit.
    Edit(EditWarning),
    /// Examples of one pose, of which there can be only one.
    ExamplesAveraged {
        /// How many examples there are.
        given: usize,
        /// How many poses, besides that of rest.
        poses: usize,
    },
    /// Poses of one clip of several, as nobody said which.
    PosesOfClip {
        /// The file.
        path: PathBuf,
        /// The clip.
        taken: String,
    },
    /// Joints of a character that a motion does not have.
    JointsMissing {
        /// The motion.
        path: PathBuf,
        /// How many.
        joints: usize,
    },
    /// A motion's joints rest elsewhere than the character's.
    RestElsewhere {
        /// The motion.
        path: PathBuf,
    },
    /// Limbs of two figures are far apart at rest.
    LimbsApart {
        /// By how many degrees.
        degrees: f64,
    },
    /// What the library says about a skin.
    Skin(SkinWarning),
    /// Flesh that says little about motion that it was not learnt from.
    WeakFlesh {
        /// What is left of such motion, in percent of it.
        percent: f64,
    },
    /// A rig is far from its animation.
    FarOff {
        /// In percent of the motion.
        percent: f64,
    },
    /// More correction shapes than glTF demands of clients.
    ManyShapes {
        /// How many there are.
        rank: usize,
        /// How many are demanded.
        most: usize,
    },
    /// Engines keep fewer influences of a vertex than a rig has.
    FewerInfluences {
        /// The engines.
        engines: Vec<&'static str>,
        /// How many they keep.
        most: usize,
        /// How far off the rig is there.
        there: Off,
        /// How far off it is where all are kept, in percent of the motion.
        here: f64,
    },
    /// Of a rig to begin with only the weights are of use.
    OnlyWeightsUsed(RigDiffers),
    /// What may not be as it was meant about a skeleton.
    Skeleton(SkeletonWarning),
    /// Vertices of two animations seem to be in different orders.
    OtherOrder {
        /// The two.
        sources: [String; 2],
    },
    /// A sculpted mesh has other faces than the rig.
    OtherFaces {
        /// The mesh.
        path: PathBuf,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(warning) => warning.fmt(f),
            Self::Of { name, warning } => write!(f, "{name}: {warning}"),
            Self::LooseVertices { count: 1 } => write!(f, "{}; it is kept", loose_in_words(1)),
            Self::LooseVertices { count } => write!(f, "{}; they are kept", loose_in_words(*count)),
            Self::NotKept { path, lost } => {
                let lost: Vec<String> = lost.iter().map(Loss::to_string).collect();
                write!(f, "{}: {} not kept", path.display(), lost.join(" and "))
            }
            Self::TrianglesLeft { asked, left } => write!(
                f,
                "{} asked for, but no edge is left beyond {left} that can go without a tear or a fold",
                count(*asked, "triangle was", "triangles were")
            ),
            Self::BonesLeft { asked, left } => write!(
                f,
                "{} asked for, but {left} are left: joints that hang on no other stay",
                count(*asked, "bone was", "bones were")
            ),
            Self::FinestLevels { most } => write!(f, "only the {most} finest levels are used"),
            Self::NoGpu { why, task: GpuTask::Playing } => write!(f, "{why}; the CPU played the rig instead"),
            Self::NoGpu { why, task: GpuTask::Drawing } => {
                write!(f, "{why}; the CPU draws the picture instead")
            }
            Self::NoFaces { input } => {
                write!(f, "{} holds no faces, so the new file has none", input.display())
            }
            Self::ScaledTwice { unit, scale } => write!(
                f,
                "a unit is {} in the input, which is brought to metres without being asked; everything was made {} times \
                 as large on top of that",
                length(*unit),
                number(*scale)
            ),
            Self::NothingMoves { source_name, clip } if clip.is_empty() => {
                write!(f, "nothing moves in {source_name}")
            }
            Self::NothingMoves { source_name, clip } => {
                write!(f, "nothing moves in clip {clip} of {source_name}")
            }
            Self::OneClip { path, clip, clips } => {
                write!(f, "{} holds {clip} alone, the first of {clips} clips", path.display())
            }
            Self::ClipTaken { taken, clips } => {
                write!(f, "the source has {} clips and {taken} was taken: {}", clips.len(), some_of(clips))
            }
            Self::BonesSplit { added } => write!(
                f,
                "some bones moved several separate places of the surface; each place has its own now: {}",
                added.join(", ")
            ),
            Self::Lost(loss) => loss.fmt(f),
            Self::Plan(warning) => warning.fmt(f),
            Self::Skeleton(warning) => warning.fmt(f),
            Self::Edit(EditWarning::Missed { share }) => write!(
                f,
                "the edited frame is off its shape by up to {} % of the diagonal: bones fold some vertices flat, and \
                 no displacement takes them out of there",
                number(100.0 * share)
            ),
            Self::Edit(EditWarning::NegativeWeights { least }) => write!(
                f,
                "vertices that were sculpted have weights down to {}: their displacements may come out long or askew \
                 in other poses",
                number((*least).into())
            ),
            Self::Edit(warning) => warning.fmt(f),
            Self::ExamplesAveraged { given, poses } => write!(
                f,
                "{given} examples are of {} besides that of rest; those of one pose are averaged",
                count(*poses, "pose", "poses")
            ),
            Self::PosesOfClip { path, taken } => {
                write!(f, "{} has several clips and {taken} was taken", path.display())
            }
            Self::JointsMissing { path, joints } => write!(
                f,
                "{} not in {}; they stay as in the rest pose",
                count(*joints, "joint is", "joints are"),
                path.display()
            ),
            Self::RestElsewhere { path } => write!(
                f,
                "the joints of {} rest elsewhere than the character's; its motion was moved over as sinew transplant \
                 does",
                path.display()
            ),
            Self::LimbsApart { degrees } => {
                write!(f, "their limbs are {degrees} degrees apart at rest, so the poses may be wrong")
            }
            Self::Skin(warning) => warning.fmt(f),
            Self::WeakFlesh { percent } => write!(
                f,
                "what was learnt says little: {percent:.0} % of the motion of the flesh is left on frames that were not learnt \
                 from, so that other motion may gain nothing by it"
            ),
            Self::FarOff { percent } => write!(
                f,
                "the rig is {} % off; more bones bring it closer, and corrections (a rank of 8) more so",
                number(*percent)
            ),
            Self::ManyShapes { rank, most } => write!(
                f,
                "{rank} correction shapes are more than glTF demands of clients ({most}); the strongest come first, and \
                 clients may drop the others"
            ),
            Self::FewerInfluences { engines, most, there, here } => {
                let keep = if engines.len() == 1 { "keeps" } else { "keep" };
                write!(f, "{} {keep} {most} influences of a vertex: the rig is ", all_of(engines))?;
                match *there {
                    Off::Motion(percent) => {
                        write!(f, "{} % off there, not {} %", number(percent), number(*here))
                    }
                    off @ Off::Diagonal(_) => write!(f, "up to {off} off there"),
                }
            }
            Self::OnlyWeightsUsed(differs) => write!(f, "{differs}; only its weights are used"),
            Self::OtherOrder { sources: [a, b] } => write!(
                f,
                "the vertices of {b} seem to be in another order than those of {a} (programs that pack or weld files change \
                 it), so that the distances between them mean nothing"
            ),
            Self::OtherFaces { path } => write!(
                f,
                "{}: its faces are not those of the rig, so its vertices may be in another order",
                path.display()
            ),
        }
    }
}

impl Warning {
    /// What to say of vertices that no face uses, if there are any.
    pub fn loose(mesh: &Mesh) -> Option<Self> {
        let count = loose_vertices(mesh);
        (count > 0).then_some(Self::LooseVertices { count })
    }

    /// What it says that a file holds and that is not read.
    pub fn loss(&self) -> Option<Loss> {
        match self {
            Self::File(warning) => warning.unkept().cloned().map(Loss::Unread),
            Self::Of { warning, .. } => warning.loss(),
            _ => None,
        }
    }

    /// The sentence, with that of what is the matter as `say` has it: the sentence of the warning itself with a remedy.
    pub fn told(&self, say: &dyn Fn(&Self) -> String) -> String {
        match self {
            Self::Of { name, warning } => format!("{name}: {}", warning.told(say)),
            other => say(other),
        }
    }
}

impl From<sinew_io::Warning> for Warning {
    fn from(warning: sinew_io::Warning) -> Self {
        Self::File(warning)
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// What the GPU was to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuTask {
    /// Play a rig.
    Playing,
    /// Draw a picture.
    Drawing,
}

/// Warnings of files among others.
pub fn told<W: Into<Warning>>(warnings: impl IntoIterator<Item = W>) -> Vec<Warning> {
    warnings.into_iter().map(Into::into).collect()
}

/// Names in a sentence, of very many the first.
pub fn some_of(names: &[String]) -> String {
    match names.len().saturating_sub(MOST_NAMES) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..MOST_NAMES].join(", ")),
    }
}
