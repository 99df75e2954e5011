//! Values of the anchors for which the stitched surface is near to that of the whole field.
//!
//! A field's errors matter by what they do to positions: one that sums up over a limb moves its end, one that
//! changes sign from triangle to triangle does nothing. So the fitted values are improved: the surface is
//! stitched from T = R Q S (section 2.2, eq. 3), linear in small changes of Q and S, and conjugate gradients
//! descend on κ · mean |Δx / diagonal|² + mean |Δ(q, s)|², starting from the least squares of the field, whose
//! equations are the preconditioner.

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::bases::Rows;
use super::fit::{Fit, Table};
use super::options::AnchorError;
use super::stored::NUMBERS;
use crate::geometry::Bounds;
use crate::geometry::laplacian::LaplacianPattern;
use crate::progress::Progress;
use crate::solve::procrustes::cross_matrix;
use crate::solve::sparse::{Cholesky, SolveError, SymbolicCholesky};

/// κ: a hundredth of the diagonal weighs as much as a radian.
const POSITION_WEIGHT: f64 = 1e4;
/// Steps of descent. More do not bring positions nearer, since the surface is not quite linear in the field.
const STEPS: usize = 10;
/// What holds pieces in place, in units of one over the diagonal squared: far below any bend of a surface.
const HOLD: f64 = 1e-6;

/// The surface as stitching sees it.
pub(super) struct Stitched<'a> {
    triangles: &'a [[u32; 3]],
    /// What a triangle's T adds at its corners: T times these.
    gradients: Vec<[DVec3; 3]>,
    /// How much of the surface each point stands for; they sum to one.
    shares: Vec<f64>,
    diagonal: f64,
    factor: Cholesky,
}

/// How T of one triangle changes with its turn and skew.
struct Change {
    /// R Q.
    turn: DMat3,
    /// What a change of the turn vector is as a turn after Q's own: the right Jacobian of the exponential.
    slope: DMat3,
    /// S.
    skew: DMat3,
}

impl<'a> Stitched<'a> {
    pub fn new(triangles: &'a [[u32; 3]], rest: &[Vec3]) -> Result<Self, SolveError> {
        let pattern = LaplacianPattern::new(rest.len(), triangles);
        let laplacian = pattern.laplacian(rest);
        let diagonal = Bounds::of(rest).diagonal().max(f64::MIN_POSITIVE);
        let hold = |area: &f64| if *area > 0.0 { HOLD * area / (diagonal * diagonal) } else { 1.0 };
        let held: Vec<f64> = laplacian.areas.iter().map(hold).collect();
        let mut laplacian = laplacian;
        let symbolic = SymbolicCholesky::new(pattern.matrix_pattern())?;
        let factor = match symbolic.factor(&laplacian.plus_diagonal(&held)) {
            Err(SolveError::NotPositiveDefinite) => {
                laplacian = laplacian.without_negative_weights();
                symbolic.factor(&laplacian.plus_diagonal(&held))?
            }
            done => done?,
        };
        let whole: f64 = laplacian.areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let shares = laplacian.areas.iter().map(|area| area / whole).collect();
        let gradient = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| rest[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a).normalize_or_zero();
            [c - b, a - c, b - a].map(|side| 0.5 * normal.cross(side))
        };
        let gradients = triangles.iter().map(gradient).collect();
        Ok(Self { triangles, gradients, shares, diagonal, factor })
    }

    /// Displacements, three columns, of small changes of the triangles' numbers.
    fn displacements(&self, changes: &[Change], numbers: &Table) -> Result<Vec<f64>, SolveError> {
        let points = self.shares.len();
        let mut x = vec![0.0; 3 * points];
        for (t, change) in changes.iter().enumerate() {
            let matrix = change.apply(numbers.of(t));
            for (&v, g) in self.triangles[t].iter().zip(&self.gradients[t]) {
                let flow = matrix * *g;
                (0..3).for_each(|lane| x[lane * points + v as usize] += flow[lane]);
            }
        }
        self.factor.solve(&mut x)?;
        Ok(x)
    }

    /// The transpose of [`Self::displacements`].
    fn gathered(&self, changes: &[Change], mut x: Vec<f64>) -> Result<Table, SolveError> {
        let points = self.shares.len();
        self.factor.solve(&mut x)?;
        let place = |v: u32| DVec3::from_array([0, 1, 2].map(|lane| x[lane * points + v as usize]));
        let mut out = Table::zeros(changes.len(), NUMBERS);
        for (t, change) in changes.iter().enumerate() {
            let mut matrix = DMat3::ZERO;
            for (&v, g) in self.triangles[t].iter().zip(&self.gradients[t]) {
                let y = place(v);
                matrix += DMat3::from_cols(y * g.x, y * g.y, y * g.z);
            }
            out.add(t, 1.0, &change.transposed(&matrix));
        }
        Ok(out)
    }
}

impl Change {
    fn new(numbers: &[f64], plain: DQuat) -> Self {
        let q = DVec3::from_slice(&numbers[..3]);
        let (angle, cross) = (q.length(), cross_matrix(q));
        // Both factors' limits where there is no turn.
        let (first, second) = match angle {
            a if a < 1e-4 => (0.5, 1.0 / 6.0),
            a => ((1.0 - a.cos()) / (a * a), (a - a.sin()) / (a * a * a)),
        };
        Self {
            turn: DMat3::from_quat(plain * DQuat::from_scaled_axis(q)),
            slope: DMat3::IDENTITY - cross * first + cross * cross * second,
            skew: DMat3::IDENTITY + symmetric(&numbers[3..]),
        }
    }

    fn apply(&self, numbers: &[f64]) -> DMat3 {
        let turned = self.slope * DVec3::from_slice(&numbers[..3]);
        self.turn * (cross_matrix(turned) * self.skew + symmetric(&numbers[3..]))
    }

    fn transposed(&self, matrix: &DMat3) -> [f64; NUMBERS] {
        let m = self.turn.transpose() * *matrix;
        let k = m * self.skew;
        let at = |m: &DMat3, row: usize, col: usize| m.col(col)[row];
        let turned =
            DVec3::new(at(&k, 2, 1) - at(&k, 1, 2), at(&k, 0, 2) - at(&k, 2, 0), at(&k, 1, 0) - at(&k, 0, 1));
        let [x, y, z] = (self.slope.transpose() * turned).to_array();
        let both = |a: usize, b: usize| at(&m, a, b) + at(&m, b, a);
        [x, y, z, at(&m, 0, 0), at(&m, 1, 1), at(&m, 2, 2), both(0, 1), both(0, 2), both(1, 2)]
    }
}

fn symmetric(skew: &[f64]) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|k| skew[k]);
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

/// The equations of one example: field, and rotations to which it is added in the example's pose, if any.
struct Equations<'a> {
    stitched: &'a Stitched<'a>,
    rows: &'a Rows,
    fit: &'a Fit,
    changes: Vec<Change>,
}

impl Equations<'_> {
    /// What changes of the triangles' numbers cost, differentiated by the anchors' values.
    fn cost(&self, numbers: &Table) -> Result<Table, SolveError> {
        let points = self.stitched.shares.len();
        let mut x = self.stitched.displacements(&self.changes, numbers)?;
        let weight = POSITION_WEIGHT / (self.stitched.diagonal * self.stitched.diagonal);
        x.iter_mut().enumerate().for_each(|(at, x)| *x *= weight * self.stitched.shares[at % points]);
        let mut of_triangles = self.stitched.gathered(&self.changes, x)?;
        (0..self.changes.len()).for_each(|t| of_triangles.add(t, self.fit.areas[t], numbers.of(t)));
        let mut out = Table::zeros(self.fit.anchors(), NUMBERS);
        self.rows.entries().for_each(|(t, anchor, weight)| out.add(anchor, weight, of_triangles.of(t)));
        Ok(out)
    }

    fn spread(&self, values: &Table) -> Table {
        let mut out = Table::zeros(self.changes.len(), NUMBERS);
        self.rows.entries().for_each(|(t, anchor, weight)| out.add(t, weight, values.of(anchor)));
        out
    }
}

/// Improves the values of one example's anchors, nine for each. `plain` are the rotations to which the field is
/// added in the example's pose, or none.
pub(super) fn improve(
    stitched: &Stitched,
    rows: &Rows,
    fit: &Fit,
    field: &Table,
    plain: &[DQuat],
    mut values: Table,
    progress: &dyn Progress,
) -> Result<Table, AnchorError> {
    let plain_of = |t: usize| plain.get(t).copied().unwrap_or(DQuat::IDENTITY);
    let triangles = field.numbers.len() / NUMBERS;
    let changes = (0..triangles).map(|t| Change::new(field.of(t), plain_of(t))).collect();
    let equations = Equations { stitched, rows, fit, changes };
    let dot = |a: &Table, b: &Table| a.numbers.iter().zip(&b.numbers).map(|(a, b)| a * b).sum::<f64>();
    let mut left = field.clone();
    let spread = equations.spread(&values);
    left.numbers.iter_mut().zip(&spread.numbers).for_each(|(l, s)| *l -= s);
    let mut residual = equations.cost(&left)?;
    let mut direction = fit.solve(&residual)?;
    let mut size = dot(&residual, &direction);
    for _ in 0..STEPS {
        progress.check()?;
        let cost = equations.cost(&equations.spread(&direction))?;
        let length = size / dot(&direction, &cost);
        if !length.is_finite() || size <= 0.0 {
            break;
        }
        let step = |to: &mut Table, by: f64, along: &Table| {
            to.numbers.iter_mut().zip(&along.numbers).for_each(|(to, x)| *to += by * x);
        };
        step(&mut values, length, &direction);
        step(&mut residual, -length, &cost);
        let preconditioned = fit.solve(&residual)?;
        let next = dot(&residual, &preconditioned);
        direction.numbers.iter_mut().for_each(|x| *x *= next / size);
        step(&mut direction, 1.0, &preconditioned);
        size = next;
    }
    Ok(values)
}

#[cfg(test)]
#[path = "../../../tests/unit/deform_anchors_positions.rs"]
mod tests;
