//! `sinew deform compare`: a character beside what blending makes of its bones.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::Vec3;
use serde::Serialize;
use sinew::deform::{Deformer, Pose, detail_deviation, signed_volume};
use sinew::progress::Progress;
use sinew::rig::{BlendPlayer, Blending};
use sinew_io::deform_file::{self, Setup};

use super::{picture, poses, refuse, refuse_setup};
use crate::choice::{one_of, view};
use crate::console::{Table, print};
use crate::error::Outcome;
use crate::pictures::save_png;
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::has_extension;
use crate::target;
use sinew_picture::UpAxis;

/// Compare a pose of a character with blended bones: side by side, volume and detail
#[derive(Args)]
#[command(after_help = "Example:
  sinew deform compare body.deform --pose flexed.toml --against lbs -o compare.png")]
pub struct CompareArgs {
    /// The character, as sinew deform setup writes it
    character: PathBuf,

    /// The pose: a TOML file, or a frame of a motion
    #[arg(long, value_name = "FILE")]
    pose: PathBuf,

    /// The clip of the motion, by name or number [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// The frame of the motion, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: usize,

    /// What it is compared with, on the weights that the character came with
    #[arg(long, value_enum, default_value_t)]
    against: Against,

    /// Where to look from: degrees around and above; 0,0 is from +Z, 90,0 from +X [default: at the whole from
    /// aside, at the bend across its plane]
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true, value_parser = view)]
    view: Option<(f32, f32)>,

    /// Which way is up in the data
    #[arg(long, value_parser = one_of::<UpAxis>(), default_value_t)]
    up: UpAxis,

    /// The picture to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Against {
    /// Linear blend skinning
    #[default]
    Lbs,
    /// Dual quaternions
    Dual,
    /// Rotations about centres
    Centres,
}

#[derive(Serialize)]
struct CompareReport {
    character: String,
    pose: String,
    /// Triangles around the joints that turn.
    triangles: usize,
    /// Volume there in the rest pose, closed by fans.
    rest_volume: f64,
    deformed: Measures,
    blended: Measures,
}

#[derive(Clone, Copy, Serialize)]
struct Measures {
    /// Share of the volume that is gone; below zero where it grew.
    volume_loss: f64,
    /// Deviation of local detail.
    detail: f64,
}

/// A joint that turns further than this, in radians, makes a bend.
pub(super) const BENDS: f64 = 0.1;

/// Runs the command.
pub fn run(args: &CompareArgs, session: &Session) -> Outcome<()> {
    if !has_extension(&args.output, "png") {
        return refuse(&args.output, "pictures are written as PNG; name the file *.png");
    }
    let targets = [Some(args.output.as_path()), args.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, [&args.character, &args.pose])?;
    session.stage("reading");
    let setup = deform_file::read(&args.character)?;
    let (pose, _) = poses::one(&args.pose, args.clip.as_deref(), args.frame, &setup.rig, session)?;
    session.check()?;
    session.stage("posing");
    let deformer = setup.deformer(session).or_else(|e| refuse_setup(&args.character, &e))?;
    let deformed = deformer.pose(&pose);
    let blended = blended(&setup, &pose, args.against);
    session.check()?;
    session.stage("drawing");
    let region = bent(&setup, &deformer, &pose);
    let rest_volume = signed_volume(&region, &setup.rig.rest);
    let measures = |shape: &[Vec3]| Measures {
        volume_loss: 1.0 - signed_volume(&region, shape) / rest_volume,
        detail: detail_deviation(&region, &setup.rig.rest, shape),
    };
    let report = CompareReport {
        character: args.character.display().to_string(),
        pose: args.pose.display().to_string(),
        triangles: region.len(),
        rest_volume,
        deformed: measures(&deformed),
        blended: measures(&blended),
    };
    let [title, other] = [("deform", report.deformed), (args.against.name(), report.blended)]
        .map(|(name, measures)| format!("{name}: {}", words(measures)));
    let shapes = [(&blended[..], other), (&deformed[..], title)];
    let view = picture::View { angles: args.view, up: args.up };
    save_png(&args.output, &picture::sheet(&setup, &pose, &region, &shapes, &view)?)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let mut table = Table::default();
    table.row("bend", format!("{} triangles, volume {rest_volume:.4} in the rest pose", region.len()));
    table.row(args.against.name(), words(report.blended));
    table.row("deform", words(report.deformed));
    table.row("wrote", args.output.display().to_string());
    print(&table.text())
}

impl Against {
    fn name(self) -> &'static str {
        match self {
            Self::Lbs => "linear",
            Self::Dual => "dual quaternions",
            Self::Centres => "centres",
        }
    }
}

fn words(measures: Measures) -> String {
    let volume = 100.0 * measures.volume_loss;
    let change = if volume < 0.0 { "gained" } else { "lost" };
    format!("{:.1} % volume {change}, {:.1} % detail changed", volume.abs(), 100.0 * measures.detail)
}

/// What blending makes of the pose.
fn blended(setup: &Setup, pose: &Pose, against: Against) -> Vec<Vec3> {
    let mut rig = setup.rig.clone();
    rig.transforms = pose.transforms(&setup.skeleton(), &setup.joints());
    let blending = match against {
        Against::Lbs => Blending::Linear,
        Against::Dual => Blending::Dual,
        Against::Centres => Blending::Centres,
    };
    let mut out = vec![Vec3::ZERO; rig.rest.len()];
    BlendPlayer::new(&rig, blending).pose_into(0, &mut out);
    out
}

/// The triangles that follow a joint which turns, or its parent; all where none does.
fn bent(setup: &Setup, deformer: &Deformer, pose: &Pose) -> Vec<[u32; 3]> {
    let skeleton = setup.skeleton();
    let mut counts = vec![false; pose.turns.len()];
    for (joint, turn) in pose.turns.iter().enumerate() {
        if let Some(parent) = skeleton.parents[joint].filter(|_| turn.length() > BENDS) {
            (counts[joint], counts[parent]) = (true, true);
        }
    }
    let all = setup.rig.mesh.triangles(&setup.rig.rest);
    let follows =
        |v: u32| deformer.vertex_influences(v as usize).first().is_some_and(|i| counts[i.0 as usize]);
    let some: Vec<[u32; 3]> = all.iter().filter(|t| t.iter().all(|&v| follows(v))).copied().collect();
    if some.is_empty() { all } else { some }
}
