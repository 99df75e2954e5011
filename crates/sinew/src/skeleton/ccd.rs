//! Joint angles one joint at a time.
//!
//! Follows section 6 of "Automatic Conversion of Mesh Animations into Skeleton-based Animations": cyclic
//! coordinate descent on the distances between the skeleton's joints and where they were seen.
//! Departures:
//!
//! - A joint's whole turn is one coordinate. The best one, all else held, is known in closed form (the
//!   rotation nearest to the covariance of what hangs on the joint with where that should be), so there
//!   is no need to go one Euler angle at a time, and no lock. A root's turn and place are found together
//!   in the same way.
//! - A joint turns while what hangs on its children is shifted but not turned: turns against the world
//!   are the coordinates. Were all below a joint turned with it like one stiff body, the joints below
//!   would have to undo that in the next steps; hundreds of sweeps would go by, and a limb that bends the
//!   other way than in the frame before would be flipped about itself rather than bent.
//! - Points besides the joints may be followed ([`Marker`]). Joints alone do not tell how a leaf turns,
//!   nor how a limb turns about the line to its only child.
//! - Every frame starts from the one before: from the root down, each joint is turned by the points it
//!   carries itself and takes all below along. Turns are held a little where nothing says how they should
//!   be. So angles go on smoothly.
//!
//! After the start no step makes a frame worse, so that every frame ends; nothing depends on threads.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::continuous;
use crate::progress::{Cancelled, Progress};
use crate::rig::{JointPose, Skeleton};
use crate::solve::procrustes::{outer, polar};
use crate::solve::symmetric_eigen3;

/// A point that a joint moves, followed through the frames: say the middle of the joint's part and three
/// more that are spread over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Where it is in the rest pose.
    pub rest: DVec3,
    /// Where it is in each frame.
    pub posed: Vec<DVec3>,
    /// How much it counts; a joint counts 1.
    pub weight: f64,
}

/// Options of [`ccd`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CcdOptions {
    /// The most sweeps over all joints per frame.
    pub sweeps: usize,
    /// A sweep that lowers the squared error of its frame by a smaller share is the last.
    pub worthwhile: f64,
    /// How strongly each step is held back, as a share of what moves the joint.
    pub hold: f64,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { sweeps: 100, worthwhile: 1e-6, hold: 1e-5 }
    }
}

/// Squared error, as a share of the squared size, that is as good as none.
const NOTHING: f64 = 1e-24;

/// How the joints turn, and where the roots are, to bring all joints near their targets.
///
/// `centers` are the joints of the rest pose, `targets` those of each frame; [`super::constant_lengths`]
/// makes their distances agree first. `markers` holds for each joint the points it moves, or is empty.
/// Frames should follow each other: call once per clip.
///
/// # Errors
/// [`Cancelled`].
///
/// # Panics
/// When there are not as many places as joints, or not as many places of a marker as frames.
pub fn ccd(
    skeleton: &Skeleton,
    centers: &[DVec3],
    targets: &[Vec<DVec3>],
    markers: &[Vec<Marker>],
    options: &CcdOptions,
    progress: &dyn Progress,
) -> Result<Vec<JointPose>, Cancelled> {
    let n = skeleton.len();
    assert_eq!(centers.len(), n, "one place per joint");
    assert!(targets.iter().all(|t| t.len() == n), "one place per joint in every frame");
    let followed = markers.iter().flatten().all(|m| m.posed.len() == targets.len());
    assert!(markers.len() <= n && followed, "markers of joints, in every frame");
    // A joint is carried by its parent.
    let joint = |j: usize| Point { carrier: skeleton.parents[j].unwrap_or(j), rest: centers[j], weight: 1.0 };
    let mut points: Vec<Point> = (0..n).map(joint).collect();
    for (carrier, markers) in markers.iter().enumerate() {
        points.extend(markers.iter().map(|m| Point { carrier, rest: m.rest, weight: m.weight }));
    }
    let (mut points_below, mut joints_below) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for (i, point) in points.iter().enumerate() {
        upwards(skeleton, point.carrier, |joint, branch| points_below[joint].push((i, branch)));
    }
    for below in 0..n {
        upwards(skeleton, below, |joint, branch| joints_below[joint].push((below, branch)));
    }
    let chase = Chase { skeleton, centers, targets, options, markers, points, points_below, joints_below };
    let mut pose = JointPose {
        turns: vec![DQuat::IDENTITY; skeleton.len()],
        places: (0..skeleton.len())
            .map(|j| if skeleton.parents[j].is_none() { centers[j] } else { DVec3::ZERO })
            .collect(),
    };
    let mut poses = Vec::with_capacity(targets.len());
    for frame in 0..targets.len() {
        progress.advance(frame as f64 / targets.len() as f64);
        pose = chase.frame(frame, pose, progress)?;
        poses.push(pose.clone());
    }
    continuous(&mut poses);
    Ok(poses)
}

/// A point to be brought near its target.
struct Point {
    /// The joint that carries it.
    carrier: usize,
    rest: DVec3,
    weight: f64,
}

/// What is chased in all frames.
struct Chase<'a> {
    skeleton: &'a Skeleton,
    centers: &'a [DVec3],
    targets: &'a [Vec<DVec3>],
    options: &'a CcdOptions,
    markers: &'a [Vec<Marker>],
    /// The joints, then the markers.
    points: Vec<Point>,
    /// Points that move when a joint turns, each with the child that they hang on, or the joint itself.
    points_below: Vec<Vec<(usize, usize)>>,
    /// Joints that move when a joint turns, itself among them, in the same way.
    joints_below: Vec<Vec<(usize, usize)>>,
}

impl Chase<'_> {
    /// The pose of a frame, from another to start with.
    fn frame(
        &self,
        frame: usize,
        mut pose: JointPose,
        progress: &dyn Progress,
    ) -> Result<JointPose, Cancelled> {
        let markers = self.markers.iter().flatten().map(|marker| marker.posed[frame]);
        let goals: Vec<DVec3> = self.targets[frame].iter().copied().chain(markers).collect();
        let enough = NOTHING * self.spread(&goals);
        self.sweep(&goals, &mut pose, true);
        let mut error = self.error(&goals, &pose);
        for _ in 0..self.options.sweeps {
            progress.check()?;
            if error <= enough {
                break;
            }
            let mut next = pose.clone();
            self.sweep(&goals, &mut next, false);
            let new = self.error(&goals, &next);
            // Rounding alone can make it worse; that is the end as well.
            let gain = error - new;
            if gain > 0.0 {
                (pose, error) = (next, new);
            }
            if gain <= self.options.worthwhile * error {
                break;
            }
        }
        Ok(pose)
    }

    /// Turns every joint once, from the roots to the leaves. At the `start` only by the points it carries
    /// itself, and all below turns with it.
    fn sweep(&self, goals: &[DVec3], pose: &mut JointPose, start: bool) {
        let parents = &self.skeleton.parents;
        let mut now = Bodies::new(self.skeleton, self.centers, pose);
        for joint in 0..parents.len() {
            let pulls = self.pulls(goals, joint, &now, start);
            let place = now.places[joint];
            let (from, to) = if parents[joint].is_none() { middles(&pulls) } else { (place, place) };
            let turn = best_turn(&pulls, from, to, self.options.hold);
            let change = DAffine3::from_rotation_translation(turn, to - turn * from);
            let before = now.places.clone();
            for &(below, branch) in &self.joints_below[joint] {
                // A child that moves nothing to be followed goes with the joint.
                let idle = below == branch && self.points_below[below].is_empty();
                if start || below == joint || idle {
                    now.places[below] = change.transform_point3(before[below]);
                    now.turns[below] = (turn * now.turns[below]).normalize();
                } else {
                    now.places[below] += change.transform_point3(before[branch]) - before[branch];
                }
            }
        }
        for joint in 0..parents.len() {
            pose.turns[joint] = match parents[joint] {
                None => now.turns[joint],
                Some(parent) => (now.turns[parent].inverse() * now.turns[joint]).normalize(),
            };
            if parents[joint].is_none() {
                pose.places[joint] = now.places[joint];
            }
        }
    }

    /// What a joint's turn moves, and where it should be; if asked for, only the points it carries itself.
    fn pulls(&self, goals: &[DVec3], joint: usize, now: &Bodies, own: bool) -> Vec<Pull> {
        let pull = |&(i, branch): &(usize, usize)| {
            let point = &self.points[i];
            let place = self.place(point, now);
            let arm = if branch == joint { place } else { now.places[branch] };
            Pull { arm, goal: goals[i] - (place - arm), weight: point.weight }
        };
        let wanted = |(_, branch): &&(usize, usize)| !own || *branch == joint;
        self.points_below[joint].iter().filter(wanted).map(pull).collect()
    }

    fn place(&self, point: &Point, now: &Bodies) -> DVec3 {
        let arm = point.rest - self.centers[point.carrier];
        now.places[point.carrier] + now.turns[point.carrier] * arm
    }

    fn error(&self, goals: &[DVec3], pose: &JointPose) -> f64 {
        let now = Bodies::new(self.skeleton, self.centers, pose);
        let off =
            |(point, goal): (&Point, &DVec3)| point.weight * self.place(point, &now).distance_squared(*goal);
        self.points.iter().zip(goals).map(off).sum()
    }

    /// Squared size of what is chased: no error means less than rounding of it.
    fn spread(&self, goals: &[DVec3]) -> f64 {
        let squares = |(point, goal): (&Point, &DVec3)| {
            point.weight * point.rest.length_squared().max(goal.length_squared())
        };
        self.points.iter().zip(goals).map(squares).sum()
    }
}

/// Tells all joints above, the joint itself first, and the child of each that leads to it.
fn upwards(skeleton: &Skeleton, joint: usize, mut tell: impl FnMut(usize, usize)) {
    let (mut branch, mut above) = (joint, Some(joint));
    while let Some(joint) = above {
        tell(joint, branch);
        (branch, above) = (joint, skeleton.parents[joint]);
    }
}

/// Where joints are and how they are turned against the world.
struct Bodies {
    places: Vec<DVec3>,
    turns: Vec<DQuat>,
}

impl Bodies {
    fn new(skeleton: &Skeleton, centers: &[DVec3], pose: &JointPose) -> Self {
        let (mut places, mut turns): (Vec<DVec3>, Vec<DQuat>) = (Vec::new(), Vec::new());
        for joint in 0..skeleton.len() {
            let (place, turn) = match skeleton.parents[joint] {
                None => (pose.places[joint], pose.turns[joint]),
                Some(parent) => (
                    places[parent] + turns[parent] * (centers[joint] - centers[parent]),
                    (turns[parent] * pose.turns[joint]).normalize(),
                ),
            };
            places.push(place);
            turns.push(turn);
        }
        Self { places, turns }
    }
}

/// A place that a turn moves, and where it should be.
struct Pull {
    arm: DVec3,
    goal: DVec3,
    weight: f64,
}

/// Weighted middles of what is moved and of where it should be.
fn middles(pulls: &[Pull]) -> (DVec3, DVec3) {
    let total: f64 = pulls.iter().map(|p| p.weight).sum();
    let arm: DVec3 = pulls.iter().map(|p| p.arm * p.weight).sum();
    let goal: DVec3 = pulls.iter().map(|p| p.goal * p.weight).sum();
    (arm / total, goal / total)
}

/// The turn that brings what is moved, seen from one place, nearest to where it should be, seen from another.
fn best_turn(pulls: &[Pull], from: DVec3, to: DVec3, hold: f64) -> DQuat {
    let (mut covariance, mut size) = (DMat3::ZERO, 0.0);
    for pull in pulls {
        let (arm, goal) = (pull.arm - from, pull.goal - to);
        covariance += outer(goal * pull.weight, arm);
        size += pull.weight * arm.length() * goal.length();
    }
    // A multiple of the identity speaks for no turn at all.
    let held = covariance + DMat3::from_diagonal(DVec3::splat(hold * size));
    match polar(held) {
        Some(turn) => DQuat::from_mat3(&turn).normalize(),
        None => shortest_turn(covariance),
    }
}

/// The shortest of the turns that a covariance of one direction with one other leaves open, if it is one.
fn shortest_turn(covariance: DMat3) -> DQuat {
    let (values, vectors) = symmetric_eigen3(covariance.transpose() * covariance);
    let strongest = (0..3).fold(0, |best, i| if values[i] > values[best] { i } else { best });
    let arm = vectors.col(strongest);
    match ((covariance * arm).try_normalize(), arm.try_normalize()) {
        (Some(goal), Some(arm)) => DQuat::from_rotation_arc(arm, goal),
        _ => DQuat::IDENTITY,
    }
}
