//! Vertices as the GPU skins them, read back.

use glam::Vec3;
use wgpu::{BindGroupLayout, Buffer, BufferUsages, ComputePipeline};

use crate::camera::Camera;
use crate::device::{Gpu, GpuError};
use crate::pipelines::{Binding, COMMON, READ, SKIN, WRITE, bind, compute_pipeline, layout, module};
use crate::renderer::Renderer;

/// Workgroups in a row.
const ROW: u32 = 4096;
/// Floats that are written out for each vertex.
const FLOATS: usize = 7;

/// Vertices as the GPU has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// Where they are.
    pub positions: Vec<Vec3>,
    /// Their normals, not of unit length.
    pub normals: Vec<Vec3>,
    /// Their baked light, from 0 to 1; below 0 where the model has none.
    pub light: Vec<f32>,
}

/// How far the GPU is from the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The largest distance of a vertex, over the diagonal of its model.
    pub vertices: f64,
    /// The largest difference of its baked light, where there is any.
    pub light: Option<f64>,
}

/// Has the GPU write out what it skins.
pub(crate) struct Reader {
    scene: BindGroupLayout,
    out: BindGroupLayout,
    pipeline: ComputePipeline,
}

impl Reader {
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let scene = layout(device, &[Binding::Uniform, READ, READ, READ, READ]);
        let out = layout(device, &[Binding::Uniform, WRITE]);
        let module = module(device, "read", &[COMMON, SKIN, include_str!("shaders/read.wgsl")]);
        let pipeline = compute_pipeline(device, &[&scene, &out], &module, "write_out");
        Self { scene, out, pipeline }
    }

    /// The `count` vertices of a model in the pose that begins at a place of the last of the buffers: the frame,
    /// vertices, models, instances, poses.
    pub fn read(
        &self,
        gpu: &Gpu,
        buffers: &[&Buffer; 5],
        model: u32,
        pose: u32,
        count: u32,
    ) -> Result<Vertices, GpuError> {
        let device = &gpu.device;
        let wanted = gpu.filled("what is wanted", &[model, pose, count, ROW], BufferUsages::UNIFORM)?;
        let bytes = 4 * FLOATS as u64 * u64::from(count);
        let out = gpu.buffer("skinned vertices", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)?;
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind(device, &self.scene, buffers), &[]);
        pass.set_bind_group(1, &bind(device, &self.out, &[&wanted, &out]), &[]);
        let groups = count.div_ceil(64);
        pass.dispatch_workgroups(groups.min(ROW), groups.div_ceil(ROW), 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let floats: Vec<[f32; FLOATS]> = bytemuck::pod_collect_to_vec(&gpu.read(&out, bytes)?);
        Ok(Vertices {
            positions: floats.iter().map(|v| Vec3::from_slice(&v[..3])).collect(),
            normals: floats.iter().map(|v| Vec3::from_slice(&v[3..6])).collect(),
            light: floats.iter().map(|v| v[6]).collect(),
        })
    }
}

impl Renderer<'_> {
    /// All vertices of a member, in its model's own place, at the time of the last picture, which must have shown
    /// it. They are skinned and lit by the very code that draws.
    pub fn vertices_of(&self, member: usize) -> Result<Vertices, GpuError> {
        let scene = &self.scene;
        let model = scene.herd.members[member].model;
        let before = &scene.herd.members[..member];
        let pose: usize = before.iter().map(|m| scene.models[m.model].pose_size()).sum();
        let buffers = [&self.frame, &scene.words, &scene.model_entries, &scene.instances, &scene.now];
        let count = scene.models[model].vertices.len() as u32;
        Reader::new(self.gpu).read(self.gpu, &buffers, model as u32, pose as u32, count)
    }

    /// How far one member of each model that the camera sees is from what the CPU has at a time in seconds. None
    /// where it sees nobody.
    pub fn largest_difference(&self, camera: &Camera, seconds: f64) -> Result<Option<Difference>, GpuError> {
        self.picture(camera, seconds)?;
        let mut largest: Option<Difference> = None;
        for (model, levels) in self.scene.models.iter().zip(self.seen()?) {
            let Some(&number) = levels.iter().flatten().min() else { continue };
            let member = &self.scene.herd.members[number as usize];
            let on_gpu = self.vertices_of(number as usize)?;
            let time = member.first_frame + seconds as f32 * model.fps * member.rate;
            let mut on_cpu = vec![Vec3::ZERO; on_gpu.positions.len()];
            model.pose_into(time, &mut on_cpu, None);
            let diagonal = f64::from(model.highest.distance(model.lowest));
            let distances =
                on_gpu.positions.iter().zip(&on_cpu).map(|(p, q)| f64::from(p.distance(*q)) / diagonal);
            let found = largest.get_or_insert_default();
            found.vertices = distances.fold(found.vertices, f64::max);
            if model.light.is_some() {
                let mut on_cpu = vec![0.0; on_gpu.light.len()];
                model.light_into(time, &mut on_cpu);
                let off = on_gpu.light.iter().zip(&on_cpu).map(|(a, b)| f64::from((a - b).abs()));
                found.light = Some(off.fold(found.light.unwrap_or(0.0), f64::max));
            }
        }
        Ok(largest)
    }
}
