//! Meshes whose positions are whole numbers (`KHR_mesh_quantization`).
//!
//! How large and where such a mesh is stands elsewhere: in the inverse bind matrices of its skin, or in the transform of
//! its node. As stored it is thousands of units wide and no pose that anybody would want to see. So it is put where the
//! file shows it without an animation, and its bones the other way; all poses stay what they were.

use glam::DAffine3;

use super::read::Gltf;
use crate::Result;

/// The code of floats in accessors.
const FLOAT: u32 = 5126;

/// Where each node's mesh of whole numbers is at rest; identities of others.
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
    /// Where meshes of whole numbers are at rest. Files of our own say that of the whole rig.
    pub(super) fn whole_numbers(&self, instances: &[(usize, usize)]) -> Result<WholeNumbers> {
        let mut places = vec![DAffine3::IDENTITY; self.root.nodes.len()];
        let whole = instances.iter().filter(|(_, mesh)| self.is_whole(*mesh) && !self.is_ours());
        let nodes: Vec<usize> = whole.map(|(node, _)| *node).collect();
        if nodes.is_empty() {
            return Ok(WholeNumbers(places));
        }
        let worlds = self.worlds(&self.motion(None, 1, 1.0)?, 0);
        for node in nodes {
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
