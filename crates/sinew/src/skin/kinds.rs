//! What people choose from, by name.

use crate::named::named;

/// What a bone may do to the rest pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneKind {
    /// Turn and shift.
    Rigid,
    /// Turn, shift, stretch and shear.
    #[default]
    Flexible,
}

named!(BoneKind, "kind of bones", [Self::Rigid => "rigid", Self::Flexible => "flexible"]);

/// Which triangles [`Method::Sma`](super::Method::Sma) fits a bone to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreSets {
    /// Those that end at the bone's mode, as in the paper. Triangles that move by themselves have no say.
    Modes,
    /// All triangles, each with the bone that predicts it best ([`crate::segment::with_bone_count`]).
    #[default]
    Refined,
}

named!(CoreSets, "core sets", [Self::Modes => "modes", Self::Refined => "refined"]);

/// The methods by name, [`pose_to_pose`](super::pose_to_pose) among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodName {
    /// [`Method::Best`](super::Method::Best).
    #[default]
    Best,
    /// [`Method::Sma`](super::Method::Sma).
    Sma,
    /// [`Method::Sad`](super::Method::Sad).
    Sad,
    /// [`Method::Fesam`](super::Method::Fesam).
    Fesam,
    /// [`pose_to_pose`](super::pose_to_pose), which makes no rig but a chain of poses.
    Pps,
}

named!(MethodName, "method", [Self::Best => "best", Self::Sma => "sma", Self::Sad => "sad", Self::Fesam => "fesam", Self::Pps => "pps"]);

impl MethodName {
    /// Whether its bones may be kept rigid.
    pub fn has_rigid_bones(self) -> bool {
        matches!(self, Self::Best | Self::Sma)
    }
}
