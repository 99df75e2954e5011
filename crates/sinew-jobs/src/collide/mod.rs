//! Where rigs touch, frame by frame.

mod report;
mod scene;

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::collide::{Body, CollideError, Place};
use sinew::progress::Progress;
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::open;

pub use self::report::{CollideReport, CollideSeconds, FirstContact, Found, FrameReport, RefitReport};
use self::scene::{Scene, frame_count};
use crate::error::{FieldProblem, JobError, Outcome};
use crate::frames::FrameChoice;
use crate::job::Job;
use crate::refusals::CollideRefusal;
use crate::target;

sinew::choices! {
    /// Other ways to find contacts.
    pub enum Against: "way" {
        /// A tree of boxes.
        Refit = "refit", "all vertices of every frame, and a tree of boxes fitted to all triangles",
    }
}

/// Finds where two rigs touch each other, or one touches itself.
///
/// Frame by frame, all pairs of triangles that touch: where, and how deep they are in each other. The depth of a pair is how
/// far the one triangle reaches through the plane of the other, the smaller of the two ways. Within a rig, triangles that
/// share a vertex do not count. A rig with fewer frames than the other starts over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollideJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// Another, or the same once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<PathBuf>,
    /// Finds where rigs touch themselves, too.
    #[serde(default)]
    pub within: bool,
    /// Shifts the second rig.
    #[serde(default)]
    pub offset: [f64; 3],
    /// Turns the second rig about the upward axis through the origin, before it is shifted, in degrees.
    #[serde(default)]
    pub turn: f64,
    /// Frames to look at.
    #[serde(default = "all_frames")]
    pub frames: FrameChoice,
    /// The clip of both rigs, by name or number; without, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Does it a second way, and reports how long that takes and whether it finds the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// All contacts and the report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
}

fn all_frames() -> FrameChoice {
    FrameChoice::All
}

impl Default for CollideJob {
    fn default() -> Self {
        Self {
            rig: PathBuf::new(),
            other: None,
            within: false,
            offset: [0.0; 3],
            turn: 0.0,
            frames: all_frames(),
            clip: None,
            against: None,
            output: None,
        }
    }
}

impl Job for CollideJob {
    const NAME: &'static str = "collide";
    type Report = CollideReport;

    fn validate(&self) -> Outcome<()> {
        if self.other.is_none() && !self.within {
            return Err(CollideRefusal::Alone.into());
        }
        target::check(&[self.output.as_deref()])?;
        target::check_apart(&[self.output.as_deref()], self.rigs())?;
        if !self.turn.is_finite() {
            return JobError::field("turn", FieldProblem::NoAngle(self.turn));
        }
        match self.offset.iter().find(|x| !x.is_finite()) {
            Some(x) => JobError::field("offset", FieldProblem::NotFinite(*x)),
            None => Ok(()),
        }
    }

    fn report_to(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<CollideReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let (mut rigs, mut warnings) = (Vec::new(), Vec::new());
        for path in self.rigs() {
            let clips = self.clip.iter().cloned().collect();
            let SampledRig { rig, warnings: said, .. } =
                open::rig(path, &SampleOptions { clips, ..SampleOptions::default() })?;
            warnings.extend(said);
            rigs.push(rig);
        }
        progress.check()?;
        progress.stage("building");
        let mut bodies = Vec::new();
        for (rig, path) in rigs.iter().zip(self.rigs()) {
            bodies.push(Body::new(rig, progress).map_err(|error| match error {
                CollideError::Cancelled => JobError::Cancelled,
                error => JobError::Body { source_name: path.display().to_string(), error },
            })?);
        }
        let built = begun.elapsed().as_secs_f64();
        progress.stage("colliding");
        let total = rigs.iter().map(frame_count).max().unwrap_or(1);
        let frames = self.frames.frames(total, &self.rig.display().to_string())?;
        let scene = Scene { bodies: &bodies, place: self.place(), within: self.within };
        let (found, seconds) = scene.by_spheres(&frames, progress)?;
        let refit = match self.against {
            None => None,
            Some(Against::Refit) => Some(scene.compare(&frames, &found, progress)?),
        };
        if self.output.is_some() {
            progress.stage("writing");
        }
        Ok(CollideReport::new(self, &bodies, found, [built, seconds], refit, warnings))
    }
}

impl CollideJob {
    fn rigs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.rig).chain(&self.other)
    }

    /// Where the second rig stands.
    fn place(&self) -> Place {
        let turn = DQuat::from_rotation_y(self.turn.to_radians());
        Place::from_rotation_translation(turn, DVec3::from_array(self.offset))
    }
}
