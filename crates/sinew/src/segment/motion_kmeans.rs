//! k-means over the motion of vertices: a cluster's centre is a bone, an affine motion, and a vertex' distance from
//! it is how badly that motion predicts its path.
//!
//! From given clusters, or one for all, those whose halves gain most are split until there are enough; then bones
//! that are hardly missed move to where a split gains more than their loss costs, which frees k-means from poor
//! local minima. All of it in reduced coordinates ([`crate::reduced`]), where a bone's best motion is a 4×4 system.

use glam::{DMat4, DVec4, Vec3};
use rayon::prelude::*;

use super::{
    CountRule, Facts, KMeansTuning, Labels, SegmentOptions, Segmented, Segmenter, SurfaceMotion, TUNING,
    Turns, members, needed,
};
use crate::geometry::grouped::largest_first;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::reduced::kernels::{dot, residuals, row_residual};
use crate::reduced::{Ranking, Reduced, Tables};

const TUNED: KMeansTuning = TUNING.k_means;
/// Vertices of one task, at least.
const AT_ONCE: usize = 64;

/// k-means over motion, begun with triangles that turn alike, as a fit does.
pub struct KMeans;

impl Segmenter for KMeans {
    fn facts(&self) -> Facts {
        let about = "Vertices that one affine motion predicts, by k-means begun with turns: how a fit goes on from its start";
        Facts::new("k-means", about, CountRule::AtMost)
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        let count = needed(options, motion.rest.len())?;
        let first = progress.part(0.0, 0.3);
        let start = Turns.starts(motion, options, &first)?.sets(count, 0.0, &first)?;
        let reduced = Reduced::new(motion.frames, motion.rest, progress)?;
        progress.advance(0.4);
        let scaled = reduced.scaled(motion.rest);
        let clusters = MotionKMeans::new(&reduced.coords, &scaled, progress)?;
        let clusters = clusters.begun_with(&start, &reduced, &scaled, count, &progress.part(0.7, 1.0))?;
        let count = clusters.count();
        Ok(Labels { of_vertex: clusters.bone_of, count }.without_empty())
    }
}

/// Vertices and the one bone each follows.
pub struct MotionKMeans<'a> {
    dims: usize,
    /// Coordinates of each vertex' path.
    paths: &'a [f32],
    rest: &'a [Vec3],
    /// Bone of each vertex.
    pub bone_of: Vec<u32>,
    /// Squared error of each vertex with its bone and with the next best.
    errors: Vec<[f32; 2]>,
    /// Runs of each bone, four a bone: what x, y, z and one of a rest position contribute.
    pub runs: Vec<Vec<f64>>,
}

/// A set of vertices cut in two.
pub struct Split {
    /// By how much the squared error falls.
    pub gain: f64,
    /// Which leave.
    pub leaving: Vec<u32>,
    /// Motions of those that stay and those that leave.
    pub runs: [Vec<f64>; 2],
}

impl<'a> MotionKMeans<'a> {
    /// One bone for all: vertices in a scaled rest pose, and the reduced coordinates of each.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(paths: &'a [f32], rest: &'a [Vec3], progress: &dyn Progress) -> Result<Self, Cancelled> {
        let n = rest.len();
        let dims = paths.len() / n;
        let runs = vec![vec![0.0; 4 * dims]];
        let mut found = Self { dims, paths, rest, bone_of: vec![0; n], errors: vec![[0.0; 2]; n], runs };
        found.fit();
        found.assign(progress)?;
        Ok(found)
    }

    /// Begins with bones fitted to sets of vertices of the whole mesh, whose rest pose is `scaled`, and goes on until
    /// there are `wanted`, each where it is needed.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn begun_with(
        mut self,
        sets: &[Vec<u32>],
        reduced: &Reduced,
        scaled: &[Vec3],
        wanted: usize,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let path = |&v: &u32| (scaled[v as usize], reduced.path(v as usize));
        let sets = sets.par_iter().filter(|set| !set.is_empty());
        self.runs = sets.map(|set| best_runs(set.iter().map(path), &self.runs[0]).0).collect();
        self.assign_to_any(progress)?;
        self.fit();
        self.rounds(TUNED.restart_rounds - 1, progress)?;
        self.grow(wanted, progress)?;
        self.relocate(progress)?;
        Ok(self)
    }

    /// Rest position and path of a vertex.
    fn path(&self, i: u32) -> (Vec3, &'a [f32]) {
        let i = i as usize;
        (self.rest[i], &self.paths[i * self.dims..(i + 1) * self.dims])
    }

    /// How many bones there are.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// Squared error of all vertices.
    fn error(&self) -> f64 {
        self.errors.iter().map(|e| f64::from(e[0])).sum()
    }

    /// Splits until there are `wanted` bones.
    fn grow(&mut self, wanted: usize, progress: &dyn Progress) -> Result<(), Cancelled> {
        while self.count() < wanted {
            let splits = self.splits();
            let mut order = largest_first(splits.len(), |b| splits[b].gain);
            order.truncate((wanted - splits.len()).min(splits.len().div_ceil(3)));
            for b in order {
                let new = self.count();
                self.runs.push(Vec::new());
                self.apply(b, new, &splits[b]);
            }
            self.rounds(TUNED.rounds, progress)?;
        }
        Ok(())
    }

    fn rounds(&mut self, count: usize, progress: &dyn Progress) -> Result<(), Cancelled> {
        for _ in 0..count {
            self.assign(progress)?;
            self.fit();
        }
        self.assign(progress)
    }

    /// Moves bones to where they are needed, as long as the error falls.
    fn relocate(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        let mut most = self.count();
        for round in 0..TUNED.moves {
            progress.check()?;
            progress.advance(round as f64 / TUNED.moves as f64);
            let before = self.error();
            let kept = (self.bone_of.clone(), self.errors.clone(), self.runs.clone());
            let moved = self.move_bones(most);
            if moved == 0 {
                break;
            }
            self.rounds(TUNED.rounds, progress)?;
            if self.error() > before * 0.999 {
                (self.bone_of, self.errors, self.runs) = kept;
                if moved == 1 {
                    break;
                }
                most = moved.div_ceil(4).min(moved - 1);
            }
        }
        self.rounds(2, progress)
    }

    /// Moves at most `most` bones that gain more where they go than they are missed; returns how many.
    fn move_bones(&mut self, most: usize) -> usize {
        let splits = self.splits();
        let mut losses = vec![0.0; self.count()];
        for (&b, e) in self.bone_of.iter().zip(&self.errors) {
            losses[b as usize] += f64::from(e[1] - e[0]);
        }
        let mut spare = largest_first(splits.len(), |b| -losses[b]).into_iter();
        let mut taken = vec![false; splits.len()];
        let mut moved = 0;
        for b in largest_first(splits.len(), |b| splits[b].gain) {
            if moved == most || taken[b] {
                break;
            }
            let Some(from) = spare.by_ref().find(|&s| !taken[s] && s != b) else { break };
            if splits[b].gain <= TUNED.profit * losses[from] {
                break;
            }
            taken[b] = true;
            taken[from] = true;
            self.apply(b, from, &splits[b]);
            moved += 1;
        }
        moved
    }

    /// Gives the leaving half of a bone to bone `to`, whose own vertices will find others.
    fn apply(&mut self, bone: usize, to: usize, split: &Split) {
        split.leaving.iter().for_each(|&i| self.bone_of[i as usize] = to as u32);
        self.runs[bone] = split.runs[0].clone();
        self.runs[to] = split.runs[1].clone();
    }

    fn splits(&self) -> Vec<Split> {
        let members = members(&self.bone_of, self.count());
        let split = |(members, runs): (&Vec<u32>, &Vec<f64>)| split(members, |i| self.path(i), runs);
        members.par_iter().zip(&self.runs).map(split).collect()
    }

    /// Fits all bones to their vertices.
    fn fit(&mut self) {
        let members = members(&self.bone_of, self.count());
        let best = |(members, runs): (&Vec<u32>, &Vec<f64>)| {
            best_runs(members.iter().map(|&i| self.path(i)), runs).0
        };
        self.runs = members.par_iter().zip(&self.runs).map(best).collect();
    }

    /// Every vertex goes to the bone that predicts it best; of many bones, to one that suits those it is with.
    fn assign(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        if self.count() <= TUNED.near_from {
            return self.assign_to_any(progress);
        }
        let tables = Tables::new(&self.runs.concat(), self.dims, None);
        let (groups, ranking) = (members(&self.bone_of, self.count()), Ranking::new(&tables));
        let found = in_parallel(progress, groups.len(), |group| {
            if groups[group].is_empty() {
                return Ok(Vec::new());
            }
            let points = groups[group].iter().map(|&i| self.path(i));
            let mut bones = ranking.nearest(points.clone(), TUNED.looked_at);
            bones.sort_unstable();
            let mut nearest = NearestBones::of(tables.part(&bones));
            Ok(points.map(|(rest, path)| nearest.find(rest, path)).map(|(b, e)| (bones[b], e)).collect())
        })?;
        for (&i, (bone, error)) in groups.iter().flatten().zip(found.into_iter().flatten()) {
            self.bone_of[i as usize] = bone;
            self.errors[i as usize] = error;
        }
        Ok(())
    }

    /// Every vertex goes to the bone that predicts it best.
    fn assign_to_any(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        let (paths, rest, d) = (self.paths, self.rest, self.dims);
        let tables = Tables::new(&self.runs.concat(), d, None);
        let vertices = self.bone_of.par_iter_mut().zip(&mut self.errors).enumerate().with_min_len(AT_ONCE);
        vertices.try_for_each_init(
            || NearestBones::of(&tables),
            |nearest, (i, (bone, error))| {
                if i.is_multiple_of(AT_ONCE) {
                    progress.check()?;
                }
                let (best, errors) = nearest.find(rest[i], &paths[i * d..(i + 1) * d]);
                (*bone, *error) = (best as u32, errors);
                Ok(())
            },
        )
    }
}

/// Finds the nearest of some bones, with room to do so.
struct NearestBones<T> {
    tables: T,
    residuals: Vec<f32>,
    norms: Vec<f32>,
}

impl<'a, T: std::borrow::Borrow<Tables<'a>>> NearestBones<T> {
    fn of(tables: T) -> Self {
        let Tables { padded, dims, .. } = *tables.borrow();
        Self { tables, residuals: vec![0.0; padded * dims], norms: vec![0.0; padded] }
    }

    /// The bone that predicts a vertex best, and the squared errors with it and with the next best.
    fn find(&mut self, rest: Vec3, path: &[f32]) -> (usize, [f32; 2]) {
        let tables = self.tables.borrow();
        residuals(tables, rest, path, &mut self.residuals, &mut self.norms);
        let (mut best, mut errors) = (0, [f32::INFINITY; 2]);
        for (b, &norm) in self.norms[..tables.count].iter().enumerate() {
            if norm < errors[0] {
                errors = [norm, errors[0]];
                best = b;
            } else if norm < errors[1] {
                errors[1] = norm;
            }
        }
        (best, errors)
    }
}

/// Which side of the strongest pattern each residual lies on.
fn sides(residuals: &[f32], d: usize) -> Vec<bool> {
    let mut along: Vec<f32> =
        residuals.chunks_exact(d).map(|r| r.iter().map(|x| x * x).sum::<f32>()).collect();
    for _ in 0..6 {
        let mut pattern = vec![0.0_f32; d];
        let largest = along.iter().fold(f32::MIN_POSITIVE, |m, s| m.max(s.abs()));
        for (r, s) in residuals.chunks_exact(d).zip(&along) {
            pattern.iter_mut().zip(r).for_each(|(p, x)| *p += s / largest * x);
        }
        for (s, r) in along.iter_mut().zip(residuals.chunks_exact(d)) {
            *s = r.iter().zip(&pattern).map(|(x, p)| x * p).sum();
        }
    }
    along.iter().map(|s| *s > 0.0).collect()
}

/// Cuts vertices, whose rest positions and paths are `point`s, along the strongest pattern in what their bone leaves
/// over, then lets each of them choose between the halves a few times.
pub fn split<'a>(vertices: &[u32], point: impl Fn(u32) -> (Vec3, &'a [f32]), runs: &[f64]) -> Split {
    let points: Vec<(Vec3, &[f32])> = vertices.iter().map(|&v| point(v)).collect();
    let d = runs.len() / 4;
    let mut residual = vec![0.0; points.len() * d];
    let single: Vec<f32> = runs.iter().map(|x| *x as f32).collect();
    let mut before = 0.0;
    for (&(rest, path), out) in points.iter().zip(residual.chunks_exact_mut(d)) {
        row_residual(&single, rest, path, out);
        before += f64::from(dot(out, out));
    }
    let mut leaving = sides(&residual, d);
    let mut halves = [runs.to_vec(), runs.to_vec()];
    let mut cost = before;
    for round in 0..TUNED.choices {
        if round > 0 {
            choose(&points, &halves, &mut leaving);
        }
        let fits = [false, true].map(|right| {
            let half = points.iter().zip(&leaving).filter(|(_, l)| **l == right).map(|(&p, _)| p);
            best_runs(half, &halves[usize::from(right)])
        });
        cost = fits[0].1 + fits[1].1;
        halves = fits.map(|f| f.0);
    }
    let leaving = vertices.iter().zip(leaving).filter(|(_, leaves)| *leaves).map(|(&v, _)| v).collect();
    Split { gain: before - cost, leaving, runs: halves }
}

/// Which of two bones predicts each vertex better.
fn choose(points: &[(Vec3, &[f32])], bones: &[Vec<f64>; 2], second: &mut [bool]) {
    let runs = bones.each_ref().map(|b| b.iter().map(|x| *x as f32).collect::<Vec<f32>>());
    let mut residual = vec![0.0; runs[0].len() / 4];
    for (&(rest, path), second) in points.iter().zip(second) {
        let norms = runs.each_ref().map(|runs| {
            row_residual(runs, rest, path, &mut residual);
            dot(&residual, &residual)
        });
        *second = norms[1] < norms[0];
    }
}

/// The motion that fits some vertices best, held to `last` where they leave it open, and its squared error.
fn best_runs<'a>(points: impl Iterator<Item = (Vec3, &'a [f32])>, last: &[f64]) -> (Vec<f64>, f64) {
    let d = last.len() / 4;
    let mut matrix = DMat4::ZERO;
    let mut right = vec![0.0; 4 * d];
    let mut square = 0.0;
    for (rest, path) in points {
        let h = rest.as_dvec3().extend(1.0);
        matrix += DMat4::from_cols(h * h.x, h * h.y, h * h.z, h);
        for (x, out) in h.to_array().iter().zip(right.chunks_exact_mut(d)) {
            out.iter_mut().zip(path).for_each(|(o, p)| *o += x * f64::from(*p));
        }
        square += f64::from(dot(path, path));
    }
    let count = matrix.w_axis.w;
    if count == 0.0 {
        return (last.to_vec(), 0.0);
    }
    let hold = TUNED.hold * count;
    let inverse = (matrix + DMat4::from_diagonal(DVec4::splat(hold))).inverse();
    let mut runs = vec![0.0; 4 * d];
    let mut cost = square;
    for c in 0..d {
        let r = DVec4::from_array(std::array::from_fn(|row| right[row * d + c]));
        let l = DVec4::from_array(std::array::from_fn(|row| last[row * d + c]));
        let y = inverse * (r + l * hold);
        cost += y.dot(matrix * y) - 2.0 * y.dot(r);
        (0..4).for_each(|row| runs[row * d + c] = y[row]);
    }
    (runs, cost.max(0.0))
}
