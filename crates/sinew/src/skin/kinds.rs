//! What people choose from, by name.

use crate::choices;

choices! {
    /// What a bone may do to the rest pose.
    #[derive(Default)]
    pub enum BoneKind: "kind of bones" {
        /// Turn and shift.
        Rigid = "rigid", "turn and shift",
        /// Turn, shift, stretch and shear.
        #[default]
        Flexible = "flexible", "turn, shift, stretch and shear",
    }
}

choices! {
    /// Which triangles [`Method::Sma`](super::Method::Sma) fits a bone to.
    #[derive(Default)]
    pub enum CoreSets: "core sets" {
        /// Those that end at the bone's mode, as in the paper. Triangles that move by themselves have no say.
        Modes = "modes", "triangles that move alike, as in the paper",
        /// All triangles, each with the bone that predicts it best ([`crate::segment::with_bone_count`]).
        #[default]
        Refined = "refined", "all triangles, each with the bone that predicts it best",
    }
}

choices! {
    /// The methods by name, [`pose_to_pose`](super::pose_to_pose) among them.
    #[derive(Default)]
    pub enum MethodName: "method" {
        /// [`Method::Best`](super::Method::Best).
        #[default]
        Best = "best", "the least error: bones, weights and rest pose in turn until nothing moves",
        /// [`Method::Sma`](super::Method::Sma).
        Sma = "sma", "Skinning Mesh Animations (James and Twigg 2005)",
        /// [`Method::Sad`](super::Method::Sad).
        Sad = "sad", "Skinning Arbitrary Deformations (Kavan et al. 2007): bones spread evenly over the surface, for motion of any kind",
        /// [`Method::Fesam`](super::Method::Fesam).
        Fesam = "fesam", "Fast and Efficient Skinning of Animated Meshes (Kavan et al. 2010): bones grown where the motion needs them, then rounds of weights, transforms and rest pose",
        /// [`pose_to_pose`](super::pose_to_pose), which makes no rig but a chain of poses.
        Pps = "pps", "Pose-to-Pose Skinning (Vasilakis et al. 2016): as fesam, but every pose is made from the one before",
    }
}

impl MethodName {
    /// Whether its bones may be kept rigid.
    pub fn has_rigid_bones(self) -> bool {
        matches!(self, Self::Best | Self::Sma)
    }
}
