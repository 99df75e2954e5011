//! `sinew compare`: how far two animations, or a rig and its source, are apart.

use std::path::PathBuf;

use clap::Args;
use sinew::animation::{Frames, compare};
use sinew::geometry::Bounds;
use sinew::progress::Progress;
use sinew_gpu::{Gpu, GpuError, GpuPlayer};
use sinew_io::glb::SampleOptions;
use sinew_io::open::{OpenOptions, Opened};

use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::pair::{self, Pair};
use crate::pictures::{plot_errors, save_png};
use crate::progress::Session;
use crate::report::{CompareReport, GpuReport, Words, write_json};
use crate::target;

/// Measure how far two animations, or a rig and its source, are apart
///
/// A is the original, B the approximation; each is anything that `skin` takes. Rigs are played at the
/// other's frame rate when the numbers of frames differ.
#[derive(Args)]
#[command(after_help = "Measures:
  percent  100 |A - B| / |A - mean over time of A|
  rms      1000 (2/d) |A - B| / sqrt(3 S N), with d the diagonal of the rest pose's box
  max      largest vertex distance in percent of that diagonal
  accu     mean vertex distance in percent of the box's longest side

Examples:
  sinew compare anim.pc2 rig.glb --rest rest.obj
  sinew compare before.mdd after.mdd --per-frame --plot error.png")]
pub struct CompareArgs {
    /// The original
    a: PathBuf,

    /// The approximation
    b: PathBuf,

    /// The rest mesh, whose box relative measures refer to [default: the original's own, or its first frame]
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Frames per second to sample GLB files at
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clip of GLB and .sinew files, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Play the rig B on the GPU, and measure what that computed; where there is no GPU the CPU plays it
    #[arg(long)]
    gpu: bool,

    /// Print the error of every frame
    #[arg(long)]
    per_frame: bool,

    /// Draw the error over frames
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &CompareArgs, session: &Session) -> Outcome<()> {
    target::check(&[args.plot.as_deref(), args.report.as_deref()])?;
    session.stage("reading");
    let options =
        OpenOptions { fps: args.fps, clips: args.clip.iter().cloned().collect(), ..OpenOptions::default() };
    let Pair { original, mut approximation } = pair::open([&args.a, &args.b], &options, session)?;
    let mut on_gpu = None;
    if args.gpu {
        session.stage("playing");
        on_gpu = played(args, &mut approximation)?;
    }
    let bounds = match &args.rest {
        Some(path) => Bounds::of(&pair::rest_positions(path, &original)?),
        None => original.animation.rest_bounds(),
    };
    for opened in [&original, &approximation] {
        if let Some((frame, vertex)) = opened.animation.frames.first_not_finite() {
            return CliError::refused(format!(
                "{}: frame {frame}, vertex {vertex}: the position is not a finite number",
                opened.source
            ));
        }
    }
    session.check()?;
    session.stage("measuring");
    let measured = compare(&original.animation, &approximation.animation, bounds);
    let warnings = [original.warnings, approximation.warnings].concat();
    let vertices = original.animation.frames.vertex_count();
    let mut report =
        CompareReport::new([original.source, approximation.source], vertices, measured, warnings);
    report.gpu = on_gpu;
    if let Some(path) = &args.plot {
        save_png(path, &plot_errors(&report.error_per_frame)?)?;
    }
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    let mut text = report.table().text();
    if args.per_frame {
        text += "\n  frame  error (rms, % of the diagonal)\n";
        for (frame, error) in report.error_per_frame.iter().enumerate() {
            text += &format!("  {frame:5}  {error:.6}\n");
        }
    }
    print(&text)
}

/// Puts what the GPU computes where the CPU's poses of a rig are, and says how far they were apart.
fn played(args: &CompareArgs, opened: &mut Opened) -> Outcome<Option<GpuReport>> {
    let animation = &opened.animation;
    let (vertices, frames) = (animation.frames.vertex_count(), animation.frames.len());
    let clips = args.clip.iter().cloned().collect();
    let options = SampleOptions { clips, fps: Some(animation.fps), weld: None };
    let rig = pair::rig_like(&args.b, vertices, &options)?.rig;
    if (rig.rest.len(), rig.frame_count()) != (vertices, frames) {
        return CliError::refused(format!("{}: the rig has other vertices or frames", args.b.display()));
    }
    let play = || -> Result<(String, Vec<f32>), GpuError> {
        let gpu = Gpu::open(None)?;
        let player = GpuPlayer::new(&gpu, &rig)?;
        let mut flat = Vec::with_capacity(3 * vertices * frames);
        for frame in 0..frames {
            flat.extend(player.pose(frame)?.iter().flat_map(|p| p.to_array()));
        }
        Ok((gpu.adapter().into(), flat))
    };
    let (adapter, flat) = match play() {
        Ok(played) => played,
        Err(error) => {
            opened.warnings.push(format!("{error}; the CPU played the rig instead"));
            return Ok(None);
        }
    };
    let found = Frames::new(flat, frames, vertices);
    let mut farthest = 0.0_f32;
    for frame in 0..frames {
        let distances =
            found.frame(frame).iter().zip(animation.frames.frame(frame)).map(|(p, q)| p.distance(*q));
        farthest = distances.fold(farthest, f32::max);
    }
    let difference = f64::from(farthest) / Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
    opened.animation.frames = found;
    Ok(Some(GpuReport { adapter, difference }))
}
