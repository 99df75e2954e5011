//! Error against size.

use sinew::progress::Part;
use sinew::skin::{SkinError, skin};
use sinew_jobs::search::Cost;
use sinew_jobs::skin::Fit;

use super::fit::cost;
use super::work::finish;
use super::{Answer, CurvePoint, Done, Kind, Refusal, Session, Shape, Work};

/// Numbers of bones that are tried.
const BONES: [usize; 8] = [2, 4, 8, 12, 20, 32, 48, 72];

impl Session {
    /// Fits rigs of more and more bones in the background, for their errors and sizes alone.
    pub(super) fn trace_curve(&self) -> Result<Work<Done>, Refusal> {
        let original = self.original()?.clone();
        Ok(Work::background("curve", move |progress| {
            progress.stage("fitting");
            let mut points = Vec::new();
            for (number, bones) in BONES.into_iter().enumerate() {
                let share = |number: usize| number as f64 / BONES.len() as f64;
                let part = Part { whole: progress, from: share(number), to: share(number + 1) };
                let options = Fit { bones: Some(bones), ..Fit::default() }.skin_options(None);
                let rig = match skin(&original, &options, &part) {
                    Ok(skinned) => skinned.rig,
                    // Small meshes have no room for many bones.
                    Err(SkinError::BoneCount { .. }) if !points.is_empty() => break,
                    Err(error) => return Err(error.into()),
                };
                let Cost { bytes, percent } = cost(&original, &rig);
                points.push(CurvePoint { bytes, bones: rig.bones.len(), percent, version: None });
            }
            finish(move |session| {
                session.check_still_open(&original)?;
                session.curve = points;
                session.touch();
                Ok(Answer::of(Done {}))
            })
        }))
    }

    /// What was tried, with the fits among the versions, the smallest first.
    pub fn curve(&self) -> Vec<CurvePoint> {
        let mut points = self.curve.clone();
        for version in self.versions.iter().filter(|v| v.kind == Kind::Fit) {
            let (Some(errors), Some(bytes), Shape::Rig(rig)) =
                (&version.errors, version.bytes, &version.shape)
            else {
                continue;
            };
            let (bones, percent) = (rig.bones.len(), errors.percent);
            points.push(CurvePoint { bytes, bones, percent, version: Some(version.id) });
        }
        points.retain(|point| point.percent.is_finite());
        // What was tried and then fitted again is one point.
        let fitted: Vec<(u64, usize)> =
            points.iter().filter(|p| p.version.is_some()).map(|p| (p.bytes, p.bones)).collect();
        points.retain(|p| p.version.is_some() || !fitted.contains(&(p.bytes, p.bones)));
        points.sort_by_key(|point| point.bytes);
        points
    }
}
