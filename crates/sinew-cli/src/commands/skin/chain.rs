//! Skinning from pose to pose, as a report and a `.sinew` file.

use std::time::Instant;

use sinew::progress::Progress;
use sinew::skin::{PoseToPoseOptions, pose_to_pose};
use sinew_io::sinew_file;

use super::{Job, explain, rest_pose_name};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::{RoundReport, SkinBytes, SkinReport, SkinSeconds, peak_memory};
use crate::source;

/// Reads, skins from pose to pose and writes, and tells how good that is.
pub fn chain_report(job: &Job, options: &PoseToPoseOptions, session: &Session) -> Outcome<SkinReport> {
    let begun = Instant::now();
    let opened = source::read(&job.inputs, &job.open, session)?;
    let read = begun.elapsed().as_secs_f64();
    if opened.animation.clips.len() > 1 {
        return CliError::refused(format!(
            "{}: --method pps leads from each pose to the next in one clip, and these are {}; give one, or \
             choose another method",
            opened.source,
            opened.animation.clips.len()
        ));
    }
    let skin =
        pose_to_pose(&opened.animation, options, session).map_err(|e| explain(e, &opened, &job.open))?;
    let chain = &skin.rig;
    session.check()?;
    let clock = Instant::now();
    let mut output = None;
    if let Some(path) = &job.output {
        session.stage("writing");
        output = Some(sinew_file::write_chain(path, chain, opened.clip.as_deref().unwrap_or_default())?);
    }
    let write = clock.elapsed().as_secs_f64();
    let mut warnings = opened.warnings.clone();
    warnings.extend(skin.warnings.iter().map(ToString::to_string));
    let rounds = skin.rounds.iter().copied().map(RoundReport::from).collect();
    Ok(SkinReport {
        rest_pose: rest_pose_name(skin.rest_pose),
        frames: opened.animation.frames.len(),
        learnt_from: None,
        fps: opened.animation.fps,
        fps_assumed: opened.assumed_fps,
        vertices: opened.animation.mesh.vertex_count,
        triangles: skin.triangle_count,
        bones: chain.bones.len(),
        bones_asked: job.options.bones,
        near_rigid_fraction: None,
        influences: chain.weights.most_influences(),
        rank: 0,
        error: skin.error.into(),
        error_per_frame: skin.error_per_frame,
        rounds,
        smoothing: None,
        clips: Vec::new(),
        choices: Vec::new(),
        seconds: SkinSeconds::new(&skin.seconds, read, write, begun),
        bytes: SkinBytes { input: opened.input_bytes, output },
        peak_memory: peak_memory(),
        warnings,
    })
}
