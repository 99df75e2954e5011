//! Levels of detail: the same rig with fewer triangles.
//!
//! Edges are collapsed one after another, the least harmful first (Garland and Heckbert 1997). What is
//! particular here:
//!
//! - Harm is counted in several poses of the rig's own motion at once, not in the rest pose alone: a knee keeps
//!   the triangles it needs to bend (after Mohr and Gleicher 2003).
//! - A vertex is only ever moved onto a neighbour, never to a new place. All that hangs on vertices, weights,
//!   corrections, more than this code knows of, is then right without being averaged, and all levels can share
//!   one set of vertices.
//! - Texture coordinates count as harm where they slide (Hoppe 1999). Seams, also those of further UV sets, colours and
//!   all other attributes, borders and edges between materials are only collapsed along themselves.
//! - Vertices at one place with the same weights, as files have them along seams, are one. Parts that meet keep
//!   vertices of their own and stay closed.
//!
//! Quadrics only guess how far off a level is. [`Measurer`] measures it, in all frames and both ways.
//!
//! Fewer bones are found by [`fewer_bones`], and levels of triangles go on top of these ([`Measurer::measure_on`]).

mod bones;
mod collapse;
mod joints;
mod level;
mod measure;
mod progressive_mesh;
mod quadric;
mod surface;
mod tuning;

pub use bones::{BoneLevel, fewer_bones};
pub use level::Level;
pub use measure::{LevelError, Measurer};
pub use tuning::Tuning;

use collapse::Collapse;
use progressive_mesh::ProgressiveMesh;
use surface::Surface;
use tuning::TUNING;

use crate::progress::{Cancelled, Progress, cancels};
use crate::rig::{Rig, RigError};
use crate::skin::SkinError;

/// How coarse a level may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// At most so many triangles.
    Triangles(usize),
    /// About as few triangles as keep the mean distance over all frames, as [`Measurer`] has it, within so much
    /// of the longest side of the rest pose's box: 0.01 is [`LevelError::accu`] of 1 percent.
    Error(f64),
}

/// Options of [`simplify`].
#[derive(Clone, Debug, PartialEq)]
pub struct LodOptions {
    /// Poses that harm is counted in, spread over all frames.
    pub poses: usize,
    /// How much a texture that slides by one unit of length counts beside a surface that is off by one.
    pub texture: f64,
}

impl Default for LodOptions {
    fn default() -> Self {
        Self { poses: 8, texture: 0.1 }
    }
}

/// Why there are no levels.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LodError {
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// There is nothing to simplify.
    #[error("the rig has no triangles")]
    NoTriangles,
    /// A weight of textures below zero, or not finite.
    #[error("a texture cannot count {0} times as much as the surface")]
    TextureWeight(f64),
    /// A level with no bones, or not fewer than there are.
    #[error(
        "a level of {asked} bones cannot be: the rig has {has}, and levels have at least 1 and fewer than it"
    )]
    Bones {
        /// How many were asked for.
        asked: usize,
        /// How many the rig has.
        has: usize,
    },
    /// Bones could not be fitted to what the rig plays.
    #[error(transparent)]
    Skin(SkinError),
    /// It was cancelled.
    #[error("simplifying was cancelled")]
    Cancelled,
}

cancels!(LodError, of SkinError as Skin);

/// Simplifies a rig to each of `details`, in the order given. All levels are of one sequence of collapses, so
/// a coarser level's vertices are among a finer one's.
///
/// A level may keep more triangles than asked for where no collapse is left that does not turn a triangle over
/// or tear a seam.
///
/// ```
/// use sinew::lod::{Detail, LodOptions, simplify};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let levels = simplify(&rig, &[Detail::Triangles(600)], &LodOptions::default(), &Silent)?;
/// let coarse = levels[0].rig(&rig);
/// assert!(coarse.mesh.face_count() <= 600);
/// assert_eq!(coarse.frame_count(), rig.frame_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the rig contradicts itself or has no triangles, options make no sense, or `progress` cancels.
pub fn simplify(
    rig: &Rig,
    details: &[Detail],
    options: &LodOptions,
    progress: &dyn Progress,
) -> Result<Vec<Level>, LodError> {
    if !(options.texture >= 0.0 && options.texture.is_finite()) {
        return Err(LodError::TextureWeight(options.texture));
    }
    rig.validate()?;
    let mut surface = Surface::new(rig, options.poses);
    if surface.triangles.is_empty() {
        return Err(LodError::NoTriangles);
    }
    let looks = std::mem::take(&mut surface.looks);
    let fewest = details.iter().map(|detail| match detail {
        Detail::Triangles(most) => *most,
        Detail::Error(_) => 0,
    });
    let collapse = Collapse::new(surface, options.texture, progress)?;
    let sequence = collapsed(collapse, fewest.min().unwrap_or(usize::MAX), progress)?;
    let level = |step: usize| Level::new(&rig.mesh, &looks, &sequence.triangles(step), sequence.error(step));
    details
        .iter()
        .map(|detail| match *detail {
            Detail::Triangles(most) => Ok(level(sequence.step_with(most))),
            Detail::Error(most) => within(rig, &sequence, most, progress, level),
        })
        .collect()
}

/// Collapses edges until so few triangles are left or nothing can be collapsed.
fn collapsed(
    mut collapse: Collapse,
    fewest: usize,
    progress: &dyn Progress,
) -> Result<ProgressiveMesh, Cancelled> {
    let total = collapse.triangle_count();
    let mut done = 0_usize;
    while collapse.triangle_count() > fewest
        && let Some(edge) = collapse.next()
    {
        collapse.apply(&edge);
        done += 1;
        if done.is_multiple_of(1024) {
            progress.check()?;
            progress.advance(1.0 - collapse.triangle_count() as f64 / total as f64);
        }
    }
    Ok(collapse.done)
}

/// A level of about the fewest triangles whose measured error is at most this share: the counts between one that
/// is good and one that is not are halved until they are alike.
fn within(
    rig: &Rig,
    sequence: &ProgressiveMesh,
    most: f64,
    progress: &dyn Progress,
    level: impl Fn(usize) -> Level,
) -> Result<Level, LodError> {
    let measurer = Measurer::new(rig)?;
    let good = |level: &Level| -> Result<bool, LodError> {
        Ok(level.triangle_count() > 0 && measurer.measure(level, progress)?.accu <= 100.0 * most)
    };
    let coarsest = level(sequence.last());
    if good(&coarsest)? {
        return Ok(coarsest);
    }
    let mut best = level(0);
    let (mut fine, mut coarse) = (sequence.triangle_count(0), sequence.triangle_count(sequence.last()));
    while fine as f64 > TUNING.alike * coarse.max(1) as f64 && fine - coarse > 2 {
        let between = (fine as f64 * coarse.max(1) as f64).sqrt().round() as usize;
        let between = between.clamp(coarse + 1, fine - 1);
        let candidate = level(sequence.step_with(between));
        if good(&candidate)? {
            fine = candidate.triangle_count().min(between);
            best = candidate;
        } else {
            coarse = between;
        }
    }
    Ok(best)
}
