//! The crowd drawn by compute shaders alone.
//!
//! Data-centre GPUs have few units that draw triangles and many that compute, and triangles of crowds are
//! often smaller than a pixel, which the former are not made for. So here workgroups skin clusters of
//! triangles and write them to a picture of 64-bit samples, nearest first; colours come last, once for what
//! is seen. After "A Deep Dive into Nanite Virtualized Geometry" (Karis, Stubbe and Wihlidal 2021).
//!
//! Triangles that reach through the near plane are cut there, by the threads that draw large ones.

use wgpu::{
    BindGroup, Buffer, BufferUsages, CommandEncoder, ComputePipeline, Extent3d, Texture, TextureUsages,
};

use crate::device::{Gpu, GpuError};
use crate::options::RenderOptions;
use crate::pipelines::{
    Binding, COMMON, PAINTED, Pipelines, READ, SKIN, WRITE, bind, bind_all, compute_pipeline, layout, module,
};
use crate::scene::Scene;

/// Large triangles there is room for; more are drawn by one thread each, or left out where they reach through the
/// near plane.
const LARGE: u64 = 1 << 20;

const FOUND: &str = include_str!("shaders/found.wgsl");

/// All that this way of drawing needs.
pub(crate) struct Raster {
    plan: ComputePipeline,
    plan_large: ComputePipeline,
    clusters: ComputePipeline,
    large: ComputePipeline,
    paint: ComputePipeline,
    planned: BindGroup,
    drawn: BindGroup,
    painted: BindGroup,
    samples: Buffer,
    large_list: Buffer,
    workgroups: Buffer,
    pub texture: Texture,
}

/// What of the renderer is bound.
pub(crate) struct Bound<'a> {
    pub base: &'a BindGroup,
    pub draw: &'a BindGroup,
    pub map: &'a BindGroup,
    pub which: &'a BindGroup,
    pub which_size: u32,
}

impl Raster {
    /// Makes room for pictures.
    pub fn new(
        gpu: &Gpu,
        scene: &Scene,
        pipelines: &Pipelines,
        options: &RenderOptions,
    ) -> Result<Self, GpuError> {
        let device = &gpu.device;
        let ([width, height], grid, look) = (options.size, options.grid(), options.look);
        let storage = BufferUsages::STORAGE;
        let draws: Vec<[u32; 2]> = scene.draws.iter().map(|d| [d.model as u32, d.level as u32]).collect();
        let draws_list = gpu.filled("draws", &draws, storage)?;
        let plan = gpu.buffer("the plan", 20 * draws.len() as u64, storage)?;
        let workgroups =
            gpu.buffer("workgroups", 12 * (draws.len() as u64 + 1), storage | BufferUsages::INDIRECT)?;
        let cleared = storage | BufferUsages::COPY_DST;
        let bytes = 8 * u64::from(width) * u64::from(height) * u64::from(grid * grid);
        let samples = gpu.buffer("the samples of the picture", bytes, cleared)?;
        let large_list = gpu.buffer("large triangles", 4 * (LARGE + 1), cleared)?;
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("painted"),
            size: Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: PAINTED,
            usage: TextureUsages::STORAGE_BINDING | TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let plan_layout = layout(device, &[READ, READ, WRITE, WRITE, READ]);
        let draw_layout = layout(device, &[READ, READ, READ, WRITE, WRITE]);
        let paint_layout = layout(device, &[READ, READ, READ, Binding::Painted]);
        let planning = module(device, "plan", &[COMMON, &planned_only(), include_str!("shaders/plan.wgsl")]);
        let drawing = module(device, "raster", &[COMMON, SKIN, FOUND, include_str!("shaders/raster.wgsl")]);
        let painting = module(
            device,
            "paint",
            &[COMMON, SKIN, look.light(), look.surroundings(), FOUND, include_str!("shaders/paint.wgsl")],
        );
        let to_plan = [&pipelines.base, &plan_layout];
        let to_draw = [&pipelines.draw, &pipelines.which, &draw_layout];
        let to_paint = [&pipelines.draw, &pipelines.map, &paint_layout];
        let view = texture.create_view(&Default::default());
        let painted = vec![
            plan.as_entire_binding(),
            scene.indices.as_entire_binding(),
            samples.as_entire_binding(),
            wgpu::BindingResource::TextureView(&view),
        ];
        let planned = [&scene.arguments, &draws_list, &plan, &workgroups, &large_list];
        let drawn = [&plan, &scene.clusters, &scene.indices, &samples, &large_list];
        let raster = Self {
            plan: compute_pipeline(device, &to_plan, &planning, "plan_draws"),
            plan_large: compute_pipeline(device, &to_plan, &planning, "plan_large"),
            clusters: compute_pipeline(device, &to_draw, &drawing, "draw_clusters"),
            large: compute_pipeline(device, &to_draw, &drawing, "draw_large"),
            paint: compute_pipeline(device, &to_paint, &painting, "paint"),
            planned: bind(device, &plan_layout, &planned),
            drawn: bind(device, &draw_layout, &drawn),
            painted: bind_all(device, &paint_layout, painted),
            samples,
            large_list,
            workgroups,
            texture,
        };
        gpu.check()?;
        Ok(raster)
    }

    /// Draws those that were chosen.
    pub fn encode(&self, encoder: &mut CommandEncoder, scene: &Scene, bound: &Bound) {
        encoder.clear_buffer(&self.samples, 0, None);
        encoder.clear_buffer(&self.large_list, 0, Some(4));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.plan);
        pass.set_bind_group(0, bound.base, &[]);
        pass.set_bind_group(1, &self.planned, &[]);
        pass.dispatch_workgroups(1, 1, 1);

        pass.set_pipeline(&self.clusters);
        pass.set_bind_group(0, bound.draw, &[]);
        pass.set_bind_group(2, &self.drawn, &[]);
        for number in 0..scene.draws.len() {
            pass.set_bind_group(1, bound.which, &[number as u32 * bound.which_size]);
            pass.dispatch_workgroups_indirect(&self.workgroups, 12 * number as u64);
        }

        pass.set_pipeline(&self.plan_large);
        pass.set_bind_group(0, bound.base, &[]);
        pass.set_bind_group(1, &self.planned, &[]);
        pass.dispatch_workgroups(1, 1, 1);

        pass.set_pipeline(&self.large);
        pass.set_bind_group(0, bound.draw, &[]);
        pass.set_bind_group(1, bound.which, &[0]);
        pass.dispatch_workgroups_indirect(&self.workgroups, 12 * scene.draws.len() as u64);

        pass.set_pipeline(&self.paint);
        pass.set_bind_group(1, bound.map, &[]);
        pass.set_bind_group(2, &self.painted, &[]);
        pass.dispatch_workgroups(self.texture.width().div_ceil(8), self.texture.height().div_ceil(8), 1);
    }
}

/// The description of a plan, without what reads it.
fn planned_only() -> String {
    FOUND.split("struct Found").next().unwrap_or_default().into()
}
