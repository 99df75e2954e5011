//! Shapes of a character in any pose, from its skeleton and a few examples.

mod anchors;
mod compare;
mod examples;
mod flesh;
mod handles;
mod measures;
mod picture;
mod pose;
mod poses;
mod refuse;
mod setup;
mod upright;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::progress::Progress;

pub use self::anchors::AnchorChoice;
pub use self::compare::{Against, ComparePose, DeformCompareReport};
pub use self::flesh::MoveFlesh;
pub use self::measures::Measures;
pub use self::pose::{PoseCharacter, PoseReport, PoseSeconds, skin_poses};
pub use self::poses::Poses;
pub use self::setup::{SetUp, SetupReport};
use crate::error::Outcome;
use crate::job::Job;
use crate::streams::Files;
use crate::target;

/// Deforms a character by its skeleton, with detail and volume kept and examples followed.
///
/// Every triangle turns with the joints around it, the whole is stitched together again, and example shapes say what muscles
/// do: in their own poses exactly, in others as far as these are like them, beyond them more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformJob {
    /// What is done.
    pub step: Step,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// What is done with a character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Makes a character ready: which vertices follow which joint, and its examples.
    Setup(SetUp),
    /// Poses a character: a cache, a folder of frames, or a rig that any engine plays.
    Pose(PoseCharacter),
    /// Gives a motion of a body the flesh that it learnt.
    Flesh(MoveFlesh),
    /// Compares a pose of a character with blended bones: side by side, volume and detail.
    Compare(ComparePose),
}

impl Default for Step {
    fn default() -> Self {
        Self::Setup(SetUp::default())
    }
}

/// What there is to say about a character.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DeformReport {
    /// One that was made ready.
    Setup(SetupReport),
    /// One that was posed.
    Pose(PoseReport),
    /// One beside what blending makes of its bones.
    Compare(DeformCompareReport),
}

impl Job for DeformJob {
    const NAME: &'static str = "deform";
    type Report = DeformReport;

    fn validate(&self) -> Outcome<()> {
        let written = match &self.step {
            Step::Setup(step) => step.target()?,
            Step::Pose(step) => step.target()?,
            Step::Flesh(step) => step.target()?,
            Step::Compare(step) => step.target()?,
        };
        target::check(&[written, self.report.as_deref()])
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let files = match &mut self.step {
            Step::Setup(SetUp { body, handles, examples, output, .. }) => {
                Files::default().read([body]).read(handles).read(examples).written([output])
            }
            Step::Pose(PoseCharacter { character, pose, output, .. })
            | Step::Compare(ComparePose { character, pose, output, .. }) => {
                Files::default().read([character, pose]).written([output])
            }
            Step::Flesh(MoveFlesh { character, primary, output, .. }) => {
                Files::default().read([character, primary]).written([output])
            }
        };
        files.report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<DeformReport> {
        match &self.step {
            Step::Setup(step) => step.perform(progress).map(DeformReport::Setup),
            Step::Pose(step) => step.perform(progress).map(DeformReport::Pose),
            Step::Flesh(step) => step.perform(progress).map(DeformReport::Pose),
            Step::Compare(step) => step.perform(progress).map(DeformReport::Compare),
        }
    }
}
