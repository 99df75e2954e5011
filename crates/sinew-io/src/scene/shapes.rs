//! Morph targets of a file as the corrections of a rig.

use std::collections::HashMap;

use glam::Vec3;
use sinew::rig::ShapeName;

/// A morph target of one part.
pub(crate) struct Shape {
    pub part: usize,
    pub name: String,
    /// Its weight where nothing moves.
    pub at_rest: f32,
    /// Displacement of each of the part's vertices.
    pub deltas: Vec<Vec3>,
    /// Change of each normal; empty when the file has none.
    pub normals: Vec<Vec3>,
    /// Weight in each frame, less that at rest.
    pub coefficients: Vec<f32>,
}

/// Shapes of one name on different parts that move alike make one basis shape; they stay in the order of the file.
pub(crate) fn columns(shapes: &[Shape]) -> Vec<Vec<&Shape>> {
    let mut columns: Vec<Vec<&Shape>> = Vec::new();
    let mut alike: HashMap<(&str, u32, Vec<u32>), Vec<usize>> = HashMap::new();
    for shape in shapes {
        let curve = shape.coefficients.iter().map(|q| q.to_bits()).collect();
        let known = alike.entry((&shape.name, shape.at_rest.to_bits(), curve)).or_default();
        let free = known.iter().find(|&&c| columns[c].iter().all(|s| s.part != shape.part));
        match free {
            Some(&column) => columns[column].push(shape),
            None => {
                known.push(columns.len());
                columns.push(vec![shape]);
            }
        }
    }
    columns
}

/// What a rig knows the shapes of columns by.
pub(crate) fn names(columns: &[Vec<&Shape>]) -> Vec<ShapeName> {
    columns.iter().map(|c| ShapeName { name: c[0].name.clone(), at_rest: c[0].at_rest }).collect()
}
