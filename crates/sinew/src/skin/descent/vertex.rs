//! Weights and rest position of one vertex.
//!
//! With r_b the residual of bone b (its prediction minus the vertex' path) and weights that sum to one, the
//! error of a mixture is ‖Σ w_b r_b‖². A vertex keeps the bones it has and tries to take in the one that,
//! mixed in, lowers the error most; where that makes too many, each is left out in turn. This is forward
//! selection with exchange, started from the last round's choice, and never makes a vertex worse.

use glam::{DMat3, DVec3, Vec3};

use super::forms;
use crate::reduced::Tables;
use crate::reduced::kernels::{add_scaled, column, dot, gains, residuals, rest_products, row_residual};
use crate::solve::nnls::{Mixture, NEGLIGIBLE, best_mixture, energy, least_needed};

/// A relative gain below which a bone is not worth taking in.
const WORTHWHILE: f64 = 1e-4;
/// How far the rest position is held where the bones leave it free.
const REST_DAMPING: f64 = 1e-4;

/// The parts of a vertex that are solved for.
pub struct Solved<'a> {
    pub rest: &'a mut Vec3,
    pub bones: &'a mut [u32],
    pub weights: &'a mut [f32],
}

/// Where a vertex was at rest, and what a distance of one from there costs.
#[derive(Clone, Copy)]
pub struct Anchor {
    pub at: Vec3,
    pub hold: f64,
}

/// Buffers of one worker.
pub struct Scratch {
    /// Residuals: for each coordinate a run over all bones.
    residuals: Vec<f32>,
    /// Their squared lengths.
    norms: Vec<f32>,
    /// Products of the residuals of the bones in the mixture with those of all bones.
    columns: Vec<f32>,
    /// Products of the mixture's residual with those of all bones.
    along: Vec<f32>,
    /// What mixing in each bone takes off the squared error.
    gains: Vec<f32>,
    tried: Vec<bool>,
    /// Residuals of the bones in the mixture, one after the other.
    members: Vec<f32>,
    blended: Vec<f32>,
    prior: Prior,
}

/// A pull towards given weights m: strength · ‖w − m‖² is added to the squared error.
///
/// Since weights sum to one this is a mixture's error too, of residuals √strength (e_b − m), so that it only
/// adds to the products of residuals.
struct Prior {
    strength: f32,
    mean: Vec<f32>,
    square: f32,
}

impl Prior {
    fn product(&self, b: usize, c: usize) -> f32 {
        let same = if b == c { 1.0 } else { 0.0 };
        self.strength * (same - self.mean[b] - self.mean[c] + self.square)
    }

    fn cost<const N: usize>(&self, mixture: &Mixture<N>) -> f64 {
        let mut sum = self.square;
        for m in 0..mixture.len {
            let (w, mean) = (mixture.weights[m] as f32, self.mean[mixture.bones[m]]);
            sum += w * (w - 2.0 * mean);
        }
        f64::from(self.strength * sum.max(0.0))
    }
}

impl Scratch {
    pub fn new(tables: &Tables) -> Self {
        let room = crate::skin::MOST_INFLUENCES + 1;
        Self {
            residuals: vec![0.0; tables.padded * tables.dims],
            norms: vec![0.0; tables.padded],
            columns: vec![0.0; room * tables.padded],
            along: vec![0.0; tables.padded],
            gains: vec![0.0; tables.padded],
            tried: vec![false; tables.count],
            members: vec![0.0; room * tables.dims],
            blended: vec![0.0; 4 * tables.dims],
            prior: Prior { strength: 0.0, mean: vec![0.0; tables.padded], square: 0.0 },
        }
    }

    /// Pulls the next vertices towards the mean of given weights; none, or no strength, ends it.
    pub fn pull<'a>(&mut self, strength: f64, towards: impl Iterator<Item = (&'a [u32], &'a [f32])>) {
        let prior = &mut self.prior;
        prior.mean.fill(0.0);
        let mut total = 0.0;
        for (bones, weights) in towards {
            for (&b, &w) in bones.iter().zip(weights) {
                prior.mean[b as usize] += w;
                total += w;
            }
        }
        prior.strength = if total > 0.0 { strength as f32 } else { 0.0 };
        prior.square = 0.0;
        for m in &mut prior.mean {
            *m /= total.max(f32::MIN_POSITIVE);
            prior.square += *m * *m;
        }
    }

    /// Residuals of all bones for a vertex.
    fn look(&mut self, tables: &Tables, point: Vec3, path: &[f32]) {
        residuals(&tables.lanes, tables.padded, point, path, &mut self.residuals, &mut self.norms);
        if tables.outside.is_some() {
            let monomials = forms::monomials(point);
            for b in 0..tables.count {
                self.norms[b] += tables.form(b, b).map_or(0.0, |f| forms::value(f, &monomials)) as f32;
            }
        }
        if self.prior.strength > 0.0 {
            for b in 0..tables.count {
                self.norms[b] += self.prior.product(b, b);
            }
        }
    }

    fn nearest_bone(&self, tables: &Tables) -> usize {
        (0..tables.count).min_by(|&a, &b| self.norms[a].total_cmp(&self.norms[b])).unwrap_or(0)
    }

    /// For one influence: the bone that predicts the vertex best. Returns the squared error.
    pub fn nearest(&mut self, tables: &Tables, vertex: &mut Solved, path: &[f32], search: bool) -> f64 {
        self.look(tables, *vertex.rest, path);
        if search {
            vertex.bones[0] = self.nearest_bone(tables) as u32;
            vertex.weights[0] = 1.0;
        }
        f64::from(self.norms[vertex.bones[0] as usize]).max(0.0)
    }

    /// The best weights of the bones a vertex has. Returns the squared error.
    pub fn refine<const N: usize>(&mut self, tables: &Tables, vertex: &mut Solved, path: &[f32]) -> f64 {
        let mut mixture = self.given::<N>(tables, vertex, path);
        mixture.error = best_mixture(&mixture.gram, mixture.len, &mut mixture.weights);
        mixture.drop_negligible();
        mixture.store(vertex.bones, vertex.weights);
        mixture.error - self.prior.cost(&mixture)
    }

    /// The squared error of a vertex as it is.
    pub fn measure<const N: usize>(&mut self, tables: &Tables, vertex: &Solved, path: &[f32]) -> f64 {
        let mixture = self.given::<N>(tables, vertex, path);
        mixture.error - self.prior.cost(&mixture)
    }

    /// The mixture a vertex has, looking only at its own bones.
    fn given<const N: usize>(&mut self, tables: &Tables, vertex: &Solved, path: &[f32]) -> Mixture<N> {
        let d = tables.dims;
        let mut mixture = Mixture::empty();
        for (&bone, &weight) in vertex.bones.iter().zip(vertex.weights.iter()).filter(|(_, w)| **w > 0.0) {
            let (at, bone) = (mixture.len, bone as usize);
            let row = &tables.rows[bone * 4 * d..(bone + 1) * 4 * d];
            row_residual(row, *vertex.rest, path, &mut self.members[at * d..(at + 1) * d]);
            mixture.bones[at] = bone;
            mixture.weights[at] = f64::from(weight);
            mixture.len += 1;
            for j in 0..=at {
                let mut g =
                    f64::from(dot(&self.members[at * d..(at + 1) * d], &self.members[j * d..(j + 1) * d]));
                if let Some(form) = tables.form(bone, mixture.bones[j]) {
                    g += forms::value(form, &forms::monomials(*vertex.rest));
                }
                if self.prior.strength > 0.0 {
                    g += f64::from(self.prior.product(bone, mixture.bones[j]));
                }
                mixture.gram[at][j] = g;
                mixture.gram[j][at] = g;
            }
        }
        mixture.error = energy(&mixture.gram, mixture.len, &mixture.weights);
        mixture
    }

    /// The best bones and weights, starting from those a vertex has, with `attempts` to take in another.
    /// Returns the squared error.
    pub fn search<const N: usize>(
        &mut self,
        tables: &Tables,
        vertex: &mut Solved,
        path: &[f32],
        attempts: usize,
    ) -> f64 {
        self.look(tables, *vertex.rest, path);
        let mut mixture = self.current::<N>(tables, vertex);
        mixture.error = best_mixture(&mixture.gram, mixture.len, &mut mixture.weights);
        self.compact(tables, &mut mixture);
        self.tried.fill(false);
        let most = vertex.bones.len();
        for _ in 0..attempts {
            let Some(bone) = self.candidate(tables, &mixture) else { break };
            self.tried[bone] = true;
            if let Some(better) = self.exchange(tables, vertex, &mixture, bone, most) {
                mixture = better;
            }
        }
        mixture.store(vertex.bones, vertex.weights);
        mixture.error - self.prior.cost(&mixture)
    }

    /// The mixture a vertex has now, or its nearest bone.
    fn current<const N: usize>(&mut self, tables: &Tables, vertex: &Solved) -> Mixture<N> {
        let mut mixture = Mixture::empty();
        for (&bone, &weight) in vertex.bones.iter().zip(vertex.weights.iter()) {
            if weight > 0.0 {
                self.enter(tables, *vertex.rest, &mut mixture, bone as usize);
                mixture.weights[mixture.len - 1] = f64::from(weight);
            }
        }
        if mixture.len == 0 {
            let best = self.nearest_bone(tables);
            self.enter(tables, *vertex.rest, &mut mixture, best);
            mixture.weights[0] = 1.0;
        }
        mixture
    }

    /// Adds a bone with no weight.
    fn enter<const N: usize>(&mut self, tables: &Tables, point: Vec3, mixture: &mut Mixture<N>, bone: usize) {
        let (at, p) = (mixture.len, tables.padded);
        let out = &mut self.columns[at * p..(at + 1) * p];
        column(&self.residuals, p, bone, out);
        if tables.outside.is_some() {
            let monomials = forms::monomials(point);
            for (c, out) in out.iter_mut().enumerate().take(tables.count) {
                *out += tables.form(bone, c).map_or(0.0, |f| forms::value(f, &monomials)) as f32;
            }
        }
        if self.prior.strength > 0.0 {
            for (c, out) in out.iter_mut().enumerate().take(tables.count) {
                *out += self.prior.product(bone, c);
            }
        }
        mixture.bones[at] = bone;
        mixture.weights[at] = 0.0;
        mixture.len += 1;
        for j in 0..=at {
            let g = f64::from(out[mixture.bones[j]]);
            mixture.gram[at][j] = g;
            mixture.gram[j][at] = g;
        }
    }

    /// Takes out bones without weight, their columns too.
    fn compact<const N: usize>(&mut self, tables: &Tables, mixture: &mut Mixture<N>) {
        let p = tables.padded;
        let mut to = 0;
        for from in 0..mixture.len {
            if mixture.weights[from] > NEGLIGIBLE {
                if to < from {
                    self.columns.copy_within(from * p..(from + 1) * p, to * p);
                }
                to += 1;
            }
        }
        mixture.drop_negligible();
    }

    /// The bone outside the mixture that, mixed in alone, lowers the error most.
    fn candidate<const N: usize>(&mut self, tables: &Tables, mixture: &Mixture<N>) -> Option<usize> {
        let p = tables.padded;
        self.along.fill(0.0);
        for m in 0..mixture.len {
            add_scaled(mixture.weights[m] as f32, &self.columns[m * p..(m + 1) * p], &mut self.along);
        }
        gains(mixture.error as f32, &self.along, &self.norms, &mut self.gains);
        let mut best = None;
        let mut most = (WORTHWHILE * mixture.error) as f32;
        for (b, &gain) in self.gains[..tables.count].iter().enumerate() {
            if gain > most && !self.tried[b] && !mixture.bones[..mixture.len].contains(&b) {
                most = gain;
                best = Some(b);
            }
        }
        best
    }

    /// The mixture with `bone`, and without another where there would be more than `most`; `None` where
    /// that is no better.
    fn exchange<const N: usize>(
        &mut self,
        tables: &Tables,
        vertex: &Solved,
        mixture: &Mixture<N>,
        bone: usize,
        most: usize,
    ) -> Option<Mixture<N>> {
        let mut with = *mixture;
        self.enter(tables, *vertex.rest, &mut with, bone);
        with.error = best_mixture(&with.gram, with.len, &mut with.weights);
        let enough = mixture.error * (1.0 - WORTHWHILE);
        if with.error >= enough {
            return None;
        }
        if with.weights[..with.len].iter().filter(|w| **w > NEGLIGIBLE).count() > most {
            let out = least_needed(&with.gram, with.len);
            let mut without = with;
            without.remove(out);
            without.error = best_mixture(&without.gram, without.len, &mut without.weights);
            if without.error >= enough {
                return None;
            }
            // The columns still hold the bone that was left out.
            let p = tables.padded;
            self.columns.copy_within((out + 1) * p..with.len * p, out * p);
            with = without;
        }
        self.compact(tables, &mut with);
        Some(with)
    }

    /// Moves the rest position to where the mixture fits best. Returns what that adds to the squared error: what
    /// the move takes off, and the pull of the anchor.
    pub fn move_rest(&mut self, tables: &Tables, vertex: &mut Solved, path: &[f32], anchor: Anchor) -> f64 {
        let d = tables.dims;
        self.blended.fill(0.0);
        for (&bone, &weight) in vertex.bones.iter().zip(vertex.weights.iter()).filter(|(_, w)| **w != 0.0) {
            let b = bone as usize;
            add_scaled(weight, &tables.rows[b * 4 * d..(b + 1) * 4 * d], &mut self.blended);
        }
        let residual = &mut self.members[..d];
        row_residual(&self.blended, *vertex.rest, path, residual);
        let [xx, xy, xz, yy, yz, zz, sx, sy, sz] = rest_products(&self.blended, residual).map(f64::from);
        let mut normal = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
        let mut slope = DVec3::new(sx, sy, sz);
        if tables.outside.is_some() {
            let form = blended_form(tables, vertex);
            normal += forms::half_hessian(&form);
            slope += forms::half_gradient(&form, *vertex.rest);
        }
        let damping = REST_DAMPING * (normal.x_axis.x + normal.y_axis.y + normal.z_axis.z).max(1e-12);
        let off = (*vertex.rest - anchor.at).as_dvec3();
        let held = normal + DMat3::from_diagonal(DVec3::splat(anchor.hold));
        let step = solve3(held, -slope - off * anchor.hold, damping);
        *vertex.rest += step.as_vec3();
        2.0 * slope.dot(step) + step.dot(normal * step) + anchor.hold * (off + step).length_squared()
    }
}

/// Σ w_b w_c of the forms of a vertex' bones.
fn blended_form(tables: &Tables, vertex: &Solved) -> [f64; 10] {
    let mut sum = [0.0; 10];
    let members = || vertex.bones.iter().zip(vertex.weights.iter()).filter(|(_, w)| **w != 0.0);
    for (&b, &wb) in members() {
        for (&c, &wc) in members() {
            let factor = f64::from(wb) * f64::from(wc);
            if let Some(form) = tables.form(b as usize, c as usize) {
                sum.iter_mut().zip(form).for_each(|(s, f)| *s += factor * f);
            }
        }
    }
    sum
}

/// Solves a symmetric positive 3×3 system, damped.
fn solve3(matrix: DMat3, right: DVec3, damping: f64) -> DVec3 {
    let m = matrix + DMat3::from_diagonal(DVec3::splat(damping));
    let solution = m.inverse() * right;
    if solution.is_finite() { solution } else { DVec3::ZERO }
}
