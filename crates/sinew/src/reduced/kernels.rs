//! The loops that all time goes into.
//!
//! Bones lie side by side in the registers where all of them are looked at, coordinates where one is.

use glam::Vec3;

use super::Tables;
use super::tables::LANES;
use crate::wide::{dot_in_lanes, for_wide_machines};

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

for_wide_machines!(
    /// Residuals of all bones and their squared lengths.
    pub fn residuals(tables: &Tables, point: Vec3, path: &[f32], out: &mut [f32], norms: &mut [f32]) {
        #[inline(always)]
        fn part<const W: usize>(
            (lanes, padded): (&[f32], usize),
            point: Vec3,
            path: &[f32],
            (out, norms): (&mut [f32], &mut [f32]),
            first: usize,
        ) {
            let mut sums = [0.0_f32; W];
            let coordinates = lanes.chunks_exact(4 * padded).zip(out.chunks_exact_mut(padded));
            for ((runs, out), &to) in coordinates.zip(path) {
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
        let lanes = (&tables.lanes[..], tables.padded);
        in_runs!(tables.padded, part(lanes, point, path, (out, norms)));
    }
);

for_wide_machines!(
    /// Products of one bone's residual with all.
    pub fn column(residuals: &[f32], padded: usize, bone: usize, out: &mut [f32]) {
        #[inline(always)]
        fn part<const W: usize>(
            residuals: &[f32],
            padded: usize,
            bone: usize,
            out: &mut [f32],
            first: usize,
        ) {
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
);

for_wide_machines!(
    /// The residual of one bone.
    pub fn row_residual(row: &[f32], point: Vec3, path: &[f32], out: &mut [f32]) {
        let d = path.len();
        let (x, rest) = row.split_at(d);
        let (y, rest) = rest.split_at(d);
        let (z, one) = rest.split_at(d);
        for i in 0..d {
            out[i] = x[i] * point.x + y[i] * point.y + z[i] * point.z + (one[i] - path[i]);
        }
    }
);

/// Lanes of sums along a run.
const SUMS: usize = 16;

/// What the lanes come to, halved again and again as registers are.
#[inline(always)]
pub fn sum(lanes: &[f32; SUMS]) -> f32 {
    let mut halves: [f32; 8] = std::array::from_fn(|i| lanes[i] + lanes[i + 8]);
    (0..4).for_each(|i| halves[i] += halves[i + 4]);
    (halves[0] + halves[2]) + (halves[1] + halves[3])
}

for_wide_machines!(
    /// Inner product of two runs.
    pub fn dot(a: &[f32], b: &[f32]) -> f32 {
        let mut lanes = [0.0_f32; SUMS];
        for (a, b) in a.chunks_exact(SUMS).zip(b.chunks_exact(SUMS)) {
            for lane in 0..SUMS {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        sum(&lanes)
    }
);

for_wide_machines!(
    /// Inner products of the first three runs of `blended`: xx, xy, xz, yy, yz, zz, and of each with the residual.
    pub fn rest_products(blended: &[f32], residual: &[f32]) -> [f32; 9] {
        let d = residual.len();
        let (x, others) = blended.split_at(d);
        let (y, others) = others.split_at(d);
        let mut lanes = [[0.0_f32; SUMS]; 9];
        let axes = x.chunks_exact(SUMS).zip(y.chunks_exact(SUMS)).zip(others[..d].chunks_exact(SUMS));
        for (((x, y), z), r) in axes.zip(residual.chunks_exact(SUMS)) {
            for lane in 0..SUMS {
                let (x, y, z, r) = (x[lane], y[lane], z[lane], r[lane]);
                let products = [x * x, x * y, x * z, y * y, y * z, z * z, x * r, y * r, z * r];
                lanes.iter_mut().zip(products).for_each(|(sum, product)| sum[lane] += product);
            }
        }
        lanes.map(|lanes| sum(&lanes))
    }
);

for_wide_machines!(
    /// By how much the squared error of a mixture falls when each bone is mixed in alone; negative where it does not.
    pub fn gains(error: f32, along: &[f32], norms: &[f32], out: &mut [f32]) {
        for ((out, &along), &norm) in out.iter_mut().zip(along).zip(norms) {
            let drop = error - along;
            let gain = drop * drop / (drop - along + norm).max(f32::MIN_POSITIVE);
            *out = if drop > 0.0 { gain } else { -1.0 };
        }
    }
);

for_wide_machines!(
    /// Adds `factor` times a run.
    pub fn add_scaled(factor: f32, from: &[f32], to: &mut [f32]) {
        plus(factor, from, to);
    }
);

for_wide_machines!(
    /// Adds Σ factor · row to `out`.
    pub fn weighted_sum(factors: &[f32], rows: &[f32], out: &mut [f32]) {
        factors.iter().zip(rows.chunks_exact(out.len())).for_each(|(f, row)| plus(*f, row, out));
    }
);

for_wide_machines!(
    /// Adds factor · row to each row of `out`.
    pub fn spread(factors: &[f32], row: &[f32], out: &mut [f32]) {
        factors.iter().zip(out.chunks_exact_mut(row.len())).for_each(|(f, out)| plus(*f, row, out));
    }
);

#[inline(always)]
fn plus(factor: f32, from: &[f32], to: &mut [f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

for_wide_machines!(
    /// Inner product in double precision.
    pub fn wide_dot(a: &[f64], b: &[f64]) -> f64 {
        dot_in_lanes::<8>(a, b)
    }
);

for_wide_machines!(
    /// Inner product of a run in single with one in double precision.
    pub fn mixed_dot(a: &[f32], b: &[f64]) -> f64 {
        dot_in_lanes::<8>(a, b)
    }
);
