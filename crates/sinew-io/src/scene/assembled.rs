//! What every reader of rigs does in the end: a rig of what was found, with clips as a rig states them, and the checks that
//! all that comes after relies on.

use std::path::Path;

use glam::{DAffine3, Vec3};
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::nodes::Node;
use sinew::rig::{Bone, Corrections, Rig, SkinWeights};

use super::{Facts, SampledRig};
use crate::{Error, Result};

/// What a reader found in a file, of which a rig is made.
pub(crate) struct Found {
    pub mesh: Mesh,
    pub rest: Vec<Vec3>,
    pub weights: SkinWeights,
    pub bones: Vec<Bone>,
    pub transforms: Vec<DAffine3>,
    pub corrections: Option<Corrections>,
    /// Clips that were sampled, at least one.
    pub clips: Vec<Clip>,
    /// Whether the file has an animation.
    pub animated: bool,
}

impl Found {
    /// The rig, without a skeleton and warnings; `others` makes its nodes and the armature's name of the rest. What does not
    /// fit together is refused.
    pub fn sampled(
        self,
        path: &Path,
        facts: Facts,
        others: impl FnOnce(&Rig) -> Result<(Vec<Node>, String)>,
    ) -> Result<SampledRig> {
        let Self { mesh, rest, weights, bones, transforms, corrections, mut clips, animated } = self;
        let fps = clips[0].fps;
        // A rig of one clip states none.
        let only = (clips.len() == 1).then(|| clips.remove(0));
        let (skeleton, nodes, armature) = (None, Vec::new(), String::new());
        let mut rig = Rig {
            mesh,
            rest,
            weights,
            bones,
            transforms,
            skeleton,
            corrections,
            fps,
            clips,
            nodes,
            armature,
        };
        check_rest(&rig.rest, path)?;
        (rig.nodes, rig.armature) = others(&rig)?;
        let whole = rig.validate().map_err(|e| e.to_string());
        let whole = whole.and_then(|()| rig.mesh.validate().map_err(|e| e.to_string()));
        whole.map_err(|e| Error::malformed(path, e))?;
        let clip = only.filter(|_| animated).map(|clip| clip.name);
        Ok(SampledRig { rig, warnings: Vec::new(), clip, light: None, facts })
    }
}

/// Refuses a rest pose that is nowhere.
fn check_rest(rest: &[Vec3], path: &Path) -> Result<()> {
    match rest.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(vertex) => {
            let message = format!("vertex {vertex} of the rest pose is not a finite number");
            Err(Error::malformed(path, message))
        }
    }
}
