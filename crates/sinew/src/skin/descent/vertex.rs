//! Weights and rest position of one vertex.
//!
//! With r_b the residual of bone b (its prediction minus the vertex' path) and weights that sum to one, the
//! error of a mixture is ‖Σ w_b r_b‖². A vertex keeps the bones it has and tries to take in the one that,
//! mixed in, lowers the error most; where that makes too many, each is left out in turn. This is forward
//! selection with exchange, started from the last round's choice, and never makes a vertex worse.

use glam::{DMat3, DVec3, Vec3};

use super::mixture::{best_mixture, energy, least_needed};
use super::model::{Bones, solve3};
use crate::wide::for_wide_machines;

/// A relative gain below which a bone is not worth taking in.
const WORTHWHILE: f64 = 1e-4;
/// Weights below this are dropped.
const NEGLIGIBLE: f64 = 1e-4;
/// How far the rest position is held where the bones leave it free.
const REST_DAMPING: f64 = 1e-4;

/// Bones are padded with far-off ones to a multiple of this.
const LANES: usize = 8;

/// The parts of a vertex that are solved for.
pub struct Solved<'a> {
    pub rest: &'a mut Vec3,
    pub bones: &'a mut [u32],
    pub weights: &'a mut [f32],
}

/// Bones laid out for the two ways they are looked at.
pub struct Tables<'a> {
    count: usize,
    dims: usize,
    /// Bone after bone, four runs each.
    rows: Vec<f32>,
    /// For each reduced coordinate what x, y, z and one contribute, each a run over all bones, padded.
    lanes: Vec<f32>,
    padded: usize,
    outside: Option<&'a [[f64; 10]]>,
}

impl<'a> Tables<'a> {
    /// Lays out the bones of a model.
    pub fn of(bones: &'a Bones) -> Self {
        Self::new(&bones.runs, bones.dims, bones.outside())
    }

    /// Lays out `runs`, four a bone.
    pub fn new(runs: &[f64], dims: usize, outside: Option<&'a [[f64; 10]]>) -> Self {
        let count = runs.len() / (4 * dims);
        let padded = count.next_multiple_of(LANES);
        let mut lanes = vec![0.0; 4 * dims * padded];
        for (b, bone) in runs.chunks_exact(4 * dims).enumerate() {
            for (c, run) in bone.chunks_exact(dims).enumerate() {
                for (i, x) in run.iter().enumerate() {
                    lanes[(i * 4 + c) * padded + b] = *x as f32;
                }
            }
        }
        Self { count, dims, rows: runs.iter().map(|x| *x as f32).collect(), lanes, padded, outside }
    }

    fn form(&self, b: usize, c: usize) -> Option<&[f64; 10]> {
        self.outside.map(|forms| &forms[b * self.count + c])
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

#[inline(always)]
fn residuals_body(
    lanes: &[f32],
    padded: usize,
    point: Vec3,
    path: &[f32],
    out: &mut [f32],
    norms: &mut [f32],
) {
    #[inline(always)]
    fn part<const W: usize>(
        lanes: &[f32],
        padded: usize,
        point: Vec3,
        path: &[f32],
        out: &mut [f32],
        norms: &mut [f32],
        first: usize,
    ) {
        let mut sums = [0.0_f32; W];
        for ((runs, out), &to) in lanes.chunks_exact(4 * padded).zip(out.chunks_exact_mut(padded)).zip(path) {
            let run = |c: usize| -> &[f32; W] {
                runs[c * padded + first..c * padded + first + W].try_into().expect("a full run")
            };
            let (x, y, z, one) = (run(0), run(1), run(2), run(3));
            let out: &mut [f32; W] = (&mut out[first..first + W]).try_into().expect("a full run");
            for i in 0..W {
                let r = x[i] * point.x + y[i] * point.y + z[i] * point.z + (one[i] - to);
                out[i] = r;
                sums[i] += r * r;
            }
        }
        norms[first..first + W].copy_from_slice(&sums);
    }
    let mut first = 0;
    while first + 32 <= padded {
        part::<32>(lanes, padded, point, path, out, norms, first);
        first += 32;
    }
    while first + 16 <= padded {
        part::<16>(lanes, padded, point, path, out, norms, first);
        first += 16;
    }
    while first < padded {
        part::<LANES>(lanes, padded, point, path, out, norms, first);
        first += LANES;
    }
}

for_wide_machines! {
    /// Residuals of all bones and their squared lengths.
    residuals, residuals_body,
    (lanes: &[f32], padded: usize, point: Vec3, path: &[f32], out: &mut [f32], norms: &mut [f32])
}

#[inline(always)]
fn column_body(residuals: &[f32], padded: usize, bone: usize, out: &mut [f32]) {
    #[inline(always)]
    fn part<const W: usize>(residuals: &[f32], padded: usize, bone: usize, first: usize, out: &mut [f32]) {
        let mut sums = [[0.0_f32; W]; 2];
        for two in residuals.chunks_exact(2 * padded) {
            for (half, sum) in sums.iter_mut().enumerate() {
                let row = &two[half * padded..(half + 1) * padded];
                let factor = row[bone];
                let row: &[f32; W] = row[first..first + W].try_into().expect("a full run");
                for i in 0..W {
                    sum[i] += factor * row[i];
                }
            }
        }
        for i in 0..W {
            out[first + i] = sums[0][i] + sums[1][i];
        }
    }
    let mut first = 0;
    while first + 32 <= padded {
        part::<32>(residuals, padded, bone, first, out);
        first += 32;
    }
    while first + 16 <= padded {
        part::<16>(residuals, padded, bone, first, out);
        first += 16;
    }
    while first < padded {
        part::<LANES>(residuals, padded, bone, first, out);
        first += LANES;
    }
}

for_wide_machines! {
    /// Products of one bone's residual with all.
    column, column_body, (residuals: &[f32], padded: usize, bone: usize, out: &mut [f32])
}

#[inline(always)]
fn row_residual_body(row: &[f32], point: Vec3, path: &[f32], out: &mut [f32]) {
    let d = path.len();
    let (x, rest) = row.split_at(d);
    let (y, rest) = rest.split_at(d);
    let (z, one) = rest.split_at(d);
    for i in 0..d {
        out[i] = x[i] * point.x + y[i] * point.y + z[i] * point.z + (one[i] - path[i]);
    }
}

for_wide_machines! {
    /// The residual of one bone.
    row_residual, row_residual_body, (row: &[f32], point: Vec3, path: &[f32], out: &mut [f32])
}

/// Lanes of sums along a run.
const SUMS: usize = 16;

#[inline(always)]
fn dot_body(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; SUMS];
    for (a, b) in a.chunks_exact(SUMS).zip(b.chunks_exact(SUMS)) {
        for lane in 0..SUMS {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let mut halves: [f32; 8] = std::array::from_fn(|i| lanes[i] + lanes[i + 8]);
    for i in 0..4 {
        halves[i] += halves[i + 4];
    }
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}

for_wide_machines! {
    /// Inner product of two runs.
    dot, dot_body, (a: &[f32], b: &[f32]) -> f32
}

#[inline(always)]
fn add_scaled_body(factor: f32, from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

for_wide_machines! {
    /// Adds `factor` times a run.
    add_scaled, add_scaled_body, (factor: f32, from: &[f32], to: &mut [f32])
}

/// A mixture of at most `N` bones.
#[derive(Clone, Copy)]
struct Mixture<const N: usize> {
    len: usize,
    bones: [usize; N],
    weights: [f64; N],
    gram: [[f64; N]; N],
    error: f64,
}

impl Scratch {
    pub fn new(tables: &Tables) -> Self {
        let room = crate::skin::MOST_INFLUENCES + 1;
        Self {
            residuals: vec![0.0; tables.padded * tables.dims],
            norms: vec![0.0; tables.padded],
            columns: vec![0.0; room * tables.padded],
            along: vec![0.0; tables.padded],
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
            let monomials = monomials(point);
            for b in 0..tables.count {
                self.norms[b] += tables.form(b, b).map_or(0.0, |f| dot10(f, &monomials)) as f32;
            }
        }
        if self.prior.strength > 0.0 {
            for b in 0..tables.count {
                self.norms[b] += self.prior.product(b, b);
            }
        }
    }

    /// Squared errors of all bones for a vertex.
    pub fn norms(&mut self, tables: &Tables, point: Vec3, path: &[f32]) -> &[f32] {
        self.look(tables, point, path);
        &self.norms[..tables.count]
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
        mixture.store(vertex);
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
                    g += dot10(form, &monomials(*vertex.rest));
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
        mixture.store(vertex);
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
            let monomials = monomials(point);
            for (c, out) in out.iter_mut().enumerate().take(tables.count) {
                *out += tables.form(bone, c).map_or(0.0, |f| dot10(f, &monomials)) as f32;
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
                self.columns.copy_within(from * p..(from + 1) * p, to * p);
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
        let error = mixture.error as f32;
        let mut best = None;
        let mut most = (WORTHWHILE * mixture.error) as f32;
        for b in 0..tables.count {
            let drop = error - self.along[b];
            let gain = drop * drop / (drop - self.along[b] + self.norms[b]).max(f32::MIN_POSITIVE);
            if drop > 0.0 && gain > most && !self.tried[b] && !mixture.bones[..mixture.len].contains(&b) {
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

    /// Moves the rest position to where the mixture fits best. Returns how much the squared error falls.
    pub fn move_rest(&mut self, tables: &Tables, vertex: &mut Solved, path: &[f32]) -> f64 {
        let d = tables.dims;
        self.blended.fill(0.0);
        for (&bone, &weight) in vertex.bones.iter().zip(vertex.weights.iter()).filter(|(_, w)| **w != 0.0) {
            let b = bone as usize;
            add_scaled(weight, &tables.rows[b * 4 * d..(b + 1) * 4 * d], &mut self.blended);
        }
        let residual = &mut self.members[..d];
        row_residual(&self.blended, *vertex.rest, path, residual);
        let axis = |i: usize| &self.blended[i * d..(i + 1) * d];
        let product = |i: usize, j: usize| f64::from(dot(axis(i), axis(j)));
        let (xy, xz, yz) = (product(0, 1), product(0, 2), product(1, 2));
        let mut normal =
            DMat3::from_cols_array(&[product(0, 0), xy, xz, xy, product(1, 1), yz, xz, yz, product(2, 2)]);
        let mut slope = DVec3::from_array(std::array::from_fn(|i| f64::from(dot(axis(i), residual))));
        if tables.outside.is_some() {
            let form = blended_form(tables, vertex);
            normal += half_hessian(&form);
            slope += half_gradient(&form, *vertex.rest);
        }
        let damping = REST_DAMPING * (normal.x_axis.x + normal.y_axis.y + normal.z_axis.z).max(1e-12);
        let step = solve3(normal, -slope, damping);
        *vertex.rest += step.as_vec3();
        -2.0 * slope.dot(step) - step.dot(normal * step)
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

impl<const N: usize> Mixture<N> {
    fn empty() -> Self {
        Self { len: 0, bones: [0; N], weights: [0.0; N], gram: [[0.0; N]; N], error: 0.0 }
    }

    /// Takes out bones without weight; what is left sums to one again.
    fn drop_negligible(&mut self) {
        let mut to = 0;
        for from in 0..self.len {
            if self.weights[from] > NEGLIGIBLE {
                self.bones[to] = self.bones[from];
                self.weights[to] = self.weights[from];
                self.gram[to] = self.gram[from];
                for row in 0..self.len {
                    self.gram[row][to] = self.gram[row][from];
                }
                to += 1;
            }
        }
        self.len = to;
        let total: f64 = self.weights[..to].iter().sum();
        self.weights[..to].iter_mut().for_each(|w| *w /= total);
    }

    /// Takes out one entry; what is left sums to one again.
    fn remove(&mut self, out: usize) {
        for i in out + 1..self.len {
            self.bones[i - 1] = self.bones[i];
            self.weights[i - 1] = self.weights[i];
            self.gram[i - 1] = self.gram[i];
        }
        for row in &mut self.gram {
            row.copy_within(out + 1..self.len, out);
        }
        self.len -= 1;
        let total: f64 = self.weights[..self.len].iter().sum();
        if total > 0.0 {
            self.weights[..self.len].iter_mut().for_each(|w| *w /= total);
        } else {
            self.weights[..self.len].fill(1.0 / self.len as f64);
        }
    }

    fn store(&self, vertex: &mut Solved) {
        let mut order: [usize; N] = std::array::from_fn(|i| i);
        let order = &mut order[..self.len];
        order.sort_by(|&a, &b| {
            self.weights[b].total_cmp(&self.weights[a]).then(self.bones[a].cmp(&self.bones[b]))
        });
        vertex.bones.fill(0);
        vertex.weights.fill(0.0);
        for (slot, &i) in order.iter().enumerate() {
            vertex.bones[slot] = self.bones[i] as u32;
            vertex.weights[slot] = self.weights[i] as f32;
        }
    }
}

/// x², y², z², 1, xy, xz, yz, x, y, z: what a quadratic form of (x, y, z, 1) is a sum of.
pub fn monomials(p: Vec3) -> [f64; 10] {
    let [x, y, z] = p.as_dvec3().to_array();
    [x * x, y * y, z * z, 1.0, x * y, x * z, y * z, x, y, z]
}

fn dot10(a: &[f64; 10], b: &[f64; 10]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Half the second derivatives of a quadratic form.
fn half_hessian(form: &[f64; 10]) -> DMat3 {
    let (xy, xz, yz) = (form[4] / 2.0, form[5] / 2.0, form[6] / 2.0);
    DMat3::from_cols_array(&[form[0], xy, xz, xy, form[1], yz, xz, yz, form[2]])
}

/// Half the gradient of a quadratic form.
fn half_gradient(form: &[f64; 10], p: Vec3) -> DVec3 {
    let [x, y, z] = p.as_dvec3().to_array();
    DVec3::new(
        form[0] * x + (form[4] * y + form[5] * z + form[7]) / 2.0,
        form[1] * y + (form[4] * x + form[6] * z + form[8]) / 2.0,
        form[2] * z + (form[5] * x + form[6] * y + form[9]) / 2.0,
    )
}
