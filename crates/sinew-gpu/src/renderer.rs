//! Draws a crowd. Per frame nothing is sent but the camera and the time.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};
use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, RenderPass};

use crate::camera::Camera;
use crate::device::{Gpu, GpuError};
use crate::herd::Herd;
use crate::map;
use crate::options::{RenderOptions, Route};
use crate::pipelines::{Look, Pipelines, bind};
use crate::raster::{Bound, Raster};
use crate::scene::{DRAW_WORDS, Scene};
use crate::target::{Pixels, Target, read_texture};

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct FrameEntry {
    clip: Mat4,
    planes: [Vec4; 5],
    eye: Vec4,
    right: Vec4,
    up: Vec4,
    forward: Vec4,
    sun: Vec4,
    picture: Vec4,
    ground: Vec4,
    map: Vec4,
    counts: [u32; 4],
}

/// Where the sun stands.
const SUN: Vec3 = Vec3::new(-0.62, 0.55, 0.42);
/// Workgroups in a row: GPUs allow 65,535.
const ROW: u32 = 32_768;

/// A scene with all that is needed to draw it.
pub struct Renderer<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) scene: Scene,
    pub(crate) options: RenderOptions,
    pub(crate) target: Target,
    pub(crate) pipelines: Pipelines,
    pub(crate) frame: Buffer,
    pub(crate) base: BindGroup,
    draw: BindGroup,
    map: BindGroup,
    chosen: BindGroup,
    /// What the way of compute shaders needs, if that is the one.
    raster: Option<Raster>,
    pub(crate) which: BindGroup,
    pub(crate) which_size: u32,
}

impl<'a> Renderer<'a> {
    /// Makes a scene ready to be drawn.
    pub fn new(gpu: &'a Gpu, scene: Scene, options: RenderOptions) -> Result<Self, GpuError> {
        let target = Target::new(gpu, options.size, options.samples)?;
        let pipelines = Pipelines::new(gpu, options.look, options.samples, scene.is_lit());
        gpu.check()?;
        let device = &gpu.device;
        let frame = gpu.buffer(
            "the frame",
            size_of::<FrameEntry>() as u64,
            BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        )?;
        // Which draw it is, each at a place that uniforms may begin at.
        let which_size = device.limits().min_uniform_buffer_offset_alignment.max(16);
        let mut entries = vec![0_u32; scene.draws.len() * which_size as usize / 4];
        let places = entries.chunks_exact_mut(which_size as usize / 4);
        for (number, (entry, draw)) in (0..).zip(places.zip(&scene.draws)) {
            let words = [draw.model as u32, draw.list, number, draw.level as u32];
            entry[..4].copy_from_slice(&words);
        }
        let which_entries = gpu.filled("draws", &entries, BufferUsages::UNIFORM)?;
        let which = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipelines.which,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &which_entries,
                    offset: 0,
                    size: std::num::NonZeroU64::new(16),
                }),
            }],
        });
        let base = [&frame, &scene.words, &scene.model_entries, &scene.instances];
        let drawn = [&frame, &scene.words, &scene.model_entries, &scene.instances, &scene.now, &scene.lists];
        let written = [&scene.poses, &scene.now, &scene.lists, &scene.arguments];
        let base = bind(device, &pipelines.base, &base);
        let raster = match route(gpu, &scene, options.route)? {
            Route::Draw => None,
            Route::Compute => Some(Raster::new(gpu, &scene, &pipelines, &options)?),
        };
        let anywhere = Camera { eye: Vec3::Y, target: Vec3::ZERO, field_of_view: 30.0 };
        let entry = frame_entry(&scene.herd, &options, &anywhere, 0.0);
        gpu.queue.write_buffer(&frame, 0, bytemuck::bytes_of(&entry));
        let renderer = Self {
            map: map::shadows(gpu, &pipelines, &base, &scene.herd)?,
            draw: bind(device, &pipelines.draw, &drawn),
            chosen: bind(device, &pipelines.chosen, &written),
            base,
            raster,
            gpu,
            options,
            target,
            pipelines,
            frame,
            which,
            which_size,
            scene,
        };
        gpu.check()?;
        Ok(renderer)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Draws pictures of another size from now on.
    #[cfg(feature = "window")]
    pub(crate) fn resize(&mut self, size: [u32; 2]) -> Result<(), GpuError> {
        self.target = Target::new(self.gpu, size, self.options.samples)?;
        self.options.size = size;
        if self.raster.is_some() {
            self.raster = Some(Raster::new(self.gpu, &self.scene, &self.pipelines, &self.options)?);
        }
        Ok(())
    }

    /// Bytes sent for each frame.
    pub fn bytes_per_frame(&self) -> u64 {
        size_of::<FrameEntry>() as u64
    }

    /// Draws the crowd at a time in seconds and returns the picture.
    pub fn picture(&self, camera: &Camera, seconds: f64) -> Result<Pixels, GpuError> {
        self.submit(camera, seconds);
        let pixels = read_texture(self.gpu, self.texture())?;
        self.gpu.check()?;
        Ok(pixels)
    }

    /// Has the GPU draw, and does not wait for it.
    pub(crate) fn submit(&self, camera: &Camera, seconds: f64) {
        self.send_frame(camera, seconds);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.encode(&mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Sends what changes from frame to frame.
    pub(crate) fn send_frame(&self, camera: &Camera, seconds: f64) {
        let entry = frame_entry(&self.scene.herd, &self.options, camera, seconds);
        self.gpu.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&entry));
    }

    /// Where the picture is.
    pub(crate) fn texture(&self) -> &wgpu::Texture {
        self.raster.as_ref().map_or(&self.target.color, |raster| &raster.texture)
    }

    /// How triangles are drawn.
    pub fn route(&self) -> Route {
        if self.raster.is_some() { Route::Compute } else { Route::Draw }
    }

    pub(crate) fn encode(&self, encoder: &mut CommandEncoder) {
        self.encode_choice(encoder);
        if let Some(raster) = &self.raster {
            let bound = Bound {
                base: &self.base,
                draw: &self.draw,
                map: &self.map,
                which: &self.which,
                which_size: self.which_size,
            };
            raster.encode(encoder, &self.scene, &bound);
            return;
        }
        let mut pass = self.target.pass(encoder, false);
        self.draw_surroundings(&mut pass);
        pass.set_bind_group(0, &self.draw, &[]);
        pass.set_index_buffer(self.scene.indices.slice(..), wgpu::IndexFormat::Uint32);
        for (number, draw) in self.scene.draws.iter().enumerate() {
            let open = usize::from(!self.scene.models[draw.model].closed);
            pass.set_pipeline(&self.pipelines.bodies[open]);
            pass.set_bind_group(1, &self.which, &[number as u32 * self.which_size]);
            pass.draw_indexed_indirect(&self.scene.arguments, (number * DRAW_WORDS * 4) as u64);
        }
    }

    /// Chooses who is seen and how finely, and makes their poses.
    pub(crate) fn encode_choice(&self, encoder: &mut CommandEncoder) {
        let scene = &self.scene;
        let bytes = (scene.draws.len() * DRAW_WORDS * 4) as u64;
        encoder.copy_buffer_to_buffer(&scene.no_arguments, 0, &scene.arguments, 0, bytes);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipelines.choose);
        pass.set_bind_group(0, &self.base, &[]);
        pass.set_bind_group(1, &self.chosen, &[]);
        let count = scene.herd.members.len() as u32;
        pass.dispatch_workgroups(count.min(ROW), count.div_ceil(ROW), 1);
    }

    /// Sky and ground.
    pub(crate) fn draw_surroundings(&self, pass: &mut RenderPass) {
        pass.set_bind_group(0, &self.base, &[]);
        pass.set_bind_group(1, &self.map, &[]);
        pass.set_pipeline(&self.pipelines.surroundings);
        pass.draw(0..3, 0..1);
    }

    /// Who was seen in the last frame: for each level of each model, members in ascending order.
    pub fn seen(&self) -> Result<Vec<Vec<Vec<u32>>>, GpuError> {
        let lists = self.gpu.read(&self.scene.lists, 4 * self.scene.list_length as u64)?;
        let lists: Vec<u32> = bytemuck::pod_collect_to_vec(&lists);
        let bytes = (self.scene.draws.len() * DRAW_WORDS * 4) as u64;
        let arguments: Vec<u32> = bytemuck::pod_collect_to_vec(&self.gpu.read(&self.scene.arguments, bytes)?);
        let mut out: Vec<Vec<Vec<u32>>> = vec![Vec::new(); self.scene.models.len()];
        for (draw, arguments) in self.scene.draws.iter().zip(arguments.chunks_exact(DRAW_WORDS)) {
            let first = draw.list as usize;
            let mut members = lists[first..first + arguments[1] as usize].to_vec();
            members.sort_unstable();
            out[draw.model].push(members);
        }
        Ok(out)
    }
}

/// The way asked for, or the one that should be faster.
fn route(gpu: &Gpu, scene: &Scene, wanted: Option<Route>) -> Result<Route, GpuError> {
    // Triangles are counted through in 32 bits, and the clusters of a rig are workgroups in a row.
    let clusters = scene.models.iter().flat_map(|m| &m.levels).map(|l| l.clusters.len()).max();
    let possible = gpu.has_wide_atomics()
        && scene.full_triangles() < u64::from(u32::MAX)
        && clusters
            .is_none_or(|most| most <= gpu.device.limits().max_compute_workgroups_per_dimension as usize);
    match wanted {
        Some(Route::Compute) if !possible => Err(GpuError::NoCompute { adapter: gpu.adapter().into() }),
        Some(route) => Ok(route),
        None if possible && !gpu.is_software() => Ok(Route::Compute),
        None => Ok(Route::Draw),
    }
}

/// The direction of the light that throws shadows. In the studio that is all of it, which leaves them below bodies.
fn sun(look: Look) -> Vec3 {
    match look {
        Look::Plain => SUN.normalize(),
        Look::Studio => Vec3::Y,
    }
}

/// What changes from frame to frame.
fn frame_entry(herd: &Herd, options: &RenderOptions, camera: &Camera, seconds: f64) -> FrameEntry {
    let [width, height] = options.size;
    let near = 0.02 * herd.body;
    let [right, up, forward] = camera.axes().map(|axis| axis.extend(0.0));
    let fog = (4.0 * herd.half.max_element()).max(25.0 * herd.body);
    FrameEntry {
        clip: camera.clip(width, height, near),
        planes: camera.planes(width, height, near),
        eye: camera.eye.extend(seconds as f32),
        right,
        up,
        forward,
        sun: sun(options.look).extend(0.0),
        picture: Vec4::new(width as f32, height as f32, camera.focal(height), options.tolerance),
        ground: Vec4::new(0.0, (f64::from(herd.speed) * seconds) as f32, fog, herd.body),
        map: map::half_sides(herd).extend(0.0).extend(0.0),
        counts: [herd.members.len() as u32, u32::from(options.levels), ROW, options.grid()],
    }
}
