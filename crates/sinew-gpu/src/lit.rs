//! Light baked over a rig ([`sinew::light`]), as the GPU reads it.
//!
//! The light of a vertex is a sum of shapes, a byte each, times coefficients of the frame. What bytes stand for
//! goes into the coefficients, so that a shader adds products of four at a time to one number of the frame. Levels
//! of detail are over vertices of the rig and have the light of those they use.

use glam::Vec4;
use sinew::light::Light;

use crate::device::GpuError;
use crate::model::Model;
use crate::model_light::ModelLight;

impl Model {
    /// Gives the model the light that was baked over its rig.
    pub fn with_light(mut self, light: &Light) -> Result<Self, GpuError> {
        let (rank, vertices) = (light.rank(), light.vertices);
        let fits = rank > 0
            && light.shapes.len() == rank * vertices
            && light.coefficients.len() == rank * self.frames
            && self.vertices.iter().all(|v| (v.source as usize) < vertices);
        if !fits {
            return Err(GpuError::OtherLight);
        }
        let byte = |shape: usize, vertex: u32| match shape < rank {
            true => light.shapes[shape * vertices + vertex as usize],
            false => 0,
        };
        let word = |set: usize, vertex: u32| {
            u32::from_le_bytes(std::array::from_fn(|component| byte(4 * set + component, vertex)))
        };
        let sets = rank.div_ceil(4);
        let shapes =
            self.vertices.iter().flat_map(|v| (0..sets).map(move |set| word(set, v.source))).collect();
        let bones = self.poses.chunks_exact(self.pose_size() - self.light_pose_size());
        let lights = light.coefficients.chunks_exact(rank).map(|q| pose(q, &light.ranges));
        self.poses = bones.zip(lights).flat_map(|(bones, light)| [bones.to_vec(), light].concat()).collect();
        self.light = Some(ModelLight { rank, shapes });
        Ok(self)
    }

    /// Vectors of each pose that are the light's.
    pub(crate) fn light_pose_size(&self) -> usize {
        self.light.as_ref().map_or(0, ModelLight::pose_size)
    }

    /// How open a vertex is in a pose, from 0 to 1, where the model has light.
    pub(crate) fn light_of(&self, pose: &[Vec4], vertex: usize) -> Option<f32> {
        let light = self.light.as_ref()?;
        let of_pose = &pose[pose.len() - light.pose_size()..];
        let shapes = &light.shapes[vertex * light.words()..(vertex + 1) * light.words()];
        let part = |(q, word): (&Vec4, &u32)| {
            q.dot(Vec4::from_array(word.to_le_bytes().map(|byte| f32::from(byte) / 255.0)))
        };
        let sum = of_pose[0].x + of_pose[1..].iter().zip(shapes).map(part).sum::<f32>();
        Some(sum.clamp(0.0, 1.0))
    }

    /// Writes the light of all vertices at a time, counted in frames; 1 where the model has none.
    pub fn light_into(&self, time: f32, out: &mut [f32]) {
        let pose = self.pose_at(time);
        for (vertex, light) in out.iter_mut().enumerate() {
            *light = self.light_of(&pose, vertex).unwrap_or(1.0);
        }
    }
}

/// Coefficients for bytes between 0 and 1, after what all vertices have.
fn pose(coefficients: &[f32], ranges: &[[f32; 2]]) -> Vec<[f32; 4]> {
    let with_ranges = || coefficients.iter().zip(ranges);
    let base = with_ranges().map(|(q, [low, _])| q * low).sum();
    let steps: Vec<f32> = with_ranges().map(|(q, [low, high])| q * (high - low)).collect();
    let mut out = vec![[base, 0.0, 0.0, 0.0]];
    out.extend(steps.chunks(4).map(|q| std::array::from_fn(|i| q.get(i).map_or(0.0, |q| *q))));
    out
}
