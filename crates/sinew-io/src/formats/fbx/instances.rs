//! Which nodes are seen with which mesh.
//!
//! A node has a mesh, or a NURBS surface, which is one here. In files before version 7 a mesh is part of its
//! node, and every instance has it again: what is instanced has one name. Deformers are stated with one of the
//! instances and act on all of them.

use std::collections::{BTreeMap, HashMap};

use super::open::Fbx;

/// The first version in which nodes share meshes.
const SHARED_MESHES: u32 = 7000;
/// From this visibility on a node is shown.
const SHOWN: f64 = 0.5;
/// Kinds of nodes that hold a geometry of their own in files before version 7.
const OLD_GEOMETRY: [&str; 3] = ["Nurb", "Nurbs", "Patch"];

/// A node with a mesh.
pub(super) struct Instance<'a> {
    pub node: &'a ufbx::Node,
    pub mesh: &'a ufbx::Mesh,
}

impl Fbx {
    /// Nodes with meshes: those that are ever shown, or all where none is.
    pub(super) fn instances(&self) -> Vec<Instance<'_>> {
        let deformed = self.deformed();
        let visibility = self.visibility();
        let later =
            |n: &ufbx::Node| visibility.get(&n.element.element_id).is_some_and(|[_, most]| *most >= SHOWN);
        let all = |shown: bool| {
            let nodes = self.scene.nodes.as_ref().iter().map(|n| n.as_ref());
            nodes
                .filter(|n| n.visible || !shown || later(n))
                .filter_map(|node| Some(Instance { node, mesh: self.mesh_of(node, &deformed)? }))
                .filter(|i| i.mesh.num_vertices > 0)
                .collect::<Vec<_>>()
        };
        let shown = all(true);
        if shown.is_empty() { all(false) } else { shown }
    }

    /// Kinds of geometry that are not read, and how many there are of each.
    pub(super) fn unread_geometry(&self) -> Vec<(String, usize)> {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for unknown in &self.scene.unknowns {
            let kind = unknown.sub_type.as_ref();
            if unknown.type_.as_ref() == "Geometry" || OLD_GEOMETRY.contains(&kind) {
                *kinds.entry(kind).or_default() += 1;
            }
        }
        kinds.into_iter().map(|(kind, count)| (kind.into(), count)).collect()
    }

    /// Names of shown objects that are hidden at other times.
    pub(super) fn blinking(&self, instances: &[Instance]) -> Vec<String> {
        let visibility = self.visibility();
        let changes = |node: &ufbx::Node| {
            let range = visibility.get(&node.element.element_id);
            range.is_some_and(|[least, most]| *least < SHOWN && *most >= SHOWN)
        };
        let blinking = instances.iter().filter(|i| changes(i.node));
        blinking.map(|i| i.node.element.name.to_string()).collect()
    }

    /// Elements whose visibility is animated, and the least and most that it is.
    fn visibility(&self) -> HashMap<u32, [f64; 2]> {
        let mut out = HashMap::new();
        let layers = self.scene.anim_layers.as_ref().iter();
        let props = layers.flat_map(|layer| layer.anim_props.iter());
        for p in props.filter(|p| p.prop_name.as_ref() == "Visibility") {
            let value = &p.anim_value;
            let [least, most] = match &value.curves[0] {
                Some(curve) if !curve.keyframes.is_empty() => [curve.min_value, curve.max_value],
                _ => [value.default_value.x; 2],
            };
            let range = out.entry(p.element.element_id).or_insert([least, most]);
            *range = [range[0].min(least), range[1].max(most)];
        }
        out
    }

    fn mesh_of<'a>(
        &'a self,
        node: &'a ufbx::Node,
        deformed: &HashMap<&str, &'a ufbx::Mesh>,
    ) -> Option<&'a ufbx::Mesh> {
        let Some(mesh) = &node.mesh else { return self.surfaces.of(node) };
        if mesh.all_deformers.count > 0 {
            return Some(mesh);
        }
        let twin = deformed.get(mesh.element.name.as_ref()).filter(|twin| alike(mesh, twin));
        Some(twin.copied().unwrap_or(mesh))
    }

    /// Meshes with deformers by their names, in files whose nodes share no meshes.
    fn deformed(&self) -> HashMap<&str, &ufbx::Mesh> {
        if self.scene.metadata.version >= SHARED_MESHES {
            return HashMap::new();
        }
        let meshes = self.scene.meshes.as_ref().iter().map(|m| m.as_ref());
        let named = meshes.filter(|m| m.all_deformers.count > 0 && !m.element.name.is_empty());
        named.map(|m| (m.element.name.as_ref(), m)).collect()
    }
}

/// Whether two meshes have the same vertices and faces.
fn alike(a: &ufbx::Mesh, b: &ufbx::Mesh) -> bool {
    let same = |(a, b): (&ufbx::Vec3, &ufbx::Vec3)| (a.x, a.y, a.z) == (b.x, b.y, b.z);
    a.num_vertices == b.num_vertices
        && a.vertex_indices.as_ref() == b.vertex_indices.as_ref()
        && a.num_faces == b.num_faces
        && a.vertices.iter().zip(b.vertices.iter()).all(same)
}
