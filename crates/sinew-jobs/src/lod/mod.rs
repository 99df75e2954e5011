//! The same rig with fewer triangles, fewer bones or both, for when it is far away.

mod files;
mod job;
mod ladder;
mod report;

use std::path::Path;
use std::time::Instant;

use sinew::lod::{Level, LodOptions, Measurer};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_picture::{Coloring, PictureOptions, Shot, render};

use self::job::Read;
pub use self::job::{LodJob, RigFormat};
pub use self::ladder::{LevelWish, ladder, levels, usual_levels};
pub use self::report::{LevelReport, LodReport, LodSeconds};
use crate::engines::{advice, engines_of};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pictures::save_png;
use crate::report::peak_memory;
use crate::streams::Files;
use crate::target;
use crate::units::{self, Units};
use crate::warning::{Warning, told};
use crate::words::count;

impl Job for LodJob {
    const NAME: &'static str = "lod";
    type Report = LodReport;

    fn validate(&self) -> Outcome<()> {
        files::check(self)?;
        if self.bones.is_empty() {
            FileKind::Levels.check(&self.output)?;
        }
        if self.bones.contains(&0) {
            return JobError::field("bones", FieldProblem::Zero);
        }
        if let Some(path) = &self.picture {
            FileKind::Picture.check(path)?;
        }
        self.levels.iter().try_for_each(LevelWish::validate)?;
        if self.poses == 0 {
            return JobError::field("poses", FieldProblem::Zero);
        }
        units::check(self.scale)?;
        let file = self.bones.is_empty().then_some(self.output.as_path());
        let targets = [file, self.picture.as_deref(), self.report.as_deref()];
        target::check(&targets)
    }

    fn report_to(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    fn files(&mut self) -> Files<'_> {
        Files::default()
            .read([&mut self.rig])
            .written([&mut self.output])
            .written(&mut self.picture)
            .report(&mut self.report)
    }

    fn perform(&self, progress: &dyn Progress) -> Outcome<LodReport> {
        let begun = Instant::now();
        match self.bones.is_empty() {
            true => self.in_one_file(begun, progress),
            false => files::perform(self, begun, progress),
        }
    }
}

impl LodJob {
    /// All levels over one set of vertices.
    fn in_one_file(&self, begun: Instant, progress: &dyn Progress) -> Outcome<LodReport> {
        let seconds = || begun.elapsed().as_secs_f64();
        let Read { rig, clip, light, facts, mut warnings } = self.read(progress)?;
        let units = Units::of_file(&facts, Some(&self.output));
        warnings.extend(units.doubt(self.scale));
        let read = seconds();
        progress.stage("simplifying");
        let refuse = |error| JobError::lod(self.rig.display(), error);
        let options = LodOptions { poses: self.poses, ..LodOptions::default() };
        let found = levels(&rig, &ladder(&rig, &self.levels), &options, progress).map_err(refuse)?;
        warnings.extend(found.iter().filter_map(|(wanted, level)| ladder::short_of(wanted, level)));
        let levels: Vec<Level> = found.into_iter().map(|(_, level)| level).collect();
        let simplified = seconds();
        progress.stage("measuring");
        let mut reports = vec![LevelReport::full(rig.mesh.triangles(&rig.rest).len(), rig.bones.len())];
        let measurer = Measurer::new(&rig).map_err(refuse)?;
        for level in &levels {
            reports.push(LevelReport::new(
                level,
                rig.bones.len(),
                measurer.measure(level, progress).map_err(refuse)?,
            ));
        }
        let measured = seconds();
        progress.stage("writing");
        let name = self.output.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let metres_per_unit = facts.metres_per_unit;
        let options = WriteOptions {
            name,
            clip,
            keep_normals: true,
            light,
            metres_per_unit,
            ..WriteOptions::default()
        };
        let (bytes, file_joints) = encode(&rig, &levels, &options, &mut reports, &mut warnings)?;
        progress.check()?;
        sinew_io::save(&self.output, |out| out.write_all(&bytes))?;
        if let Some(path) = &self.picture {
            draw(path, &rig, &levels)?;
        }
        let engines = engines_of(&rig, &self.output, false);
        warnings.extend(advice(&engines, 0.0));
        let seconds = LodSeconds {
            read,
            simplify: simplified - read,
            measure: measured - simplified,
            total: seconds(),
        };
        Ok(LodReport {
            rig: self.rig.display().to_string(),
            frames: rig.frame_count(),
            vertices: rig.rest.len(),
            bones: rig.bones.len(),
            levels: reports,
            file_joints,
            engines,
            units,
            seconds,
            bytes: bytes.len() as u64,
            peak_memory: peak_memory(),
            warnings,
        })
    }
}

/// The file's bytes and joints; what each level adds to the bytes is noted in its report.
fn encode(
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
    reports: &mut [LevelReport],
    warnings: &mut Vec<Warning>,
) -> Outcome<(Vec<u8>, usize)> {
    let mut before = 0;
    for (count, report) in reports.iter_mut().enumerate() {
        let file = gltf::encode(rig, &levels[..count], options)?;
        report.bytes = file.bytes.len() as u64 - before;
        before = file.bytes.len() as u64;
        if count == levels.len() {
            warnings.extend(told(file.warnings));
            return Ok((file.bytes, file.joints));
        }
    }
    // There is a report of the mesh itself, and one of every level.
    Ok((Vec::new(), 0))
}

/// Draws the whole mesh and all levels in the middle of the motion.
fn draw(path: &Path, rig: &Rig, levels: &[Level]) -> Outcome<()> {
    let frames = rig.frame_count();
    let positions = if frames == 0 { rig.rest.clone() } else { rig.pose(frames / 2) };
    let meshes = std::iter::once(&rig.mesh).chain(levels.iter().map(|level| &level.mesh));
    let shots: Vec<Shot> = meshes
        .map(|mesh| Shot {
            mesh,
            positions: &positions,
            triangles: None,
            coloring: Coloring::Plain,
            skeleton: None,
            title: count(mesh.triangles(&rig.rest).len(), "triangle", "triangles"),
        })
        .collect();
    let options = PictureOptions { wireframe: true, ..PictureOptions::default() };
    save_png(path, &render(&shots, &options)?)
}
