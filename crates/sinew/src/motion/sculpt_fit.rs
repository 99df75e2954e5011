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

use glam::{DAffine3, DMat3, DVec3, Vec3};

use super::hierarchy::{Hierarchy, ancestors};
use super::tuning::{EditTuning, TUNING};
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Bone, Skeleton, SkinWeights};
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
#[derive(Clone, Copy)]
enum Freedom {
    /// Turn about a place that another bone carries.
    About(DVec3, usize),
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

/// What is sculpted.
pub(super) struct Body<'a> {
    pub rest: &'a [Vec3],
    pub weights: &'a SkinWeights,
    pub bones: &'a [Bone],
    /// The skeleton, and where its joints are in the pose.
    pub joints: Option<(&'a Skeleton, Vec<DVec3>)>,
    /// What bones go with that move no vertices.
    pub tree: &'a Hierarchy,
    /// The middle of the pose.
    pub middle: DVec3,
}

/// Finds motions of all bones of `body` that carry its pose `from` to `to`.
pub(super) fn fit(
    body: &Body,
    from: &[DVec3],
    to: &[DVec3],
    progress: &dyn Progress,
) -> Result<Sculpted, Cancelled> {
    let EditTuning { still, own: own_share, .. } = TUNING.edits;
    // About the middle, as weights sum to one only nearly and far from the origin that shows.
    let near = |places: &[DVec3]| -> Vec<DVec3> { places.iter().map(|p| *p - body.middle).collect() };
    let (from, to) = (&near(from)[..], &near(to)[..]);
    let bones = 0..body.bones.len();
    let diagonal = Bounds::of(body.rest).diagonal();
    let members = members(body.weights, from.len(), bones.len());
    let own: Vec<Option<DAffine3>> = members.iter().map(|m| rigid_motion(m, from, to)).collect();
    let whole = body_motion(&own, from, to, diagonal, progress)?;
    let off = |members: &[(usize, f64)], motion: DAffine3| -> f64 {
        let off = |v: usize| motion.transform_point3(from[v]).distance(to[v]);
        members.iter().map(|&(v, w)| w.abs() * off(v)).sum()
    };
    let free = |(members, own): (&Vec<(usize, f64)>, &Option<DAffine3>)| {
        let left = off(members, whole);
        let total: f64 = members.iter().map(|(_, w)| w.abs()).sum();
        left > still * diagonal * total && own.is_some_and(|own| off(members, own) < own_share * left)
    };
    let free: Vec<bool> = members.iter().zip(&own).map(free).collect();
    let mut fit = Fit { from, to, members, motions: vec![whole; bones.len()], now: Vec::new() };
    let groups = match &body.joints {
        Some((skeleton, places)) => turning(skeleton, &near(places), &free),
        None => {
            let freedom = |b: usize| if body.bones[b].rigid { Freedom::Rigid } else { Freedom::Affine };
            let free = || bones.clone().filter(|&bone| free[bone]);
            free().for_each(|bone| fit.motions[bone] = own[bone].unwrap_or(whole));
            free().map(|bone| (vec![bone], freedom(bone))).collect()
        }
    };
    fit.take_turns(body.weights, &groups, progress)?;
    for (bone, parent) in body.tree.downwards() {
        if let (Some(parent), true) = (parent, fit.members[bone].is_empty()) {
            fit.motions[bone] = fit.motions[parent];
        }
    }
    let far = |motion: &mut DAffine3| motion.translation += body.middle - motion.matrix3 * body.middle;
    let mut found = Sculpted { body: whole, bones: fit.motions };
    far(&mut found.body);
    found.bones.iter_mut().for_each(far);
    Ok(found)
}

/// Joints that turn, with what hangs on them. Those below one that turns turn too: to stay where they are they have to.
fn turning(skeleton: &Skeleton, places: &[DVec3], free: &[bool]) -> Vec<(Vec<usize>, Freedom)> {
    let parents = &skeleton.parents;
    let below =
        |joint: usize| (joint..free.len()).filter(|&j| ancestors(parents, j).any(|a| a == joint)).collect();
    let turns = (0..free.len()).filter(|&joint| ancestors(parents, joint).any(|a| free[a]));
    let freedom = |j: usize| parents[j].map_or(Freedom::Rigid, |parent| Freedom::About(places[j], parent));
    turns.map(|joint| (below(joint), freedom(joint))).collect()
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
    /// Gives every group its best motion, again and again while that helps.
    fn take_turns(
        &mut self,
        weights: &SkinWeights,
        groups: &[(Vec<usize>, Freedom)],
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
                let freedom = match *freedom {
                    Freedom::About(place, parent) => {
                        Freedom::About(self.motions[parent].transform_point3(place), parent)
                    }
                    other => other,
                };
                self.improve(bones, freedom);
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
    fn improve(&mut self, bones: &[usize], freedom: Freedom) {
        let pulls = self.pulls(bones);
        let Some(motion) = best_motion(&pulls, freedom) else { return };
        bones.iter().for_each(|&bone| self.motions[bone] = motion * self.motions[bone]);
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
fn best_motion(pulls: &[Pull], freedom: Freedom) -> Option<DAffine3> {
    let total: f64 = pulls.iter().map(|p| p.weight * p.weight).sum();
    if total <= 0.0 {
        return None;
    }
    let mean = |of: fn(&Pull) -> DVec3| pulls.iter().map(|p| of(p) * p.weight).sum::<DVec3>() / total;
    let (a, b) = match freedom {
        Freedom::About(place, _) => (place, place),
        _ => (mean(|p| p.place), mean(|p| p.wanted)),
    };
    let centred = |p: &Pull| (p.place - a * p.weight, p.wanted - b * p.weight);
    let product = |of: &dyn Fn(&Pull) -> (DVec3, DVec3)| -> DMat3 {
        pulls.iter().map(of).map(|(from, to)| outer(to, from)).sum()
    };
    let matrix3 = match freedom {
        Freedom::About(..) | Freedom::Rigid => polar(product(&centred))?,
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
