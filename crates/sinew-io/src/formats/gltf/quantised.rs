//! Meshes that are stored in another size than they are shown in: positions that are whole numbers
//! (`KHR_mesh_quantization`), and props beside a skin whose nodes scale them.
//!
//! How large and where such a mesh is stands elsewhere: in the inverse bind matrices of its skin, or in the transform of
//! its node. As stored it may be thousands of units wide and no pose that anybody would want to see, and the bone that it
//! follows would stretch, which bones of a tree do not. So it is put where the file shows it without an animation, and its
//! bones the other way; all poses stay what they were.

use glam::DAffine3;

use super::read::Gltf;
use crate::Result;
use crate::scene::bones::RIGID_ROTATION;
use crate::scene::turns::is_rotation;

/// The code of floats in accessors.
const FLOAT: u32 = 5126;

/// Where each node's mesh is at rest that is stored in another size; identities of others.
pub(super) struct WholeNumbers(Vec<DAffine3>);

impl WholeNumbers {
    /// From the vertices of a node's mesh as stored to the rest pose.
    pub fn place(&self, node: usize) -> DAffine3 {
        self.0[node]
    }

    /// An inverse bind matrix of a node's mesh as stored as one of its rest pose.
    pub fn inverse(&self, node: usize, stored: DAffine3) -> DAffine3 {
        let place = self.0[node];
        // As it is, to the last bit, where there is nothing to do.
        if place == DAffine3::IDENTITY { stored } else { stored * place.inverse() }
    }
}

impl Gltf {
    /// Where meshes stored in another size are at rest. Files of our own say that of the whole rig.
    pub(super) fn whole_numbers(&self, instances: &[(usize, usize)]) -> Result<WholeNumbers> {
        let mut places = vec![DAffine3::IDENTITY; self.root.nodes.len()];
        let beside_skins = |node: usize| self.root.nodes[node].skin.is_none() && !self.root.skins.is_empty();
        let may_be = |(node, mesh): &&(usize, usize)| self.is_whole(*mesh) || beside_skins(*node);
        let nodes: Vec<(usize, usize)> = instances.iter().filter(may_be).copied().collect();
        if nodes.is_empty() || self.is_ours() {
            return Ok(WholeNumbers(places));
        }
        let worlds = self.worlds(&self.motion(None, 1, 1.0)?, 0);
        let scaled = |node: usize| !is_rotation(worlds[node].matrix3, RIGID_ROTATION);
        for (node, _) in nodes.into_iter().filter(|&(node, mesh)| self.is_whole(mesh) || scaled(node)) {
            let shown = match self.root.nodes[node].skin {
                // All joints agree where the file rests as it was bound.
                Some(skin) => {
                    self.skin_joints(node, skin)?.first().map(|(joint, inverse)| worlds[*joint] * *inverse)
                }
                None => Some(worlds[node]),
            };
            // What has no extent at rest is nowhere.
            let holds = |place: &DAffine3| place.is_finite() && place.inverse().is_finite();
            places[node] = shown.filter(holds).unwrap_or(DAffine3::IDENTITY);
        }
        Ok(WholeNumbers(places))
    }

    fn is_whole(&self, mesh: usize) -> bool {
        let positions = self.root.meshes[mesh].primitives.iter().filter_map(|p| p.attributes.get("POSITION"));
        let mut kinds = positions.filter_map(|&accessor| self.root.accessors.get(accessor));
        kinds.any(|accessor| accessor.component_type != FLOAT)
    }
}
