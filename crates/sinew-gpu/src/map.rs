//! The map of shadows: how much light reaches the ground around each animal. They keep their places, so it is
//! drawn once.

use glam::Vec2;
use wgpu::{BindGroup, Extent3d, TextureUsages};

use crate::device::{Gpu, GpuError};
use crate::herd::Herd;
use crate::pipelines::{Pipelines, SHADOW, bind_all};

/// Texels of a body's length, as long as the map does not get too large for that.
const FINE: f32 = 24.0;
const LARGEST: u32 = 4096;

/// Half the sides of what the map shows: the herd and the shadows that reach beyond it.
pub(crate) fn half_sides(herd: &Herd) -> Vec2 {
    herd.half + 1.5 * herd.body + 1.5 * herd.height
}

/// Draws the map. The frame must have been sent.
pub(crate) fn shadows(
    gpu: &Gpu,
    pipelines: &Pipelines,
    base: &BindGroup,
    herd: &Herd,
) -> Result<BindGroup, GpuError> {
    let device = &gpu.device;
    let largest = device.limits().max_texture_dimension_2d.min(LARGEST);
    let side = |half: f32| ((2.0 * half / herd.body * FINE) as u32).clamp(64, largest);
    let half = half_sides(herd);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadows"),
        size: Extent3d { width: side(half.x), height: side(half.y), depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: SHADOW,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("shadows"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::WHITE),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..Default::default()
    });
    pass.set_pipeline(&pipelines.blots);
    pass.set_bind_group(0, base, &[]);
    pass.draw(0..4, 0..herd.members.len() as u32);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let resources = vec![wgpu::BindingResource::TextureView(&view), wgpu::BindingResource::Sampler(&sampler)];
    let group = bind_all(device, &pipelines.map, resources);
    gpu.check()?;
    Ok(group)
}
