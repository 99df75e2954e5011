//! The least error for the bones that are allowed: a [`Descent`] that is prepared once and fitted as often as wanted.

use std::time::Instant;

use super::found::check_bone_count;
use super::{
    BoneCountTuning, Curve, Descent, DescentOptions, Found, Initialisation, Method, RestPose, Skin,
    SkinError, SkinOptions, SkinSize, SkinWarning, StageSeconds,
};
use crate::animation::MeshAnimation;
use crate::progress::Progress;
use crate::segment::NO_BONE;

/// An animation that is checked and reduced once, to be fitted by [`Method::Best`] as often as wanted: with other
/// numbers of bones, influences and correction shapes.
pub struct Prepared<'a> {
    pub(super) animation: &'a MeshAnimation,
    descent: Descent<'a>,
    triangles: Vec<[u32; 3]>,
    rest_pose: RestPose,
    most_bones: usize,
    seconds: f64,
}

impl<'a> Prepared<'a> {
    /// Takes the rest pose that `options` ask for. Both are valid.
    pub(super) fn of(
        animation: &'a MeshAnimation,
        options: &SkinOptions,
        progress: &dyn Progress,
    ) -> Result<Self, SkinError> {
        let clock = Instant::now();
        let rest_pose = match options.rest_pose {
            RestPose::Auto if animation.rest.is_some() => RestPose::Given,
            RestPose::Auto => RestPose::Frame(0),
            other => other,
        };
        let rest = match options.method.given() {
            Some(given) => given.rest.clone(),
            None => rest_pose.positions(animation)?.to_vec(),
        };
        let triangles = animation.mesh.triangles(&rest);
        let most_bones = check_bone_count(&triangles, &rest, options.bones)?;
        let mut descent = Descent::new(&animation.frames, &triangles, &rest, progress)?;
        if !options.importance.is_empty() {
            descent = descent.with_importance(&options.importance);
        }
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Self { animation, descent, triangles, rest_pose, most_bones, seconds })
    }

    /// The most bones there can be.
    pub fn most_bones(&self) -> usize {
        self.most_bones
    }

    /// Error against the number of bones, of the kind and with the influences of `options`, up to so many bones and
    /// correction shapes.
    ///
    /// # Errors
    /// What is wrong with the options; [`SkinError::Cancelled`].
    pub fn curve(
        &self,
        options: &SkinOptions,
        most_bones: usize,
        most_rank: usize,
        progress: &dyn Progress,
    ) -> Result<Curve<'_>, SkinError> {
        options.validate(self.animation)?;
        let usual = DescentOptions::default();
        let descent = match &options.method {
            Method::Best(descent) => descent,
            _ => &usual,
        };
        let bones = most_bones.min(self.most_bones);
        let most = SkinSize { bones, influences: options.influences, kind: options.kind };
        Ok(self.descent.curve(most, most_rank, descent, progress)?)
    }

    /// Bones, weights and rest pose. The options are valid.
    pub(super) fn find(&self, options: &SkinOptions, progress: &dyn Progress) -> Result<Found, SkinError> {
        let clock = Instant::now();
        let usual = DescentOptions::default();
        let descent = match &options.method {
            Method::Best(descent) => descent,
            _ => &usual,
        };
        let sized = |bones| SkinSize { bones, influences: options.influences, kind: options.kind };
        let (skin, rounds) = match number_of_bones(options, descent) {
            Some(bones) => self.descent.fit(sized(bones), descent, progress)?,
            None => {
                let BoneCountTuning { percent, most, .. } = self.descent.tuning().bone_count;
                self.descent.fit_for_error(percent, sized(self.most_bones.min(most)), descent, progress)?
            }
        };
        Ok(Found {
            warnings: unused_bones(&skin).into_iter().collect(),
            skin,
            triangles: self.triangles.clone(),
            rest_pose: self.rest_pose,
            seconds: StageSeconds {
                weights: self.seconds + clock.elapsed().as_secs_f64(),
                ..StageSeconds::default()
            },
            rounds,
            ..Found::default()
        })
    }
}

/// The number of bones, where it is known.
fn number_of_bones(options: &SkinOptions, descent: &DescentOptions) -> Option<usize> {
    match (&descent.initialisation, options.bones) {
        (Initialisation::Skin(given), _) => Some(given.bones),
        (Initialisation::Groups(bone_of), None) => {
            let most = bone_of.iter().filter(|b| **b != NO_BONE).max();
            Some(most.map_or(1, |&b| b as usize + 1))
        }
        (_, bones) => bones,
    }
}

/// Says how many bones move nothing.
fn unused_bones(skin: &Skin) -> Option<SkinWarning> {
    let mut used = vec![false; skin.bones];
    for (&bone, &weight) in skin.weights.bones.iter().zip(&skin.weights.weights) {
        used[bone as usize] |= weight > 0.0;
    }
    let unused = used.iter().filter(|u| !**u).count();
    (unused > 0).then_some(SkinWarning::UnusedBones { unused, bones: skin.bones })
}
