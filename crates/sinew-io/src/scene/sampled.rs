//! A rig as files hold it: sampled from clips.

use sinew::light::Light;
use sinew::rig::Rig;

use super::facts::Facts;
use crate::Warning;

/// How a file becomes a rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleOptions {
    /// Names of the clips, or their numbers counted from 0, or "all". The first one without.
    pub clips: Vec<String>,
    /// Frames per second to sample at. Without: that of each clip's keys, or 30 when they follow no beat.
    pub fps: Option<f64>,
    /// Whether to make one vertex of those with the same position, influences and morph displacements.
    /// Without: yes, except that files written by Sinew get exactly the vertices back they were written
    /// from.
    pub weld: Option<bool>,
}

/// A rig read from a file.
#[derive(Clone, Debug)]
pub struct SampledRig {
    /// The rig; its rest pose is the mesh as stored, and what joints carry without a skin where the bind pose
    /// has them. Where the joints of a scene make everything larger, it is that much larger.
    pub rig: Rig,
    /// What had to be repaired or left out, for people.
    pub warnings: Vec<Warning>,
    /// The clip that was sampled; `None` when the file has no animation, or several were: the rig names
    /// those.
    pub clip: Option<String>,
    /// Light over the vertices in every frame, where the file holds any ([`sinew::light`]).
    pub light: Option<Light>,
    /// What the file says about its unit, axes and times.
    pub facts: Facts,
}
