//! Smaller files within a stated error: coarser weights, fewer keys.
//!
//! The bound is on every vertex in every frame, as a fraction of the rest pose's diagonal. Half of it is
//! given to weights, half to bones. Bones are checked at the corners of a box around all they move: the
//! error of an affine map is convex, so no vertex inside the box errs more than its worst corner.

use glam::{DAffine3, DQuat, DVec3};
use sinew::animation::compare;
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::{Player, Rig, SkinWeights};

use super::bones::BoneTracks;
use super::skinning::{Influences, WeightFormat};
use super::way::{STEPS, joint};

/// A sensible bound: a fifth of a millimetre on a person.
pub const DEFAULT_COMPACT_ERROR: f64 = 1e-4;

/// The part of the bound that bones may use; the rest is for weights and for rounding to f32.
const SHARE_OF_BONES: f64 = 0.45;
const SHARE_OF_WEIGHTS: f64 = 0.5;

/// The coarsest format whose weights keep every vertex of every frame within the bound.
pub(crate) fn weight_format(rig: &Rig, influences: &Influences, bound: f64) -> WeightFormat {
    let with = |weights| Rig {
        mesh: Mesh::default(),
        rest: rig.rest.clone(),
        weights,
        bones: rig.bones.clone(),
        transforms: rig.transforms.clone(),
        skeleton: None,
        corrections: rig.corrections.clone(),
        fps: rig.fps,
        clips: Vec::new(),
    };
    let exact = with(skin_weights(influences));
    let mut rounded = with(SkinWeights::default());
    let fits = |format: &WeightFormat| {
        rounded.weights = skin_weights(&influences.rounded(*format));
        let measured = compare(&Player::new(&exact), &Player::new(&rounded), Bounds::of(&rig.rest));
        measured.error.max <= 100.0 * SHARE_OF_WEIGHTS * bound
    };
    [WeightFormat::U8, WeightFormat::U16].into_iter().find(fits).unwrap_or(WeightFormat::F32)
}

fn skin_weights(influences: &Influences) -> SkinWeights {
    SkinWeights {
        per_vertex: influences.slots,
        bones: influences.joints.iter().map(|j| u32::from(*j)).collect(),
        weights: influences.weights.clone(),
    }
}

/// Corners of a box around everything a bone moves, corrections included; `None` for idle bones.
pub(crate) type Reach = Option<[DVec3; 8]>;

/// The reach of every bone.
pub(crate) fn reaches(rig: &Rig, influences: &Influences) -> Vec<Reach> {
    let mut boxes: Vec<Option<(DVec3, DVec3)>> = vec![None; rig.bones.len()];
    let around = correction_reaches(rig);
    for (vertex, p) in rig.rest.iter().enumerate() {
        let around = DVec3::splat(around[vertex]);
        let (low, high) = (p.as_dvec3() - around, p.as_dvec3() + around);
        for slot in vertex * influences.slots..(vertex + 1) * influences.slots {
            if influences.weights[slot] > 0.0 {
                let known = &mut boxes[influences.joints[slot] as usize];
                *known = Some(known.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
            }
        }
    }
    let corners = |(a, b): (DVec3, DVec3)| {
        std::array::from_fn(|i| {
            let side = |axis: usize| if i >> axis & 1 == 0 { a[axis] } else { b[axis] };
            DVec3::new(side(0), side(1), side(2))
        })
    };
    boxes.into_iter().map(|b| b.map(corners)).collect()
}

/// How far corrections can ever take each vertex from its rest position.
fn correction_reaches(rig: &Rig) -> Vec<f64> {
    let mut reaches = vec![0.0; rig.rest.len()];
    let Some(c) = rig.corrections.as_ref().filter(|c| c.rank > 0) else { return reaches };
    for (r, shape) in c.basis.chunks_exact(rig.rest.len()).enumerate() {
        let largest = c.coefficients.iter().skip(r).step_by(c.rank).fold(0.0_f32, |m, q| m.max(q.abs()));
        for (reach, u) in reaches.iter_mut().zip(shape) {
            *reach += f64::from(largest) * u.as_dvec3().length();
        }
    }
    reaches
}

/// A bone's true motion and how far its tracks may stray from it.
pub(crate) struct Tolerance<'a> {
    /// The bone's transform in every frame.
    pub transforms: &'a [DAffine3],
    pub center: DVec3,
    pub reach: &'a Reach,
    /// Largest distance, in the mesh's units.
    pub distance: f64,
}

impl<'a> Tolerance<'a> {
    /// The bones' share of a bound on a mesh of the given diagonal.
    pub fn new(
        transforms: &'a [DAffine3],
        center: DVec3,
        reach: &'a Reach,
        bound: f64,
        diagonal: f64,
    ) -> Self {
        Self { transforms, center, reach, distance: SHARE_OF_BONES * bound * diagonal }
    }

    /// Distance of the worst corner between the true transform of `frame` and the joint's.
    pub fn error(&self, frame: usize, joint: DAffine3) -> f64 {
        let Some(corners) = self.reach else { return 0.0 };
        let truth = self.transforms[frame];
        let off = |p: &DVec3| joint.transform_point3(*p - self.center).distance(truth.transform_point3(*p));
        corners.iter().map(off).fold(0.0, f64::max)
    }

    /// Whether the keys, one per frame, stay within half the distance.
    fn allows(&self, tracks: &BoneTracks) -> bool {
        (0..self.transforms.len()).all(|f| self.error(f, tracks.between(f, f, 0.0)) <= 0.5 * self.distance)
    }

    /// Simplest tracks first: rigid ones where they do, properties at rest where they may be, then as few
    /// keys as the distance allows. `full` may have keys between frames, which are left out.
    pub fn simplify(&self, full: &BoneTracks) -> BoneTracks {
        let joints = self.transforms.iter().map(|t| joint(t, self.center));
        let rigid = BoneTracks::rigid(joints, STEPS);
        let mut tracks = if self.allows(&rigid) { rigid } else { full.at_frames() };
        for property in 0..4 {
            let mut simpler = tracks.clone();
            match property {
                0 => simpler.inner = None,
                1 => simpler.scale = None,
                2 => simpler.rotation.fill(DQuat::IDENTITY),
                _ => simpler.translation.fill(self.center),
            }
            if self.allows(&simpler) {
                tracks = simpler;
            }
        }
        let error = |f: usize, a: usize, b: usize, t: f64| self.error(f, tracks.between(a, b, t));
        tracks.kept(&needed_keys(tracks.keys.len(), self.distance, error))
    }
}

/// Splits the frames at the worst one until interpolation does for the others (Ramer 1972; Douglas and
/// Peucker 1973). `error` is that of a frame, a fraction of the way from one key to another.
pub(crate) fn needed_keys(
    frames: usize,
    distance: f64,
    error: impl Fn(usize, usize, usize, f64) -> f64,
) -> Vec<usize> {
    if frames == 0 {
        return Vec::new();
    }
    let last = frames - 1;
    let mut kept = vec![false; frames];
    kept[0] = true;
    kept[last] = true;
    let mut open = vec![(0, last)];
    while let Some((a, b)) = open.pop() {
        let mut worst = (0.0, a);
        for f in a + 1..b {
            let t = (f - a) as f64 / (b - a) as f64;
            let error = error(f, a, b, t);
            if error > worst.0 {
                worst = (error, f);
            }
        }
        if worst.0 > distance {
            kept[worst.1] = true;
            open.extend([(a, worst.1), (worst.1, b)]);
        }
    }
    (0..kept.len()).filter(|&f| kept[f]).collect()
}
