//! Colours and textures of what was opened, as a GPU takes them.
//!
//! UVs and materials hang on corners, GPUs want them on vertices: a vertex with several looks is doubled.
//! The first look of each vertex keeps its number, so that everything else goes on by the mesh's own numbers.

use std::collections::HashMap;

use glam::Vec2;
use sinew::geometry::{Image, Material, Mesh, TextureSlot};

use super::{Refusal, Subject};

/// The largest image file that goes to a page, in bytes.
const MOST_IMAGE_BYTES: usize = 64 << 20;
/// The most pixels along a side of an image that goes to a page: a few bytes can say a million.
const MOST_SIDE: u32 = 8192;

/// The surface of a mesh whose materials say something.
pub struct Appearance {
    /// Corners of triangles, by drawn vertex.
    pub corners: Vec<u32>,
    /// The vertex of the mesh behind each drawn vertex that comes after those of the mesh.
    pub doubled: Vec<u32>,
    /// Of each drawn vertex, origin at the upper left.
    pub uvs: Vec<Vec2>,
    /// Of each triangle.
    pub triangle_materials: Vec<u32>,
}

impl Appearance {
    /// None of a mesh without colours and textures.
    pub fn of(subject: &Subject) -> Option<Self> {
        let mesh = subject.mesh();
        if !mesh.materials.iter().any(says_something) || mesh.face_materials.len() != mesh.face_count() {
            return None;
        }
        let mut made = Self {
            corners: Vec::with_capacity(3 * subject.triangles.len()),
            doubled: Vec::new(),
            uvs: vec![Vec2::ZERO; mesh.vertex_count],
            triangle_materials: Vec::with_capacity(subject.triangles.len()),
        };
        let mut first: Vec<Option<(u32, u32)>> = vec![None; mesh.vertex_count];
        let mut others = HashMap::new();
        for triangle in subject.triangles.iter() {
            let material = material_of(mesh, triangle[0]);
            made.triangle_materials.push(material);
            for &corner in triangle {
                let vertex = mesh.corners[corner as usize];
                let (uv_number, uv) = uv_of(mesh, corner);
                let look = (uv_number, material);
                let drawn = match &mut first[vertex as usize] {
                    Some(own) if *own == look => vertex,
                    Some(_) => *others.entry((vertex, look)).or_insert_with(|| made.double(vertex)),
                    own => {
                        *own = Some(look);
                        vertex
                    }
                };
                made.uvs[drawn as usize] = uv;
                made.corners.push(drawn);
            }
        }
        Some(made)
    }

    fn double(&mut self, vertex: u32) -> u32 {
        self.doubled.push(vertex);
        self.uvs.push(Vec2::ZERO);
        self.uvs.len() as u32 - 1
    }
}

/// White without a texture is what files say that know no materials.
fn says_something(material: &Material) -> bool {
    base_image(material).is_some() || material.base_color[..3] != [1.0; 3]
}

/// The image of a material's colour.
pub fn base_image(material: &Material) -> Option<usize> {
    material.textures.iter().find(|t| t.slot == TextureSlot::BaseColor).map(|t| t.image)
}

/// The opacity below which nothing is drawn.
pub fn cutoff(material: &Material) -> f32 {
    if material.alpha_mode == "MASK" { material.alpha_cutoff } else { 0.0 }
}

fn material_of(mesh: &Mesh, corner: u32) -> u32 {
    let face = mesh.face_starts.partition_point(|start| *start <= corner) - 1;
    mesh.face_materials[face]
}

fn uv_of(mesh: &Mesh, corner: u32) -> (u32, Vec2) {
    let Some(layer) = &mesh.uvs else { return (0, Vec2::ZERO) };
    let number = layer.indices[corner as usize];
    (number, layer.values[number as usize])
}

/// An image file of what was opened, with its type, as far as a browser can be trusted with it.
pub fn image(subject: &Subject, number: usize) -> Result<(&'static str, Vec<u8>), Refusal> {
    let Some(Image { name, bytes, .. }) = subject.mesh().images.get(number) else {
        return Refusal::say(format!("there is no image {number}"));
    };
    let (media_type, size) = match bytes.get(..3) {
        Some(b"\x89PN") => ("image/png", png_size(bytes)),
        Some(b"\xff\xd8\xff") => ("image/jpeg", jpeg_size(bytes)),
        _ => return Refusal::say(format!("image {name} is neither PNG nor JPEG")),
    };
    let Some((width, height)) = size else { return Refusal::say(format!("image {name} is broken")) };
    if bytes.len() > MOST_IMAGE_BYTES || width.max(height) > MOST_SIDE {
        return Refusal::say(format!(
            "image {name} is {width} by {height} pixels in {} bytes; up to {MOST_SIDE} a side are drawn",
            bytes.len()
        ));
    }
    Ok((media_type, bytes.clone()))
}

/// Width and height, which stand in the first chunk.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((number(16)?, number(20)?))
}

/// Width and height, which stand in the segment that starts the frame.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let short = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        let marker = short(at)?;
        match marker {
            0xffff => at += 1,
            0xffc0..=0xffcf if ![0xffc4, 0xffc8, 0xffcc].contains(&marker) => {
                return Some((short(at + 7)?, short(at + 5)?));
            }
            0xff01 | 0xffd0..=0xffd8 => at += 2,
            0xff02..=0xfffe => at += 2 + short(at + 2)? as usize,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sinew::animation::{Frames, MeshAnimation};
    use sinew::geometry::CornerLayer;

    use super::*;

    /// Two triangles of a square, one red and one with an image, and a seam of UVs between them.
    fn square() -> Subject {
        let rest = vec![glam::Vec3::ZERO, glam::Vec3::X, glam::Vec3::new(1.0, 1.0, 0.0), glam::Vec3::Y];
        let red = Material { base_color: [1.0, 0.0, 0.0, 1.0], ..Material::default() };
        let painted = Material {
            textures: vec![sinew::geometry::Texture::new(TextureSlot::BaseColor, 0)],
            ..Material::default()
        };
        let uv = |x: f32, y: f32| Vec2::new(x, y);
        let mesh = Mesh {
            vertex_count: 4,
            face_starts: vec![0, 3, 6],
            corners: vec![0, 1, 2, 0, 2, 3],
            uvs: Some(CornerLayer {
                values: vec![uv(0.0, 0.0), uv(1.0, 0.0), uv(1.0, 1.0), uv(0.5, 0.5)],
                indices: vec![0, 1, 2, 0, 2, 3],
            }),
            face_materials: vec![0, 1],
            materials: vec![red, painted],
            ..Mesh::default()
        };
        let frames = Frames::from_poses(std::slice::from_ref(&rest));
        let animation =
            MeshAnimation { mesh, rest: Some(rest), frames, fps: 24.0, clips: Vec::new(), nodes: Vec::new() };
        Subject::of_animation("square".into(), animation)
    }

    #[test]
    fn vertices_with_two_materials_are_doubled() {
        let made = Appearance::of(&square()).unwrap();
        assert_eq!(made.triangle_materials, [0, 1]);
        assert_eq!(made.corners, [0, 1, 2, 4, 5, 3]);
        assert_eq!(made.doubled, [0, 2]);
        assert_eq!(made.uvs[3], Vec2::new(0.5, 0.5));
        assert_eq!(made.uvs[5], Vec2::new(1.0, 1.0));
    }

    #[test]
    fn sizes_are_read_from_headers() {
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 1, 2, 0, 0, 3, 4]].concat();
        assert_eq!(png_size(&png), Some((0x102, 0x304)));
        assert_eq!(png_size(&png[..20]), None);
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 9, 9, 0xff, 0xff, 0xc2, 0, 11, 8, 1, 2, 3, 4].as_slice();
        assert_eq!(jpeg_size(jpeg), Some((0x304, 0x102)));
        assert_eq!(jpeg_size(&jpeg[..12]), None);
        assert_eq!(jpeg_size(&[0xff, 0xd8, 0, 0, 0, 0]), None);
    }
}
