//! Which joints turn which triangles: harmonic fields between the handles.
//!
//! Section 2.2, eq. 1: L w_k = 0, with w_k = 1 on the handle of joint k and 0 on all others. Section 4: only
//! the largest influences of a triangle are kept. Departures:
//! - The Laplacian is that of the intrinsic Delaunay triangulation, without negative weights: every field lies
//!   between 0 and 1, whatever the triangles are like, and hardly depends on how the surface is cut into them.
//! - Pieces without a handle are tied to the nearest that has one and take its influences there.
//! - What is kept sums to the cut-off exactly: the last influence counts only as far as it is needed. A whole
//!   influence that comes and goes from triangle to triangle would crease the surface.

use rayon::prelude::*;

use super::DeformError;
use super::dirichlet::{Dirichlet, NONE};
use super::surface::{Link, Surface};
use crate::geometry::grouped::{self, distinct};
use crate::progress::Progress;
use crate::solve::sparse::SymbolicCholesky;

/// Joints solved for at a time.
const COLUMNS: usize = 8;
/// Weight of a tie between pieces, against weights of edges of about one.
pub(super) const LINK_WEIGHT: f64 = 1.0;

/// Of many elements the joints and their influences, the largest first; they sum to one.
pub(super) type Lists<T = (u32, f32)> = grouped::Lists<T>;

/// Harmonic influences of points and of triangles.
pub(super) struct Influences {
    pub points: Lists,
    pub triangles: Lists,
}

impl Influences {
    /// The influences of handles, given the joint of each point or [`NONE`]; `keep` is the cut-off.
    pub fn new(
        surface: &Surface,
        joint_of: &[u32],
        links: &[Link],
        keep: f64,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        let laplacian = surface.pattern.delaunay_laplacian(&surface.rest);
        let edges = laplacian.edges.iter().copied().zip(laplacian.weights.iter().copied());
        let ties = links.iter().map(|link| (link.ends, LINK_WEIGHT));
        let given: Vec<bool> = joint_of.iter().map(|&joint| joint != NONE).collect();
        let system = Dirichlet::new(edges.chain(ties), &given);
        let joints = distinct(joint_of.iter().copied().filter(|&joint| joint != NONE));
        let rows = system.pattern.size();
        let mut fields = vec![0.0; rows * joints.len()];
        if rows > 0 {
            for &(row, point, weight) in &system.given {
                let column = joints.partition_point(|&joint| joint < joint_of[point as usize]);
                fields[column * rows + row as usize] += weight;
            }
            let factor = SymbolicCholesky::new(system.pattern)?.factor(&system.values)?;
            fields.par_chunks_mut(COLUMNS * rows).try_for_each(|columns| {
                progress.check()?;
                Ok::<(), DeformError>(factor.solve(columns)?)
            })?;
            progress.check()?;
        }
        let at = |column: usize, point: u32| match system.row_of[point as usize] {
            NONE => f64::from(u8::from(joint_of[point as usize] == joints[column])),
            row => fields[column * rows + row as usize].clamp(0.0, 1.0),
        };
        let kept = |points: &[u32]| {
            let sum = |column: usize| points.iter().map(|&p| at(column, p)).sum::<f64>();
            pruned((0..joints.len()).map(|c| (joints[c], sum(c))).collect(), keep)
        };
        let points: Vec<_> = (0..surface.len() as u32).into_par_iter().map(|p| kept(&[p])).collect();
        let triangles: Vec<_> = surface.triangles().par_iter().map(|t| kept(t)).collect();
        let [points, triangles] = [points, triangles].map(|lists| Lists::from_lists(lists.into_iter()));
        Ok(Self { points, triangles })
    }
}

/// The largest of `all` that make the share `keep` of their sum, scaled to sum to one.
fn pruned(mut all: Vec<(u32, f64)>, keep: f64) -> Vec<(u32, f32)> {
    all.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let wanted = keep * all.iter().map(|(_, w)| w).sum::<f64>();
    if wanted <= 0.0 {
        // Out of reach of all, as far as rounding shows.
        return all.first().map(|&(joint, _)| (joint, 1.0)).into_iter().collect();
    }
    let mut left = wanted;
    let mut out = Vec::new();
    for (joint, weight) in all {
        if left <= 1e-9 * wanted || weight <= 0.0 {
            break;
        }
        out.push((joint, (weight.min(left) / wanted) as f32));
        left -= weight;
    }
    out
}

#[cfg(test)]
#[path = "../../tests/unit/deform_influences.rs"]
mod tests;
