//! Blend shapes as corrections.
//!
//! A channel has one shape or several, which its weight goes through one after another. The file shows its
//! shapes at their default weights when nothing moves; these become part of the rest pose, and corrections
//! are what changes from there.

use glam::{DAffine3, DVec3, Vec3};
use sinew::geometry::CornerLayer;
use sinew::rig::Corrections;

use super::convert::vector;
use super::geometry::shared;
use super::instances::Instance;
use super::meshes::Meshes;
use super::open::Fbx;
use super::sample::Numbered;
use crate::Result;
use crate::scene::shapes::{Shape, columns, names};

/// Normals that default weights leave shorter than this keep their direction.
const SHORTEST: f64 = 1e-3;

/// A blend shape on one part, and which weights it has.
pub(super) struct Target {
    part: usize,
    number: usize,
    name: String,
    /// Weight when no clip moves anything.
    default: f64,
    deltas: Vec<Vec3>,
    /// Empty when the file has none.
    normals: Vec<Vec3>,
}

impl Fbx {
    /// All blend shapes of all instances.
    pub(super) fn targets(
        &self,
        instances: &[Instance],
        meshes: &Meshes,
        frames: usize,
    ) -> Result<(Vec<Target>, Numbered)> {
        let (mut out, mut numbered) = (Vec::new(), Numbered::default());
        let mut size = 0_usize;
        for (part, Instance { mesh, .. }) in instances.iter().enumerate() {
            let channels = mesh.blend_deformers.as_ref().iter().flat_map(|b| b.channels.as_ref());
            for channel in channels {
                for (key, keyframe) in channel.keyframes.iter().enumerate() {
                    size = size.saturating_add(mesh.num_vertices.saturating_add(frames));
                    if size > self.source.limits().displacements {
                        return Err(self.too_many_shapes());
                    }
                    let number = numbered.number((channel.element.typed_id as usize, key));
                    let (deltas, normals) = deltas(&keyframe.shape, mesh.num_vertices, &meshes.places[part]);
                    let default = keyframe.effective_weight;
                    let name = match (channel.element.name.as_ref(), key) {
                        (name, 0) => name.to_owned(),
                        (name, key) => format!("{name}_{key}"),
                    };
                    out.push(Target { part, number, name, default, deltas, normals });
                }
            }
        }
        Ok((out, numbered))
    }

    fn too_many_shapes(&self) -> crate::Error {
        self.unsupported("the scene's blend shapes need more memory than Sinew gives them")
    }

    /// One basis shape for each name and coefficient curve.
    pub(super) fn corrections(
        &self,
        shapes: &[Shape],
        meshes: &Meshes,
        frames: usize,
    ) -> Result<Option<Corrections>> {
        if shapes.is_empty() {
            return Ok(None);
        }
        let columns = columns(shapes);
        let (rank, n) = (columns.len(), meshes.rest.len());
        if rank.saturating_mul(n) > self.source.limits().displacements {
            return Err(self.too_many_shapes());
        }
        let with_normals = meshes.mesh.normals.is_some() && shapes.iter().any(|s| !s.normals.is_empty());
        let mut out = Corrections {
            rank,
            basis: vec![Vec3::ZERO; rank * n],
            normals: if with_normals { vec![Vec3::ZERO; rank * n] } else { Vec::new() },
            coefficients: vec![0.0; rank * frames],
            names: names(&columns),
        };
        for (r, column) in columns.iter().enumerate() {
            for shape in column {
                let start = r * n + meshes.mesh.parts[shape.part].vertices.start;
                out.basis[start..start + shape.deltas.len()].copy_from_slice(&shape.deltas);
                if with_normals && !shape.normals.is_empty() {
                    out.normals[start..start + shape.normals.len()].copy_from_slice(&shape.normals);
                }
            }
            for (frame, q) in column[0].coefficients.iter().enumerate() {
                out.coefficients[frame * rank + r] = *q;
            }
        }
        Ok(Some(out))
    }
}

impl Meshes {
    /// Adds all shapes at their default weights to the rest pose.
    pub(super) fn fold(&mut self, targets: &mut [Target]) {
        let mut changes = vec![DVec3::ZERO; self.rest.len()];
        for target in targets.iter().filter(|t| t.default != 0.0) {
            let vertices = self.mesh.parts[target.part].vertices.clone();
            for (p, d) in self.rest[vertices.clone()].iter_mut().zip(&target.deltas) {
                *p = (p.as_dvec3() + d.as_dvec3() * target.default).as_vec3();
            }
            for (sum, d) in changes[vertices].iter_mut().zip(&target.normals) {
                *sum += d.as_dvec3() * target.default;
            }
        }
        if changes.iter().any(|c| *c != DVec3::ZERO) {
            self.fold_normals(&changes, targets);
        }
    }

    /// Changes normals and gives them their length back; what its length was divided by, the changes of a
    /// vertex's normal are divided by.
    fn fold_normals(&mut self, changes: &[DVec3], targets: &mut [Target]) {
        let Some(layer) = &mut self.mesh.normals else { return };
        let mut lengths = vec![1.0; changes.len()];
        let mut folded = Vec::with_capacity(layer.indices.len());
        for (&vertex, &index) in self.mesh.corners.iter().zip(&layer.indices) {
            let old = layer.values[index as usize].as_dvec3();
            let new = old + changes[vertex as usize];
            let length = new.length();
            if changes[vertex as usize] == DVec3::ZERO || length < SHORTEST || !length.is_finite() {
                folded.push(old.to_array());
                continue;
            }
            lengths[vertex as usize] = length;
            folded.push((new / length).as_vec3().as_dvec3().to_array());
        }
        let (values, indices) = shared(&layer.indices, &folded);
        *layer = CornerLayer {
            values: values.chunks_exact(3).map(|n| DVec3::from_slice(n).as_vec3()).collect(),
            indices: indices.into_iter().map(|i| i as u32).collect(),
        };
        for target in targets {
            let start = self.mesh.parts[target.part].vertices.start;
            for (d, length) in target.normals.iter_mut().zip(&lengths[start..]) {
                *d = (d.as_dvec3() / *length).as_vec3();
            }
        }
    }
}

/// Shapes that displace anything, with their weights.
pub(super) fn weighted_shapes(targets: Vec<Target>, weights: &[Vec<f64>]) -> Vec<Shape> {
    let shape = |t: Target| {
        let coefficients: Vec<f32> = weights[t.number].iter().map(|w| (w - t.default) as f32).collect();
        let moves = t.deltas.iter().any(|d| *d != Vec3::ZERO);
        let numbers = t.deltas.iter().chain(&t.normals);
        let whole = coefficients.iter().all(|q| q.is_finite()) && numbers.clone().all(|d| d.is_finite());
        let Target { part, name, deltas, normals, .. } = t;
        let at_rest = t.default as f32;
        (moves && whole).then_some(Shape { part, name, at_rest, deltas, normals, coefficients })
    };
    targets.into_iter().filter_map(shape).collect()
}

/// Displacements of all vertices, and changes of their normals where the shape has any.
fn deltas(shape: &ufbx::BlendShape, vertices: usize, place: &DAffine3) -> (Vec<Vec3>, Vec<Vec3>) {
    let spread = |offsets: &[ufbx::Vec3], turn: &dyn Fn(DVec3) -> DVec3| {
        let mut out = vec![Vec3::ZERO; vertices];
        for (i, (&vertex, offset)) in shape.offset_vertices.iter().zip(offsets).enumerate() {
            if let Some(out) = out.get_mut(vertex as usize) {
                // Some shapes act on each of their vertices by a weight of its own.
                let weight = shape.offset_weights.get(i).copied().unwrap_or(1.0);
                *out = turn(weight * vector(*offset)).as_vec3();
            }
        }
        out
    };
    let upright = place.matrix3.inverse().transpose();
    let moved = spread(&shape.position_offsets, &|d| place.matrix3 * d);
    let turned = shape.normal_offsets.iter().any(|n| vector(*n) != DVec3::ZERO);
    let normals = if turned { spread(&shape.normal_offsets, &|d| upright * d) } else { Vec::new() };
    (moved, normals)
}
