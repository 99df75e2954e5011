//! Extensions that a file requires: those that are read, those that say nothing of shapes and motion and are passed over
//! with a warning, and all others, for which the file is refused: what it shows would be something else.

use std::path::Path;

use super::packed;
use super::schema::{DRACO, LEVELS, LIGHTS, Root};
use crate::{Error, Result, Warning};

/// How names of extensions begin that are about how surfaces look.
const OF_LOOKS: [&str; 8] = [
    "KHR_materials_",
    "EXT_materials_",
    "ADOBE_materials_",
    "VRMC_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "MSFT_packing_",
];

/// Those about light from around, what a page does with nodes, and what is known of parts.
const OF_OTHERS: [&str; 14] = [
    "KHR_lights_image_based",
    "EXT_lights_image_based",
    "EXT_lights_ies",
    "KHR_node_visibility",
    "KHR_node_selectability",
    "KHR_node_hoverability",
    "KHR_interactivity",
    "KHR_audio_emitter",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "EXT_mesh_features",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "CESIUM_primitive_outline",
];

/// Whether Sinew does what an extension says.
fn is_read(name: &str) -> bool {
    ["KHR_mesh_quantization", LEVELS, LIGHTS].contains(&name) || packed::EXTENSIONS.contains(&name)
}

/// Whether shapes and motion are the same without it.
fn is_of_no_matter(name: &str) -> bool {
    OF_LOOKS.iter().any(|start| name.starts_with(start)) || OF_OTHERS.contains(&name)
}

/// Refuses a file that cannot be read without extensions that are not known.
pub(super) fn check(root: &Root, path: &Path) -> Result<()> {
    let required = root.extensions_required.iter().map(String::as_str);
    let mut missing: Vec<&str> = required.filter(|name| !is_read(name) && !is_of_no_matter(name)).collect();
    if !missing.contains(&DRACO) && needs_draco(root) {
        missing.push(DRACO);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let advice = if missing.contains(&DRACO) {
        ": decompress it first, for example with `gltf-transform copy in.glb out.glb`, or export it from \
         Blender without compression"
    } else {
        ""
    };
    Err(Error::unsupported(path, format!("the file requires {}{advice}", missing.join(" and "))))
}

/// Whether places of vertices are in compressed data alone, whatever the file says that it requires: they would all be zero.
fn needs_draco(root: &Root) -> bool {
    root.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|primitive| {
        let places = primitive.attributes.get("POSITION").and_then(|&place| root.accessors.get(place));
        primitive.extensions.draco.is_some()
            && places.is_some_and(|places| places.buffer_view.is_none() && places.sparse.is_none())
    })
}

/// What is passed over of what a file requires.
pub(super) fn passed_over(root: &Root) -> Option<Warning> {
    let names: Vec<String> =
        root.extensions_required.iter().filter(|name| is_of_no_matter(name)).cloned().collect();
    (!names.is_empty()).then_some(Warning::ExtensionsPassedOver(names))
}
