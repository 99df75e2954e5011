//! `sinew bake`: a rig becomes poses again.
//!
//! One pose at a time is in memory, and of a `.sinew` file one frame.

mod blended;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew::rig::Blending;
use sinew_io::glb::SampleOptions;
use sinew_io::open::{self, OpenOptions, PoseStream};
use sinew_io::sinew_file::{self, Stored};
use sinew_io::{mdd, obj, pc2, ply};

use crate::console::{Table, count, frames_of, number, print, size};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::{peak_memory, write_json};
use crate::target::{self, Staged};

/// Play a rig back into a point cache or a folder of frames
#[derive(Args)]
#[command(after_help = "Examples:
  sinew bake rig.glb -o out.pc2 --rest-out out.obj
  sinew bake character.glb --clip Walk --fps 30 -o walk.mdd
  sinew bake rig.glb -o frames/ --format ply
  sinew bake rig.glb -o rig.sinew
  sinew bake edited.glb --blend centres -o edited.pc2")]
pub struct BakeArgs {
    /// A GLB, glTF or .sinew file
    rig: PathBuf,

    /// Where to: FILE.pc2, FILE.mdd, or a folder for one mesh a frame; FILE.sinew keeps the rig
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
    #[arg(long, value_enum, default_value_t)]
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

impl From<Blend> for Blending {
    fn from(blend: Blend) -> Self {
        match blend {
            Blend::Linear => Self::Linear,
            Blend::Dual => Self::Dual,
            Blend::Centres => Self::Centres,
        }
    }
}

/// Formats a single pose is written in.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MeshFormat {
    #[default]
    Obj,
    Ply,
}

impl MeshFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
        }
    }

    /// Tells the format from a file's name.
    fn of(path: &Path) -> Outcome<Self> {
        let is = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
        match () {
            () if is("obj") => Ok(Self::Obj),
            () if is("ply") => Ok(Self::Ply),
            () => CliError::refused(format!("{}: meshes are written as *.obj or *.ply", path.display())),
        }
    }

    fn write(self, path: &Path, mesh: &Mesh, pose: &[glam::Vec3]) -> Outcome<u64> {
        Ok(match self {
            Self::Obj => obj::write(path, mesh, pose)?,
            Self::Ply => ply::write(path, mesh, pose)?,
        })
    }
}

/// Where poses go.
pub enum Target {
    Pc2,
    Mdd,
    Folder,
    Sinew,
}

impl Target {
    /// Tells it from a name.
    pub fn of(path: &Path) -> Outcome<Self> {
        let text = path.to_string_lossy();
        if path.is_dir() || text.ends_with(['/', '\\']) || path.extension().is_none() {
            return Ok(Self::Folder);
        }
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("pc2") => Ok(Self::Pc2),
            Some("mdd") => Ok(Self::Mdd),
            Some("sinew") => Ok(Self::Sinew),
            _ => CliError::refused(format!(
                "{text}: poses are written to *.pc2, *.mdd, or a folder (frames/) for one mesh a frame, rigs to \
                 *.sinew"
            )),
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
    seconds: BakeSeconds,
    bytes: BakeBytes,
    peak_memory: Option<u64>,
    warnings: Vec<String>,
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
    let to = Target::of(&args.output)?;
    let rest_format = args.rest_out.as_deref().map(MeshFormat::of).transpose()?;
    let file = if matches!(to, Target::Folder) { None } else { Some(args.output.as_path()) };
    target::check(&[file, args.rest_out.as_deref(), args.report.as_deref()])?;
    session.stage("reading");
    let clips = args.clip.iter().cloned().collect();
    let options = SampleOptions { clips, fps: args.fps, weld: None };
    let report = if matches!(to, Target::Sinew) {
        if span.from > 0 || span.frames.is_some() {
            return CliError::refused("rigs are written whole; --from and --frames are for poses");
        }
        if args.blend != Blend::Linear {
            return CliError::refused("rigs are blended linearly; --blend is for poses");
        }
        store(args, &options, rest_format, session)?
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
    options: &SampleOptions,
    rest_format: Option<MeshFormat>,
    session: &Session,
) -> Outcome<BakeReport> {
    let contents = open::rig_or_chain(&args.rig, options)?;
    let read = session.seconds();
    session.check()?;
    session.stage("writing");
    let (path, stored) = (&args.output, &contents.stored);
    let (frames, fps, bytes) = match stored {
        Stored::Rig(r) => (r.frame_count(), r.fps, sinew_file::write_rig(path, r, &contents.clip)?),
        Stored::Chain(c) => (c.frame_count(), c.fps, sinew_file::write_chain(path, c, &contents.clip)?),
    };
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        format.write(path, stored.mesh(), stored.rest())?;
    }
    let total = session.seconds();
    Ok(BakeReport {
        rig: args.rig.display().to_string(),
        clip: Some(contents.clip).filter(|c| !c.is_empty()),
        frames,
        vertices: stored.rest().len(),
        bones: stored.bones().len(),
        fps,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: bytes },
        peak_memory: peak_memory(),
        warnings: contents.warnings,
    })
}

/// Plays the rig pose by pose.
fn write_poses(
    args: &BakeArgs,
    to: &Target,
    span: Span,
    rest_format: Option<MeshFormat>,
    session: &Session,
) -> Outcome<BakeReport> {
    let clips = args.clip.iter().cloned().collect();
    let options = OpenOptions { fps: args.fps, clips, ..OpenOptions::default() };
    let mut stream = open::stream(std::slice::from_ref(&args.rig), &options)?;
    let frames = frames_to_play(&args.rig, &stream, span)?;
    let vertices = stream.vertex_count();
    let mut unused = vec![glam::Vec3::ZERO; vertices];
    for _ in 0..span.from {
        session.check()?;
        stream.next_into(&mut unused)?;
    }
    let read = session.seconds();
    session.check()?;

    session.stage("writing");
    let fps = stream.fps;
    let mesh = std::mem::take(&mut stream.mesh);
    let next = |frame: usize, out: &mut [glam::Vec3]| -> Outcome<()> {
        session.check()?;
        session.advance(frame as f64 / frames as f64);
        if stream.next_into(out)? {
            return Ok(());
        }
        CliError::refused(format!("{}: the file became shorter while it was read", args.rig.display()))
    };
    let bytes = save_poses((&args.output, args.format), to, &mesh, (frames, fps), session, next)?;
    if let (Some(path), Some(format), Some(rest)) = (&args.rest_out, rest_format, &stream.rest) {
        format.write(path, &mesh, rest)?;
    }
    let total = session.seconds();
    // Where a file was cut shows only at its end.
    let mut end = vec![glam::Vec3::ZERO; vertices];
    if span.frames.is_none() {
        stream.next_into(&mut end)?;
    }
    Ok(BakeReport {
        rig: args.rig.display().to_string(),
        clip: stream.clip.clone(),
        frames,
        vertices,
        bones: stream.bones.unwrap_or(0),
        fps,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: bytes },
        peak_memory: peak_memory(),
        warnings: stream.warnings(),
    })
}

/// Writes so many poses at so many a second to where they go.
pub fn save_poses(
    (output, format): (&Path, MeshFormat),
    to: &Target,
    mesh: &Mesh,
    (frames, fps): (usize, f64),
    session: &Session,
    mut next: impl FnMut(usize, &mut [glam::Vec3]) -> Outcome<()>,
) -> Outcome<u64> {
    let mut failed = None;
    // Files take no errors but those of the system; ours is kept meanwhile.
    let mut pose = |frame: usize, out: &mut [glam::Vec3]| {
        next(frame, out).map_err(|e| {
            failed = Some(e);
            std::io::Error::other("the pose could not be read")
        })
    };
    let vertices = mesh.vertex_count;
    let written = match to {
        Target::Pc2 => pc2::try_write(output, vertices, frames, pose).map_err(CliError::from),
        Target::Mdd => mdd::try_write(output, vertices, frames, fps, pose).map_err(CliError::from),
        Target::Folder | Target::Sinew => Staged::new(output).and_then(|staged| {
            let frame = |frame: usize, out: &mut [glam::Vec3]| {
                pose(frame, out).map_err(|e| CliError::Refused(e.to_string()))
            };
            let bytes = write_frames(&staged, mesh, frames, format, session, frame)?;
            staged.commit()?;
            Ok(bytes)
        }),
    };
    match (written, failed) {
        (_, Some(error)) => Err(error),
        (written, None) => written,
    }
}

/// How many frames there are to play. A `.sinew` file is gone through once: caches say it up front.
fn frames_to_play(path: &Path, stream: &PoseStream, span: Span) -> Outcome<usize> {
    let total = match stream.frame_count {
        Some(total) => total,
        None => sinew_file::clips(path)?.first().map_or(0, |c| c.frames.len()),
    };
    span.of(total, path)
}

/// Writes one mesh a frame. UVs and materials are in the first only: they are the same in all.
pub fn write_frames(
    staged: &Staged,
    mesh: &Mesh,
    frames: usize,
    format: MeshFormat,
    session: &Session,
    mut pose: impl FnMut(usize, &mut [glam::Vec3]) -> Outcome<()>,
) -> Outcome<u64> {
    let digits = frames.saturating_sub(1).to_string().len().max(4);
    let bare = Mesh {
        vertex_count: mesh.vertex_count,
        face_starts: mesh.face_starts.clone(),
        corners: mesh.corners.clone(),
        parts: mesh.parts.clone(),
        ..Mesh::default()
    };
    let mut positions = vec![glam::Vec3::ZERO; mesh.vertex_count];
    let mut bytes = 0;
    for frame in 0..frames {
        session.check()?;
        pose(frame, &mut positions)?;
        let path = staged.path().join(format!("frame_{frame:0digits$}.{}", format.extension()));
        bytes += format.write(&path, if frame == 0 { mesh } else { &bare }, &positions)?;
    }
    Ok(bytes)
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
    table.row("time", format!("{:.2} s", report.seconds.total));
    table.row("wrote", format!("{} ({})", args.output.display(), size(report.bytes.output)));
    if let Some(path) = &args.rest_out {
        table.row("", format!("{} (rest pose)", path.display()));
    }
    table.list("warning", &report.warnings);
    table
}
