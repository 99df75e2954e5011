//! Files as small as they get: numbers of few bits (`KHR_mesh_quantization`) that are packed
//! (`EXT_meshopt_compression`).
//!
//! Positions are whole numbers of steps from one corner of the mesh. A skinned mesh has no node that could make
//! lengths of them, so the inverse bind matrices do. Displacements are steps too; rotations, translations,
//! scales and weights of shapes have as many bits as they need. Nobody adds up what all that does to a vertex:
//! the file is read again and measured, and written with finer steps until it keeps the bound.

use std::path::Path;

use glam::{DAffine3, DVec3, Vec3};
use serde_json::Value;
use sinew::lod::Level;
use sinew::rig::{Player, Rig};

use super::options::WriteOptions;
use super::packing::{PLACE, Packing};
use super::read::{Gltf, parse_alone};
use super::write::{Built, build};
use crate::Result;
use crate::scene::SampleOptions;
use crate::scene::skinning::WeightFormat;
use crate::warning::Remark;

/// The coarsest trial, in bounds: roundings seldom all go the same way.
const COARSEST: f64 = 6.0;
/// The finest.
const FINEST: f64 = 0.025;
/// So often the coarsest that keeps the bound is sought half way between one that does and one that does not.
const TRIALS: usize = 8;
/// Builds a file with no vertex off by more than `bound` of the diagonal. Where coarse weights use up much of it,
/// all other numbers have to be finer: what comes out smaller is written.
pub(super) fn pack(
    path: &Path,
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
    bound: f64,
) -> Result<Built> {
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
        return Ok(built);
    }
    let within = WriteOptions { compact: Some(bound), ..options.clone() };
    let mut built = build(path, rig, levels, &within, None)?;
    built.warnings.push(Remark::NotPacked.into());
    Ok(built)
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
