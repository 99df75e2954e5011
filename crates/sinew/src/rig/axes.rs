//! Which way the joints of a skeleton face in the rest pose.
//!
//! A joint's own axes change nothing about how a rig moves, but they are what an animator turns it about and
//! what a program draws it along. Here y runs along the bone and x is what the joint bends about:
//!
//! - y points at the child. Of several children one goes on with the limb, if it lies in the direction that
//!   all of them take together, each counted by what hangs on it: from the chest the neck, not an arm.
//!   Where none does, y is that direction itself. A leaf points at the middle of what it moves.
//! - x is the axis across the bone that the joint turns about most in all frames, if it does so clearly, to
//!   the side that makes bends positive where the joint bends one way. Else it is as near to the parent's
//!   as the directions of the two bones allow, and a root's as near to the world's.
//!
//! So all axes but those that nothing in the motion tells turn with the animation when it is turned as a
//! whole.

use glam::{DQuat, DVec3};

use super::{JointPose, Rig, Skeleton};
use crate::geometry::{Bounds, rotation_vector};
use crate::solve::jacobi::symmetric_eigen;

/// Joints nearer to each other than this share of the rest pose's diagonal have no direction between them.
const APART: f64 = 1e-6;
/// A child goes on with the limb if it is at most 60° from the direction of all children, and its cosine is
/// so much more than that of any other child.
const GOES_ON: f64 = 0.5;
const CLEARLY: f64 = 0.05;
/// Children that cancel each other out to less than this share have no direction together.
const CANCELLED: f64 = 0.1;
/// The middle of what a leaf moves tells its direction from this share of how far away that is on average.
const TELLING: f64 = 0.25;
/// A joint bends about one axis clearly if it turns so many times as far about it as about the one across,
/// and on average by so many radians.
const BENDS: f64 = 2.0;
const BENDS_AT_ALL: f64 = 0.01;
/// It bends one way if the middle between both ends is so far from rest, in parts of the way between them.
const ONE_WAY: f64 = 0.1;

impl Rig {
    /// Axes of every joint in the rest pose, as the turn that takes the world's axes there: y along the bone,
    /// x what the joint bends about. None for a rig without a skeleton. The transforms must be rigid.
    ///
    /// A joint that turns by q against its parent turns by A⁻¹ q A in its own axes A.
    pub fn joint_axes(&self) -> Vec<DQuat> {
        let Some(skeleton) = &self.skeleton else { return Vec::new() };
        let directions = Directions::new(self, skeleton);
        let poses: Vec<JointPose> = (0..self.frame_count()).filter_map(|f| self.joint_pose(f)).collect();
        let mut axes: Vec<DQuat> = Vec::with_capacity(skeleton.len());
        for (joint, parent) in skeleton.parents.iter().enumerate() {
            let above = parent.map_or(DQuat::IDENTITY, |parent| axes[parent]);
            let along = directions.of(joint).map_or(above, |y| carried(above, y));
            let turns: Vec<DQuat> =
                poses.iter().map(|pose| along.inverse() * pose.turns[joint] * along).collect();
            let rolled = (along * DQuat::from_rotation_y(roll(&turns))).normalize();
            axes.push(if rolled.is_finite() { rolled } else { DQuat::IDENTITY });
        }
        axes
    }

    /// Axes of every joint as files bind it: those that a file gave it, else [`joint_axes`](Self::joint_axes).
    pub fn bind_axes(&self) -> Vec<DQuat> {
        let mut axes = self.joint_axes();
        for (axes, bone) in axes.iter_mut().zip(&self.bones) {
            *axes = bone.axes.unwrap_or(*axes);
        }
        axes
    }

    /// The middle of what each bone moves, in the rest pose; none of a bone that moves nothing.
    pub fn bone_middles(&self) -> Vec<Option<DVec3>> {
        let middle = |(moved, bone): (Moved, &super::Bone)| Some(bone.center + moved.middle()?);
        moved(self).into_iter().zip(&self.bones).map(middle).collect()
    }
}

/// What a bone moves, seen from its center, each vertex counted by its weight.
#[derive(Clone, Copy, Default)]
struct Moved {
    weight: f64,
    sum: DVec3,
    squares: f64,
}

impl Moved {
    fn middle(&self) -> Option<DVec3> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }

    /// The middle, if it is not just where the center happens to be.
    fn telling_middle(&self) -> Option<DVec3> {
        let away = (self.squares / self.weight).sqrt();
        self.middle().filter(|middle| middle.length() > TELLING * away)
    }
}

fn moved(rig: &Rig) -> Vec<Moved> {
    let mut moved = vec![Moved::default(); rig.bones.len()];
    for (vertex, p) in rig.rest.iter().enumerate() {
        for (bone, weight) in rig.weights.influences(vertex).filter(|(_, weight)| *weight > 0.0) {
            let off = p.as_dvec3() - rig.bones[bone].center;
            let moved = &mut moved[bone];
            moved.weight += weight;
            moved.sum += weight * off;
            moved.squares += weight * off.length_squared();
        }
    }
    moved
}

/// What tells where bones go.
struct Directions<'a> {
    skeleton: &'a Skeleton,
    children: Vec<Vec<usize>>,
    places: Vec<DVec3>,
    moved: Vec<Moved>,
    /// What each joint and all below it move. One more for each joint, so that those that move nothing count.
    below: Vec<f64>,
    /// The least distance that is a direction.
    apart: f64,
}

impl<'a> Directions<'a> {
    fn new(rig: &Rig, skeleton: &'a Skeleton) -> Self {
        let moved = moved(rig);
        let mut below: Vec<f64> = moved.iter().map(|m| m.weight + 1.0).collect();
        skeleton.links().rev().for_each(|(joint, parent)| below[parent] += below[joint]);
        Self {
            skeleton,
            children: skeleton.children(),
            places: rig.joint_places(),
            moved,
            below,
            apart: APART * Bounds::of(&rig.rest).diagonal(),
        }
    }

    /// The way the bone of a joint goes; `None` where nothing tells.
    fn of(&self, joint: usize) -> Option<DVec3> {
        let child = |&child: &usize| Some((self.way(joint, child)?, self.below[child]));
        let ways: Vec<(DVec3, f64)> = self.children[joint].iter().filter_map(child).collect();
        let onwards = || self.way(self.skeleton.parents[joint]?, joint);
        match ways[..] {
            [] => self.moved[joint].telling_middle().and_then(|middle| self.far(middle)).or_else(onwards),
            [(way, _)] => Some(way),
            _ => together(&ways).or_else(onwards),
        }
    }

    fn way(&self, from: usize, to: usize) -> Option<DVec3> {
        self.far(self.places[to] - self.places[from])
    }

    fn far(&self, way: DVec3) -> Option<DVec3> {
        way.try_normalize().filter(|_| way.length() > self.apart)
    }
}

/// The way that several weighted ones take together, or the one of them that is most like it.
fn together(ways: &[(DVec3, f64)]) -> Option<DVec3> {
    let total: f64 = ways.iter().map(|(_, weight)| weight).sum();
    let sum: DVec3 = ways.iter().map(|(way, weight)| *way * *weight).sum();
    let all = sum.try_normalize().filter(|_| sum.length() > CANCELLED * total)?;
    let mut like: Vec<(f64, DVec3)> = ways.iter().map(|(way, _)| (way.dot(all), *way)).collect();
    like.sort_by(|a, b| b.0.total_cmp(&a.0));
    let goes_on = like[0].0 > GOES_ON && like[0].0 - like[1].0 > CLEARLY;
    Some(if goes_on { like[0].1 } else { all })
}

/// Axes turned the shortest way until y points along `y`.
fn carried(axes: DQuat, y: DVec3) -> DQuat {
    let local = axes.inverse() * y;
    let turn = match local.y < -1.0 + 1e-9 {
        // All ways are the shortest.
        true => DQuat::from_rotation_x(std::f64::consts::PI),
        false => DQuat::from_rotation_arc(DVec3::Y, local.normalize()),
    };
    (axes * turn).normalize()
}

/// How far to turn axes about y for x to be what a joint bends about, given its turns in those axes.
fn roll(turns: &[DQuat]) -> f64 {
    let Some(mean) = mean_turn(turns) else { return 0.0 };
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for turn in turns {
        let v = rotation_vector(mean.inverse() * *turn);
        (xx, xz, zz) = (xx + v.x * v.x, xz + v.x * v.z, zz + v.z * v.z);
    }
    let (middle, half) = (0.5 * (xx + zz), (0.5 * (xx - zz)).hypot(xz));
    let (most, least) = (middle + half, (middle - half).max(0.0));
    let enough = BENDS_AT_ALL * BENDS_AT_ALL * turns.len() as f64;
    if !(most > BENDS * BENDS * least && most > enough) {
        return 0.0;
    }
    // From −90° to 90°, so that x stays on its side.
    let from_x_to_z = 0.5 * (2.0 * xz).atan2(xx - zz);
    let axis = DVec3::new(from_x_to_z.cos(), 0.0, from_x_to_z.sin());
    let bends = || turns.iter().map(|turn| rotation_vector(*turn).dot(axis));
    let (low, high) = (bends().fold(f64::INFINITY, f64::min), bends().fold(f64::NEG_INFINITY, f64::max));
    let bends_back = 0.5 * (low + high) < -ONE_WAY * (high - low);
    if bends_back { std::f64::consts::PI - from_x_to_z } else { -from_x_to_z }
}

/// The turn with the least sum of squared distances to all, as quaternions up to their sign.
fn mean_turn(turns: &[DQuat]) -> Option<DQuat> {
    let mut squares = [[0.0; 4]; 4];
    for turn in turns.iter().map(|turn| turn.to_array()) {
        for (row, a) in squares.iter_mut().zip(turn) {
            row.iter_mut().zip(turn).for_each(|(sum, b)| *sum += a * b);
        }
    }
    let (values, vectors) = symmetric_eigen(squares);
    let most = (0..4).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let mean = DQuat::from_array(std::array::from_fn(|row| vectors[row][most]));
    (!turns.is_empty() && mean.is_finite()).then(|| mean.normalize())
}
