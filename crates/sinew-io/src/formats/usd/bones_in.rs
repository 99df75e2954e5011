//! Bones of a file: their transforms, names and places.

use std::collections::HashMap;

use glam::{DAffine3, DVec3, Vec3};
use sinew::rig::{Bone, SkinWeights};

use super::bind::Source;
use super::file::UsdFile;
use super::import::Scene;
use super::skeleton::SkelAnimation;
use crate::scene::bones::RIGID_ROTATION;
use crate::scene::names::Names;
use crate::scene::turns::is_rotation;
use crate::{Error, Result, room};

impl UsdFile {
    /// Transforms of all bones in all frames.
    pub(super) fn transforms(&self, scene: &Scene) -> Result<Vec<DAffine3>> {
        let frames: usize = scene.clips.iter().map(|c| c.times.len()).sum();
        let sources = &scene.bindings.sources;
        room::check_joints(frames, sources.len(), self.stage.layers[0].len(), self.path())?;
        let mut unbind = Vec::with_capacity(sources.len());
        let mut rest_of = HashMap::new();
        for source in sources {
            unbind.push(match *source {
                Source::Joint { skeleton, joint } => {
                    let bound = &scene.bindings.skeletons[skeleton].skeleton;
                    if let std::collections::hash_map::Entry::Vacant(entry) = rest_of.entry(skeleton) {
                        entry.insert(self.reference(scene, bound.prim)?.1.inverse());
                    }
                    bound.binds[joint].inverse() * rest_of[&skeleton]
                }
                Source::Prim(None) => DAffine3::IDENTITY,
                Source::Prim(Some(prim)) => self.reference(scene, prim)?.1.inverse(),
            });
        }
        let mut transforms = Vec::with_capacity(frames * sources.len());
        for clip in &scene.clips {
            let other = clip.animation.map(|prim| SkelAnimation::read(&self.stage, prim)).transpose()?;
            for &time in &clip.times {
                self.pose_bones(scene, other.as_ref(), time, &unbind, &mut transforms)?;
            }
        }
        Ok(transforms)
    }

    fn pose_bones(
        &self,
        scene: &Scene,
        other: Option<&SkelAnimation>,
        time: f64,
        unbind: &[DAffine3],
        out: &mut Vec<DAffine3>,
    ) -> Result<()> {
        let mut poses = Vec::new();
        for bound in &scene.bindings.skeletons {
            let animation = other.or(bound.animation.as_ref());
            let world = self.upright() * self.stage.world(bound.skeleton.prim, time)?;
            let pose = bound.skeleton.pose(&self.stage, animation, time)?;
            poses.push(pose.into_iter().map(|joint| world * joint).collect::<Vec<_>>());
        }
        for (source, unbind) in scene.bindings.sources.iter().zip(unbind) {
            let world = match *source {
                Source::Joint { skeleton, joint } => poses[skeleton][joint],
                Source::Prim(None) => DAffine3::IDENTITY,
                Source::Prim(Some(prim)) => self.upright() * self.stage.world(prim, time)?,
            };
            let transform = world * *unbind;
            if !transform.is_finite() {
                let name = self.bone_name(scene, source);
                let message = format!("joint {name} has no finite transform at time {time}");
                return Err(Error::malformed(self.path(), message));
            }
            out.push(transform);
        }
        Ok(())
    }

    fn bone_name(&self, scene: &Scene, source: &Source) -> String {
        match *source {
            Source::Joint { skeleton, joint } => {
                scene.bindings.skeletons[skeleton].skeleton.name(joint).into()
            }
            Source::Prim(Some(prim)) => self.stage.prims[prim].name.clone(),
            Source::Prim(None) => "still".into(),
        }
    }

    /// Where joints were in the rest pose; of prims, nothing.
    pub(super) fn joint_places(&self, scene: &Scene) -> Result<Vec<Option<DVec3>>> {
        let mut worlds = Vec::new();
        for bound in &scene.bindings.skeletons {
            worlds.push(self.reference(scene, bound.skeleton.prim)?.1);
        }
        let place = |source: &Source| match *source {
            Source::Joint { skeleton, joint } => {
                let bind = scene.bindings.skeletons[skeleton].skeleton.binds[joint];
                Some(worlds[skeleton].transform_point3(bind.translation)).filter(|p| p.is_finite())
            }
            Source::Prim(_) => None,
        };
        Ok(scene.bindings.sources.iter().map(place).collect())
    }

    pub(super) fn bones(
        &self,
        scene: &Scene,
        transforms: &[DAffine3],
        weights: &SkinWeights,
        rest: &[Vec3],
    ) -> Vec<Bone> {
        let count = scene.bindings.sources.len();
        let (mut sums, mut totals) = (vec![DVec3::ZERO; count], vec![0.0; count]);
        for (vertex, p) in rest.iter().enumerate() {
            let (bones, weights) = weights.of(vertex);
            for (&bone, &w) in bones.iter().zip(weights) {
                sums[bone as usize] += p.as_dvec3() * f64::from(w);
                totals[bone as usize] += f64::from(w);
            }
        }
        let places = self.joint_places(scene).unwrap_or_else(|_| vec![None; count]);
        let mut names = Names::default();
        let bone = |(b, source): (usize, &Source)| {
            let of_joint = places[b].unwrap_or_default();
            // Files written by Sinew have joints at the bones' centers.
            let ours = match *source {
                Source::Joint { skeleton, .. } => scene.bindings.skeletons[skeleton].stated,
                Source::Prim(_) => false,
            };
            let center = if totals[b] > 0.0 && !ours { sums[b] / totals[b] } else { of_joint };
            let rigid =
                transforms.iter().skip(b).step_by(count).all(|t| is_rotation(t.matrix3, RIGID_ROTATION));
            Bone { name: names.unique(self.bone_name(scene, source)), center, rigid, axes: None }
        };
        scene.bindings.sources.iter().enumerate().map(bone).collect()
    }
}
