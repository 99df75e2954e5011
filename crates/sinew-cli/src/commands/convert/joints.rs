//! Joints and their motion, without a mesh.

use glam::Vec3;
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::motion::Motion;
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};
use sinew_io::formats::Format;
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::motion::{MotionOptions, OpenedMotion, open_motion};
use sinew_io::open;

use super::{Change, ConvertArgs, Converted, Source};
use crate::console::count;
use crate::error::Outcome;

/// The joints of a rig, or of a file that holds nothing else.
pub fn convert(args: &ConvertArgs, source: &Source, to: &Format, change: &Change) -> Outcome<Converted> {
    if source.holds.rig {
        return of_rig(args, to, change);
    }
    let options = MotionOptions {
        skeleton: args.asf.clone(),
        clips: args.clips.clone(),
        fps: args.fps,
        up: change.up,
        scale: Some(change.scale),
        ..MotionOptions::default()
    };
    let OpenedMotion { motion, warnings, input_bytes, .. } = open_motion(&args.input, &options)?;
    write(args, to, &rig_of(&motion), Vec::new(), warnings, input_bytes)
}

fn of_rig(args: &ConvertArgs, to: &Format, change: &Change) -> Outcome<Converted> {
    let options = SampleOptions { clips: args.clips.clone(), fps: args.fps, weld: None };
    let SampledRig { mut rig, warnings, .. } = open::rig(&args.input, &options)?;
    change.apply_to_rig(&mut rig);
    let bytes = std::fs::metadata(&args.input).map_or(0, |m| m.len());
    let vertices = count(rig.rest.len(), "vertex", "vertices");
    let lost = vec![format!("the mesh of {vertices}, and the weights of its skin")];
    write(args, to, &rig, lost, warnings, bytes)
}

fn write(
    args: &ConvertArgs,
    to: &Format,
    rig: &Rig,
    mut lost: Vec<String>,
    warnings: Vec<String>,
    input_bytes: u64,
) -> Outcome<Converted> {
    let clips = rig.clips();
    let clip: &Clip = &clips[0];
    let left: Vec<&str> = clips[1..].iter().map(|c| c.name.as_str()).collect();
    if !left.is_empty() {
        lost.push(format!("clips after the first: {}; --clip NAME takes another", left.join(", ")));
    }
    let written = to.writer.joints(&args.output, rig, clip)?;
    Ok(Converted {
        written,
        frames: clip.frames.len(),
        vertices: rig.bones.len(),
        fps: clip.fps,
        input_bytes,
        lost,
        warnings,
    })
}

/// Joints as a rig that moves no vertex.
fn rig_of(motion: &Motion) -> Rig {
    let bone = |joint: usize| Bone {
        name: motion.joints[joint].name.clone(),
        center: motion.bind[joint].translation,
        rigid: true,
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
        skeleton: Some(Skeleton { parents: motion.joints.iter().map(|joint| joint.parent).collect() }),
        corrections: None,
        fps: motion.fps,
        clips: motion.clips.clone(),
    }
}
