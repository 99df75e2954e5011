//! How a motion repeats, and where it goes.

use glam::{DMat3, DVec3, Vec3};
use sinew::geometry::Bounds;
use sinew::rig::{Player, Rig};

/// How a motion repeats, and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Gait {
    /// Frames until it begins again. The frame after the last is the first.
    pub period: usize,
    /// Whether it plays backwards after it has played forwards, because its ends do not meet.
    pub returns: bool,
    /// Which way the rig runs: radians about the upright axis, from +Z towards +X.
    pub heading: f64,
    /// How fast the ground goes by below it, in units a second.
    pub speed: f64,
    /// Where the rig's middle has gone in each frame, in its own coordinates. Empty when it stays.
    path: Vec<DVec3>,
}

/// Ends that are nearer to each other than this many steps between frames are the same pose.
const SAME: f64 = 0.2;
/// And nearer than this, one follows on the other.
const NEXT: f64 = 2.5;
/// A rig that travels further than this part of its diagonal is held in place.
const TRAVEL: f64 = 0.5;
/// What is lower than this part of the height stands on the ground.
const CONTACT: f64 = 0.03;
/// A rig that goes this many of its diagonals a second, or less, stays where it is.
const SLOWEST: f64 = 0.15;

impl Gait {
    /// Frames that are played one after another, where they are.
    pub fn still(frames: usize) -> Self {
        Self { period: frames.max(1), returns: false, heading: 0.0, speed: 0.0, path: Vec::new() }
    }

    /// Finds how the motion of a rig repeats and travels. `upright` turns it so that +Y is up.
    pub fn of(rig: &Rig, upright: DMat3) -> Self {
        let frames = rig.frame_count();
        let mut gait = Self::still(1);
        if frames < 2 || rig.rest.is_empty() {
            return gait;
        }
        let player = Player::new(rig);
        let played = |frame: usize| {
            let mut pose = vec![Vec3::ZERO; rig.rest.len()];
            player.pose_into(frame, &mut pose);
            pose.iter().map(|p| upright * p.as_dvec3()).collect::<Vec<DVec3>>()
        };
        let first = played(0);
        let middle = |pose: &[DVec3]| {
            let sum = pose.iter().sum::<DVec3>() / pose.len() as f64;
            DVec3::new(sum.x, 0.0, sum.z)
        };
        let mut path = vec![middle(&first)];
        let (mut last, mut step, mut slide, mut touching) = (first.clone(), 0.0, DVec3::ZERO, 0.0);
        for frame in 1..frames {
            let pose = played(frame);
            path.push(middle(&pose));
            let moved = path[frame] - path[frame - 1];
            step += difference(&last, &pose, moved);
            let (sum, count) = sliding(&last, &pose, moved);
            slide += sum;
            touching += count;
            last = pose;
        }
        step /= (frames - 1) as f64;
        let between_ends = difference(&first, &last, path[frames - 1] - path[0]);
        (gait.period, gait.returns) = match between_ends {
            d if d <= SAME * step => (frames - 1, false),
            d if d <= NEXT * step => (frames, false),
            _ => (2 * (frames - 1), true),
        };
        let diagonal = Bounds::of(&rig.rest).diagonal();
        let farthest = path.iter().map(|p| p.distance(path[0])).fold(0.0, f64::max);
        if farthest > TRAVEL * diagonal {
            gait.path = path.iter().map(|p| upright.transpose() * (*p - path[0])).collect();
        }
        // Feet on the ground slide back as fast as the body goes forward.
        let velocity = -slide / f64::max(touching, 1.0) * rig.fps;
        if velocity.length() > SLOWEST * diagonal && !gait.returns {
            gait.heading = velocity.x.atan2(velocity.z);
            gait.speed = velocity.length();
        }
        gait
    }

    /// Where the rig has gone in a frame, in its own coordinates.
    pub fn travelled(&self, frame: usize) -> DVec3 {
        self.path.get(frame).copied().unwrap_or(DVec3::ZERO)
    }

    /// The point of the turned rig that stands on the origin: the middle of all poses, at their lowest.
    pub(crate) fn origin(&self, rig: &Rig, turn: DMat3) -> DVec3 {
        let player = Player::new(rig);
        let mut pose = vec![Vec3::ZERO; rig.rest.len()];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for frame in 0..rig.frame_count() {
            player.pose_into(frame, &mut pose);
            for p in &pose {
                let p = turn * (p.as_dvec3() - self.travelled(frame));
                (low, high) = (low.min(p), high.max(p));
            }
        }
        DVec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z))
    }

    /// The same in other units.
    pub(crate) fn scaled(mut self, scale: f64) -> Self {
        self.speed *= scale;
        self
    }
}

/// Root mean square distance of two poses, one of which has moved on.
fn difference(a: &[DVec3], b: &[DVec3], moved: DVec3) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(p, q)| (*q - *p - moved).length_squared()).sum();
    (squares / a.len() as f64).sqrt()
}

/// The sum of how far vertices on the ground slide from one pose to the next, relative to the body, and their
/// number.
fn sliding(a: &[DVec3], b: &[DVec3], moved: DVec3) -> (DVec3, f64) {
    let low = a.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    let high = a.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.y));
    let below = low + CONTACT * (high - low);
    let on_ground = a.iter().zip(b).filter(|(p, q)| p.y <= below && q.y <= below);
    on_ground.fold((DVec3::ZERO, 0.0), |(sum, count), (p, q)| {
        let step = *q - *p - moved;
        (sum + DVec3::new(step.x, 0.0, step.z), count + 1.0)
    })
}
