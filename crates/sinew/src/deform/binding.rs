//! All that deforms a character without examples: influences, blends and the stitching.

use glam::DVec3;

use super::bend::Bends;
use super::blends::Blends;
use super::dirichlet::NONE;
use super::influences::{Influences, Lists};
use super::stitch::Stitch;
use super::surface::{Link, Surface, Welded};
use super::tree::{Tree, Turned};
use super::{Character, DeformError, DeformOptions, Handles, Pose};
use crate::geometry::Bounds;
use crate::progress::Progress;

/// All that deforms a character without examples.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub tree: Tree,
    pub surface: Surface,
    pub diagonal: f64,
    /// Joints of each triangle.
    pub influences: Lists,
    /// Joints of each point.
    pub points: Lists,
    pub blends: Blends,
    pub links: Vec<Link>,
    pub stitch: Stitch,
    /// Points in the handle of each joint.
    pub handles: Lists<u32>,
}

impl Binding {
    pub fn new(
        character: &Character,
        handles: &Handles,
        welded: Welded,
        options: &DeformOptions,
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        let triangles = character.mesh.triangles(character.rest);
        let surface = Surface::new(&triangles, character.rest, welded);
        if surface.triangles().is_empty() {
            return Err(DeformError::NoTriangles);
        }
        let mut joint_of = vec![NONE; surface.len()];
        // Where vertices of several handles are one point, the first has it.
        for (&point, &joint) in surface.point_of.iter().zip(&handles.joint_of).rev() {
            if joint != NONE {
                joint_of[point as usize] = joint;
            }
        }
        let has_handle: Vec<bool> = joint_of.iter().map(|&joint| joint != NONE).collect();
        if !has_handle.contains(&true) {
            return Err(DeformError::NoHandles);
        }
        let tree = Tree::new(character.skeleton, character.joints);
        let links = surface.links(&has_handle);
        let influences = Influences::new(&surface, &joint_of, &links, options.keep, progress)?;
        progress.advance(0.5);
        let bends = Bends::new(&surface, &tree, &influences.points);
        let blends = {
            let bend = |triangle, joint| bends.of_joint(triangle, joint);
            Blends::new(&tree, influences.triangles.iter(), options.follow, |joint| bends.line(joint), bend)
        };
        progress.check()?;
        let stitch = Stitch::new(&surface, &tree, &joint_of, &links)?;
        progress.check()?;
        let in_handles = joint_of.iter().copied().zip(0..).filter(|(joint, _)| *joint != NONE);
        let handles = Lists::grouped(tree.joints.len(), in_handles);
        let diagonal = Bounds::of(character.rest).diagonal();
        let (influences, points) = (influences.triangles, influences.points);
        Ok(Self { tree, surface, diagonal, influences, points, blends, links, stitch, handles })
    }

    /// The rotations of a pose.
    pub fn turned(&self, pose: &Pose) -> Turned {
        let mut turned = Turned::default();
        turned.set(&self.tree, &self.blends.pairs, &self.blends.lines, pose);
        turned
    }

    /// The mean of points in the rest pose and in another, if there are any.
    pub fn means(&self, points: &[u32], place: impl Fn(u32) -> DVec3) -> Option<(DVec3, DVec3)> {
        let count = points.len() as f64;
        let rest: DVec3 = points.iter().map(|&p| self.surface.place(p)).sum();
        let posed: DVec3 = points.iter().map(|&p| place(p)).sum();
        (count > 0.0).then(|| (rest / count, posed / count))
    }
}
