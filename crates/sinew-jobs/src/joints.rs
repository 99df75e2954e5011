//! What can be said about a skeleton at a glance: its joints, and how far each turns.

use serde::Serialize;
use sinew::rig::Rig;
use sinew::skeleton::joint_limits;

/// One joint of a skeleton.
#[derive(Debug, Serialize)]
pub struct JointReport {
    /// Its name.
    pub name: String,
    /// Number of the parent in the same list; null for a root.
    pub parent: Option<usize>,
    /// Where it is in the rest pose.
    pub place: [f64; 3],
    /// Largest angle between its turns against its parent, of a root against the world, in two frames.
    pub swing_degrees: f64,
}

/// The joints of a rig that has a skeleton.
pub fn joints(rig: &Rig) -> Option<Vec<JointReport>> {
    let skeleton = rig.skeleton.as_ref()?;
    let limits = joint_limits(rig);
    let report = |joint: usize| JointReport {
        name: rig.bones[joint].name.clone(),
        parent: skeleton.above(joint),
        place: rig.bones[joint].center.to_array(),
        swing_degrees: limits[joint].swing,
    };
    Some((0..skeleton.len()).map(report).collect())
}
