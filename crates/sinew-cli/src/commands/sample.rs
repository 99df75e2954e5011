//! `sinew sample`: built-in animations as files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use sinew::animation::MeshAnimation;
use sinew::progress::Progress;
use sinew_io::formats::{OBJ, obj, pc2};
use sinew_jobs::poses::write_frames;
use sinew_jobs::target::Staged;
use sinew_sample::{CreatureOptions, creature};

use crate::console::{Table, frames_of, number, print, size};
use crate::error::{CliError, Outcome};
use crate::progress::Session;

/// Write a built-in animation as files
#[derive(Args)]
pub struct SampleArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Creature(CreatureArgs),
}

/// A young long-necked creature that walks in place
#[derive(Args)]
#[command(after_help = "Example:
  sinew sample creature --frames 48 -o creature/
  sinew skin creature/anim.pc2 --rest creature/rest.obj -o creature.glb
  sinew skeleton creature/anim.pc2 --rest creature/rest.obj -o character.glb")]
struct CreatureArgs {
    /// The folder to write: rest.obj and anim.pc2, or one OBJ a frame
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,

    /// Frames in the loop
    #[arg(long, default_value_t = 48, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,

    /// Frames per second
    #[arg(long, value_name = "F", default_value_t = 24.0)]
    fps: f64,

    /// How fine the mesh is, 0.6 to 8; 1 gives about 6000 vertices, 2 four times as many
    #[arg(long, value_name = "D", default_value_t = 1.0)]
    detail: f64,

    /// A rest mesh with a point cache, or one mesh a frame
    #[arg(long, value_enum, default_value_t)]
    format: SampleFormat,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum SampleFormat {
    /// rest.obj and anim.pc2
    #[default]
    Pc2,
    /// frame_0000.obj and so on
    Obj,
}

/// Runs the command.
pub fn run(args: &SampleArgs, session: &Session) -> Outcome<()> {
    let What::Creature(args) = &args.what;
    if !(args.fps > 0.0 && args.fps.is_finite()) {
        return CliError::refused(format!("the frame rate must be a positive number, not {}", args.fps));
    }
    if !(0.6..=8.0).contains(&args.detail) {
        return CliError::refused(format!("--detail is 0.6 to 8, not {}", args.detail));
    }
    let staged = Staged::new(&args.output)?;
    session.stage("growing");
    let options = CreatureOptions { frames: args.frames as usize, fps: args.fps, detail: args.detail };
    let animation = creature(&options);
    session.check()?;
    session.stage("writing");
    let frames = &animation.frames;
    let bytes = match args.format {
        SampleFormat::Pc2 => write_cache(&staged, &animation)?,
        SampleFormat::Obj => {
            write_frames(&staged, &animation.mesh, frames.len(), &OBJ, session, |frame, out| {
                out.copy_from_slice(frames.frame(frame));
                Ok(())
            })
            .map_err(|e| staged.told(e))?
            .bytes
        }
    };
    session.check()?;
    staged.commit()?;
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let folder = args.output.display();
    let mut table = Table::default();
    table.row("creature", frames_of(frames.len(), animation.mesh.vertex_count));
    table.row("wrote", format!("{folder} ({})", size(bytes)));
    let fps = if args.fps == sinew_io::open::DEFAULT_FPS {
        String::new()
    } else {
        format!(" --fps {}", number(args.fps))
    };
    let input = match args.format {
        SampleFormat::Pc2 => {
            let at = |name: &str| args.output.join(name).display().to_string();
            format!("{} --rest {}", at(CACHE), at(REST))
        }
        SampleFormat::Obj => folder.to_string(),
    };
    let next = [("skin", "creature.glb"), ("skeleton", "character.glb")];
    table.list("next", &next.map(|(command, out)| format!("sinew {command} {input}{fps} -o {out}")));
    print(&table.text())
}

/// Name of the rest mesh in a sample's folder.
pub const REST: &str = "rest.obj";
/// Name of the point cache in a sample's folder.
pub const CACHE: &str = "anim.pc2";

/// Writes an animation as rest mesh and point cache, which is what `skin` takes.
pub fn write_cache(staged: &Staged, animation: &MeshAnimation) -> Outcome<u64> {
    let frames = &animation.frames;
    let rest = animation.rest.as_deref().unwrap_or_else(|| frames.frame(0));
    let told = |error: sinew_io::Error| staged.told(error.into());
    let mesh = obj::write(&staged.path().join(REST), &animation.mesh, rest).map_err(told)?;
    let path = staged.path().join(CACHE);
    let cache = pc2::write(&path, frames.vertex_count(), frames.len(), |frame, out| {
        out.copy_from_slice(frames.frame(frame));
    });
    let cache = cache.map_err(told)?;
    Ok(mesh + cache)
}
