//! Where pictures are drawn, and how they get back.

use wgpu::{
    BufferUsages, Extent3d, Texture, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureView,
};

use crate::device::{Gpu, GpuError};
use crate::pipelines::{COLOR, DEPTH};

/// A picture: rows from the top, sRGB with opacity, eight bits each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Red, green, blue and opacity, row after row.
    pub pixels: Vec<[u8; 4]>,
}

/// Textures of one size.
pub(crate) struct Target {
    /// What is read back or shown.
    pub color: Texture,
    color_view: TextureView,
    /// Several samples a pixel, if there are several.
    samples_view: Option<TextureView>,
    depth_view: TextureView,
}

impl Target {
    pub fn new(gpu: &Gpu, [width, height]: [u32; 2], samples: u32) -> Result<Self, GpuError> {
        let largest = gpu.device.limits().max_texture_dimension_2d;
        if !(1..=largest).contains(&width) || !(1..=largest).contains(&height) {
            return Err(GpuError::Size { width, height, largest });
        }
        let texture = |format: TextureFormat, sample_count: u32, usage: TextureUsages| {
            gpu.device.create_texture(&TextureDescriptor {
                label: Some("picture"),
                size: Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let drawn = TextureUsages::RENDER_ATTACHMENT;
        let shown = TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING;
        let color = texture(COLOR, 1, drawn | shown);
        let depth = texture(DEPTH, samples, drawn);
        let samples_view =
            (samples > 1).then(|| texture(COLOR, samples, drawn).create_view(&Default::default()));
        gpu.check()?;
        Ok(Self {
            color_view: color.create_view(&Default::default()),
            color,
            samples_view,
            depth_view: depth.create_view(&Default::default()),
        })
    }

    /// Begins to draw: over what is there, or on nothing.
    pub fn pass<'e>(&self, encoder: &'e mut wgpu::CommandEncoder, over: bool) -> wgpu::RenderPass<'e> {
        let load = |clear: f32| if over { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(clear) };
        let (view, resolve_target) = match &self.samples_view {
            Some(samples) => (samples, Some(&self.color_view)),
            None => (&self.color_view, None),
        };
        let color_load = if over { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::BLACK) };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: color_load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth_view,
                depth_ops: Some(wgpu::Operations { load: load(0.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        })
    }
}

/// The picture in a texture.
pub(crate) fn read_texture(gpu: &Gpu, texture: &Texture) -> Result<Pixels, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let bytes = u64::from(row) * u64::from(height);
    let staging = gpu.buffer("the picture", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
    gpu.queue.submit([encoder.finish()]);
    let bytes = gpu.read_mapped(&staging)?;
    let rows = bytes.chunks_exact(row as usize);
    let pixels = rows.flat_map(|row| row[..4 * width as usize].as_chunks::<4>().0).copied().collect();
    Ok(Pixels { width, height, pixels })
}
