//! Motions of the bones in reduced coordinates; of rigid ones the rotations and shifts they stand for, too.
//!
//! Rotations do not stay rotations in reduced coordinates: what pairs of rigid bones do outside of them is told by
//! quadratic forms of rest positions (`forms`), made for the pairs that are about to be looked at.

use glam::{DAffine3, DMat3, DQuat};
use rayon::prelude::*;

use std::borrow::Cow;

use super::{Pairs, forms};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::reduced::kernels::wide_dot;
use crate::reduced::{Forms, Reduced, Tables};
use crate::wide::for_wide_machines;

/// Motions of the bones, in reduced coordinates.
#[derive(Clone)]
pub struct Bones {
    /// Coordinates of a run.
    pub dims: usize,
    /// Four runs a bone: what x, y, z and one of a rest position contribute.
    pub runs: Vec<f64>,
    /// True rotations and shifts, for bones that may not stretch.
    pub rigid: Option<RigidMotion>,
    /// Bones whose motion is given.
    pub locked: Vec<bool>,
}

impl Bones {
    /// Bones that have no motion yet.
    pub fn still(dims: usize, locked: Vec<bool>) -> Self {
        Self { dims, runs: vec![0.0; 4 * dims * locked.len()], rigid: None, locked }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.locked.len()
    }

    /// The runs of one bone.
    pub fn bone(&self, b: usize) -> &[f64] {
        &self.runs[b * 4 * self.dims..(b + 1) * 4 * self.dims]
    }

    /// Moves the bones on by `share` of the way they came from `last`.
    pub fn move_on(
        &mut self,
        last: &Self,
        share: f64,
        reduced: &Reduced,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        if let (Some(now), Some(last)) = (&mut self.rigid, &last.rigid) {
            now.move_on(last, share);
            self.refresh(reduced);
            return progress.check();
        }
        self.runs.iter_mut().zip(&last.runs).for_each(|(x, l)| *x += share * (*x - l));
        Ok(())
    }

    /// Brings the runs up to date with rigid motions.
    pub fn refresh(&mut self, reduced: &Reduced) {
        let (count, d) = (self.count(), self.dims);
        let Some(rigid) = &self.rigid else { return };
        let length = 3 * reduced.frame_count();
        let tracks = rigid.tracks(count, length);
        self.runs.par_chunks_mut(d).zip(tracks.par_chunks(length)).for_each(|(run, track)| {
            run.fill(0.0);
            add_rows(track, &reduced.basis, run);
        });
    }

    /// Laid out for the loops over vertices, with what the given pairs do outside the reduced coordinates.
    pub fn tables(
        &self,
        reduced: &Reduced,
        pairs: Pairs,
        progress: &dyn Progress,
    ) -> Result<Tables<'static>, Cancelled> {
        let (count, d, runs) = (self.count(), self.dims, &self.runs);
        let Some(rigid) = &self.rigid else { return Ok(Tables::new(runs, d, None)) };
        let length = 3 * reduced.frame_count();
        let tracks = rigid.tracks(count, length);
        let values = in_parallel(progress, pairs.list.len(), |pair| {
            let [b, c] = pairs.list[pair];
            Ok(forms::from_products(|i, j| {
                let (x, y) = (b as usize * 4 + i, c as usize * 4 + j);
                wide_dot(&tracks[x * length..(x + 1) * length], &tracks[y * length..(y + 1) * length])
                    - wide_dot(&runs[x * d..(x + 1) * d], &runs[y * d..(y + 1) * d])
            }))
        })?;
        let outside = Forms { slots: pairs.into_slots(), values: Cow::Owned(values) };
        Ok(Tables::new(runs, d, Some(outside)))
    }

    /// Gives bone `to` the motion of bone `from`.
    pub fn copy_motion(&mut self, from: usize, to: usize) {
        let (d, count) = (4 * self.dims, self.count());
        self.runs.copy_within(from * d..(from + 1) * d, to * d);
        if let Some(rigid) = &mut self.rigid {
            rigid.transforms.chunks_exact_mut(count).for_each(|frame| frame[to] = frame[from]);
        }
    }
}

/// True motions of bones that may not stretch.
#[derive(Clone)]
pub struct RigidMotion {
    /// Transforms of all bones in the first frame, then in the second, and so on, in scaled coordinates
    /// relative to the origins.
    pub transforms: Vec<DAffine3>,
}

impl RigidMotion {
    /// What x, y, z and one contribute over all frames: for each bone four tracks of the given length.
    fn tracks(&self, count: usize, length: usize) -> Vec<f64> {
        let mut tracks = vec![0.0; count * 4 * length];
        tracks.par_chunks_mut(4 * length).enumerate().for_each(|(b, tracks)| {
            for (frame, transforms) in self.transforms.chunks_exact(count).enumerate() {
                for (c, column) in transforms[b].to_cols_array_2d().iter().enumerate() {
                    tracks[c * length + 3 * frame..][..3].copy_from_slice(column);
                }
            }
        });
        tracks
    }

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

fn orthonormal(r: DMat3) -> DMat3 {
    let x = r.x_axis.normalize();
    let y = (r.y_axis - x * x.dot(r.y_axis)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

for_wide_machines!(
    /// Adds Σ factor · row to `out`.
    fn add_rows(factors: &[f64], rows: &[f32], out: &mut [f64]) {
        for (f, row) in factors.iter().zip(rows.chunks_exact(out.len())) {
            out.iter_mut().zip(row).for_each(|(o, x)| *o += f * f64::from(*x));
        }
    }
);
