//! A character beside what blending makes of its bones.

use std::path::{Path, PathBuf};

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::animation::PoseSource;
use sinew::deform::{Deformer, Pose, signed_volume};
use sinew::progress::Progress;
use sinew::rig::{BlendPlayer, Blending};
use sinew_io::deform_file::Setup;
use sinew_picture::UpAxis;

use super::measures::Measures;
use super::picture::{self, BENDS};
use super::pose::facts;
use super::poses;
use super::refuse::{character, refuse_setup};
use super::upright;
use crate::error::{FileKind, Outcome};
use crate::pictures::save_png;

/// Compares a pose of a character with blended bones: side by side, volume and detail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparePose {
    /// The character, made ready.
    pub character: PathBuf,
    /// The pose: a TOML file, or a frame of a motion.
    pub pose: PathBuf,
    /// The clip of the motion, by name or number; without, the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// The frame of the motion, counted from 0.
    #[serde(default)]
    pub frame: usize,
    /// What it is compared with, on the weights that the character came with.
    #[serde(default)]
    pub against: Against,
    /// Where to look from: degrees around and above; 0, 0 is from +Z, 90, 0 from +X; without, at the whole from aside, at the
    /// bend across its plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<[f32; 2]>,
    /// Which way is up in the data; without, found from what the body stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// The picture to write, a PNG file.
    pub output: PathBuf,
}

sinew::choices! {
    /// How bones are blended.
    #[derive(Default)]
    pub enum Against: "blending" {
        /// Linearly.
        #[default]
        Lbs = "lbs", "Linear blend skinning",
        /// By dual quaternions.
        Dual = "dual", "Dual quaternions",
        /// By rotations about centres.
        Centres = "centres", "Rotations about centres",
    }
}

/// A character beside what blending makes of its bones.
#[derive(Debug, Serialize)]
pub struct DeformCompareReport {
    /// The character.
    pub character: String,
    /// The pose.
    pub pose: String,
    /// Triangles around the joints that turn, which is where all of this is measured.
    pub triangles: usize,
    /// Volume there in the rest pose, closed by fans.
    pub rest_volume: f64,
    /// What the character keeps.
    pub deformed: Measures,
    /// What blending keeps.
    pub blended: Measures,
}

impl ComparePose {
    /// The file that is written, if it is one, once all is checked.
    pub(super) fn target(&self) -> Outcome<Option<&Path>> {
        FileKind::Picture.check(&self.output)?;
        Ok(Some(&self.output))
    }

    pub(super) fn perform(&self, progress: &dyn Progress) -> Outcome<DeformCompareReport> {
        progress.stage("reading");
        let setup = character(&self.character)?;
        let facts = facts(&setup);
        let of = poses::Of { rig: &setup.rig, facts: &facts };
        let (pose, _) = poses::one(&self.pose, self.clip.as_deref(), self.frame, &of, progress)?;
        progress.check()?;
        let deformer = setup.deformer(progress).or_else(|e| refuse_setup(&self.character, e))?;
        progress.stage("posing");
        let deformed = deformer.pose(&pose);
        let blended = blended(&setup, &pose, self.against);
        progress.check()?;
        progress.stage("drawing");
        let region = bent(&setup, &deformer, &pose);
        let rest_volume = signed_volume(&region, &setup.rig.rest);
        let measures = |shape: &[Vec3]| Measures::of(&region, &setup.rig.rest, shape);
        let report = DeformCompareReport {
            character: self.character.display().to_string(),
            pose: self.pose.display().to_string(),
            triangles: region.len(),
            rest_volume,
            deformed: measures(&deformed),
            blended: measures(&blended),
        };
        let shapes = [(&blended[..], self.against.title()), (&deformed[..], "deform")];
        let up = self.up.unwrap_or_else(|| upright::axis(&setup, &pose));
        let view = picture::View { angles: self.view.map(Into::into), up };
        save_png(&self.output, &picture::sheet(&setup, &pose, &region, &shapes, &view)?)?;
        Ok(report)
    }
}

impl Against {
    /// Above a picture of it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Lbs => "linear",
            Self::Dual => "dual quaternions",
            Self::Centres => "centres",
        }
    }

    fn blending(self) -> Blending {
        match self {
            Self::Lbs => Blending::Linear,
            Self::Dual => Blending::Dual,
            Self::Centres => Blending::Centres,
        }
    }
}

/// What blending makes of the pose.
fn blended(setup: &Setup, pose: &Pose, against: Against) -> Vec<Vec3> {
    let mut rig = setup.rig.clone();
    rig.transforms = pose.transforms(&setup.skeleton(), &setup.joints());
    BlendPlayer::new(&rig, against.blending()).pose(0)
}

/// The triangles that follow a joint which turns, or its parent; all where none does.
fn bent(setup: &Setup, deformer: &Deformer, pose: &Pose) -> Vec<[u32; 3]> {
    let skeleton = setup.skeleton();
    let mut counts = vec![false; pose.turns.len()];
    for (joint, turn) in pose.turns.iter().enumerate() {
        if let Some(parent) = skeleton.parents[joint].filter(|_| turn.length() > BENDS) {
            (counts[joint], counts[parent]) = (true, true);
        }
    }
    let all = setup.rig.mesh.triangles(&setup.rig.rest);
    let follows =
        |v: u32| deformer.vertex_influences(v as usize).first().is_some_and(|i| counts[i.0 as usize]);
    let some: Vec<[u32; 3]> = all.iter().filter(|t| t.iter().all(|&v| follows(v))).copied().collect();
    if some.is_empty() { all } else { some }
}
