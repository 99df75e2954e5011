//! Vertices as the GPU skins them, read back.

use glam::Vec3;
use wgpu::BufferUsages;

use crate::camera::Camera;
use crate::device::GpuError;
use crate::pipelines::{Binding, COMMON, READ, SKIN, WRITE, bind, compute_pipeline, layout, module};
use crate::renderer::Renderer;

/// Workgroups in a row.
const ROW: u32 = 4096;

impl Renderer<'_> {
    /// Positions and normals of all vertices of a member, in its model's own place, at the time of the last
    /// picture, which must have shown it. They are skinned by the very code that draws.
    pub fn vertices_of(&self, member: usize) -> Result<(Vec<Vec3>, Vec<Vec3>), GpuError> {
        let (gpu, scene) = (self.gpu, &self.scene);
        let device = &gpu.device;
        let model = scene.herd.members[member].model;
        let count = scene.models[model].vertices.len() as u32;
        let before = &scene.herd.members[..member];
        let pose: usize = before.iter().map(|m| scene.models[m.model].pose_size()).sum();
        let wanted = [model as u32, pose as u32, count, ROW];
        let wanted = gpu.filled("what is wanted", &wanted, BufferUsages::UNIFORM)?;
        let bytes = 24 * u64::from(count);
        let out = gpu.buffer("skinned vertices", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)?;
        let scene_layout = layout(device, &[Binding::Uniform, READ, READ, READ, READ]);
        let out_layout = layout(device, &[Binding::Uniform, WRITE]);
        let module = module(device, "read", &[COMMON, SKIN, include_str!("shaders/read.wgsl")]);
        let pipeline = compute_pipeline(device, &[&scene_layout, &out_layout], &module, "write_out");
        let read = [&self.frame, &scene.words, &scene.model_entries, &scene.instances, &scene.now];
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind(device, &scene_layout, &read), &[]);
        pass.set_bind_group(1, &bind(device, &out_layout, &[&wanted, &out]), &[]);
        let groups = count.div_ceil(64);
        pass.dispatch_workgroups(groups.min(ROW), groups.div_ceil(ROW), 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let floats: Vec<[f32; 6]> = bytemuck::pod_collect_to_vec(&gpu.read(&out, bytes)?);
        Ok(floats.iter().map(|v| (Vec3::from_slice(&v[..3]), Vec3::from_slice(&v[3..]))).unzip())
    }

    /// The largest distance of a vertex from where the CPU has it at a time in seconds, over the diagonal of
    /// its model: of one member of each model that the camera sees. None where it sees nobody.
    pub fn largest_difference(&self, camera: &Camera, seconds: f64) -> Result<Option<f64>, GpuError> {
        self.picture(camera, seconds)?;
        let mut largest = None;
        for (model, levels) in self.scene.models.iter().zip(self.seen()?) {
            let Some(&number) = levels.iter().flatten().min() else { continue };
            let member = &self.scene.herd.members[number as usize];
            let (on_gpu, _) = self.vertices_of(number as usize)?;
            let mut on_cpu = vec![Vec3::ZERO; on_gpu.len()];
            model.pose_into(member.first_frame + seconds as f32 * model.fps * member.rate, &mut on_cpu, None);
            let diagonal = f64::from(model.highest.distance(model.lowest));
            let distances = on_gpu.iter().zip(&on_cpu).map(|(p, q)| f64::from(p.distance(*q)) / diagonal);
            largest = Some(distances.fold(largest.unwrap_or(0.0), f64::max));
        }
        Ok(largest)
    }
}
