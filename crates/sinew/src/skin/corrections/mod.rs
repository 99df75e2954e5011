//! Progressive corrections (James and Twigg 2005, section 6): p = T (p̄ + U q), with a few basis shapes U
//! in the rest pose and coefficients q per frame.
//!
//! The paper pulls each frame's error back to the rest pose, (Tᵗ)⁻¹ pᵗ − p̄, and truncates a singular
//! value decomposition. Where a blended transform is nearly singular the pull-back explodes and drags
//! the whole basis along. Here that decomposition (with a damped inverse) is only the start; U and q then
//! take turns in minimising the error where it is seen, Σ‖T(p̄ + U q) − p‖², which never inverts T. What
//! is the same in all frames goes into the rest pose, where it is free, instead of taking up a basis shape.
//! The result is brought back to the form of a singular value decomposition, strongest shape first, so that
//! a prefix of the basis is a coarser model.
//!
//! Coefficients are few and many vertices have a say in them: most turns look at a sample of the vertices, the last ones
//! at all. Nothing the size of the animation is stored: vertices and frames are visited in turn and their blended
//! transforms formed again, which costs less than fetching them from memory.

mod equations;

use glam::{DAffine3, DMat3, DVec3, Mat3, Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use self::equations::{Equations, solve_damped};
use super::{Skin, TUNING};
use crate::animation::Frames;
use crate::geometry::vertex_normals;
use crate::progress::{Cancelled, Progress, Silent, in_parallel};
use crate::rig::{Corrections, SkinWeights};
use crate::solve::jacobi::symmetric_eigen_sorted;
use crate::solve::subspace::{multiply, orthonormalise, subspace_iteration};
use crate::tracks::Units;

/// Fits corrections of the given rank to what bones and weights leave over, with normals to match, and
/// moves its rest pose by their mean.
///
/// The rank is held to the number of frames.
///
/// # Errors
/// When `progress` cancels.
pub fn fit_corrections(
    frames: &Frames,
    triangles: &[[u32; 3]],
    skin: &mut Skin,
    rank: usize,
    progress: &dyn Progress,
) -> Result<Corrections, Cancelled> {
    let (rank, tuning) = (rank.min(frames.len()), &TUNING.corrections);
    let Skin { rest, weights, transforms, .. } = skin;
    let mut blend = Blend { rank, progress, ..Blend::new(frames, rest, weights, transforms) };
    blend.look_at(tuning.sample);
    let mut q = blend.start()?;
    let (mut u, turns) = (Vec::new(), tuning.turns + tuning.turns_on_all);
    for turn in 0..turns {
        progress.check()?;
        progress.advance((1 + turn) as f64 / (2 + turns) as f64);
        if turn == tuning.turns {
            blend.look_at(rest.len());
        }
        u = blend.solve_shapes(&q)?;
        if turn + 1 < turns {
            q = blend.solve_coefficients(&u)?;
        }
    }
    blend.move_rest(&u, &remove_means(&mut q, rank));
    to_singular_form(&mut u, &mut q, rank);
    blend.store_rest(rest);
    let normals = blend.normal_shapes(triangles, rest, &q)?;
    Ok(Corrections {
        rank,
        basis: shape_major(&u, rank),
        normals: shape_major(&normals, rank),
        coefficients: q.iter().map(|x| *x as f32).collect(),
        names: Vec::new(),
    })
}

/// For frames that shapes were not fitted to: the coefficients of known shapes that come closest, frame after
/// frame.
pub(crate) fn coefficients_for(
    frames: &Frames,
    rest: &[Vec3],
    weights: &SkinWeights,
    transforms: &[DAffine3],
    shapes: &Corrections,
) -> Vec<f32> {
    let (rank, vertices) = (shapes.rank, rest.len());
    let row = |vertex: usize| (0..rank).map(move |r| shapes.basis[r * vertices + vertex].as_dvec3());
    let u: Vec<DVec3> = (0..vertices).flat_map(row).collect();
    let blend = Blend { rank, ..Blend::new(frames, rest, weights, transforms) };
    let solved = blend.solve_coefficients(&u).unwrap_or_default();
    solved.iter().map(|x| *x as f32).collect()
}

/// The blended transform of every vertex in every frame, formed when asked for.
struct Blend<'a> {
    frames: &'a Frames,
    weights: &'a SkinWeights,
    /// Vertices that are looked at; shapes are of these alone.
    looked_at: Vec<u32>,
    units: Units,
    /// Rest pose relative to its origin.
    rest: Vec<Vec3A>,
    /// Bones relative to the origins, frame after frame.
    palette: Vec<(Mat3A, Vec3A)>,
    bone_count: usize,
    /// Number of shapes.
    rank: usize,
    progress: &'a dyn Progress,
}

impl<'a> Blend<'a> {
    fn new(frames: &'a Frames, rest: &[Vec3], weights: &'a SkinWeights, transforms: &[DAffine3]) -> Self {
        let units = Units::centred(frames, rest);
        let bone_count = transforms.len() / frames.len();
        let palette = transforms
            .iter()
            .enumerate()
            .map(|(i, t)| {
                let t = units.transform(t, i / bone_count);
                (t.matrix3.as_mat3().into(), t.translation.as_vec3a())
            })
            .collect();
        let looked_at = (0..rest.len() as u32).collect();
        let rest = rest.iter().map(|p| units.rest(*p).as_vec3a()).collect();
        Self { frames, weights, looked_at, units, rest, palette, bone_count, rank: 0, progress: &Silent }
    }

    /// Looks at no more than so many vertices, evenly over their numbers.
    fn look_at(&mut self, most: usize) {
        let all = self.rest.len();
        let count = most.min(all);
        self.looked_at = (0..count).map(|i| (i * all / count) as u32).collect();
    }

    /// The vertex' blended matrix in a frame.
    fn matrix(&self, vertex: usize, frame: usize) -> (Mat3A, Vec3A) {
        let palette = &self.palette[frame * self.bone_count..(frame + 1) * self.bone_count];
        let (bones, weights) = self.weights.of(vertex);
        let mut matrix = Mat3A::ZERO;
        let mut shift = Vec3A::ZERO;
        for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            let (m, s) = palette[bone as usize];
            matrix += m * weight;
            shift += s * weight;
        }
        (matrix, shift)
    }

    /// The vertex' blended matrix in a frame and what the blend leaves over.
    fn left_over(&self, vertex: usize, frame: usize) -> (Mat3A, Vec3A) {
        let (matrix, shift) = self.matrix(vertex, frame);
        let position = self.units.pose(self.frames.frame(frame)[vertex], frame).as_vec3a();
        (matrix, position - (matrix * self.rest[vertex] + shift))
    }

    /// The paper's rest-pose displacement, with the inverse damped where the matrix is nearly singular.
    fn pulled_back(&self, vertex: usize, frame: usize) -> DVec3 {
        let (matrix, error) = self.left_over(vertex, frame);
        let t = Mat3::from(matrix).as_dmat3();
        let squared = t.transpose() * t;
        let damping =
            1e-2 * (squared.x_axis.x + squared.y_axis.y + squared.z_axis.z) / 3.0 + f64::MIN_POSITIVE;
        (squared + DMat3::from_diagonal(DVec3::splat(damping))).inverse() * (t.transpose() * error.as_dvec3())
    }

    /// Leading right singular vectors of the pulled-back displacements: coefficients, frame after frame.
    fn start(&self) -> Result<Vec<f64>, Cancelled> {
        let (rank, progress) = (self.rank, self.progress);
        let width = (rank + TUNING.corrections.spare).min(self.frames.len());
        let mut q = seeded_noise(self.frames.len() * width);
        remove_means(&mut q, width);
        let vertex = |i: usize| {
            let of_frame = |frame| self.pulled_back(self.looked_at[i] as usize, frame);
            Ok((0..self.frames.len()).map(of_frame).collect::<Vec<DVec3>>())
        };
        let pulled_back = in_parallel(progress, self.looked_at.len(), vertex)?;
        let again = |q: &[f64]| {
            progress.check()?;
            let y = project(&pulled_back, q, width);
            let rows = in_parallel(progress, self.frames.len(), |frame| {
                let mut row = vec![0.0; width];
                for (x, y) in pulled_back.iter().zip(y.chunks_exact(width)) {
                    row.iter_mut().zip(y).for_each(|(r, y)| *r += x[frame].dot(*y));
                }
                Ok(row)
            })?;
            let mut q = rows.concat();
            remove_means(&mut q, width);
            Ok::<_, Cancelled>(q)
        };
        let q = subspace_iteration(q, width, TUNING.corrections.start_passes, vanishes, again)?;
        let turn = principal_axes(&project(&pulled_back, &q, width), width);
        Ok(multiply(&q, width, &turn, rank))
    }

    /// For every vertex the shapes, and the shift of its rest position, that fit best with given
    /// coefficients. The shift is made.
    fn solve_shapes(&mut self, q: &[f64]) -> Result<Vec<DVec3>, Cancelled> {
        let (rank, progress) = (self.rank, self.progress);
        // The rest position is one more shape, with the coefficient one in every frame.
        let with_one: Vec<f64> =
            q.chunks_exact(rank).flat_map(|q| [1.0].into_iter().chain(q.iter().copied())).collect();
        let equations = Equations::new(&with_one, rank + 1);
        let mut u = vec![DVec3::ZERO; self.looked_at.len() * rank];
        let shifts: Result<Vec<DVec3>, Cancelled> = u
            .par_chunks_exact_mut(rank)
            .with_min_len(64)
            .enumerate()
            .map_init(
                || equations.room(),
                |room, (i, shapes)| {
                    progress.check()?;
                    let of_frame = |frame| self.left_over(self.looked_at[i] as usize, frame);
                    let Some(solved) = equations.solve(of_frame, TUNING.corrections.ridge, room) else {
                        return Ok(DVec3::ZERO);
                    };
                    shapes.copy_from_slice(bytemuck::cast_slice(&solved[3..]));
                    Ok(DVec3::from_slice(solved))
                },
            )
            .collect();
        self.looked_at.iter().zip(shifts?).for_each(|(&v, shift)| self.rest[v as usize] += shift.as_vec3a());
        Ok(u)
    }

    /// Adds shapes in constant amounts to the rest pose.
    fn move_rest(&mut self, u: &[DVec3], amounts: &[f64]) {
        for (p, shapes) in self.rest.iter_mut().zip(u.chunks_exact(amounts.len())) {
            *p += shapes.iter().zip(amounts).map(|(s, a)| *s * *a).sum::<DVec3>().as_vec3a();
        }
    }

    fn store_rest(&self, rest: &mut [Vec3]) {
        for (out, p) in rest.iter_mut().zip(&self.rest) {
            *out = self.units.rest_back(p.as_dvec3()).as_vec3();
        }
    }

    /// For every frame the coefficients that fit best with given shapes.
    fn solve_coefficients(&self, u: &[DVec3]) -> Result<Vec<f64>, Cancelled> {
        let rank = self.rank;
        let rows = in_parallel(self.progress, self.frames.len(), |frame| {
            let mut a = vec![0.0; rank * rank];
            let mut b = vec![0.0; rank];
            let mut moved = vec![Vec3A::ZERO; rank];
            for (&vertex, shapes) in self.looked_at.iter().zip(u.chunks_exact(rank)) {
                let (matrix, error) = self.left_over(vertex as usize, frame);
                moved.iter_mut().zip(shapes).for_each(|(m, s)| *m = matrix * s.as_vec3a());
                for i in 0..rank {
                    b[i] += f64::from(moved[i].dot(error));
                    for j in 0..=i {
                        a[i * rank + j] += f64::from(moved[i].dot(moved[j]));
                    }
                }
            }
            Ok(if solve_damped(&mut a, &mut b, 1e-9) { b } else { vec![0.0; rank] })
        })?;
        Ok(rows.concat())
    }

    /// Changes of the rest normals that go with the coefficients (equation 13): frame normals pulled back
    /// by Tᵀ, made unit length, minus the rest normal, as a least-squares fit.
    ///
    /// One set of coefficients serves positions and normals, because that is what players of morph
    /// targets have. Columns of `q` are orthonormal.
    fn normal_shapes(
        &self,
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        q: &[f64],
    ) -> Result<Vec<DVec3>, Cancelled> {
        let rank = self.rank;
        let mut rest_normals = vec![Vec3::ZERO; rest.len()];
        vertex_normals(triangles, rest, &mut rest_normals);
        let mut now = rest_normals.clone();
        let mut shapes = vec![DVec3::ZERO; rest.len() * rank];
        for (frame, q) in q.chunks_exact(rank).enumerate() {
            self.progress.check()?;
            vertex_normals(triangles, self.frames.frame(frame), &mut now);
            shapes.par_chunks_exact_mut(rank).with_min_len(256).enumerate().for_each(|(vertex, row)| {
                let (matrix, _) = self.matrix(vertex, frame);
                let back = matrix.transpose() * Vec3A::from(now[vertex]);
                let change = back.normalize_or_zero() - Vec3A::from(rest_normals[vertex]);
                if back != Vec3A::ZERO {
                    row.iter_mut().zip(q).for_each(|(r, q)| *r += change.as_dvec3() * *q);
                }
            });
        }
        Ok(shapes)
    }
}

/// Displacements of some vertices, frame by frame, times coefficients: a row of shapes for every vertex.
fn project(displacements: &[Vec<DVec3>], q: &[f64], width: usize) -> Vec<DVec3> {
    let mut y = vec![DVec3::ZERO; displacements.len() * width];
    y.par_chunks_exact_mut(width).zip(displacements).for_each(|(row, x)| {
        for (x, q) in x.iter().zip(q.chunks_exact(width)) {
            row.iter_mut().zip(q).for_each(|(r, q)| *r += *x * *q);
        }
    });
    y
}

/// Turns U and Q so that Q has orthonormal columns and U orthogonal ones, the longest first; their product
/// stays.
fn to_singular_form(u: &mut [DVec3], q: &mut Vec<f64>, rank: usize) {
    // Q = Q' R by Gram-Schmidt, U' = U Rᵀ.
    let r = orthonormalise(q, rank, vanishes);
    let transform = |u: &mut [DVec3], by: &dyn Fn(usize, usize) -> f64| {
        for row in u.chunks_exact_mut(rank) {
            let old = row.to_vec();
            (0..rank).for_each(|i| row[i] = (0..rank).map(|j| old[j] * by(j, i)).sum());
        }
    };
    transform(u, &|j, i| r[i * rank + j]);
    let turn = principal_axes(u, rank);
    *q = multiply(q, rank, &turn, rank);
    transform(u, &|j, i| turn[j * rank + i]);
}

/// Eigenvectors of YᵀY, largest first, as columns of a width×width matrix.
fn principal_axes(y: &[DVec3], width: usize) -> Vec<f64> {
    let mut gram = vec![0.0; width * width];
    for row in y.chunks_exact(width) {
        for i in 0..width {
            for j in 0..width {
                gram[i * width + j] += row[i].dot(row[j]);
            }
        }
    }
    symmetric_eigen_sorted(&mut gram, width).1
}

/// Takes the mean off every column and returns the means.
fn remove_means(q: &mut [f64], width: usize) -> Vec<f64> {
    let rows = (q.len() / width) as f64;
    let means: Vec<f64> = (0..width).map(|j| q[j..].iter().step_by(width).sum::<f64>() / rows).collect();
    for row in q.chunks_exact_mut(width) {
        row.iter_mut().zip(&means).for_each(|(x, m)| *x -= m);
    }
    means
}

/// A column that others explain up to rounding is none.
fn vanishes(length: f64) -> f64 {
    1e-12 * length
}

/// Numbers between −1 and 1 that are the same every time.
fn seeded_noise(count: usize) -> Vec<f64> {
    let mut state = 0x5EED_u64;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        })
        .collect()
}

/// From a row of shapes per vertex to shape after shape.
fn shape_major(u: &[DVec3], rank: usize) -> Vec<Vec3> {
    (0..rank).flat_map(|r| u.chunks_exact(rank).map(move |row| row[r].as_vec3())).collect()
}
