//! Spectral clustering of seeds spread over the surface (de Aguiar, Theobalt, Thrun and Seidel 2008,
//! section 4).
//!
//! Points of one rigid part keep their distances. Seeds whose mutual distances hardly change are therefore
//! alike, nearby ones more so; clusters of seeds come from the leading eigenvectors of that likeness (Ng,
//! Jordan and Weiss 2002), their number from its spectrum, and every triangle goes with its nearest seed.
//!
//! How eq. 1, exp(−(σ + √ρ) / S²), is read: it adds a length and the root of one, and divides by a square,
//! so that it depends on the unit; and its ρ is 1/N of the mean distance over N frames, so that it depends
//! on the frame rate. Here lengths are measured in the body's own size (the root mean square distance of seeds
//! from their middle), ρ is the plain mean, and its root is multiplied by a fixed 1/20, which the paper's
//! factor is for 400 frames. S is the mean of σ + √ρ/20 over all pairs of seeds.
//!
//! Departures:
//! - seeds are each as far from those before as can be, along the surface, instead of centres of
//!   curvature-based patches;
//! - "99 % of the variation" is a share of the sum of squared eigenvalues, positive ones only. That many
//!   clusters cut large parts that stay rigid rather than small limbs; so half as many again are made (of
//!   the count asked for, if that is more), and touching ones join, those that move alike first: down to
//!   the count asked for or, without one, while distances between the two change by less than 1 % of the
//!   body's size;
//! - seams then move from halfway between seeds to where both patches predict the surface alike;
//! - seeds are near along the surface, not through the air, so that legs that touch stay apart; pieces of
//!   the mesh that share no edge are joined where they come nearest.

mod agglomerate;
mod embedding;
mod row_kmeans;
mod seams;

use self::agglomerate::Groups;
use self::embedding::Pairs;
use super::seeds::usual_count;
use super::{
    CountRule, Facts, Seeds, SegmentOptions, Segmentation, Segmented, Segmenter, SurfaceMotion, TUNING,
    needed, without_empty,
};
use crate::geometry::surface::SurfaceGraph;
use crate::progress::{Cancelled, Progress};

/// [`spectral()`] in the table.
pub struct Spectral;

impl Segmenter for Spectral {
    fn facts(&self) -> Facts {
        let about = "Spectral clustering of seeds on the surface (de Aguiar et al. 2008)";
        Facts {
            skeleton: Some("spectral"),
            whole_parts: true,
            ..Facts::new("spectral", about, CountRule::Optional)
        }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        if options.count.is_some() {
            needed(options, usize::MAX)?;
        }
        let spectral_options = SpectralOptions { count: options.count, ..SpectralOptions::default() };
        let found = spectral(motion, &spectral_options, progress)?;
        Ok(found.labels(motion.triangles, motion.rest.len()))
    }
}

/// How triangles are clustered by the distances of seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralOptions {
    /// Number of patches; `None` takes it from the spectrum.
    pub count: Option<usize>,
    /// Number of seeds; `None` for 0.3 % of the vertices, at least 150 and at most 600, and no fewer than
    /// four for each patch asked for. More than there are vertices in triangles, or than 2000, are not
    /// placed.
    pub seeds: Option<usize>,
    /// Share of the squared spectrum that leading eigenvectors must hold, 0 to 1. More gives more patches
    /// where no count is given, and more to choose from where one is.
    pub variation: f64,
}

impl Default for SpectralOptions {
    fn default() -> Self {
        Self { count: None, seeds: None, variation: 0.99 }
    }
}

/// Cuts the surface into patches that keep their shape, each of one piece.
///
/// All triangles belong to a patch. There are as many patches as asked for unless the mesh is too coarse to
/// give each a triangle; without a count, one that others predict better everywhere is dropped. The cut does
/// not depend on where the animation is, how large, how turned, or how its vertices are numbered, but for
/// rounding and for poses so symmetric that the motion does not tell the sides apart.
///
/// # Errors
/// [`Cancelled`].
///
/// # Panics
/// When no patches or no seeds are asked for.
pub fn spectral(
    motion: SurfaceMotion,
    options: &SpectralOptions,
    progress: &dyn Progress,
) -> Result<Segmentation, Cancelled> {
    assert!(options.count != Some(0) && options.seeds != Some(0), "at least one patch and one seed");
    let SurfaceMotion { frames, triangles, rest } = motion;
    if triangles.is_empty() {
        let bone_of_triangle = Vec::new();
        return Ok(Segmentation { bone_of_triangle, bone_count: 0, near_rigid_fraction: 1.0 });
    }
    let graph = SurfaceGraph::new(triangles, rest);
    let wanted = options.seeds.unwrap_or_else(|| usual_count(rest.len(), options.count));
    let seeds = Seeds::spread(&graph, motion, wanted, &progress.part(0.0, 0.3))?;
    let pairs = Pairs::measure(frames, &seeds.cells.points, progress)?;
    progress.advance(0.4);
    let spectrum = embedding::spectrum(&pairs, progress)?;
    progress.advance(0.7);
    let count = spectrum.count_for(options.variation).max(options.count.unwrap_or(0));
    let dimensions = ((TUNING.spectral.spare * count as f64).ceil() as usize).min(pairs.count);
    let cluster_of = row_kmeans::cluster(&spectrum.rows(dimensions), dimensions, dimensions, progress)?;
    progress.advance(0.8);
    let mut groups = Groups::of_clusters(&cluster_of, &pairs, &seeds.neighbours);
    groups.absorb_scraps();
    groups.join_alike(options.count, progress)?;
    let (cores, group_of_seed) = groups.cores(&pairs);
    let mut group_of = seeds.spread_groups(&group_of_seed);
    let mut fixed: Vec<u32> = cores.iter().map(|&seed| seeds.cells.points[seed as usize]).collect();
    if options.count.is_some() {
        // With its neighbours a vertex keeps a triangle, so that no patch is lost to others.
        for core in fixed.clone() {
            let beside = graph.neighbours(core).iter().map(|&(next, _)| next);
            fixed.extend(beside.filter(|&v| group_of[v as usize] == group_of[core as usize]));
        }
    }
    progress.advance(0.9);
    seams::settle(&graph, motion, &fixed, &mut group_of, cores.len(), progress)?;
    let steady = groups.steady_members(&pairs, TUNING.spectral.same_motion);
    let corners = triangles.as_flattened();
    let near = corners.iter().filter(|&&v| steady[seeds.cells.owner[v as usize] as usize]).count();
    let mut bone_of_triangle: Vec<u32> = triangles.iter().map(|t| most_common(t, &group_of)).collect();
    let bone_count = without_empty(&mut bone_of_triangle, cores.len());
    let near_rigid_fraction = near as f64 / corners.len() as f64;
    Ok(Segmentation { bone_of_triangle, bone_count, near_rigid_fraction })
}

/// The group of most corners of a triangle or, where all differ, the first of them.
fn most_common(triangle: &[u32; 3], group_of: &[u32]) -> u32 {
    let [a, b, c] = triangle.map(|v| group_of[v as usize]);
    if b == c {
        b
    } else if a == b || a == c {
        a
    } else {
        a.min(b).min(c)
    }
}
