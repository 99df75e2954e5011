//! `sinew skin`: an animation becomes a rig.

mod args;
mod best;
mod bounded;
mod chain;
mod choose;
mod job;

use std::path::Path;
use std::time::Instant;

use sinew::animation::Measured;
use sinew::progress::Progress;
use sinew::rig::{Bone, Player};
use sinew::skin::{Method, RestPose, Skin, SkinError, Skinned, skin};
use sinew_io::open::{OpenOptions, Opened};

pub use self::args::SkinArgs;
use self::bounded::skin_large;
use self::chain::chain_report;
use self::choose::choice_reports;
use self::job::job;
pub use self::job::{Chosen, Done, Job};
use crate::console::{number, print};
use crate::error::{CliError, Outcome};
use crate::facts::loose_advice;
use crate::pair::rig_like;
use crate::progress::Session;
use crate::report::{
    ClipReport, RoundReport, SkinBytes, SkinReport, SkinSeconds, Words, clip_reports, peak_memory, smoothing,
    write_json,
};
use crate::rig_file::{sampling, write};
use crate::source::{self, remedy};
use crate::target;

/// Runs the command.
pub fn run(args: &SkinArgs, session: &Session) -> Outcome<()> {
    let job = job(args)?;
    target::check(&[args.output.as_deref(), args.report.as_deref(), args.choose.plot()])?;
    let report = match &job.method {
        Chosen::Chain(options) => chain_report(&job, options, session)?,
        _ => match skin_large(&job, args.memory, session)? {
            Some(report) => report,
            None => perform(job, session)?.report,
        },
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let mut table = report.table();
    table.list(
        "wrote",
        &[args.output.as_deref(), args.report.as_deref(), args.choose.plot()]
            .into_iter()
            .flatten()
            .map(|p| p.display().to_string())
            .collect::<Vec<_>>(),
    );
    print(&table.text())
}

/// Reads, skins, writes and measures.
pub fn perform(job: Job, session: &Session) -> Outcome<Done> {
    let begun = Instant::now();
    let opened = source::read(&job.inputs, &job.open, session)?;
    let mut options = job.options;
    let mut warnings = opened.warnings.clone();
    if let (Some(path), Method::Sma(sma)) = (&job.bones_from, &mut options.method) {
        let (given, bones, said) = given_bones(path, &opened)?;
        sma.bones_from = Some(given);
        options.given_bones = Some(bones);
        warnings.extend(said);
    }
    let mut from_rig = options.given_bones.is_some();
    let mut read = begun.elapsed().as_secs_f64();
    let mut choices = Vec::new();

    let skinned = match &job.method {
        Chosen::Plain => skin(&opened.animation, &options, session),
        Chosen::Best(best) => {
            let (options, said) = best.with_files(&opened)?;
            from_rig = best.rig.is_some();
            warnings.extend(said);
            read = begun.elapsed().as_secs_f64();
            skin(&opened.animation, &options, session)
        }
        Chosen::Search(search) => {
            let found = search.run(&opened, &job.open, job.output.as_deref(), job.compact, session)?;
            choices = choice_reports(&found);
            Ok(found.skinned)
        }
        Chosen::Chain(_) => return CliError::refused("bones that lead from pose to pose make no rig"),
    };
    let skinned = skinned.map_err(|e| explain(e, &opened, &job.open))?;
    session.check()?;

    let clock = Instant::now();
    let mut measured = Measured { error: skinned.error, per_frame: skinned.error_per_frame.clone() };
    let mut clips = None;
    let mut output = None;
    if let Some(path) = &job.output {
        session.stage("writing");
        // A goal is kept by the file, not only by what was meant to be in it.
        let measure = job.compact.is_some() || !choices.is_empty();
        let written = write(path, &skinned.rig, &opened, job.compact, measure, session)?;
        output = Some(written.bytes);
        warnings.extend(written.warnings);
        if let Some((whole, of_clips)) = written.measured {
            (measured, clips) = (whole, Some(of_clips));
        }
    }
    if let Chosen::Search(search) = &job.method {
        search.draw(&choices)?;
    }
    let clips = clips.unwrap_or_else(|| clip_reports(&opened.animation, &Player::new(&skinned.rig)));
    let write = clock.elapsed().as_secs_f64();

    warnings.extend(skinned.warnings.iter().map(ToString::to_string));
    warnings.extend(advice(&skinned, &measured));
    let seconds = SkinSeconds::new(&skinned.seconds, read, write, begun);
    let bytes = SkinBytes { input: opened.input_bytes, output };
    let mut report = report(&skinned, options.bones, (measured, clips), seconds, bytes, warnings);
    report.choices = choices;
    report.fps_assumed = opened.assumed_fps;
    if from_rig {
        report.rest_pose = "rig".into();
    }
    Ok(Done { animation: opened.animation, rig: skinned.rig, report })
}

fn report(
    skinned: &Skinned,
    bones_asked: Option<usize>,
    (measured, clips): (Measured, Vec<ClipReport>),
    seconds: SkinSeconds,
    bytes: SkinBytes,
    warnings: Vec<String>,
) -> SkinReport {
    let rounds: Vec<RoundReport> = skinned.rounds.iter().copied().map(RoundReport::from).collect();
    SkinReport {
        rest_pose: rest_pose_name(skinned.rest_pose),
        frames: skinned.rig.frame_count(),
        learnt_from: None,
        fps: skinned.rig.fps,
        fps_assumed: false,
        vertices: skinned.rig.rest.len(),
        triangles: skinned.triangle_count,
        bones: skinned.rig.bones.len(),
        bones_asked,
        near_rigid_fraction: skinned.near_rigid_fraction,
        influences: skinned.rig.weights.most_influences(),
        rank: skinned.rig.rank(),
        error: measured.error.into(),
        error_per_frame: measured.per_frame,
        clips,
        smoothing: smoothing(&rounds),
        rounds,
        choices: Vec::new(),
        seconds,
        bytes,
        peak_memory: peak_memory(),
        warnings,
    }
}

/// What `--rest-pose` would take.
pub(super) fn rest_pose_name(pose: RestPose) -> String {
    if pose == RestPose::Auto { RestPose::Given.to_string() } else { pose.to_string() }
}

/// The skin and bones of a rig, brought to the animation's frames.
fn given_bones(path: &Path, opened: &Opened) -> Outcome<(Skin, Vec<Bone>, Vec<String>)> {
    let animation = &opened.animation;
    let (frames, vertices) = (animation.frames.len(), animation.frames.vertex_count());
    let sampled = rig_like(path, vertices, &sampling(animation))?;
    let rig = sampled.rig;
    let wrong = |what: &str, found: usize, expected: usize| {
        CliError::refused(format!(
            "{}: the rig has {found} {what} at {} frames per second, but {} has {expected}",
            path.display(),
            number(animation.fps),
            opened.source
        ))
    };
    if rig.rest.len() != vertices {
        return wrong("vertices", rig.rest.len(), vertices);
    }
    if rig.frame_count() != frames {
        return wrong("frames", rig.frame_count(), frames);
    }
    let bones = rig.bones.clone();
    Ok((rig.into(), bones, sampled.warnings))
}

/// Percent above which a rig is called bad.
const BAD_PERCENT: f64 = 10.0;
/// Morphed attributes that the glTF specification demands of clients.
const MORPHED_ATTRIBUTES: usize = 8;

fn advice(skinned: &Skinned, measured: &Measured) -> Vec<String> {
    let mut said = Vec::new();
    let percent = measured.error.percent;
    if percent > BAD_PERCENT {
        said.push(format!(
            "the rig is {} % off; more --bones bring it closer, and corrections (--rank 8) more so",
            number(percent)
        ));
    }
    if let Some(c) = &skinned.rig.corrections {
        let each = if c.normals.is_empty() { 1 } else { 2 };
        if c.rank * each > MORPHED_ATTRIBUTES {
            said.push(format!(
                "{} correction shapes are more than glTF demands of clients ({}); the strongest come first, \
                 and clients may drop the others",
                c.rank,
                MORPHED_ATTRIBUTES / each
            ));
        }
    }
    said.extend(loose_advice(&skinned.rig.mesh));
    said
}

/// Adds the names of files, and what can be done.
pub(super) fn explain(error: SkinError, opened: &Opened, options: &OpenOptions) -> CliError {
    let remedy = match &error {
        SkinError::Cancelled => Some(CliError::Cancelled),
        SkinError::Animation(error) => remedy(error, opened, options),
        SkinError::NoGivenRest => Some(CliError::Refused(
            "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE".into(),
        )),
        _ => None,
    };
    remedy.unwrap_or_else(|| CliError::Skin { source_name: opened.source.clone(), error })
}
