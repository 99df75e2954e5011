//! All mesh objects as one mesh of several parts.

use std::collections::HashMap;

use glam::{DAffine3, Vec2, Vec3};
use sinew::geometry::{CornerLayer, Material, Mesh, Part, corner_normals};

use super::attributes::{Attributes, REST, REST_NORMALS};
use super::geometry::Faces;
use super::layer::{Layer, MISSING, append, complete};
use super::scene::{FaceSet, MeshObject, Scene};
use crate::scene::names::Names;
use crate::warning::{self, Counted, Remark};
use crate::{Error, Result, Warning};

/// Vertices and corners together that any file may have. More only where its length allows for them:
/// instances could make a great many out of a small file.
const MOST_ELEMENTS: usize = 1 << 24;
/// The mesh under construction.
pub(super) struct Assembly<'a> {
    scene: &'a Scene,
    mesh: Mesh,
    uvs: CornerLayer<Vec2>,
    normals: CornerLayer<Vec3>,
    attributes: Attributes<'a>,
    /// Rest pose, of files that say so.
    rest: Vec<Vec3>,
    names: Names,
    materials: HashMap<String, u32>,
    warnings: Vec<Warning>,
}

/// What comes of it.
pub(super) struct Assembled {
    pub mesh: Mesh,
    pub rest: Option<Vec<Vec3>>,
    pub warnings: Vec<Warning>,
}

impl<'a> Assembly<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            mesh: Mesh { face_starts: vec![0], ..Mesh::default() },
            uvs: CornerLayer { values: Vec::new(), indices: Vec::new() },
            normals: CornerLayer { values: Vec::new(), indices: Vec::new() },
            attributes: Attributes::new(scene),
            rest: Vec::new(),
            names: Names::default(),
            materials: HashMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds an object, carried to its place in the first frame by `place`.
    pub fn add(&mut self, object: &MeshObject, place: &DAffine3) -> Result<()> {
        let file = &self.scene.file;
        object.check_topology(file)?;
        let vertices = object.point_count(file, 0)?;
        let mut faces = object.faces(file, vertices)?;
        let elements = self.mesh.vertex_count + self.mesh.corners.len() + vertices + faces.corners.len();
        if elements > MOST_ELEMENTS.max(file.bytes().len()) {
            let message = format!("{elements} vertices and corners are more than Sinew makes of this file");
            return Err(Error::unsupported(file.path(), message));
        }
        // Mirrored faces show their back.
        let mirrored = place.matrix3.determinant() < 0.0;
        if mirrored {
            turn_over(&mut faces);
        }
        if faces.counts.len() < faces.stored {
            let dropped = faces.stored - faces.counts.len();
            self.warn(object, Warning::Count { count: dropped, of: Counted::FewCorners });
        }
        if object.is_cage {
            self.warn(object, Remark::CageTaken);
        }
        let left_out = self.attributes.add(object, &faces, vertices, self.mesh.corners.len());
        if !left_out.is_empty() {
            self.warn(object, Warning::AttributesLeftOut(left_out));
        }
        self.layers(object, &faces, vertices, place);
        self.materials(object, &faces)?;
        self.take_rest(object, vertices);
        self.push(object, &faces, vertices);
        Ok(())
    }

    fn warn(&mut self, object: &MeshObject, warning: impl Into<Warning>) {
        self.warnings.push(warning.into().of(&object.path));
    }

    /// UVs and normals, where they can be understood.
    fn layers(&mut self, object: &MeshObject, faces: &Faces, vertices: usize, place: &DAffine3) {
        let file = &self.scene.file;
        let corners = self.mesh.corners.len();
        match object.uvs(file, faces, vertices) {
            Some(Ok(layer)) => append(&mut self.uvs, layer, corners),
            Some(Err(e)) => {
                self.warn(object, Warning::LayerLeftOut { layer: warning::Layer::Uvs, why: e.to_string() });
            }
            None => {}
        }
        // Files of our own hold the normals of the rest pose as well.
        let own = self.scene.is_ours().then(|| object.vectors(file, REST_NORMALS, faces, vertices)).flatten();
        match own.or_else(|| object.vectors(file, "N", faces, vertices)) {
            Some(Ok(mut layer)) => {
                if *place != DAffine3::IDENTITY {
                    let map = place.matrix3.inverse().transpose();
                    for n in &mut layer.values {
                        *n = (map * n.as_dvec3()).try_normalize().unwrap_or(glam::DVec3::Z).as_vec3();
                    }
                }
                append(&mut self.normals, layer, corners);
            }
            Some(Err(e)) => {
                self.warn(
                    object,
                    Warning::LayerLeftOut { layer: warning::Layer::Normals, why: e.to_string() },
                );
            }
            None => {}
        }
    }

    /// Face sets are what a material is put on.
    fn materials(&mut self, object: &MeshObject, faces: &Faces) -> Result<()> {
        let mut of_face = vec![MISSING; faces.stored];
        let mut shared = false;
        for set in &object.face_sets {
            let members = self.members(set, object, faces.stored)?;
            if members.is_empty() {
                continue;
            }
            let material = self.material(set);
            for face in members {
                shared |= of_face[face] != MISSING;
                of_face[face] = if of_face[face] == MISSING { material } else { of_face[face] };
            }
        }
        if shared {
            self.warn(object, Remark::SeveralFaceSets);
        }
        self.mesh.face_materials.extend(faces.source_face.iter().map(|f| of_face[*f as usize]));
        Ok(())
    }

    fn members(&self, set: &FaceSet, object: &MeshObject, faces: usize) -> Result<Vec<usize>> {
        let file = &self.scene.file;
        let Some(property) = set.properties.iter().find(|p| p.name == ".faces" && p.samples > 0) else {
            return Ok(Vec::new());
        };
        let members = property.numbers(file, 0)?.integers().unwrap_or_default();
        let inside = |face: &i64| usize::try_from(*face).ok().filter(|face| *face < faces);
        members.iter().map(inside).collect::<Option<_>>().ok_or_else(|| {
            file.malformed(format!("face set {} of {} names faces it does not have", set.name, object.path))
        })
    }

    fn material(&mut self, set: &FaceSet) -> u32 {
        let next = self.mesh.materials.len() as u32;
        let file = &self.scene.file;
        *self.materials.entry(set.name.clone()).or_insert_with(|| {
            let mut material = Material { name: set.name.clone(), ..Material::default() };
            let color = set.properties.iter().find(|p| p.name == BASE_COLOR && p.samples > 0);
            let numbers = color.and_then(|p| p.numbers(file, 0).ok()?.reals()).unwrap_or_default();
            if let Some(color) = numbers.first_chunk::<4>() {
                material.base_color = color.map(|c| c as f32);
            }
            self.mesh.materials.push(material);
            next
        })
    }

    /// The rest pose of files that Sinew wrote. Others mean various things by the name.
    fn take_rest(&mut self, object: &MeshObject, vertices: usize) {
        let file = &self.scene.file;
        let found = object.property(REST).filter(|p| self.scene.is_ours() && p.samples > 0 && p.extent == 3);
        let numbers = found.and_then(|p| p.numbers(file, 0).ok()).filter(|n| n.pod.is_real());
        if let Some(numbers) = numbers.filter(|n| n.len() == 3 * vertices) {
            self.rest.resize(self.mesh.vertex_count, Vec3::NAN);
            let start = self.rest.len();
            self.rest.resize(start + vertices, Vec3::ZERO);
            numbers.points_into(None, &mut self.rest[start..]);
        }
    }

    fn push(&mut self, object: &MeshObject, faces: &Faces, vertices: usize) {
        let mesh = &mut self.mesh;
        let (first_face, first_vertex) = (mesh.face_count(), mesh.vertex_count);
        let mut end = mesh.corners.len() as u32;
        mesh.corners.extend(faces.corners.iter().map(|v| first_vertex as u32 + v));
        mesh.face_starts.extend(faces.counts.iter().map(|count| {
            end += count;
            end
        }));
        mesh.vertex_count += vertices;
        mesh.parts.push(Part {
            name: self.names.unique(object.name.clone()),
            faces: first_face..mesh.face_count(),
            vertices: first_vertex..mesh.vertex_count,
        });
    }

    /// Completes layers that some objects lack; `first` is the first pose.
    pub fn finish(mut self, first: &[Vec3]) -> Result<Assembled> {
        let corners = self.mesh.corners.len();
        if !self.uvs.values.is_empty() {
            let none = Layer { values: vec![Vec2::ZERO], indices: Vec::new() };
            self.mesh.uvs = Some(complete(self.uvs, none, corners));
        }
        if !self.normals.values.is_empty() {
            let smooth = corner_normals(&self.mesh, first);
            let smooth = Layer { values: smooth.values, indices: smooth.indices };
            self.mesh.normals = Some(complete(self.normals, smooth, corners));
        }
        self.mesh.attributes = self.attributes.finish(&self.mesh);
        if self.mesh.materials.is_empty() {
            self.mesh.face_materials.clear();
        } else if self.mesh.face_materials.contains(&MISSING) {
            let plain = self.mesh.materials.len() as u32;
            self.mesh.materials.push(Material { name: "default".into(), ..Material::default() });
            self.mesh.face_materials.iter_mut().filter(|m| **m == MISSING).for_each(|m| *m = plain);
        }
        let file = &self.scene.file;
        self.mesh.validate().map_err(|e| file.malformed(e.to_string()))?;
        let whole = self.rest.len() == self.mesh.vertex_count && self.rest.iter().all(|p| p.is_finite());
        let rest = Some(self.rest).filter(|rest| whole && !rest.is_empty());
        Ok(Assembled { mesh: self.mesh, rest, warnings: self.warnings })
    }
}

/// Where files of our own keep the colour of a face set's material.
pub(super) const BASE_COLOR: &str = ".userProperties/baseColor";

/// Reverses the corners of all faces.
fn turn_over(faces: &mut Faces) {
    let mut start = 0;
    for count in &faces.counts {
        let end = start + *count as usize;
        faces.corners[start..end].reverse();
        faces.source_corner[start..end].reverse();
        start = end;
    }
}
