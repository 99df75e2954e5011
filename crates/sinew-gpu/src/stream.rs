//! The same crowd drawn the plain way, to compare with: every vertex of everyone is computed on the CPU and
//! sent each frame.
//!
//! That is the other renderer of "Skinning Mesh Animations" (James and Twigg 2005), section 7. It is no straw
//! man: all cores fill memory that the GPU reads directly, and while one part of the crowd is sent and drawn
//! the next is computed. As in the paper nobody is left out and there are no levels of detail.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use wgpu::{BindGroup, Buffer, BufferUsages, PollType, SubmissionIndex};

use crate::camera::Camera;
use crate::device::{Gpu, GpuError};
use crate::measure::Measured;
use crate::pipelines::{bind, streamed_floats};
use crate::renderer::Renderer;
use crate::target::{Pixels, read_texture};

/// Bytes of vertices that are sent together.
const PART: u64 = 96 << 20;
/// Parts that are under way at the same time.
const SLOTS: usize = 3;

/// Draws a crowd by sending its vertices.
pub struct Streamer<'r, 'g> {
    renderer: &'r Renderer<'g>,
    slots: Vec<Slot>,
    /// Members of each part.
    parts: Vec<Range<usize>>,
    /// Where each member's vertices begin in its part.
    starts: Vec<u32>,
    group: BindGroup,
    /// Floats of a vertex.
    floats: usize,
}

/// Memory for one part: where the CPU writes and where the GPU reads.
struct Slot {
    staging: Buffer,
    vertices: Buffer,
    mapped: Arc<AtomicBool>,
    last: Option<SubmissionIndex>,
}

impl<'r, 'g> Streamer<'r, 'g> {
    /// Makes room for the vertices of a renderer's crowd.
    pub fn new(renderer: &'r Renderer<'g>) -> Result<Self, GpuError> {
        let (gpu, scene) = (renderer.gpu, &renderer.scene);
        let floats = streamed_floats(scene.is_lit());
        let bytes = 4 * floats as u64;
        let counts: Vec<u64> =
            scene.herd.members.iter().map(|m| scene.models[m.model].vertices.len() as u64).collect();
        let (mut parts, mut starts, mut first, mut filled) = (Vec::new(), Vec::new(), 0, 0);
        for (member, count) in counts.iter().enumerate() {
            if filled > 0 && (filled + count) * bytes > PART {
                parts.push(first..member);
                (first, filled) = (member, 0);
            }
            starts.push(filled as u32);
            filled += count;
        }
        parts.push(first..counts.len());
        let of_part = |part: &Range<usize>| counts[part.clone()].iter().sum::<u64>() * bytes;
        let largest = parts.iter().map(of_part).max().unwrap_or(0);
        let slots = (0..SLOTS.min(parts.len())).map(|_| Slot::new(gpu, largest)).collect::<Result<_, _>>()?;
        let begins = gpu.filled("where vertices begin", &starts, BufferUsages::STORAGE)?;
        let read =
            [&renderer.frame, &scene.words, &scene.model_entries, &scene.instances, &scene.now, &begins];
        let group = bind(&gpu.device, &renderer.pipelines.draw, &read);
        gpu.check()?;
        Ok(Self { renderer, slots, parts, starts, group, floats })
    }

    /// Bytes sent for each frame.
    pub fn bytes_per_frame(&self) -> u64 {
        let scene = &self.renderer.scene;
        let vertices = scene.herd.members.iter().map(|m| scene.models[m.model].vertices.len() as u64);
        vertices.sum::<u64>() * 4 * self.floats as u64 + self.renderer.bytes_per_frame()
    }

    /// Draws the crowd at a time in seconds and returns the picture.
    pub fn picture(&mut self, camera: &Camera, seconds: f64) -> Result<Pixels, GpuError> {
        self.submit(camera, seconds)?;
        read_texture(self.renderer.gpu, &self.renderer.target.color)
    }

    /// Draws up to `most` frames for about so long, after one that is not counted.
    pub fn measure(
        &mut self,
        most: usize,
        longest: Duration,
        at: &dyn Fn(usize) -> (Camera, f64),
    ) -> Result<Measured, GpuError> {
        let (camera, seconds) = at(0);
        self.submit(&camera, seconds)?;
        self.renderer.gpu.finish()?;
        let (start, mut frames) = (Instant::now(), 0);
        while frames < most && (frames == 0 || start.elapsed() < longest) {
            let (camera, seconds) = at(frames);
            self.submit(&camera, seconds)?;
            frames += 1;
        }
        self.renderer.gpu.finish()?;
        let scene = &self.renderer.scene;
        Ok(Measured {
            frames,
            seconds: start.elapsed().as_secs_f64(),
            triangles_per_frame: scene.full_triangles() as f64,
            seen: scene.herd.members.len() as f64,
            bytes_per_frame: self.bytes_per_frame(),
        })
    }

    fn submit(&mut self, camera: &Camera, seconds: f64) -> Result<(), GpuError> {
        self.renderer.send_frame(camera, seconds);
        for number in 0..self.parts.len() {
            let slot = number % self.slots.len();
            self.slots[slot].wait(self.renderer.gpu)?;
            self.fill(number, slot, seconds)?;
            self.draw(number, slot);
        }
        self.renderer.gpu.check()
    }

    /// Computes the vertices of a part.
    fn fill(&self, part: usize, slot: usize, seconds: f64) -> Result<(), GpuError> {
        let scene = &self.renderer.scene;
        let staging = &self.slots[slot].staging;
        self.parts[part].clone().into_par_iter().try_for_each_init(Vec::<f32>::new, |vertices, number| {
            let member = &scene.herd.members[number];
            let model = &scene.models[member.model];
            let time = member.first_frame + seconds as f32 * model.fps * member.rate;
            let pose = model.pose_at(time);
            vertices.clear();
            for v in 0..model.vertices.len() {
                let (p, n) = model.skinned(&pose, v);
                vertices.extend([p.x, p.y, p.z, n.x, n.y, n.z]);
                if self.floats > 6 {
                    vertices.extend([model.light_of(&pose, v).unwrap_or(-1.0), 0.0]);
                }
            }
            let bytes: &[u8] = bytemuck::cast_slice(vertices);
            let start = u64::from(self.starts[number]) * 4 * self.floats as u64;
            let range = start..start + bytes.len() as u64;
            let mut view =
                staging.get_mapped_range_mut(range).map_err(|e| GpuError::Refused(e.to_string()))?;
            view.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// Sends and draws a part.
    fn draw(&mut self, part: usize, slot: usize) {
        let (renderer, scene) = (self.renderer, &self.renderer.scene);
        let slot = &mut self.slots[slot];
        slot.staging.unmap();
        let mut encoder = renderer.gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&slot.staging, 0, &slot.vertices, 0, slot.staging.size());
        let mut pass = renderer.target.pass(&mut encoder, part > 0);
        if part == 0 {
            renderer.draw_surroundings(&mut pass);
        }
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_bind_group(1, &renderer.which, &[0]);
        pass.set_index_buffer(scene.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_vertex_buffer(0, slot.vertices.slice(..));
        for number in self.parts[part].clone() {
            let model = scene.herd.members[number].model;
            let Some(draw) = scene.draws.iter().find(|d| d.model == model && d.level == 0) else { continue };
            pass.set_pipeline(&renderer.pipelines.streamed[usize::from(!scene.models[model].closed)]);
            let indices = draw.first_index..draw.first_index + draw.index_count;
            pass.draw_indexed(indices, self.starts[number] as i32, number as u32..number as u32 + 1);
        }
        drop(pass);
        slot.last = Some(renderer.gpu.queue.submit([encoder.finish()]));
        slot.mapped.store(false, Ordering::SeqCst);
        let mapped = slot.mapped.clone();
        slot.staging.map_async(wgpu::MapMode::Write, .., move |result| {
            mapped.store(result.is_ok(), Ordering::SeqCst);
        });
    }
}

impl Slot {
    fn new(gpu: &Gpu, bytes: u64) -> Result<Self, GpuError> {
        let staging =
            gpu.buffer("vertices to send", bytes, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC)?;
        let vertices = gpu.buffer("vertices", bytes, BufferUsages::VERTEX | BufferUsages::COPY_DST)?;
        let mapped = Arc::new(AtomicBool::new(false));
        let done = mapped.clone();
        staging
            .map_async(wgpu::MapMode::Write, .., move |result| done.store(result.is_ok(), Ordering::SeqCst));
        Ok(Self { staging, vertices, mapped, last: None })
    }

    /// Waits until the CPU may write again.
    fn wait(&self, gpu: &Gpu) -> Result<(), GpuError> {
        if !self.mapped.load(Ordering::SeqCst) {
            let wait = PollType::Wait { submission_index: self.last.clone(), timeout: None };
            gpu.device.poll(wait).map_err(|e| GpuError::Lost(e.to_string()))?;
        }
        gpu.check()?;
        match self.mapped.load(Ordering::SeqCst) {
            true => Ok(()),
            false => Err(GpuError::Lost("memory to write to was not given back".into())),
        }
    }
}
