//! Values of the anchors that spread to a field as near as can be to a given one.

use super::bases::{Rows, WHOLE};
use super::cells::Cells;
use crate::geometry::sparse::{SolveError, SymbolicCholesky, SymmetricPattern};

/// Numbers of every triangle, or of every anchor: `width` of each, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub width: usize,
    pub numbers: Vec<f64>,
}

impl Table {
    pub fn of(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.width..(row + 1) * self.width]
    }

    fn zeros(rows: usize, width: usize) -> Self {
        Self { width, numbers: vec![0.0; rows * width] }
    }

    fn add(&mut self, row: usize, factor: f64, numbers: &[f64]) {
        let to = &mut self.numbers[row * self.width..(row + 1) * self.width];
        to.iter_mut().zip(numbers).for_each(|(to, x)| *to += factor * x);
    }
}

/// How much the mean over an anchor's cell counts against the equations: keeps the values of anchors that
/// hardly have a share of any triangle, or only together with others, from running away.
const PULL: f64 = 1e-3;

/// The values v of the anchors with the least Σ area_t |Σ_i u_i(t) v_i − d_t|² over the triangles t.
///
/// The paper stores the field's own values at the anchors. Those are samples of a field that is rough from
/// triangle to triangle, and each then speaks for all triangles around it; the fit averages.
pub(super) fn least_squares(
    rows: &Rows,
    cells: &Cells,
    areas: &[f64],
    field: &Table,
) -> Result<Table, SolveError> {
    let anchors = cells.len();
    let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
    // A mesh without area is one in which all triangles count the same, collapsed ones count a little.
    let area = |t: usize| if mean > 0.0 { (areas[t] / mean).max(1e-6) } else { 1.0 };
    let (pattern, values, diagonal) = normal_equations(rows, anchors, area);
    let mut wanted = Table::zeros(anchors, field.width);
    for (t, row) in rows.iter().enumerate() {
        for share in row.iter().filter(|s| s.weight > 0) {
            wanted.add(share.anchor as usize, area(t) * weight(share.weight), field.of(t));
        }
    }
    for a in 0..anchors {
        let members = cells.members(a as u32);
        let sum: f64 = members.iter().map(|&t| area(t as usize)).sum();
        for &t in members {
            wanted.add(a, PULL * diagonal[a] * area(t as usize) / sum, field.of(t as usize));
        }
    }
    let mut columns = transposed(&wanted.numbers, field.width);
    SymbolicCholesky::new(pattern)?.factor(&values)?.solve(&mut columns)?;
    Ok(Table { width: field.width, numbers: transposed(&columns, anchors) })
}

/// What is left of a field when the anchors' values are spread and taken away.
pub(super) fn residual(rows: &Rows, values: &Table, field: &Table) -> Table {
    let mut left = field.clone();
    for (t, row) in rows.iter().enumerate() {
        for share in row.iter().filter(|s| s.weight > 0) {
            left.add(t, -weight(share.weight), values.of(share.anchor as usize));
        }
    }
    left
}

fn weight(share: u16) -> f64 {
    f64::from(share) / f64::from(WHOLE)
}

/// Pattern and values of Uᵀ A U, and its diagonal before the pull was added to it.
fn normal_equations(
    rows: &Rows,
    anchors: usize,
    area: impl Fn(usize) -> f64,
) -> (SymmetricPattern, Vec<f64>, Vec<f64>) {
    let mut of_anchor: Vec<Vec<(u32, f64)>> = vec![Vec::new(); anchors];
    for (t, row) in rows.iter().enumerate() {
        for share in row.iter().filter(|s| s.weight > 0) {
            of_anchor[share.anchor as usize].push((t as u32, weight(share.weight)));
        }
    }
    let mut pairs = Vec::new();
    let (mut values, mut diagonal) = (Vec::new(), Vec::with_capacity(anchors));
    let mut sums = vec![0.0; anchors];
    for (column, triangles) in of_anchor.iter().enumerate() {
        let mut met = Vec::new();
        for &(t, own) in triangles {
            let row = &rows.shares[t as usize * rows.width..(t as usize + 1) * rows.width];
            for share in row.iter().filter(|s| s.weight > 0 && s.anchor as usize >= column) {
                if sums[share.anchor as usize] == 0.0 {
                    met.push(share.anchor);
                }
                sums[share.anchor as usize] += area(t as usize) * own * weight(share.weight);
            }
        }
        met.sort_unstable();
        diagonal.push(sums[column]);
        values.push(sums[column] * (1.0 + PULL));
        let below: Vec<u16> = met.into_iter().filter(|&a| a as usize > column).collect();
        pairs.extend(below.iter().map(|&a| [column as u32, u32::from(a)]));
        values.extend(below.iter().map(|&a| sums[a as usize]));
        below.iter().for_each(|&a| sums[a as usize] = 0.0);
        sums[column] = 0.0;
    }
    (SymmetricPattern::new(anchors, &pairs), values, diagonal)
}

/// The rows of a table, each `width` long, as columns.
fn transposed(numbers: &[f64], width: usize) -> Vec<f64> {
    let rows = numbers.len() / width.max(1);
    (0..width).flat_map(|c| (0..rows).map(move |r| numbers[r * width + c])).collect()
}
