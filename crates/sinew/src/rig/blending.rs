//! Other ways than linear to blend what bones do to a vertex.
//!
//! Linear blending averages matrices. Where bones turn far from each other, as they do once a rig gets other
//! motion than the one it was learned from, that average shrinks: elbows collapse and twisted wrists are wrung
//! like a sweet's wrapper. Both ways here average rotations instead, so that nothing shrinks:
//!
//! - "Skinning with Dual Quaternions" (Kavan, Collins, Žára and O'Sullivan 2007): vertices move rigidly, but
//!   bends bulge, as they turn about the wrong place.
//! - "Real-time Skeletal Skinning with Optimized Centers of Rotation" (Le and Hodgins 2016): each vertex turns
//!   about a place found from its weights beforehand, which moves by linear blending.
//!
//! Bones that stretch have their stretch blended linearly, before the turn. What follows one bone alone is
//! where linear blending has it, to the last bit. Weights and corrections were fitted to linear blending: in
//! the motion they come from, these ways are not as near to the original as that.

use std::borrow::Borrow;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use rayon::prelude::*;

use super::centres::centres;
use super::{Player, Rig};
use crate::animation::PoseSource;
use crate::choices;
use crate::geometry::Bounds;
use crate::solve::procrustes::polar;

choices! {
    /// How a vertex with several bones is placed.
    #[derive(Default)]
    pub enum Blending: "blending" {
        /// By the mean of the bones' matrices. What files hold and engines play.
        #[default]
        Linear = "linear", "the mean of their matrices: what files hold and engines play",
        /// By dual quaternions.
        Dual = "dual", "dual quaternions: no collapse, but bends bulge",
        /// By the mean of the rotations about a centre of its own.
        Centres = "centres", "the mean of their rotations about a centre of each vertex: neither",
    }
}

/// Plays a rig with another blending than linear. Like a [`Player`] it borrows the rig or shares it.
///
/// ```
/// use sinew::rig::{BlendPlayer, Blending};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 4, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let mut pose = rig.rest.clone();
/// BlendPlayer::new(&rig, Blending::Centres).pose_into(2, &mut pose);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BlendPlayer<R> {
    linear: Player<R>,
    blending: Blending,
    /// The middle of the rest pose. All else is relative to it.
    middle: DVec3,
    /// What each vertex turns about; none where linear blending will do.
    centres: Vec<Option<DVec3>>,
    /// How much of each vertex is blended so, and not linearly: all of it where there is none.
    shares: Option<Vec<f32>>,
}

/// One bone in one frame.
struct Moved {
    /// As it is.
    whole: DAffine3,
    /// Its parts: first a stretch about the bone's centre, then a rotation and a shift.
    stretch: DMat3,
    center: DVec3,
    turn: DQuat,
    shift: DVec3,
}

impl<R: Borrow<Rig> + Sync> BlendPlayer<R> {
    /// Prepares to play `rig`, which takes a while for [`Blending::Centres`].
    pub fn new(rig: R, blending: Blending) -> Self {
        let middle = Bounds::of(&rig.borrow().rest).center();
        let centres = match blending {
            Blending::Centres => centres(rig.borrow(), middle),
            Blending::Linear | Blending::Dual => Vec::new(),
        };
        Self { linear: Player::new(rig), blending, middle, centres, shares: None }
    }

    /// Prepares to play `rig` by dual quaternions as far as `shares` say, one for each vertex, from 0 for linear
    /// blending to 1. Vertices beyond their end are blended linearly.
    pub fn mixed(rig: R, shares: Vec<f32>) -> Self {
        Self { shares: Some(shares), ..Self::new(rig, Blending::Dual) }
    }

    /// The rig that is played.
    pub fn rig(&self) -> &Rig {
        self.linear.rig()
    }

    /// Writes the pose of `frame` into `out`.
    ///
    /// # Panics
    /// When `frame` or the length of `out` is out of range.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        self.linear.pose_into(frame, out);
        if self.blending == Blending::Linear {
            return;
        }
        let bones = self.bones(frame);
        out.par_iter_mut().with_min_len(256).enumerate().for_each(|(vertex, out)| {
            let (_, weights) = self.linear.rig().weights.of(vertex);
            let share = self.shares.as_ref().map_or(1.0, |s| s.get(vertex).copied().unwrap_or(0.0));
            if share == 0.0 || weights.iter().filter(|w| **w != 0.0).count() < 2 {
                return;
            }
            let place = match self.blending {
                Blending::Linear => None,
                Blending::Dual => self.dual(&bones, frame, vertex),
                Blending::Centres => self.about_centre(&bones, frame, vertex),
            };
            *out = match place.map(|p| p.as_vec3()) {
                Some(place) if share == 1.0 => place,
                Some(place) => out.lerp(place, share),
                None => *out,
            };
        });
    }

    fn bones(&self, frame: usize) -> Vec<Moved> {
        let moved = |(t, bone): (&DAffine3, &super::Bone)| {
            let turn = polar(t.matrix3).unwrap_or(DMat3::IDENTITY);
            let center = bone.center - self.middle;
            let whole = DAffine3 { matrix3: t.matrix3, translation: t.transform_point3(self.middle) };
            Moved {
                stretch: turn.transpose() * t.matrix3,
                center,
                turn: DQuat::from_mat3(&turn),
                shift: whole.transform_point3(center) - turn * center,
                whole,
            }
        };
        self.linear.rig().frame_transforms(frame).iter().zip(&self.linear.rig().bones).map(moved).collect()
    }

    /// A vertex of the rest pose, corrected for a frame.
    fn corrected(&self, frame: usize, vertex: usize) -> DVec3 {
        let rig = self.linear.rig();
        let shapes = rig.corrections.iter().flat_map(|c| c.basis.chunks_exact(rig.rest.len()));
        let moved = shapes.zip(rig.frame_coefficients(frame));
        let rest = rig.rest[vertex].as_dvec3() - self.middle;
        moved.fold(rest, |p, (shape, q)| p + shape[vertex].as_dvec3() * f64::from(*q))
    }

    /// Bones of a vertex with weights; negative for those whose quaternion is to be turned round to lie on
    /// the side of the first.
    fn influences<'b>(
        &'b self,
        bones: &'b [Moved],
        vertex: usize,
    ) -> impl Iterator<Item = (&'b Moved, f64, f64)> {
        let (numbers, weights) = self.linear.rig().weights.of(vertex);
        let first = bones[numbers[0] as usize].turn;
        numbers.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(move |(&b, &w)| {
            let bone = &bones[b as usize];
            let side = if bone.turn.dot(first) < 0.0 { -1.0 } else { 1.0 };
            (bone, f64::from(w), side * f64::from(w))
        })
    }

    fn dual(&self, bones: &[Moved], frame: usize, vertex: usize) -> Option<DVec3> {
        let p = self.corrected(frame, vertex);
        let (mut stretched, mut real, mut dual) = (DVec3::ZERO, zero(), zero());
        for (bone, weight, signed) in self.influences(bones, vertex) {
            stretched += (bone.center + bone.stretch * (p - bone.center)) * weight;
            let shift = DQuat::from_xyzw(bone.shift.x, bone.shift.y, bone.shift.z, 0.0);
            real += bone.turn * signed;
            dual += shift * bone.turn * (0.5 * signed);
        }
        let length = real.length();
        if length < 1e-9 {
            return None;
        }
        let (real, dual) = (real / length, dual / length);
        Some(real * stretched + 2.0 * (dual * real.conjugate()).xyz())
    }

    fn about_centre(&self, bones: &[Moved], frame: usize, vertex: usize) -> Option<DVec3> {
        let centre = self.centres[vertex]?;
        let p = self.corrected(frame, vertex);
        let (mut stretch, mut turn, mut place) = (DMat3::ZERO, zero(), DVec3::ZERO);
        for (bone, weight, signed) in self.influences(bones, vertex) {
            stretch += bone.stretch * weight;
            turn += bone.turn * signed;
            place += bone.whole.transform_point3(centre) * weight;
        }
        (turn.length() >= 1e-9).then(|| place + turn.normalize() * (stretch * (p - centre)))
    }
}

fn zero() -> DQuat {
    DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)
}

impl<R: Borrow<Rig> + Sync> PoseSource for BlendPlayer<R> {
    fn frame_count(&self) -> usize {
        self.linear.rig().frame_count()
    }

    fn vertex_count(&self) -> usize {
        self.linear.rig().rest.len()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        BlendPlayer::pose_into(self, frame, out);
    }
}
