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

impl Solved<'_> {
    /// Its bones that have weight.
    fn members(&self) -> impl Iterator<Item = (usize, f32)> {
        self.bones.iter().zip(&*self.weights).filter(|(_, w)| **w != 0.0).map(|(&b, &w)| (b as usize, w))
    }
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

    /// Adds what products of residuals lack: what bones do outside the reduced coordinates, and the pull. There is a
    /// product for each bone; `with` says which bone the other is.
    #[inline(always)]
    fn complete(&self, tables: &Tables, point: Vec3, with: impl Fn(usize) -> usize, products: &mut [f32]) {
        let products = &mut products[..tables.count];
        if tables.outside.is_some() {
            let monomials = forms::monomials(point);
            for (b, product) in products.iter_mut().enumerate() {
                *product += tables.form(with(b), b).map_or(0.0, |f| forms::value(f, &monomials)) as f32;
            }
        }
        if self.strength > 0.0 {
            products.iter_mut().enumerate().for_each(|(b, product)| *product += self.product(with(b), b));
        }
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
    pub fn pull(&mut self, strength: f64, towards: impl Iterator<Item = (usize, f32)>) {
        let prior = &mut self.prior;
        prior.mean.fill(0.0);
        let mut total = 0.0;
        for (bone, weight) in towards {
            prior.mean[bone] += weight;
            total += weight;
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
        residuals(tables, point, path, &mut self.residuals, &mut self.norms);
        self.prior.complete(tables, point, |b| b, &mut self.norms);
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
        let monomials = forms::monomials(*vertex.rest);
        let mut mixture = Mixture::empty();
        for (bone, weight) in vertex.members() {
            let (done, own) = self.members.split_at_mut(mixture.len * d);
            let own = &mut own[..d];
            row_residual(tables.row(bone), *vertex.rest, path, own);
            mixture.push(bone, f64::from(weight), |at, other| {
                let mut product = f64::from(dot(own, done.get(at * d..(at + 1) * d).unwrap_or(own)));
                if let Some(form) = tables.form(bone, other) {
                    product += forms::value(form, &monomials);
                }
                if self.prior.strength > 0.0 {
                    product += f64::from(self.prior.product(bone, other));
                }
                product
            });
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
        for _ in 0..attempts {
            let Some(bone) = self.candidate(tables, &mixture) else { break };
            self.tried[bone] = true;
            if let Some(better) = self.exchange(tables, vertex, &mixture, bone) {
                mixture = better;
            }
        }
        mixture.store(vertex.bones, vertex.weights);
        mixture.error - self.prior.cost(&mixture)
    }

    /// The mixture a vertex has now, or its nearest bone.
    fn current<const N: usize>(&mut self, tables: &Tables, vertex: &Solved) -> Mixture<N> {
        let mut mixture = Mixture::empty();
        for (bone, weight) in vertex.members() {
            self.enter(tables, vertex, &mut mixture, bone, f64::from(weight));
        }
        if mixture.len == 0 {
            let best = self.nearest_bone(tables);
            self.enter(tables, vertex, &mut mixture, best, 1.0);
        }
        mixture
    }

    /// Adds a bone.
    fn enter<const N: usize>(
        &mut self,
        tables: &Tables,
        vertex: &Solved,
        mixture: &mut Mixture<N>,
        bone: usize,
        weight: f64,
    ) {
        let (at, p) = (mixture.len, tables.padded);
        let out = &mut self.columns[at * p..(at + 1) * p];
        column(&self.residuals, p, bone, out);
        self.prior.complete(tables, *vertex.rest, |_| bone, out);
        mixture.push(bone, weight, |_, other| f64::from(out[other]));
    }

    /// Takes out bones without weight, their columns too.
    fn compact<const N: usize>(&mut self, tables: &Tables, mixture: &mut Mixture<N>) {
        let p = tables.padded;
        let moved = |from, to| self.columns.copy_within(from * p..(from + 1) * p, to * p);
        mixture.retain(|_, weight| weight > NEGLIGIBLE, moved);
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

    /// The mixture with `bone`, and without another where there would be more than a vertex may have; `None` where that
    /// is no better.
    fn exchange<const N: usize>(
        &mut self,
        tables: &Tables,
        vertex: &Solved,
        mixture: &Mixture<N>,
        bone: usize,
    ) -> Option<Mixture<N>> {
        let mut with = *mixture;
        self.enter(tables, vertex, &mut with, bone, 0.0);
        with.error = best_mixture(&with.gram, with.len, &mut with.weights);
        let enough = mixture.error * (1.0 - WORTHWHILE);
        if with.error >= enough {
            return None;
        }
        if with.weights[..with.len].iter().filter(|w| **w > NEGLIGIBLE).count() > vertex.bones.len() {
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

    /// Moves the rest position to where the mixture fits best; a distance of one from `anchor` costs `hold`. Returns what
    /// that adds to the squared error: what the move takes off, and the pull of the anchor.
    pub fn move_rest(
        &mut self,
        tables: &Tables,
        vertex: &mut Solved,
        path: &[f32],
        anchor: Vec3,
        hold: f64,
    ) -> f64 {
        self.blended.fill(0.0);
        vertex.members().for_each(|(b, weight)| add_scaled(weight, tables.row(b), &mut self.blended));
        let residual = &mut self.members[..tables.dims];
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
        let off = (*vertex.rest - anchor).as_dvec3();
        let diagonal = |x: f64| DMat3::from_diagonal(DVec3::splat(x));
        let best = (normal + diagonal(hold) + diagonal(damping)).inverse() * (-slope - off * hold);
        let step = if best.is_finite() { best } else { DVec3::ZERO };
        *vertex.rest += step.as_vec3();
        2.0 * slope.dot(step) + step.dot(normal * step) + hold * (off + step).length_squared()
    }
}

/// Σ w_b w_c of the forms of a vertex' bones.
fn blended_form(tables: &Tables, vertex: &Solved) -> [f64; 10] {
    let mut sum = [0.0; 10];
    for (b, wb) in vertex.members() {
        for (c, wc) in vertex.members() {
            let factor = f64::from(wb) * f64::from(wc);
            if let Some(form) = tables.form(b, c) {
                sum.iter_mut().zip(form).for_each(|(s, f)| *s += factor * f);
            }
        }
    }
    sum
}
