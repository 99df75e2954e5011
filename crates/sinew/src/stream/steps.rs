//! The steps of one frame: what carries one pose to the next.
//!
//! Flexible bones are solved all together. Rigid ones are solved one after the other, each the best turn and
//! shift for what the others leave over (as in "Smooth Skinning Decomposition with Rigid Bones", Le and Deng
//! 2012), a few times round.

use glam::{DAffine3, DMat3, DVec3, Vec3};

use crate::rig::{SkinWeights, blended};
use crate::skin::{BoneKind, PoseScratch, Prior, TransformSolver};
use crate::solve::procrustes::kabsch;

/// How strongly flexible steps are drawn towards rigid motion, as a share of a bone's own weight. Enough to
/// keep bones from bending to errors of the frames before, which would only pass them on.
const DAMPING: f64 = 1e-2;
/// How often rigid bones are gone through.
const SWEEPS: usize = 4;

/// Solves the steps of all bones for given weights.
pub struct StepSolver(Solver);

enum Solver {
    Flexible { solver: Box<TransformSolver>, scratch: PoseScratch },
    Rigid(Rigid),
}

impl StepSolver {
    /// Prepares to solve for the bones of `weights`.
    pub fn new(weights: &SkinWeights, bones: usize, kind: BoneKind) -> Self {
        Self(match kind {
            BoneKind::Flexible => Solver::Flexible {
                solver: Box::new(TransformSolver::new(weights, bones).with_damping(DAMPING)),
                scratch: PoseScratch::default(),
            },
            BoneKind::Rigid => Solver::Rigid(Rigid::new(weights, bones)),
        })
    }

    /// Takes the pose that steps start from.
    pub fn set_source(&mut self, from: &[DVec3]) {
        match &mut self.0 {
            Solver::Flexible { solver, .. } => solver.set_source(from),
            Solver::Rigid(rigid) => from.clone_into(&mut rigid.from),
        }
    }

    /// The steps that carry the source pose to `to`, into `out`.
    pub fn solve(&mut self, to: &[Vec3], out: &mut [DAffine3]) {
        match &mut self.0 {
            Solver::Flexible { solver, scratch } => solver.solve(to, Prior::Rigid, scratch, out),
            Solver::Rigid(rigid) => rigid.solve(to, out),
        }
    }
}

struct Rigid {
    weights: SkinWeights,
    /// Vertices of each bone, with their weights.
    members: Vec<Vec<(u32, f64)>>,
    from: Vec<DVec3>,
    /// Where the bones lead each vertex so far.
    places: Vec<DVec3>,
}

impl Rigid {
    fn new(weights: &SkinWeights, bones: usize) -> Self {
        let mut members = vec![Vec::new(); bones];
        for v in 0..weights.bones.len() / weights.per_vertex.max(1) {
            weights.influences(v).for_each(|(bone, weight)| members[bone].push((v as u32, weight)));
        }
        Self { weights: weights.clone(), members, from: Vec::new(), places: Vec::new() }
    }

    fn solve(&mut self, to: &[Vec3], out: &mut [DAffine3]) {
        let Self { weights, members, from, places } = self;
        let goal = |v: usize| to[v].as_dvec3();
        let everywhere = (0..from.len()).map(|v| (from[v], goal(v), 1.0));
        let whole = kabsch(everywhere, DMat3::IDENTITY).unwrap_or(DAffine3::IDENTITY);
        for (out, members) in out.iter_mut().zip(members.iter()) {
            let own = members.iter().map(|&(v, w)| (from[v as usize], goal(v as usize), w));
            *out = kabsch(own, whole.matrix3).unwrap_or(whole);
        }
        places.clear();
        places.extend((0..from.len()).map(|v| blended(weights, out, v).transform_point3(from[v])));
        for _ in 0..SWEEPS {
            for (out, members) in out.iter_mut().zip(members.iter()) {
                // What the others leave over, for a bone of weight w: (q − places)/w + the bone's own place.
                let own = members.iter().map(|&(v, w)| {
                    let v = v as usize;
                    let missed = goal(v) - places[v];
                    (from[v], out.transform_point3(from[v]) + missed / w, w * w)
                });
                let Some(better) = kabsch(own, out.matrix3) else { continue };
                for &(v, w) in members {
                    let p = from[v as usize];
                    places[v as usize] += (better.transform_point3(p) - out.transform_point3(p)) * w;
                }
                *out = better;
            }
        }
    }
}
