//! Error against size.

use serde::{Deserialize, Serialize};
use sinew::progress::Progress;
use sinew::skin::{Cost, SkinOptions, skin};

use super::action::FitOrder;
use super::answer::finish;
use super::fit::{cost, plain};
use super::{Answer, Kind, Outcome, Refusal, Session, Shape};

/// Numbers of bones that are tried.
const BONES: [usize; 8] = [2, 4, 8, 12, 20, 32, 48, 72];

/// A rig that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Its size.
    pub bytes: u64,
    /// Its bones.
    pub bones: usize,
    /// Its error.
    pub percent: f64,
    /// The version it is, if it was kept.
    pub version: Option<u32>,
}

/// One stage among several that are alike.
struct Part<'a> {
    of: &'a dyn Progress,
    number: usize,
}

impl Progress for Part<'_> {
    fn advance(&self, _share: f64) {
        self.of.advance(self.number as f64 / BONES.len() as f64);
    }

    fn cancelled(&self) -> bool {
        self.of.cancelled()
    }
}

impl Session {
    /// Fits rigs of more and more bones in the background, for their errors and sizes alone.
    pub(super) fn trace_curve(&self) -> Result<Outcome, Refusal> {
        let original = self.original()?.clone();
        Ok(Outcome::job("curve", move |progress| {
            progress.stage("fitting");
            let mut points = Vec::new();
            for (number, bones) in BONES.into_iter().enumerate() {
                progress.advance(number as f64 / BONES.len() as f64);
                let options = SkinOptions { bones: Some(bones), ..plain(&FitOrder::default()) };
                let rig = match skin(&original, &options, &Part { of: progress, number }) {
                    Ok(skinned) => skinned.rig,
                    // Small meshes have no use for many bones.
                    Err(_) if !points.is_empty() && !progress.cancelled() => break,
                    Err(error) => return Err(error.into()),
                };
                let Cost { bytes, percent } = cost(&original, &rig);
                points.push(CurvePoint { bytes, bones: rig.bones.len(), percent, version: None });
            }
            finish(move |session| {
                session.check_still_open(&original)?;
                session.curve = points;
                session.touch();
                Ok(Answer::of(serde_json::json!({})))
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
