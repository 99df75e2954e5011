//! Error against size.

use sinew_jobs::refusals::FitError;
use sinew_jobs::search::curve;
use sinew_jobs::skin::Fit;

use super::fit::cost;
use super::work::finish;
use super::{Answer, CurvePoint, Done, Kind, Refusal, Session, Shape, Work};

/// The most bones of the curve.
const MOST_BONES: usize = 128;

impl Session {
    /// Tells errors and sizes of rigs with more and more bones, in the background.
    pub(super) fn trace_curve(&self) -> Result<Work<Done>, Refusal> {
        let original = self.original()?.clone();
        Ok(Work::background("curve", move |progress| {
            let options = Fit::default().skin_options(None);
            let told = curve(&original, &options, MOST_BONES, &|rig| Ok(cost(&original, rig)), progress);
            let points = told.map_err(FitError::from)?.into_iter().filter(|c| c.bones > 1);
            let points = points
                .map(|c| CurvePoint { bytes: c.bytes, bones: c.bones, percent: c.error, version: None })
                .collect();
            finish(move |session| {
                session.check_still_open(&original)?;
                session.curve = points;
                session.touch();
                Ok(Answer::of(Done {}))
            })
        }))
    }

    /// What was told, with the fits among the versions, the smallest first.
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
        // Of what was told and then fitted, the fit counts.
        let fitted: Vec<usize> = points.iter().filter(|p| p.version.is_some()).map(|p| p.bones).collect();
        points.retain(|p| p.version.is_some() || !fitted.contains(&p.bones));
        points.sort_by_key(|point| point.bytes);
        points
    }
}
