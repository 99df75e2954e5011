//! Any FBX file as a [`Rig`]: skins, plain moving nodes and blend shapes become bones, weights and
//! corrections.

use glam::DAffine3;

use super::dual::{self, Dual};
use super::instances::Instance;
use super::look::Look;
use super::meshes::Meshes;
use super::open::Fbx;
use super::sample::Motion;
use super::shapes::weighted_shapes;
use super::timeline::Timeline;
use crate::scene::assembled::Found;
use crate::scene::hierarchy::{NodeTree, hang_together};
use crate::scene::skin::{bones, skin_weights};
use crate::scene::{SampleOptions, SampledRig};
use crate::warning::Counted;
use crate::{Result, Warning};

/// A rig and what else is needed to play the file.
pub(super) struct Played {
    pub sampled: SampledRig,
    pub timeline: Timeline,
    /// Where each part is at rest.
    pub places: Vec<DAffine3>,
    /// For parts that follow their node: its transform in every frame, from the rest pose.
    pub nodes: Vec<Option<Vec<DAffine3>>>,
    pub dual: Dual,
}

impl Fbx {
    /// Samples one clip, or several one after another, into a rig. No vertices are welded: FBX splits none.
    ///
    /// All objects with a mesh are there, one part each. Frame i of a clip shows the time i / fps after its
    /// start. Files whose meshes follow point caches are refused, and where a skin asks for dual quaternions, a
    /// warning says how far from them the rig is: see [`Fbx::animation`].
    pub fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        let cached = self
            .instances()
            .iter()
            .find(|i| i.mesh.cache_deformers.count > 0)
            .map(|i| i.node.element.name.to_string());
        if let Some(name) = cached {
            return Err(self.unsupported(format!(
                "the mesh of {name} follows a point cache and no bones, so the file is an animation and not a rig"
            )));
        }
        let Played { mut sampled, dual, .. } = self.play(options, None)?;
        sampled.warnings.extend(dual.warning(&sampled.rig));
        Ok(sampled)
    }

    /// Whether a rig would not show what the file does: see [`Fbx::animation`].
    pub fn needs_playing(&self) -> bool {
        self.instances().iter().any(|i| i.mesh.cache_deformers.count > 0 || dual::asks(i.mesh))
    }

    pub(super) fn play(&self, options: &SampleOptions, cached: Option<(f64, f64)>) -> Result<Played> {
        let timeline = self.timeline(&options.clips, options.fps, cached)?;
        let instances = self.instances();
        let carriers = self.carriers(&timeline, &instances)?;
        let mut meshes = self.meshes(&instances, carriers)?;
        let (mut targets, numbered) = self.targets(&instances, &meshes, timeline.times.len())?;
        let others = self.others(&meshes.sources, timeline.times.len(), &mut meshes.warnings);
        let idle: Vec<usize> = others.idle().collect();
        let own = std::mem::take(&mut meshes.carried.of_bone);
        meshes.carried.of_bone = others.carriers(&own);
        let Motion { transforms, weights: shape_weights } =
            self.motion(&timeline, &others.sources(&meshes.sources), &meshes.carried, &numbered.keys)?;
        meshes.carried.of_bone = own;
        let (transforms, other_nodes, armature) =
            self.hang(others, &mut meshes.sources, &mut meshes.carried.of_bone, transforms);
        meshes.fold(&mut targets);
        let shapes = weighted_shapes(targets, &shape_weights);
        let Look { materials, images, face_materials, warnings } = self.look(&instances, &meshes.mesh);
        (meshes.mesh.materials, meshes.mesh.images) = (materials, images);
        meshes.mesh.face_materials = face_materials;
        meshes.warnings.extend(warnings);
        let weights = skin_weights(meshes.influences.iter().map(Vec::as_slice));
        let named = meshes.sources.iter().map(|s| (self.node_name(s.node), s));
        let mut bones = bones(named, &transforms, &weights, &meshes.rest);
        meshes.dual.stretch_about_joints(&mut bones, &meshes.sources);
        let nodes = node_tracks(&meshes, &transforms);
        let corrections = self.corrections(&shapes, &meshes, timeline.times.len())?;
        meshes.warnings.extend(self.doubts(&instances));
        let Meshes { mesh, rest, sources, carried, mut warnings, places, dual, .. } = meshes;
        let (clips, animated) = (timeline.clips.clone(), timeline.animated);
        let found = Found { mesh, rest, weights, bones, transforms, corrections, clips, animated };
        let mut sampled = found.sampled(self.source.path(), self.facts(), |_| Ok((other_nodes, armature)))?;
        let (parents, order) = self.node_order();
        let mut is_joint = self.joint_nodes();
        idle.iter().for_each(|&node| is_joint[node] = true);
        let alone = sources.first().map(|s| s.node).filter(|n| is_joint[*n]);
        let carriers = &carried.of_bone;
        let tree = NodeTree { parents: &parents, order: &order, is_joint, alone, carriers };
        warnings.extend(hang_together(&tree, &sources, &mut sampled.rig));
        sampled.warnings = warnings;
        Ok(Played { sampled, timeline, places, nodes, dual })
    }

    /// What is in the file and was not read.
    fn doubts(&self, instances: &[Instance]) -> Vec<Warning> {
        let scene = &self.scene;
        let counted = [
            (scene.nurbs_trim_surfaces.count, Counted::TrimmedNurbs),
            (self.surfaces.failed, Counted::NurbsOfPoints),
            (self.surfaces.coarser, Counted::NurbsCoarser),
            (self.surfaces.deformed, Counted::NurbsDeformed),
            (scene.lod_groups.count, Counted::LevelGroups),
            (scene.constraints.count, Counted::Constraints),
        ];
        let unkept = self.unkept(instances).into_iter().map(Warning::NotKept);
        let blinking = self.blinking(instances).into_iter().map(Warning::Blinks);
        let unread = self.unread_geometry().into_iter();
        let unread = unread.map(|(kind, count)| Warning::ObjectsOfKind { count, kind });
        Warning::counts(counted).chain(unread).chain(unkept).chain(blinking).collect()
    }
}

/// Transforms of each part's node, where the part follows it.
fn node_tracks(meshes: &Meshes, transforms: &[DAffine3]) -> Vec<Option<Vec<DAffine3>>> {
    let count = meshes.sources.len();
    let track = |bone: &Option<u32>| {
        bone.map(|b| transforms.iter().skip(b as usize).step_by(count).copied().collect())
    };
    meshes.node_bones.iter().map(track).collect()
}
