//! `sinew bake`: a rig becomes poses again.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew_io::glb::SampleOptions;
use sinew_io::{mdd, obj, open, pc2, ply};

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
  sinew bake rig.glb -o frames/ --format ply")]
pub struct BakeArgs {
    /// A GLB or glTF file
    rig: PathBuf,

    /// Where to: FILE.pc2, FILE.mdd, or a folder for one mesh a frame
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// Frames per second [default: the rig's own]
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

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
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
enum Target {
    Pc2,
    Mdd,
    Folder,
}

impl Target {
    fn of(path: &Path) -> Outcome<Self> {
        let text = path.to_string_lossy();
        if path.is_dir() || text.ends_with(['/', '\\']) || path.extension().is_none() {
            return Ok(Self::Folder);
        }
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("pc2") => Ok(Self::Pc2),
            Some("mdd") => Ok(Self::Mdd),
            _ => CliError::refused(format!(
                "{text}: poses are written to *.pc2, *.mdd, or a folder (frames/) for one mesh a frame"
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

/// Runs the command.
pub fn run(args: &BakeArgs, session: &Session) -> Outcome<()> {
    let to = Target::of(&args.output)?;
    let rest_format = args.rest_out.as_deref().map(MeshFormat::of).transpose()?;
    let file = if matches!(to, Target::Folder) { None } else { Some(args.output.as_path()) };
    target::check(&[file, args.rest_out.as_deref(), args.report.as_deref()])?;
    session.stage("reading");
    let options = SampleOptions { clips: args.clip.iter().cloned().collect(), fps: args.fps, weld: None };
    let sampled = open::rig(&args.rig, &options)?;
    let rig = &sampled.rig;
    let read = session.seconds();
    session.check()?;

    session.stage("writing");
    let (frames, vertices) = (rig.frame_count(), rig.rest.len());
    let player = Player::new(rig);
    let pose = |frame: usize, out: &mut [glam::Vec3]| {
        player.pose_into(frame, out);
        session.advance(frame as f64 / frames as f64);
    };
    let bytes = match to {
        Target::Pc2 => pc2::write(&args.output, vertices, frames, pose)?,
        Target::Mdd => mdd::write(&args.output, vertices, frames, rig.fps, pose)?,
        Target::Folder => {
            let staged = Staged::new(&args.output)?;
            let bytes = write_frames(&staged, &rig.mesh, frames, args.format, session, pose)?;
            staged.commit()?;
            bytes
        }
    };
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        format.write(path, &rig.mesh, &rig.rest)?;
    }
    let total = session.seconds();
    let report = BakeReport {
        rig: args.rig.display().to_string(),
        clip: sampled.clip.clone(),
        frames,
        vertices,
        bones: rig.bones.len(),
        fps: rig.fps,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: bytes },
        peak_memory: peak_memory(),
        warnings: sampled.warnings.clone(),
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&table(&report, args, rig).text()) }
}

/// Writes one mesh a frame. UVs and materials are in the first only: they are the same in all.
pub fn write_frames(
    staged: &Staged,
    mesh: &Mesh,
    frames: usize,
    format: MeshFormat,
    session: &Session,
    mut pose: impl FnMut(usize, &mut [glam::Vec3]),
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
        pose(frame, &mut positions);
        let path = staged.path().join(format!("frame_{frame:0digits$}.{}", format.extension()));
        bytes += format.write(&path, if frame == 0 { mesh } else { &bare }, &positions)?;
    }
    Ok(bytes)
}

fn table(report: &BakeReport, args: &BakeArgs, rig: &Rig) -> Table {
    let mut table = Table::default();
    let clip = report.clip.as_deref().filter(|c| !c.is_empty()).map(|c| format!(", clip {c}"));
    table.row(
        "rig",
        format!("{}{}, {}", report.rig, clip.unwrap_or_default(), count(report.bones, "bone", "bones")),
    );
    table.row(
        "played",
        format!("{} at {} per second", frames_of(report.frames, report.vertices), number(rig.fps)),
    );
    table.row("time", format!("{:.2} s", report.seconds.total));
    table.row("wrote", format!("{} ({})", args.output.display(), size(report.bytes.output)));
    if let Some(path) = &args.rest_out {
        table.row("", format!("{} (rest pose)", path.display()));
    }
    table.list("warning", &report.warnings);
    table
}
