//! Values of the anchors that spread to a field as near as can be to a given one.

use super::bases::{Rows, share_weight};
use super::cells::Cells;
use crate::solve::sparse::{Cholesky, SolveError, SymbolicCholesky, SymmetricPattern};

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

    pub fn zeros(rows: usize, width: usize) -> Self {
        Self { width, numbers: vec![0.0; rows * width] }
    }

    pub fn add(&mut self, row: usize, factor: f64, numbers: &[f64]) {
        let to = &mut self.numbers[row * self.width..(row + 1) * self.width];
        to.iter_mut().zip(numbers).for_each(|(to, x)| *to += factor * x);
    }
}

/// How much the mean over an anchor's cell counts against the equations: keeps the values of anchors that
/// hardly have a share of any triangle, or only together with others, from running away.
const PULL: f64 = 1e-3;
/// The least a triangle counts, in units of the mean.
const LEAST_AREA: f64 = 1e-6;

/// The least-squares problem of a mesh and its anchors, factored: which values v of the anchors have the least
/// Σ area_t |Σ_i u_i(t) v_i − d_t|² over the triangles t.
///
/// The paper stores the field's own values at the anchors. Those are samples of a field that is rough from
/// triangle to triangle, and each then speaks for all triangles around it; the fit averages.
pub(super) struct Fit {
    /// How much each triangle counts; they sum to one.
    pub areas: Vec<f64>,
    /// How much the mean over its cell counts for each anchor.
    pulls: Vec<f64>,
    factor: Cholesky,
}

impl Fit {
    pub fn new(rows: &Rows, anchors: usize, areas: &[f64]) -> Result<Self, SolveError> {
        let mean = areas.iter().sum::<f64>() / areas.len() as f64;
        // Collapsed triangles count a little, and in a mesh without area all count the same.
        let counted = |area: &f64| if mean > 0.0 { (area / mean).max(LEAST_AREA) } else { 1.0 };
        let mut areas: Vec<f64> = areas.iter().map(counted).collect();
        let sum: f64 = areas.iter().sum();
        areas.iter_mut().for_each(|area| *area /= sum);
        let (pattern, values, diagonal) = normal_equations(rows, anchors, &areas);
        let factor = SymbolicCholesky::new(pattern)?.factor(&values)?;
        Ok(Self { areas, pulls: diagonal.iter().map(|d| PULL * d).collect(), factor })
    }

    /// Number of anchors.
    pub fn anchors(&self) -> usize {
        self.pulls.len()
    }

    /// The values that fit a field.
    pub fn values(&self, rows: &Rows, cells: &Cells, field: &Table) -> Result<Table, SolveError> {
        let mut wanted = Table::zeros(self.anchors(), field.width);
        for (t, anchor, weight) in rows.entries() {
            wanted.add(anchor, self.areas[t] * weight, field.of(t));
        }
        for (a, pull) in self.pulls.iter().enumerate() {
            let members = cells.members(a as u32);
            let sum: f64 = members.iter().map(|&t| self.areas[t as usize]).sum();
            for &t in members {
                wanted.add(a, pull * self.areas[t as usize] / sum, field.of(t as usize));
            }
        }
        self.solve(&wanted)
    }

    /// Solves the equations for other right-hand sides.
    pub fn solve(&self, wanted: &Table) -> Result<Table, SolveError> {
        let mut columns = transposed(&wanted.numbers, wanted.width);
        self.factor.solve(&mut columns)?;
        Ok(Table { width: wanted.width, numbers: transposed(&columns, self.anchors()) })
    }
}

/// What is left of a field when the anchors' values are spread and taken away.
pub(super) fn residual(rows: &Rows, values: &Table, field: &Table) -> Table {
    let mut left = field.clone();
    rows.entries().for_each(|(t, anchor, weight)| left.add(t, -weight, values.of(anchor)));
    left
}

/// Pattern and values of Uᵀ A U, and its diagonal before the pull was added to it.
fn normal_equations(rows: &Rows, anchors: usize, areas: &[f64]) -> (SymmetricPattern, Vec<f64>, Vec<f64>) {
    let mut of_anchor: Vec<Vec<(u32, f64)>> = vec![Vec::new(); anchors];
    rows.entries().for_each(|(t, anchor, weight)| of_anchor[anchor].push((t as u32, weight)));
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
                sums[share.anchor as usize] += areas[t as usize] * own * share_weight(share);
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
