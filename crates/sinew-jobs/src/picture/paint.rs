//! Colours of bodies and bones.

use glam::Vec3;
use sinew::rig::Rig;
use sinew_io::formats::sinew_file::Stored;
use sinew_picture::{Coloring, PosedSkeleton, bone_palette, weight_colors};

use super::job::PictureColor;
use super::subject::{Subject, bone};
use crate::error::Outcome;
use crate::pictures::{DISTANCE_LABEL, distances, scale_end, weights_of_bone};

/// Colours, held while shots refer to them.
pub enum Paint {
    Plain,
    Materials,
    Bones,
    Vertices(Vec<Vec3>),
    /// Numbers of each shot, with the end of their scale.
    Numbers(Vec<Vec<f32>>, f32, String),
    /// Weights of one bone, with its number and what the scale says.
    OneBone(Vec<f32>, usize, String),
}

impl Paint {
    /// What a colouring needs to know of the frames.
    pub fn new(
        subject: &Subject,
        color: PictureColor,
        wanted: Option<&str>,
        frames: &[usize],
    ) -> Outcome<Self> {
        Ok(match (color, &subject.rig, &subject.original) {
            (PictureColor::Bones, Some(_), _) => Self::Bones,
            (PictureColor::Weights, Some(rig), _) => match wanted {
                None => Self::Vertices(weight_colors(rig.weights(), &bone_palette(rig.bones().len()))),
                Some(wanted) => Self::one_bone(rig, bone(rig.bones(), wanted, &subject.source)?),
            },
            (PictureColor::Error, _, Some((original, diagonal))) => {
                let of = |&f: &usize| {
                    distances(subject.animation.frames.frame(f), original.frames.frame(f), *diagonal)
                };
                let values: Vec<Vec<f32>> = frames.iter().map(of).collect();
                let end = scale_end(&values);
                Self::Numbers(values, end, DISTANCE_LABEL.into())
            }
            (PictureColor::Plain, ..) => Self::Plain,
            _ => Self::Materials,
        })
    }

    fn one_bone(rig: &Stored, bone: usize) -> Self {
        let values = weights_of_bone(rig.weights(), rig.rest().len(), bone);
        Self::OneBone(values, bone, format!("weight of {}", rig.bones()[bone].name))
    }

    /// The colours of one shot.
    pub fn coloring<'a>(&'a self, shot: usize, face_colors: &'a [Vec3]) -> Coloring<'a> {
        match self {
            Self::Plain => Coloring::Plain,
            Self::Materials => Coloring::Materials,
            Self::Bones => Coloring::FaceColors(face_colors),
            Self::Vertices(colors) => Coloring::VertexColors(colors),
            Self::Numbers(values, end, label) => {
                Coloring::Scalar { values: &values[shot], range: (0.0, *end), label }
            }
            Self::OneBone(values, _, label) => Coloring::Scalar { values, range: (0.0, 1.0), label },
        }
    }
}

/// Bones that have no colour of their own, because those around them stand for numbers.
const PALE: Vec3 = Vec3::splat(0.62);

/// The skeleton of a rig in each of `frames`, in the colours that its bones have on the surface. On a scale
/// of numbers only the bone that the numbers are of has one.
pub fn skeletons(rig: &Rig, paint: &Paint, frames: &[usize]) -> Vec<PosedSkeleton> {
    let palette = bone_palette(rig.bones.len());
    let color = |bone: usize| match paint {
        Paint::Numbers(..) => PALE,
        Paint::OneBone(_, chosen, _) if *chosen != bone => PALE,
        _ => palette[bone],
    };
    let colors: Vec<Vec3> = (0..palette.len()).map(color).collect();
    frames.iter().filter_map(|&frame| PosedSkeleton::of_rig(rig, frame, &colors)).collect()
}
