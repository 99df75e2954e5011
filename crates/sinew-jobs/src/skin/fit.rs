//! How a rig is fitted: what people choose, and the rules between the choices.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::segment::StartSegmenter;
use sinew::skin::{BoneKind, CoreSets, Effort, MethodName, Norm, NotANorm, RestPose, Solve, WeightMethod};

use crate::by_word::{Word, by_word};
use crate::error::{FieldProblem, JobError, Outcome};
use crate::refusals::FitRefusal;
use crate::search::Goal;
use crate::skin::largest::Largest;

/// How a rig is fitted. All fields may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fit {
    /// How bones and weights are found; without, "best", or "sma" where a field is given that only that method knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodName>,
    /// Exactly so many bones; without, as many as the animation needs, and 30 with "sad", "fesam" and "pps".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bones: Option<usize>,
    /// Rigid bones turn and shift, flexible ones stretch and shear too; without, flexible, or as `start_rig` has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<BoneKind>,
    /// The most influences on a vertex, usually 4, which every engine keeps; some keep 8 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influences: Option<usize>,
    /// Number of correction shapes, stored as morph targets; usually none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The pose that bones deform: "file" is the given mesh, "first" the first frame, a number that frame, counted from 0;
    /// "auto" is the given mesh or else the first frame, and with "sma" the best of some frames.
    #[serde(skip_serializing_if = "RestPoseChoice::is_auto")]
    pub rest_pose: RestPoseChoice,
    /// What is wanted instead of a number of bones; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<FitGoal>,
    /// Takes bones and their motion from this rig and solves only weights and corrections; for "best" and "sma".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bones_from: Option<PathBuf>,
    /// What bones are made of at first; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<StartSegmenter>,
    /// A rig whose bones, weights and rest pose are improved; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_rig: Option<PathBuf>,
    /// What may change of that rig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solve: Option<Solve>,
    /// Bones of that rig that keep their motion, by name or number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lock_bones: Vec<String>,
    /// Vertices that keep the weights and rest position of that rig: a text file with numbers from 0 and ranges such as
    /// 10-20, separated by spaces, commas or lines; # begins a comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_vertices: Option<PathBuf>,
    /// Leaves the rest pose as it is, instead of moving each vertex to where the bones serve it best; for "best".
    #[serde(skip_serializing_if = "is_false")]
    pub keep_rest: bool,
    /// How long to look for the least error; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What is to be small: the mean error (2), larger ones more than others (up to 12), or the largest ("max"); for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm: Option<NormChoice>,
    /// How much each vertex counts, relative to each other: a text file with a number for each, a PNG picture that is laid
    /// over the UVs, or the name of a colour or another attribute of the mesh; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<PathBuf>,
    /// Lets this many percent of the bones' motions, over all frames but those of the rest pose, be exactly none; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sparse: Option<f64>,
    /// How smooth weights are over the surface, usually 1; 0 leaves them as the error wants them; for "best".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smooth: Option<f64>,
    /// The most rounds of "fesam" and "pps"; they end earlier when the error falls no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// Rotation tolerance of "sma": smaller finds more bones, down to where hardly any triangles move alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// Which triangles "sma" fits bones to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<CoreSets>,
    /// How "sma" solves weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightMethod>,
    /// Lets "nnls" weights of "sma" fall to minus this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_weight: Option<f64>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// What is wanted of a rig instead of a number of bones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FitGoal {
    /// The smallest file with at most this error, in percent of the motion.
    Error(f64),
    /// The smallest file in which no vertex is ever off by more than this: "0.5%" of the diagonal, "0.5mm" and the like, or a
    /// number in units of the source.
    Largest(Largest),
    /// The file with the least error of at most so many bytes.
    Bytes(u64),
}

impl FitGoal {
    /// The field that names it.
    pub fn field(self) -> &'static str {
        match self {
            Self::Error(_) => "goal.error",
            Self::Largest(_) => "goal.largest",
            Self::Bytes(_) => "goal.bytes",
        }
    }
}

impl From<FitGoal> for Goal {
    fn from(goal: FitGoal) -> Self {
        match goal {
            FitGoal::Error(percent) => Self::Percent(percent),
            FitGoal::Largest(Largest { amount, .. }) => Self::Largest(amount),
            FitGoal::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

/// The pose that bones deform: "auto", "file", "first" or a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct RestPoseChoice(pub RestPose);

impl RestPoseChoice {
    pub(crate) fn is_auto(&self) -> bool {
        self.0 == RestPose::Auto
    }
}

impl std::str::FromStr for RestPoseChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| "give auto, file, first or a frame number".into())
    }
}

impl std::fmt::Display for RestPoseChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

by_word!(RestPoseChoice);

/// What is to be small: a power from 2 to 12, or "max".
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Word", into = "Word")]
#[schemars(with = "Word")]
pub struct NormChoice(pub Norm);

impl std::str::FromStr for NormChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|wrong: NotANorm| wrong.to_string())
    }
}

impl std::fmt::Display for NormChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

by_word!(NormChoice);

impl Fit {
    /// The method that is named, or the one that the fields are for.
    pub fn method(&self) -> MethodName {
        let usual = if self.of_sma().is_some() { MethodName::Sma } else { MethodName::Best };
        self.method.unwrap_or(usual)
    }

    /// Whether bones come from a rig.
    pub fn is_from_rig(&self) -> bool {
        self.bones_from.is_some() || self.start_rig.is_some()
    }

    /// The first field that only sma knows.
    fn of_sma(&self) -> Option<&'static str> {
        first(&[
            (self.weights == Some(WeightMethod::Tsvd), "weights tsvd"),
            (self.min_weight.is_some_and(|bound| bound != 0.0), "min_weight"),
            (self.epsilon.is_some(), "epsilon"),
            (self.core.is_some(), "core"),
        ])
    }

    /// The first field that only best knows, but for goals.
    fn of_best(&self) -> Option<&'static str> {
        first(&[
            (self.keep_rest, "keep_rest"),
            (self.smooth.is_some_and(|smooth| smooth != 1.0), "smooth"),
            (self.effort.is_some_and(|effort| effort != Effort::default()), "effort"),
            (self.norm.is_some_and(|norm| norm != NormChoice::default()), "norm"),
            (self.importance.is_some(), "importance"),
            (self.sparse.is_some(), "sparse"),
            (self.start.is_some_and(|start| start != StartSegmenter::default()), "start"),
            (self.start_rig.is_some(), "start_rig"),
            (self.solve.is_some(), "solve"),
            (!self.lock_bones.is_empty(), "lock_bones"),
            (self.lock_vertices.is_some(), "lock_vertices"),
        ])
    }

    /// Checks that the fields go together. `also` is a field beside this struct that only best knows, if it is given.
    ///
    /// # Errors
    /// [`FitRefusal`], and a goal that is no positive number.
    pub fn validate(&self, also: Option<&'static str>) -> Outcome<()> {
        self.check_method(also)?;
        match self.method() {
            MethodName::Best => self.check_best(),
            MethodName::Pps if self.rank.unwrap_or(0) > 0 => Err(FitRefusal::NoShapes.into()),
            MethodName::Sma if self.bones_from.is_some() && self.bones.is_some() => {
                Err(FitRefusal::RigBringsBones("bones_from").into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the method knows all fields that are given.
    fn check_method(&self, also: Option<&'static str>) -> Result<(), FitRefusal> {
        let (method, for_sma) = (self.method(), self.of_sma());
        let because = for_sma.filter(|_| self.method.is_none());
        let unknown = |field, with, because| Err(FitRefusal::Unknown { method, field, with, because });
        if let Some(field) = for_sma.filter(|_| method != MethodName::Sma) {
            return unknown(field, MethodName::Sma, None);
        }
        let of_best = self.of_best().or(self.goal.map(FitGoal::field)).or(also);
        if let Some(field) = of_best.filter(|_| method != MethodName::Best) {
            return unknown(field, MethodName::Best, because);
        }
        let of_both = first(&[
            (self.kind == Some(BoneKind::Rigid), "kind rigid"),
            (self.bones_from.is_some(), "bones_from"),
        ]);
        match of_both.filter(|_| !matches!(method, MethodName::Best | MethodName::Sma)) {
            Some(field) => unknown(field, MethodName::Best, None),
            None => Ok(()),
        }
    }

    fn check_best(&self) -> Outcome<()> {
        if self.bones_from.is_some()
            && let Some(field) = self.of_best()
        {
            return Err(FitRefusal::BonesFromWith(field).into());
        }
        if self.start_rig.is_none() {
            let needs_rig = first(&[
                (self.solve.is_some(), "solve"),
                (!self.lock_bones.is_empty(), "lock_bones"),
                (self.lock_vertices.is_some(), "lock_vertices"),
            ]);
            if let Some(field) = needs_rig {
                return Err(FitRefusal::NeedsRig(field).into());
            }
        }
        if self.is_from_rig() && self.bones.is_some() {
            let field = if self.start_rig.is_some() { "start_rig" } else { "bones_from" };
            return Err(FitRefusal::RigBringsBones(field).into());
        }
        if let Some(value) = self.sparse.filter(|share| !(0.0..100.0).contains(share)) {
            let (least, most) = (0.0, 99.9);
            return JobError::field("sparse", FieldProblem::Beyond { value, least, most });
        }
        match self.goal {
            Some(FitGoal::Error(percent)) if !(percent > 0.0 && percent.is_finite()) => {
                JobError::field("goal.error", FieldProblem::NotPositivePercent(percent))
            }
            Some(FitGoal::Largest(largest)) if !(largest.amount > 0.0 && largest.amount.is_finite()) => {
                JobError::field("goal.largest", FieldProblem::NotPositive(largest.amount))
            }
            Some(goal) if self.is_from_rig() => Err(FitRefusal::GoalWithRig(goal.field()).into()),
            _ => Ok(()),
        }
    }
}

/// The first of some names whose condition holds.
fn first(given: &[(bool, &'static str)]) -> Option<&'static str> {
    given.iter().find(|(given, _)| *given).map(|(_, name)| *name)
}
