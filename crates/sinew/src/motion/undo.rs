//! Taking edits back.

use glam::{DAffine3, Vec3};

use crate::geometry::CornerLayer;
use crate::rig::{Corrections, Rig};

/// What an edit replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undo {
    /// Where `transforms` begin in the rig's.
    pub(super) start: usize,
    pub(super) transforms: Vec<DAffine3>,
    /// The corrections, where the edit replaced them; the rig may have had none.
    pub(super) corrections: Option<Option<Corrections>>,
    /// The rest pose and its shading normals, where the edit replaced them.
    pub(super) rest: Option<(Vec<Vec3>, Option<CornerLayer<Vec3>>)>,
}

impl Undo {
    /// Remembers transforms of some frames.
    pub(super) fn of_frames(rig: &Rig, frames: std::ops::RangeInclusive<usize>) -> Self {
        let bones = rig.bones.len();
        let (start, end) = (frames.start() * bones, (frames.end() + 1) * bones);
        Self { start, transforms: rig.transforms[start..end].to_vec(), ..Self::default() }
    }

    /// Memory it takes, for those who keep many.
    pub fn bytes(&self) -> usize {
        let shapes = |c: &Corrections| {
            size_of_val(&c.basis[..]) + size_of_val(&c.normals[..]) + size_of_val(&c.coefficients[..])
        };
        let corrections = self.corrections.iter().flatten().map(shapes).sum::<usize>();
        let normals =
            |layer: &CornerLayer<Vec3>| size_of_val(&layer.values[..]) + size_of_val(&layer.indices[..]);
        let rest = self.rest.iter().map(|(rest, n)| size_of_val(&rest[..]) + n.as_ref().map_or(0, normals));
        size_of_val(&self.transforms[..]) + corrections + rest.sum::<usize>()
    }

    /// Exchanges what the edit replaced with what is there: once undoes the edit, twice does it again.
    ///
    /// # Panics
    /// When the rig has fewer frames than the one that was edited.
    pub fn swap(&mut self, rig: &mut Rig) {
        let end = self.start + self.transforms.len();
        rig.transforms[self.start..end].swap_with_slice(&mut self.transforms);
        if let Some(corrections) = &mut self.corrections {
            std::mem::swap(corrections, &mut rig.corrections);
        }
        if let Some((rest, normals)) = &mut self.rest {
            std::mem::swap(rest, &mut rig.rest);
            std::mem::swap(normals, &mut rig.mesh.normals);
        }
    }
}
