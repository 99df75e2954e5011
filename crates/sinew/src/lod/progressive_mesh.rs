//! A progressive mesh (Hoppe 1996): all edge collapses in their order, so that the surface after any of them can be had
//! again.

use super::surface::{Surface, Triangle};
use crate::geometry::Bounds;

/// A corner of a triangle that was moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub triangle: u32,
    pub corner: u8,
    pub vertex: u32,
    pub uv: u32,
    pub normal: u32,
    pub look: u32,
}

impl Change {
    /// Gives the corner what it was moved to.
    pub fn apply(&self, triangle: &mut Triangle) {
        let corner = usize::from(self.corner);
        triangle.vertices[corner] = self.vertex;
        triangle.uvs[corner] = self.uv;
        triangle.normals[corner] = self.normal;
        triangle.looks[corner] = self.look;
    }
}

/// After one collapse.
#[derive(Clone, Copy, Debug)]
struct Step {
    triangles: usize,
    /// How many changes there were until then.
    changes: usize,
    /// The largest mean squared distance that any collapse added.
    worst: f64,
}

/// All collapses of a surface.
pub(super) struct ProgressiveMesh {
    start: Vec<Triangle>,
    /// The step that each triangle went with; the number of all steps and more for those that stay.
    gone: Vec<u32>,
    changes: Vec<Change>,
    /// The first is before any collapse.
    steps: Vec<Step>,
    diagonal: f64,
}

impl ProgressiveMesh {
    pub fn new(surface: &Surface) -> Self {
        let start = surface.triangles.clone();
        Self {
            gone: vec![u32::MAX; start.len()],
            changes: Vec::new(),
            steps: vec![Step { triangles: start.len(), changes: 0, worst: 0.0 }],
            diagonal: Bounds::of(&surface.rest).diagonal().max(f64::MIN_POSITIVE),
            start,
        }
    }

    /// A triangle goes with the step that is being made.
    pub fn drop_triangle(&mut self, triangle: u32) {
        self.gone[triangle as usize] = self.steps.len() as u32;
    }

    /// A corner moves with the step that is being made.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// The step is made: so many triangles are left, and it added so large a mean squared distance.
    pub fn end_step(&mut self, triangles: usize, off: f64) {
        let worst = self.steps.last().map_or(0.0, |step| step.worst).max(off);
        self.steps.push(Step { triangles, changes: self.changes.len(), worst });
    }

    /// The last step.
    pub fn last(&self) -> usize {
        self.steps.len() - 1
    }

    /// Triangles that are left after a step.
    pub fn triangle_count(&self, step: usize) -> usize {
        self.steps[step].triangles
    }

    /// The first step that leaves no more than so many triangles; the last if none does.
    pub fn step_with(&self, most: usize) -> usize {
        self.steps.partition_point(|step| step.triangles > most).min(self.last())
    }

    /// How far off the surface is after a step, as a share of the diagonal.
    pub fn error(&self, step: usize) -> f64 {
        self.steps[step].worst.sqrt() / self.diagonal
    }

    /// The triangles that are left after a step, in their first order. Their points are those of the start.
    pub fn triangles(&self, step: usize) -> Vec<Triangle> {
        let mut all = self.start.clone();
        for change in &self.changes[..self.steps[step].changes] {
            change.apply(&mut all[change.triangle as usize]);
        }
        let left = all.into_iter().zip(&self.gone).filter(|(_, gone)| **gone as usize > step);
        left.map(|(triangle, _)| triangle).collect()
    }
}
