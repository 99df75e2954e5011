//! A source in a pose as a tree of segments whose directions are known and whose lengths are not.
//!
//! Two bodies take the same pose if their limbs have the same directions. How long limbs are is a matter of
//! who they are: a child's head is no grown-up's. So segments may be as long as the rig has them, if all stay
//! about as long as one scale makes them: least squares for lengths, place and a common scale.

use glam::DVec3;

use super::Motion;
use super::body_joints::body_joints;
use super::names::is_handle;
use super::placement::middle_and_spread;
use super::poses::{SourcePose, worlds};
use super::tuning::{MatchingTuning, TUNING};
use crate::solve::dense::solve_rows;

/// A tree of segments.
pub(super) struct SourceTree {
    /// The joints that bones may follow.
    pub joints: Vec<usize>,
    /// Between the middles of what each two of those carry, row by row.
    pub links: Vec<Link>,
    parents: Vec<Option<usize>>,
    places: Vec<DVec3>,
    /// Segments of every joint of the source: the number of a length, and the way from the joint to the end.
    segments: Vec<Vec<(usize, DVec3)>>,
    lengths: usize,
}

/// The way from what one joint carries to what another does.
#[derive(Clone, Copy)]
pub(super) struct Link {
    /// The whole way; of a joint to itself, that along its only segment.
    pub whole: Way,
    /// To the joint between the two and on from there, where one hangs on the other.
    pub legs: Option<[Way; 2]>,
    /// Its length along the segments.
    pub along: f64,
}

/// Direction and length.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// Zero where there is none.
    pub direction: DVec3,
    pub length: f64,
}

impl Way {
    pub fn new(way: DVec3) -> Self {
        Self { direction: way.normalize_or_zero(), length: way.length() }
    }
}

/// A tree whose segments have the lengths of a rig.
pub(super) struct FittedTree {
    /// Ends of all segments of each joint that bones may follow.
    pub segments: Vec<Vec<[DVec3; 2]>>,
    pub scale: f64,
}

/// A point that is to lie on what a joint carries.
pub(super) struct Target {
    /// One of [`SourceTree::joints`], by its place there.
    pub joint: usize,
    pub at: DVec3,
    pub weight: f64,
    /// Whether it is the joint itself.
    pub is_joint: bool,
}

impl SourceTree {
    pub fn new(motion: &Motion, pose: SourcePose) -> Self {
        let worlds = worlds(motion, pose);
        let places: Vec<DVec3> = worlds.iter().map(|t| t.translation).collect();
        let n = places.len();
        let joints = body_joints(motion);
        let mut segments = vec![Vec::new(); n];
        let mut lengths = n;
        for (number, joint) in motion.joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|_| !is_handle(&joint.name)) {
                segments[parent].push((number, places[number] - places[parent]));
            }
            if let Some(tip) = joint.tip {
                segments[number].push((lengths, worlds[number].transform_vector3(tip)));
                lengths += 1;
            }
        }
        // Where a limb ends without a tip, as heads do in many files, it goes on the way it came.
        for &joint in &joints {
            let Some(parent) = motion.joints[joint].parent.filter(|_| segments[joint].is_empty()) else {
                continue;
            };
            segments[joint].push((lengths, places[joint] - places[parent]));
            lengths += 1;
        }
        let parents: Vec<Option<usize>> = motion.joints.iter().map(|joint| joint.parent).collect();
        let mut made = Self { joints, links: Vec::new(), parents, places, segments, lengths };
        made.links = made.links();
        made
    }

    /// The middle of a joint's segments.
    fn middle(&self, joint: usize) -> DVec3 {
        let segments = &self.segments[joint];
        let sum: DVec3 = segments.iter().map(|(_, way)| *way).sum();
        self.places[joint] + 0.5 * sum / segments.len().max(1) as f64
    }

    fn links(&self) -> Vec<Link> {
        let n = self.places.len();
        let middles: Vec<DVec3> = (0..n).map(|joint| self.middle(joint)).collect();
        // Parents come first, so the ways to all before are known.
        let mut along = vec![f64::INFINITY; n * n];
        for joint in 0..n {
            if let Some(parent) = self.parents[joint] {
                let at = self.places[joint];
                let step = middles[joint].distance(at) + at.distance(middles[parent]);
                for other in 0..joint {
                    let way = along[parent * n + other] + step;
                    (along[joint * n + other], along[other * n + joint]) = (way, way);
                }
            }
            along[joint * n + joint] = 0.0;
        }
        let link = |a: usize, b: usize| {
            let way = match a == b {
                false => middles[b] - middles[a],
                true => self.segments[a].iter().map(|s| s.1).fold(DVec3::ZERO, longer),
            };
            let mut whole = Way::new(way);
            if a == b && self.segments[a].len() > 1 {
                whole.direction = DVec3::ZERO;
            }
            let between = match (self.hangs_below(b, a), self.hangs_below(a, b)) {
                (true, _) => Some(self.places[b]),
                (_, true) => Some(self.places[a]),
                _ => None,
            };
            let legs = between.map(|at| [Way::new(at - middles[a]), Way::new(middles[b] - at)]);
            Link { whole, legs, along: along[a * n + b] }
        };
        self.joints.iter().flat_map(|&a| self.joints.iter().map(move |&b| link(a, b))).collect()
    }

    /// Where a joint is. Here and below joints are told by place in [`SourceTree::joints`].
    pub fn place(&self, joint: usize) -> DVec3 {
        self.places[self.joints[joint]]
    }

    /// The middle of what a joint carries.
    pub fn middle_of(&self, joint: usize) -> DVec3 {
        self.middle(self.joints[joint])
    }

    /// The middle of what a joint carries together with all that hangs on it, by length.
    pub fn middle_below(&self, joint: usize) -> DVec3 {
        let all = (0..self.joints.len()).filter(|&other| other == joint || self.is_below(other, joint));
        let mut sum = (DVec3::ZERO, 0.0);
        for other in all.map(|other| self.joints[other]) {
            for (_, way) in &self.segments[other] {
                sum.0 += (self.places[other] + 0.5 * *way) * way.length();
                sum.1 += way.length();
            }
        }
        if sum.1 > 0.0 { sum.0 / sum.1 } else { self.place(joint) }
    }

    /// Whether a joint is somewhere below another.
    pub fn is_below(&self, joint: usize, other: usize) -> bool {
        self.hangs_below(self.joints[joint], self.joints[other])
    }

    fn hangs_below(&self, joint: usize, other: usize) -> bool {
        std::iter::successors(self.parents[joint], |&j| self.parents[j]).any(|j| j == other)
    }

    /// The nearest joint above that is one of `followed`.
    pub fn followed_above(&self, joint: usize, followed: &[usize]) -> Option<usize> {
        let above = std::iter::successors(self.parents[self.joints[joint]], |&j| self.parents[j]);
        let place = |j: usize| self.joints.iter().position(|&other| other == j);
        above.filter_map(place).find(|j| followed.contains(j))
    }

    /// Whether several segments begin at a joint.
    pub fn branches(&self, joint: usize) -> bool {
        self.segments[self.joints[joint]].len() > 1
    }

    /// Whether a joint hangs on another directly.
    pub fn hangs_on(&self, joint: usize, other: usize) -> bool {
        self.parents[self.joints[joint]] == Some(self.joints[other])
    }

    /// How far points on the segments are from their middle, squared and on average by length.
    pub fn spread(&self) -> f64 {
        let segments = self.joints.iter().flat_map(|&j| self.segments[j].iter().map(move |s| (j, s.1)));
        middle_and_spread(segments.map(|(joint, way)| (self.places[joint] + 0.5 * way, way.length()))).1
    }

    /// The segments with all lengths times one scale, the first joint at a place.
    fn scaled(&self, scale: f64) -> (Vec<f64>, DVec3) {
        (vec![scale; self.lengths], self.places[0] * scale)
    }

    /// Where the segments are with these lengths and the first joint there.
    fn with_lengths(&self, lengths: &[f64], start: DVec3, scale: f64) -> FittedTree {
        let mut places = vec![start; self.places.len()];
        for joint in 0..places.len() {
            places[joint] = match self.parents[joint] {
                Some(parent) => places[parent] + (self.places[joint] - self.places[parent]) * lengths[joint],
                None => start + (self.places[joint] - self.places[0]) * scale,
            };
        }
        let segments = |&joint: &usize| {
            let at = places[joint];
            let ends = self.segments[joint].iter().map(|(length, way)| [at, at + *way * lengths[*length]]);
            let ends: Vec<[DVec3; 2]> = ends.collect();
            if ends.is_empty() { vec![[at, at]] } else { ends }
        };
        FittedTree { segments: self.joints.iter().map(segments).collect(), scale }
    }

    /// The tree as the source has it.
    pub fn as_it_stands(&self) -> FittedTree {
        let (lengths, start) = self.scaled(1.0);
        self.with_lengths(&lengths, start, 1.0)
    }

    /// The tree as large as `scale` makes it, where most targets are met best.
    pub fn placed(&self, targets: &[Target], scale: f64) -> FittedTree {
        let (lengths, start) = self.scaled(scale);
        let at = self.with_lengths(&lengths, start, scale);
        let total: f64 = targets.iter().map(|target| target.weight).sum();
        let off =
            |target: &Target| (target.at - nearest(&at.segments[target.joint], target.at).2) * target.weight;
        let shift = targets.iter().map(off).sum::<DVec3>() / total.max(f64::MIN_POSITIVE);
        self.with_lengths(&lengths, start + shift, scale)
    }

    /// Lengths and place of the tree that meet targets best, beginning at `from`.
    pub fn fitted(&self, targets: &[Target], from: &FittedTree) -> FittedTree {
        let MatchingTuning { hold_length, hold_untold, .. } = TUNING.matching;
        let n = 3 + self.lengths;
        let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        let squares = self.squares();
        let mean = squares.iter().sum::<f64>() / self.lengths as f64;
        for (length, square) in squares.iter().enumerate() {
            let hold = hold_length * square + hold_untold * mean + f64::MIN_POSITIVE;
            matrix[(3 + length) * (n + 1)] += hold;
            right[3 + length] += hold * from.scale;
        }
        let mut terms: Vec<(usize, DVec3)> = Vec::new();
        for target in targets {
            let joint = self.joints[target.joint];
            terms.clear();
            let mut start = DVec3::ZERO;
            let mut above = joint;
            while let Some(parent) = self.parents[above] {
                terms.push((3 + above, self.places[above] - self.places[parent]));
                above = parent;
            }
            start += (self.places[above] - self.places[0]) * from.scale;
            if !target.is_joint {
                let (segment, share, _) = nearest(&from.segments[target.joint], target.at);
                terms.extend(
                    self.segments[joint].get(segment).map(|(length, way)| (3 + length, *way * share)),
                );
            }
            let w = target.weight;
            let target = target.at - start;
            for axis in 0..3 {
                matrix[axis * (n + 1)] += w;
                right[axis] += w * target[axis];
            }
            for &(i, a) in &terms {
                (0..3).for_each(|axis| matrix[i * n + axis] += w * a[axis]);
                right[i] += w * a.dot(target);
                terms.iter().filter(|(j, _)| *j <= i).for_each(|(j, b)| matrix[i * n + j] += w * a.dot(*b));
            }
        }
        if !solve_rows(&mut matrix, n, &mut right, 1) {
            return self.placed(targets, from.scale);
        }
        let start = DVec3::new(right[0], right[1], right[2]);
        let lengths: Vec<f64> = right[3..].iter().map(|length| length.max(0.0)).collect();
        let scale = lengths.iter().zip(&squares).map(|(length, square)| length * square).sum::<f64>()
            / squares.iter().sum::<f64>();
        self.with_lengths(&lengths, start, scale)
    }

    /// How many times as long what a joint carries is in a fitted tree as the common scale would make it.
    pub fn stretch(&self, fitted: &FittedTree, joint: usize) -> f64 {
        let theirs: f64 = self.segments[self.joints[joint]].iter().map(|(_, way)| way.length()).sum();
        let ours: f64 = fitted.segments[joint].iter().map(|[a, b]| a.distance(*b)).sum();
        if theirs > 0.0 { ours / (theirs * fitted.scale) } else { 1.0 }
    }

    /// Squared lengths of the segments, as the source has them.
    fn squares(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.lengths];
        let segments = self.joints.iter().flat_map(|&joint| &self.segments[joint]);
        segments.for_each(|(length, way)| squares[*length] = way.length_squared());
        squares
    }
}

fn longer(a: DVec3, b: DVec3) -> DVec3 {
    if b.length_squared() > a.length_squared() { b } else { a }
}

/// The segment that is nearest to a point, which share of it lies before the nearest place, and that place.
pub(super) fn nearest(segments: &[[DVec3; 2]], point: DVec3) -> (usize, f64, DVec3) {
    let mut best = (0, 0.0, point);
    let mut least = f64::INFINITY;
    for (number, [a, b]) in segments.iter().enumerate() {
        let along = *b - *a;
        let length = along.length_squared();
        let share = if length == 0.0 { 0.0 } else { ((point - *a).dot(along) / length).clamp(0.0, 1.0) };
        let at = *a + along * share;
        if at.distance_squared(point) < least {
            least = at.distance_squared(point);
            best = (number, share, at);
        }
    }
    best
}
