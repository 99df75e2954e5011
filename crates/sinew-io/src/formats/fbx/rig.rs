//! Any FBX file as a [`Rig`]: skins, plain moving nodes and blend shapes become bones, weights and
//! corrections.

use glam::DAffine3;
use sinew::rig::Rig;

use super::look::Look;
use super::meshes::Meshes;
use super::open::Fbx;
use super::sample::{Motion, Timeline};
use super::shapes::moving_shapes;
use crate::Result;
use crate::scene::hierarchy::{NodeTree, hang_together};
use crate::scene::skin::{bones, skin_weights};
use crate::scene::{SampleOptions, SampledRig};

/// A rig and what else is needed to play point caches along with it.
pub(super) struct Played {
    pub sampled: SampledRig,
    pub timeline: Timeline,
    /// Where each part is at rest.
    pub places: Vec<DAffine3>,
    /// For parts that follow their node: its transform in every frame, from the rest pose.
    pub nodes: Vec<Option<Vec<DAffine3>>>,
}

impl Fbx {
    /// Samples one clip, or several one after another, into a rig. No vertices are welded: FBX splits none.
    ///
    /// All objects with a mesh are there, one part each. Frame i of a clip shows the time i / fps after its
    /// start. Files whose meshes follow point caches are refused: see [`Fbx::animation`].
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
        Ok(self.play(options, None)?.sampled)
    }

    pub(super) fn play(&self, options: &SampleOptions, cached: Option<(f64, f64)>) -> Result<Played> {
        let timeline = self.timeline(&options.clips, options.fps, cached)?;
        let instances = self.instances();
        let mut meshes = self.meshes(&instances)?;
        let (mut targets, numbered) = self.targets(&instances, &meshes, timeline.times.len())?;
        let others = self.others(&meshes.sources, timeline.times.len(), &mut meshes.warnings);
        let idle: Vec<usize> = others.idle().collect();
        let Motion { transforms, weights: shape_weights } =
            self.motion(&timeline, &others.sources(&meshes.sources), &numbered.keys)?;
        let (transforms, other_nodes, armature) = self.hang(others, &mut meshes.sources, transforms);
        meshes.fold(&mut targets);
        let shapes = moving_shapes(targets, &shape_weights);
        let Look { materials, images, face_materials, warnings } = self.look(&instances, &meshes.mesh);
        (meshes.mesh.materials, meshes.mesh.images) = (materials, images);
        meshes.mesh.face_materials = face_materials;
        meshes.warnings.extend(warnings);
        if let Some(vertex) = meshes.rest.iter().position(|p| !p.is_finite()) {
            return Err(self.malformed(format!("vertex {vertex} of the rest pose is not a finite number")));
        }
        let weights = skin_weights(meshes.influences.iter().map(Vec::as_slice));
        let named = meshes.sources.iter().map(|s| (self.node_name(s.node), s));
        let bones = bones(named, &transforms, &weights, &meshes.rest);
        let nodes = node_tracks(&meshes, &transforms);
        let corrections = self.corrections(&shapes, &meshes, timeline.times.len())?;
        let Meshes { mesh, rest, sources, warnings, places, .. } = meshes;
        let mut clips = timeline.clips.clone();
        let fps = clips[0].fps;
        let clip = (clips.len() == 1).then(|| clips.remove(0)).filter(|_| timeline.animated);
        let mut rig = Rig {
            mesh,
            rest,
            weights,
            bones,
            transforms,
            skeleton: None,
            corrections,
            fps,
            clips,
            nodes: other_nodes,
            armature,
        };
        let consistent =
            rig.validate().map_err(|e| e.to_string()).and(rig.mesh.validate().map_err(|e| e.to_string()));
        consistent.map_err(|e| self.malformed(e))?;
        let (parents, order) = self.node_order();
        let mut is_joint = self.joint_nodes();
        idle.iter().for_each(|&node| is_joint[node] = true);
        let alone = sources.first().map(|s| s.node).filter(|n| is_joint[*n]);
        hang_together(&NodeTree { parents: &parents, order: &order, is_joint, alone }, &sources, &mut rig);
        let mut sampled = SampledRig { rig, warnings, clip: clip.map(|c| c.name), light: None };
        self.doubts(&mut sampled.warnings);
        Ok(Played { sampled, timeline, places, nodes })
    }

    /// What is in the file and was not read.
    fn doubts(&self, warnings: &mut Vec<String>) {
        let scene = &self.scene;
        let nurbs = scene.nurbs_surfaces.count + scene.nurbs_trim_surfaces.count;
        let left_out = [
            (nurbs, "NURBS surfaces were left out"),
            (scene.lod_groups.count, "groups of levels of detail: all their levels were read"),
            (scene.constraints.count, "constraints were left out; their effect counts where it is baked"),
        ];
        warnings.extend(left_out.iter().filter(|l| l.0 > 0).map(|(n, what)| format!("{n} {what}")));
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
