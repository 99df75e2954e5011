//! The source laid over the rig, and the rig in the colours of the joints its bones follow.

use glam::Vec3;
use sinew::motion::{Motion, Plan, RigPose};
use sinew::rig::Rig;
use sinew_picture::{
    Coloring, Image, NO_BONE, PictureOptions, PosedJoint, PosedSkeleton, Shot, bone_palette, render,
    weight_colors,
};

use crate::error::Outcome;

/// Draws both in the poses that are the same.
pub(super) fn picture(rig: &Rig, motion: &Motion, plan: &Plan, followed: &[usize]) -> Outcome<Image> {
    let palette = bone_palette(motion.joints.len());
    let is_followed = |joint: usize| followed.contains(&joint);
    let placement = &plan.alignment.placement;
    let joint = |(number, joint): (usize, &sinew::motion::SourceJoint)| PosedJoint {
        name: joint.name.clone(),
        place: placement.apply(plan.shared[number].translation).as_vec3(),
        parent: joint.parent,
        end: joint.tip.map(|tip| placement.apply(plan.shared[number].transform_point3(tip)).as_vec3()),
        color: if is_followed(number) { palette[number] } else { NO_BONE },
    };
    let skeleton = PosedSkeleton { joints: motion.joints.iter().enumerate().map(joint).collect() };
    let positions = match plan.alignment.rig {
        RigPose::Rest => rig.rest.clone(),
        RigPose::Frame(frame) => rig.pose(frame),
    };
    let of_bones: Vec<Vec3> = followed.iter().map(|&joint| palette[joint]).collect();
    let colors = weight_colors(&rig.weights, &of_bones);
    let shot = |coloring, skeleton, title: &str| Shot {
        mesh: &rig.mesh,
        positions: &positions,
        triangles: None,
        coloring,
        skeleton,
        title: title.into(),
    };
    let shots = [
        shot(Coloring::Plain, Some(&skeleton), "the source, laid over the rig"),
        shot(Coloring::VertexColors(&colors), None, "the rig, by the joints it follows"),
    ];
    let options = PictureOptions { width: 900, height: 900, labels: true, ..PictureOptions::default() };
    Ok(render(&shots, &options)?)
}
