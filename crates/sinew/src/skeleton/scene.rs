//! A sketch in the units that skeletons are solved in.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::moments::{Measures, Moments};
use super::sketch::{Sketch, spread_frames};
use crate::geometry::surface::pieces;
use crate::rig::SkinWeights;

/// A sketch in units, and what does not change about it.
pub(super) struct Scene<'a> {
    pub sketch: &'a Sketch,
    pub measures: Measures,
    /// Rest pose of the points.
    pub rest: Vec<DVec3>,
    /// Poses of the points.
    pub posed: Vec<Vec<DVec3>>,
    /// Distances between points, root mean square over time: point after point.
    pub distances: Vec<f32>,
    /// Usual distance between neighbours.
    pub spacing: f32,
    mass: Vec<f64>,
}

impl<'a> Scene<'a> {
    pub fn new(sketch: &'a Sketch) -> Self {
        let measures = Measures::new(&sketch.frames, &sketch.rest);
        let pose = |t: usize| sketch.frames.frame(t).iter().map(|p| measures.posed(*p, t)).collect();
        let posed: Vec<Vec<DVec3>> = (0..sketch.frames.len()).map(pose).collect();
        let rest: Vec<DVec3> = sketch.rest.iter().map(|p| measures.rest(*p)).collect();
        let distances = standing_distances(&posed);
        let lengths: Vec<f32> =
            sketch.edges.iter().map(|&[a, b]| distances[a as usize * rest.len() + b as usize]).collect();
        let spacing = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let mass = vec![1.0; rest.len()];
        Self { sketch, measures, rest, posed, distances, spacing, mass }
    }

    pub fn moments(&self, weights: &SkinWeights, joints: usize) -> Moments {
        let Sketch { frames, rest, .. } = self.sketch;
        Moments::new(&self.measures, frames, rest, weights, &self.mass, joints)
    }

    /// Points times frames: what squared errors are sums over.
    pub fn samples(&self) -> f64 {
        (self.rest.len() * self.posed.len()) as f64
    }

    /// Root of the mean of a squared error, in percent of the body's length.
    pub fn percent(&self, error: f64) -> f64 {
        100.0 * (error / self.samples()).sqrt()
    }

    /// A number for each point: the same for points of one owner that hang together.
    pub fn pieces(&self, owner: &[u32]) -> Vec<u32> {
        let inside = |e: &&[u32; 2]| owner[e[0] as usize] == owner[e[1] as usize];
        let edges: Vec<[u32; 2]> = self.sketch.edges.iter().filter(inside).copied().collect();
        pieces(owner.len(), &edges)
    }
}

/// Distances between points, root mean square over some frames.
fn standing_distances(posed: &[Vec<DVec3>]) -> Vec<f32> {
    let n = posed.first().map_or(0, Vec::len);
    let frames = spread_frames(posed.len(), 16);
    let poses: Vec<Vec<Vec3>> =
        frames.iter().map(|&t| posed[t].iter().map(|p| p.as_vec3()).collect()).collect();
    let mut out = vec![0.0; n * n];
    out.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
        for pose in &poses {
            row.iter_mut().zip(pose).for_each(|(sum, q)| *sum += pose[i].distance_squared(*q));
        }
        row.iter_mut().for_each(|d| *d = (*d / poses.len() as f32).sqrt());
    });
    out
}
