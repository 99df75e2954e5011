//! A rig played on the GPU and read back, vertex for vertex: what the shaders make of it.

use glam::{DAffine3, DVec3, Vec3};
use sinew::geometry::Bounds;
use sinew::rig::Rig;
use wgpu::{Buffer, BufferUsages};

use crate::device::{Gpu, GpuError};
use crate::herd::Herd;
use crate::model::Model;
use crate::scene::Scene;
use crate::skin::Reader;

/// Plays a rig by the code that draws crowds.
pub struct GpuPlayer<'g> {
    gpu: &'g Gpu,
    scene: Scene,
    reader: Reader,
    /// What shaders of pictures need to know, and this one does not.
    nothing: Buffer,
    middle: DVec3,
}

impl<'g> GpuPlayer<'g> {
    /// Sends a rig to the GPU: all vertices once, whether triangles use them or not.
    pub fn new(gpu: &'g Gpu, rig: &Rig) -> Result<Self, GpuError> {
        let middle = Bounds::of(&rig.rest).center();
        let model = Model::bare(rig, DAffine3::from_translation(-middle))?;
        let herd = Herd::alone(&model, 0.0);
        let scene = Scene::new(gpu, vec![model], herd)?;
        let nothing = gpu.buffer("the frame", 16, BufferUsages::UNIFORM)?;
        let reader = Reader::new(gpu);
        gpu.check()?;
        Ok(Self { gpu, scene, reader, nothing, middle })
    }

    /// Number of poses.
    pub fn frame_count(&self) -> usize {
        self.scene.models[0].frames
    }

    /// Where the vertices of the rig are in a frame.
    ///
    /// # Panics
    /// When there is no such frame.
    pub fn pose(&self, frame: usize) -> Result<Vec<Vec3>, GpuError> {
        let (scene, model) = (&self.scene, &self.scene.models[0]);
        assert!(frame < model.frames, "frame {frame} of {}", model.frames);
        // Poses of all frames stand where those of now do when a crowd is drawn.
        let buffers = [&self.nothing, &scene.words, &scene.model_entries, &scene.instances, &scene.poses];
        let (pose, count) = (frame * model.pose_size(), model.vertices.len());
        let found = self.reader.read(self.gpu, &buffers, 0, pose as u32, count as u32)?;
        Ok(found.positions.iter().map(|p| (p.as_dvec3() + self.middle).as_vec3()).collect())
    }
}
