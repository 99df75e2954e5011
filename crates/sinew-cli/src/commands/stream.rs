//! `sinew stream`: frames are fitted as they come, and played as they are read.
//!
//! Ctrl-C ends `encode` after the frame at hand. The file is then closed like any other and holds the frames
//! up to there: that is how one stops what has no end. An error leaves nothing behind.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use glam::Vec3;
use serde::Serialize;
use sinew::animation::{Frames, MeshAnimation, RunningMeasure};
use sinew::geometry::{Bounds, corner_normals};
use sinew::progress::Progress;
use sinew::skin::BoneKind;
use sinew::stream::{DEFAULT_LOOK_AHEAD, Encoder, StreamOptions};
use sinew_io::open::{self, OpenOptions, PoseStream};
use sinew_io::sinew_file::{Clip, HeadRef, Motion, Writer};
use sinew_io::{Saving, check_target};

use super::bake::{self, BakeArgs, Span};
use crate::console::{Table, count, number, print, size};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::{ErrorReport, error_rows, peak_memory, write_json};
use crate::target;

/// Fit frames one at a time, in memory that does not grow with their number, and play them back
#[derive(Args)]
pub struct StreamArgs {
    #[command(subcommand)]
    command: StreamCommand,
}

#[derive(Subcommand)]
enum StreamCommand {
    Encode(EncodeArgs),
    Play(PlayArgs),
}

/// Fit each frame before the next is seen and write it at once
///
/// Bones carry the approximated pose of the frame before to the next, so that errors do not add up unseen;
/// where the rest pose leads closer, a frame starts from there. Frames that have gone by teach better weights
/// for those to come.
/// Ctrl-C ends the stream; the file holds the frames up to there.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew stream encode anim.pc2 --rest rest.obj -o out.sinew
  sinew stream encode frames/ -o out.sinew --bones 40 --report out.json
  sinew stream encode frames/ -o - | ssh elsewhere 'cat > live.sinew'")]
struct EncodeArgs {
    /// A point cache (PC2, MDD), a folder or pattern of OBJ or PLY frames, several such files, a GLB, or a
    /// .sinew file
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The file to write; - is standard output
    #[arg(short, long, value_name = "FILE.sinew")]
    output: PathBuf,

    /// The mesh that goes with a point cache (OBJ, PLY, GLB): faces, UVs, materials
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    rest_scale: Option<f64>,

    /// The pose that the first frame is reached from: the first frame itself, or that of the rest mesh
    #[arg(long, value_enum, default_value_t)]
    rest_pose: StreamRest,

    /// Number of bones
    #[arg(long, value_name = "N", default_value_t = StreamOptions::default().bones)]
    bones: usize,

    /// The most influences on a vertex
    #[arg(long, value_name = "K", default_value_t = StreamOptions::default().influences)]
    influences: usize,

    /// Rigid bones turn and shift, flexible ones stretch and shear too
    #[arg(long, value_enum, default_value_t)]
    kind: StreamKind,

    /// Whether frames may start from the rest pose where that is closer than from the pose before
    #[arg(long, value_enum, default_value_t)]
    keys: Keys,

    /// Whether weights change to what the frames that have gone by teach; without, the file is smaller
    #[arg(long, value_enum, default_value_t)]
    learn: Learn,

    /// Look at so many frames before the first is fitted, to choose the bones to begin with; 1 spreads them
    /// evenly
    #[arg(long, value_name = "F", default_value_t = DEFAULT_LOOK_AHEAD as u16,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    look_ahead: u16,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clip of a GLB or .sinew input, by name or number
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Play a .sinew file into a point cache or a folder of frames, one frame at a time
///
/// The same as bake, with a choice of frames.
#[derive(Args)]
struct PlayArgs {
    #[command(flatten)]
    bake: BakeArgs,

    /// The first frame to write, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: usize,

    /// Write at most so many frames
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum StreamRest {
    #[default]
    First,
    File,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Keys {
    #[default]
    Auto,
    None,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Learn {
    #[default]
    Auto,
    None,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum StreamKind {
    Rigid,
    #[default]
    Flexible,
}

#[derive(Serialize)]
struct StreamReport {
    source: String,
    frames: usize,
    vertices: usize,
    bones: usize,
    influences: usize,
    look_ahead: usize,
    /// Frames that start from the rest pose.
    key_frames: usize,
    /// Frames from which other weights are used.
    weight_changes: Vec<usize>,
    error: ErrorReport,
    seconds: StreamSeconds,
    /// Without reading what was looked at ahead and choosing bones.
    frames_per_second: f64,
    bytes: StreamBytes,
    peak_memory: Option<u64>,
    /// Whether Ctrl-C ended the stream.
    stopped: bool,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct StreamSeconds {
    look_ahead: f64,
    encode: f64,
    total: f64,
}

#[derive(Serialize)]
struct StreamBytes {
    input: u64,
    output: u64,
}

/// Runs the command.
pub fn run(args: &StreamArgs, session: &Session) -> Outcome<()> {
    match &args.command {
        StreamCommand::Encode(args) => encode(args, session),
        StreamCommand::Play(args) => {
            bake::play(&args.bake, Span { from: args.from, frames: args.frames }, session)
        }
    }
}

fn encode(args: &EncodeArgs, session: &Session) -> Outcome<()> {
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout {
        if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("sinew")) {
            let path = args.output.display();
            return CliError::refused(format!(
                "{path}: streams are written as .sinew; name the file *.sinew"
            ));
        }
        check_target(&args.output)?;
    }
    target::check(&[args.report.as_deref()])?;
    let mut live = Live::begin(args, session)?;
    let (bytes, end) = if to_stdout {
        let mut out = Counting { out: std::io::stdout().lock(), bytes: 0 };
        let end = live.run(&mut out, Path::new("standard output"), session)?;
        (out.bytes, end)
    } else {
        let mut out = Saving::new(&args.output)?;
        let end = live.run(&mut out, &args.output, session)?;
        (out.commit()?, end)
    };
    let report = live.report(args, bytes, matches!(end, End::Stopped), session);
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if !session.quiet && !to_stdout {
        print(&table(&report, &args.output).text())?;
    }
    let holds = || {
        let frames = count(report.frames, "frame", "frames");
        format!("{} holds the first {frames}", args.output.display())
    };
    match end {
        End::Whole => Ok(()),
        End::Stopped => Err(CliError::Stopped(format!("interrupted; {}", holds()))),
        End::Broken(error) => CliError::refused(format!("{error}; {}", holds())),
    }
}

/// How a stream ended.
enum End {
    /// There were no more frames.
    Whole,
    /// By Ctrl-C.
    Stopped,
    /// A frame could not be used; those before it are kept.
    Broken(CliError),
}

/// A stream under way.
struct Live {
    input: PoseStream,
    /// Frames that were looked at and are yet to be fitted.
    ahead: VecDeque<Vec<Vec3>>,
    looked_at: usize,
    rest: Vec<Vec3>,
    encoder: Encoder,
    measure: RunningMeasure,
    keys: usize,
    weight_changes: Vec<usize>,
    begun: f64,
}

impl Live {
    /// Looks ahead and chooses bones.
    fn begin(args: &EncodeArgs, session: &Session) -> Outcome<Self> {
        session.stage("looking ahead");
        let open = OpenOptions {
            rest: args.rest.clone(),
            rest_scale: args.rest_scale,
            fps: args.fps,
            clips: args.clip.iter().cloned().collect(),
            weld: None,
        };
        let mut input = open::stream(&args.inputs, &open)?;
        if input.clips.len() > 1 {
            let clips = input.clips.len();
            return CliError::refused(format!(
                "{}: these are {clips} clips, and a stream is one: name one input, or choose with --clip NAME",
                input.source
            ));
        }
        let mut ahead = VecDeque::new();
        let mut pose = vec![Vec3::ZERO; input.vertex_count()];
        while ahead.len() < usize::from(args.look_ahead) && input.next_into(&mut pose)? {
            session.check()?;
            ahead.push_back(pose.clone());
        }
        let Some(first) = ahead.front() else {
            return CliError::refused(format!("{}: the animation has no frames", input.source));
        };
        let rest = match (args.rest_pose, &input.rest) {
            (StreamRest::First, _) => first.clone(),
            (StreamRest::File, Some(rest)) => rest.clone(),
            (StreamRest::File, None) => {
                return CliError::refused(
                    "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE",
                );
            }
        };
        let bounds = Bounds::of(input.rest.as_deref().unwrap_or(first));
        check(&input, &rest, first)?;
        // Shading normals were modelled for the pose that came with the mesh and fit no other.
        if input.mesh.normals.is_some() && input.rest.as_ref().is_some_and(|given| *given != rest) {
            input.mesh.normals = Some(corner_normals(&input.mesh, &rest));
        }
        session.stage("bones");
        let kind = match args.kind {
            StreamKind::Rigid => BoneKind::Rigid,
            StreamKind::Flexible => BoneKind::Flexible,
        };
        let keys = args.keys == Keys::Auto;
        let learn = args.learn == Learn::Auto;
        let options = StreamOptions { bones: args.bones, influences: args.influences, kind, keys, learn };
        let poses: Vec<&[Vec3]> = ahead.iter().map(Vec::as_slice).collect();
        let encoder = Encoder::new(&input.mesh, &rest, &poses, &options).map_err(|e| refuse(&input, e))?;
        session.check()?;
        let (looked_at, measure) = (ahead.len(), RunningMeasure::new(bounds));
        Ok(Self {
            input,
            ahead,
            looked_at,
            rest,
            encoder,
            measure,
            keys: 0,
            weight_changes: Vec::new(),
            begun: session.seconds(),
        })
    }

    /// Fits and writes frame after frame.
    fn run(&mut self, out: &mut dyn Write, path: &Path, session: &Session) -> Outcome<End> {
        session.stage("encoding");
        let clip = Clip {
            name: self.input.clip.clone().unwrap_or_default(),
            fps: self.input.fps,
            motion: Motion::FromLast,
            frames: self.input.frame_count.map(|n| n as u64),
        };
        let head = HeadRef {
            mesh: &self.input.mesh,
            rest: &self.rest,
            weights: self.encoder.weights(),
            bones: self.encoder.bones(),
            skeleton: None,
            corrections: None,
            clip: &clip,
        };
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::BrokenPipe => CliError::OutputClosed,
            _ => sinew_io::Error::io(path)(e).into(),
        };
        let mut writer = Writer::new(out, &head).map_err(failed)?;
        let mut pose = vec![Vec3::ZERO; self.input.vertex_count()];
        let mut shown = pose.clone();
        let mut end = End::Whole;
        while !matches!(end, End::Stopped) {
            match self.ahead.pop_front() {
                Some(next) => pose = next,
                None => match self.input.next_into(&mut pose) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) if self.measure.frames() == 0 => return Err(error.into()),
                    Err(error) => {
                        end = End::Broken(error.into());
                        break;
                    }
                },
            }
            let step = match self.encoder.encode(&pose) {
                Ok(step) => step,
                Err(error) if self.measure.frames() == 0 => return Err(refuse(&self.input, error)),
                Err(error) => {
                    end = End::Broken(refuse(&self.input, error));
                    break;
                }
            };
            if let Some(weights) = step.new_weights {
                writer.new_weights(weights).map_err(failed)?;
                self.weight_changes.push(self.measure.frames());
            }
            if step.key {
                writer.key_frame(step.transforms).map_err(failed)?;
                self.keys += 1;
            } else {
                writer.frame(step.transforms, &[]).map_err(failed)?;
            }
            shown.iter_mut().zip(self.encoder.pose()).for_each(|(out, p)| *out = p.as_vec3());
            self.measure.add(&pose, &shown);
            if let Some(total) = self.input.frame_count {
                session.advance(self.measure.frames() as f64 / total as f64);
            }
            if session.cancelled() {
                end = End::Stopped;
            }
        }
        writer.finish().map_err(failed)?;
        Ok(end)
    }

    fn report(&self, args: &EncodeArgs, output: u64, stopped: bool, session: &Session) -> StreamReport {
        let total = session.seconds();
        let (frames, encode) = (self.measure.frames(), total - self.begun);
        StreamReport {
            source: self.input.source.clone(),
            frames,
            vertices: self.rest.len(),
            bones: self.encoder.bones().len(),
            influences: self.encoder.weights().most_influences().min(args.influences),
            look_ahead: self.looked_at,
            key_frames: self.keys,
            weight_changes: self.weight_changes.clone(),
            error: self.measure.error().into(),
            seconds: StreamSeconds { look_ahead: self.begun, encode, total },
            frames_per_second: frames as f64 / encode.max(1e-9),
            bytes: StreamBytes { input: self.input.input_bytes, output },
            peak_memory: peak_memory(),
            stopped,
            warnings: self.input.warnings(),
        }
    }
}

/// Counts what goes to standard output.
struct Counting<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Checks what every fit relies on, on the first frame.
fn check(input: &PoseStream, rest: &[Vec3], first: &Vec<Vec3>) -> Outcome<()> {
    let animation = MeshAnimation {
        mesh: input.mesh.clone(),
        rest: Some(rest.to_vec()),
        frames: Frames::from_poses(std::slice::from_ref(first)),
        fps: input.fps,
        clips: Vec::new(),
    };
    animation.validate().map_err(|e| refuse(input, e))
}

fn refuse(input: &PoseStream, error: impl std::fmt::Display) -> CliError {
    CliError::Refused(format!("{}: {error}", input.source))
}

fn table(report: &StreamReport, output: &Path) -> Table {
    let mut table = Table::default();
    table.row("source", &report.source);
    let keys = count(report.key_frames, "key frame", "key frames");
    table.row("mesh", format!("{} vertices, {} frames, {keys}", report.vertices, report.frames));
    table.row(
        "bones",
        format!(
            "{}, {} a vertex, chosen from {}, weights change {}",
            report.bones,
            count(report.influences, "influence", "influences"),
            count(report.look_ahead, "frame", "frames"),
            count(report.weight_changes.len(), "time", "times")
        ),
    );
    error_rows(&report.error, &mut table);
    let s = &report.seconds;
    let rate = number(report.frames_per_second);
    table.row("time", format!("{:.2} s for bones, then {rate} frames a second", s.look_ahead));
    table.row("size", format!("{} in, {} out", size(report.bytes.input), size(report.bytes.output)));
    if let Some(peak) = report.peak_memory {
        table.row("memory", format!("{} at most", size(peak)));
    }
    table.list("warning", &report.warnings);
    table.row("wrote", output.display().to_string());
    table
}
