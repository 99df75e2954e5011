//! A stroke of a brush while the hand moves.

use std::sync::Arc;

use glam::Vec3;

use super::action::{BrushMode, BrushOrder, BrushTarget};
use super::data::check_frames;
use super::{Refusal, Shape, Version};

/// A stroke that has begun.
pub(super) struct Stroke {
    version: u32,
    content: u64,
    frame: Option<usize>,
    mode: BrushMode,
    /// The pose when the brush was put down, and as it is now.
    pub before: Vec<Vec3>,
    pub now: Vec<Vec3>,
    /// Vertices that each vertex has an edge to; only for smoothing.
    neighbours: Arc<Vec<Vec<u32>>>,
}

/// Checks that a brush can do it.
pub(super) fn check(order: &BrushOrder) -> Result<(), Refusal> {
    let numbers = order.center.iter().chain(&order.offset).chain([&order.radius, &order.strength]);
    if numbers.into_iter().any(|x| !x.is_finite()) || order.radius <= 0.0 {
        return Refusal::say("a brush has a place and a radius above zero");
    }
    match (order.target, order.frame) {
        (BrushTarget::Pose, None) => Refusal::say("a pose is sculpted in a frame"),
        _ => Ok(()),
    }
}

impl Stroke {
    /// Begins on a version.
    pub fn new(version: &Version, order: &BrushOrder) -> Result<Self, Refusal> {
        let mut before = vec![Vec3::ZERO; version.shape.vertex_count()];
        match (order.frame, &version.shape) {
            (None, Shape::Rig(rig) | Shape::Poses(rig, _)) => before.copy_from_slice(&rig.rest),
            (None, Shape::Chain(chain, _)) => before.copy_from_slice(&chain.rest),
            (Some(frame), shape) => {
                check_frames(frame, frame.saturating_add(1), shape.frame_count())?;
                shape.poses().pose_into(frame, &mut before);
            }
        }
        let mesh = version.shape.mesh();
        let mut neighbours = Vec::new();
        if order.mode == BrushMode::Smooth {
            neighbours = vec![Vec::new(); mesh.vertex_count];
            for face in (0..mesh.face_count()).map(|face| mesh.face(face)) {
                for (i, &a) in face.iter().enumerate() {
                    let b = face[(i + 1) % face.len()];
                    neighbours[a as usize].push(b);
                    neighbours[b as usize].push(a);
                }
            }
        }
        let (now, neighbours) = (before.clone(), Arc::new(neighbours));
        let (frame, mode) = (order.frame, order.mode);
        Ok(Self { version: version.id, content: version.content, frame, mode, before, now, neighbours })
    }

    /// Whether an order goes on with it, on a version with these contents.
    pub fn goes_on(&self, order: &BrushOrder, content: u64) -> bool {
        (self.version, self.content, self.frame, self.mode)
            == (order.version, content, order.frame, order.mode)
    }

    /// Goes on. A grab is told how far the hand is from where it began, smoothing where it is now.
    pub fn apply(&mut self, order: &BrushOrder) {
        let (center, strength) = (Vec3::from(order.center), order.strength.clamp(0.0, 1.0));
        let share = |p: Vec3| strength * falloff(p.distance(center) / order.radius);
        match order.mode {
            BrushMode::Grab => {
                let offset = Vec3::from(order.offset);
                for (now, before) in self.now.iter_mut().zip(&self.before) {
                    *now = *before + offset * share(*before);
                }
            }
            BrushMode::Smooth => {
                let near: Vec<usize> = (0..self.now.len()).filter(|&v| share(self.now[v]) > 0.0).collect();
                let smoothed: Vec<Vec3> =
                    near.iter().map(|&v| self.smoothed(v, share(self.now[v]))).collect();
                near.into_iter().zip(smoothed).for_each(|(v, p)| self.now[v] = p);
            }
        }
    }

    /// A share of the way to the middle of its neighbours.
    fn smoothed(&self, vertex: usize, share: f32) -> Vec3 {
        let around = &self.neighbours[vertex];
        if around.is_empty() {
            return self.now[vertex];
        }
        let sum: Vec3 = around.iter().map(|&v| self.now[v as usize]).sum();
        self.now[vertex].lerp(sum / around.len() as f32, 0.5 * share)
    }
}

/// 1 in the middle, 0 at the rim and beyond, smooth between.
fn falloff(distance: f32) -> f32 {
    let x = (1.0 - distance).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
