//! Morph targets of a file as the corrections of a rig.

use std::collections::HashMap;

use glam::Vec3;

/// A morph target of one part.
pub(crate) struct Shape {
    pub part: usize,
    /// Displacement of each of the part's vertices.
    pub deltas: Vec<Vec3>,
    /// Change of each normal; empty when the file has none.
    pub normals: Vec<Vec3>,
    /// Weight in each frame.
    pub coefficients: Vec<f32>,
}

/// Shapes of different parts that move alike make one basis shape; the strongest come first.
pub(crate) fn columns(shapes: &[Shape]) -> Vec<Vec<&Shape>> {
    let mut columns: Vec<Vec<&Shape>> = Vec::new();
    let mut by_curve: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    for shape in shapes {
        let curve = shape.coefficients.iter().map(|q| q.to_bits()).collect();
        let known = by_curve.entry(curve).or_default();
        let free = known.iter().find(|&&c| columns[c].iter().all(|s| s.part != shape.part));
        match free {
            Some(&column) => columns[column].push(shape),
            None => {
                known.push(columns.len());
                columns.push(vec![shape]);
            }
        }
    }
    let energy = |column: &Vec<&Shape>| {
        let squares: f64 = column.iter().flat_map(|s| &s.deltas).map(|d| d.as_dvec3().length_squared()).sum();
        squares * column[0].coefficients.iter().map(|q| f64::from(*q).powi(2)).sum::<f64>()
    };
    columns.sort_by_cached_key(|c| std::cmp::Reverse(energy(c).to_bits()));
    columns
}
