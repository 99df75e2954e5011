//! What meshes follow: joints of a skeleton, or a prim that moves.

use std::collections::HashMap;

use glam::DAffine3;

use super::query::{Between, affine};
use super::skeleton::{SkelAnimation, SkeletonPrim};
use super::stage::Stage;
use super::surface::Surface;
use crate::{Error, Result, Warning};

/// Weights further than this from a sum of one are normalised.
const SUM_NOISE: f64 = 1e-5;
/// Joints that are bones of the rig, of skeletons written by Sinew; others only carry them.
pub(super) const BONES: &str = "sinew:bones";

/// Where the transforms of a bone come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// A joint of one of the skeletons.
    Joint { skeleton: usize, joint: usize },
    /// A prim that moves; none for what stands still.
    Prim(Option<usize>),
}

/// A skeleton and the bones made of its joints.
pub(super) struct Bound {
    pub skeleton: SkeletonPrim,
    pub animation: Option<SkelAnimation>,
    /// Bone of each joint.
    pub bones: Vec<Option<u32>>,
    /// Whether the file says which joints are bones.
    pub stated: bool,
}

/// Bones, and which vertex follows which.
#[derive(Default)]
pub(super) struct Bindings {
    pub sources: Vec<Source>,
    pub skeletons: Vec<Bound>,
    /// Influences of all vertices of all meshes.
    pub rows: Vec<Vec<(u32, f32)>>,
    /// For each mesh: its skeleton, and what takes its points to that of the skeleton when bound.
    pub skins: Vec<Option<(usize, DAffine3)>>,
    of_skeleton: HashMap<usize, usize>,
    of_mover: HashMap<Option<usize>, u32>,
}

impl Bindings {
    /// Binds a mesh.
    pub fn add(&mut self, stage: &Stage, surface: &Surface, warnings: &mut Vec<Warning>) -> Result<()> {
        let prim = surface.prim;
        let influences = Influences::read(stage, prim)?;
        if influences.is_some() && stage.skeleton_of(prim).is_none() {
            let path = &stage.prims[prim].path;
            warnings.push(Warning::NoSkeleton(path.clone()));
        }
        let skin = match stage.skeleton_of(prim).zip(influences) {
            Some((skeleton, influences)) => Some((self.bound(stage, skeleton, warnings)?, influences)),
            None => None,
        };
        let Some((index, influences)) = skin else {
            let mover = stage.mover(prim)?;
            let next = self.sources.len() as u32;
            let bone = *self.of_mover.entry(mover).or_insert(next);
            if bone == next {
                self.sources.push(Source::Prim(mover));
            }
            self.rows.extend(surface.points.iter().map(|_| vec![(bone, 1.0)]));
            self.skins.push(None);
            return Ok(());
        };
        let geom = stage.inherited(prim, |p| stage.has(p, GEOM_BIND).then_some(p));
        let geom = geom.map(|p| stage.at(p, GEOM_BIND, 0.0, Between::Held)).transpose()?.flatten();
        let geom = geom.filter(|m| m.len() == 16).map_or(DAffine3::IDENTITY, |m| affine(&m));
        let bones = self.skeletons[index].local_bones(stage, prim)?;
        let rows = influences.rows(stage, surface, &bones, warnings)?;
        self.rows.extend(rows);
        self.skins.push(Some((index, geom)));
        Ok(())
    }

    /// The skeleton of a prim, read once.
    pub fn bound(&mut self, stage: &Stage, prim: usize, warnings: &mut Vec<Warning>) -> Result<usize> {
        if let Some(&known) = self.of_skeleton.get(&prim) {
            return Ok(known);
        }
        let skeleton = SkeletonPrim::read(stage, prim, warnings)?;
        let animation = stage.animation_of(prim).map(|a| SkelAnimation::read(stage, a)).transpose()?;
        let index = self.skeletons.len();
        let stated = stage.words(prim, BONES)?;
        let places: HashMap<&str, usize> =
            skeleton.joints.iter().enumerate().map(|(i, j)| (j.as_str(), i)).collect();
        let listed: Vec<usize> = stated.iter().filter_map(|j| places.get(j.as_str()).copied()).collect();
        let joints = if listed.is_empty() { (0..skeleton.joints.len()).collect() } else { listed.clone() };
        let mut bones = vec![None; skeleton.joints.len()];
        for joint in joints {
            if bones[joint].is_none() {
                bones[joint] = Some(self.sources.len() as u32);
                self.sources.push(Source::Joint { skeleton: index, joint });
            }
        }
        self.skeletons.push(Bound { skeleton, animation, bones, stated: !listed.is_empty() });
        self.of_skeleton.insert(prim, index);
        Ok(index)
    }
}

const GEOM_BIND: &str = "primvars:skel:geomBindTransform";
const INDICES: &str = "primvars:skel:jointIndices";
const WEIGHTS: &str = "primvars:skel:jointWeights";

impl Bound {
    /// Bones by the numbers that a mesh gives joints: those of its own list, or of the skeleton's.
    fn local_bones(&self, stage: &Stage, prim: usize) -> Result<Vec<Option<u32>>> {
        let listed = stage.inherited(prim, |p| stage.has(p, "skel:joints").then_some(p));
        let listed = listed.map_or(Ok(Vec::new()), |p| stage.words(p, "skel:joints"))?;
        if listed.is_empty() {
            return Ok(self.bones.clone());
        }
        let places: HashMap<&str, usize> =
            self.skeleton.joints.iter().enumerate().map(|(i, j)| (j.as_str(), i)).collect();
        Ok(listed.iter().map(|j| places.get(j.as_str()).and_then(|&i| self.bones[i])).collect())
    }
}

/// Joint influences as a mesh states them.
struct Influences {
    joints: Vec<f64>,
    weights: Vec<f64>,
    /// How many each point has.
    each: usize,
    /// Whether all points have the same.
    constant: bool,
}

impl Influences {
    fn read(stage: &Stage, prim: usize) -> Result<Option<Self>> {
        let owner = stage.inherited(prim, |p| (stage.has(p, INDICES) && stage.has(p, WEIGHTS)).then_some(p));
        let Some(prim) = owner else { return Ok(None) };
        let joints = stage.at(prim, INDICES, 0.0, Between::Held)?.unwrap_or_default();
        let weights = stage.at(prim, WEIGHTS, 0.0, Between::Held)?.unwrap_or_default();
        let each = [INDICES, WEIGHTS].iter().find_map(|n| stage.fact(prim, n, |p| p.element_size));
        let each = each.filter(|e| *e >= 1.0).unwrap_or(1.0) as usize;
        let constant = stage.interpolation(prim, INDICES).is_none_or(|i| i == "constant");
        Ok(Some(Self { joints, weights, each, constant }))
    }

    fn rows(
        &self,
        stage: &Stage,
        surface: &Surface,
        bones: &[Option<u32>],
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Vec<(u32, f32)>>> {
        let path = &stage.prims[surface.prim].path;
        let malformed = |message: String| Error::malformed(stage.path(), format!("mesh {path} {message}"));
        let stated = if self.constant { 1 } else { surface.points.len() };
        let needed = self.each.saturating_mul(stated);
        if self.joints.len() != needed || self.weights.len() != needed {
            let (j, w) = (self.joints.len(), self.weights.len());
            return Err(malformed(format!(
                "has {j} joint indices and {w} weights, but should have {needed}"
            )));
        }
        let (mut rows, mut loose) = (Vec::with_capacity(surface.points.len()), 0);
        let first = bones.iter().flatten().next().copied().unwrap_or(0);
        for (joints, weights) in self.joints.chunks_exact(self.each).zip(self.weights.chunks_exact(self.each))
        {
            let mut row: Vec<(u32, f64)> = Vec::new();
            for (&joint, &weight) in joints.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                let bone = bones.get(joint as usize).copied().flatten().filter(|_| joint >= 0.0);
                let bone =
                    bone.ok_or_else(|| malformed(format!("follows joint {joint}, which does not exist")))?;
                if !weight.is_finite() {
                    return Err(malformed("has weights that are not finite".into()));
                }
                match row.iter_mut().find(|(b, _)| *b == bone) {
                    Some((_, known)) => *known += weight,
                    None => row.push((bone, weight)),
                }
            }
            let sum: f64 = row.iter().map(|(_, w)| w).sum();
            if sum <= SUM_NOISE {
                loose += 1;
                row = vec![(first, 1.0)];
            } else if (sum - 1.0).abs() > SUM_NOISE {
                row.iter_mut().for_each(|(_, w)| *w /= sum);
            }
            row.sort_by(|a, b| b.1.total_cmp(&a.1));
            rows.push(row.into_iter().map(|(b, w)| (b, w as f32)).collect());
        }
        if loose > 0 {
            warnings.push(Warning::LooseVertices { count: loose, mesh: path.clone() });
        }
        if self.constant {
            rows = vec![rows.remove(0); surface.points.len()];
        }
        Ok(rows)
    }
}
