//! Further primvars of a mesh, out (see [`super::attributes`]).

use std::io::{Result, Write};

use sinew::geometry::{Attribute, AttributeKind, Domain, Mesh, Part};

use super::attributes::PRIMVARS;
use super::prose::{Identifiers, Item, Prose, quoted};

/// Names that viewers give a meaning to; one of them is that of the first colours.
const TAKEN: [&str; 5] = ["st", "normals", COLOR, "displayOpacity", "skel"];
const COLOR: &str = "displayColor";
const UVS: &str = "st";

/// A value of one to four numbers.
struct Row<'a>(&'a [f32]);

impl Item for Row<'_> {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        if let [x] = self.0 {
            return write!(out, "{x}");
        }
        let numbers: Vec<String> = self.0.iter().map(f32::to_string).collect();
        write!(out, "({})", numbers.join(", "))
    }
}

/// What the attributes of a mesh are called in a file.
pub(super) fn primvar_names(mesh: &Mesh) -> Vec<String> {
    let mut names = Identifiers::default();
    TAKEN.iter().for_each(|name| _ = names.unique(name));
    let first = mesh.attributes.iter().position(|a| a.kind == AttributeKind::Color);
    let name = |(place, attribute): (usize, &Attribute)| match Some(place) == first {
        true => COLOR.into(),
        false => names.unique(&attribute.name),
    };
    mesh.attributes.iter().enumerate().map(name).collect()
}

/// Writes the attributes of a part.
pub(super) fn write_attributes(prose: &mut Prose, mesh: &Mesh, names: &[String], part: &Part) -> Result<()> {
    // Readers sort by name what has no order.
    if names.len() > 1 {
        let uvs = mesh.uvs.is_some().then_some(UVS);
        let all = uvs.into_iter().chain(names.iter().map(String::as_str));
        let order: Vec<String> = all.map(|name| quoted(&format!("{PRIMVARS}{name}"))).collect();
        prose.line(format!("reorder properties = [{}]", order.join(", ")))?;
    }
    for (attribute, name) in mesh.attributes.iter().zip(names) {
        let places: Vec<usize> = match attribute.domain {
            Domain::Vertex => part.vertices.clone().collect(),
            Domain::Corner => part.faces.clone().flat_map(|face| mesh.corner_range(face)).collect(),
        };
        write_attribute(prose, attribute, name, &places)?;
    }
    Ok(())
}

fn write_attribute(prose: &mut Prose, attribute: &Attribute, name: &str, places: &[usize]) -> Result<()> {
    let upright = |row: &[f32]| match attribute.kind {
        AttributeKind::Uv => vec![row[0], (1.0 - f64::from(row[1])) as f32],
        _ => row.to_vec(),
    };
    // Each value of the part once, in the order of first use.
    let mut of_value = vec![u32::MAX; attribute.value_count()];
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for &place in places {
        let of = &mut of_value[attribute.indices[place] as usize];
        if *of == u32::MAX {
            *of = values.len() as u32;
            values.push(upright(attribute.value(place)));
        }
        indices.push(*of);
    }
    let lies = match attribute.domain {
        Domain::Vertex => "interpolation = \"vertex\"",
        Domain::Corner => "interpolation = \"faceVarying\"",
    };
    let shared = values.len() < indices.len();
    let opaque = name == COLOR && attribute.width == 4;
    let width = if opaque { 3 } else { attribute.width };
    let kind = match (attribute.kind, width) {
        (AttributeKind::Uv, _) => "texCoord2f",
        (AttributeKind::Color, 3) => "color3f",
        (AttributeKind::Color, _) => "color4f",
        (AttributeKind::Custom, 1) => "float",
        (AttributeKind::Custom, 2) => "float2",
        (AttributeKind::Custom, 3) => "float3",
        (AttributeKind::Custom, _) => "float4",
    };
    // The first colours are called what viewers show, and what people call them beside that.
    let own = format!("displayName = {}", quoted(&attribute.name));
    let renamed = name == COLOR && attribute.name != COLOR;
    let facts = if renamed { vec![lies, &own[..]] } else { vec![lies] };
    prose.array(&format!("{kind}[] primvars:{name}"), values.iter().map(|v| Row(&v[..width])), &facts)?;
    if shared {
        prose.array(&format!("int[] primvars:{name}:indices"), indices.iter().copied(), &[])?;
    }
    if opaque {
        prose.array("float[] primvars:displayOpacity", values.iter().map(|v| Row(&v[3..])), &[lies])?;
        if shared {
            prose.array("int[] primvars:displayOpacity:indices", indices.iter().copied(), &[])?;
        }
    }
    Ok(())
}
