//! `sinew bake`: a rig becomes poses again.
//!
//! One pose at a time is in memory, and of a `.sinew` file one frame.

mod blended;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use sinew::progress::Progress;
use sinew::rig::Blending;
use sinew_io::formats::{Format, RigOptions, SINEW};
use sinew_io::glb::SampleOptions;
use sinew_io::open::{self, OpenOptions};
use sinew_io::sinew_file::{self, Stored};

use crate::choice::one_of;
use crate::console::{Table, count, frames_of, number, print, size};
use crate::error::{CliError, Outcome};
use crate::poses::{Frames, MeshFormat, Played, Target, frame_count, mesh_format, save_stream};
use crate::progress::Session;
use crate::report::{peak_memory, write_json};
use crate::target;

/// Play a rig back into a point cache or a folder of frames
#[derive(Args)]
#[command(after_help = "Examples:
  sinew bake rig.glb -o out.pc2 --rest-out out.obj
  sinew bake character.glb --clip Walk --fps 30 -o walk.mdd
  sinew bake rig.glb -o frames/ --format ply
  sinew bake rig.glb -o rig.sinew
  sinew bake edited.glb --blend centres -o edited.pc2")]
pub struct BakeArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// Where to: FILE.pc2, FILE.mdd, or a folder for one mesh a frame; FILE.sinew or FILE.glb keeps the rig
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// Frames per second [default: the rig's own]; the frames of .sinew files stay as they are
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// The clip to play, by name or number, or "all", one after another [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Write the rest mesh too (OBJ or PLY), which goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest_out: Option<PathBuf>,

    /// Format of frames in a folder
    #[arg(long, value_parser = one_of::<MeshFormat>(), default_value_t)]
    format: MeshFormat,

    /// How bones are blended where several move a vertex; other ways than linear keep joints from
    /// collapsing where motion is not what the rig was made from
    #[arg(long, value_enum, default_value_t)]
    blend: Blend,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Ways to blend bones.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Blend {
    /// The mean of their matrices: what files hold and engines play
    #[default]
    Linear,
    /// Dual quaternions: no collapse, but bends bulge
    Dual,
    /// The mean of their rotations about a centre of each vertex: neither
    Centres,
}

impl Blend {
    fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Dual => "dual",
            Self::Centres => "centres",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Linear => "the mean of their matrices",
            Self::Dual => "dual quaternions",
            Self::Centres => "rotations about a centre of each vertex",
        }
    }
}

impl From<Blend> for Blending {
    fn from(blend: Blend) -> Self {
        match blend {
            Blend::Linear => Self::Linear,
            Blend::Dual => Self::Dual,
            Blend::Centres => Self::Centres,
        }
    }
}

#[derive(Serialize)]
struct BakeReport {
    rig: String,
    clip: Option<String>,
    frames: usize,
    vertices: usize,
    bones: usize,
    fps: f64,
    /// How bones were blended.
    blend: &'static str,
    /// What another blending than linear keeps; null for linear, and where the surface encloses nothing.
    volume: Option<Volume>,
    seconds: BakeSeconds,
    bytes: BakeBytes,
    peak_memory: Option<u64>,
    warnings: Vec<String>,
}

/// The volume inside the surface, in percent of that of the rest pose.
#[derive(Serialize)]
struct Volume {
    /// The frame that differs most, and what it has when bones are blended linearly and as it was played.
    frame: usize,
    linear: f64,
    blended: f64,
    /// The same over all frames.
    mean_linear: f64,
    mean_blended: f64,
}

#[derive(Serialize)]
struct BakeSeconds {
    read: f64,
    write: f64,
    total: f64,
}

#[derive(Serialize)]
struct BakeBytes {
    output: u64,
}

/// Which frames are played.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// The first, counted from 0.
    pub from: usize,
    /// At most so many.
    pub frames: Option<usize>,
}

impl Span {
    /// Whether that is all frames.
    fn is_whole(&self) -> bool {
        self.from == 0 && self.frames.is_none()
    }

    /// How many of so many frames that is.
    fn of(&self, total: usize, path: &Path) -> Outcome<usize> {
        match total.checked_sub(self.from) {
            Some(left) if left > 0 => Ok(self.frames.map_or(left, |most| most.min(left))),
            _ => CliError::refused(format!(
                "{}: there is no frame {}; the frames are 0 to {}",
                path.display(),
                self.from,
                total.saturating_sub(1)
            )),
        }
    }
}

/// Runs the command.
pub fn run(args: &BakeArgs, session: &Session) -> Outcome<()> {
    play(args, Span::default(), session)
}

/// Plays some of the frames.
pub fn play(args: &BakeArgs, span: Span, session: &Session) -> Outcome<()> {
    let to = Target::of(&args.output, args.format)?;
    let rest_format = args.rest_out.as_deref().map(mesh_format).transpose()?;
    target::check(&[to.file(&args.output), args.rest_out.as_deref(), args.report.as_deref()])?;
    session.stage("reading");
    let clips = args.clip.iter().cloned().collect();
    let options = SampleOptions { clips, fps: args.fps, weld: None };
    let report = if let Target::Rig(format) = to {
        if !span.is_whole() {
            return CliError::refused("rigs are written whole; --from and --frames are for poses");
        }
        if args.blend != Blend::Linear {
            return CliError::refused("rigs are blended linearly; --blend is for poses");
        }
        store(args, format, &options, rest_format, session)?
    } else {
        if !open::format(&args.rig)?.is_rig() {
            // Says what is wrong.
            open::rig(&args.rig, &options)?;
        }
        match args.blend {
            Blend::Linear => write_poses(args, &to, span, rest_format, session)?,
            _ => blended::write_poses(args, &to, span, rest_format, session)?,
        }
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&table(&report, args).text()) }
}

/// Writes the rig itself.
fn store(
    args: &BakeArgs,
    to: &Format,
    options: &SampleOptions,
    rest_format: Option<&Format>,
    session: &Session,
) -> Outcome<BakeReport> {
    let contents = open::rig_or_chain(&args.rig, options)?;
    let read = session.seconds();
    session.check()?;
    session.stage("writing");
    let (path, stored) = (&args.output, &contents.stored);
    let (frames, fps, written) = match stored {
        Stored::Rig(r) => {
            let clip = Some(contents.clip.as_str()).filter(|c| !c.is_empty());
            let options = RigOptions { clip, keep_normals: true, ..RigOptions::default() };
            (r.frame_count(), r.fps, to.writer.rig(path, r, &options)?)
        }
        Stored::Chain(c) if to == &SINEW => {
            (c.frame_count(), c.fps, sinew_file::write_chain(path, c, &contents.clip)?.into())
        }
        Stored::Chain(_) => {
            return CliError::refused(format!(
                "{}: the bones in this file carry each pose to the next, which only .sinew files hold",
                args.rig.display()
            ));
        }
    };
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        format.writer.mesh(path, stored.mesh(), stored.rest())?;
    }
    let total = session.seconds();
    Ok(BakeReport {
        rig: args.rig.display().to_string(),
        clip: Some(contents.clip).filter(|c| !c.is_empty()),
        frames,
        vertices: stored.rest().len(),
        bones: stored.bones().len(),
        fps,
        blend: args.blend.name(),
        volume: None,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: written.bytes },
        peak_memory: peak_memory(),
        warnings: [contents.warnings, written.warnings].concat(),
    })
}

/// Plays the rig pose by pose.
fn write_poses(
    args: &BakeArgs,
    to: &Target,
    span: Span,
    rest_format: Option<&Format>,
    session: &Session,
) -> Outcome<BakeReport> {
    let clips = args.clip.iter().cloned().collect();
    let options = OpenOptions { fps: args.fps, clips, ..OpenOptions::default() };
    let mut stream = open::stream(std::slice::from_ref(&args.rig), &options)?;
    let frames = span.of(frame_count(&args.rig, &stream)?, &args.rig)?;
    let vertices = stream.vertex_count();
    let read = session.seconds();
    session.check()?;

    session.stage("writing");
    let facts = open::facts(&args.rig)?;
    let played = Frames { skip: span.from, frames, all: span.is_whole(), facts: &facts };
    let paths = (args.rig.as_path(), args.output.as_path());
    let Played { written, mesh, rest } = save_stream(paths, to, &mut stream, &played, |_| (), session)?;
    if let (Some(path), Some(format), Some(rest)) = (&args.rest_out, rest_format, &rest) {
        format.writer.mesh(path, &mesh, rest)?;
    }
    let total = session.seconds();
    Ok(BakeReport {
        rig: args.rig.display().to_string(),
        clip: stream.clip.clone(),
        frames,
        vertices,
        bones: stream.bones.unwrap_or(0),
        fps: stream.fps,
        blend: args.blend.name(),
        volume: None,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: written.bytes },
        peak_memory: peak_memory(),
        warnings: [stream.warnings(), written.warnings].concat(),
    })
}

fn table(report: &BakeReport, args: &BakeArgs) -> Table {
    let mut table = Table::default();
    let clip = report.clip.as_deref().filter(|c| !c.is_empty()).map(|c| format!(", clip {c}"));
    table.row(
        "rig",
        format!("{}{}, {}", report.rig, clip.unwrap_or_default(), count(report.bones, "bone", "bones")),
    );
    table.row(
        "played",
        format!("{} at {} per second", frames_of(report.frames, report.vertices), number(report.fps)),
    );
    if args.blend != Blend::Linear {
        table.row("blended", format!("by {}", args.blend.in_words()));
    }
    if let Some(volume) = &report.volume {
        let line = |of: &str, linear: f64, blended: f64| {
            format!("{of}: {} % of the rest pose linearly, {} % so", number(linear), number(blended))
        };
        let worst = format!("frame {}, the largest difference", volume.frame);
        table.row("volume", line(&worst, volume.linear, volume.blended));
        table.row("", line("mean of all frames", volume.mean_linear, volume.mean_blended));
    }
    table.row("time", format!("{:.2} s", report.seconds.total));
    table.row("wrote", format!("{} ({})", args.output.display(), size(report.bytes.output)));
    if let Some(path) = &args.rest_out {
        table.row("", format!("{} (rest pose)", path.display()));
    }
    table.list("warning", &report.warnings);
    table
}
