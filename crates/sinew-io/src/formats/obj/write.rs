//! OBJ out.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use super::mtl;
use crate::{Result, Target, WriteSeek, save_target};

/// Writes a mesh in one pose. Where it has materials, an MTL file of the same name and the textures are
/// written beside it. Returns the number of bytes of all files.
///
/// Numbers have as many digits as it takes to read the same bits back, except that texture coordinates
/// change their origin on the way. Blanks in names become underscores, since many readers stop there.
///
/// # Panics
/// When there is not one position per vertex of the mesh.
pub fn write(path: &Path, mesh: &Mesh, positions: &[Vec3]) -> Result<u64> {
    Ok(save_target(path, |to| put(to, mesh, positions))?.0)
}

/// The same into any file.
pub(super) fn put(to: &mut Target, mesh: &Mesh, positions: &[Vec3]) -> Result<()> {
    assert_eq!(positions.len(), mesh.vertex_count, "one position per vertex");
    let mut library = None;
    let mut materials = Vec::new();
    if !mesh.face_materials.is_empty() {
        materials = distinct_names(mesh.materials.iter().map(|m| m.name.as_str()), "material");
        library = Some(mtl::put(to, &mesh.materials, &materials, &mesh.images));
    }
    to.write(|out| {
        if let Some(library) = &library {
            writeln!(out, "mtllib {library}")?;
        }
        let mut writer = Writer { out, mesh, positions, materials: &materials, material: None };
        writer.layers()?;
        if mesh.parts.is_empty() {
            return writer.part(0..mesh.face_count(), 0..mesh.vertex_count);
        }
        let names = distinct_names(mesh.parts.iter().map(|part| part.name.as_str()), "part");
        for (part, name) in mesh.parts.iter().zip(names) {
            writeln!(writer.out, "o {name}")?;
            writer.part(part.faces.clone(), part.vertices.clone())?;
        }
        Ok(())
    })
}

struct Writer<'a> {
    out: &'a mut dyn WriteSeek,
    mesh: &'a Mesh,
    positions: &'a [Vec3],
    materials: &'a [String],
    material: Option<u32>,
}

impl Writer<'_> {
    /// UVs and normals, which all parts share.
    fn layers(&mut self) -> std::io::Result<()> {
        for uv in self.mesh.uvs.iter().flat_map(|layer| &layer.values) {
            writeln!(self.out, "vt {} {}", uv.x, 1.0 - uv.y)?;
        }
        for n in self.mesh.normals.iter().flat_map(|layer| &layer.values) {
            writeln!(self.out, "vn {} {} {}", n.x, n.y, n.z)?;
        }
        Ok(())
    }

    fn part(&mut self, faces: Range<usize>, vertices: Range<usize>) -> std::io::Result<()> {
        for p in &self.positions[vertices] {
            writeln!(self.out, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for face in faces {
            if let Some(&material) = self.mesh.face_materials.get(face)
                && self.material != Some(material)
            {
                self.material = Some(material);
                writeln!(self.out, "usemtl {}", self.materials[material as usize])?;
            }
            self.face(face)?;
        }
        Ok(())
    }

    fn face(&mut self, face: usize) -> std::io::Result<()> {
        write!(self.out, "f")?;
        for corner in self.mesh.corner_range(face) {
            let vertex = self.mesh.corners[corner] + 1;
            let uv = self.mesh.uvs.as_ref().map(|layer| layer.indices[corner] + 1);
            let normal = self.mesh.normals.as_ref().map(|layer| layer.indices[corner] + 1);
            match (uv, normal) {
                (None, None) => write!(self.out, " {vertex}")?,
                (Some(uv), None) => write!(self.out, " {vertex}/{uv}")?,
                (None, Some(normal)) => write!(self.out, " {vertex}//{normal}")?,
                (Some(uv), Some(normal)) => write!(self.out, " {vertex}/{uv}/{normal}")?,
            }
        }
        writeln!(self.out)
    }
}

/// Names fit for a statement: one word each, no two the same.
fn distinct_names<'a>(names: impl Iterator<Item = &'a str>, nameless: &str) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut result = Vec::new();
    for name in names {
        let mut word: String =
            name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
        // A trailing backslash would continue the line.
        if word.ends_with('\\') {
            word.push('_');
        }
        if word.is_empty() {
            word = nameless.into();
        }
        let mut distinct = word.clone();
        for number in 2.. {
            if taken.insert(distinct.clone()) {
                break;
            }
            distinct = format!("{word}_{number}");
        }
        result.push(distinct);
    }
    result
}
