//! From an animation to a rig: the one function that all methods stand behind.

use std::time::Instant;

use super::{
    Found, Method, Prepared, Skin, SkinError, SkinOptions, SkinWarning, Skinned, fesam, fit_corrections,
    name_bones, sma,
};
use crate::animation::{MeshAnimation, compare};
use crate::progress::{Progress, among_threads};
use crate::rig::{Player, Rig, SkinWeights};
use crate::segment::NO_BONE;

/// Distance from the origin, in diagonals, at which single precision is worth a warning.
const FAR_AWAY: f64 = 1000.0;

/// Skins an animation.
///
/// Checks the animation and the options first ([`MeshAnimation::validate`], [`SkinOptions::validate`]). The same input
/// gives the same bits for any number of threads.
///
/// # Errors
/// [`SkinError::Cancelled`] when `progress` cancels; otherwise what is wrong with the animation or the options.
pub fn skin(
    animation: &MeshAnimation,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    among_threads(|| {
        check(animation, options, progress)?;
        let found = match &options.method {
            Method::Best(_) => Prepared::of(animation, options, progress)?.find(options, progress)?,
            Method::Sma(sma) => sma::fit(animation, sma, options, progress)?,
            Method::Sad => fesam::fit(animation, None, options, progress)?,
            Method::Fesam { rounds } => fesam::fit(animation, Some(*rounds), options, progress)?,
        };
        finish(animation, found, options, progress)
    })
}

fn check(animation: &MeshAnimation, options: &SkinOptions, progress: &dyn Progress) -> Result<(), SkinError> {
    progress.stage("checking");
    animation.validate()?;
    options.validate(animation)
}

impl<'a> Prepared<'a> {
    /// Takes the rest pose that `options` ask for.
    ///
    /// # Errors
    /// What is wrong with the animation or the options; [`SkinError::Cancelled`].
    pub fn new(
        animation: &'a MeshAnimation,
        options: &SkinOptions,
        progress: &dyn Progress,
    ) -> Result<Self, SkinError> {
        among_threads(|| {
            check(animation, options, progress)?;
            Self::of(animation, options, progress)
        })
    }

    /// Skins the animation. The rest pose and the method are those it was prepared with.
    ///
    /// # Errors
    /// What is wrong with the options; [`SkinError::Cancelled`].
    pub fn fit(&self, options: &SkinOptions, progress: &dyn Progress) -> Result<Skinned, SkinError> {
        options.validate(self.animation)?;
        among_threads(|| finish(self.animation, self.find(options, progress)?, options, progress))
    }
}

/// A measured rig of what a method found: corrections, names, errors.
fn finish(
    animation: &MeshAnimation,
    mut found: Found,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    found.warnings.splice(..0, doubts(animation));
    let (clock, frames, rank) = (Instant::now(), &animation.frames, options.rank);
    let mut corrections = None;
    if rank > 0 {
        progress.stage("corrections");
        if rank > frames.len() {
            found.warnings.push(SkinWarning::RankAboveFrames { rank, frames: frames.len() });
        }
        corrections = Some(fit_corrections(frames, &found.triangles, &mut found.skin, rank, progress)?);
    }
    found.seconds.corrections = clock.elapsed().as_secs_f64();
    progress.stage("measuring");
    let Skin { bones, rest, weights, transforms } = std::mem::take(&mut found.skin);
    let given = options.given_bones.clone().filter(|_| options.method.given().is_some());
    let rig = Rig {
        bones: given.unwrap_or_else(|| name_bones(&rest, &weights, bones, options.kind)),
        mesh: animation.mesh.clone(),
        rest,
        weights,
        transforms,
        skeleton: None,
        corrections,
        fps: animation.fps,
        clips: animation.clips.clone(),
        nodes: animation.nodes.clone(),
        armature: String::new(),
    };
    let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
    let bone_of_triangle = found.bone_of_triangle.take();
    let bone_of_triangle =
        bone_of_triangle.unwrap_or_else(|| strongest_bones(&found.triangles, &rig.weights));
    Ok(found.measured(rig, measured, bone_of_triangle))
}

/// What should make the user look twice at the animation.
fn doubts(animation: &MeshAnimation) -> Vec<SkinWarning> {
    let mut doubts: Vec<SkinWarning> = animation.warnings().into_iter().map(SkinWarning::Animation).collect();
    let bounds = animation.rest_bounds();
    if bounds.center().length() > FAR_AWAY * bounds.diagonal() {
        doubts.push(SkinWarning::FarFromOrigin);
    }
    doubts
}

/// For each triangle the bone with the largest weight on its vertices.
fn strongest_bones(triangles: &[[u32; 3]], weights: &SkinWeights) -> Vec<u32> {
    let strongest = |triangle: &[u32; 3]| {
        let mut sums: Vec<(u32, f32)> = Vec::with_capacity(3 * weights.per_vertex);
        for &vertex in triangle {
            let (bones, weights) = weights.of(vertex as usize);
            for (&bone, &weight) in bones.iter().zip(weights) {
                match sums.iter_mut().find(|s| s.0 == bone) {
                    Some(sum) => sum.1 += weight,
                    None => sums.push((bone, weight)),
                }
            }
        }
        sums.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(NO_BONE, |s| s.0)
    };
    triangles.iter().map(strongest).collect()
}
