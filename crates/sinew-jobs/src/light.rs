//! Light that moves with a rig, baked into its file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::light::{
    Factoring, Light, LightShapes, Occlusion, OcclusionError, OcclusionOptions, rig_occlusion,
};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::motion::Up;
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_picture::{Coloring, Image, PictureOptions, Shot, render};

use crate::engines::{advice, engines_of};
use crate::error::{FieldProblem, FileKind, JobError, Outcome};
use crate::job::Job;
use crate::pictures::{save_png, spread};
use crate::report::EngineReport;
use crate::streams::Files;
use crate::target;
use crate::units::{self, Unit, Units};
use crate::warning::{Warning, told};

/// Bytes of a colour, were every vertex to have one in every frame: the least that glTF allows.
const COLOUR: usize = 4;
/// Poses in a picture.
const SHOTS: usize = 4;
/// The most shapes, and the most rays.
const MOST_SHAPES: u16 = 256;
const MOST_RAYS: u32 = 65536;

/// Bakes the light of every frame into a rig: how open each vertex is to the sky, in a few shapes.
///
/// Dark folds, armpits and bellies that change as the body moves. The file plays like any other; the light is in attributes
/// and an extension (SINEW_light) that readers without it pass over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LightJob {
    /// A file that holds a rig.
    pub rig: PathBuf,
    /// The rig with its light, *.glb.
    pub output: PathBuf,
    /// Shapes that the light is a sum of.
    #[serde(default = "usual_rank")]
    pub rank: u16,
    /// Rays from every vertex in every frame.
    #[serde(default = "usual_rays")]
    pub rays: u32,
    /// What is farther than so many percent of the diagonal casts no shadow; without, there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// What the shapes may be.
    #[serde(default)]
    pub factor: Factoring,
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
    /// Draws the light of some frames, as it was looked for and as the file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PathBuf>,
    /// The report, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

fn usual_rank() -> u16 {
    8
}

fn usual_rays() -> u32 {
    128
}

impl Default for LightJob {
    fn default() -> Self {
        Self {
            rig: PathBuf::new(),
            output: PathBuf::new(),
            rank: usual_rank(),
            rays: usual_rays(),
            reach: None,
            factor: Factoring::default(),
            unit: None,
            up: None,
            scale: None,
            picture: None,
            report: None,
        }
    }
}

/// Light that was baked.
#[derive(Debug, Serialize)]
pub struct LightReport {
    /// The rig.
    pub rig: String,
    /// How many vertices.
    pub vertices: usize,
    /// How many frames.
    pub frames: usize,
    /// How many shapes.
    pub rank: usize,
    /// What the shapes may be.
    pub factor: Factoring,
    /// Rays from every vertex.
    pub rays: u32,
    /// Mean difference in percent of what the light spans over all vertices and frames.
    pub error_mean: f64,
    /// The largest difference, likewise.
    pub error_largest: f64,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do.
    pub file_joints: usize,
    /// What engines play of the file, against the rig itself; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Bytes of the light.
    pub bytes: usize,
    /// Bytes of a colour for every vertex in every frame.
    pub bytes_of_colours: usize,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// All of the time.
    pub seconds: f64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
    /// Size of the file.
    #[serde(skip)]
    pub file_bytes: u64,
}

impl Job for LightJob {
    const NAME: &'static str = "light";
    type Report = LightReport;

    fn validate(&self) -> Outcome<()> {
        FileKind::Light.check(&self.output)?;
        if let Some(reach) = self.reach.filter(|reach| !(*reach > 0.0 && reach.is_finite())) {
            return JobError::field("reach", FieldProblem::NotPositivePercent(reach));
        }
        FieldProblem::check_range("rank", self.rank.into(), MOST_SHAPES.into())?;
        FieldProblem::check_range("rays", self.rays.into(), MOST_RAYS.into())?;
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

    fn perform(&self, progress: &dyn Progress) -> Outcome<LightReport> {
        let begun = Instant::now();
        progress.stage("reading");
        let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
        let said = units::said(self.unit, self.up, self.scale);
        let (sampled, levels) = open::rig_and_levels(&self.rig, &all)?;
        let mut levels = levels;
        let mut facts = sampled.facts.clone();
        let change = said.settle(&mut facts);
        levels.iter_mut().for_each(|level| change.apply_to_mesh(&mut level.mesh));
        let SampledRig { rig, warnings, clip, .. } = sampled.said(&said);
        let units = Units::of_file(&facts, Some(&self.output));
        let mut warnings = told(warnings);
        warnings.extend(units.doubt(self.scale));
        progress.stage("looking");
        let reach = self.reach.map_or(f64::INFINITY, |percent| percent / 100.0);
        let options = OcclusionOptions { rays: self.rays as usize, reach };
        let refuse = |error| match error {
            OcclusionError::Cancelled => JobError::Cancelled,
            error => JobError::Light { source_name: self.rig.display().to_string(), error },
        };
        let seen = rig_occlusion(&rig, &options, progress).map_err(refuse)?;
        progress.stage("factoring");
        let shapes = LightShapes::new(&seen, self.rank.into(), self.factor, progress).map_err(refuse)?;
        let light = Light::new(&shapes);
        let error = light.error(&seen);
        progress.check()?;
        progress.stage("writing");
        let mut report = LightReport {
            rig: self.rig.display().to_string(),
            vertices: light.vertices,
            frames: light.frame_count(),
            rank: light.rank(),
            factor: self.factor,
            rays: self.rays,
            error_mean: 100.0 * error.mean,
            error_largest: 100.0 * error.largest,
            file_joints: 0,
            engines: engines_of(&rig, &self.output, false),
            bytes: light.bytes(),
            bytes_of_colours: COLOUR * seen.values.len(),
            units,
            seconds: 0.0,
            warnings: Vec::new(),
            file_bytes: 0,
        };
        let picture = match &self.picture {
            Some(path) => Some((path, draw(&rig, &seen, &light)?)),
            None => None,
        };
        let name = self.output.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let options = WriteOptions {
            name,
            clip,
            keep_normals: true,
            light: Some(light),
            metres_per_unit: facts.metres_per_unit,
            ..WriteOptions::default()
        };
        let file = gltf::encode(&rig, &levels, &options)?;
        warnings.extend(told(file.warnings));
        report.file_joints = file.joints;
        if let Some((path, image)) = picture {
            save_png(path, &image)?;
        }
        report.file_bytes = sinew_io::save(&self.output, |out| out.write_all(&file.bytes))?;
        warnings.extend(advice(&report.engines, 0.0));
        report.warnings = warnings;
        report.seconds = begun.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// The light as it was looked for, above the light as it is kept.
fn draw(rig: &Rig, seen: &Occlusion, light: &Light) -> Outcome<Image> {
    let frames = spread(rig.frame_count(), SHOTS);
    let grey = |values: &[f32]| values.iter().map(|x| Vec3::splat(*x)).collect::<Vec<Vec3>>();
    let kept = |&frame: &usize| {
        let mut values = vec![0.0; light.vertices];
        light.frame_into(frame, &mut values);
        grey(&values)
    };
    let poses: Vec<Vec<Vec3>> = frames.iter().map(|f| rig.pose(*f)).collect();
    let looked: Vec<Vec<Vec3>> = frames.iter().map(|f| grey(seen.frame(*f))).collect();
    let kept: Vec<Vec<Vec3>> = frames.iter().map(kept).collect();
    let shots: Vec<Shot> = [("", &looked), (", as kept", &kept)]
        .into_iter()
        .flat_map(|(what, colors)| frames.iter().enumerate().map(move |(i, frame)| (i, frame, what, colors)))
        .map(|(i, frame, what, colors)| Shot {
            mesh: &rig.mesh,
            positions: &poses[i],
            triangles: None,
            coloring: Coloring::VertexColors(&colors[i]),
            skeleton: None,
            title: format!("frame {frame}{what}"),
        })
        .collect();
    let options =
        PictureOptions { width: 480, height: 400, columns: frames.len(), ..PictureOptions::default() };
    Ok(render(&shots, &options)?)
}
