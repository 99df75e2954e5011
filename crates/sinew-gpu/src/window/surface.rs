//! What of a window is drawn on.

use std::sync::Arc;

use wgpu::{BindGroupLayout, CurrentSurfaceTexture, RenderPipeline, Surface, SurfaceConfiguration};
use winit::window::Window;

use crate::device::{Gpu, GpuError};
use crate::options::Route;
use crate::pipelines::{Binding, How, bind_all, layout, module, render_pipeline};
use crate::renderer::Renderer;

/// A window that pictures go to.
pub(super) struct Shown {
    pub window: Arc<Window>,
    surface: Surface<'static>,
    configured: SurfaceConfiguration,
    layout: BindGroupLayout,
    /// For pictures that are decoded when they are read, and for those that are not.
    pipelines: [RenderPipeline; 2],
}

impl Shown {
    pub fn new(gpu: &Gpu, window: Arc<Window>) -> Result<Self, GpuError> {
        let (instance, adapter) = &gpu.system;
        let surface = instance.create_surface(window.clone()).map_err(no_window)?;
        let inner = window.inner_size();
        let (width, height) = (inner.width.max(1), inner.height.max(1));
        let cannot = || GpuError::NoWindow(format!("{} cannot draw on this screen", gpu.adapter()));
        let mut configured = surface.get_default_config(adapter, width, height).ok_or_else(cannot)?;
        // Pictures are encoded here, as those of compute shaders already are.
        let formats = surface.get_capabilities(adapter).formats;
        configured.format = formats.into_iter().find(|format| !format.is_srgb()).ok_or_else(cannot)?;
        surface.configure(&gpu.device, &configured);
        let layout = layout(&gpu.device, &[Binding::Texture]);
        let showing = module(&gpu.device, "show", &[include_str!("../shaders/show.wgsl")]);
        let how = How { format: Some(configured.format), samples: 1, ..How::default() };
        let pipelines = ["show_decoded", "show_encoded"]
            .map(|entry| render_pipeline(&gpu.device, &[&layout], &showing, ["everywhere", entry], how));
        gpu.check()?;
        Ok(Self { window, surface, configured, layout, pipelines })
    }

    /// Pixels of the window.
    pub fn size(&self) -> [u32; 2] {
        let size = self.window.inner_size();
        [size.width, size.height]
    }

    /// Draws the frame that was sent to a renderer and shows it. Whether there was something to show it on.
    pub fn present(&mut self, renderer: &Renderer) -> Result<bool, GpuError> {
        let gpu = renderer.gpu;
        let [width, height] = renderer.options.size;
        if [self.configured.width, self.configured.height] != [width, height] {
            (self.configured.width, self.configured.height) = (width, height);
            self.surface.configure(&gpu.device, &self.configured);
        }
        let target = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(target) | CurrentSurfaceTexture::Suboptimal(target) => target,
            CurrentSurfaceTexture::Outdated => {
                self.surface.configure(&gpu.device, &self.configured);
                self.window.request_redraw();
                return Ok(false);
            }
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Occluded => return Ok(false),
            CurrentSurfaceTexture::Lost => return Err(GpuError::Lost("the window has gone".into())),
            CurrentSurfaceTexture::Validation => return gpu.check().map(|()| false),
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        renderer.encode(&mut encoder);
        let picture = renderer.texture().create_view(&Default::default());
        let group = bind_all(&gpu.device, &self.layout, vec![wgpu::BindingResource::TextureView(&picture)]);
        let view = target.texture.create_view(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("window"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipelines[usize::from(renderer.route() == Route::Compute)]);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        gpu.queue.present(target);
        Ok(true)
    }
}

/// Why there is no window, without the line of source that winit puts before it.
pub fn no_window(error: impl std::fmt::Display) -> GpuError {
    let text = error.to_string();
    let reason = text.split_once(".rs:").and_then(|(_, rest)| Some(rest.split_once(": ")?.1));
    GpuError::NoWindow(reason.unwrap_or(&text).trim_end_matches('.').replace('\n', " "))
}
