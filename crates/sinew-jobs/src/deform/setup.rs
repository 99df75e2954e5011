//! A character made ready for posing.

use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::deform::anchors::{AnchorOptions, Anchors};
use sinew::deform::{DeformError, DeformOptions, Handles};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::deform_file::{self, Examples, HandlesFrom, Setup, at_rest};
use sinew_io::motion::Up;
use sinew_io::open;
use sinew_io::scene::SampleOptions;

use super::anchors::AnchorChoice;
use super::refuse::{refuse, refuse_setup};
use super::{examples, handles};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::units::{self, Unit};
use crate::warning::{Warning, told};

/// Makes a character ready: which vertices follow which joint, and its examples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// The character: a file that holds a rig with a skeleton.
    pub body: PathBuf,
    /// The file to write, *.deform.
    pub output: PathBuf,
    /// Which vertices follow one joint alone: a TOML file; without, they are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handles: Option<PathBuf>,
    /// What handles are found from; without, the skin weights where they tell joints apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handles_from: Option<HandlesFrom>,
    /// Example shapes and their poses: a TOML file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<PathBuf>,
    /// Keeps what examples add at a few triangles: a share of them ("2%"), a number (300), or as many as fit into some bytes
    /// of the file ("64kB"); without, at all, which meets examples exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<AnchorChoice>,
    /// Keeps only the largest influences of joints on a triangle that make this share, above 0 and at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<f64>,
    /// How long a unit of the character is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the character is up, where that is not what the file says; y is up in what is made ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// How far hands, feet and all between follow their bones, 0 to 1; less bends limbs in arcs beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow: Option<f64>,
}

/// A character that was made ready.
#[derive(Debug, Serialize)]
pub struct SetupReport {
    /// The character.
    pub body: String,
    /// How many vertices.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
    /// How many joints.
    pub joints: usize,
    /// Names of joints that move nothing of their own.
    pub without_handle: Vec<String>,
    /// Vertices that follow one joint alone.
    pub handle_vertices: usize,
    /// Names of the examples.
    pub examples: Vec<String>,
    /// Those of one pose are one.
    pub distinct_examples: usize,
    /// Null where examples are kept at all triangles.
    pub anchors: Option<usize>,
    /// Bytes of the examples when posing.
    pub example_bytes: usize,
    /// Time spent.
    pub seconds: f64,
    /// The size of the file.
    pub output_bytes: u64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

impl SetUp {
    /// The file that is written, if it is one, once all is checked.
    pub(super) fn target(&self) -> Outcome<Option<&Path>> {
        FileKind::Character.check(&self.output)?;
        if let Some(keep) = self.keep.filter(|keep| !(*keep > 0.0 && *keep <= 1.0)) {
            return JobError::field("keep", FieldProblem::NoShareAboveZero(keep));
        }
        if let Some(follow) = self.follow.filter(|follow| !(0.0..=1.0).contains(follow)) {
            return JobError::field("follow", FieldProblem::NoShareFromZero(follow));
        }
        units::check(self.scale)?;
        Ok(Some(&self.output))
    }

    fn options(&self) -> DeformOptions {
        let usual = DeformOptions::following();
        let anchors = self.anchors.map(|count| AnchorOptions { count: count.0, ..AnchorOptions::default() });
        DeformOptions {
            keep: self.keep.unwrap_or(usual.keep),
            follow: self.follow.unwrap_or(usual.follow),
            anchors,
        }
    }

    pub(super) fn perform(&self, progress: &dyn Progress) -> Outcome<SetupReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let said = units::said(self.unit, self.up, self.scale);
        let opened = open::rig(&self.body, &SampleOptions::default())?.said(&said);
        let (rig, mut warnings) = (opened.rig, told(opened.warnings));
        let (facts, metres_per_unit) = (opened.facts.clone(), opened.facts.metres_per_unit);
        if rig.skeleton.is_none() {
            return refuse(&self.body, "there is no skeleton; sinew skeleton finds one in a mesh animation");
        }
        progress.check()?;
        let handles = self.find_handles(&rig, progress)?;
        let options = self.options();
        let mut examples = Vec::new();
        if let Some(path) = &self.examples {
            let body = examples::Body {
                path: &self.body,
                rig: &rig,
                handles: &handles,
                facts: &facts,
                said: &said,
                options: &options,
                progress,
            };
            let listed = examples::read(path, &body)?;
            warnings.extend(listed.warnings);
            examples = listed.examples;
        }
        progress.check()?;
        let examples = Examples::Shapes(examples);
        let setup = Setup { rig: at_rest(rig), handles, examples, options, metres_per_unit };
        let deformer = setup.deformer(progress).or_else(|e| self.refuse_character(&setup, e))?;
        let given = setup.example_names().len();
        if deformer.example_count() < given {
            warnings.push(Warning::ExamplesAveraged { given, poses: deformer.example_count() });
        }
        let setup = setup.kept_by(&deformer);
        progress.check()?;
        progress.stage("writing");
        let output_bytes = deform_file::write(&self.output, &setup)?;
        let joints = setup.rig.bones.len();
        let names = |joint: usize| setup.rig.bones[joint].name.clone();
        Ok(SetupReport {
            body: self.body.display().to_string(),
            vertices: deformer.vertex_count(),
            triangles: deformer.triangles().len(),
            joints,
            without_handle: setup.handles.joints_without(joints).into_iter().map(names).collect(),
            handle_vertices: (0..deformer.vertex_count())
                .filter(|&v| setup.handles.joint(v).is_some())
                .count(),
            examples: setup.example_names(),
            distinct_examples: deformer.example_count(),
            anchors: deformer.anchors().map(Anchors::len),
            example_bytes: deformer.example_bytes(),
            seconds: begun.elapsed().as_secs_f64(),
            output_bytes,
            warnings,
        })
    }

    /// Refuses what cannot be set up, by the file it is in.
    fn refuse_character<T>(&self, setup: &Setup, error: DeformError) -> Outcome<T> {
        match (error, &self.examples) {
            (DeformError::ExampleAtRest { example }, Some(path)) => {
                let name = &setup.example_names()[example];
                let message = format!(
                    "{name} has the rest pose but another shape than the body; only one can be its shape"
                );
                refuse(path, message)
            }
            (error, _) => refuse_setup(&self.body, error),
        }
    }

    fn find_handles(&self, rig: &Rig, progress: &dyn Progress) -> Outcome<Handles> {
        match &self.handles {
            Some(path) => handles::read(path, rig),
            None => deform_file::find_handles(rig, self.handles_from, progress)
                .or_else(|e| refuse_setup(&self.body, e)),
        }
    }
}
