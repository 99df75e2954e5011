//! Skinning from pose to pose, as a report.

use std::time::Instant;

use sinew::progress::Progress;
use sinew::skin::{Fitted, MethodOptions, skin_with};
use sinew_io::open;

use super::skin::{Job, explain, interrupted, rest_pose_name};
use crate::error::Outcome;
use crate::progress::Session;
use crate::report::{RoundReport, SkinBytes, SkinReport, SkinSeconds, peak_memory};

/// Reads and skins from pose to pose, and tells how good that is.
pub fn chain_report(job: &Job, method: &MethodOptions, session: &Session) -> Outcome<SkinReport> {
    let begun = Instant::now();
    session.stage("reading");
    let opened = open::animation(&job.inputs, &job.open, session).map_err(|e| interrupted(e, session))?;
    let read = begun.elapsed().as_secs_f64();
    let skin = skin_with(&opened.animation, method, session).map_err(|e| explain(e, &opened, &job.open))?;
    let (bones, weights) = match &skin.fitted {
        Fitted::Rig(rig) => (rig.bones.len(), &rig.weights),
        Fitted::Chain(chain) => (chain.bones.len(), &chain.weights),
    };
    let mut warnings = opened.warnings.clone();
    warnings.extend(skin.warnings.iter().cloned());
    let rounds = skin.rounds().into_iter().map(RoundReport::from).collect();
    Ok(SkinReport {
        rest_pose: rest_pose_name(skin.rest_pose),
        frames: opened.animation.frames.len(),
        vertices: opened.animation.mesh.vertex_count,
        triangles: skin.triangle_count,
        bones,
        bones_asked: job.options.bones,
        near_rigid_fraction: None,
        influences: weights.most_influences(),
        rank: 0,
        error: skin.error.into(),
        error_per_frame: skin.error_per_frame,
        rounds,
        clips: Vec::new(),
        choices: Vec::new(),
        seconds: SkinSeconds {
            read,
            segment: skin.seconds.segment,
            bones: skin.seconds.bones,
            weights: 0.0,
            corrections: 0.0,
            write: 0.0,
            total: begun.elapsed().as_secs_f64(),
        },
        bytes: SkinBytes { input: opened.input_bytes, output: None },
        peak_memory: peak_memory(),
        warnings,
    })
}
