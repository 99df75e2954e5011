//! MTL out, with the textures beside it.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use sinew::geometry::{Image, Material, Texture, TextureSlot};

use crate::{Result, save};

/// Writes materials to `path` and their textures beside it. `names` are those the OBJ file uses. Returns
/// the number of bytes of all files.
pub(crate) fn write(path: &Path, materials: &[Material], names: &[String], images: &[Image]) -> Result<u64> {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut bytes = 0;
    let used: HashSet<usize> = materials.iter().flat_map(|m| &m.textures).map(|t| t.image).collect();
    let mut files = Vec::with_capacity(images.len());
    for (i, image) in images.iter().enumerate() {
        let extension = if image.mime_type == "image/jpeg" { "jpg" } else { "png" };
        files.push(format!("{stem}_{i}.{extension}"));
        if used.contains(&i) {
            bytes += save(&path.with_file_name(&files[i]), |out| out.write_all(&image.bytes))?;
        }
    }
    bytes += save(path, |out| {
        for (material, name) in materials.iter().zip(names) {
            write_material(out, material, name, &files)?;
        }
        Ok(())
    })?;
    Ok(bytes)
}

fn write_material(out: &mut dyn Write, m: &Material, name: &str, files: &[String]) -> std::io::Result<()> {
    let [r, g, b, opacity] = m.base_color;
    let [er, eg, eb] = m.emissive;
    writeln!(out, "newmtl {name}\nKd {r} {g} {b}\nd {opacity}")?;
    writeln!(out, "Pr {}\nPm {}\nKe {er} {eg} {eb}", m.roughness, m.metallic)?;
    for Texture { slot, image, .. } in &m.textures {
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
