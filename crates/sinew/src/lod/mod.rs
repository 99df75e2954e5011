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
//! - Texture coordinates count as harm where they slide (Hoppe 1999). Seams, borders and edges between
//!   materials are only collapsed along themselves.
//! - Vertices at one place with the same weights, as files have them along seams, are one.

mod collapse;
mod level;
mod quadric;
mod surface;

pub use level::Level;

use collapse::Collapse;
use surface::Surface;

use crate::progress::Progress;
use crate::rig::{Rig, RigError};

/// How coarse a level may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// At most so many triangles.
    Triangles(usize),
    /// As few triangles as keep the surface within so much of the rest pose's diagonal, as far as quadrics
    /// can tell: root mean square where it is worst.
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
pub enum LodError {
    /// The rig contradicts itself.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// There is nothing to simplify.
    #[error("the rig has no triangles")]
    NoTriangles,
    /// It was cancelled.
    #[error("simplifying was cancelled")]
    Cancelled,
}

/// Simplifies a rig to each of `details`, in the order given. All levels are of one sequence of collapses, so
/// a coarser level's vertices are among a finer one's.
///
/// A level may keep more triangles than asked for where no collapse is left that does not turn a triangle over
/// or tear a seam.
///
/// ```
/// use sinew::lod::{Detail, LodOptions, simplify};
/// use sinew::{progress::Silent, sample, skin};
///
/// let animation = sample::creature(&sample::CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::BestOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin_best(&animation, &options, &Silent)?.rig;
/// let levels = simplify(&rig, &[Detail::Triangles(600)], &LodOptions::default(), &Silent)?;
/// let coarse = levels[0].rig(&rig);
/// assert!(coarse.mesh.face_count() <= 600);
/// assert_eq!(coarse.frame_count(), rig.frame_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify(
    rig: &Rig,
    details: &[Detail],
    options: &LodOptions,
    progress: &dyn Progress,
) -> Result<Vec<Level>, LodError> {
    rig.validate()?;
    let surface = Surface::new(rig, options.poses);
    if surface.triangles.is_empty() {
        return Err(LodError::NoTriangles);
    }
    let total = surface.triangles.len();
    let mut collapse = Collapse::new(surface, options.texture);
    let mut levels: Vec<Option<Level>> = details.iter().map(|_| None).collect();
    let mut done = 0_usize;
    loop {
        let next = collapse.next();
        for (level, detail) in levels.iter_mut().zip(details).filter(|(level, _)| level.is_none()) {
            let reached = match *detail {
                Detail::Triangles(most) => collapse.triangle_count() <= most,
                Detail::Error(most) => next.as_ref().is_none_or(|edge| collapse.error_with(edge) > most),
            };
            if reached || next.is_none() {
                *level = Some(Level::new(&rig.mesh, &collapse));
            }
        }
        let Some(edge) = next.filter(|_| levels.iter().any(Option::is_none)) else { break };
        collapse.apply(&edge);
        done += 1;
        if done.is_multiple_of(1024) {
            if progress.cancelled() {
                return Err(LodError::Cancelled);
            }
            progress.advance(1.0 - collapse.triangle_count() as f64 / total as f64);
        }
    }
    Ok(levels.into_iter().flatten().collect())
}
