//! Bones that only turn and shift: weighted Procrustes against what the other bones leave over, bone after
//! bone (Le and Deng 2012), on sums over the vertices instead of the vertices.
//!
//! With A the normal matrix and D the right-hand sides, brought back from reduced coordinates to the frames, the
//! target of bone b in a frame is D_b − Σ_c T_c A_cb; its best rotation is the polar factor of the centred
//! target. A sweep thus costs the same for any number of vertices.

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use rayon::prelude::*;

use super::forms;
use super::model::Bones;
use super::normal::Normal;
use crate::reduced::Reduced;
use crate::solve::procrustes::{nearest_rotation, outer, polar};
use crate::wide::for_wide_machines;

/// Entries summed side by side.
const LANES: usize = 8;
/// Sweeps over all bones in a round.
const SWEEPS: usize = 2;

/// True motions of bones that may not stretch.
#[derive(Clone)]
pub struct Rigid {
    /// Transforms of all bones in the first frame, then in the second, and so on, in scaled coordinates
    /// relative to the origins.
    pub transforms: Vec<DAffine3>,
    /// For each pair of bones the quadratic form of (p̄, 1) that their motions add outside the reduced
    /// coordinates, laid out as [`super::forms::monomials`].
    pub outside: Vec<[f64; 10]>,
}

impl Rigid {
    /// Turns and shifts the bones on by `share` of the way they came from `last`.
    pub fn move_on(&mut self, last: &Self, share: f64) {
        self.transforms.par_iter_mut().zip(&last.transforms).with_min_len(256).for_each(|(now, last)| {
            let turn = DQuat::from_mat3(&(now.matrix3 * last.matrix3.transpose())).to_scaled_axis();
            let turned = DMat3::from_quat(DQuat::from_scaled_axis(turn * share)) * now.matrix3;
            now.matrix3 = orthonormal(turned);
            now.translation += (now.translation - last.translation) * share;
        });
    }
}

/// Improves the bones; their runs are for [`refresh`] to bring up to date.
pub fn solve(bones: &mut Bones, normal: &Normal, reduced: &Reduced) {
    let count = bones.count();
    let blocks = Blocks::new(normal, count);
    let locked = bones.locked.clone();
    let Some(rigid) = &mut bones.rigid else { return };
    rigid.transforms.par_chunks_mut(count).enumerate().for_each(|(frame, transforms)| {
        sweeps(transforms, &targets(normal, reduced, frame, count), &blocks, &locked);
    });
}

/// Improves the bones of one frame for given right-hand sides.
pub fn sweeps(transforms: &mut [DAffine3], targets: &[[[f64; 4]; 3]], blocks: &Blocks, locked: &[bool]) {
    for _ in 0..SWEEPS {
        sweep(transforms, targets, blocks, locked);
    }
}

/// Makes rigid bones of flexible ones: the rigid motion nearest to each, over the vertices it moves.
pub fn from_flexible(bones: &mut Bones, normal: &Normal, reduced: &Reduced) {
    let count = bones.count();
    let mut transforms = vec![DAffine3::IDENTITY; reduced.frame_count() * count];
    transforms.par_chunks_mut(count).enumerate().for_each(|(frame, transforms)| {
        for (b, transform) in transforms.iter_mut().enumerate() {
            let t = expand(bones.bone(b), reduced, frame);
            let block = normal.block(b, b);
            let (mass, center) = mass_and_center(&block);
            let spread = DMat3::from_cols_array(&std::array::from_fn(|i| {
                block[i % 3][i / 3] - mass * center[i / 3] * center[i % 3]
            }));
            let rotation =
                nearest_rotation(t.matrix3 * spread).or_else(|| polar(t.matrix3)).unwrap_or(DMat3::IDENTITY);
            *transform = about(rotation, center, t.transform_point3(center));
        }
    });
    bones.rigid = Some(Rigid { transforms, outside: Vec::new() });
}

fn about(rotation: DMat3, center: DVec3, to: DVec3) -> DAffine3 {
    DAffine3 { matrix3: rotation, translation: to - rotation * center }
}

fn mass_and_center(block: &[[f64; 4]; 4]) -> (f64, DVec3) {
    let mass = block[3][3];
    let center = DVec3::new(block[0][3], block[1][3], block[2][3]);
    (mass, if mass > 0.0 { center / mass } else { DVec3::ZERO })
}

/// A bone's affine motion in one frame, from its runs.
pub fn expand(runs: &[f64], reduced: &Reduced, frame: usize) -> DAffine3 {
    let d = reduced.dims;
    let column = |c: usize| {
        DVec3::from_array(std::array::from_fn(|axis| {
            let row = &reduced.basis[(3 * frame + axis) * d..(3 * frame + axis + 1) * d];
            dot_mixed(row, &runs[c * d..(c + 1) * d])
        }))
    };
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

#[inline(always)]
fn dot_mixed_body(a: &[f32], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(a[lane]) * b[lane];
        }
    }
    lanes.iter().sum()
}

for_wide_machines! {
    /// Inner product of runs of a multiple of [`LANES`] entries.
    dot_mixed, dot_mixed_body, (a: &[f32], b: &[f64]) -> f64
}

#[inline(always)]
fn dot_body(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}

for_wide_machines! {
    /// Inner product of runs of a multiple of [`LANES`] entries.
    dot, dot_body, (a: &[f64], b: &[f64]) -> f64
}

#[inline(always)]
fn add_rows_body(factors: &[f64], rows: &[f32], out: &mut [f64]) {
    for (f, row) in factors.iter().zip(rows.chunks_exact(out.len())) {
        out.iter_mut().zip(row).for_each(|(o, x)| *o += f * f64::from(*x));
    }
}

for_wide_machines! {
    /// Adds Σ factor · row to `out`.
    add_rows, add_rows_body, (factors: &[f64], rows: &[f32], out: &mut [f64])
}

/// The blocks of the normal matrix that are not zero.
pub struct Blocks {
    own: Vec<[[f64; 4]; 4]>,
    others: Vec<Vec<(usize, [[f64; 4]; 4])>>,
}

impl Blocks {
    pub fn new(normal: &Normal, count: usize) -> Self {
        let own = (0..count).map(|b| normal.block(b, b)).collect();
        let others = (0..count)
            .map(|b| {
                (0..count)
                    .filter(|&c| c != b)
                    .map(|c| (c, normal.block(c, b)))
                    .filter(|(_, block)| block[3][3] != 0.0)
                    .collect()
            })
            .collect();
        Self { own, others }
    }

    /// The same from the blocks of pairs of bones; every bone that moves anything is a pair with itself.
    pub fn of_pairs(pairs: &[[u32; 2]], blocks: &[DMat4], count: usize) -> Self {
        let mut all = Self { own: vec![[[0.0; 4]; 4]; count], others: vec![Vec::new(); count] };
        for (&[a, b], block) in pairs.iter().zip(blocks) {
            let (a, b, block) = (a as usize, b as usize, block.to_cols_array_2d());
            if a == b {
                all.own[a] = block;
            } else {
                all.others[a].push((b, block));
                all.others[b].push((a, block));
            }
        }
        all
    }
}

/// One frame's right-hand sides: for each bone the rows of its target.
fn targets(normal: &Normal, reduced: &Reduced, frame: usize, count: usize) -> Vec<[[f64; 4]; 3]> {
    (0..count)
        .map(|b| rows(&expand(&normal.right[b * 4 * normal.dims..(b + 1) * 4 * normal.dims], reduced, frame)))
        .collect()
}

#[inline(always)]
fn sweep_body(transforms: &mut [DAffine3], targets: &[[[f64; 4]; 3]], blocks: &Blocks, locked: &[bool]) {
    for b in (0..transforms.len()).filter(|&b| !locked[b]) {
        let (mass, center) = mass_and_center(&blocks.own[b]);
        if mass <= 0.0 {
            continue;
        }
        let mut target = targets[b];
        for (c, block) in &blocks.others[b] {
            take_away(&rows(&transforms[*c]), block, &mut target);
        }
        let one = DVec3::new(target[0][3], target[1][3], target[2][3]);
        let cross =
            DMat3::from_cols_array(&std::array::from_fn(|i| target[i % 3][i / 3])) - outer(one, center);
        let rotation = nearest_rotation(cross).unwrap_or(transforms[b].matrix3);
        transforms[b] = about(rotation, center, one / mass);
    }
}

for_wide_machines! {
    /// Improves every bone of a frame once.
    sweep, sweep_body,
    (transforms: &mut [DAffine3], targets: &[[[f64; 4]; 3]], blocks: &Blocks, locked: &[bool])
}

#[inline(always)]
fn rows(t: &DAffine3) -> [[f64; 4]; 3] {
    let m = t.matrix3.to_cols_array();
    std::array::from_fn(|axis| [m[axis], m[3 + axis], m[6 + axis], t.translation[axis]])
}

/// Subtracts the product of a transform and a block.
#[inline(always)]
fn take_away(transform: &[[f64; 4]; 3], block: &[[f64; 4]; 4], out: &mut [[f64; 4]; 3]) {
    for (row, out) in transform.iter().zip(out) {
        for (x, block) in row.iter().zip(block) {
            for (out, y) in out.iter_mut().zip(block) {
                *out -= x * y;
            }
        }
    }
}

fn orthonormal(r: DMat3) -> DMat3 {
    let x = r.x_axis.normalize();
    let y = (r.y_axis - x * x.dot(r.y_axis)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

/// Brings runs and forms up to date with the transforms.
pub fn refresh(bones: &mut Bones, reduced: &Reduced) {
    let (count, d) = (bones.count(), bones.dims);
    let Some(rigid) = &mut bones.rigid else { return };
    // What x, y, z and one contribute over all frames, for each bone four tracks.
    let length = (3 * reduced.frame_count()).next_multiple_of(LANES);
    let mut tracks = vec![0.0; count * 4 * length];
    tracks.par_chunks_mut(4 * length).enumerate().for_each(|(b, tracks)| {
        for (frame, transforms) in rigid.transforms.chunks_exact(count).enumerate() {
            let t = &transforms[b];
            let columns = [t.matrix3.x_axis, t.matrix3.y_axis, t.matrix3.z_axis, t.translation];
            for (c, column) in columns.iter().enumerate() {
                tracks[c * length + 3 * frame..][..3].copy_from_slice(&column.to_array());
            }
        }
    });
    let rows = 3 * reduced.frame_count();
    bones.runs.par_chunks_mut(d).zip(tracks.par_chunks(length)).for_each(|(run, track)| {
        run.fill(0.0);
        add_rows(&track[..rows], &reduced.basis, run);
    });
    let runs = &bones.runs;
    let upper: Vec<(usize, usize)> = (0..count).flat_map(|b| (b..count).map(move |c| (b, c))).collect();
    let forms: Vec<[f64; 10]> = upper
        .par_iter()
        .map(|&(b, c)| {
            forms::from_products(|i, j| {
                let (x, y) = (b * 4 + i, c * 4 + j);
                dot(&tracks[x * length..(x + 1) * length], &tracks[y * length..(y + 1) * length])
                    - dot(&runs[x * d..(x + 1) * d], &runs[y * d..(y + 1) * d])
            })
        })
        .collect();
    rigid.outside = vec![[0.0; 10]; count * count];
    for (&(b, c), form) in upper.iter().zip(forms) {
        rigid.outside[b * count + c] = form;
        rigid.outside[c * count + b] = form;
    }
}
