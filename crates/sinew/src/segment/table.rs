//! The table of segmenters.

use super::{KMeans, MeanShift, Patches, Points, Regions, Role, Segmenter, Spectral, Turns};

/// All segmenters. For each role, the first that suits it is the usual one.
pub static ALL: &[&dyn Segmenter] = &[&Turns, &Patches, &Spectral, &MeanShift, &Regions, &Points, &KMeans];

/// Segmenters for a role, by the words that people choose them by.
pub fn words(role: Role) -> impl Iterator<Item = (&'static str, &'static dyn Segmenter)> {
    ALL.iter().copied().filter_map(move |segmenter| Some((segmenter.facts().word(role)?, segmenter)))
}
