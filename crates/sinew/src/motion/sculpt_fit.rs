//! What bones do to carry a pose to a sculpted one.
//!
//! Bones take turns: each gets the motion that fits best while the others stay, a rigid one, an affine one
//! where it may stretch, or a turn about its joint with all that hangs on it where there is a skeleton. No
//! turn raises the error.
//!
//! A hand mostly sculpts a part. Least squares would let every bone near it give way a little, and what does
//! not belong to the edit would move in later frames. So one motion is taken to be that of the body
//! ([`Sculpted::body`]), and bones follow it unless a motion of their own explains far better what was done
//! to them. A bump moves no bone.

use glam::{DAffine3, DMat3, DVec3};

use super::hierarchy::Hierarchy;
use super::tuning::{EditTuning, TUNING};
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Rig, Skeleton, SkinWeights};
use crate::solve::procrustes::{self, outer, polar};

/// Motions that lead from a pose to a sculpted one.
pub(super) struct Sculpted {
    /// That of the whole body: bones which nobody sculpted follow it.
    pub body: DAffine3,
    /// That of each bone.
    pub bones: Vec<DAffine3>,
}

/// A pose, what it is to become, and who moves what.
struct Fit<'a> {
    from: &'a [DVec3],
    to: &'a [DVec3],
    /// Vertices of each bone, with their weights.
    members: Vec<Vec<(usize, f64)>>,
    motions: Vec<DAffine3>,
    /// Where the motions carry the vertices.
    now: Vec<DVec3>,
}

/// What a group of bones may do.
enum Freedom {
    /// Turn about a place.
    About(DVec3),
    Rigid,
    Affine,
}

/// Vertices as far as a group moves them: weight, place times weight, and where that should be.
struct Pull {
    vertex: usize,
    weight: f64,
    place: DVec3,
    wanted: DVec3,
}

/// Finds motions of all bones of `rig`, whose joints are at `joints` in the pose `from`, that carry it to `to`.
/// Bones that move no vertices go with what they hang on in `tree`.
pub(super) fn fit(
    rig: &Rig,
    tree: &Hierarchy,
    joints: &[DVec3],
    from: &[DVec3],
    to: &[DVec3],
    progress: &dyn Progress,
) -> Result<Sculpted, Cancelled> {
    let EditTuning { still, own: own_share, .. } = TUNING.edits;
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let members = members(&rig.weights, from.len(), rig.bones.len());
    let own: Vec<Option<DAffine3>> = members.iter().map(|m| rigid_motion(m, from, to)).collect();
    let body = body_motion(&own, from, to, diagonal, progress)?;
    let off = |members: &[(usize, f64)], motion: DAffine3| -> f64 {
        let off = |v: usize| motion.transform_point3(from[v]).distance(to[v]);
        members.iter().map(|&(v, w)| w.abs() * off(v)).sum()
    };
    let free = |(members, own): (&Vec<(usize, f64)>, &Option<DAffine3>)| {
        let left = off(members, body);
        let total: f64 = members.iter().map(|(_, w)| w.abs()).sum();
        left > still * diagonal * total && own.is_some_and(|own| off(members, own) < own_share * left)
    };
    let free: Vec<bool> = members.iter().zip(&own).map(free).collect();
    let mut fit = Fit { from, to, members, motions: vec![body; rig.bones.len()], now: Vec::new() };
    match &rig.skeleton {
        Some(skeleton) => fit.joints(skeleton, joints, &free, &rig.weights, progress)?,
        None => fit.bones(rig, &own, &free, progress)?,
    }
    for (bone, parent) in tree.downwards() {
        if let (Some(parent), true) = (parent, fit.members[bone].is_empty()) {
            fit.motions[bone] = fit.motions[parent];
        }
    }
    Ok(Sculpted { body, bones: fit.motions })
}

fn members(weights: &SkinWeights, vertices: usize, bones: usize) -> Vec<Vec<(usize, f64)>> {
    let mut members = vec![Vec::new(); bones];
    for vertex in 0..vertices {
        weights.influences(vertex).for_each(|(bone, weight)| members[bone].push((vertex, weight)));
    }
    members
}

/// The motion under which most vertices end where they were sculpted: that of the whole or of one of the
/// bones, or none if that does nearly as well.
fn body_motion(
    bones: &[Option<DAffine3>],
    from: &[DVec3],
    to: &[DVec3],
    diagonal: f64,
    progress: &dyn Progress,
) -> Result<DAffine3, Cancelled> {
    let EditTuning { far, body, .. } = TUNING.edits;
    let all: Vec<(usize, f64)> = (0..from.len()).map(|v| (v, 1.0)).collect();
    let candidates = [rigid_motion(&all, from, to)].into_iter().chain(bones.iter().copied()).flatten();
    let off = |motion: DAffine3| -> f64 {
        let off = |(p, q): (&DVec3, &DVec3)| motion.transform_point3(*p).distance(*q).min(far * diagonal);
        from.iter().zip(to).map(off).sum()
    };
    let mut best = (DAffine3::IDENTITY, body * off(DAffine3::IDENTITY));
    for candidate in candidates {
        progress.check()?;
        let off = off(candidate);
        best = if off < best.1 { (candidate, off) } else { best };
    }
    Ok(best.0)
}

/// The rigid motion of some vertices, if they tell.
fn rigid_motion(members: &[(usize, f64)], from: &[DVec3], to: &[DVec3]) -> Option<DAffine3> {
    let total: f64 = members.iter().map(|(_, w)| w).sum();
    let middle = |of: &[DVec3]| members.iter().map(|&(v, w)| of[v] * w).sum::<DVec3>() / total;
    let (a, b) = (middle(from), middle(to));
    let product = members.iter().map(|&(v, w)| outer(to[v] - b, (from[v] - a) * w)).sum();
    procrustes::rigid_motion(product, a, b)
}

impl Fit<'_> {
    /// Bones that each go their own way.
    fn bones(
        &mut self,
        rig: &Rig,
        own: &[Option<DAffine3>],
        free: &[bool],
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        for bone in (0..free.len()).filter(|&b| free[b]) {
            self.motions[bone] = own[bone].unwrap_or(self.motions[bone]);
        }
        let groups: Vec<(Vec<usize>, Freedom)> = (0..free.len())
            .filter(|&b| free[b])
            .map(|b| (vec![b], if rig.bones[b].rigid { Freedom::Rigid } else { Freedom::Affine }))
            .collect();
        self.take_turns(&rig.weights, &groups, |_| None, progress)
    }

    /// Joints that turn, with what hangs on them. Those below one that turns turn too: to stay where they
    /// are they have to.
    fn joints(
        &mut self,
        skeleton: &Skeleton,
        places: &[DVec3],
        free: &[bool],
        weights: &SkinWeights,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let parents = &skeleton.parents;
        let up = |joint: usize| std::iter::successors(Some(joint), |&j| parents[j]);
        let below = |joint: usize| (joint..free.len()).filter(|&j| up(j).any(|a| a == joint)).collect();
        let groups: Vec<(Vec<usize>, Freedom)> = (0..free.len())
            .filter(|&joint| up(joint).any(|a| free[a]))
            .map(|joint| {
                let freedom = match parents[joint] {
                    Some(_) => Freedom::About(places[joint]),
                    None => Freedom::Rigid,
                };
                (below(joint), freedom)
            })
            .collect();
        self.take_turns(weights, &groups, |joint| parents[joint], progress)
    }

    /// Gives every group its best motion, again and again while that helps.
    fn take_turns(
        &mut self,
        weights: &SkinWeights,
        groups: &[(Vec<usize>, Freedom)],
        parent: impl Fn(usize) -> Option<usize>,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        self.now = (0..self.from.len())
            .map(|v| {
                let carried = |(b, w): (usize, f64)| self.motions[b].transform_point3(self.from[v]) * w;
                weights.influences(v).map(carried).sum()
            })
            .collect();
        let mut error = self.error();
        for round in 0..TUNING.edits.rounds {
            progress.advance(round as f64 / TUNING.edits.rounds as f64);
            for (bones, freedom) in groups {
                progress.check()?;
                // A joint is where its parent has carried it by now.
                let freedom = match (freedom, parent(bones[0])) {
                    (Freedom::About(place), Some(p)) => {
                        Freedom::About(self.motions[p].transform_point3(*place))
                    }
                    (Freedom::Affine, _) => Freedom::Affine,
                    _ => Freedom::Rigid,
                };
                self.improve(bones, &freedom);
            }
            let lower = self.error();
            if lower > (1.0 - TUNING.edits.enough) * error {
                break;
            }
            error = lower;
        }
        Ok(())
    }

    fn error(&self) -> f64 {
        self.now.iter().zip(self.to).map(|(p, q)| p.distance_squared(*q)).sum()
    }

    /// Moves a group of bones to where it fits best.
    fn improve(&mut self, bones: &[usize], freedom: &Freedom) {
        let pulls = self.pulls(bones);
        let Some(motion) = best_motion(&pulls, freedom) else { return };
        for &bone in bones {
            self.motions[bone] = motion * self.motions[bone];
        }
        for pull in &pulls {
            let moved = motion.matrix3 * pull.place + motion.translation * pull.weight;
            self.now[pull.vertex] += moved - pull.place;
        }
    }

    fn pulls(&self, bones: &[usize]) -> Vec<Pull> {
        let mut shares: Vec<(usize, f64, DVec3)> = Vec::new();
        for &bone in bones {
            let motion = self.motions[bone];
            let share = |&(v, w): &(usize, f64)| (v, w, motion.transform_point3(self.from[v]) * w);
            shares.extend(self.members[bone].iter().map(share));
        }
        shares.sort_by_key(|share| share.0);
        shares
            .chunk_by(|a, b| a.0 == b.0)
            .map(|of| {
                let vertex = of[0].0;
                let place: DVec3 = of.iter().map(|share| share.2).sum();
                let wanted = place + self.to[vertex] - self.now[vertex];
                Pull { vertex, weight: of.iter().map(|share| share.1).sum(), place, wanted }
            })
            .collect()
    }
}

/// The motion that brings Σ‖M place − wanted‖² lowest, if the pulls tell.
fn best_motion(pulls: &[Pull], freedom: &Freedom) -> Option<DAffine3> {
    let total: f64 = pulls.iter().map(|p| p.weight * p.weight).sum();
    if total <= 0.0 {
        return None;
    }
    let mean = |of: fn(&Pull) -> DVec3| pulls.iter().map(|p| of(p) * p.weight).sum::<DVec3>() / total;
    let (a, b) = match freedom {
        Freedom::About(place) => (*place, *place),
        _ => (mean(|p| p.place), mean(|p| p.wanted)),
    };
    let centred = |p: &Pull| (p.place - a * p.weight, p.wanted - b * p.weight);
    let product = |of: &dyn Fn(&Pull) -> (DVec3, DVec3)| -> DMat3 {
        pulls.iter().map(of).map(|(from, to)| outer(to, from)).sum()
    };
    let matrix3 = match freedom {
        Freedom::About(_) | Freedom::Rigid => polar(product(&centred))?,
        Freedom::Affine => {
            let spread = product(&|p| (centred(p).0, centred(p).0));
            let ridge =
                TUNING.edits.affine_ridge * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z) / 3.0;
            if ridge <= 0.0 {
                return None;
            }
            let change = product(&|p| (centred(p).0, centred(p).1 - centred(p).0));
            DMat3::IDENTITY + change * (spread + DMat3::from_diagonal(DVec3::splat(ridge))).inverse()
        }
    };
    Some(DAffine3 { matrix3, translation: b - matrix3 * a })
}
