//! Bone motions laid out by frame, and the two loops that measure points against them.
//!
//! A point's path over all frames is three runs of floats, x, y and z; a bone is twelve. Predicting a
//! path is then a handful of wide multiplications per frame, whatever the number of frames.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use crate::animation::{Frames, centroid};
use crate::geometry::length_of;
use crate::wide::{dot_in_lanes, for_wide_machines};

/// Runs are padded with zeros to a multiple of this.
const LANES: usize = 16;

/// At most so many frames, evenly over all: in a long animation neighbours differ little.
pub fn spread_frames(all: usize, most: usize) -> Vec<usize> {
    let count = all.min(most);
    (0..count).map(|i| i * all / count).collect()
}

/// Where positions are measured from: the middle of the rest pose and of every frame. Far from the
/// origin, single precision would otherwise go to the distance instead of the motion.
pub struct Origins {
    /// Middle of the rest pose.
    pub rest: DVec3,
    /// Which frames are looked at.
    pub chosen: Vec<usize>,
    /// Middle of each of those frames.
    pub frames: Vec<DVec3>,
}

impl Origins {
    /// The means of all vertices in all frames.
    pub fn new(frames: &Frames, rest: &[Vec3]) -> Self {
        Self::of_some(frames, (0..frames.len()).collect(), rest)
    }

    /// The means of all vertices in some frames.
    pub fn of_some(frames: &Frames, chosen: Vec<usize>, rest: &[Vec3]) -> Self {
        let middles = chosen.par_iter().map(|&t| centroid(frames.frame(t))).collect();
        Self { rest: centroid(rest), chosen, frames: middles }
    }

    /// The means of all vertices in at most so many frames, evenly over all.
    pub fn spread(frames: &Frames, most: usize, rest: &[Vec3]) -> Self {
        Self::of_some(frames, spread_frames(frames.len(), most), rest)
    }

    /// Length of a run.
    pub fn padded(&self) -> usize {
        self.frames.len().next_multiple_of(LANES)
    }
}

/// What positions are measured in while a problem is solved: from the [`Origins`], and scaled. There and back again for
/// positions and transforms.
pub struct Units {
    /// Middles of the rest pose and of each frame.
    pub origins: Origins,
    /// What positions are multiplied by, and then divided by. One of the two is one: rounding differs, and those who
    /// solve keep theirs so that their results stay the same to the last bit.
    factor: f64,
    divisor: f64,
}

impl Units {
    /// Positions from the origins, lengths as they are.
    pub fn centred(frames: &Frames, rest: &[Vec3]) -> Self {
        Self { origins: Origins::new(frames, rest), factor: 1.0, divisor: 1.0 }
    }

    /// The same scaled so that vertices of the rest pose are about one away from its middle.
    pub fn of_radius_one(frames: &Frames, rest: &[Vec3]) -> Self {
        let centred = Self::centred(frames, rest);
        let spread: f64 = rest.iter().map(|p| (p.as_dvec3() - centred.origins.rest).length_squared()).sum();
        let radius = (spread / rest.len().max(1) as f64).sqrt();
        Self { factor: if radius > 0.0 { 1.0 / radius } else { 1.0 }, ..centred }
    }

    /// The same scaled so that the rest pose is one long, however it is turned.
    pub fn of_length_one(frames: &Frames, rest: &[Vec3]) -> Self {
        let length = length_of(rest);
        Self { divisor: if length > 0.0 { length } else { 1.0 }, ..Self::centred(frames, rest) }
    }

    /// What lengths are multiplied by.
    pub fn scale(&self) -> f64 {
        self.factor / self.divisor
    }

    /// A shift between positions.
    pub fn shift(&self, by: DVec3) -> DVec3 {
        by * self.factor / self.divisor
    }

    /// A shift between positions, back.
    pub fn shift_back(&self, by: DVec3) -> DVec3 {
        by * self.divisor / self.factor
    }

    /// A position in the rest pose.
    pub fn rest(&self, p: Vec3) -> DVec3 {
        self.shift(p.as_dvec3() - self.origins.rest)
    }

    /// A position in a frame.
    pub fn pose(&self, p: Vec3, frame: usize) -> DVec3 {
        self.shift(p.as_dvec3() - self.origins.frames[frame])
    }

    /// A position in the rest pose, back.
    pub fn rest_back(&self, p: DVec3) -> DVec3 {
        self.shift_back(p) + self.origins.rest
    }

    /// A transform from the rest pose to a frame.
    pub fn transform(&self, t: &DAffine3, frame: usize) -> DAffine3 {
        let translation = self.shift(t.transform_point3(self.origins.rest) - self.origins.frames[frame]);
        DAffine3 { matrix3: t.matrix3, translation }
    }

    /// A transform from the rest pose to a frame, back.
    pub fn transform_back(&self, t: &DAffine3, frame: usize) -> DAffine3 {
        let translation =
            self.shift_back(t.translation) + self.origins.frames[frame] - t.matrix3 * self.origins.rest;
        DAffine3 { matrix3: t.matrix3, translation }
    }
}

/// Transforms of several bones over all frames.
pub struct Tracks {
    bone_count: usize,
    padded: usize,
    /// For each bone twelve runs: columns x, y, z and the shift, for output x, then y, then z.
    entries: Vec<f32>,
}

impl Tracks {
    /// Lays out `transforms`, which hold all bones of the first frame, then of the second, and so on.
    pub fn new(origins: &Origins, transforms: &[DAffine3]) -> Self {
        Self::between(origins, transforms, |_| origins.rest)
    }

    /// Lays out the motions of bones, relative to origins already, one transform a frame for each bone.
    pub fn of_motions(motions: &[impl AsRef<[DAffine3]>]) -> Self {
        let count = motions.first().map_or(0, |m| m.as_ref().len());
        let frames = vec![DVec3::ZERO; count];
        let at_zero = Origins { rest: DVec3::ZERO, chosen: Vec::new(), frames };
        let frame = |t: usize| motions.iter().map(move |m| m.as_ref()[t]);
        Self::new(&at_zero, &(0..count).flat_map(frame).collect::<Vec<_>>())
    }

    /// The same for transforms that start, in each frame, from a pose with an origin of its own.
    pub fn between(origins: &Origins, transforms: &[DAffine3], from: impl Fn(usize) -> DVec3) -> Self {
        let padded = origins.padded();
        let bone_count = transforms.len() / origins.frames.len();
        let mut entries = vec![0.0; bone_count * 12 * padded];
        for (t, bones) in transforms.chunks_exact(bone_count).enumerate() {
            for (b, transform) in bones.iter().enumerate() {
                let translation = transform.transform_point3(from(t)) - origins.frames[t];
                let moved = DAffine3 { matrix3: transform.matrix3, translation };
                for (i, entry) in moved.to_cols_array().iter().enumerate() {
                    entries[(b * 12 + i % 3 * 4 + i / 3) * padded + t] = *entry as f32;
                }
            }
        }
        Self { bone_count, padded, entries }
    }

    /// Number of bones.
    pub fn bone_count(&self) -> usize {
        self.bone_count
    }

    /// Runs of one bone.
    pub fn bone(&self, bone: usize) -> &[f32] {
        &self.entries[bone * 12 * self.padded..(bone + 1) * 12 * self.padded]
    }
}

/// A bone's prediction minus a path, into `out`, for a point that is at `from` in each frame.
#[inline(always)]
fn residual_from(bone: &[f32], from: impl Fn(usize) -> [f32; 3], path: &[f32], out: &mut [f32]) -> f64 {
    let n = out.len() / 3;
    let mut lanes = [0.0_f32; LANES];
    for axis in 0..3 {
        let run = |c: usize| &bone[(axis * 4 + c) * n..(axis * 4 + c + 1) * n];
        let (x, y, z, shift) = (run(0), run(1), run(2), run(3));
        let path = &path[axis * n..(axis + 1) * n];
        let out = &mut out[axis * n..(axis + 1) * n];
        for start in (0..n).step_by(LANES) {
            for lane in 0..LANES {
                let t = start + lane;
                let [px, py, pz] = from(t);
                let r = x[t] * px + y[t] * py + z[t] * pz + (shift[t] - path[t]);
                out[t] = r;
                lanes[lane] += r * r;
            }
        }
    }
    lanes.iter().map(|x| f64::from(*x)).sum()
}

for_wide_machines!(
    /// A bone's prediction for `point` (relative to the rest origin) minus its path, into `out`; returns
    /// the squared length.
    pub fn residual(bone: &[f32], point: Vec3, path: &[f32], out: &mut [f32]) -> f64 {
        residual_from(bone, |_| point.to_array(), path, out)
    }
);

for_wide_machines!(
    /// Like [`residual`] for a point that starts from another place in every frame.
    pub fn residual_along(bone: &[f32], source: &[f32], path: &[f32], out: &mut [f32]) -> f64 {
        let n = out.len() / 3;
        let (x, y, z) = (&source[..n], &source[n..2 * n], &source[2 * n..3 * n]);
        residual_from(bone, |t| [x[t], y[t], z[t]], path, out)
    }
);

for_wide_machines!(
    /// Inner product in double precision.
    pub fn dot(a: &[f32], b: &[f32]) -> f64 {
        dot_in_lanes::<LANES>(a, b)
    }
);
