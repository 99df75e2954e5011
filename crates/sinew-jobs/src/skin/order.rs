//! What is asked for.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::skin::{MethodName, SkinError, WeightMethod};
use sinew_io::open::{OpenOptions, Opened};

use super::fit::Fit;
use crate::error::JobError;
use crate::names::has_extension;
use crate::refusals::{FitError, SkinRefusal};
use crate::shard::Shard;
use crate::source::{Source, remedy};
use crate::units::Units;

/// The usual working set, in bytes.
pub const DEFAULT_MEMORY: u64 = 2_000_000_000;

/// Turns an animation into a rig.
///
/// Finds bones, weights and, on request, corrections that replay the animation, and writes them as a skinned, animated file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkinJob {
    /// The animation.
    pub source: Source,
    /// How the rig is fitted.
    #[serde(default)]
    pub fit: Fit,
    /// The rig: a file of any format that holds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Takes the shapes of the mesh (morph targets, blend shapes), each a pose, and makes one clip of each. Where nothing
    /// moves this is done anyway.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shapes: bool,
    /// Shapes that count as one more together, such as "smile+jaw_open".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combine: Vec<String>,
    /// What each bone does in each shape, for engines that drive bones by the weights of shapes: a JSON file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<PathBuf>,
    /// Stores less, with no vertex off by more than this many percent of the mesh's diagonal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact: Option<f64>,
    /// The working set in bytes, usually 2,000,000,000: of animations whose frames take more, the rig is learnt from as many
    /// frames as fit, evenly over all, and then taken through all; memory stays below twice this and 64 MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Only the frames of one part of an animation beyond the working set, such as "3/16": parts may be done at once on machines that
    /// share the folder of the output, are kept beside it, and become the rig when the last of them is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Draws what was tried for a goal, error against size: a PNG file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl SkinJob {
    /// The files that are written, in the order they are listed.
    pub fn targets(&self) -> [Option<&Path>; 4] {
        [self.output.as_deref(), self.table.as_deref(), self.report.as_deref(), self.plot.as_deref()]
    }

    /// Refuses what GLB files cannot store.
    pub(super) fn check_glb(&self, output: &Path) -> Result<(), SkinRefusal> {
        let fit = &self.fit;
        let negative = match fit.weights {
            Some(WeightMethod::Tsvd) => Some("weights tsvd makes"),
            _ if fit.min_weight.is_some_and(|bound| bound > 0.0) => Some("min_weight above 0 allows"),
            _ => None,
        };
        match negative {
            _ if !has_extension(output, "glb") => Ok(()),
            _ if fit.method() == MethodName::Pps => Err(SkinRefusal::ChainFile(output.into())),
            Some(field) => Err(SkinRefusal::NegativeWeights { field }),
            None => Ok(()),
        }
    }

    /// Units of the animation and of the file.
    pub(super) fn units(&self, opened: &Opened) -> Units {
        Units::of_file(&opened.facts, self.output.as_deref())
    }

    /// How much less is stored, as a share of the diagonal.
    pub(super) fn share(&self) -> Option<f64> {
        self.compact.map(|percent| percent / 100.0)
    }
}

/// Adds the names of files, and what can be done.
pub(super) fn explain(error: FitError, opened: &Opened, options: &OpenOptions) -> JobError {
    let source_name = opened.source.clone();
    match error {
        FitError::Cancelled => JobError::Cancelled,
        FitError::Skin(error) => {
            let remedy = match &error {
                SkinError::Animation(error) => remedy(error, opened, options),
                _ => None,
            };
            remedy.unwrap_or(JobError::Skin { source_name, error })
        }
        error => JobError::Fit { source_name, error },
    }
}
