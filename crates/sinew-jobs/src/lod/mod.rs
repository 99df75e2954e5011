//! The same rig with fewer triangles, for when it is far away.

mod ladder;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::lod::{Level, LodOptions, Measurer};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::motion::Up;
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_picture::{Coloring, PictureOptions, Shot, render};

pub use self::ladder::{LevelWish, ladder, levels, usual_levels};
pub use self::report::{LevelReport, LodReport, LodSeconds};
use crate::engines::{advice, engines_of};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pictures::save_png;
use crate::report::peak_memory;
use crate::streams::Files;
use crate::target;
use crate::units::{self, Unit, Units};
use crate::warning::{Warning, told};
use crate::words::count;

/// Simplifies a rig into levels of detail.
///
/// Triangles go where they are missed least in all of the rig's motion; vertices stay where they are, with their weights,
/// corrections and texture coordinates. All levels are in one file over one set of vertices, bones and clips (MSFT_lod):
/// programs that do not know levels show the whole mesh, but Blender all levels as further bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LodJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// The file to write, *.glb.
    pub output: PathBuf,
    /// How coarse each level is; without any, as those of a crowd.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelWish>,
    /// Poses, spread over all frames, in which triangles are weighed against each other.
    #[serde(default = "usual_poses")]
    pub poses: usize,
    /// How long a unit of the rig is, where that is not what the file says: "m", "cm", "mm", "in", "ft", "km" or a number of
    /// metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Which axis of the rig is up, where that is not what the file says; y is up in what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Up>,
    /// Makes everything this many times as large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Draws all levels side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn usual_poses() -> usize {
    LodOptions::default().poses
}

impl Default for LodJob {
    fn default() -> Self {
        Self {
            rig: PathBuf::new(),
            output: PathBuf::new(),
            levels: Vec::new(),
            poses: usual_poses(),
            unit: None,
            up: None,
            scale: None,
            picture: None,
            report: None,
        }
    }
}

impl Job for LodJob {
    const NAME: &'static str = "lod";
    type Report = LodReport;

    fn validate(&self) -> Outcome<()> {
        FileKind::Levels.check(&self.output)?;
        if let Some(path) = &self.picture {
            FileKind::Picture.check(path)?;
        }
        self.levels.iter().try_for_each(LevelWish::validate)?;
        if self.poses == 0 {
            return JobError::field("poses", FieldProblem::Zero);
        }
        units::check(self.scale)?;
        let targets = [Some(self.output.as_path()), self.picture.as_deref(), self.report.as_deref()];
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
        let seconds = || begun.elapsed().as_secs_f64();
        progress.stage("reading");
        let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
        let said = units::said(self.unit, self.up, self.scale);
        let SampledRig { rig, warnings, clip, light, facts } = open::rig(&self.rig, &all)?.said(&said);
        let units = Units::of_file(&facts, Some(&self.output));
        let mut warnings = told(warnings);
        warnings.extend(units.doubt(self.scale));
        let read = seconds();
        progress.check()?;
        progress.stage("simplifying");
        let refuse = |error| JobError::lod(self.rig.display(), error);
        let options = LodOptions { poses: self.poses, ..LodOptions::default() };
        let found = levels(&rig, &ladder(&rig, &self.levels), &options, progress).map_err(refuse)?;
        warnings.extend(found.iter().filter_map(|(wanted, level)| ladder::short_of(wanted, level)));
        let levels: Vec<Level> = found.into_iter().map(|(_, level)| level).collect();
        let simplified = seconds();
        progress.stage("measuring");
        let mut reports = vec![LevelReport::full(rig.mesh.triangles(&rig.rest).len())];
        let measurer = Measurer::new(&rig).map_err(refuse)?;
        for level in &levels {
            reports.push(LevelReport::new(level, measurer.measure(level, progress).map_err(refuse)?));
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
