//! What joints do not explain about a rig's own motion.
//!
//! The bones of a rig found without a skeleton slip against each other: they share flesh, not joints. Two
//! things are learned from the rig's own poses, so that its own rotations lead back to its own translations:
//!
//! - What turns of *other* bones tell about a bone's place: vectors d with residual ≈ Σ_k M_k d_k. This is
//!   the form that places have in any tree of joints, however far down; a penalty on d keeps it to what holds
//!   for motion not yet seen.
//! - What is left, remembered pose by pose: it counts near a remembered pose and fades away from it.
//!
//! Both turn with the whole: they are told relative to the bones, not to the world.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::error::TranslationError;
use super::half_rotations::rotation;
use super::rig_motion::RigMotion;
use super::tuning::{TUNING, TranslationTuning};
use crate::animation::evenly;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::solve::dense::solve_rows;

/// What is left of places in remembered poses.
pub(super) struct Memory {
    /// Number of bones.
    bones: usize,
    /// The bone that the others are told against.
    held: usize,
    /// Linear parts seen from the held bone, pose after pose.
    keys: Vec<DMat3>,
    /// What each pose adds to the places, seen from the held bone, pose after pose.
    values: Vec<DVec3>,
}

/// Adds to `moves` what the turns of other bones tell, and remembers the rest.
pub(super) fn learn(
    own: &RigMotion,
    held: usize,
    moves: &mut [DVec3],
    progress: &dyn Progress,
) -> Result<Memory, TranslationError> {
    let residuals = residuals(own, held, moves);
    let told = told_by_turns(own, &residuals, progress)?;
    moves.iter_mut().zip(told).for_each(|(m, d)| *m += d);
    remember(own, held, moves)
}

/// What is missing from the places of every bone, against that of `held`, pose after pose.
fn residuals(own: &RigMotion, held: usize, moves: &[DVec3]) -> Vec<DVec3> {
    let mut found = vec![DVec3::ZERO; own.bones];
    let mut all = Vec::with_capacity(own.places.len());
    for pose in 0..own.len() {
        moved(moves, own.turns_of(pose), &mut found);
        let places = own.places_of(pose);
        let still = places[held] - found[held];
        all.extend(places.iter().zip(&found).map(|(place, found)| *place - *found - still));
    }
    all
}

/// Where turns carry the bones: Σ_k M_k v_k for the vectors v of each bone.
pub(super) fn moved(moves: &[DVec3], turns: &[DMat3], out: &mut [DVec3]) {
    for (place, moves) in out.iter_mut().zip(moves.chunks_exact(turns.len())) {
        *place = turns.iter().zip(moves).map(|(turn, v)| *turn * *v).sum();
    }
}

/// Normal equations of the regression over some poses.
#[derive(Clone)]
struct Normal {
    bones: usize,
    poses: usize,
    /// Lower triangle, (3 × bones)².
    gram: Vec<f64>,
    /// (3 × bones) × bones.
    right: Vec<f64>,
}

impl Normal {
    fn new(
        own: &RigMotion,
        residuals: &[DVec3],
        poses: Range<usize>,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let n = own.bones;
        let (mut gram, mut right) = (vec![0.0; 9 * n * n], vec![0.0; 3 * n * n]);
        for pose in poses.clone() {
            progress.check()?;
            let turns = own.turns_of(pose);
            for (k, turn) in turns.iter().enumerate() {
                for (l, other) in turns[..=k].iter().enumerate() {
                    let product = turn.transpose() * *other;
                    for i in 0..3 {
                        (0..3).for_each(|j| gram[(3 * k + i) * 3 * n + 3 * l + j] += product.col(j)[i]);
                    }
                }
                for bone in 0..n {
                    let back = turn.transpose() * residuals[pose * n + bone];
                    (0..3).for_each(|i| right[(3 * k + i) * n + bone] += back[i]);
                }
            }
        }
        Ok(Self { bones: n, poses: poses.len(), gram, right })
    }

    /// Adds other poses, or takes them away.
    fn add(&mut self, other: &Self, times: f64) {
        self.gram.iter_mut().zip(&other.gram).for_each(|(a, b)| *a += times * b);
        self.right.iter_mut().zip(&other.right).for_each(|(a, b)| *a += times * b);
        self.poses = self.poses.saturating_add_signed(other.poses as isize * times as isize);
    }

    /// The vectors d, bones × bones. None where numbers are too large to solve with.
    fn solve(&self, penalty: f64) -> Option<Vec<DVec3>> {
        let n = self.bones;
        let (mut gram, mut right) = (self.gram.clone(), self.right.clone());
        (0..3 * n).for_each(|i| gram[i * (3 * n + 1)] += penalty * self.poses as f64);
        if !solve_rows(&mut gram, 3 * n, &mut right, n) {
            return None;
        }
        let right = &right;
        let vector =
            |bone: usize, k: usize| DVec3::from_array([0, 1, 2].map(|i| right[(3 * k + i) * n + bone]));
        Some((0..n).flat_map(|bone| (0..n).map(move |k| vector(bone, k))).collect())
    }
}

/// The vectors d, with the penalty under which parts of the motion are best told from the others.
fn told_by_turns(
    own: &RigMotion,
    residuals: &[DVec3],
    progress: &dyn Progress,
) -> Result<Vec<DVec3>, TranslationError> {
    let TranslationTuning { parts: count, penalties, .. } = TUNING.translations;
    // The rest pose, which comes first, is never left out.
    let frames = own.len() - 1;
    let part = |i: usize| 1 + i * frames / count..1 + (i + 1) * frames / count;
    let normal = |poses| Normal::new(own, residuals, poses, progress);
    let parts = map_in_parallel(progress, count, |i| normal(part(i)))?;
    let parts: Vec<Normal> = parts.into_iter().collect::<Result<_, Cancelled>>()?;
    let mut all = normal(0..1)?;
    parts.iter().for_each(|part| all.add(part, 1.0));
    let missed = map_in_parallel(progress, penalties.len() * count, |trial| {
        let (penalty, i) = (penalties[trial / count], trial % count);
        let mut others = all.clone();
        others.add(&parts[i], -1.0);
        others.solve(penalty).map_or(f64::INFINITY, |told| unexplained(own, residuals, part(i), &told))
    })?;
    let missed: Vec<f64> = missed.chunks_exact(count).map(|parts| parts.iter().sum()).collect();
    let best = (0..missed.len()).min_by(|&a, &b| missed[a].total_cmp(&missed[b])).unwrap_or(0);
    all.solve(penalties[best]).ok_or(TranslationError::Undetermined)
}

/// What is left of residuals, squared and weighed by how much of the mesh each bone carries.
fn unexplained(own: &RigMotion, residuals: &[DVec3], poses: Range<usize>, told: &[DVec3]) -> f64 {
    let n = own.bones;
    let mut found = vec![DVec3::ZERO; n];
    poses
        .map(|pose| {
            moved(told, own.turns_of(pose), &mut found);
            let left = residuals[pose * n..].iter().zip(&found).zip(&own.masses);
            left.map(|((residual, found), mass)| mass * residual.distance_squared(*found)).sum::<f64>()
        })
        .sum()
}

fn remember(own: &RigMotion, held: usize, moves: &[DVec3]) -> Result<Memory, TranslationError> {
    let n = own.bones;
    let residuals = residuals(own, held, moves);
    // The rest pose, which comes first, is always among them.
    let poses: Vec<usize> = evenly(own.len(), TUNING.translations.remembered).collect();
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for &pose in &poses {
        let turns = own.turns_of(pose);
        let back = rotation(&turns[held]).transpose();
        keys.extend(turns.iter().map(|turn| back * *turn));
        values.extend(residuals[pose * n..(pose + 1) * n].iter().map(|r| back * *r));
    }
    let count = poses.len();
    let mut kernel = vec![0.0; count * count];
    for i in 0..count {
        for j in 0..=i {
            kernel[i * count + j] = likeness(&keys[i * n..(i + 1) * n], &keys[j * n..(j + 1) * n]);
        }
        kernel[i * count + i] += TUNING.translations.loose_memory;
    }
    if !solve_rows(&mut kernel, count, bytemuck::cast_slice_mut(&mut values), 3 * n) {
        return Err(TranslationError::Undetermined);
    }
    Ok(Memory { bones: n, held, keys, values })
}

/// One for the same pose, going to zero with the distance.
fn likeness(one: &[DMat3], other: &[DMat3]) -> f64 {
    let square = |(a, b): (&DMat3, &DMat3)| {
        let [x, y, z] = [a.x_axis - b.x_axis, a.y_axis - b.y_axis, a.z_axis - b.z_axis];
        x.length_squared() + y.length_squared() + z.length_squared()
    };
    let distance = one.iter().zip(other).map(square).sum::<f64>() / one.len() as f64;
    let reach = TUNING.translations.reach;
    (-distance / (2.0 * reach * reach)).exp()
}

impl Memory {
    /// Adds what is remembered for turns like these.
    pub fn add(&self, turns: &[DMat3], places: &mut [DVec3]) {
        let n = self.bones;
        let frame = rotation(&turns[self.held]);
        let seen: Vec<DMat3> = turns.iter().map(|turn| frame.transpose() * *turn).collect();
        let mut sums = vec![DVec3::ZERO; n];
        for (key, values) in self.keys.chunks_exact(n).zip(self.values.chunks_exact(n)) {
            let like = likeness(&seen, key);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += *value * like);
        }
        places.iter_mut().zip(sums).for_each(|(place, sum)| *place += frame * sum);
    }
}
