//! From a rig with a skeleton to a character.

use glam::DAffine3;
use sinew::deform::{DeformError, Handles};
use sinew::progress::Progress;
use sinew::rig::Rig;

/// What handles are found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlesFrom {
    /// Where one joint has almost all of the weight.
    Weights,
    /// Where the bones of the skeleton run.
    Skeleton,
}

/// Which vertices follow one joint alone: from the skin weights where they tell joints apart, unless it is said.
///
/// # Errors
/// When heat from the bones cannot be solved for, or the listener cancels.
pub fn find_handles(
    rig: &Rig,
    from: Option<HandlesFrom>,
    progress: &dyn Progress,
) -> Result<Handles, DeformError> {
    let joints = rig.bones.len();
    let triangles = rig.mesh.triangles(&rig.rest);
    let of_weights = Handles::from_weights(&rig.weights, joints);
    let tells_apart = joints - of_weights.joints_without(joints).len() > 1 || joints == 1;
    if from.map_or(tells_apart, |from| from == HandlesFrom::Weights) {
        return Ok(of_weights.apart(&triangles));
    }
    let skeleton = rig.skeleton.clone().unwrap_or_default();
    let found = Handles::from_skeleton(&rig.mesh, &rig.rest, &skeleton, &rig.joint_places(), progress)?;
    Ok(found.apart(&triangles))
}

/// The rig in its rest pose only.
pub fn at_rest(mut rig: Rig) -> Rig {
    rig.transforms = vec![DAffine3::IDENTITY; rig.bones.len()];
    rig.corrections = None;
    rig.clips = Vec::new();
    rig
}
