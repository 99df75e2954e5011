//! An ASF skeleton once it is known to hold together.

use glam::{DAffine3, DQuat, DVec3};
use sinew::motion::{Motion, SourceJoint};

/// Frames per second of files that tell none, which is nearly all: the rate of Carnegie Mellon's database.
pub const FPS: f64 = 120.0;

/// What a number of a frame does to a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Freedom {
    /// A turn about an axis.
    Turn(usize),
    /// A shift along an axis.
    Shift(usize),
    /// A change of length, which joints do not take part in.
    Length,
}

impl Freedom {
    pub fn named(word: &[u8]) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let axis = |letter: u8| b"xyz".iter().position(|axis| *axis == letter);
        match word.as_slice() {
            [b'r', letter] => Some(Self::Turn(axis(*letter)?)),
            [b't', letter] => Some(Self::Shift(axis(*letter)?)),
            b"l" => Some(Self::Length),
            _ => None,
        }
    }
}

/// A bone, or the root.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub name: String,
    /// None for the root.
    pub parent: Option<usize>,
    /// From the start of the bone to its end.
    pub reach: DVec3,
    /// The axes about which it turns.
    pub axes: DQuat,
    /// The numbers that a frame has for it.
    pub freedoms: Vec<Freedom>,
}

/// The skeleton of an ASF file: a root and bones, each after the one it hangs on.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub(super) bones: Vec<Bone>,
    /// Added to the place of the root.
    pub(super) position: DVec3,
    /// Whether angles of frames are degrees where the AMC file does not say.
    pub(super) degrees: bool,
    pub(super) metres_per_unit: Option<f64>,
}

impl Skeleton {
    /// The bind pose as a motion of one frame.
    pub fn at_rest(&self) -> Motion {
        let still: Vec<Vec<f64>> = self.bones.iter().map(|bone| vec![0.0; bone.freedoms.len()]).collect();
        let mut worlds = Vec::new();
        self.pose(&still, true, &mut worlds);
        self.motion(worlds)
    }

    /// The joints with these transforms.
    pub(super) fn motion(&self, worlds: Vec<DAffine3>) -> Motion {
        let mut is_leaf = vec![true; self.bones.len()];
        self.bones.iter().filter_map(|bone| bone.parent).for_each(|parent| is_leaf[parent] = false);
        let joint = |(bone, leaf): (&Bone, &bool)| SourceJoint {
            name: bone.name.clone(),
            parent: bone.parent,
            tip: leaf.then_some(bone.reach),
        };
        let joints = self.bones.iter().zip(&is_leaf).map(joint).collect();
        let mut bind: Vec<DAffine3> = Vec::with_capacity(self.bones.len());
        for bone in &self.bones {
            let start = bone.parent.map(|p| bind[p].translation + self.bones[p].reach);
            bind.push(DAffine3::from_translation(start.unwrap_or(self.position)));
        }
        let metres_per_unit = self.metres_per_unit;
        Motion { joints, bind, worlds, fps: FPS, clips: Vec::new(), metres_per_unit }
    }

    /// Appends the transforms of a frame, given the numbers of each bone.
    pub(super) fn pose(&self, values: &[Vec<f64>], degrees: bool, out: &mut Vec<DAffine3>) {
        let start = out.len();
        for (bone, values) in self.bones.iter().zip(values) {
            let (mut shift, mut turn) = ([0.0; 3], DQuat::IDENTITY);
            for (freedom, value) in bone.freedoms.iter().zip(values) {
                match *freedom {
                    Freedom::Shift(axis) => shift[axis] += value,
                    Freedom::Turn(axis) => {
                        let angle = if degrees { value.to_radians() } else { *value };
                        turn = DQuat::from_axis_angle(DVec3::AXES[axis], angle) * turn;
                    }
                    Freedom::Length => {}
                }
            }
            let (turn, shift) = (bone.axes * turn * bone.axes.inverse(), DVec3::from_array(shift));
            let place = match bone.parent {
                None => self.position + shift,
                Some(parent) => self.bones[parent].reach + bone.axes * shift,
            };
            let local = DAffine3::from_rotation_translation(turn.normalize(), place);
            out.push(bone.parent.map_or(local, |parent| out[start + parent] * local));
        }
    }
}

/// A turn about three axes: the first named acts first.
pub(super) fn turn_about(axes: [usize; 3], angles: [f64; 3]) -> DQuat {
    let turn =
        |turn: DQuat, (axis, angle): (usize, f64)| DQuat::from_axis_angle(DVec3::AXES[axis], angle) * turn;
    axes.into_iter().zip(angles).fold(DQuat::IDENTITY, turn).normalize()
}
