//! The way of a bone from frame to frame.
//!
//! It is that of the polar decomposition A = R S, the turn R along the shortest arc and the stretch S straight, with
//! the point that moves least going straight.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::rig::Rig;
use sinew::solve::polar;

use super::skinning::Influences;
use super::turns::slerp;

/// Steps of a frame: keys lie on these.
pub(crate) const STEPS: usize = 16;

/// Turns of more than a right angle from one frame to the next have no way that is clearly meant.
const LARGEST_TURN_COSINE: f64 = 0.0;

/// A vertex among the outermost that a bone moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outer {
    /// The bone's weight w on it.
    pub weight: f64,
    /// w (p − c): how far from the bone's center it is, weighted.
    pub offset: DVec3,
}

/// Where a bone should be at every step from the first frame to the last: the joint's world transforms.
/// Those at frames are exact.
pub(crate) fn path(transforms: &[DAffine3], center: DVec3, outermost: &[Outer]) -> Vec<DAffine3> {
    let mut path: Vec<DAffine3> = transforms.first().map(|t| joint(t, center)).into_iter().collect();
    for pair in transforms.windows(2) {
        let (a, b) = (joint(&pair[0], center), joint(&pair[1], center));
        let way = Way::new(a, b, outermost);
        path.extend((1..STEPS).map(|step| way.at(step as f64 / STEPS as f64)));
        path.push(b);
    }
    path
}

/// World transform of the joint of a bone placed at `center`: T · translate(center).
pub(crate) fn joint(transform: &DAffine3, center: DVec3) -> DAffine3 {
    DAffine3 { matrix3: transform.matrix3, translation: transform.transform_point3(center) }
}

/// The way from one transform to another.
struct Way {
    ends: [DAffine3; 2],
    /// Turns and symmetric stretches; `None` where one end mirrors and the other does not, where one is
    /// flat, or where they are too far apart.
    polar: Option<([DQuat; 2], [DMat3; 2])>,
    /// The point, relative to the center, that moves least: it goes straight.
    pivot: DVec3,
}

impl Way {
    fn new(a: DAffine3, b: DAffine3, outermost: &[Outer]) -> Self {
        // A mirror image is turned the other way out and back.
        let side = a.matrix3.determinant().signum();
        let same = side == b.matrix3.determinant().signum();
        let turns = polar(a.matrix3 * side).zip(polar(b.matrix3 * side)).filter(|_| same);
        let polar = turns.and_then(|(r, s)| {
            let turns = [r, s].map(|r| DQuat::from_mat3(&r).normalize());
            // The cosine of the whole turn from that of half of it.
            let half = turns[0].dot(turns[1]);
            let clear = 2.0 * half * half - 1.0 >= LARGEST_TURN_COSINE;
            clear.then(|| (turns, [r.transpose() * a.matrix3, s.transpose() * b.matrix3]))
        });
        Self { ends: [a, b], polar, pivot: pivot(a, b, outermost) }
    }

    fn at(&self, t: f64) -> DAffine3 {
        let [a, b] = self.ends;
        let blend = |a: DMat3, b: DMat3| a * (1.0 - t) + b * t;
        let matrix3 = match self.polar {
            Some(([p, q], [r, s])) => DMat3::from_quat(slerp(p, q, t)) * blend(r, s),
            None => blend(a.matrix3, b.matrix3),
        };
        let pivot = a.transform_point3(self.pivot).lerp(b.transform_point3(self.pivot), t);
        DAffine3 { matrix3, translation: pivot - matrix3 * self.pivot }
    }
}

/// The point among those a bone moves, relative to its center, that moves least from `a` to `b`: the
/// joint about which it turns.
fn pivot(a: DAffine3, b: DAffine3, outermost: &[Outer]) -> DVec3 {
    let (turn, shift) = (b.matrix3 - a.matrix3, b.translation - a.translation);
    let square = turn.transpose() * turn;
    // Along the axis of a turn nothing tells one point from another: the nearest to the center will do.
    let spread = 0.02 * (square.x_axis.x + square.y_axis.y + square.z_axis.z);
    let wanted =
        (square + DMat3::from_diagonal(DVec3::splat(spread))).inverse() * (turn.transpose() * -shift);
    let radius = outermost.iter().map(|o| o.offset.length()).fold(0.0, f64::max);
    if wanted.is_finite() { wanted.clamp_length_max(radius) } else { DVec3::ZERO }
}

/// The outermost vertices of every bone, whose centers are given. A bone that is off by the matrix M carries
/// no vertex further off than the farthest of these, up to the few degrees between the directions in which
/// they are looked for.
pub(crate) fn outermost(rig: &Rig, influences: &Influences, centers: &[DVec3]) -> Vec<Vec<Outer>> {
    let directions = directions();
    let mut found = vec![vec![(Outer::default(), 0.0); directions.len()]; centers.len()];
    for (slot, &weight) in influences.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        let bone = usize::from(influences.joints[slot]);
        let (p, weight) = (rig.rest[slot / influences.slots].as_dvec3(), f64::from(weight));
        let outer = Outer { weight, offset: (p - centers[bone]) * weight };
        for (best, direction) in found[bone].iter_mut().zip(&directions) {
            let reach = outer.offset.dot(*direction);
            if reach > best.1 {
                *best = (outer, reach);
            }
        }
    }
    found.into_iter().map(|of_bone| of_bone.into_iter().map(|(outer, _)| outer).collect()).collect()
}

/// Towards the faces, edges and corners of a cube.
fn directions() -> Vec<DVec3> {
    let sides = [-1.0, 0.0, 1.0];
    let all = sides.iter().flat_map(|x| sides.iter().flat_map(move |y| sides.map(|z| DVec3::new(*x, *y, z))));
    all.filter_map(DVec3::try_normalize).collect()
}
