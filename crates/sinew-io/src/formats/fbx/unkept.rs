//! What a file holds that is not read.

use std::collections::BTreeSet;

use super::instances::Instance;
use super::open::{Fbx, STACK_FPS};
use crate::warning::Unkept;

/// Properties that programs give to everything, as a user would, to remember something of their own.
const OF_PROGRAMS: [&str; 4] = [STACK_FPS, "currentUVSet", "lockInfluenceWeights", "MaxHandle"];

impl Fbx {
    /// All that is not read of a file of which these meshes are.
    pub(super) fn unkept(&self, instances: &[Instance]) -> Vec<Unkept> {
        let meshes = self.scene.nodes.as_ref().iter().filter_map(|node| node.mesh.as_ref());
        let hidden = meshes.filter(|mesh| mesh.num_vertices > 0).count().saturating_sub(instances.len());
        let properties = self.custom_properties();
        let armatures = self.armatures();
        let found = [
            (hidden > 0).then_some(Unkept::HiddenMeshes(hidden)),
            (!properties.is_empty()).then_some(Unkept::CustomProperties(properties)),
            (armatures.len() > 1).then_some(Unkept::Armatures(armatures)),
        ];
        found.into_iter().flatten().collect()
    }

    /// Names of what people gave to nodes, meshes and materials.
    fn custom_properties(&self) -> Vec<String> {
        let scene = &self.scene;
        let nodes = scene.nodes.as_ref().iter().map(|node| &node.element);
        let meshes = scene.meshes.as_ref().iter().map(|mesh| &mesh.element);
        let materials = scene.materials.as_ref().iter().map(|material| &material.element);
        let all = nodes.chain(meshes).chain(materials).flat_map(|element| element.props.props.iter());
        let is_custom = |prop: &&ufbx::Prop| {
            prop.flags.has_any(ufbx::PropFlags::USER_DEFINED) && !prop.flags.has_any(ufbx::PropFlags::HIDDEN)
        };
        let names: BTreeSet<String> = all.filter(is_custom).map(|prop| prop.name.to_string()).collect();
        names.into_iter().filter(|name| !OF_PROGRAMS.contains(&&name[..])).collect()
    }
}
