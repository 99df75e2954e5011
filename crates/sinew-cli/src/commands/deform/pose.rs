//! `sinew deform pose`: shapes of a character that was made ready.

use std::path::PathBuf;

use clap::Args;
use glam::Vec3;
use serde::Serialize;
use sinew::animation::{Frames, MeshAnimation};
use sinew::deform::Deformer;
use sinew::progress::Progress;
use sinew::skin::{DescentOptions, Method, SkinOptions, skin};
use sinew_io::deform_file::{self, Setup};
use sinew_io::formats::{Facts, PoseSet, Written};

use super::poses::{self, Poses};
use super::refuse_setup;
use crate::choice::one_of;
use crate::console::{Table, frames_of, number, print, size};
use crate::error::{CliError, Outcome};
use crate::poses::{MeshFormat, Target, save_poses};
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::{self, has_extension};
use crate::target;

/// Pose a character: a cache, a folder of frames, or a rig that any engine plays
#[derive(Args)]
#[command(after_help = "Examples:
  sinew deform pose body.deform --pose walk.bvh -o walk.pc2
  sinew deform pose body.deform --pose flexed.toml -o frames/
  sinew deform pose body.deform --pose clip.glb --bones 60 -o walk.glb

A pose in TOML; turns are axis times angle in degrees, against the parent and from the rest pose:
  place = [0, 1, 0]
  [turns]
  forearm = [0, 0, 90]")]
pub struct PoseArgs {
    /// The character, as sinew deform setup writes it
    character: PathBuf,

    /// The poses: a TOML file with one, or motion with joints of the same names (BVH, AMC, GLB, .sinew)
    #[arg(long, value_name = "FILE")]
    pose: PathBuf,

    /// Where to: FILE.pc2, FILE.mdd, a folder for one mesh a frame, or FILE.glb or FILE.sinew to skin the
    /// result
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: PathBuf,

    /// The clip of the motion, by name or number [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Bones of a rig that is written [default: as many as about 1.5 percent of error need]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    bones: Option<u16>,

    /// Format of frames in a folder
    #[arg(long, value_parser = one_of::<MeshFormat>(), default_value_t)]
    format: MeshFormat,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Serialize)]
struct PoseReport {
    character: String,
    poses: String,
    frames: usize,
    fps: f64,
    vertices: usize,
    examples: usize,
    /// Error of the skin, in percent of the motion; null where nothing was skinned or nothing moves.
    skin_percent: Option<f64>,
    seconds: PoseSeconds,
    output_bytes: u64,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct PoseSeconds {
    setup: f64,
    total: f64,
}

/// Runs the command.
pub fn run(args: &PoseArgs, session: &Session) -> Outcome<()> {
    let to_rig = ["glb", "sinew"].iter().any(|ending| has_extension(&args.output, ending));
    let to = if to_rig { None } else { Some(Target::of(&args.output, args.format)?) };
    let file = to.as_ref().map_or(Some(args.output.as_path()), |to| to.file(&args.output));
    let targets = [file, args.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, [&args.character, &args.pose])?;
    if args.bones.is_some() && !to_rig {
        return CliError::refused("--bones is for rigs; name the output *.glb or *.sinew");
    }
    session.stage("reading");
    let setup = deform_file::read(&args.character)?;
    let poses = poses::read(&args.pose, args.clip.as_deref(), &setup.rig, session)?;
    session.check()?;
    session.stage("setting up");
    let deformer = setup.deformer(session).or_else(|e| refuse_setup(&args.character, &e))?;
    let ready = session.seconds();
    let mut report = PoseReport {
        character: args.character.display().to_string(),
        poses: args.pose.display().to_string(),
        frames: poses.poses.len(),
        fps: poses.fps,
        vertices: deformer.vertex_count(),
        examples: deformer.example_count(),
        skin_percent: None,
        seconds: PoseSeconds { setup: ready, total: 0.0 },
        output_bytes: 0,
        warnings: poses.warnings.clone(),
    };
    match to {
        Some(to) => {
            let written = write_poses(args, &to, &setup, &deformer, &poses, session)?;
            report.output_bytes = written.bytes;
            report.warnings.extend(written.warnings);
        }
        None => write_rig(args, &setup, &deformer, &poses, session, &mut report)?,
    }
    report.seconds.total = session.seconds();
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&table(&report, args).text()) }
}

fn write_poses(
    args: &PoseArgs,
    to: &Target,
    setup: &Setup,
    deformer: &Deformer,
    poses: &Poses,
    session: &Session,
) -> Outcome<Written> {
    session.stage("posing");
    let frames = poses.poses.len();
    let mut poser = deformer.poser();
    let next = |frame: usize, out: &mut [Vec3]| -> Outcome<()> {
        session.check()?;
        session.advance(frame as f64 / frames as f64);
        poser.pose_into(&poses.poses[frame], out);
        Ok(())
    };
    let set = PoseSet {
        mesh: &setup.rig.mesh,
        rest: Some(&setup.rig.rest),
        frames,
        fps: poses.fps,
        clips: &[],
        clip: None,
        facts: &Facts::default(),
    };
    save_poses(&args.output, to, &set, session, next)
}

/// Skins the poses anew.
fn write_rig(
    args: &PoseArgs,
    setup: &Setup,
    deformer: &Deformer,
    poses: &Poses,
    session: &Session,
    report: &mut PoseReport,
) -> Outcome<()> {
    session.stage("posing");
    let mut poser = deformer.poser();
    // One pose alone is no motion to be skinned: bones are found from the rest pose and it, and then kept at it.
    let alone = poses.poses.len() == 1;
    let mut frames: Vec<Vec<Vec3>> = alone.then(|| setup.rig.rest.clone()).into_iter().collect();
    for (number, pose) in poses.poses.iter().enumerate() {
        session.check()?;
        session.advance(number as f64 / poses.poses.len() as f64);
        let mut out = vec![Vec3::ZERO; deformer.vertex_count()];
        poser.pose_into(pose, &mut out);
        frames.push(out);
    }
    let animation = MeshAnimation {
        mesh: setup.rig.mesh.clone(),
        rest: Some(setup.rig.rest.clone()),
        frames: Frames::from_poses(&frames),
        fps: poses.fps,
        clips: Vec::new(),
    };
    // The rest pose is the character's, and its shading normals belong to it.
    let method = Method::Best(DescentOptions { keep_rest: true, ..DescentOptions::default() });
    let options = SkinOptions { bones: args.bones.map(Into::into), ..SkinOptions::of(method) };
    let mut skinned = skin(&animation, &options, session)
        .map_err(|error| CliError::Skin { source_name: args.pose.display().to_string(), error })?;
    session.check()?;
    if alone {
        skinned.rig.transforms.drain(..skinned.rig.bones.len());
    }
    session.stage("writing");
    let (bytes, warnings) = rig_file::encode_rig(&args.output, &skinned.rig, None, true, None)?;
    report.warnings.extend(warnings);
    report.skin_percent = Some(skinned.error.percent).filter(|percent| percent.is_finite());
    report.output_bytes = sinew_io::save(&args.output, |out| out.write_all(&bytes))?;
    Ok(())
}

fn table(report: &PoseReport, args: &PoseArgs) -> Table {
    let mut table = Table::default();
    table.row("character", report.character.clone());
    let frames = frames_of(report.frames, report.vertices);
    table.row("posed", format!("{frames} at {} per second, by {}", number(report.fps), report.poses));
    if let Some(percent) = report.skin_percent {
        table.row("skinned", format!("{} % of the motion off", number(percent)));
    }
    table.row(
        "time",
        format!("{:.2} s, {:.2} s of them to set up", report.seconds.total, report.seconds.setup),
    );
    table.row("wrote", format!("{} ({})", args.output.display(), size(report.output_bytes)));
    table.list("warning", &report.warnings);
    table
}
