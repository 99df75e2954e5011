//! Where bones touch: seams of the mesh, and for bones that share none, the points at which they stay
//! nearest.

use glam::{DAffine3, DVec3};

use super::tuning::TUNING;
use crate::animation::evenly;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::{Rig, blended};

/// Where two bones are nearest to each other.
pub(super) struct Contact {
    /// The bones, the lower number first.
    pub bones: [usize; 2],
    /// The place in the rest pose.
    pub at: DVec3,
    /// How far they are apart there, over time; zero at a seam.
    pub apart: f64,
}

/// The contacts of all pairs of bones.
pub(super) fn contacts(
    rig: &Rig,
    edges: &[[u32; 2]],
    main: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<Contact>, Cancelled> {
    let n = rig.bones.len();
    let seams = seams(rig, edges);
    let longest = |a: usize| (0..n).map(|b| seams[a.min(b) * n + a.max(b)].0).fold(0.0, f64::max);
    let longest: Vec<f64> = (0..n).map(longest).collect();
    let points = (0..n).map(|bone| progress.check().map(|()| points(rig, main, bone)));
    let points = points.collect::<Result<Vec<Vec<Points>>, Cancelled>>()?;
    let pairs: Vec<[usize; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
    map_in_parallel(progress, pairs.len(), |pair| {
        let [a, b] = pairs[pair];
        let (length, sum) = seams[a * n + b];
        if length > 0.0 && length >= TUNING.translations.faint_seam * longest[a].min(longest[b]) {
            return Contact { bones: [a, b], at: sum / length, apart: 0.0 };
        }
        let (apart, at) = nearest(&points[a], &points[b]);
        Contact { bones: [a, b], at, apart }
    })
}

/// Length and sum of places of the seam between each two bones, lower number first. Edges count by the
/// product of the weights at their ends, so a seam may be sharp or a zone in which one bone's influence
/// passes to another's.
fn seams(rig: &Rig, edges: &[[u32; 2]]) -> Vec<(f64, DVec3)> {
    let n = rig.bones.len();
    let mut seams = vec![(0.0, DVec3::ZERO); n * n];
    for &[p, q] in edges {
        let middle = 0.5 * (rig.rest[p as usize].as_dvec3() + rig.rest[q as usize].as_dvec3());
        for (a, wa) in rig.weights.influences(p as usize) {
            for (b, wb) in rig.weights.influences(q as usize).filter(|(b, _)| *b != a) {
                let seam = &mut seams[a.min(b) * n + a.max(b)];
                seam.0 += wa * wb;
                seam.1 += middle * (wa * wb);
            }
        }
    }
    seams
}

/// A point of a bone: in the rest pose, then in some frames.
type Points = Vec<DVec3>;

/// Points spread over what a bone moves most; its centre if that is nothing.
fn points(rig: &Rig, main: &[usize], bone: usize) -> Vec<Points> {
    let own: Vec<usize> = (0..main.len()).filter(|&v| main[v] == bone).collect();
    let frames: Vec<&[DAffine3]> = evenly(rig.frame_count(), TUNING.translations.contact_frames)
        .map(|frame| rig.frame_transforms(frame))
        .collect();
    if own.is_empty() {
        let center = rig.bones[bone].center;
        let path = frames.iter().map(|t| t[bone].transform_point3(center));
        return vec![std::iter::once(center).chain(path).collect()];
    }
    let path = |i: usize| {
        let at = rig.rest[own[i]].as_dvec3();
        let posed = frames.iter().map(|t| blended(&rig.weights, t, own[i]).transform_point3(at));
        std::iter::once(at).chain(posed).collect()
    };
    evenly(own.len(), TUNING.translations.contact_points).map(path).collect()
}

/// How far apart the two points are that stay nearest, and where the bones meet in the rest pose: the middle of
/// the nearest pairs, for one alone would be a point on the skin and not one inside a limb.
fn nearest(one: &[Points], other: &[Points]) -> (f64, DVec3) {
    let apart = |p: &Points, q: &Points| {
        let sum: f64 = p.iter().zip(q).map(|(p, q)| p.distance_squared(*q)).sum();
        (sum / p.len() as f64).sqrt() + f64::MIN_POSITIVE
    };
    let pairs: Vec<(f64, DVec3)> =
        one.iter().flat_map(|p| other.iter().map(move |q| (apart(p, q), 0.5 * (p[0] + q[0])))).collect();
    let least = pairs.iter().map(|pair| pair.0).fold(f64::INFINITY, f64::min);
    let (mut total, mut sum) = (0.0, DVec3::ZERO);
    for (apart, middle) in pairs {
        let weight = (least / apart).powi(4);
        total += weight;
        sum += middle * weight;
    }
    (least, sum / total)
}
