//! `sinew skeleton`: an animation becomes a character.

mod args;
mod report;

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use sinew::animation::Measured;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skeleton::{Skeletal, SkeletonError, SkeletonWarning, find_skeleton};
use sinew_io::open::{OpenOptions, Opened};
use sinew_io::{Saving, bvh};

pub use self::args::SkeletonArgs;
use self::report::{SkeletonBytes, SkeletonReport, SkeletonSeconds, Tree};
use crate::console::print;
use crate::error::{CliError, Outcome};
use crate::facts::loose_advice;
use crate::progress::Session;
use crate::report::{ClipReport, clip_reports, peak_memory, write_json};
use crate::rig_file::{encode, measure_file};
use crate::source::{self, remedy};

/// Runs the command.
pub fn run(args: &SkeletonArgs, session: &Session) -> Outcome<()> {
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

/// Reads, finds a skeleton, writes and measures.
fn perform(args: &SkeletonArgs, session: &Session) -> Outcome<SkeletonReport> {
    let begun = Instant::now();
    let (options, open) = (args.options()?, args.source.options());
    let opened = source::read(&args.source.inputs, &open, session)?;
    let read = begun.elapsed().as_secs_f64();
    let found =
        find_skeleton(&opened.animation, &options, session).map_err(|e| explain(e, &opened, &open))?;
    session.check()?;

    let clock = Instant::now();
    session.stage("writing");
    let made = Made::new(args, &found, &opened)?;
    let about: Vec<String> = found.warnings.iter().map(in_words).collect();
    let mut warnings = [&opened.warnings[..], &about, &made.warnings].concat();
    warnings.extend(loose_advice(&found.rig.mesh));
    session.check()?;
    let (output, bvh) = made.save(args)?;
    let rig = &found.rig;
    Ok(SkeletonReport {
        frames: rig.frame_count(),
        fps: rig.fps,
        fps_assumed: opened.assumed_fps,
        vertices: rig.rest.len(),
        triangles: rig.mesh.triangles(&rig.rest).len(),
        joints: rig.bones.len(),
        joints_asked: options.joints,
        segment: options.segmenter.to_string(),
        angles: options.angles.to_string(),
        weights: options.weights.to_string(),
        influences: rig.weights.most_influences(),
        near_rigid_fraction: found.near_rigid_fraction,
        error: made.measured.error.into(),
        error_per_frame: made.measured.per_frame,
        clips: made.clips,
        skeleton: Tree::new(rig, &found.limits),
        seconds: SkeletonSeconds {
            read,
            parts: found.seconds.parts,
            joints: found.seconds.joints,
            weights: found.seconds.weights,
            write: clock.elapsed().as_secs_f64(),
            total: begun.elapsed().as_secs_f64(),
        },
        bytes: SkeletonBytes { input: opened.input_bytes, output, bvh },
        peak_memory: peak_memory(),
        warnings,
    })
}

/// A warning, with what can be done.
fn in_words(warning: &SkeletonWarning) -> String {
    match warning {
        SkeletonWarning::PoorCandidate { .. } => format!("{warning}; sinew skin may serve better"),
        _ => warning.to_string(),
    }
}

/// Everything that is written, complete before the first file is touched.
struct Made {
    rig: Option<Vec<u8>>,
    bvh: Option<String>,
    /// How good the file is, which a compact one is not as the rig in it was.
    measured: Measured,
    clips: Vec<ClipReport>,
    warnings: Vec<String>,
}

impl Made {
    fn new(args: &SkeletonArgs, found: &Skeletal, opened: &Opened) -> Outcome<Self> {
        let compact = args.compact.map(|percent| percent / 100.0);
        let (mut warnings, mut rig, mut bvh, mut in_file) = (Vec::new(), None, None, None);
        if let Some(path) = &args.output {
            let (bytes, said) = encode(path, &found.rig, opened, compact)?;
            if compact.is_some() {
                in_file = Some(measure_file(&bytes, path, &opened.animation)?);
            }
            warnings.extend(said);
            rig = Some(bytes);
        }
        if let Some(path) = &args.bvh {
            let (text, said) = motion(path, &found.rig)?;
            warnings.extend(said);
            bvh = Some(text);
        }
        let (measured, clips) = in_file.unwrap_or_else(|| {
            let measured = Measured { error: found.error, per_frame: found.error_per_frame.clone() };
            (measured, clip_reports(&opened.animation, &Player::new(&found.rig)))
        });
        Ok(Self { rig, bvh, measured, clips, warnings })
    }

    /// Writes all files, then moves them to their places. Returns the bytes of the rig and of the motion.
    fn save(&self, args: &SkeletonArgs) -> Outcome<(Option<u64>, Option<u64>)> {
        let rig = begin(args.output.as_deref(), self.rig.as_deref())?;
        let bvh = begin(args.bvh.as_deref(), self.bvh.as_ref().map(String::as_bytes))?;
        Ok((rig.map(Saving::commit).transpose()?, bvh.map(Saving::commit).transpose()?))
    }
}

fn begin(path: Option<&Path>, bytes: Option<&[u8]>) -> Outcome<Option<Saving>> {
    let (Some(path), Some(bytes)) = (path, bytes) else { return Ok(None) };
    let mut file = Saving::new(path)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(sinew_io::Error::io(path))?;
    Ok(Some(file))
}

/// The motion of the first clip as BVH, and what was left out.
fn motion(path: &Path, rig: &Rig) -> Outcome<(String, Option<String>)> {
    let clips = rig.clips();
    let refuse = |message| CliError::Refused(format!("{}: {message}", path.display()));
    let Some(first) = clips.first() else { return Err(refuse("there is no frame to write".into())) };
    let text = bvh::to_text(rig, first).map_err(refuse)?;
    let left_out = (clips.len() > 1).then(|| {
        format!("{} holds {} alone, the first of {} clips", path.display(), first.name, clips.len())
    });
    Ok((text, left_out))
}

/// Adds the names of files, and what can be done.
fn explain(error: SkeletonError, opened: &Opened, options: &OpenOptions) -> CliError {
    let remedy = match &error {
        SkeletonError::Cancelled => Some(CliError::Cancelled),
        SkeletonError::Animation(error) => remedy(error, opened, options),
        _ => None,
    };
    remedy.unwrap_or_else(|| CliError::Skeleton { source_name: opened.source.clone(), error })
}
