//! Bones as joints of UsdSkel, whose scales are half floats.
//!
//! A joint turns, scales along its own axes and shifts: turns and shifts are single floats, but scales have
//! eleven bits, one part in two thousand off at worst. A scale is therefore shared by two joints, one in the
//! other, both along the same axes: of the halves near one, the second takes the first whose product with the
//! half nearest to the rest is close. That leaves one part in twenty-five thousand at worst, and a third of that
//! as a rule. A bone that shears needs a turn before its scale as well and is three joints; one that only turns
//! is one.

use glam::{DAffine3, DQuat, DVec3};

use super::prose::Identifiers;
use crate::containers::usdc::to_half;
use crate::scene::frames::{JointFrame, JointRig};

/// Halves near one that are tried, below and above it.
const TRIED: i32 = 32;
/// How far the product may be off, as a part of the scale, for no others to be tried.
const NEAR_ENOUGH: f64 = 2e-5;

/// One joint.
pub(super) struct Joint {
    /// Its path.
    pub path: String,
    /// Its name for people.
    pub name: String,
    pub bind: DAffine3,
    pub rest: DAffine3,
    bone: usize,
    part: Part,
}

/// What of its bone a joint does.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// All of it.
    Whole,
    /// Shift, outer turn, and one factor of the scale.
    Outer,
    /// The other factor, and the turn before it where there is no joint for that.
    Fine,
    /// The turn before the scale.
    Inner,
}

/// All joints, and which of them are bones.
pub(super) struct Joints {
    pub joints: Vec<Joint>,
    /// The joint of each bone.
    pub of_bone: Vec<usize>,
}

impl Joints {
    /// `names` are the bones'.
    pub fn new(rig: &JointRig, names: &[String]) -> Self {
        let mut out = Self { joints: Vec::new(), of_bone: Vec::new() };
        let mut taken = Identifiers::default();
        for (bone, motion) in rig.joints.iter().enumerate() {
            let bind = motion.unbind.inverse();
            let mut rest = DAffine3::from_rotation_translation(motion.turn, motion.center);
            let mut path =
                motion.parent.map_or(String::new(), |p| format!("{}/", out.joints[out.of_bone[p]].path));
            let own = taken.unique(&names[bone]);
            let parts = match (motion.scaled, motion.sheared) {
                (false, _) => &[Part::Whole][..],
                (true, false) => &[Part::Outer, Part::Fine],
                (true, true) => &[Part::Outer, Part::Fine, Part::Inner],
            };
            for (i, &part) in parts.iter().enumerate() {
                let last = i + 1 == parts.len();
                let suffix = match part {
                    _ if last => "",
                    Part::Outer => "_turn",
                    _ => "_fine",
                };
                let name = format!("{}{suffix}", names[bone]);
                path += &if last { own.clone() } else { taken.unique(&format!("{own}{suffix}")) };
                out.joints.push(Joint { path: path.clone(), name, bind, rest, bone, part });
                path.push('/');
                rest = DAffine3::IDENTITY;
            }
            out.of_bone.push(out.joints.len() - 1);
        }
        out
    }

    /// Shift, turn and scale of every joint in a frame.
    pub fn frame(&self, rig: &JointRig, clip: usize, frame: usize) -> Vec<(DVec3, DQuat, DVec3)> {
        let of_joint = |joint: &Joint| {
            let JointFrame { translation, rotation, scale, inner } =
                rig.joints[joint.bone].clips[clip][frame];
            let factors = scale.to_array().map(two_halves);
            let factor = |of: fn(&(f64, f64)) -> f64| DVec3::from_array([0, 1, 2].map(|i| of(&factors[i])));
            match joint.part {
                Part::Whole => (translation, rotation, DVec3::ONE),
                Part::Outer => (translation, rotation, factor(|f| f.0)),
                Part::Fine => (DVec3::ZERO, DQuat::IDENTITY, factor(|f| f.1)),
                Part::Inner => (DVec3::ZERO, inner, DVec3::ONE),
            }
        };
        self.joints.iter().map(of_joint).collect()
    }
}

/// Two half floats whose product is a scale, nearly. The second is as near to one as that allows: between frames
/// viewers go straight from pair to pair, and pairs far apart have other products on the way.
fn two_halves(scale: f64) -> (f64, f64) {
    let off = |(a, b): (f64, f64)| (a * b - scale).abs();
    let mut best = (to_half(scale), 1.0);
    for step in 1..=TRIED {
        // Halves below one are twice as dense as above.
        for near in [1.0 + f64::from(step) / 1024.0, 1.0 - f64::from(step) / 2048.0] {
            if off(best) <= NEAR_ENOUGH * scale.abs() {
                return best;
            }
            let pair = (to_half(scale / near), near);
            if off(pair) < off(best) {
                best = pair;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_are_nearer_than_one() {
        let (mut worst, mut worst_of_one) = (0.0_f64, 0.0_f64);
        for i in 0..20_000 {
            let scale = 0.3 + f64::from(i) * 1.37e-4;
            let (a, b) = two_halves(scale);
            assert_eq!((to_half(a), to_half(b)), (a, b));
            assert!((b - 1.0).abs() < 0.032);
            worst = worst.max((a * b / scale - 1.0).abs());
            worst_of_one = worst_of_one.max((to_half(scale) / scale - 1.0).abs());
        }
        assert!(worst < 4e-5 && worst_of_one > 4e-4, "{worst} {worst_of_one}");
        assert_eq!(two_halves(1.0), (1.0, 1.0));
        assert_eq!(two_halves(-0.5), (-0.5, 1.0));
        assert_eq!(two_halves(0.0), (0.0, 1.0));
    }
}
