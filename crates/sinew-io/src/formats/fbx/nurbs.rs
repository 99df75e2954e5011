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
/// Corners that all of them may have, each its share.
const MOST_CORNERS_TOGETHER: usize = 1 << 21;

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
    /// How many are cut less finely than the file says.
    pub coarser: usize,
}

impl Surfaces {
    /// Cuts all surfaces that nodes show.
    pub fn new(scene: &ufbx::Scene, memory: usize) -> Self {
        let mut out = Self::default();
        let shown = || scene.nurbs_surfaces.as_ref().iter().filter(|s| s.element.instances.count > 0);
        let share = (MOST_CORNERS_TOGETHER / shown().count().max(1)).min(MOST_CORNERS);
        for surface in shown() {
            let steps = Steps::of(surface, share);
            let Some(mesh) =
                steps.filter(|s| s.corners() <= MOST_CORNERS).and_then(|s| s.cut(surface, memory))
            else {
                out.failed += 1;
                continue;
            };
            out.coarser += usize::from(steps.is_some_and(|s| s.coarser));
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

/// How finely a surface is cut.
#[derive(Clone, Copy)]
struct Steps {
    spans: [usize; 2],
    /// Steps of each span.
    steps: [usize; 2],
    /// Whether the file says more.
    coarser: bool,
}

impl Steps {
    /// As the file says, but with no more corners than that where this leaves any choice; `None` of a surface
    /// without spans.
    fn of(surface: &ufbx::NurbsSurface, most: usize) -> Option<Self> {
        let spans = [&surface.basis_u, &surface.basis_v].map(|basis| basis.spans.len());
        let stated = [surface.span_subdivision_u, surface.span_subdivision_v].map(|steps| steps as usize);
        let steps = stated.map(|steps| if steps == 0 { USUAL_STEPS } else { steps.min(MOST_STEPS) });
        let mut out = Self { spans, steps, coarser: stated.iter().any(|s| *s > MOST_STEPS) };
        while out.corners() > most && out.steps != [1, 1] {
            out.steps = out.steps.map(|s| (s / 2).max(1));
            out.coarser = true;
        }
        spans.iter().all(|s| *s > 0).then_some(out)
    }

    fn corners(&self) -> usize {
        let along = |axis: usize| self.spans[axis].saturating_mul(self.steps[axis]).saturating_add(1);
        along(0).saturating_mul(along(1))
    }

    /// The surface as a mesh, if there is one.
    fn cut(&self, surface: &ufbx::NurbsSurface, memory: usize) -> Option<ufbx::MeshRoot> {
        let options = ufbx::TessellateSurfaceOpts {
            temp_allocator: allocator(memory),
            result_allocator: allocator(memory),
            span_subdivision_u: self.steps[0],
            span_subdivision_v: self.steps[1],
            skip_mesh_parts: true,
        };
        ufbx::tessellate_nurbs_surface(surface, options).ok()
    }
}

fn is_deformed(surface: &ufbx::NurbsSurface) -> bool {
    use ufbx::ElementType::{BlendDeformer, CacheDeformer, SkinDeformer};
    let connections = surface.element.connections_dst.iter();
    connections.into_iter().any(|c| matches!(c.src.type_, SkinDeformer | BlendDeformer | CacheDeformer))
}
