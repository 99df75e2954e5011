//! Further primvars of a mesh, in: UV sets after the first, colours, and numbers of the file's own.

use sinew::geometry::{Attribute, AttributeKind, Mesh};

use super::stage::Stage;
use crate::Result;

/// What primvars are called.
pub(super) const PRIMVARS: &str = "primvars:";
/// Primvars that are something else: weights of joints, normals, and what programs note about themselves.
const OTHERS: [&str; 3] = ["skel:", "normals", "blender:"];
/// Colours that viewers show, and how opaque they are.
const COLOR: &str = "displayColor";
const OPACITY: &str = "displayOpacity";

/// Values of the corners of the file.
pub(super) struct Layer<T> {
    pub values: Vec<T>,
    /// For each corner of the file.
    pub indices: Vec<u32>,
}

/// A primvar at the corners of the file.
pub(super) struct Primvar {
    pub name: String,
    pub kind: AttributeKind,
    pub width: usize,
    /// Values of all numbers, one after another.
    pub layer: Layer<Vec<f32>>,
}

/// What primvars of a type hold, and how many numbers a value has.
fn shape(type_name: &str) -> Option<(AttributeKind, usize)> {
    let plain = type_name.trim_end_matches("[]");
    let numbered = |start: &str| plain.strip_prefix(start).is_some_and(|end| matches!(end, "f" | "h" | "d"));
    Some(match plain {
        _ if numbered("texCoord2") => (AttributeKind::Uv, 2),
        _ if numbered("color3") => (AttributeKind::Color, 3),
        _ if numbered("color4") => (AttributeKind::Color, 4),
        "float" | "half" | "double" | "int" | "uint" | "bool" => (AttributeKind::Custom, 1),
        "float2" | "half2" | "double2" | "int2" => (AttributeKind::Custom, 2),
        "float3" | "half3" | "double3" | "int3" => (AttributeKind::Custom, 3),
        _ if numbered("vector3") || numbered("point3") || numbered("normal3") || numbered("texCoord3") => {
            (AttributeKind::Custom, 3)
        }
        "float4" | "half4" | "double4" | "int4" => (AttributeKind::Custom, 4),
        _ => return None,
    })
}

/// All primvars of a prim but those that have a place of their own, and `uvs`. `read` gives the values of one of so many
/// numbers at the corners.
pub(super) fn find_primvars(
    stage: &Stage,
    prim: usize,
    uvs: Option<&str>,
    read: impl Fn(&str, usize, AttributeKind) -> Result<Option<Layer<Vec<f32>>>>,
) -> Result<Vec<Primvar>> {
    let mut found: Vec<Primvar> = Vec::new();
    for full in stage.property_names(prim) {
        let Some(name) = full.strip_prefix(PRIMVARS) else { continue };
        let taken = uvs == Some(&full[..]) || OTHERS.iter().any(|other| name.starts_with(other));
        let stated = stage.fact(prim, &full, |p| p.type_name.clone());
        let Some((kind, width)) = stated.as_deref().and_then(shape) else { continue };
        let single = stage.fact(prim, &full, |p| p.element_size).is_none_or(|size| size == 1.0);
        let constant = stage.interpolation(prim, &full).is_none_or(|i| i == "constant");
        // One colour of all is that of a material.
        let of_material = constant && matches!(name, COLOR | OPACITY);
        if taken || name.ends_with(":indices") || !single || of_material {
            continue;
        }
        let layer = read(&full, width, kind)?;
        found.extend(layer.map(|layer| Primvar { name: name.into(), kind, width, layer }));
    }
    join_opacity(&mut found);
    // Of colours in no order, those that viewers show are the first.
    if stage.property_order(prim).is_empty() {
        found.sort_by_key(|p| p.name != COLOR);
    }
    if let Some(shown) = found.iter_mut().find(|p| p.name == COLOR) {
        let full = format!("{PRIMVARS}{COLOR}");
        let own = stage.fact(prim, &full, |p| p.display_name.clone()).filter(|name| !name.is_empty());
        shown.name = own.unwrap_or_else(|| COLOR.into());
    }
    Ok(found)
}

/// A number as attributes have it: images start at the upper left, and all numbers are finite.
pub(super) fn number(kind: AttributeKind, place: usize, x: f64) -> f32 {
    let x = if kind == AttributeKind::Uv && place == 1 { 1.0 - x } else { x } as f32;
    if x.is_finite() { x } else { 0.0 }
}

/// Makes the opacity of what viewers show a fourth number of its colour.
fn join_opacity(found: &mut Vec<Primvar>) {
    let place = |name: &str, found: &[Primvar]| found.iter().position(|p| p.name == name);
    let (Some(color), Some(opacity)) = (place(COLOR, found), place(OPACITY, found)) else { return };
    let opaque = found.remove(opacity).layer;
    let color = &mut found[if opacity < color { color - 1 } else { color }];
    if color.width != 3 {
        return;
    }
    let rows = color.layer.indices.iter().zip(&opaque.indices);
    let row = |(c, o): (&u32, &u32)| {
        let [opacity] = opaque.values[*o as usize][..] else { return Vec::new() };
        [&color.layer.values[*c as usize][..], &[opacity]].concat()
    };
    let values: Vec<Vec<f32>> = rows.map(row).collect();
    color.layer = Layer { indices: (0..values.len() as u32).collect(), values };
    color.width = 4;
}

/// Primvars of many surfaces as attributes of the mesh they make: those of one name are one. `corners` are, for each
/// corner of the mesh, its surface and its corner in the file.
pub(super) fn join(surfaces: &[&[Primvar]], corners: &[(u32, u32)], mesh: &Mesh) -> Vec<Attribute> {
    let mut kinds: Vec<(AttributeKind, &str, usize)> = Vec::new();
    for primvar in surfaces.iter().copied().flatten() {
        match kinds.iter_mut().find(|k| (k.0, k.1) == (primvar.kind, &primvar.name)) {
            Some(known) => known.2 = known.2.max(primvar.width),
            None => kinds.push((primvar.kind, &primvar.name, primvar.width)),
        }
    }
    let rank = |kind: AttributeKind| match kind {
        AttributeKind::Uv => 0,
        AttributeKind::Color => 1,
        AttributeKind::Custom => 2,
    };
    kinds.sort_by_key(|k| rank(k.0));
    let attribute = |(kind, name, width): (AttributeKind, &str, usize)| {
        let neutral = [kind.neutral(); 4];
        let of = |s: &&[Primvar]| s.iter().position(|p| (p.kind, &p.name[..]) == (kind, name));
        let places: Vec<Option<usize>> = surfaces.iter().map(of).collect();
        let mut numbers = Vec::with_capacity(corners.len() * width);
        for &(surface, corner) in corners {
            let primvar = places[surface as usize].map(|p| &surfaces[surface as usize][p]);
            let value =
                primvar.map_or(&[][..], |p| &p.layer.values[p.layer.indices[corner as usize] as usize]);
            numbers.extend(value.iter().chain(&neutral[..width - value.len()]));
        }
        let row = |c: usize| &numbers[c * width..(c + 1) * width];
        Attribute::of_corners(name, kind, width, (mesh.vertex_count, &mesh.corners), row)
    };
    kinds.into_iter().map(attribute).collect()
}

impl Stage {
    /// The primvar that a reader of textures' places takes them from; it may be stated elsewhere.
    pub(super) fn primvar_name(&self, reader: usize) -> Result<Option<String>> {
        let (mut prim, mut name) = (reader, "inputs:varname".to_owned());
        for _ in 0..4 {
            if let Some(stated) = self.word(prim, &name)? {
                return Ok(Some(stated));
            }
            let Some(next) = self.target(prim, &name) else { break };
            (prim, name) = next;
        }
        Ok(None)
    }
}
