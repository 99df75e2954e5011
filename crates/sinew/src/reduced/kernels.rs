//! The loops that all time goes into.
//!
//! Bones lie side by side in the registers where all of them are looked at, coordinates where one is.

use glam::Vec3;

use crate::wide::for_wide_machines;

/// Bones are padded to a multiple of this.
pub const LANES: usize = 8;

/// Does a part for runs of 32, then 16, then [`LANES`] bones, from the first to the last: each is told where its run begins.
macro_rules! in_runs {
    ($padded:expr, $part:ident($($arg:expr),*)) => {
        let mut first = 0;
        while first + 32 <= $padded {
            $part::<32>($($arg,)* first);
            first += 32;
        }
        while first + 16 <= $padded {
            $part::<16>($($arg,)* first);
            first += 16;
        }
        while first < $padded {
            $part::<LANES>($($arg,)* first);
            first += LANES;
        }
    };
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
    in_runs!(padded, part(lanes, padded, point, path, out, norms));
}

for_wide_machines! {
    /// Residuals of all bones and their squared lengths.
    residuals, residuals_body,
    (lanes: &[f32], padded: usize, point: Vec3, path: &[f32], out: &mut [f32], norms: &mut [f32])
}

#[inline(always)]
fn column_body(residuals: &[f32], padded: usize, bone: usize, out: &mut [f32]) {
    #[inline(always)]
    fn part<const W: usize>(residuals: &[f32], padded: usize, bone: usize, out: &mut [f32], first: usize) {
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
    in_runs!(padded, part(residuals, padded, bone, out));
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
    sum(&lanes)
}

#[inline(always)]
fn sum(lanes: &[f32; SUMS]) -> f32 {
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
fn rest_products_body(blended: &[f32], residual: &[f32]) -> [f32; 9] {
    let d = residual.len();
    let (x, others) = blended.split_at(d);
    let (y, others) = others.split_at(d);
    let mut lanes = [[0.0_f32; SUMS]; 9];
    let axes = x.chunks_exact(SUMS).zip(y.chunks_exact(SUMS)).zip(others[..d].chunks_exact(SUMS));
    for (((x, y), z), r) in axes.zip(residual.chunks_exact(SUMS)) {
        for lane in 0..SUMS {
            let (x, y, z, r) = (x[lane], y[lane], z[lane], r[lane]);
            for (sum, product) in
                lanes.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z, x * r, y * r, z * r])
            {
                sum[lane] += product;
            }
        }
    }
    lanes.map(|lanes| sum(&lanes))
}

for_wide_machines! {
    /// Inner products of the first three runs of `blended`: xx, xy, xz, yy, yz, zz, and of each with the residual.
    rest_products, rest_products_body, (blended: &[f32], residual: &[f32]) -> [f32; 9]
}

#[inline(always)]
fn gains_body(error: f32, along: &[f32], norms: &[f32], out: &mut [f32]) {
    for ((out, &along), &norm) in out.iter_mut().zip(along).zip(norms) {
        let drop = error - along;
        let gain = drop * drop / (drop - along + norm).max(f32::MIN_POSITIVE);
        *out = if drop > 0.0 { gain } else { -1.0 };
    }
}

for_wide_machines! {
    /// By how much the squared error of a mixture falls when each bone is mixed in alone; negative where it does not.
    gains, gains_body, (error: f32, along: &[f32], norms: &[f32], out: &mut [f32])
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
