//! Faces, UVs, materials and images as records hold them.

use glam::{Vec2, Vec3};
use sinew::geometry::{CornerLayer, Image, Material, Mesh, Part, Texture, TextureSlot};

use crate::containers::fields::{Cursor, Fixed, put_list, put_text};

const SLOTS: [TextureSlot; 5] = [
    TextureSlot::BaseColor,
    TextureSlot::MetallicRoughness,
    TextureSlot::Normal,
    TextureSlot::Occlusion,
    TextureSlot::Emissive,
];

/// Everything but materials and images.
pub fn put_mesh(mesh: &Mesh) -> Vec<u8> {
    let mut out = Vec::new();
    (mesh.vertex_count as u64).put(&mut out);
    put_list(&mesh.face_starts, &mut out);
    put_list(&mesh.corners, &mut out);
    put_layer(mesh.uvs.as_ref(), &mut out);
    put_layer(mesh.normals.as_ref(), &mut out);
    put_list(&mesh.face_materials, &mut out);
    (mesh.parts.len() as u64).put(&mut out);
    for part in &mesh.parts {
        put_text(&part.name, &mut out);
        let ends = [part.faces.start, part.faces.end, part.vertices.start, part.vertices.end];
        ends.map(|end| end as u64).put(&mut out);
    }
    out
}

/// The inverse of [`put_mesh`]. Indices are not checked yet, but faces can be walked.
pub fn take_mesh(bytes: &[u8]) -> Option<Mesh> {
    let mut cursor = Cursor(bytes);
    let vertex_count = cursor.count()?;
    let face_starts: Vec<u32> = cursor.list()?;
    let corners: Vec<u32> = cursor.list()?;
    let ends_fit = match (face_starts.first(), face_starts.last()) {
        (Some(&first), Some(&last)) => first == 0 && last as usize == corners.len(),
        _ => corners.is_empty(),
    };
    if !ends_fit || !face_starts.is_sorted() {
        return None;
    }
    let (uvs, normals) = (take_layer::<Vec2>(&mut cursor)?, take_layer::<Vec3>(&mut cursor)?);
    let face_materials = cursor.list()?;
    let parts = cursor.each(|cursor| {
        let name = cursor.text()?;
        let [a, b, c, d] = [cursor.count()?, cursor.count()?, cursor.count()?, cursor.count()?];
        Some(Part { name, faces: a..b, vertices: c..d })
    })?;
    let mesh =
        Mesh { vertex_count, face_starts, corners, uvs, normals, face_materials, parts, ..Mesh::default() };
    cursor.is_empty().then_some(mesh)
}

fn put_layer<T: Fixed>(layer: Option<&CornerLayer<T>>, out: &mut Vec<u8>) {
    u8::from(layer.is_some()).put(out);
    if let Some(layer) = layer {
        put_list(&layer.values, out);
        put_list(&layer.indices, out);
    }
}

fn take_layer<T: Fixed>(cursor: &mut Cursor) -> Option<Option<CornerLayer<T>>> {
    if !cursor.flag()? {
        return Some(None);
    }
    Some(Some(CornerLayer { values: cursor.list()?, indices: cursor.list()? }))
}

pub fn put_materials(materials: &[Material]) -> Vec<u8> {
    let mut out = Vec::new();
    (materials.len() as u64).put(&mut out);
    for m in materials {
        put_text(&m.name, &mut out);
        m.base_color.put(&mut out);
        [m.metallic, m.roughness].put(&mut out);
        m.emissive.put(&mut out);
        put_text(&m.alpha_mode, &mut out);
        m.alpha_cutoff.put(&mut out);
        u8::from(m.double_sided).put(&mut out);
        (m.textures.len() as u64).put(&mut out);
        for Texture { slot, image, .. } in &m.textures {
            let slot = SLOTS.iter().position(|s| s == slot).unwrap_or(0);
            (slot as u8).put(&mut out);
            (*image as u32).put(&mut out);
        }
    }
    out
}

/// The inverse of [`put_materials`].
pub fn take_materials(bytes: &[u8]) -> Option<Vec<Material>> {
    let mut cursor = Cursor(bytes);
    let materials = cursor.each(|cursor| {
        Some(Material {
            name: cursor.text()?,
            base_color: cursor.value()?,
            metallic: cursor.value()?,
            roughness: cursor.value()?,
            emissive: cursor.value()?,
            alpha_mode: cursor.text()?,
            alpha_cutoff: cursor.value()?,
            double_sided: cursor.flag()?,
            textures: cursor.each(|cursor| {
                let slot = *SLOTS.get(usize::from(cursor.value::<u8>()?))?;
                Some(Texture::new(slot, cursor.value::<u32>()? as usize))
            })?,
        })
    })?;
    cursor.is_empty().then_some(materials)
}

pub fn put_image(image: &Image) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(&image.name, &mut out);
    put_text(&image.mime_type, &mut out);
    put_list(&image.bytes, &mut out);
    out
}

/// The inverse of [`put_image`].
pub fn take_image(bytes: &[u8]) -> Option<Image> {
    let mut cursor = Cursor(bytes);
    let image = Image { name: cursor.text()?, mime_type: cursor.text()?, bytes: cursor.list()? };
    cursor.is_empty().then_some(image)
}
