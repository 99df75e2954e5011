//! Where rigs touch, frame by frame.

mod job;
mod report;
mod scene;

use std::path::Path;
use std::time::Instant;

use sinew::collide::{Body, CollideError};
use sinew::geometry::Similarity;
use sinew::progress::Progress;
use sinew_io::formats::Facts;
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};

pub use self::job::{Against, CollideJob};
pub use self::report::{CollideReport, CollideSeconds, FirstContact, Found, FrameReport, RefitReport};
use self::scene::{Scene, frame_count};
use crate::error::{FieldProblem, JobError, Outcome};
use crate::job::Job;
use crate::refusals::CollideRefusal;
use crate::streams::Files;
use crate::target;
use crate::units;
use crate::warning::told;

impl Job for CollideJob {
    const NAME: &'static str = "collide";
    type Report = CollideReport;

    fn validate(&self) -> Outcome<()> {
        if self.other.is_none() && !self.within {
            return Err(CollideRefusal::Alone.into());
        }
        target::check(&[self.output.as_deref()])?;
        units::check(self.scale)?;
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

    fn files(&mut self) -> Files<'_> {
        Files::default().read([&mut self.rig]).read(&mut self.other).report(&mut self.output)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<CollideReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let (mut rigs, mut warnings, mut first) = (Vec::new(), Vec::new(), None);
        for path in self.rigs() {
            let clips = self.clip.iter().cloned().collect();
            let said = units::said(self.unit, self.up, self.scale);
            let options = SampleOptions { clips, ..SampleOptions::default() };
            let SampledRig { mut rig, warnings: found, facts, .. } = open::rig(path, &options)?.said(&said);
            warnings.extend(told(found));
            // All are in the unit of the first.
            let first: &Facts = first.get_or_insert_with(|| facts.clone());
            rig.change(&Similarity::scaling(units::factor([first, &facts])));
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
        let mut report = CollideReport::new(self, &bodies, found, [built, seconds], refit, warnings);
        report.input_unit = first.and_then(|facts: Facts| facts.metres_per_unit);
        Ok(report)
    }
}
