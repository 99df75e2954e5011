//! What there is to say about a rig.

use sinew::animation::Measured;
use sinew::rig::PoseChain;
use sinew::skin::{RestPose, Skinned};

use crate::engines::{self, EngineReport};
use crate::report::{ClipReport, RoundReport, SkinBytes, SkinReport, SkinSeconds, peak_memory, smoothing};
use crate::units::Units;
use crate::warning::Warning;

/// Percent above which a rig is called bad.
const BAD_PERCENT: f64 = 10.0;
/// Morphed attributes that the glTF specification demands of clients.
const MORPHED_ATTRIBUTES: usize = 8;

/// A report of a rig, which still lacks what only files tell.
pub(super) fn of_rig(skinned: &Skinned, measured: Measured, clips: Vec<ClipReport>) -> SkinReport {
    let rig = &skinned.rig;
    let rounds: Vec<RoundReport> = skinned.rounds.iter().copied().map(RoundReport::from).collect();
    SkinReport {
        rest_pose: rest_pose_name(skinned.rest_pose),
        frames: rig.frame_count(),
        learnt_from: None,
        part: None,
        fps: rig.fps,
        fps_assumed: false,
        units: Units::default(),
        vertices: rig.rest.len(),
        triangles: skinned.triangle_count,
        bones: rig.bones.len(),
        bones_asked: None,
        file_joints: None,
        near_rigid_fraction: skinned.near_rigid_fraction,
        influences: rig.weights.most_influences(),
        rank: rig.rank(),
        error: measured.error.into(),
        engines: Vec::new(),
        error_per_frame: measured.per_frame,
        clips,
        shapes: Vec::new(),
        smoothing: smoothing(&rounds),
        rounds,
        choices: Vec::new(),
        curve: Vec::new(),
        seconds: SkinSeconds::of_stages(&skinned.seconds),
        bytes: SkinBytes { input: 0, output: None },
        peak_memory: peak_memory(),
        warnings: Vec::new(),
    }
}

/// The same of bones that lead from pose to pose.
pub(super) fn of_chain(skinned: Skinned<PoseChain>) -> SkinReport {
    let chain = &skinned.rig;
    SkinReport {
        rest_pose: rest_pose_name(skinned.rest_pose),
        frames: chain.frame_count(),
        learnt_from: None,
        part: None,
        fps: chain.fps,
        fps_assumed: false,
        units: Units::default(),
        vertices: chain.mesh.vertex_count,
        triangles: skinned.triangle_count,
        bones: chain.bones.len(),
        bones_asked: None,
        file_joints: None,
        near_rigid_fraction: None,
        influences: chain.weights.most_influences(),
        rank: 0,
        error: skinned.error.into(),
        engines: Vec::new(),
        error_per_frame: skinned.error_per_frame,
        clips: Vec::new(),
        shapes: Vec::new(),
        rounds: skinned.rounds.iter().copied().map(RoundReport::from).collect(),
        smoothing: None,
        choices: Vec::new(),
        curve: Vec::new(),
        seconds: SkinSeconds::of_stages(&skinned.seconds),
        bytes: SkinBytes { input: 0, output: None },
        peak_memory: peak_memory(),
        warnings: Vec::new(),
    }
}

/// The word that asks for a rest pose.
fn rest_pose_name(pose: RestPose) -> String {
    if pose == RestPose::Auto { RestPose::Given.to_string() } else { pose.to_string() }
}

/// What the library and the numbers say about a rig.
pub(super) fn advice(skinned: &Skinned, measured: &Measured, engines: &[EngineReport]) -> Vec<Warning> {
    let mut said: Vec<Warning> = skinned.warnings.iter().cloned().map(Warning::Skin).collect();
    let percent = measured.error.percent;
    if percent > BAD_PERCENT {
        said.push(Warning::FarOff { percent });
    }
    if let Some(c) = &skinned.rig.corrections {
        let each = if c.normals.is_empty() { 1 } else { 2 };
        if c.rank * each > MORPHED_ATTRIBUTES {
            said.push(Warning::ManyShapes { rank: c.rank, most: MORPHED_ATTRIBUTES / each });
        }
    }
    said.extend(engines::advice(engines, percent));
    said.extend(Warning::loose(&skinned.rig.mesh));
    said
}
