//! Rigs in files.

use std::io::Read;

use sinew::animation::Clip;
use sinew_io::formats::gltf;
use sinew_io::formats::sinew_file::{self, Frame, Motion, Reader};
use sinew_io::open;
use sinew_io::scene::SampledRig;

use super::job::InfoJob;
use super::report::{ClipReport, MeshReport};
use crate::error::Outcome;
use crate::joints::joints;

/// Adds what only a glTF file has.
pub fn add_rig(report: &mut MeshReport, job: &InfoJob) -> Outcome<()> {
    let file = gltf::open(&job.file)?;
    let info = file.info()?;
    let SampledRig { rig, light, .. } = open::rig(&job.file, &job.sampling())?.said(&job.said());
    report.light = light.map(|light| light.rank());
    report.bones = Some(rig.bones.len());
    report.influences = Some(rig.weights.most_influences());
    report.morph_targets = Some(info.morph_targets);
    report.skeleton = joints(&rig);
    report.images = info.images;
    report.levels = file.level_triangles()?;
    if report.levels.len() < 2 {
        report.levels.clear();
    }
    report.clips = file
        .clips()?
        .into_iter()
        .map(|c| ClipReport { name: c.name, duration: c.duration, fps: c.fps, keys: c.keys })
        .collect();
    Ok(())
}

/// Adds what any file with a rig has.
pub fn add_bones(report: &mut MeshReport, job: &InfoJob) -> Outcome<()> {
    let mut options = job.sampling();
    if options.clips.is_empty() {
        options.clips.push("all".into());
    }
    let SampledRig { rig, clip: only, .. } = open::rig(&job.file, &options)?.said(&job.said());
    report.bones = Some(rig.bones.len());
    report.influences = Some(rig.weights.most_influences());
    report.morph_targets = Some(rig.rank());
    report.skeleton = joints(&rig);
    let clip = |clip: &Clip| ClipReport {
        // A clip that is alone has its name beside the rig.
        name: if clip.name.is_empty() { only.clone().unwrap_or_default() } else { clip.name.clone() },
        duration: clip.frames.len().saturating_sub(1) as f64 / clip.fps,
        fps: Some(clip.fps),
        keys: clip.frames.len(),
    };
    report.clips = rig.clips().iter().map(clip).collect();
    Ok(())
}

/// Adds what only a `.sinew` file has.
pub fn add_head(report: &mut MeshReport, job: &InfoJob) -> Outcome<()> {
    let mut reader = sinew_file::open(&job.file)?;
    if reader.head.clip.motion == Motion::FromLast {
        report.weight_changes = Some(weight_changes(&mut reader)?);
    }
    let head = reader.head;
    report.bones = Some(head.bones.len());
    report.influences = Some(head.weights.most_influences());
    report.morph_targets = Some(head.rank());
    report.motion = Some(match head.clip.motion {
        Motion::FromRest => "from the rest pose",
        Motion::FromLast => "from pose to pose",
    });
    if head.skeleton.is_some() {
        report.skeleton = joints(&open::rig(&job.file, &job.sampling())?.said(&job.said()).rig);
    }
    report.smallest_weight = Some(head.weights.smallest()).filter(|w| *w < 0.0);
    let clip = |clip: Clip| {
        let (frames, fps) = (clip.frames.len(), job.fps.unwrap_or(clip.fps));
        let duration = frames.saturating_sub(1) as f64 / fps;
        ClipReport { name: clip.name, duration, fps: Some(fps), keys: frames }
    };
    report.clips = sinew_file::clips(&job.file)?.into_iter().map(clip).collect();
    Ok(())
}

/// The frames that bring new weights.
fn weight_changes(reader: &mut Reader<impl Read>) -> Outcome<Vec<usize>> {
    let (mut frame, mut changes) = (Frame::default(), Vec::new());
    while reader.next_frame(&mut frame)? {
        changes.extend(frame.new_weights.is_some().then_some(reader.frames() as usize - 1));
    }
    Ok(changes)
}
