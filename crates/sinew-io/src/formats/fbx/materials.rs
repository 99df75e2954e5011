//! Writing materials, as the Phong model of old that all programs know, and their textures, inside the file.

use std::collections::HashMap;

use sinew::geometry::{Image, Material, Mesh, Texture, TextureSlot};

use super::document::{Document, Properties};
use crate::Warning;
use crate::containers::fbx_nodes::Node;
use crate::warning::{Counted, Remark};

/// Writes all materials of a mesh and returns their numbers.
pub(super) fn materials(document: &mut Document, mesh: &Mesh, warnings: &mut Vec<Warning>) -> Vec<i64> {
    let mut textures = HashMap::new();
    let mut left_out = 0;
    let mut out = Vec::new();
    for material in &mesh.materials {
        let id = write(document, material);
        for &Texture { slot, image, uv_set } in &material.textures {
            match property(slot) {
                Some(property) => {
                    let texture = *textures
                        .entry((image, uv_set))
                        .or_insert_with(|| texture(document, mesh, image, uv_set));
                    document.drive(texture, id, property);
                }
                None => left_out += 1,
            }
        }
        out.push(id);
    }
    if left_out > 0 {
        warnings.push(Warning::Count { count: left_out, of: Counted::TexturesOfFbx });
    }
    if mesh.materials.iter().any(|m| m.alpha_mode == "MASK" || m.double_sided) {
        warnings.push(Remark::MaterialsOfFbx.into());
    }
    out
}

/// The property of a material that a texture drives.
fn property(slot: TextureSlot) -> Option<&'static str> {
    match slot {
        TextureSlot::BaseColor => Some("DiffuseColor"),
        TextureSlot::Normal => Some("NormalMap"),
        TextureSlot::Emissive => Some("EmissiveColor"),
        TextureSlot::MetallicRoughness | TextureSlot::Occlusion => None,
    }
}

fn write(document: &mut Document, m: &Material) -> i64 {
    let id = document.id();
    let [r, g, b, opacity] = m.base_color;
    let clear = 1.0 - f64::from(opacity);
    let polish = f64::from(1.0 - m.roughness);
    let number = |p: Properties, name: &str, value: f64| p.driven(name, "Number", value);
    let mut p = Properties::default().colour("DiffuseColor", [r, g, b]);
    // Programs take colours for shares of light, and the factor for how much there is.
    let (glow, strength) = m.glow();
    p = number(p, "DiffuseFactor", 1.0).colour("EmissiveColor", glow);
    p = number(p, "EmissiveFactor", strength.into()).colour("AmbientColor", [0.0; 3]);
    p = number(p, "AmbientFactor", 0.0).colour("TransparentColor", [1.0; 3]);
    p = number(p, "TransparencyFactor", clear);
    p = number(p, "Opacity", f64::from(opacity)).colour("SpecularColor", [1.0; 3]);
    p = number(p, "SpecularFactor", 0.25);
    p = number(p, "ShininessExponent", 100.0 * polish * polish);
    p = number(p, "Shininess", 100.0 * polish * polish).colour("ReflectionColor", [1.0; 3]);
    p = number(p, "ReflectionFactor", f64::from(m.metallic));
    let node = Document::object("Material", id, &m.name, "Material", "")
        .child(Node::of("Version", 102))
        .child(Node::of("ShadingModel", "phong"))
        .child(Node::of("MultiLayer", 0))
        .child(p.node());
    document.add("Material", node);
    id
}

/// Writes an image and the texture that shows it.
fn texture(document: &mut Document, mesh: &Mesh, image: usize, uv_set: usize) -> i64 {
    let image: &Image = &mesh.images[image];
    let ending = if image.mime_type == "image/jpeg" { "jpg" } else { "png" };
    let stem = if image.name.is_empty() { "texture" } else { &image.name };
    let file = format!("{}.{ending}", stem.replace(['/', '\\'], "_"));
    let (video, texture) = (document.id(), document.id());
    let path = Properties::default().add("Path", "KString", "XRefUrl", [file.as_str().into()]);
    let node = Document::object("Video", video, stem, "Video", "Clip")
        .child(Node::of("Type", "Clip"))
        .child(path.node())
        .child(Node::of("UseMipMap", 0))
        .child(Node::of("Filename", file.as_str()))
        .child(Node::of("RelativeFilename", file.as_str()))
        .child(Node::of("Content", image.bytes.as_slice()));
    document.add("Video", node);
    let mut properties = Properties::default().add("UseMaterial", "bool", "", [1.into()]);
    if let Some(set) = mesh.more_uv_sets().nth(uv_set.wrapping_sub(1)) {
        properties = properties.add("UVSet", "KString", "", [set.name.as_str().into()]);
    }
    let label = |class: &str| format!("{stem}\0\x01{class}");
    let node = Document::object("Texture", texture, stem, "Texture", "")
        .child(Node::of("Type", "TextureVideoClip"))
        .child(Node::of("Version", 202))
        .child(Node::of("TextureName", label("Texture")))
        .child(properties.node())
        .child(Node::of("Media", label("Video")))
        .child(Node::of("FileName", file.as_str()))
        .child(Node::of("RelativeFilename", file.as_str()));
    document.add("Texture", node);
    document.connect(video, texture);
    texture
}
