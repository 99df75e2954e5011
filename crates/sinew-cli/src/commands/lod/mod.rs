//! `sinew lod`: the same rig with fewer triangles, for when it is far away.

mod choice;
mod report;

use std::path::{Path, PathBuf};

use clap::Args;
use sinew::lod::{Detail, Level, LodOptions, Measurer, simplify};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::glb::{self, SampleOptions, SampledRig, WriteOptions};
use sinew_io::open;
use sinew_picture::{Coloring, PictureOptions, Shot, render};

use self::choice::{Share, Wanted};
use self::report::{LevelReport, LodReport};
use crate::console::{count, print};
use crate::error::{CliError, Outcome};
use crate::pictures::save_png;
use crate::progress::Session;
use crate::report::{peak_memory, write_json};
use crate::rig_file::has_extension;
use crate::target;

/// Simplify a rig into levels of detail
///
/// Triangles go where they are missed least in all of the rig's motion; vertices stay where they are, with their
/// weights, corrections and texture coordinates. All levels are in one file over one set of vertices, bones and
/// clips (MSFT_lod): programs that do not know levels show the whole mesh.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew lod rig.glb --triangles 50%,12%,3% -o rig-lods.glb
  sinew lod rig.sinew --triangles 2100 -o rig-lods.glb --picture levels.png
  sinew lod rig.glb --error 0.1%,0.5% -o rig-lods.glb
  sinew picture rig-lods.glb --level 2 --wireframe -o level2.png")]
pub struct LodArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE.glb")]
    output: PathBuf,

    /// Triangles of each level: counts, or shares of all
    #[arg(long, value_name = "N|P%,...", value_delimiter = ',', required_unless_present = "error")]
    triangles: Vec<Wanted>,

    /// Error of each level: as few triangles as keep the mean distance from the whole mesh, over all frames,
    /// within this share of its longest side
    #[arg(long, value_name = "P%,...", value_delimiter = ',', conflicts_with = "triangles")]
    error: Vec<Share>,

    /// Poses, spread over all frames, in which triangles are weighed against each other
    #[arg(long, value_name = "N", default_value_t = LodOptions::default().poses)]
    poses: usize,

    /// Draw all levels side by side
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &LodArgs, session: &Session) -> Outcome<()> {
    check(args)?;
    session.stage("reading");
    let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    let SampledRig { rig, mut warnings, clip, light } = open::rig(&args.rig, &all)?;
    let read = session.seconds();
    session.check()?;
    session.stage("simplifying");
    let full = rig.mesh.triangles(&rig.rest).len();
    let details = details(args, full);
    let options = LodOptions { poses: args.poses, ..LodOptions::default() };
    let refuse = |e| CliError::Refused(format!("{}: {e}", args.rig.display()));
    let found = simplify(&rig, &details, &options, session);
    session.check()?;
    let mut levels = found.map_err(refuse)?;
    levels.sort_by_key(|level| std::cmp::Reverse(level.triangle_count()));
    warnings.extend(short_of(&details, &levels));
    let simplified = session.seconds();
    session.stage("measuring");
    let mut reports = vec![LevelReport::full(full)];
    let measurer = Measurer::new(&rig).map_err(refuse)?;
    for level in &levels {
        let error = measurer.measure(level, session);
        session.check()?;
        reports.push(LevelReport::new(level, error.map_err(refuse)?));
    }
    let measured = session.seconds();
    session.stage("writing");
    let name = args.output.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let options = WriteOptions { name, clip, keep_normals: true, light, ..WriteOptions::default() };
    let bytes = encode(&rig, &levels, &options, &mut reports, &mut warnings)?;
    session.check()?;
    sinew_io::save(&args.output, |out| out.write_all(&bytes))?;
    if let Some(path) = &args.picture {
        draw(path, &rig, &levels)?;
    }
    let seconds = [read, simplified - read, measured - simplified, session.seconds()];
    let report =
        LodReport::new(&args.rig, &rig, reports, seconds, bytes.len() as u64, peak_memory(), warnings);
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&report.text(&args.output)) }
}

/// Refuses what cannot work before anything is read.
fn check(args: &LodArgs) -> Outcome<()> {
    if !has_extension(&args.output, "glb") {
        return CliError::refused(format!(
            "{}: levels of detail are written as GLB; name the file *.glb",
            args.output.display()
        ));
    }
    if let Some(path) = args.picture.as_deref().filter(|path| !has_extension(path, "png")) {
        return CliError::refused(format!(
            "{}: pictures are written as PNG; name the file *.png",
            path.display()
        ));
    }
    if args.poses == 0 {
        return CliError::refused("--poses takes a positive number");
    }
    let targets = [Some(args.output.as_path()), args.picture.as_deref(), args.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, [&args.rig])
}

/// What is asked for, of a rig of so many triangles.
fn details(args: &LodArgs, full: usize) -> Vec<Detail> {
    let counts = args.triangles.iter().map(|wanted| Detail::Triangles(wanted.of(full)));
    counts.chain(args.error.iter().map(|share| Detail::Error(share.0))).collect()
}

/// A sentence for each level that could not be made as small as it was asked to be.
fn short_of(details: &[Detail], levels: &[Level]) -> Vec<String> {
    let mut wanted: Vec<usize> = details
        .iter()
        .filter_map(|detail| match detail {
            Detail::Triangles(most) => Some(*most),
            Detail::Error(_) => None,
        })
        .collect();
    wanted.sort_unstable_by_key(|most| std::cmp::Reverse(*most));
    let short = wanted.iter().zip(levels).filter(|(most, level)| level.triangle_count() > **most);
    short
        .map(|(most, level)| {
            let left = level.triangle_count();
            let asked = count(*most, "triangle was", "triangles were");
            format!(
                "{asked} asked for, but no edge is left beyond {left} that can go without a tear or a fold"
            )
        })
        .collect()
}

/// The file's bytes; what each level adds to them is noted in its report.
fn encode(
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
    reports: &mut [LevelReport],
    warnings: &mut Vec<String>,
) -> Outcome<Vec<u8>> {
    let (mut bytes, mut said, mut before) = (Vec::new(), Vec::new(), 0);
    for (count, report) in reports.iter_mut().enumerate() {
        (bytes, said) = glb::to_bytes_with_levels(rig, &levels[..count], options)?;
        report.bytes = bytes.len() as u64 - before;
        before = bytes.len() as u64;
    }
    warnings.extend(said);
    Ok(bytes)
}

/// Draws the whole mesh and all levels in the middle of the motion.
fn draw(path: &Path, rig: &Rig, levels: &[Level]) -> Outcome<()> {
    let frames = rig.frame_count();
    let positions = if frames == 0 { rig.rest.clone() } else { rig.pose(frames / 2) };
    let meshes = std::iter::once(&rig.mesh).chain(levels.iter().map(|level| &level.mesh));
    let shots: Vec<Shot> = meshes
        .map(|mesh| Shot {
            mesh,
            positions: &positions,
            triangles: None,
            coloring: Coloring::Plain,
            skeleton: None,
            title: count(mesh.triangles(&rig.rest).len(), "triangle", "triangles"),
        })
        .collect();
    let options = PictureOptions { wireframe: true, ..PictureOptions::default() };
    save_png(path, &render(&shots, &options)?)
}
