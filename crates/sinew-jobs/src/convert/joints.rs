//! Joints and their motion, without a mesh.

use glam::Vec3;
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::motion::Motion;
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};
use sinew_io::formats::{Content, Facts, Format};
use sinew_io::motion::{MotionOptions, OpenedMotion, open_motion};
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};

use super::converted::Converted;
use super::job::ConvertJob;
use super::way::Source;
use crate::error::Outcome;
use crate::loss::Loss;
use crate::lost;
use crate::units::Unit;
use crate::warning::told;

/// The joints of a rig, or of a file that holds nothing else.
pub fn convert(job: &ConvertJob, source: &Source, to: &Format) -> Outcome<Converted> {
    if source.holds.rig {
        return of_rig(job, to);
    }
    let options = MotionOptions {
        skeleton: job.asf.as_ref().map(sinew_io::Source::from),
        clips: job.clips.clone(),
        fps: job.fps,
        up: job.up,
        scale: job.scale,
        metres_per_unit: job.unit.map(Unit::metres),
        ..MotionOptions::default()
    };
    let OpenedMotion { motion, warnings, input_bytes, facts, .. } = open_motion(&job.input, &options)?;
    write(job, to, &rig_of(&motion), facts, Vec::new(), warnings, input_bytes)
}

fn of_rig(job: &ConvertJob, to: &Format) -> Outcome<Converted> {
    let options = SampleOptions { clips: job.clips.clone(), fps: job.fps, weld: None };
    let SampledRig { rig, warnings, facts, .. } = open::rig(&job.input, &options)?.said(&job.said());
    let bytes = std::fs::metadata(&job.input).map_or(0, |m| m.len());
    let mut lost = vec![Loss::Mesh { vertices: rig.rest.len() }];
    if !rig.nodes.is_empty() {
        lost.push(Loss::Nodes(rig.nodes.iter().map(|node| node.name.clone()).collect()));
    }
    write(job, to, &rig, facts, lost, warnings, bytes)
}

fn write(
    job: &ConvertJob,
    to: &Format,
    rig: &Rig,
    facts: Facts,
    mut lost: Vec<Loss>,
    warnings: Vec<sinew_io::Warning>,
    input_bytes: u64,
) -> Outcome<Converted> {
    let clips = rig.clips();
    let clip: &Clip = &clips[0];
    if clips.len() > 1 {
        lost.push(Loss::LaterClips(clips[1..].iter().map(|c| c.name.clone()).collect()));
    }
    lost.extend(lost::unit(&facts, to));
    let written = to.save(&job.output, Content::Joints(rig, clip))?;
    Ok(Converted {
        written,
        frames: clip.frames.len(),
        vertices: rig.bones.len(),
        fps: clip.fps,
        input_bytes,
        facts,
        lost,
        warnings: told(warnings),
        engines: Vec::new(),
    })
}

/// Joints as a rig that moves no vertex.
fn rig_of(motion: &Motion) -> Rig {
    let bone = |joint: usize| Bone {
        name: motion.joints[joint].name.clone(),
        center: motion.bind[joint].translation,
        rigid: true,
        axes: None,
    };
    let joints = motion.joints.len();
    let back: Vec<_> = motion.bind.iter().map(|bind| bind.inverse()).collect();
    let from_bind = |(number, world): (usize, &glam::DAffine3)| *world * back[number % joints];
    Rig {
        mesh: Mesh { face_starts: vec![0], ..Mesh::default() },
        rest: Vec::<Vec3>::new(),
        weights: SkinWeights { per_vertex: 1, ..SkinWeights::default() },
        bones: (0..joints).map(bone).collect(),
        transforms: motion.worlds.iter().enumerate().map(from_bind).collect(),
        skeleton: Some(Skeleton::new(motion.joints.iter().map(|joint| joint.parent).collect())),
        corrections: None,
        fps: motion.fps,
        clips: motion.clips.clone(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}
