//! What the joints of any rig are called, told by its body and motion as those of skeletons that are found here are.

use super::body::{Body, PartTree};
use super::called::{Unnamed, call};
use super::edited::{packed, points};
use super::{Articulation, JointNames, rooted};
use crate::animation::{Frames, evenly};
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Rig, Skeleton};
use crate::segment::{SurfaceMotion, SurfaceSamples};

/// Frames that are looked at.
const FRAMES: usize = 24;

/// Names of a rig's joints as parts of a body: those that it has where they are of none. Nothing where it is no body with
/// limbs in pairs, or that is little more than a guess.
///
/// # Errors
/// [`Cancelled`].
pub(crate) fn parts_of_body(rig: &Rig, progress: &dyn Progress) -> Result<Option<Vec<String>>, Cancelled> {
    let tree = rig.skeleton.as_ref().filter(|tree| tree.roots().count() == 1 && tree.len() > 2);
    let (Some(skeleton), true) = (tree, Bounds::of(&rig.rest).diagonal() > 0.0) else { return Ok(None) };
    let chosen: Vec<usize> = evenly(rig.frame_count(), FRAMES).collect();
    let poses: Vec<_> = chosen.iter().map(|&frame| rig.pose(frame)).collect();
    let (frames, triangles) = (Frames::from_poses(&poses), rig.mesh.triangles(&rig.rest));
    if chosen.is_empty() || triangles.is_empty() {
        return Ok(None);
    }
    let motion = SurfaceMotion { frames: &frames, triangles: &triangles, rest: &rig.rest };
    let samples = SurfaceSamples::new(motion, progress)?;
    let of_points: Vec<Vec<(usize, f64)>> =
        points(&samples, &rig.rest).into_iter().map(|v| rig.weights.influences(v).collect()).collect();
    let centers: Vec<_> = rig.bones.iter().map(|bone| bone.center).collect();
    let moving = Articulation {
        skeleton: skeleton.clone(),
        joints: centers.iter().map(|place| samples.units.rest(place.as_vec3())).collect(),
        turns: Vec::new(),
    };
    let tree = PartTree::new(&samples, &packed(&of_points), &moving);
    let Some(body) = Body::find(&tree) else { return Ok(None) };
    let hung = Skeleton::new(rooted(&tree.edges, rig.bones.len(), body.hips()));
    let transforms: Vec<_> = chosen.iter().flat_map(|&frame| rig.frame_transforms(frame).to_vec()).collect();
    let unnamed =
        Unnamed { body: &body, tree: &tree, skeleton: &hung, centers: &centers, transforms: &transforms };
    let mut names: Vec<String> = rig.bones.iter().map(|bone| bone.name.clone()).collect();
    let doubt = call(&unnamed, JointNames::Auto, &mut names);
    Ok(doubt.is_none().then_some(names))
}
