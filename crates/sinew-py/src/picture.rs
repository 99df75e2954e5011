//! Pictures for notebooks.

use sinew::animation::MeshAnimation;
use sinew::rig::Rig;
use sinew_jobs::JobError;
use sinew_picture::{Coloring, PictureOptions, PosedSkeleton, Shot, bone_palette, render, weight_colors};

fn options([width, height]: [usize; 2]) -> PictureOptions {
    PictureOptions { width, height, ..PictureOptions::default() }
}

/// One frame, in the colours of its materials.
pub fn of_animation(animation: &MeshAnimation, frame: usize, size: [usize; 2]) -> Result<Vec<u8>, JobError> {
    let frames = animation.frames.len();
    if frame >= frames {
        return Err(JobError::NoFrame { source_name: "animation".into(), frame, frames });
    }
    let shot = Shot {
        mesh: &animation.mesh,
        positions: animation.frames.frame(frame),
        triangles: None,
        coloring: Coloring::Materials,
        skeleton: None,
        title: String::new(),
    };
    Ok(render(&[shot], &options(size))?.encode_png())
}

/// One frame, in the colours of its bones, with its skeleton where it has one.
pub fn of_rig(rig: &Rig, frame: usize, size: [usize; 2]) -> Result<Vec<u8>, JobError> {
    let frames = rig.frame_count();
    if frame >= frames.max(1) {
        return Err(JobError::NoFrame { source_name: "rig".into(), frame, frames });
    }
    let palette = bone_palette(rig.bones.len());
    let colors = weight_colors(&rig.weights, &palette);
    let positions = if frames == 0 { rig.rest.clone() } else { rig.pose(frame) };
    let skeleton = if frames == 0 { None } else { PosedSkeleton::of_rig(rig, frame, &palette) };
    let shot = Shot {
        mesh: &rig.mesh,
        positions: &positions,
        triangles: None,
        coloring: Coloring::VertexColors(&colors),
        skeleton: skeleton.as_ref(),
        title: String::new(),
    };
    Ok(render(&[shot], &options(size))?.encode_png())
}
