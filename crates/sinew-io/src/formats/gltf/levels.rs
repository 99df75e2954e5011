//! Levels of detail: `MSFT_lod`, out and in.
//!
//! A mesh node lists the nodes that stand in for it, the finest first. Those nodes are in no scene, so that readers
//! which do not know the extension show the mesh itself and nothing else. Their meshes have index buffers of
//! their own over the vertices of the first, with the same skin and the same morph targets; channels of morph
//! weights name them too. What has no triangles left in a level is a node without a mesh.
//!
//! ```text
//! nodes   0 body { mesh 0, skin 0, MSFT_lod: [1, 2] }   1 body_lod1 { mesh 1, skin 0 }   2 body_lod2 …
//! meshes  0 { POSITION 0, JOINTS_0 2, …, indices 5 }    1 { POSITION 0, JOINTS_0 2, …, indices 6 }
//! scene   0, and the bones
//! ```
//!
//! How far off each level is, [`Level::error`], is in the node's extras as `lod_errors`.

use std::collections::HashMap;
use std::path::Path;

use glam::Vec3;
use serde_json::{Value, json};
use sinew::geometry::{CornerLayer, Mesh, Part};
use sinew::lod::Level;
use sinew::rig::Rig;

use super::import::faces;
use super::primitives::Assembly;
use super::read::Gltf;
use super::schema::{LEVELS, TRIANGLE_FAN, TRIANGLES};
use super::weld::Welded;
use crate::scene::layout::Surface;
use crate::warning::Remark;
use crate::{Error, Result, Warning};

pub(super) const ERRORS: &str = "lod_errors";
/// Levels that are read.
const MOST_LEVELS: usize = 16;

/// Triangles over stored vertices and the file's materials.
type LevelFaces = Vec<([u32; 3], Option<usize>)>;

/// The name of a piece's node and mesh in a level, counted from 0.
pub(super) fn level_name(piece: &str, level: usize) -> String {
    format!("{piece}_lod{}", level + 1)
}

/// Lets a mesh node name its levels.
pub(super) fn name_levels<'a>(node: &mut Value, ids: impl Iterator<Item = &'a usize>, levels: &[Level]) {
    node["extensions"] = json!({ LEVELS: { "ids": ids.collect::<Vec<_>>() } });
    node["extras"] = json!({ ERRORS: levels.iter().map(|level| level.error).collect::<Vec<_>>() });
}

/// Refuses levels that are not of the rig.
pub(super) fn check(path: &Path, rig: &Rig, levels: &[Level]) -> Result<()> {
    for (number, level) in levels.iter().enumerate() {
        let mesh = &level.mesh;
        let vertices =
            |mesh: &Mesh| -> Vec<_> { mesh.parts.iter().map(|part| part.vertices.clone()).collect() };
        let inside = |part: &Part| {
            let used = part.faces.clone().flat_map(|face| mesh.face(face));
            used.into_iter().all(|&v| part.vertices.contains(&(v as usize)))
        };
        let same = mesh.vertex_count == rig.mesh.vertex_count
            && vertices(mesh) == vertices(&rig.mesh)
            && mesh.uvs.is_some() == rig.mesh.uvs.is_some()
            && same_attributes(&rig.mesh, mesh)
            && mesh.materials.len() == rig.mesh.materials.len();
        if !same || mesh.validate().is_err() || !mesh.parts.iter().all(inside) {
            let message = format!("level {} is not one of this rig", number + 1);
            return Err(Error::unsupported(path, message));
        }
    }
    Ok(())
}

/// Whether a level has the attributes of the rig, which it shares stored vertices with.
fn same_attributes(rig: &Mesh, level: &Mesh) -> bool {
    let shapes = |mesh: &Mesh| mesh.attributes.iter().map(|a| (a.kind, a.width)).collect::<Vec<_>>();
    shapes(rig) == shapes(level)
}

/// The levels with the normals that the rig is stored with: corners that had one shading normal in the mesh have
/// one there too.
pub(super) fn surfaces<'a>(rig: &Rig, normals: &CornerLayer<Vec3>, levels: &'a [Level]) -> Vec<Surface<'a>> {
    let key = |mesh: &Mesh, corner: usize| {
        let normal = mesh.normals.as_ref().map_or(Vec3::ZERO, |l| l.values[l.indices[corner] as usize]);
        (mesh.corners[corner], normal.to_array().map(f32::to_bits))
    };
    let mut known = HashMap::new();
    // Where a level has a pair of vertex and normal that the rig has not, the vertex decides.
    let mut of_vertex = vec![0; rig.mesh.vertex_count];
    if !levels.is_empty() {
        for (corner, &index) in normals.indices.iter().enumerate() {
            known.insert(key(&rig.mesh, corner), index);
            of_vertex[rig.mesh.corners[corner] as usize] = index;
        }
    }
    let surface = |level: &'a Level| {
        let index = |corner: usize| {
            let key = key(&level.mesh, corner);
            known.get(&key).copied().unwrap_or(of_vertex[key.0 as usize])
        };
        let indices = (0..level.mesh.corners.len()).map(index).collect();
        Surface { mesh: &level.mesh, normals: CornerLayer { values: normals.values.clone(), indices } }
    };
    levels.iter().map(surface).collect()
}

impl Gltf {
    /// Nodes that stand in for a mesh node, the finest first. What is not to be understood is left out.
    pub(super) fn level_nodes(&self, node: usize) -> Vec<usize> {
        let ids = self.root.nodes[node].extensions.get(LEVELS).and_then(|lod| lod.get("ids")?.as_array());
        let ids = ids.into_iter().flatten().map_while(|id| usize::try_from(id.as_u64()?).ok());
        ids.take_while(|id| *id < self.root.nodes.len()).collect()
    }

    /// Triangles of each level of the default scene, the scene itself first.
    pub fn level_triangles(&self) -> Result<Vec<usize>> {
        let instances = self.mesh_nodes()?;
        let mut counts = Vec::new();
        for level in 0..=self.level_count(&instances) {
            let mut count = 0_usize;
            for &instance in &instances {
                let mesh = match level {
                    0 => Some(instance.1),
                    _ => self.level_mesh(instance, level - 1),
                };
                let primitives = mesh.and_then(|mesh| self.root.meshes.get(mesh)).map(|m| &m.primitives);
                for p in primitives.into_iter().flatten().filter(|p| p.mode == TRIANGLES) {
                    let corners = p.indices.or_else(|| p.attributes.get("POSITION").copied());
                    count = count.saturating_add(corners.map_or(Ok(0), |c| self.count(c))? / 3);
                }
            }
            counts.push(count);
        }
        Ok(counts)
    }

    fn level_count(&self, instances: &[(usize, usize)]) -> usize {
        let most = instances.iter().map(|&(node, _)| self.level_nodes(node).len()).max();
        most.unwrap_or(0).min(MOST_LEVELS)
    }

    /// The mesh that a mesh instance has in a level, counted from 0: none where nothing is left of it. One that
    /// has fewer levels than others keeps its last.
    fn level_mesh(&self, (node, mesh): (usize, usize), level: usize) -> Option<usize> {
        let nodes = self.level_nodes(node);
        nodes.get(level).or(nodes.last()).map_or(Some(mesh), |&id| self.root.nodes[id].mesh)
    }

    /// The levels of a scene whose instances are collected in `assembly`. Those with vertices of their own are
    /// left out.
    pub(super) fn levels(
        &self,
        instances: &[(usize, usize)],
        assembly: &Assembly,
        welded: &Welded,
        full: &Mesh,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Level>> {
        let mut levels = Vec::new();
        for number in 0..self.level_count(instances) {
            let (mut triangles, mut materials) = (Vec::new(), Vec::new());
            let mut parts = welded.parts.clone();
            for (part, &instance) in instances.iter().enumerate() {
                let start = triangles.len();
                let Some(found) = self.level_faces(number, instance, &assembly.parts[part])? else {
                    warnings.push(Remark::LevelsOfOtherVertices.into());
                    return Ok(levels);
                };
                for (mut triangle, material) in found {
                    if assembly.turned.contains(&part) {
                        triangle.swap(1, 2);
                    }
                    triangles.push(triangle);
                    materials.push(material);
                }
                parts[part].faces = start..triangles.len();
            }
            let mut mesh = faces(assembly, welded, &triangles);
            mesh.parts = parts;
            mesh.materials = full.materials.clone();
            mesh.images = full.images.clone();
            if !full.face_materials.is_empty() {
                let plain = self.root.materials.len();
                mesh.face_materials = materials.into_iter().map(|m| m.unwrap_or(plain) as u32).collect();
            }
            mesh.validate().map_err(|e| self.malformed(e.to_string()))?;
            levels.push(Level { mesh, error: self.level_error(instances[0].0, number) });
        }
        Ok(levels)
    }

    /// Triangles of one instance in a level, over stored vertices, with their materials. None if they are not
    /// over the vertices of the instance.
    fn level_faces(&self, level: usize, instance: (usize, usize), part: &Part) -> Result<Option<LevelFaces>> {
        let Some(mesh) = self.level_mesh(instance, level) else { return Ok(Some(Vec::new())) };
        let Some(coarse) = self.root.meshes.get(mesh) else {
            return Err(self.malformed(format!("a level of detail has mesh {mesh}, which does not exist")));
        };
        let drawn = |mode: u32| matches!(mode, TRIANGLES..=TRIANGLE_FAN);
        // Where the vertices of each primitive start.
        let (mut starts, mut at) = (Vec::new(), part.vertices.start);
        for p in self.root.meshes[instance.1].primitives.iter().filter(|p| drawn(p.mode)) {
            let position = p.attributes.get("POSITION").copied();
            starts.push((position, p.material, at));
            at += position.map_or(Ok(0), |p| self.count(p))?;
        }
        let mut found = Vec::new();
        for p in coarse.primitives.iter().filter(|p| drawn(p.mode)) {
            let position = p.attributes.get("POSITION").copied();
            let same = |s: &&(Option<usize>, Option<usize>, usize)| s.0 == position;
            let start = starts.iter().filter(same).find(|s| s.1 == p.material).or(starts.iter().find(same));
            let (Some(position), Some(&(.., start))) = (position, start) else { return Ok(None) };
            let place = format!("a level of detail, mesh {mesh},");
            let triangles = self.triangles(p, self.count(position)?, &place)?;
            found.extend(triangles.into_iter().map(|t| (t.map(|i| start as u32 + i), p.material)));
        }
        Ok(Some(found))
    }

    /// What Sinew wrote about how far a level, counted from 0, is off.
    pub(super) fn level_error(&self, node: usize, level: usize) -> f64 {
        let stated = self.root.nodes[node].extras.get(ERRORS).filter(|_| self.is_ours());
        stated.and_then(|errors| errors.get(level)?.as_f64()).filter(|e| *e >= 0.0).unwrap_or(0.0)
    }
}
