//! Files as small as they get: numbers of few bits (`KHR_mesh_quantization`) that are packed
//! (`EXT_meshopt_compression`).
//!
//! Positions are whole numbers of steps from one corner of the mesh. A skinned mesh has no node that could make
//! lengths of them, so the inverse bind matrices do. Displacements are steps too; rotations, translations,
//! scales and weights of shapes have as many bits as they need. Nobody adds up what all that does to a vertex:
//! the file is read again and measured, and written with finer steps until it keeps the bound.

use std::path::Path;

use glam::{DAffine3, DVec3, Vec3};
use serde_json::{Value, json};
use sinew::lod::Level;
use sinew::rig::{Player, Rig};

use super::read::{Gltf, parse_alone};
use super::write::{Built, WriteOptions, build};
use crate::Result;
use crate::scene::SampleOptions;
use crate::scene::skinning::WeightFormat;

/// The coarsest trial, in bounds: roundings seldom all go the same way.
const COARSEST: f64 = 6.0;
/// The finest.
const FINEST: f64 = 0.025;
/// So often the coarsest that keeps the bound is sought half way between one that does and one that does not.
const TRIALS: usize = 8;
/// Most that positions can be, in steps.
const LARGEST: f64 = 65535.0;
/// Bits that normals have on each axis of an octahedron.
pub(super) const NORMAL_BITS: u32 = 8;

/// Where a file says what its positions are steps from, and how long the steps are.
const PLACE: &str = "steps";

/// How numbers are rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    /// What positions are relative to.
    pub origin: DVec3,
    /// One step of positions and displacements.
    pub step: f64,
    /// A distance that rounding bones may add.
    pub distance: f64,
    /// Distance at which bones have what they turn and stretch, at most.
    pub reach: f64,
    /// How far corrections move anything, at most.
    pub displaced: f64,
    /// What weights of influences are stored as.
    pub weights: WeightFormat,
}

impl Packing {
    /// Rounding by about `distance` altogether.
    pub fn new(rig: &Rig, distance: f64, weights: WeightFormat) -> Self {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in &rig.rest {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let mut around = 0.0;
        if let Some(c) = &rig.corrections {
            for r in 0..c.rank {
                let shape = &c.basis[r * rig.rest.len()..(r + 1) * rig.rest.len()];
                let most = shape.iter().fold(0.0_f32, |m, u| m.max(u.abs().max_element()));
                let q = c.coefficients.iter().skip(r).step_by(c.rank).fold(0.0_f32, |m, q| m.max(q.abs()));
                around += f64::from(most) * f64::from(q);
            }
        }
        let (low, high) = (low.as_dvec3() - around, high.as_dvec3() + around);
        let extent = (high - low).max_element();
        // Errors of a base and of shapes on it add up like steps of a random walk.
        let terms = (1.0 + rig.rank() as f64).sqrt();
        let step = (distance / terms).max(extent / LARGEST).max(f64::MIN_POSITIVE);
        Self { origin: low, step, distance, reach: 0.5 * (high - low).length(), displaced: around, weights }
    }

    /// From what positions are stored as to the rest pose.
    pub fn unpack(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(DVec3::splat(self.step), glam::DQuat::IDENTITY, self.origin)
    }

    /// What a file says about that.
    pub fn extras(&self) -> Value {
        json!({ PLACE: { "origin": self.origin.to_array(), "length": self.step } })
    }

    /// Positions in steps.
    pub fn positions(&self, positions: &[[f32; 3]]) -> Vec<[i32; 3]> {
        let steps = |p: &[f32; 3]| (DVec3::from(p.map(f64::from)) - self.origin) / self.step;
        positions.iter().map(|p| steps(p).to_array().map(|x| x.round().clamp(0.0, LARGEST) as i32)).collect()
    }

    /// Displacements in steps.
    pub fn displacements(&self, displacements: &[[f32; 3]]) -> Vec<[i32; 3]> {
        let part = |x: f32| (f64::from(x) / self.step).round().clamp(-32767.0, 32767.0) as i32;
        displacements.iter().map(|d| d.map(part)).collect()
    }

    /// Bits of rotations.
    pub fn turn_bits(&self) -> u32 {
        let steps = (self.reach / self.distance.max(f64::MIN_POSITIVE)).max(1.0);
        (steps.log2().ceil() as u32 + 1).clamp(8, 16)
    }

    /// Step of numbers that move what is `reach` away by so much each.
    pub fn step_of(&self, reach: f64) -> f32 {
        (self.distance / reach.max(f64::MIN_POSITIVE)) as f32
    }
}

/// Builds a file with no vertex off by more than `bound` of the diagonal. Where coarse weights use up much of it,
/// all other numbers have to be finer: what comes out smaller is written.
pub(super) fn pack(
    path: &Path,
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
    bound: f64,
) -> Result<(Vec<u8>, Vec<String>)> {
    let trials = Trials { path, rig, levels, options, bound };
    let mut smallest: Option<Built> = None;
    for weights in [WeightFormat::U8, WeightFormat::U16] {
        let size = |built: &Option<Built>| built.as_ref().map_or(usize::MAX, |built| built.bytes.len());
        let found = trials.coarsest(weights)?;
        if size(&found) < size(&smallest) {
            smallest = found;
        }
    }
    if let Some(built) = smallest {
        return Ok((built.bytes, built.warnings));
    }
    let within = WriteOptions { compact: Some(bound), ..options.clone() };
    let mut built = build(path, rig, levels, &within, None)?;
    built
        .warnings
        .push("numbers of few bits are not exact enough for this rig; the file is not packed".into());
    Ok((built.bytes, built.warnings))
}

/// What all trials have in common.
struct Trials<'a> {
    path: &'a Path,
    rig: &'a Rig,
    levels: &'a [Level],
    options: &'a WriteOptions,
    bound: f64,
}

impl Trials<'_> {
    /// A file that is rounded by about so many bounds, if it keeps the bound.
    fn built(&self, share: f64, weights: WeightFormat) -> Result<Option<Built>> {
        let diagonal = sinew::geometry::Bounds::of(&self.rig.rest).diagonal();
        let packing = Packing::new(self.rig, share * self.bound * diagonal, weights);
        let within = WriteOptions { compact: Some(share * self.bound), ..self.options.clone() };
        let built = build(self.path, self.rig, self.levels, &within, Some(&packing))?;
        let off = farthest(self.rig, &built.bytes, &built.sources, self.path)?;
        Ok((off <= self.bound * diagonal).then_some(built))
    }

    /// The coarsest file that was found to keep the bound, if any does.
    fn coarsest(&self, weights: WeightFormat) -> Result<Option<Built>> {
        let mut best = self.built(FINEST, weights)?;
        let (mut kept, mut broken) = (FINEST, COARSEST);
        for _ in 0..if best.is_some() { TRIALS } else { 0 } {
            let share = (kept * broken).sqrt();
            match self.built(share, weights)? {
                Some(built) => (best, kept) = (Some(built), share),
                None => broken = share,
            }
        }
        Ok(best)
    }
}

/// The largest distance of any stored vertex in any frame from where the rig has it.
fn farthest(rig: &Rig, bytes: &[u8], sources: &[u32], path: &Path) -> Result<f64> {
    let options = SampleOptions { clips: vec!["all".into()], fps: None, weld: Some(false) };
    let stored = parse_alone(bytes, path)?.rig(&options)?.rig;
    let (mut a, mut b) = (vec![Vec3::ZERO; rig.rest.len()], vec![Vec3::ZERO; stored.rest.len()]);
    if sources.len() != b.len() || rig.frame_count() != stored.frame_count() {
        return Ok(f64::INFINITY);
    }
    let (whole, packed) = (Player::new(rig), Player::new(&stored));
    let mut worst = 0.0_f64;
    for frame in 0..rig.frame_count() {
        whole.pose_into(frame, &mut a);
        packed.pose_into(frame, &mut b);
        let off = b.iter().zip(sources).map(|(p, &v)| p.as_dvec3().distance(a[v as usize].as_dvec3()));
        worst = off.fold(worst, f64::max);
    }
    Ok(worst)
}

impl Gltf {
    /// Where the rest pose is, of a file whose positions are steps.
    pub(super) fn packed_place(&self) -> Option<DAffine3> {
        let place = self.root.asset.extras.get(PLACE)?;
        let number = |value: &Value| value.as_f64().filter(|x| x.is_finite());
        let origin = place.get("origin")?.as_array()?;
        let [x, y, z] = origin.as_slice() else { return None };
        let origin = DVec3::new(number(x)?, number(y)?, number(z)?);
        let step = place.get("length").and_then(number).filter(|step| *step > 0.0)?;
        Some(DAffine3::from_scale_rotation_translation(DVec3::splat(step), glam::DQuat::IDENTITY, origin))
    }
}
