//! Which two poses are the same: one of a source and one of a rig.
//!
//! Section 2.3 of "Transplanting and Editing Animations on Skinned Meshes" aligns rest poses through a pose
//! that both can take. Here one pose of each side is said to be that pose, by the user or by a search over
//! poses of both: for two that are the same to the point (`same`), or else for the two whose limbs agree best
//! (`search`). The source may be of another size, stand elsewhere and face another way: it is laid over the
//! rig first ([`Placement`]). Where bones and joints have the same names, those tell how.

use std::cmp::Reverse;
use std::f64::consts::TAU;

use glam::DVec3;
use rayon::prelude::*;

use super::figure::{Body, Frame};
use super::limbs::Limbs;
use super::names::named;
use super::own::spread;
use super::placement::Placement;
use super::same::same_poses;
use super::search::{by_limbs, has_limbs};
use super::suggest::{frames_from, go_on_alike};
use super::{Motion, TransplantError};
use crate::geometry::Bounds;
use crate::rig::Rig;

/// A pose of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourcePose {
    /// The pose in which no joint is turned.
    Bind,
    /// A frame, counted from 0 over all clips.
    Frame(usize),
}

/// A pose of a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RigPose {
    /// The rest pose.
    Rest,
    /// A frame, counted from 0 over all clips.
    Frame(usize),
}

/// Two poses that are taken to be the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// The pose of the source.
    pub source: SourcePose,
    /// The pose of the rig.
    pub rig: RigPose,
    /// How the source lies over the rig in these poses.
    pub placement: Placement,
    /// How far the two are apart, in percent of the rig's height: the mean way from bones to the joints of
    /// the same names; where names do not tell, from bones to the limbs they follow, with the lengths of the
    /// rig; where the source has no limbs, from the surface to the nearest joint and back.
    pub apart: f64,
    /// Whether names told how the source lies.
    pub by_names: bool,
    /// By how many percent the source agrees worse if it faces the other way, where that was looked at. A
    /// body that looks the same from both sides has little.
    pub margin: Option<f64>,
}

/// Frames of each side that are looked at, besides bind and rest pose; where limbs are matched; and of a
/// source that may have poses of the rig to the point.
const LOOKED_AT: usize = 12;
const OF_SOURCE: usize = 24;
const OF_RIG: usize = 20;
const ALL: usize = 4096;
/// Poses that are the same to the point of which the motion after them is looked at.
const SAME_TRIED: usize = 16;
/// Points of a body in a search over many poses, and for the pose that is taken.
const FEW: usize = 150;
const MANY: usize = 600;
/// Facings that are tried.
const FACINGS: usize = 16;
/// Pairs of poses that are looked at closely.
const FINALISTS: usize = 8;
/// A source that faces the other way must agree better by this share: what is the same on both sides, as a
/// body in front and behind nearly is, tells little.
const OTHER_WAY: f64 = 0.3;
/// Frames must agree better than bind and rest pose by this share: those two were made to be alike. Where
/// names tell, they are not needed much: limbs of the two poses are brought together.
const OTHER_POSE: f64 = 0.1;
const OTHER_POSE_OF_NAMES: f64 = 0.6;
/// A source is taken as it stands if that is not worse than the best by more than this share.
const AS_GOOD: f64 = 0.2;
/// Names tell how the source lies if so many joints are named.
pub(super) const ENOUGH_NAMES: usize = 4;

/// Lays a source over a rig, in the poses that are given, or in those of some that agree best.
pub fn align(
    rig: &Rig,
    motion: &Motion,
    source: Option<SourcePose>,
    pose: Option<RigPose>,
) -> Result<Alignment, TransplantError> {
    super::transplant::check(rig, motion)?;
    check(rig, motion, source, pose)?;
    let sources = |most| source.map_or_else(|| some_of_source(motion, most), |pose| vec![pose]);
    let poses = |most| pose.map_or_else(|| some_of_rig(rig, most), |pose| vec![pose]);
    if let Some(pairs) = named_pairs(rig, motion) {
        let body = |pose| (pose, Body::new(rig, pose, FEW));
        let bodies: Vec<(RigPose, Body)> = poses(LOOKED_AT).into_iter().map(body).collect();
        let both = sources(LOOKED_AT).into_iter().flat_map(|s| bodies.iter().map(move |body| (s, body)));
        let laid = both.filter_map(|(s, (pose, body))| by_names(motion, &pairs, body, s, *pose));
        return laid.min_by(|a, b| a.cost().total_cmp(&b.cost())).ok_or(TransplantError::NoAlignment);
    }
    if !has_limbs(motion) {
        return by_clouds(rig, motion, &sources(LOOKED_AT), &poses(LOOKED_AT));
    }
    let limbs = Limbs::new(rig);
    if let Some(same) = same(rig, motion, &limbs, &sources(ALL), &poses(LOOKED_AT)) {
        return Ok(same);
    }
    by_limbs(rig, motion, &limbs, &sources(OF_SOURCE), &poses(OF_RIG)).ok_or(TransplantError::NoAlignment)
}

fn some_of_source(motion: &Motion, most: usize) -> Vec<SourcePose> {
    let frames = spread(motion.frame_count(), most).map(SourcePose::Frame);
    std::iter::once(SourcePose::Bind).chain(frames).collect()
}

fn some_of_rig(rig: &Rig, most: usize) -> Vec<RigPose> {
    let frames = spread(rig.frame_count(), most).map(RigPose::Frame);
    std::iter::once(RigPose::Rest).chain(frames).collect()
}

/// Poses that are the same to the point, if rig and source go on alike after them.
fn same(
    rig: &Rig,
    motion: &Motion,
    limbs: &Limbs,
    sources: &[SourcePose],
    poses: &[RigPose],
) -> Option<Alignment> {
    let size = Bounds::of(&rig.rest).diagonal();
    let found = same_poses(rig, motion, limbs, sources, poses, size);
    let alignment = |(source, pose, apart): (SourcePose, RigPose, f64)| {
        let height = Body::of_bones(rig, pose).height;
        let placement = Placement::AS_IT_STANDS;
        Alignment {
            source,
            rig: pose,
            placement,
            apart: 100.0 * apart / height,
            by_names: false,
            margin: None,
        }
    };
    // Of those the one after which most is seen: the longer paths are, the better they tell joints apart.
    let alike = found.into_iter().take(SAME_TRIED).map(alignment).filter(|a| go_on_alike(rig, motion, a));
    alike.min_by_key(|a| Reverse(frames_from(rig, motion, a)))
}

/// Lays a source without limbs over a rig.
fn by_clouds(
    rig: &Rig,
    motion: &Motion,
    sources: &[SourcePose],
    poses: &[RigPose],
) -> Result<Alignment, TransplantError> {
    let bodies: Vec<(RigPose, Body)> =
        poses.par_iter().map(|&pose| (pose, Body::new(rig, pose, FEW))).collect();
    let mut found: Vec<Alignment> = sources
        .par_iter()
        .flat_map_iter(|&source| {
            let frame = Frame::new(motion, source);
            let laid = |(pose, body): &(RigPose, Body)| by_shape(&frame, body, source, *pose);
            bodies.iter().filter_map(laid).collect::<Vec<_>>()
        })
        .collect();
    found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    found.truncate(FINALISTS);
    found = found.into_par_iter().map(|alignment| closer(rig, motion, alignment)).collect();
    found.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost())).ok_or(TransplantError::NoAlignment)
}

fn check(
    rig: &Rig,
    motion: &Motion,
    source: Option<SourcePose>,
    pose: Option<RigPose>,
) -> Result<(), TransplantError> {
    if let Some(SourcePose::Frame(frame)) = source
        && frame >= motion.frame_count()
    {
        return Err(TransplantError::NoSuchFrame { whose: "source", frame, count: motion.frame_count() });
    }
    if let Some(RigPose::Frame(frame)) = pose
        && frame >= rig.frame_count()
    {
        return Err(TransplantError::NoSuchFrame { whose: "rig", frame, count: rig.frame_count() });
    }
    Ok(())
}

impl Alignment {
    /// What a search makes least: how far the two are apart, and what speaks against the pair.
    fn cost(&self) -> f64 {
        let turned = 0.5 * (1.0 - self.placement.facing.cos());
        let posed = match (self.source, self.rig) {
            (SourcePose::Bind, RigPose::Rest) => 0.0,
            _ if self.by_names => OTHER_POSE_OF_NAMES,
            _ => OTHER_POSE,
        };
        self.apart * (1.0 + OTHER_WAY * turned + posed)
    }
}

/// Bones and the joints of the same names, where there are enough to tell how the source lies.
fn named_pairs(rig: &Rig, motion: &Motion) -> Option<Vec<(usize, usize)>> {
    let named = named(rig, motion);
    let mut seen = vec![false; motion.joints.len()];
    // Of several bones of one joint the first counts.
    let first = |(bone, joint): (usize, Option<usize>)| {
        let joint = joint?;
        (!std::mem::replace(&mut seen[joint], true)).then_some((bone, joint))
    };
    let pairs: Vec<(usize, usize)> = named.into_iter().enumerate().filter_map(first).collect();
    (pairs.len() >= ENOUGH_NAMES).then_some(pairs)
}

fn by_names(
    motion: &Motion,
    pairs: &[(usize, usize)],
    body: &Body,
    source: SourcePose,
    rig: RigPose,
) -> Option<Alignment> {
    let worlds = super::figure::worlds(motion, source);
    let pairs: Vec<(DVec3, DVec3, f64)> =
        pairs.iter().map(|&(bone, joint)| (worlds[joint].translation, body.places[bone], 1.0)).collect();
    let mut placement = Placement::fit(&pairs, None)?;
    if placement.faces_the_same_way() {
        placement = Placement::fit(&pairs, Some(0.0))?;
    }
    let apart = |placement: &Placement| {
        let sum: f64 = pairs.iter().map(|(q, p, _)| placement.apply(*q).distance(*p)).sum();
        sum / pairs.len() as f64 / body.height
    };
    let (placement, apart) = simplest(placement, apart);
    Some(Alignment { source, rig, placement, apart: 100.0 * apart, by_names: true, margin: None })
}

/// The best of some facings.
fn by_shape(frame: &Frame, body: &Body, source: SourcePose, rig: RigPose) -> Option<Alignment> {
    let facings = (0..FACINGS).map(|i| i as f64 / FACINGS as f64 * TAU);
    facings
        .filter_map(|facing| {
            let placement = frame.rough(body, facing)?;
            let apart = 100.0 * frame.apart(body, &placement);
            Some(Alignment { source, rig, placement, apart, by_names: false, margin: None })
        })
        .min_by(|a, b| a.cost().total_cmp(&b.cost()))
}

/// A closer look at more points.
fn closer(rig: &Rig, motion: &Motion, alignment: Alignment) -> Alignment {
    let body = Body::new(rig, alignment.rig, MANY);
    let frame = Frame::new(motion, alignment.source);
    let best = frame.improved(&body, alignment.placement);
    let (placement, apart) = simplest(best, |placement| frame.apart(&body, placement));
    Alignment { placement, apart: 100.0 * apart, ..alignment }
}

/// The source as it stands, or only turned, where that is about as good as the best placement.
pub(super) fn simplest(best: Placement, apart: impl Fn(&Placement) -> f64) -> (Placement, f64) {
    let least = apart(&best);
    let turned = Placement { facing: best.facing, ..Placement::AS_IT_STANDS };
    for simple in [Placement::AS_IT_STANDS, turned] {
        let so = apart(&simple);
        if so <= (1.0 + AS_GOOD) * least + 1e-9 {
            return (simple, so);
        }
    }
    (best, least)
}
