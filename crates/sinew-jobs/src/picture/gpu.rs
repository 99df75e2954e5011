//! The same picture drawn by the GPU: it skins the rig and draws it under the same camera. Shadows that bodies throw on
//! themselves are not looked for there; baked light is shown where the file has it.

use glam::Vec3;
use sinew::light::Light;
use sinew::rig::Rig;
use sinew_gpu::{
    Camera, Gpu, Herd, Look, Member, Model, ModelOptions, Pixels, RenderOptions, Renderer, Scene,
};
use sinew_io::open;
use sinew_io::scene::SampledRig;
use sinew_picture::{CLAY, Coloring, Image, PictureOptions, Seen, Shot, UpAxis, heat_color, render_by};

use super::job::PictureJob;
use super::subject::Subject;
use crate::error::Outcome;
use crate::refusals::PictureRefusal;

/// What the GPU draws.
pub struct Body {
    rig: Rig,
    light: Option<Light>,
}

/// The rig of the file.
pub fn body(job: &PictureJob, subject: &Subject) -> Outcome<Body> {
    let SampledRig { mut rig, light, .. } = open::rig(&job.file, &job.sampling())?;
    let animation = &subject.animation;
    if (rig.rest.len(), rig.frame_count()) != (animation.frames.vertex_count(), animation.frames.len()) {
        return Err(PictureRefusal::OtherRig(job.file.clone()).into());
    }
    // With a level that is the mesh of the level.
    rig.mesh = animation.mesh.clone();
    Ok(Body { rig, light })
}

/// Draws shots of a rig in some of its frames.
pub fn draw(
    job: &PictureJob,
    body: &Body,
    frames: &[usize],
    shots: &[Shot],
    options: &PictureOptions,
) -> Outcome<Image> {
    let gpu = Gpu::open(None)?;
    let turned = ModelOptions { z_up: job.up == UpAxis::Z, scale: 1.0 };
    let mut model = Model::new(&body.rig, &[], &turned)?;
    // Every frame is one of its own, also where the last is the first again.
    (model.gait.period, model.gait.returns) = (model.frames, false);
    if let Some(light) = &body.light {
        model = model.with_light(light)?;
    }
    render_by(shots, options, &mut |seen: &Seen| {
        let frame = frames[seen.shot];
        let mut model = model.clone();
        let tint = paint(&mut model, &shots[seen.shot]);
        let mut herd = Herd::alone(&model, frame as f32);
        herd.members[0].tint = Member::NEUTRAL * tint;
        // Pictures of the GPU have what is looked at in their middle: those that have it elsewhere are cut out of
        // larger ones.
        let (width, height) = (options.width, options.height);
        let off = (seen.row - 0.5 * height as f32).round() as isize;
        let tall = height + 2 * off.unsigned_abs();
        let slope = (0.5 * seen.field_of_view).to_radians().tan() * tall as f32 / height as f32;
        let place = model.placement[frame];
        let placed = |p: Vec3| place.transform_point3(p.as_dvec3()).as_vec3();
        let camera = Camera {
            eye: placed(seen.eye),
            target: placed(seen.target),
            field_of_view: 2.0 * slope.atan().to_degrees(),
        };
        let size = [width, tall].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
        let options = RenderOptions { size, levels: false, look: Look::Studio, ..RenderOptions::default() };
        let renderer = Renderer::new(&gpu, Scene::new(&gpu, vec![model], herd)?, options)?;
        let Pixels { pixels, .. } = renderer.picture(&camera, 0.0)?;
        let above = if off < 0 { 2 * off.unsigned_abs() } else { 0 };
        Ok(Image { width, height, pixels: pixels[above * width..(above + height) * width].to_vec() })
    })
}

/// Gives vertices the colours of a shot; returns what all are multiplied with.
fn paint(model: &mut Model, shot: &Shot) -> Vec3 {
    let color = |v: u32| -> Vec3 {
        match shot.coloring {
            Coloring::VertexColors(colors) => colors[v as usize],
            Coloring::Scalar { values, range: (low, high), .. } => {
                let span = if high > low { high - low } else { 1.0 };
                heat_color((values[v as usize] - low) / span)
            }
            _ => CLAY,
        }
    };
    match shot.coloring {
        Coloring::Materials if !model.plain => {}
        Coloring::Materials => {
            let material =
                shot.mesh.face_materials.first().and_then(|m| shot.mesh.materials.get(*m as usize));
            return material.map_or(CLAY, |m| Vec3::from_slice(&m.base_color[..3]));
        }
        _ => model.vertices.iter_mut().for_each(|v| v.color = color(v.source)),
    }
    Vec3::ONE
}
