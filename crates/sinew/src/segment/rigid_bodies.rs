//! Points that move as one rigid body: sums over them, all that a Procrustes fit of each frame needs.

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use super::{NO_BONE, SurfaceSamples, TUNING, distinct};
use crate::solve::procrustes::{outer, polar};

/// Sums over points, in units.
#[derive(Clone)]
pub(crate) struct Body {
    pub points: f64,
    /// Σ x and Σ |x|² in the rest pose.
    rest: DVec3,
    square: f64,
    frames: Vec<InFrame>,
}

/// Σ p, Σ p xᵀ and Σ |p|² of a frame.
#[derive(Clone, Copy)]
struct InFrame {
    posed: DVec3,
    turned: DMat3,
    square: f64,
}

impl Body {
    fn nothing(frames: usize) -> Self {
        let none = InFrame { posed: DVec3::ZERO, turned: DMat3::ZERO, square: 0.0 };
        Self { points: 0.0, rest: DVec3::ZERO, square: 0.0, frames: vec![none; frames] }
    }

    fn add_point(&mut self, samples: &SurfaceSamples, v: usize) {
        let x = samples.rest[v];
        self.points += 1.0;
        self.rest += x;
        self.square += x.length_squared();
        for (sums, pose) in self.frames.iter_mut().zip(&samples.posed) {
            let p = pose[v];
            sums.posed += p;
            sums.turned += outer(p, x);
            sums.square += p.length_squared();
        }
    }

    /// Adds a share of the points of another.
    pub fn add(&mut self, other: &Self, share: f64) {
        self.points += share * other.points;
        self.rest += share * other.rest;
        self.square += share * other.square;
        for (sums, more) in self.frames.iter_mut().zip(&other.frames) {
            sums.posed += share * more.posed;
            sums.turned += share * more.turned;
            sums.square += share * more.square;
        }
    }

    /// Both together.
    pub fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.add(other, 1.0);
        both
    }

    /// Σ (p − p̄)(x − x̄)ᵀ of a frame and the turn that fits it best.
    fn turn(&self, sums: &InFrame) -> (DMat3, DMat3) {
        let spread = sums.turned - outer(sums.posed, self.rest / self.points);
        (spread, polar(spread).unwrap_or(DMat3::IDENTITY))
    }

    /// Squared error of the best rigid motion, summed over frames.
    pub fn error(&self) -> f64 {
        let own = self.square - self.rest.length_squared() / self.points;
        let of = |sums: &InFrame| {
            let (spread, turn) = self.turn(sums);
            let along: f64 = (0..3).map(|i| spread.col(i).dot(turn.col(i))).sum();
            (own + sums.square - sums.posed.length_squared() / self.points - 2.0 * along).max(0.0)
        };
        self.frames.iter().map(of).sum()
    }

    /// The best rigid motion, between poses in units.
    fn motion(&self) -> Vec<DAffine3> {
        let of = |sums: &InFrame| {
            let turn = self.turn(sums).1;
            DAffine3 { matrix3: turn, translation: (sums.posed - turn * self.rest) / self.points }
        };
        self.frames.iter().map(of).collect()
    }
}

/// The bodies that points belong to; points of [`NO_BONE`] are left out.
pub(crate) fn bodies(samples: &SurfaceSamples, owner: &[u32], count: usize) -> Vec<Body> {
    let mut bodies = vec![Body::nothing(samples.posed.len()); count];
    for (v, &body) in owner.iter().enumerate().filter(|(_, o)| **o != NO_BONE) {
        bodies[body as usize].add_point(samples, v);
    }
    bodies
}

/// Pairs of owners whose points are next to each other, both ways round, sorted.
pub(crate) fn touching(samples: &SurfaceSamples, owner: &[u32]) -> Vec<[u32; 2]> {
    let both = samples.edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]);
    let owners = both.map(|edge| edge.map(|v| owner[v as usize]));
    distinct(owners.filter(|[a, b]| a != b && *a != NO_BONE && *b != NO_BONE))
}

/// How each body moves, with a little of what touches it: one of few points would turn any way, by mere rounding.
pub(crate) fn motions(samples: &SurfaceSamples, owner: &[u32], count: usize) -> Vec<Vec<DAffine3>> {
    let bodies = bodies(samples, owner, count);
    let touching = touching(samples, owner);
    let motion = |body: usize| {
        let mut wide = bodies[body].clone();
        let from = touching.partition_point(|t| (t[0] as usize) < body);
        let beside = touching[from..].iter().take_while(|t| t[0] as usize == body);
        beside.for_each(|t| wide.add(&bodies[t[1] as usize], TUNING.patches.around));
        if wide.points > 0.0 { wide.motion() } else { vec![DAffine3::IDENTITY; samples.posed.len()] }
    };
    (0..count).into_par_iter().map(motion).collect()
}
