//! `sinew transplant`: motion from elsewhere on a rig.

mod args;
mod map;
mod picture;
mod report;

use std::time::Instant;

use sinew::animation::Clip;
use sinew::motion::{Motion, MotionError, Plan, PlanOptions, SourcePose, TransplantError, Transplanter};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::ASF;
use sinew_io::glb::SampleOptions;
use sinew_io::motion::{MotionOptions, OpenedMotion, open_motion};
use sinew_io::open;

use self::args::SourceChoice;
pub use self::args::TransplantArgs;
use self::report::{AlignmentReport, Bytes, Seconds, TransplantReport, map_report};
use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::pictures::save_png;
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file;

/// What stands for all clips.
const ALL: &str = "all";
/// Names of clips that a warning lists.
const MOST_NAMES: usize = 12;

/// Runs the command.
pub fn run(args: &TransplantArgs, session: &Session) -> Outcome<()> {
    args.check()?;
    let report = perform(args, session)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let mut table = report.table();
    let written: Vec<String> = args.targets().iter().flatten().map(|p| p.display().to_string()).collect();
    table.list("wrote", &written);
    print(&table.text())
}

/// What was read.
struct Inputs {
    rig: Rig,
    source: OpenedMotion,
    /// The clip that is moved over, and the frames of it, at the rate of the file.
    clip: Clip,
    played: Motion,
    warnings: Vec<String>,
}

fn perform(args: &TransplantArgs, session: &Session) -> Outcome<TransplantReport> {
    let begun = Instant::now();
    session.stage("reading");
    let inputs = read(args)?;
    let read = begun.elapsed().as_secs_f64();
    session.check()?;
    let clock = Instant::now();
    let (plan, pose) = plan(args, &inputs, session)?;
    let Inputs { rig, source, clip, played, mut warnings } = inputs;
    let planned = clock.elapsed().as_secs_f64();
    session.check()?;
    session.stage("moving");
    let clock = Instant::now();
    let played = match args.fps {
        Some(fps) if played.clips().iter().any(|clip| clip.fps != fps) => {
            played.resampled(fps).map_err(|e| of_source(args, &e))?
        }
        _ => played,
    };
    let refuse = |e: TransplantError| of_rig(args, &e);
    let translations = args.translations();
    let transplanter = Transplanter::new(&rig, &played, &plan, translations, session).map_err(refuse)?;
    let bytes = if args.suggest {
        let [source, onto] = [&args.source, &args.onto].map(|path| path.display().to_string());
        map::text(&source, &onto, &rig, &played, &plan).into_bytes()
    } else {
        warnings.extend(transplanter.losses(&rig).iter().map(ToString::to_string));
        let moved = transplanter.transplant(&rig, &played, session)?;
        let (bytes, said) = rig_file::encode_alone(&args.output, &moved, &clip.name)?;
        warnings.extend(said);
        bytes
    };
    let moving = clock.elapsed().as_secs_f64();
    session.check()?;
    session.stage("writing");
    let clock = Instant::now();
    if let Some(path) = &args.picture {
        let followed = transplanter.followed();
        save_png(path, &picture::picture(&rig, &played, &plan, &followed)?)?;
    }
    let output = sinew_io::save(&args.output, |out| out.write_all(&bytes))?;
    let input = source.input_bytes + std::fs::metadata(&args.onto).map_or(0, |m| m.len());
    let places = if transplanter.carries() { "carried" } else { "solved" };
    let alignment = AlignmentReport::new(&plan.alignment, pose, plan.angle);
    if args.align_source.is_none() || args.align_rig.is_none() {
        warnings.extend(plan.warnings().iter().map(report::in_words));
    }
    Ok(TransplantReport {
        source: source.source,
        rig: args.onto.display().to_string(),
        clip: clip.name,
        frames: played.frame_count(),
        fps: played.fps,
        bones: rig.bones.len(),
        joints: played.joints.len(),
        alignment,
        map: map_report(&rig, &played, &plan),
        translations: (!args.suggest).then_some(places),
        stride: (!args.suggest).then(|| transplanter.stride()),
        seconds: Seconds {
            read,
            plan: planned,
            transplant: moving,
            write: clock.elapsed().as_secs_f64(),
            total: begun.elapsed().as_secs_f64(),
        },
        bytes: Bytes { input, output },
        warnings,
    })
}

fn of_source(args: &TransplantArgs, error: &MotionError) -> CliError {
    CliError::Refused(format!("{}: {error}", args.source.display()))
}

fn of_rig(args: &TransplantArgs, error: &TransplantError) -> CliError {
    match error {
        TransplantError::Cancelled => CliError::Cancelled,
        TransplantError::Motion(error) => of_source(args, error),
        TransplantError::NoSourceFrame { .. } | TransplantError::NoAlignment => {
            CliError::Refused(format!("{}: {error}", args.source.display()))
        }
        _ => CliError::Refused(format!("{}: {error}", args.onto.display())),
    }
}

fn read(args: &TransplantArgs) -> Outcome<Inputs> {
    let format = open::format(&args.source)?;
    if format == &ASF && !args.suggest {
        return CliError::refused(format!(
            "{0}: an ASF file is a skeleton without motion; give the AMC file that moves it, with --asf {0} \
             if that is elsewhere",
            args.source.display()
        ));
    }
    let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    let mut onto = open::rig(&args.onto, &all)?;
    // Some clips are sampled at the rate that is asked for; other files have frames, which are resampled.
    let options = MotionOptions {
        skeleton: args.asf.clone(),
        fps: args.fps.filter(|_| format.sampled),
        up: Some(args.up.into()),
        ..MotionOptions::default()
    };
    let source = open_motion(&args.source, &options)?;
    let before = onto.rig.bones.len();
    // No joint is in two places, unless it is a bone of this very rig.
    if !onto.rig.bones.iter().all(|bone| source.motion.find(&bone.name).is_some()) {
        onto.rig.split_bones(&[]);
    }
    let clips = source.motion.clips();
    let (clip, played) = chosen(args, &source.motion)?;
    let mut warnings = [onto.warnings, source.warnings.clone()].concat();
    warnings.extend(rig_file::left_behind(&args.onto)?);
    let added: Vec<&str> = onto.rig.bones[before..].iter().map(|bone| bone.name.as_str()).collect();
    if !added.is_empty() {
        warnings.push(format!(
            "some bones moved several separate places of the surface; each place has its own now: {}",
            added.join(", ")
        ));
    }
    if args.clip.is_none() && clips.len() > 1 {
        warnings.push(format!(
            "the source has {} clips and {} was taken; --clip NAME takes another, --clip all takes them \
             all: {}",
            clips.len(),
            clip.name,
            names_in_words(&clips)
        ));
    }
    Ok(Inputs { rig: onto.rig, source, clip, played, warnings })
}

/// The clip that is asked for, and its frames. All clips are one of that name, whose frames keep their own.
fn chosen(args: &TransplantArgs, motion: &Motion) -> Outcome<(Clip, Motion)> {
    let clips = motion.clips();
    let clip = match args.clip.as_deref() {
        None => clips[0].clone(),
        Some(wanted) => match motion.clip(wanted) {
            Err(_) if wanted == ALL && clips.len() == 1 => clips[0].clone(),
            Err(_) if wanted == ALL => {
                let all = Clip { name: ALL.into(), frames: 0..motion.frame_count(), fps: motion.fps };
                return Ok((all, motion.clone()));
            }
            found => found.map_err(|e| of_source(args, &e))?,
        },
    };
    let played = motion.cut(clip.frames.clone());
    Ok((clip, played))
}

/// Names of clips, of very many the first.
fn names_in_words(clips: &[Clip]) -> String {
    let names: Vec<&str> = clips.iter().take(MOST_NAMES).map(|clip| clip.name.as_str()).collect();
    match clips.len() - names.len() {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Finds what is not given, in all clips of the source. Returns the source's pose in words too.
fn plan(args: &TransplantArgs, inputs: &Inputs, session: &Session) -> Outcome<(Plan, String)> {
    let Inputs { rig, source, clip, played, .. } = inputs;
    let mapping = args.map.as_deref().map(|path| map::read(path, rig, played)).transpose()?;
    let given = args.align_source.as_ref().map(|choice| stated(args, source, clip, choice)).transpose()?;
    let options = PlanOptions { source: given, rig: args.align_rig, mapping };
    let plan = Plan::new(rig, &source.motion, &options, session).map_err(|e| of_rig(args, &e))?;
    let clips = source.motion.clips();
    let pose = match plan.alignment.source {
        SourcePose::Bind => "bind".into(),
        SourcePose::Frame(frame) => match clips.iter().find(|c| c.frames.contains(&frame)) {
            Some(clip) if clips.len() > 1 => format!("{}:{}", clip.name, frame - clip.frames.start),
            _ => frame.to_string(),
        },
    };
    Ok((plan, pose))
}

/// The pose of the source that a user names, counted over all clips.
fn stated(
    args: &TransplantArgs,
    source: &OpenedMotion,
    played: &Clip,
    choice: &SourceChoice,
) -> Outcome<SourcePose> {
    let (clip, frame) = match choice {
        SourceChoice::Bind => return Ok(SourcePose::Bind),
        SourceChoice::Frame(frame) => (played.clone(), *frame),
        SourceChoice::OfClip(name, frame) => {
            (source.motion.clip(name).map_err(|e| of_source(args, &e))?, *frame)
        }
    };
    if frame < clip.frames.len() {
        return Ok(SourcePose::Frame(clip.frames.start + frame));
    }
    CliError::refused(format!(
        "{}: clip {} has no frame {frame} to align; its {} frames are counted from 0",
        args.source.display(),
        clip.name,
        clip.frames.len()
    ))
}
