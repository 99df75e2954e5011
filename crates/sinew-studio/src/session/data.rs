//! Numbers as pages take them: little endian, ready for the GPU.

use glam::{DAffine3, Vec3};
use serde::Serialize;
use sinew::motion::{Motion, Placement};
use sinew::rig::{Bone, Rig};

use super::appearance::{Appearance, base_image, cutoff};
use super::measured::comparable;
use super::{Refusal, Shape, Subject};

/// The bones of one frame.
pub const PALETTE: u32 = 1;
/// The positions of one frame.
pub const POSITIONS: u32 = 2;

/// Numbers put one after the other.
#[derive(Default)]
pub struct Numbers(Vec<u8>);

impl Numbers {
    fn with_capacity(floats: usize) -> Self {
        Self(Vec::with_capacity(4 * floats + 64))
    }

    fn whole(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|n| self.0.extend_from_slice(&n.to_le_bytes()));
    }

    fn floats(&mut self, numbers: &[f32]) {
        if cfg!(target_endian = "little") {
            self.0.extend_from_slice(bytemuck::cast_slice(numbers));
        } else {
            numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_le_bytes()));
        }
    }

    fn points(&mut self, points: &[Vec3]) {
        self.floats(bytemuck::cast_slice(points));
    }

    /// The upper three rows of a transform, row after row.
    fn transform(&mut self, t: &DAffine3) {
        let [x, y, z, w] = [t.matrix3.x_axis, t.matrix3.y_axis, t.matrix3.z_axis, t.translation];
        let row = |i: usize| [x[i] as f32, y[i] as f32, z[i] as f32, w[i] as f32];
        [0, 1, 2].map(row).iter().for_each(|row| self.floats(row));
    }

    fn bones(&mut self, transforms: &[DAffine3]) {
        transforms.iter().for_each(|t| self.transform(t));
    }
}

/// A binary message: the bones of one frame and the coefficients of its corrections.
pub fn palette(version: u32, frame: usize, transforms: &[DAffine3], coefficients: &[f32]) -> Vec<u8> {
    let mut out = Numbers::with_capacity(12 * transforms.len() + coefficients.len());
    out.whole(&[PALETTE, version, frame as u32, transforms.len() as u32]);
    out.bones(transforms);
    out.floats(coefficients);
    out.0
}

/// A binary message: the positions of one frame.
pub fn positions(version: u32, frame: u32, pose: &[Vec3]) -> Vec<u8> {
    let mut out = Numbers::with_capacity(3 * pose.len());
    out.whole(&[POSITIONS, version, frame, pose.len() as u32]);
    out.points(pose);
    out.0
}

/// Rest pose and triangles; then, where there is more to see than a shape, how the surface looks.
pub fn mesh(subject: &Subject) -> Vec<u8> {
    let (mesh, rest, triangles) = (subject.mesh(), subject.rest_pose(), &subject.triangles);
    let appearance = Appearance::of(subject);
    let doubled = appearance.as_ref().map_or(0, |a| a.doubled.len());
    let materials = appearance.as_ref().map_or(0, |_| mesh.materials.len());
    let mut out = Numbers::with_capacity(5 * rest.len() + 7 * triangles.len() + 3 * doubled);
    out.whole(&[rest.len(), triangles.len(), materials, doubled].map(|count| count as u32));
    out.points(rest);
    triangles.iter().for_each(|corners| out.whole(&corners.map(|c| mesh.corners[c as usize])));
    if let Some(Appearance { corners, doubled, uvs, triangle_materials }) = appearance {
        out.whole(&corners);
        out.whole(&doubled);
        out.floats(bytemuck::cast_slice(&uvs));
        out.whole(&triangle_materials);
        for material in &mesh.materials {
            let [r, g, b, a] = material.base_color;
            let image = base_image(material).map_or(-1.0, |image| image as f32);
            out.floats(&[r, g, b, a, cutoff(material), image]);
        }
    }
    out.0
}

/// Everything that skinning on a GPU needs.
pub fn rig(rig: &Rig) -> Vec<u8> {
    let (vertices, bones, frames) = (rig.rest.len(), rig.bones.len(), rig.frame_count());
    let (influences, rank) = (rig.weights.per_vertex, rig.rank());
    let floats = vertices * (3 + 2 * influences + 3 * rank) + frames * (12 * bones + rank);
    let mut out = Numbers::with_capacity(floats);
    let sizes = [vertices, bones, influences, rank, frames, usize::from(rig.skeleton.is_some()), 0, 0];
    out.whole(&sizes.map(|size| size as u32));
    out.points(&rig.rest);
    rig.weights.bones.iter().for_each(|bone| out.0.extend_from_slice(&(*bone as u16).to_le_bytes()));
    out.0.resize(out.0.len().next_multiple_of(4), 0);
    out.floats(&rig.weights.weights);
    if let Some(corrections) = &rig.corrections {
        out.points(&corrections.basis);
    }
    motion_into(&mut out, rig);
    out.0
}

/// The motion alone: what a turned bone changes.
pub fn motion(rig: &Rig) -> Vec<u8> {
    let mut out = Numbers::with_capacity(rig.frame_count() * (12 * rig.bones.len() + rig.rank()) + 4);
    let sizes = [rig.frame_count(), rig.bones.len(), rig.rank(), 0];
    out.whole(&sizes.map(|size| size as u32));
    motion_into(&mut out, rig);
    out.0
}

fn motion_into(out: &mut Numbers, rig: &Rig) {
    out.bones(&rig.transforms);
    if let Some(corrections) = &rig.corrections {
        out.floats(&corrections.coefficients);
    }
}

/// Checks that there are frames `from` up to but without `to`.
pub fn check_frames(from: usize, to: usize, count: usize) -> Result<(), Refusal> {
    if from < to && to <= count {
        return Ok(());
    }
    Refusal::say(format!("frames {from} to {to} are not there: there are {count}"))
}

/// Positions of some frames of a shape.
pub fn poses(shape: &Shape, from: usize, to: usize) -> Result<Vec<u8>, Refusal> {
    check_frames(from, to, shape.frame_count())?;
    let mut out = Numbers::with_capacity(3 * (to - from) * shape.vertex_count());
    let (source, mut pose) = (shape.poses(), vec![Vec3::ZERO; shape.vertex_count()]);
    for frame in from..to {
        source.pose_into(frame, &mut pose);
        out.points(&pose);
    }
    Ok(out.0)
}

/// Positions of some frames of the original.
pub fn original(subject: &Subject, from: usize, to: usize) -> Result<Vec<u8>, Refusal> {
    let Some(original) = subject.original() else {
        return Refusal::say("a rig was opened without the animation it was made from");
    };
    check_frames(from, to, original.frames.len())?;
    let mut out = Numbers::with_capacity(3 * (to - from) * original.frames.vertex_count());
    (from..to).for_each(|frame| out.points(original.frames.frame(frame)));
    Ok(out.0)
}

/// Distance of every vertex from the original in one frame.
pub fn difference(subject: &Subject, shape: &Shape, frame: usize) -> Result<Vec<u8>, Refusal> {
    let Some(original) = subject.original().filter(|_| comparable(subject, shape)) else {
        return Refusal::say("there is no original of the same frames to measure from");
    };
    check_frames(frame, frame.saturating_add(1), shape.frame_count())?;
    let mut pose = vec![Vec3::ZERO; shape.vertex_count()];
    shape.poses().pose_into(frame, &mut pose);
    let mut out = Numbers::with_capacity(pose.len());
    let distances: Vec<f32> =
        pose.iter().zip(original.frames.frame(frame)).map(|(p, q)| p.distance(*q)).collect();
    out.floats(&distances);
    Ok(out.0)
}

/// How far a version is from the original in each frame, in percent of the diagonal.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ErrorsData {
    /// Mean over the vertices.
    pub per_frame: Vec<f64>,
    /// The farthest vertex.
    pub largest: Vec<f64>,
}

/// A joint tree and where it goes.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SkeletonData {
    joints: Vec<JointData>,
    /// Per frame, x y z of every joint.
    places: Vec<Vec<f32>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct JointData {
    name: String,
    parent: Option<usize>,
    bone: usize,
}

/// The bones of a version.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BonesData {
    bones: Vec<BoneData>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct BoneData {
    name: String,
    /// What it hangs on, in a skeleton.
    parent: Option<usize>,
}

/// What bones are called, and what hangs on what.
pub fn bones(shape: &Shape) -> BonesData {
    let (bones, skeleton) = match shape {
        Shape::Rig(rig) | Shape::Poses(rig, _) => (&rig.bones, rig.skeleton.as_ref()),
        Shape::Chain(chain, _) => (&chain.bones, None),
    };
    let parent = |bone: usize| skeleton.and_then(|skeleton| skeleton.above(bone));
    let bone = |(number, bone): (usize, &Bone)| BoneData { name: bone.name.clone(), parent: parent(number) };
    BonesData { bones: bones.iter().enumerate().map(bone).collect() }
}

/// The joints of a rig in all frames. Bones without a tree are joints without parents.
pub fn skeleton(rig: &Rig) -> SkeletonData {
    let parent = |bone: usize| rig.skeleton.as_ref().and_then(|skeleton| skeleton.above(bone));
    let joint = |(bone, b): (usize, &sinew::rig::Bone)| JointData {
        name: b.name.clone(),
        parent: parent(bone),
        bone,
    };
    let place = |frame: usize| -> Vec<f32> {
        rig.posed_joints(frame).iter().flat_map(|p| p.as_vec3().to_array()).collect()
    };
    SkeletonData {
        joints: rig.bones.iter().enumerate().map(joint).collect(),
        places: (0..rig.frame_count()).map(place).collect(),
    }
}

/// The joints of a motion in all frames, moved to where they lie over a rig.
pub fn motion_skeleton(motion: &Motion, placement: &Placement) -> SkeletonData {
    let joint = |(number, joint): (usize, &sinew::motion::SourceJoint)| JointData {
        name: joint.name.clone(),
        parent: joint.parent,
        bone: number,
    };
    let place = |frame: usize| -> Vec<f32> {
        let placed = motion.places(frame).into_iter().map(|p| placement.apply(p));
        placed.flat_map(|p| p.as_vec3().to_array()).collect()
    };
    SkeletonData {
        joints: motion.joints.iter().enumerate().map(joint).collect(),
        places: (0..motion.frame_count()).map(place).collect(),
    }
}
