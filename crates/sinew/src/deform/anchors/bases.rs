//! Harmonic bases of the anchors, and what is kept of them for each triangle.

use rayon::prelude::*;

use super::cells::{Cells, groups};
use super::dual::DualGraph;
use crate::solve::sparse::{Cholesky, SolveError, SymbolicCholesky, SymmetricPattern};

/// How much one anchor counts for one triangle, packed: a basis in memory is the price of playing examples
/// from anchors, and reading it is most of the time that takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub anchor: u16,
    /// In units of 1 / 65535.
    pub weight: u16,
}

/// What a weight of 1 is as a share.
pub const WHOLE: u16 = u16::MAX;

/// For every triangle the same number of shares, which sum to one whole; those not needed are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    pub width: usize,
    pub shares: Vec<Share>,
}

impl Rows {
    /// Shares of each triangle.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Share]> {
        self.shares.chunks_exact(self.width)
    }

    /// All shares that are not zero: the triangle, the anchor and the weight.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let shares = self.iter().enumerate().flat_map(|(t, row)| row.iter().map(move |share| (t, share)));
        shares.filter(|(_, s)| s.weight > 0).map(|(t, s)| (t, usize::from(s.anchor), share_weight(s)))
    }
}

/// A share as a number.
pub(super) fn share_weight(share: &Share) -> f64 {
    f64::from(share.weight) / f64::from(WHOLE)
}

/// Anchors whose bases are solved together.
const GROUP: usize = 48;
/// Cells around a group that its bases know of. With two rings, positions come out the same to a hundredth of
/// their error, in nearly twice the time.
const RINGS: usize = 1;
/// Right-hand sides at a time: bounds the memory where few anchors hold many triangles.
const COLUMNS: usize = 16;

/// For every triangle the `width` anchors of most weight among the harmonic bases of `anchors`, rescaled to
/// sum to one.
///
/// u_i is 1 at anchor i, 0 at all others, and at every other triangle the weighted mean of its neighbours. Each
/// group of anchors is solved on its own cells and one ring of cells around them, with nothing flowing over
/// the border: away from an anchor its basis falls off fast, and the time grows with the number of triangles
/// rather than with triangles times anchors.
pub(super) fn harmonic_rows(
    graph: &DualGraph,
    cells: &Cells,
    anchors: &[u32],
    width: usize,
) -> Result<Rows, SolveError> {
    let centres: Vec<_> = anchors.iter().map(|&t| graph.centres[t as usize]).collect();
    let groups = groups(&centres, GROUP);
    let solved = groups.par_iter().map(|group| Patch::new(graph, cells, anchors, group).rows(width));
    let solved = solved.collect::<Result<Vec<_>, SolveError>>()?;
    let mut shares = vec![Share::default(); graph.len() * width];
    for (triangles, found) in solved {
        for (t, row) in triangles.into_iter().zip(found.chunks_exact(width)) {
            shares[t as usize * width..(t as usize + 1) * width].copy_from_slice(row);
        }
    }
    Ok(Rows { width, shares })
}

/// A group of cells and those around it.
struct Patch<'a> {
    graph: &'a DualGraph,
    anchors: &'a [u32],
    /// Anchors of the patch, in ascending order.
    near: Vec<u32>,
    /// Triangles of the group, whose rows are wanted.
    wanted: Vec<u32>,
    /// Triangles of the patch that are no anchors, in ascending order.
    free: Vec<u32>,
}

impl<'a> Patch<'a> {
    fn new(graph: &'a DualGraph, cells: &Cells, anchors: &'a [u32], group: &[u32]) -> Self {
        let near = cells.around(group, RINGS);
        let members = |a: &u32| cells.members(*a).to_vec();
        let wanted = group.iter().flat_map(members).collect();
        let mut free: Vec<u32> = near.iter().flat_map(members).collect();
        free.retain(|&t| anchors[cells.owner[t as usize] as usize] != t);
        free.sort_unstable();
        Self { graph, anchors, near, wanted, free }
    }

    /// Wanted triangles and their rows.
    fn rows(self, width: usize) -> Result<(Vec<u32>, Vec<Share>), SolveError> {
        let size = self.free.len();
        let slot = |t: u32| self.free.binary_search(&t).ok();
        let factor = self.factor()?;
        let wanted: Vec<Option<usize>> = self.wanted.iter().map(|&t| slot(t)).collect();
        let mut best = vec![(0.0, 0_u32); self.wanted.len() * width];
        let mut columns = vec![0.0; COLUMNS.min(self.near.len()) * size];
        for some in self.near.chunks(COLUMNS) {
            let columns = &mut columns[..some.len() * size];
            columns.fill(0.0);
            for (k, &a) in some.iter().enumerate() {
                for &(next, weight) in self.graph.neighbours(self.anchors[a as usize]) {
                    if let Some(row) = slot(next) {
                        columns[k * size + row] = weight;
                    }
                }
            }
            factor.solve(columns)?;
            for ((best, &row), &t) in best.chunks_exact_mut(width).zip(&wanted).zip(&self.wanted) {
                for (k, &a) in some.iter().enumerate() {
                    let own = f64::from(u8::from(self.anchors[a as usize] == t));
                    insert(best, (row.map_or(own, |row| columns[k * size + row]), a));
                }
            }
        }
        let shares = best.chunks_exact(width).flat_map(packed).collect();
        Ok((self.wanted, shares))
    }

    /// The factor of the Laplacian of the free triangles. Where the patch ends nothing flows.
    fn factor(&self) -> Result<Cholesky, SolveError> {
        let slot = |t: u32| self.free.binary_search(&t).ok();
        let mut held: Vec<u32> = self.near.iter().map(|&a| self.anchors[a as usize]).collect();
        held.sort_unstable();
        let mut pairs = Vec::new();
        let mut values = Vec::new();
        for (column, &t) in self.free.iter().enumerate() {
            let diagonal = values.len();
            values.push(0.0);
            for &(next, weight) in self.graph.neighbours(t) {
                let row = slot(next);
                if row.is_some() || held.binary_search(&next).is_ok() {
                    values[diagonal] += weight;
                }
                // Neighbours come in ascending order, and so do the rows.
                if let Some(row) = row.filter(|&row| row > column) {
                    pairs.push([column as u32, row as u32]);
                    values.push(-weight);
                }
            }
        }
        SymbolicCholesky::new(SymmetricPattern::new(self.free.len(), &pairs))?.factor(&values)
    }
}

/// Puts an anchor into a list of the heaviest, heaviest first.
fn insert(best: &mut [(f64, u32)], new: (f64, u32)) {
    if new.0 <= best[best.len() - 1].0 {
        return;
    }
    let at = best.partition_point(|b| b.0 >= new.0);
    best[at..].rotate_right(1);
    best[at] = new;
}

/// Weights as shares of one whole; what rounding leaves goes to the heaviest.
fn packed(best: &[(f64, u32)]) -> Vec<Share> {
    let sum: f64 = best.iter().map(|b| b.0).sum();
    let part = |weight: f64| (f64::from(WHOLE) * weight / sum) as u16;
    let mut shares: Vec<Share> =
        best.iter().map(|&(w, a)| Share { anchor: a as u16, weight: part(w) }).collect();
    let rest: u16 = shares[1..].iter().map(|s| s.weight).sum();
    shares[0].weight = WHOLE - rest;
    shares
}
