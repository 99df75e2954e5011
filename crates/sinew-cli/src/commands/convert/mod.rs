//! `sinew convert`: any animation or rig as any other file that can hold it.
//!
//! A rig stays a rig where the other format holds rigs, and is played where it holds poses. Poses do not become
//! a rig: that is what `sinew skin` is for. What the other format cannot hold is told.

mod change;
mod joints;
mod lost;
mod rigs;
mod way;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sinew::progress::Progress;
use sinew_io::formats::Written;
use sinew_io::open::{self, OpenOptions};

use self::change::Change;
use self::way::{Source, Way};
use crate::choice::one_of;
use crate::console::{Table, count, frames_of, number, print, size};
use crate::error::{CliError, Outcome};
use crate::pair::one;
use crate::poses::{self, MeshFormat, Played, Target, mesh_format};
use crate::progress::Session;
use crate::report::{peak_memory, write_json};
use crate::rig_file::{beside_rig, check_compact, has_extension};
use crate::target;
use crate::up::Axis;

/// Convert an animation or a rig into any other format that can hold it
///
/// The input is told by content, the output by its name. Rigs stay rigs where that is possible, and are played
/// frame by frame where it is not. What cannot be carried is listed. sinew info --formats lists the formats.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew convert anim.mdd anim.pc2
  sinew convert anim.pc2 frames/ --rest rest.obj
  sinew convert frames/ anim.npz --fps 30
  sinew convert rig.glb rig.sinew
  sinew convert rig.glb small.glb --pack
  sinew convert rig.glb anim.pc2 --clip Walk --rest-out rest.obj
  sinew convert character.glb motion.bvh")]
pub struct ConvertArgs {
    /// A file of any format that Sinew reads, or a folder or pattern of frames
    input: PathBuf,

    /// Where to: a file, whose ending tells the format, or a folder for one mesh a frame
    #[arg(value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// The mesh that goes with a point cache: faces, UVs, materials and a pose
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    rest_scale: Option<f64>,

    /// Frames per second: rigs are sampled at it, other frames are said to have it [default: what the file says]
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clips of a rig, by name or number; several times for several [default: all]
    #[arg(long = "clip", value_name = "NAME")]
    clips: Vec<String>,

    /// Make everything this many times as large
    #[arg(long, value_name = "F")]
    scale: Option<f64>,

    /// Which axis of the input is up, where that is not what it says; y is up in the output
    #[arg(long, value_enum)]
    up: Option<Axis>,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,

    /// Format of frames in a folder
    #[arg(long, value_parser = one_of::<MeshFormat>(), default_value_t)]
    format: MeshFormat,

    /// Write the rest mesh too, which goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest_out: Option<PathBuf>,

    /// Of GLB files: store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    compact: Option<f64>,

    /// Of GLB files: as small as they get, as exact as --compact says [default: 0.01]. For viewers that know
    /// EXT_meshopt_compression (three.js, Babylon.js and others on the web), not for Blender; vertices are in
    /// another order
    #[arg(long)]
    pack: bool,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Serialize)]
struct ConvertReport {
    input: String,
    input_format: &'static str,
    output: String,
    output_format: &'static str,
    /// What was written: "rig", "poses", "mesh" or "joints".
    written: &'static str,
    frames: usize,
    /// Vertices, or joints where there is no mesh.
    vertices: usize,
    fps: f64,
    /// What the output cannot hold, one sentence each.
    lost: Vec<String>,
    warnings: Vec<String>,
    bytes: ConvertBytes,
    seconds: f64,
    peak_memory: Option<u64>,
}

#[derive(Serialize)]
struct ConvertBytes {
    input: u64,
    output: u64,
}

/// What came out, besides the file.
struct Converted {
    written: Written,
    frames: usize,
    vertices: usize,
    fps: f64,
    input_bytes: u64,
    lost: Vec<String>,
    warnings: Vec<String>,
}

/// Runs the command.
pub fn run(args: &ConvertArgs, session: &Session) -> Outcome<()> {
    let source = Source::of(&args.input)?;
    let way = Way::of(&source, args)?;
    let change = Change::new(args)?;
    crate::source::check_compact(args.compact, std::slice::from_ref(&args.input))?;
    check_compact(args.compact)?;
    if (args.compact.is_some() || args.pack) && !has_extension(&args.output, "glb") {
        return CliError::refused("--compact and --pack are for GLB files");
    }
    let rest_format = args.rest_out.as_deref().map(mesh_format).transpose()?;
    if rest_format.is_some() && matches!(way, Way::Joints(_)) {
        return CliError::refused("--rest-out writes a mesh, and there is none in a file of joints");
    }
    let targets = [way.file(&args.output), args.rest_out.as_deref(), args.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, std::iter::once(&args.input).chain(&args.rest))?;
    session.stage("reading");
    let mut converted = match &way {
        Way::Rig(format) => rigs::convert(args, format, &change, session)?,
        Way::Still(format) => rigs::convert_still(args, format, &change, session)?,
        Way::Joints(format) => joints::convert(args, &source, format, &change)?,
        Way::Poses(to) => convert_poses(args, &source, to, &change, session)?,
    };
    converted.warnings.extend(disagreements(args, &way, &change)?);
    let report = ConvertReport {
        input: args.input.display().to_string(),
        input_format: source.name(),
        output: args.output.display().to_string(),
        output_format: way.format().name,
        written: way.what(),
        frames: converted.frames,
        vertices: converted.vertices,
        fps: converted.fps,
        lost: converted.lost,
        warnings: [converted.warnings, converted.written.warnings].concat(),
        bytes: ConvertBytes { input: converted.input_bytes, output: converted.written.bytes },
        seconds: session.seconds(),
        peak_memory: peak_memory(),
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&table(&report, args).text()) }
}

/// Poses one after the other, from whatever holds them.
fn convert_poses(
    args: &ConvertArgs,
    source: &Source,
    to: &Target,
    change: &Change,
    session: &Session,
) -> Outcome<Converted> {
    let options = OpenOptions {
        rest: args.rest.clone(),
        rest_scale: args.rest_scale,
        fps: args.fps,
        clips: if source.holds.rig { clips_of(args) } else { Vec::new() },
        weld: None,
    };
    // A cache becomes another without a mesh; one mesh a frame needs its faces.
    let needs_faces = matches!(to, Target::Folder(_) | Target::Mesh(_));
    let mut stream = if needs_faces {
        open::stream(&one(&args.input), &options)?
    } else {
        open::poses(&args.input, &options)?
    };
    change.turn_mesh(&mut stream.mesh);
    if let Some(rest) = &mut stream.rest {
        change.apply(rest);
    }
    let frames = poses::frame_count(&args.input, &stream)?;
    if matches!(to, Target::Mesh(_)) && frames != 1 {
        return CliError::refused(format!(
            "{}: {} do not go into one mesh; name a folder for one a frame, such as frames/",
            args.input.display(),
            count(frames, "frame", "frames")
        ));
    }
    session.check()?;
    session.stage("writing");
    let mut facts = open::facts(&args.input)?;
    change.apply_to_facts(&mut facts);
    let whole = poses::Frames { skip: 0, frames, all: true, facts: &facts };
    let Played { written, mesh, rest } = poses::save_stream(
        (&args.input, &args.output),
        to,
        &mut stream,
        &whole,
        |pose| change.apply(pose),
        session,
    )?;
    let rest_format = args.rest_out.as_deref().map(mesh_format).transpose()?;
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        match &rest {
            Some(rest) => drop(format.writer.mesh(path, &mesh, rest)?),
            None => write_first(args, path, format, change)?,
        }
    }
    let carried = lost::Content {
        mesh: &mesh,
        rest: rest.is_some(),
        told_fps: (!stream.assumed_fps).then_some(stream.fps),
        clips: &stream.clips,
        clip: stream.clip.as_deref(),
        bones: stream.bones,
        frames,
    };
    let mut warnings = stream.warnings();
    if mesh.face_count() == 0 && to.format().writes.faces {
        warnings.push(format!(
            "{} holds no faces, so the new file has none: --rest FILE brings those of a mesh",
            args.input.display()
        ));
    }
    Ok(Converted {
        lost: [lost::list(&carried, to.format(), rest_format), beside_rig(&args.input)?].concat(),
        written,
        frames,
        vertices: mesh.vertex_count,
        fps: stream.fps,
        input_bytes: stream.input_bytes,
        warnings,
    })
}

/// Writes the first frame where there is no rest pose.
fn write_first(
    args: &ConvertArgs,
    path: &std::path::Path,
    format: &sinew_io::formats::Format,
    change: &Change,
) -> Outcome<()> {
    let mut stream = open::stream(&one(&args.input), &OpenOptions::default())?;
    let mut pose = vec![glam::Vec3::ZERO; stream.vertex_count()];
    stream.next_into(&mut pose)?;
    change.apply(&mut pose);
    change.turn_mesh(&mut stream.mesh);
    format.writer.mesh(path, &stream.mesh, &pose)?;
    Ok(())
}

/// Clips that are taken: all, unless some are asked for.
fn clips_of(args: &ConvertArgs) -> Vec<String> {
    if args.clips.is_empty() { vec!["all".into()] } else { args.clips.clone() }
}

/// In what input, rest mesh and output disagree, and by how much.
fn disagreements(args: &ConvertArgs, way: &Way, change: &Change) -> Outcome<Vec<String>> {
    let facts = open::facts(&args.input)?;
    let mut found = Vec::new();
    if let Some(rest) = &args.rest {
        let of_rest = open::facts(rest)?;
        let names = [args.input.display().to_string(), rest.display().to_string()];
        found.extend(facts.differences(&of_rest, [&names[0], &names[1]]));
    }
    if let (Some(metres), Some(unit)) = (facts.metres_per_unit, way.format().unit) {
        let larger = unit * change.scale / metres;
        if (larger - 1.0).abs() > 1e-4 {
            found.push(format!(
                "a unit is {} in the input and {} in {}: what was written is {} times as large; --scale {} keeps \
                 the size",
                sinew_io::formats::length(metres),
                sinew_io::formats::length(unit),
                way.format().one(),
                number(larger),
                number(metres / unit)
            ));
        }
    }
    Ok(found)
}

fn table(report: &ConvertReport, args: &ConvertArgs) -> Table {
    let mut table = Table::default();
    table.row("from", format!("{} ({}, {})", report.input, report.input_format, size(report.bytes.input)));
    let what = match report.written {
        "joints" => {
            let joints = count(report.vertices, "joint", "joints");
            format!("{} of {joints}", count(report.frames, "frame", "frames"))
        }
        _ => frames_of(report.frames, report.vertices),
    };
    let rate =
        if report.frames > 1 { format!(" at {} per second", number(report.fps)) } else { String::new() };
    table.row(report.written, format!("{what}{rate}"));
    table.row("time", format!("{:.2} s", report.seconds));
    table
        .row("wrote", format!("{} ({}, {})", report.output, report.output_format, size(report.bytes.output)));
    if let Some(path) = &args.rest_out {
        table.row("", format!("{} (rest pose)", path.display()));
    }
    table.list("not kept", &report.lost);
    table.list("warning", &report.warnings);
    table
}
