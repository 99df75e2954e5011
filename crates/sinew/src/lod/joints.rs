//! Which joints of a skeleton stay where there are to be fewer.
//!
//! The last joints of limbs go first, and of these the one that is missed least: what it carries follows what it hangs on
//! instead, and how far that takes it off, in all frames, is a square form in the difference of the two transforms over
//! sums of the vertices (`Carried`). So no vertex is looked at twice, whatever the number of frames.

use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

use crate::progress::{Cancelled, Progress};
use crate::rig::{Rig, Skeleton};

/// Σ w² (p, 1)(p, 1)ᵀ over the vertices of a joint, seen from its place.
#[derive(Clone, Copy, Default)]
struct Carried {
    squares: DMat3,
    sum: DVec3,
    weight: f64,
}

/// The tree while it loses joints.
struct Thinned<'a> {
    rig: &'a Rig,
    skeleton: &'a Skeleton,
    carried: Vec<Carried>,
    /// The joint that each one's vertices follow now.
    follows: Vec<usize>,
    /// Joints that hang on each that is there, none for one that is gone.
    children: Vec<Option<usize>>,
    left: usize,
}

/// For each count the joint that takes what each of the joints carries: itself, where it stays. Counts fall. Fewer than the
/// roots there cannot be.
pub fn followed(
    rig: &Rig,
    skeleton: &Skeleton,
    counts: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<Vec<usize>>, Cancelled> {
    let mut tree = Thinned::new(rig, skeleton);
    let all = tree.left;
    let mut costs = (0..all).map(|joint| tree.cost(joint)).collect::<Vec<_>>();
    let mut out = Vec::with_capacity(counts.len());
    for &count in counts {
        while tree.left > count {
            progress.check()?;
            progress.advance(1.0 - tree.left as f64 / all as f64);
            // Of joints that are missed as little, the last go: those that carry nothing, from the ends of limbs.
            let cheapest = (0..all).rev().filter_map(|joint| Some((costs[joint]?, joint)));
            let Some((_, joint)) = cheapest.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            let above = tree.remove(joint);
            costs[joint] = None;
            costs[above] = tree.cost(above);
        }
        out.push(tree.follows.clone());
    }
    Ok(out)
}

impl<'a> Thinned<'a> {
    fn new(rig: &'a Rig, skeleton: &'a Skeleton) -> Self {
        let joints = skeleton.len();
        let mut carried = vec![Carried::default(); joints];
        for (vertex, p) in rig.rest.iter().enumerate() {
            for (joint, weight) in rig.weights.influences(vertex) {
                carried[joint].add(p.as_dvec3() - rig.bones[joint].center, weight * weight);
            }
        }
        let mut children = vec![Some(0); joints];
        for above in (0..joints).filter_map(|joint| skeleton.above(joint)) {
            children[above] = children[above].map(|n| n + 1);
        }
        Self { rig, skeleton, carried, follows: (0..joints).collect(), children, left: joints }
    }

    /// What all that a joint carries would be off, beyond what it is, if the joint went: Σ‖·‖² over frames. None for one
    /// that has to stay as it is: a root, or one with others on it.
    fn cost(&self, joint: usize) -> Option<f64> {
        let above = self.skeleton.above(joint)?;
        let taken = |of: &usize| self.follows[*of] == joint;
        let ends = self.children[joint] == Some(0);
        ends.then(|| {
            (0..self.follows.len()).filter(taken).map(|of| self.off(of, above) - self.off(of, joint)).sum()
        })
    }

    /// How far what a joint carries is off where it follows another, Σ‖·‖² over frames.
    fn off(&self, joint: usize, follows: usize) -> f64 {
        if joint == follows {
            return 0.0;
        }
        let center = self.rig.bones[joint].center;
        let of_frame = |frame: usize| {
            let transforms = self.rig.frame_transforms(frame);
            self.carried[joint].off(center, &transforms[joint], &transforms[follows])
        };
        // Added up in one order, whatever the threads.
        let frames: Vec<f64> = (0..self.rig.frame_count()).into_par_iter().map(of_frame).collect();
        frames.iter().sum()
    }

    /// Takes a joint out; what it hung on, which has its vertices now.
    fn remove(&mut self, joint: usize) -> usize {
        let above = self.skeleton.above(joint).expect("no root goes");
        self.follows.iter_mut().filter(|follows| **follows == joint).for_each(|follows| *follows = above);
        self.children[joint] = None;
        self.children[above] = self.children[above].map(|n| n - 1);
        self.left -= 1;
        above
    }
}

impl Carried {
    fn add(&mut self, p: DVec3, weight: f64) {
        self.squares += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * weight;
        self.sum += p * weight;
        self.weight += weight;
    }

    /// Σ w² ‖A p − B p‖².
    fn off(&self, center: DVec3, a: &DAffine3, b: &DAffine3) -> f64 {
        let turn = a.matrix3 - b.matrix3;
        let shift = a.transform_point3(center) - b.transform_point3(center);
        let turned = turn * self.squares;
        let squares: f64 = (0..3).map(|axis| turned.col(axis).dot(turn.col(axis))).sum();
        (squares + 2.0 * shift.dot(turn * self.sum) + self.weight * shift.length_squared()).max(0.0)
    }
}
