//! MTL out, with the textures beside it.

use std::collections::HashSet;
use std::fmt::Write;

use sinew::geometry::{Image, Material, TextureSlot};

use crate::Target;

/// Adds a library of materials and its textures beside an OBJ file. `names` are those the file uses. Returns the
/// name of the library.
pub(crate) fn put(to: &mut Target, materials: &[Material], names: &[String], images: &[Image]) -> String {
    let stem = to.stem_or("");
    let used: HashSet<usize> = materials.iter().flat_map(|m| &m.textures).map(|(_, image)| *image).collect();
    let mut files = Vec::with_capacity(images.len());
    for (i, image) in images.iter().enumerate() {
        let extension = if image.mime_type == "image/jpeg" { "jpg" } else { "png" };
        files.push(format!("{stem}_{i}.{extension}"));
        if used.contains(&i) {
            to.add_beside(files[i].clone(), image.bytes.clone());
        }
    }
    let mut text = String::new();
    for (material, name) in materials.iter().zip(names) {
        // Memory takes everything.
        write_material(&mut text, material, name, &files).expect("writing to memory");
    }
    let library = to.path().with_extension("mtl");
    let library =
        library.file_name().map_or("materials.mtl".into(), |name| name.to_string_lossy().into_owned());
    to.add_beside(library.clone(), text.into_bytes());
    library
}

fn write_material(out: &mut String, m: &Material, name: &str, files: &[String]) -> std::fmt::Result {
    let [r, g, b, opacity] = m.base_color;
    let [er, eg, eb] = m.emissive;
    writeln!(out, "newmtl {name}\nKd {r} {g} {b}\nd {opacity}")?;
    writeln!(out, "Pr {}\nPm {}\nKe {er} {eg} {eb}", m.roughness, m.metallic)?;
    for (slot, image) in &m.textures {
        let key = match slot {
            TextureSlot::BaseColor => "map_Kd",
            TextureSlot::Emissive => "map_Ke",
            TextureSlot::Normal => "norm",
            // Packed channels, for which MTL has no statement.
            TextureSlot::MetallicRoughness | TextureSlot::Occlusion => continue,
        };
        if let Some(file) = files.get(*image) {
            writeln!(out, "{key} {file}")?;
        }
    }
    writeln!(out)
}
