//! NURBS surfaces as meshes, cut as finely as the file says that they are shown.
//!
//! Surfaces move with their nodes. Deformers move control points, which are gone by then: they are left out, and
//! that is said. Trimmed surfaces are left out altogether.

use super::memory::allocator;

/// Steps that a span of a surface is cut into at most.
const MOST_STEPS: usize = 64;
/// Steps where the file states none.
const USUAL_STEPS: usize = 4;
/// Corners that a surface may have. Those with more are cut less finely.
const MOST_CORNERS: usize = 1 << 18;

/// The surfaces of a file.
#[derive(Default)]
pub(super) struct Surfaces {
    meshes: Vec<ufbx::MeshRoot>,
    /// Nodes and which mesh each has.
    nodes: Vec<(u32, usize)>,
    /// How many could not be cut.
    pub failed: usize,
    /// How many have deformers.
    pub deformed: usize,
}

impl Surfaces {
    /// Cuts all surfaces that nodes show.
    pub fn new(scene: &ufbx::Scene, memory: usize) -> Self {
        let mut out = Self::default();
        for surface in &scene.nurbs_surfaces {
            if surface.element.instances.count == 0 {
                continue;
            }
            let Some(mesh) = cut(surface, memory) else {
                out.failed += 1;
                continue;
            };
            let nodes = surface.element.instances.as_ref().iter();
            out.nodes.extend(nodes.map(|node| (node.element.typed_id, out.meshes.len())));
            out.meshes.push(mesh);
            out.deformed += usize::from(is_deformed(surface));
        }
        out.nodes.sort_unstable();
        out
    }

    /// The surface of a node.
    pub fn of(&self, node: &ufbx::Node) -> Option<&ufbx::Mesh> {
        let id = node.element.typed_id;
        let at = self.nodes.partition_point(|(node, _)| *node < id);
        let (node, mesh) = self.nodes.get(at)?;
        (*node == id).then(|| &*self.meshes[*mesh])
    }
}

/// A surface as a mesh, if there is one.
fn cut(surface: &ufbx::NurbsSurface, memory: usize) -> Option<ufbx::MeshRoot> {
    let spans = [surface.basis_u.spans.len(), surface.basis_v.spans.len()];
    let mut steps = [surface.span_subdivision_u, surface.span_subdivision_v].map(|stated| match stated {
        0 => USUAL_STEPS,
        _ => (stated as usize).min(MOST_STEPS),
    });
    let corners = |steps: &[usize; 2]| {
        let along = |axis: usize| spans[axis].saturating_mul(steps[axis]).saturating_add(1);
        along(0).saturating_mul(along(1))
    };
    while corners(&steps) > MOST_CORNERS && steps != [1, 1] {
        steps = steps.map(|s| (s / 2).max(1));
    }
    if corners(&steps) > MOST_CORNERS {
        return None;
    }
    let options = ufbx::TessellateSurfaceOpts {
        temp_allocator: allocator(memory),
        result_allocator: allocator(memory),
        span_subdivision_u: steps[0],
        span_subdivision_v: steps[1],
        skip_mesh_parts: true,
    };
    ufbx::tessellate_nurbs_surface(surface, options).ok()
}

fn is_deformed(surface: &ufbx::NurbsSurface) -> bool {
    use ufbx::ElementType::{BlendDeformer, CacheDeformer, SkinDeformer};
    let connections = surface.element.connections_dst.iter();
    connections.into_iter().any(|c| matches!(c.src.type_, SkinDeformer | BlendDeformer | CacheDeformer))
}
