//! Skeletons that move without a mesh: files of motion.

use glam::DAffine3;
use sinew::motion::{Motion, SourceJoint};

use super::file::UsdFile;
use super::import::stated_clips;
use super::skeleton::{SkelAnimation, SkeletonPrim};
use crate::scene::names::Names;
use crate::{Error, Result, Warning, room};

impl UsdFile {
    /// Whether the file has a skeleton and no mesh.
    pub fn is_motion(&self) -> Result<bool> {
        Ok(!self.skeletons().is_empty() && self.meshes()?.0.is_empty())
    }

    /// The motion of all joints in the clips of these names or numbers, or in all clips when there are none; each at
    /// `fps`, or at its own rate. The bind pose is that of the skeleton. Returns what was amiss too.
    pub fn joint_motion(&self, clips: &[String], fps: Option<f64>) -> Result<(Motion, Vec<Warning>)> {
        let all = ["all".to_string()];
        let (clips, _) = self.frames(if clips.is_empty() { &all } else { clips }, fps)?;
        let mut warnings = self.stage.warnings.clone();
        let mut motion = Motion { fps: clips[0].fps, ..Motion::default() };
        let skeletons = self.skeletons();
        let read = |prim: &usize| SkeletonPrim::read(&self.stage, *prim, &mut warnings);
        let skeletons: Vec<SkeletonPrim> = skeletons.iter().map(read).collect::<Result<_>>()?;
        let frames: usize = clips.iter().map(|c| c.times.len()).sum();
        let joints = skeletons.iter().map(|s| s.joints.len()).sum();
        room::check_joints(frames, joints, self.stage.layers[0].len(), self.path())?;
        let mut names = Names::default();
        for skeleton in &skeletons {
            let place = self.upright() * self.stage.world(skeleton.prim, clips[0].times[0])?;
            let (first, rank) = (motion.joints.len(), ranks(skeleton));
            for &joint in skeleton.order() {
                motion.joints.push(SourceJoint {
                    name: names.unique(skeleton.name(joint).to_owned()),
                    parent: skeleton.parents[joint].map(|parent| first + rank[parent]),
                    tip: None,
                });
                motion.bind.push(place * skeleton.binds[joint]);
            }
        }
        for clip in &clips {
            let other = clip.animation.map(|prim| SkelAnimation::read(&self.stage, prim)).transpose()?;
            for &time in &clip.times {
                for skeleton in &skeletons {
                    motion.worlds.extend(self.joints_at(skeleton, other.as_ref(), time)?);
                }
            }
        }
        motion.clips = stated_clips(&clips);
        motion.metres_per_unit = self.facts()?.metres_per_unit;
        motion.validate().map_err(|e| Error::malformed(self.path(), e.to_string()))?;
        Ok((motion, warnings))
    }

    /// Joints in the world, parents first.
    fn joints_at(
        &self,
        skeleton: &SkeletonPrim,
        other: Option<&SkelAnimation>,
        time: f64,
    ) -> Result<Vec<DAffine3>> {
        let own = match other {
            Some(_) => None,
            None => self.stage.animation_of(skeleton.prim),
        };
        let own = own.map(|prim| SkelAnimation::read(&self.stage, prim)).transpose()?;
        let world = self.upright() * self.stage.world(skeleton.prim, time)?;
        let pose = skeleton.pose(&self.stage, other.or(own.as_ref()), time)?;
        Ok(skeleton.order().iter().map(|&joint| world * pose[joint]).collect())
    }

    fn skeletons(&self) -> Vec<usize> {
        let is_one = |p: &usize| self.stage.prims[*p].type_name == "Skeleton";
        self.stage.below(0).into_iter().filter(is_one).collect()
    }
}

/// Where each joint is in the order.
fn ranks(skeleton: &SkeletonPrim) -> Vec<usize> {
    let mut rank = vec![0; skeleton.joints.len()];
    skeleton.order().iter().enumerate().for_each(|(at, &joint)| rank[joint] = at);
    rank
}
