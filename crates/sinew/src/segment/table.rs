//! The table of segmenters.

use super::mean_shift::MeanShift;
use super::motion_kmeans::KMeans;
use super::patches::Patches;
use super::points::Points;
use super::regions::Regions;
use super::rotation_kmeans::Turns;
use super::segmenter::{Role, Segmenter};
use super::spectral::Spectral;

/// All segmenters. For each role, the first that suits it is the usual one.
pub static ALL: [&dyn Segmenter; 7] = [&Turns, &Patches, &Spectral, &MeanShift, &Regions, &Points, &KMeans];

/// Segmenters for a role, by the words that people choose them by.
pub fn words(role: Role) -> impl Iterator<Item = (&'static str, &'static dyn Segmenter)> {
    ALL.into_iter().filter_map(move |segmenter| Some((segmenter.facts().word(role)?, segmenter)))
}
