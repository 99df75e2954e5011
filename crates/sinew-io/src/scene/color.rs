//! Colours that are stored as screens show them (sRGB, IEC 61966-2-1), and linear ones.

use sinew::geometry::{AttributeKind, Domain, Mesh};

/// What colours are called in formats that do not name them.
pub(crate) const NAMELESS_COLOR: &str = "COLOR_0";

/// A stored number as light.
pub(crate) fn to_linear(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) }
}

/// Light as a stored number.
pub(crate) fn to_srgb(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// Colours of vertices that formats with one colour a vertex can hold: the first of the mesh, at corners the last one that
/// any corner of a vertex has. Nothing without colours.
pub(crate) fn of_vertices(mesh: &Mesh) -> Option<Vec<[f32; 4]>> {
    let color = mesh.attributes.iter().find(|a| a.kind == AttributeKind::Color)?;
    let opaque = |row: &[f32]| std::array::from_fn(|i| row.get(i).copied().unwrap_or(1.0));
    if color.domain == Domain::Vertex {
        return Some((0..mesh.vertex_count).map(|vertex| opaque(color.value(vertex))).collect());
    }
    let mut colors = vec![[1.0; 4]; mesh.vertex_count];
    for (corner, &vertex) in mesh.corners.iter().enumerate() {
        colors[vertex as usize] = opaque(color.value(corner));
    }
    Some(colors)
}

/// A value of a colour attribute with its first three numbers changed: opacity is not light.
pub(crate) fn changed(value: &[f32], change: fn(f64) -> f64) -> impl Iterator<Item = f64> {
    value.iter().enumerate().map(move |(i, x)| if i < 3 { change(f64::from(*x)) } else { f64::from(*x) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back() {
        for i in -20..200 {
            let x = f64::from(i) / 100.0;
            assert!((to_linear(to_srgb(x)) - x).abs() < 1e-9, "{x}");
        }
        assert!((to_linear(0.5) - 0.214_041).abs() < 1e-6);
        assert_eq!((to_linear(0.0), to_linear(1.0)), (0.0, 1.0));
    }
}
