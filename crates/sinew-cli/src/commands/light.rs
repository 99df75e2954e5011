//! `sinew light`: light that moves with a rig, baked into its file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::Vec3;
use serde::Serialize;
use sinew::light::{
    Factoring, Light, LightShapes, Occlusion, OcclusionError, OcclusionOptions, rig_occlusion,
};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::glb::{self, SampleOptions, SampledRig, WriteOptions};
use sinew_io::open;
use sinew_picture::{Coloring, PictureOptions, Shot, render};

use crate::console::{Table, count, number, print, size};
use crate::error::{CliError, Outcome};
use crate::pictures::{save_png, spread};
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::has_extension;
use crate::target;

/// Bytes of a colour, were every vertex to have one in every frame: the least that glTF allows.
const COLOUR: usize = 4;
/// Poses in a picture.
const SHOTS: usize = 4;

/// Bake the light of every frame into a rig: how open each vertex is to the sky, in a few shapes
///
/// Dark folds, armpits and bellies that change as the body moves. The file plays like any other; the light is in
/// attributes and an extension (SINEW_light) that readers without it pass over.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew light rig.glb -o lit.glb
  sinew light rig.glb --rank 8 --rays 256 --picture light.png --report light.json -o lit.glb")]
pub struct LightArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// The rig with its light
    #[arg(short, long, value_name = "FILE.glb")]
    output: PathBuf,

    /// Shapes that the light is a sum of
    #[arg(long, value_name = "R", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    rank: u16,

    /// Rays from every vertex in every frame
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
    rays: u32,

    /// What is farther than so many percent of the diagonal casts no shadow [default: no limit]
    #[arg(long, value_name = "PERCENT")]
    reach: Option<f64>,

    /// What the shapes may be
    #[arg(long, value_enum, default_value_t)]
    factor: Factor,

    /// Draw the light of some frames, as it was looked for and as the file has it
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Factor {
    /// Any numbers, by a singular value decomposition: the nearest of all
    #[default]
    Svd,
    /// No negative numbers: every shape is a light by itself
    Nmf,
}

#[derive(Serialize)]
struct LightReport {
    rig: String,
    vertices: usize,
    frames: usize,
    rank: usize,
    factor: Factor,
    rays: u32,
    /// Differences in percent of what the light spans over all vertices and frames.
    error_mean: f64,
    error_largest: f64,
    /// Bytes of the light, and of a colour for every vertex in every frame.
    bytes: usize,
    bytes_of_colours: usize,
    seconds: f64,
    warnings: Vec<String>,
}

/// Runs the command.
pub fn run(args: &LightArgs, session: &Session) -> Outcome<()> {
    if !has_extension(&args.output, "glb") {
        let path = args.output.display();
        return CliError::refused(format!("{path}: light is kept in GLB files; name the file *.glb"));
    }
    if let Some(reach) = args.reach.filter(|reach| !(*reach > 0.0 && reach.is_finite())) {
        return CliError::refused(format!("--reach takes a positive number of percent, not {reach}"));
    }
    let targets = [Some(args.output.as_path()), args.picture.as_deref(), args.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, [&args.rig])?;
    session.stage("reading");
    let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    let (SampledRig { rig, mut warnings, clip, .. }, levels) = open::rig_and_levels(&args.rig, &all)?;
    session.stage("looking");
    let reach = args.reach.map_or(f64::INFINITY, |percent| percent / 100.0);
    let options = OcclusionOptions { rays: args.rays as usize, reach };
    let refuse = |e| match e {
        OcclusionError::Cancelled => CliError::Cancelled,
        e => CliError::Refused(format!("{}: {e}", args.rig.display())),
    };
    let seen = rig_occlusion(&rig, &options, session).map_err(refuse)?;
    session.stage("factoring");
    let factoring = match args.factor {
        Factor::Svd => Factoring::Singular,
        Factor::Nmf => Factoring::Nonnegative,
    };
    let shapes = LightShapes::new(&seen, args.rank.into(), factoring, session).map_err(refuse)?;
    let light = Light::new(&shapes);
    let error = light.error(&seen);
    session.check()?;
    session.stage("writing");
    let name = args.output.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let write =
        WriteOptions { name, clip, keep_normals: true, light: Some(light), ..WriteOptions::default() };
    let (bytes, more) = glb::to_bytes_with_levels(&rig, &levels, &write)?;
    warnings.extend(more);
    let Some(light) = write.light else { unreachable!("it was just given") };
    if let Some(path) = &args.picture {
        save_png(path, &draw(&rig, &seen, &light)?)?;
    }
    sinew_io::save(&args.output, |out| out.write_all(&bytes))?;
    let report = LightReport {
        rig: args.rig.display().to_string(),
        vertices: light.vertices,
        frames: light.frame_count(),
        rank: light.rank(),
        factor: args.factor,
        rays: args.rays,
        error_mean: 100.0 * error.mean,
        error_largest: 100.0 * error.largest,
        bytes: light.bytes(),
        bytes_of_colours: COLOUR * seen.values.len(),
        seconds: session.seconds(),
        warnings,
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&report.table(args, bytes.len() as u64).text()) }
}

/// The light as it was looked for, above the light as it is kept.
fn draw(rig: &Rig, seen: &Occlusion, light: &Light) -> Outcome<sinew_picture::Image> {
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

impl LightReport {
    fn table(&self, args: &LightArgs, file: u64) -> Table {
        let mut table = Table::default();
        let of = format!(
            "{} in {}",
            count(self.vertices, "vertex", "vertices"),
            count(self.frames, "frame", "frames")
        );
        table.row("rig", format!("{}, {of}", self.rig));
        table.row(
            "light",
            format!(
                "{} of {}",
                count(self.rank, "shape", "shapes"),
                count(self.rays as usize, "ray", "rays")
            ),
        );
        let (mean, largest) = (number(self.error_mean), number(self.error_largest));
        table.row("error", format!("mean {mean} %, largest {largest} % of the range"));
        let times = number(self.bytes_of_colours as f64 / self.bytes.max(1) as f64);
        let colours = size(self.bytes_of_colours as u64);
        table.row(
            "size",
            format!("{}, {times} times less than a colour a frame ({colours})", size(self.bytes as u64)),
        );
        table.row("time", format!("{:.2} s", self.seconds));
        table.row("wrote", format!("{} ({})", args.output.display(), size(file)));
        table.list("warning", &self.warnings);
        table
    }
}
