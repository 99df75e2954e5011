//! `sinew crowd`: many rigs on the GPU, as pictures or as a measurement.

mod args;
mod bench;
mod models;
mod output;
mod window;

use sinew::progress::Progress;
use sinew_gpu::{Camera, Gpu, Herd, HerdOptions, Look, Model, RenderOptions, Renderer, Scene, Viewpoint};

pub use args::CrowdArgs;
use output::Output;
use window::Window;

use crate::console::{Table, count, print};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::has_extension;
use crate::target;

/// Times in GIF files are in hundredths of a second, and programs slow down what is shown for less than two.
const FASTEST_GIF: f64 = 50.0;

/// Runs the command.
pub fn run(args: &CrowdArgs, session: &Session) -> Outcome<()> {
    check(args)?;
    target::check(&[args.report.as_deref()])?;
    target::check_apart(&[args.output.as_deref(), args.report.as_deref()], &args.rigs)?;
    let window = window::asked(args).then(Window::open).transpose()?;
    let file = args.output.as_deref().filter(|_| window.is_none());
    let output = file.map(Output::new).transpose()?;
    let gpu = Gpu::open(args.adapter.as_deref())?;
    let (models, sources) = models::models(args, session)?;
    let herd = herd(args, &models)?;
    let way = way(args, &herd);
    session.check()?;
    session.stage("sending");
    let options = RenderOptions {
        size: [args.size.0, args.size.1].map(|side| u32::try_from(side).unwrap_or(u32::MAX)),
        samples: args.samples,
        levels: !args.no_lod,
        tolerance: args.tolerance,
        route: args.route.map(Into::into),
        look: Look::Plain,
    };
    let mut renderer = Renderer::new(&gpu, Scene::new(&gpu, models, herd)?, options)?;
    if let Some(window) = window {
        window.show(&mut renderer, way[0], args.frames, session)?;
    }
    let film = Film { renderer: &renderer, way: &way, fps: args.fps };
    if let Some(output) = &output {
        let frames = args.frames.unwrap_or(if output.is_single() { 1 } else { 96 }) as usize;
        output.write(&film, frames, session)?;
    }
    let report = bench::Report::new(args, &gpu, &film, sources, session)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let mut table = Table::default();
    report.rows(&mut table);
    if let Some(path) = file {
        table.row("wrote", path.display().to_string());
    }
    print(&table.text())
}

fn check(args: &CrowdArgs) -> Outcome<()> {
    if !(args.fps > 0.0 && args.fps.is_finite()) {
        return CliError::refused(format!("the frame rate must be a positive number, not {}", args.fps));
    }
    let is = |extension| args.output.as_deref().is_some_and(|path| has_extension(path, extension));
    if is("gif") && args.fps > FASTEST_GIF {
        return CliError::refused(format!(
            "a GIF plays at most {FASTEST_GIF} frames a second, not {}; *.mp4 or a folder may be faster",
            args.fps
        ));
    }
    if is("png") && args.frames.is_some_and(|frames| frames > 1) && !args.bench {
        return CliError::refused(
            "a PNG holds one picture; name the output *.gif, *.mp4 or a folder for more frames",
        );
    }
    let rigs = args.rigs.len().max(1);
    let good = |shares: &[f32]| {
        shares.len() == rigs
            && shares.iter().all(|share| *share >= 0.0 && share.is_finite())
            && shares.iter().any(|share| *share > 0.0)
    };
    if !args.shares.is_empty() && !good(&args.shares) {
        let rigs = rigs_in_words(rigs);
        return CliError::refused(format!(
            "--shares takes a number for each of {rigs}, none below zero and not all of them zero"
        ));
    }
    if args.samples != 1 && args.samples != 4 {
        return CliError::refused(format!("--samples is 1 or 4, not {}", args.samples));
    }
    if !(args.tolerance > 0.0 && args.tolerance.is_finite()) {
        return CliError::refused(format!("--tolerance is a positive number, not {}", args.tolerance));
    }
    Ok(())
}

/// A crowd and a way around it.
pub struct Film<'a> {
    renderer: &'a Renderer<'a>,
    way: &'a [Viewpoint],
    fps: f64,
}

impl Film<'_> {
    /// Camera and time of a frame of so many.
    fn at(&self, frame: usize, frames: usize) -> (Camera, f64) {
        let share = frame as f32 / frames.max(2).saturating_sub(1) as f32;
        (Camera::along(self.renderer.scene().herd(), self.way, share), frame as f64 / self.fps)
    }
}

fn herd(args: &CrowdArgs, models: &[Model]) -> Outcome<Herd> {
    let mut options =
        HerdOptions { count: args.count as usize, seed: args.seed, shares: args.shares.clone() };
    if let Some(triangles) = args.triangles {
        let share = |model: usize| f64::from(args.shares.get(model).copied().unwrap_or(1.0));
        let all: f64 = models.iter().enumerate().map(|(i, m)| share(i) * m.triangle_count(0) as f64).sum();
        let mean = all / (0..models.len()).map(share).sum::<f64>();
        let count = (triangles as f64 / mean).round().max(1.0);
        if count > 4e6 {
            return CliError::refused(format!(
                "--triangles {triangles} takes {count} rigs, more than 4 million"
            ));
        }
        options.count = count as usize;
    }
    Ok(Herd::scatter(models, &options))
}

/// The camera's way: as asked for, or one that shows the herd from before it.
fn way(args: &CrowdArgs, herd: &Herd) -> Vec<Viewpoint> {
    if let Some(way) = &args.camera {
        return way.0.clone();
    }
    // Few are looked at from farther away than many, in sizes of the herd, so that all of them are seen, and
    // from higher up: who stands before many looks over their heads.
    let few = 1.0 / (herd.members.len() as f32).sqrt();
    [(30.0, 2.2, 1.0), (4.0, 3.4, 1.0), (-26.0, 9.0, 1.08)]
        .map(|(around, above, farther)| Viewpoint {
            around,
            above: above + 8.0 * few,
            away: (1.04 + 3.0 * few) * farther,
        })
        .to_vec()
}

/// "3 rigs", for tables.
fn rigs_in_words(rigs: usize) -> String {
    count(rigs, "rig", "rigs")
}
