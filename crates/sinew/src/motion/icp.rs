//! A skeleton laid over a surface by iterative closest points.
//!
//! After "A Method for Registration of 3-D Shapes" (Besl and McKay 1992): points of the rig's surface and segments of
//! the source's skeleton are paired with what is nearest on the other side, and the similarity about the vertical
//! that brings the pairs together is taken, over and over. Departure: pairs are made both ways, so that neither side
//! shrinks into a part of the other.

use glam::DVec3;

use super::Motion;
use super::names::is_handle;
use super::placement::{Placement, middle_and_spread};
use super::poses::{RigPose, SourcePose, transforms, worlds};
use super::rig_motion::areas;
use super::tuning::TUNING;
use crate::animation::evenly;
use crate::geometry::closest::closest_on_segment;
use crate::rig::{Rig, blended};

/// Points of each bone that are looked at.
const OF_BONE: usize = 24;
/// Points along each segment of a source that are looked at.
const ALONG: [f64; 3] = [0.0, 0.5, 1.0];
/// Segments this much shorter than the source are points.
const POINT: f64 = 1e-6;

/// A pose of a rig.
pub(super) struct SurfacePose {
    /// Points, with the bone that moves each most and the surface around it; evenly over all vertices.
    pub points: Vec<(DVec3, usize, f64)>,
    /// Centre of every bone.
    pub places: Vec<DVec3>,
    pub height: f64,
}

impl SurfacePose {
    /// About `count` points of a rig in a pose.
    pub fn new(rig: &Rig, pose: RigPose, count: usize) -> Self {
        let main = rig.weights.main_bones(rig.rest.len());
        Self::of_vertices(rig, pose, evenly(rig.rest.len(), count), &main)
    }

    /// Some points of every bone.
    pub fn of_bones(rig: &Rig, pose: RigPose) -> Self {
        let main = rig.weights.main_bones(rig.rest.len());
        let mut of_bone = vec![Vec::new(); rig.bones.len()];
        main.iter().enumerate().for_each(|(v, &bone)| of_bone[bone].push(v));
        let some = of_bone.iter().flat_map(|all| evenly(all.len(), OF_BONE).map(move |i| all[i]));
        Self::of_vertices(rig, pose, some, &main)
    }

    fn of_vertices(rig: &Rig, pose: RigPose, some: impl Iterator<Item = usize>, main: &[usize]) -> Self {
        let transforms = transforms(rig, pose);
        let areas = areas(rig);
        let posed = |v: usize| blended(&rig.weights, &transforms, v).transform_point3(rig.rest[v].as_dvec3());
        let lowest_and_highest = (0..rig.rest.len())
            .map(|v| posed(v).y)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let height = (lowest_and_highest.1 - lowest_and_highest.0).max(f64::MIN_POSITIVE);
        let points = some.map(|v| (posed(v), main[v], areas[v] + f64::MIN_POSITIVE)).collect();
        Self { points, places: rig.moved_centers(&transforms), height }
    }
}

/// A pose of a source.
pub(super) struct SkeletonPose {
    /// Joint and both ends. Handles, which only steer others, have none.
    pub segments: Vec<(usize, DVec3, DVec3)>,
    /// Points along the segments, with the length they stand for.
    points: Vec<(DVec3, f64)>,
}

impl SkeletonPose {
    pub fn new(motion: &Motion, pose: SourcePose) -> Self {
        let worlds = worlds(motion, pose);
        let size = motion.size().length().max(f64::MIN_POSITIVE);
        let mut segments = Vec::new();
        let is_body: Vec<bool> = motion.joints.iter().map(|joint| !is_handle(&joint.name)).collect();
        // A source of handles alone is a source of joints with odd names.
        let is_body = if is_body.contains(&true) { is_body } else { vec![true; motion.joints.len()] };
        let mut has_segment = vec![false; motion.joints.len()];
        for (number, joint) in motion.joints.iter().enumerate().filter(|(number, _)| is_body[*number]) {
            let tip = joint.tip.map(|tip| (number, worlds[number].transform_point3(tip)));
            let own = joint.parent.map(|parent| (parent, worlds[number].translation));
            for (from, to) in tip.into_iter().chain(own).filter(|(from, _)| is_body[*from]) {
                if worlds[from].translation.distance(to) > POINT * size {
                    segments.push((from, worlds[from].translation, to));
                    has_segment[from] = true;
                }
            }
        }
        for number in (0..motion.joints.len()).filter(|&j| is_body[j] && !has_segment[j]) {
            segments.push((number, worlds[number].translation, worlds[number].translation));
        }
        let mean = segments.iter().map(|(_, a, b)| a.distance(*b)).sum::<f64>() / segments.len() as f64;
        let least = if mean > 0.0 { 0.01 * mean } else { 1.0 };
        let points = segments.iter().flat_map(|(_, a, b)| {
            let length = a.distance(*b).max(least);
            ALONG.map(|t| (a.lerp(*b, t), length))
        });
        Self { points: points.collect(), segments }
    }

    /// How far a point is from what each joint carries.
    pub fn distances(&self, point: DVec3, joints: usize) -> Vec<f64> {
        let mut out = vec![f64::INFINITY; joints];
        for (joint, a, b) in &self.segments {
            out[*joint] = out[*joint].min(closest_on_segment(point, [*a, *b]).distance(point));
        }
        out
    }

    /// The middle of what a joint carries.
    pub fn middle(&self, joint: usize) -> DVec3 {
        let own: Vec<DVec3> =
            self.segments.iter().filter(|s| s.0 == joint).map(|(_, a, b)| a.midpoint(*b)).collect();
        own.iter().sum::<DVec3>() / own.len().max(1) as f64
    }

    /// How far body and source are apart if the source is placed so, as a share of the body's height: the
    /// mean way from points of the body to the nearest segment, and from segments to the nearest point.
    pub fn apart(&self, body: &SurfacePose, placement: &Placement) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (q, p, weight, share) in self.pairs(body, placement) {
            sum += placement.apply(q).distance(p) * weight / share;
            total += 1.0 / share * weight;
        }
        sum / total.max(f64::MIN_POSITIVE) / body.height
    }

    /// Points of the source and the body that are nearest to each other, with weights; half of all weight is
    /// on the way there, half on the way back. The last number of each is the sum of weights on its way.
    fn pairs(&self, body: &SurfacePose, placement: &Placement) -> Vec<(DVec3, DVec3, f64, f64)> {
        let surface: f64 = body.points.iter().map(|p| p.2).sum();
        let length: f64 = self.points.iter().map(|p| p.1).sum();
        let there = body.points.iter().map(|&(p, _, area)| {
            let back = placement.back(p);
            let on = self.segments.iter().map(|(_, a, b)| closest_on_segment(back, [*a, *b]));
            let q = on.min_by(|a, b| a.distance_squared(back).total_cmp(&b.distance_squared(back)));
            (q.unwrap_or(back), p, area, surface)
        });
        let back = self.points.iter().map(|&(q, weight)| {
            let at = placement.apply(q);
            let near = body.points.iter().map(|p| p.0);
            let p = near.min_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at)));
            (q, p.unwrap_or(at), weight, length)
        });
        there.chain(back).collect()
    }

    /// The placement that a facing alone gives: middles and sizes agree.
    pub fn rough(&self, body: &SurfacePose, facing: f64) -> Option<Placement> {
        let (middle_q, size_q) = middle_and_spread(self.points.iter().copied());
        let (middle_p, size_p) = middle_and_spread(body.points.iter().map(|&(p, _, w)| (p, w)));
        let scale = (size_p / size_q).sqrt();
        let placement = Placement { facing, scale, shift: DVec3::ZERO };
        let shift = middle_p - placement.apply(middle_q);
        (scale.is_finite() && scale > 0.0 && shift.is_finite()).then_some(Placement { shift, ..placement })
    }

    /// Improves a placement: nearest points are brought nearer, over and over.
    pub fn improved(&self, body: &SurfacePose, mut placement: Placement) -> Placement {
        for _ in 0..TUNING.alignment.icp_rounds {
            let pairs: Vec<_> = self
                .pairs(body, &placement)
                .into_iter()
                .map(|(q, p, weight, share)| (q, p, weight / share))
                .collect();
            let Some(mut next) = Placement::fit(&pairs, None) else { break };
            if next.faces_the_same_way() {
                next = Placement::fit(&pairs, Some(0.0)).unwrap_or(next);
            }
            if self.apart(body, &next) >= self.apart(body, &placement) {
                break;
            }
            placement = next;
        }
        placement
    }
}
