//! An animation becomes a rig.

mod bounded;
mod fit;
mod fitting;
mod given;
mod goal;
mod importance;
mod largest;
mod order;
mod parts;
mod passing;
mod report;
mod shapes;

use std::path::Path;
use std::time::Instant;

use sinew::animation::{Measured, MeshAnimation};
use sinew::progress::Progress;
use sinew::rig::{Player, PoseChain, Rig};
use sinew::skin::{MethodName, Skinned};
use sinew_io::formats::sinew_file::{self, Label};
use sinew_io::open::Opened;

pub use self::fit::{Fit, FitGoal, NormChoice, RestPoseChoice};
pub use self::fitting::{Brought, Fitted, Given};
pub use self::largest::{Largest, Measure};
pub use self::order::{DEFAULT_MEMORY, SkinJob};
use self::shapes::Shapes;
use crate::engines::{WrittenRig, engines};
use crate::error::{JobError, Outcome};
use crate::job::{Job, around};
use crate::refusals::{ShapeRefusal, SkinRefusal};
use crate::report::{ChoiceReport, SkinBytes, SkinReport, SkinSeconds, ToldReport, clip_reports};
use crate::rig_file::{self, Writing, measure_rig, write};
use crate::source::Source;
use crate::streams::Files;
use crate::target;
use crate::warning::{Warning, told};

/// A rig beside what it was made of.
#[derive(Debug)]
pub struct Done {
    /// The animation.
    pub animation: MeshAnimation,
    /// The rig.
    pub rig: Rig,
    /// How the rig is written to a file.
    pub writing: Writing,
    /// How good it is.
    pub report: SkinReport,
}

impl Job for SkinJob {
    const NAME: &'static str = "skin";
    type Report = SkinReport;

    fn validate(&self) -> Outcome<()> {
        self.check_fit()?;
        if self.output.is_none() && self.report.is_none() {
            return Err(JobError::NoTarget { fields: &["output", "report"] });
        }
        self.source.validate()?;
        self.check_files()
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        let Source { inputs, rest, .. } = &mut self.source;
        let Fit { bones_from, start_rig, lock_vertices, importance, .. } = &mut self.fit;
        let read = Files::default().read(inputs).read(rest).read(bones_from).read(start_rig);
        read.read(lock_vertices)
            .read(importance)
            .written(&mut self.output)
            .written(&mut self.table)
            .written(&mut self.plot)
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<SkinReport> {
        if self.fit.method() != MethodName::Pps
            && let Some(report) =
                bounded::skin_bounded(self, self.memory.unwrap_or(DEFAULT_MEMORY), progress)?
        {
            return Ok(report);
        }
        if self.shard.is_some() {
            return Err(SkinRefusal::NothingToPart.into());
        }
        Ok(match self.make(progress)? {
            Made::Rig(done) => done.report,
            Made::Chain(report) => *report,
        })
    }
}

/// What was made with all frames in memory.
enum Made {
    Rig(Box<Done>),
    Chain(Box<SkinReport>),
}

/// A rig that was found, and what of.
struct Found {
    opened: Opened,
    skinned: Skinned,
    choices: Vec<ChoiceReport>,
    curve: Vec<ToldReport>,
    shapes: Option<Shapes>,
}

impl Made {
    fn into_rig(self) -> Outcome<Done> {
        match self {
            Self::Rig(done) => Ok(*done),
            Self::Chain(_) => Err(JobError::NoRig),
        }
    }
}

impl SkinJob {
    fn check_fit(&self) -> Outcome<()> {
        self.fit.validate(self.plot.is_some().then_some("plot"))?;
        match self.plot.is_some() && self.fit.goal.is_none() {
            true => Err(SkinRefusal::PlotWithoutGoal.into()),
            false if self.shard.is_some() && self.output.is_none() => Err(SkinRefusal::PartsOfNothing.into()),
            false => Ok(()),
        }
    }

    fn check_files(&self) -> Outcome<()> {
        if let Some(output) = &self.output {
            rig_file::check_name(output, self.compact)?;
            self.check_glb(output)?;
        }
        self.source.check_numbers()?;
        rig_file::check_compact(self.compact)?;
        target::check(&self.targets())
    }

    /// Does the same with an animation in memory, and hands over what was made. Nothing has to be written.
    ///
    /// # Errors
    /// As [`Job::run`]; for a method that makes no rig, and for fields that are about files of animations.
    pub fn run_on(&self, animation: Opened, progress: &dyn Progress) -> Outcome<Done> {
        self.check_fit()?;
        self.check_files()?;
        if self.fit.method() == MethodName::Pps {
            return Err(JobError::NoRig);
        }
        if self.shard.is_some() {
            return Err(SkinRefusal::NothingToPart.into());
        }
        let opened = self.source.take(animation)?;
        let work = |job: &Self| job.make_of(opened, None, Instant::now(), progress)?.into_rig();
        around(self, work, |done| &done.report)
    }

    /// Reads, skins, writes and measures with all frames in memory, and hands over what was made. For jobs that validate.
    ///
    /// # Errors
    /// As [`Job::run`], and for a method that makes no rig.
    pub fn make_rig(&self, progress: &dyn Progress) -> Outcome<Done> {
        self.make(progress)?.into_rig()
    }

    fn make(&self, progress: &dyn Progress) -> Outcome<Made> {
        let begun = Instant::now();
        let opened = self.source.read(progress)?;
        let (opened, shapes) = shapes::read(self, opened, progress)?;
        self.make_of(opened, shapes, begun, progress)
    }

    /// The same of what was read.
    fn make_of(
        &self,
        opened: Opened,
        shapes: Option<Shapes>,
        begun: Instant,
        progress: &dyn Progress,
    ) -> Outcome<Made> {
        if self.table.is_some() && shapes.is_none() {
            return Err(ShapeRefusal::TableOfMotion.into());
        }
        let (rig, said) = given::read(&self.fit, &opened)?;
        let importance = match &self.fit.importance {
            Some(map) => importance::read(map, &opened.animation)?,
            None => Vec::new(),
        };
        let read = begun.elapsed().as_secs_f64();
        let brought = Brought { rig, importance };
        let mut fit = self.fit.to(&opened)?;
        if shapes.is_some() {
            fit.for_shapes();
        }
        let fitted =
            goal::with_cost(self, &opened, |cost| fit.run(&opened.animation, brought, cost, progress))?;
        progress.check()?;
        let mut warnings = told(opened.warnings.clone());
        warnings.extend(said);
        match fitted {
            Fitted::Chain(chain) => self
                .finish_chain(*chain, &opened, warnings, (begun, read), progress)
                .map(|report| Made::Chain(Box::new(report))),
            Fitted::Rig { skinned, candidates, curve } => {
                let choices = goal::choice_reports(&candidates);
                let curve = goal::told_reports(&curve, self.fit.goal);
                let (opened, skinned) = match &shapes {
                    Some(shapes) => shapes.as_clips(opened, *skinned),
                    None => (opened, *skinned),
                };
                let found = Found { opened, skinned, choices, curve, shapes };
                let done = self.finish_rig(found, warnings, (begun, read), progress)?;
                Ok(Made::Rig(Box::new(done)))
            }
        }
    }

    /// Writes a rig and measures it.
    fn finish_rig(
        &self,
        Found { opened, skinned, choices, curve, shapes }: Found,
        mut warnings: Vec<Warning>,
        (begun, read): (Instant, f64),
        progress: &dyn Progress,
    ) -> Outcome<Done> {
        let clock = Instant::now();
        let mut measured = Measured { error: skinned.error, per_frame: skinned.error_per_frame.clone() };
        let (mut clips, mut output, mut in_file, mut joints) = (None, None, None, None);
        if let Some(path) = &self.output {
            progress.stage("writing");
            // A goal is kept by the file, not only by what was meant to be in it.
            let measure = self.compact.is_some() || !choices.is_empty();
            let written = write(path, &skinned.rig, &opened, self.share(), measure, progress)?;
            (output, joints) = (Some(written.bytes), written.joints);
            warnings.extend(written.warnings);
            if let Some((rig, whole, of_clips)) = written.measured {
                (measured, clips, in_file) = (whole, Some(of_clips), Some(rig));
            }
        }
        if let (Some(path), Some(goal)) = (&self.plot, self.fit.goal) {
            goal::draw(path, goal, &choices, &curve)?;
        }
        let in_all = in_file.as_ref().unwrap_or(&skinned.rig);
        if let Some(shapes) = &shapes {
            measured = shapes.measure(in_all, &opened.animation);
        }
        if let (Some(path), Some(shapes)) = (&self.table, &shapes) {
            shapes.write_table(path, &skinned.rig)?;
        }
        let clips = clips.unwrap_or_else(|| clip_reports(&opened.animation, &Player::new(&skinned.rig)));
        let written =
            WrittenRig { rig: in_all, path: self.output.as_deref(), packed: false, error: measured.error };
        let measure = |rig: &Rig| match &shapes {
            Some(shapes) => shapes.measure(rig, &opened.animation).error,
            None => measure_rig(rig, &opened.animation),
        };
        let engines = engines(&written, &|rig| Ok(measure(rig)))?;
        let write = clock.elapsed().as_secs_f64();
        warnings.extend(report::advice(&skinned, &measured, &engines));
        let mut report = report::of_rig(&skinned, measured, clips);
        report.engines = engines;
        report.file_joints = joints;
        report.bones_asked = self.fit.bones;
        (report.choices, report.curve) = (choices, curve);
        report.shapes =
            shapes.map_or_else(Vec::new, |shapes| shapes.reports(&skinned.rig, &opened.animation));
        report.fps_assumed = opened.assumed_fps;
        report.units = self.units(&opened);
        warnings.extend(report.units.doubt(self.source.scale));
        report.seconds = SkinSeconds::new(&skinned.seconds, read, write, begun);
        report.bytes = SkinBytes { input: opened.input_bytes, output };
        report.warnings = warnings;
        if self.fit.is_from_rig() {
            report.rest_pose = "rig".into();
        }
        let writing = Writing::of(&skinned.rig, &opened);
        Ok(Done { animation: opened.animation, rig: skinned.rig, writing, report })
    }

    /// Writes bones that lead from pose to pose.
    fn finish_chain(
        &self,
        chain: Skinned<PoseChain>,
        opened: &Opened,
        mut warnings: Vec<Warning>,
        (begun, read): (Instant, f64),
        progress: &dyn Progress,
    ) -> Outcome<SkinReport> {
        let clock = Instant::now();
        let mut output = None;
        if let Some(path) = &self.output {
            progress.stage("writing");
            let clip = opened.clip.as_deref().unwrap_or_default();
            let label = Label { clip, metres_per_unit: opened.facts.metres_per_unit };
            output = Some(sinew_file::write_chain(path, &chain.rig, label)?);
        }
        let write = clock.elapsed().as_secs_f64();
        warnings.extend(chain.warnings.iter().cloned().map(Warning::Skin));
        let mut report = report::of_chain(chain);
        report.bones_asked = self.fit.bones;
        report.fps_assumed = opened.assumed_fps;
        report.units = self.units(opened);
        report.seconds = SkinSeconds { total: begun.elapsed().as_secs_f64(), read, write, ..report.seconds };
        report.bytes = SkinBytes { input: opened.input_bytes, output };
        report.warnings = warnings;
        Ok(report)
    }
}
