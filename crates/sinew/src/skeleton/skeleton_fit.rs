//! A skeleton while it is fitted: joints, weights on the points of samples, and the moves that change which joints
//! there are.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::tree::least_slip;
use super::{
    AnchorTuning, Anchors, Articulation, ArticulationTuning, Moments, Nearby, Residuals, Sampled, TUNING,
    contacts, linkage, parents_first, rooted, weights_of,
};
use crate::geometry::angle_between;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Skeleton, SkinWeights};
use crate::segment::SurfaceSamples;

const STEPS: ArticulationTuning = TUNING.articulation;
const HELD: AnchorTuning = TUNING.anchors;
/// How strongly joints are held whose place is known: the squared error of a point that such a joint as far off as the
/// body is long would be worth.
const PINNED: f64 = 1e3;

/// A skeleton on samples.
#[derive(Clone)]
pub(super) struct SkeletonFit {
    pub articulation: Articulation,
    pub weights: SkinWeights,
    /// Where joints would be if nothing else was known.
    pub contacts: Vec<DVec3>,
    /// Where joints are known to be in the rest pose, in units.
    pub pins: Vec<Option<DVec3>>,
    /// Sums over the points.
    pub moments: Moments,
    /// Squared error over all points and frames, in units.
    pub error: f64,
}

impl SkeletonFit {
    pub fn new(
        on: Sampled,
        articulation: Articulation,
        weights: SkinWeights,
        mut contacts: Vec<DVec3>,
    ) -> Result<Self, Cancelled> {
        let moments = Moments::of_samples(on, &weights, articulation.joints.len())?;
        let error = articulation.error(&moments);
        contacts::find(on.samples, &articulation, &weights, &mut contacts);
        let pins = vec![None; contacts.len()];
        Ok(Self { articulation, weights, contacts, pins, moments, error })
    }

    /// The same with joints where they are known to be.
    pub fn pinned(mut self, pins: Vec<Option<DVec3>>) -> Self {
        self.pins = pins;
        self.pin();
        self
    }

    /// Puts joints and what holds them to where they are known to be.
    fn pin(&mut self) {
        for (k, pin) in self.pins.iter().enumerate() {
            if let Some(place) = *pin {
                (self.articulation.joints[k], self.contacts[k]) = (place, place);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.articulation.joints.len()
    }

    /// Fits turns and joints to the weights as they are.
    pub fn fit(&mut self, on: Sampled) -> Result<(), Cancelled> {
        self.articulation.fit_turns(&self.moments, STEPS.turn_steps, 0.0, on.progress)?;
        // Along the axis of a hinge nothing but noise says where the joint is: the farther off it goes, the harder it
        // is held.
        for _ in 0..2 {
            let hold = |k: usize| {
                if self.pins[k].is_some() {
                    return PINNED * on.samples.count();
                }
                let off = self.articulation.joints[k].distance(self.contacts[k]) / HELD.reach;
                HELD.hold * on.samples.count() * (1.0 + off.powi(4)).min(1e3)
            };
            let anchors =
                Anchors { places: self.contacts.clone(), holds: (0..self.len()).map(hold).collect() };
            self.error =
                self.articulation.fit(&self.moments, &anchors, STEPS.joint_steps / 2, on.progress)?;
        }
        if self.pins.iter().any(Option::is_some) {
            self.pin();
            self.error = self.articulation.error(&self.moments);
        }
        Ok(())
    }

    /// Fits turns alone to the weights and joints as they are.
    pub fn fit_turns(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        self.error = self.articulation.fit_turns(&self.moments, STEPS.turn_steps, 0.0, progress)?;
        Ok(())
    }

    /// About how much would be lost if what hangs on each joint hung on its parent: how far it would be carried off,
    /// for all points `below`, most of which turning makes good.
    pub fn strains(&self, below: &[f64]) -> Vec<f64> {
        let transforms = self.articulation.transforms(&self.moments);
        let n = self.len();
        let parents = &self.articulation.skeleton.parents;
        let mut strains = vec![0.0; n];
        for (child, joint) in self.articulation.skeleton.links() {
            let Some(parent) = parents[joint] else { continue };
            let place = self.articulation.joints[child];
            let off = |frame: &[DAffine3]| {
                frame[parent].transform_point3(place).distance_squared(frame[joint].transform_point3(place))
            };
            strains[joint] += HELD.taut * below[child] * transforms.chunks_exact(n).map(off).sum::<f64>();
        }
        strains
    }

    /// What every joint leaves over on the points near its region.
    pub fn residuals(&self, samples: &SurfaceSamples) -> Residuals {
        let transforms = self.articulation.transforms(&self.moments);
        Residuals::new(samples, &transforms, Nearby::new(samples, &self.weights, self.len()))
    }

    /// Finds weights anew.
    pub fn fit_weights(&mut self, on: Sampled) -> Result<(), Cancelled> {
        let blends = self.residuals(on.samples).blends(|_| true);
        self.weights = weights_of(&blends, |b| b as u32);
        self.moments = Moments::of_samples(on, &self.weights, self.len())?;
        self.error = self.articulation.error(&self.moments);
        contacts::find(on.samples, &self.articulation, &self.weights, &mut self.contacts);
        self.pin();
        Ok(())
    }

    /// Rounds of fitting joints and weights in turn.
    pub fn settle(&mut self, on: Sampled, rounds: usize) -> Result<(), Cancelled> {
        for _ in 0..rounds {
            self.fit(on)?;
            self.fit_weights(on)?;
        }
        Ok(())
    }

    /// Largest turn of a joint against its parent, from where it was in any frame to where it is in any other, in
    /// degrees; found by going to the farthest twice. A single frame has only the rest pose to differ from.
    pub fn bend(&self, joint: usize) -> f64 {
        let Some(parent) = self.articulation.skeleton.parents[joint] else { return 0.0 };
        let of = |t: usize| {
            let turns = self.articulation.frame(t);
            DQuat::from_mat3(&(turns[parent].transpose() * turns[joint]))
        };
        let mut all: Vec<DQuat> = (0..self.moments.frames).map(of).collect();
        if all.len() == 1 {
            all.push(DQuat::IDENTITY);
        }
        let farthest = |from: DQuat| {
            all.iter()
                .map(|q| (angle_between(*q, from), *q))
                .fold((0.0, from), |a, b| if b.0 > a.0 { b } else { a })
        };
        let first = farthest(all[0]);
        farthest(first.1).0.max(first.0).to_degrees()
    }

    /// How far a joint is off in the mean frame as what it moves and what its parent moves would carry it.
    pub fn slip(&self, joint: usize) -> f64 {
        let Some(parent) = self.articulation.skeleton.parents[joint] else { return 0.0 };
        let place = self.articulation.joints[joint];
        let seen = self.articulation.seen_from(&self.moments, parent, joint);
        let off = |t: &DAffine3| t.transform_point3(place).distance_squared(place);
        (seen.iter().map(off).sum::<f64>() / seen.len() as f64).sqrt()
    }

    /// The skeleton without a joint: what it moved goes to others, what hung on it hangs on its parent.
    pub fn without(&self, on: Sampled, joint: usize, left: &Residuals) -> Result<Self, Cancelled> {
        let parent = self.articulation.skeleton.parents[joint].expect("not the root");
        let kept: Vec<usize> = (0..self.len()).filter(|&j| j != joint).collect();
        let mut articulation = self.articulation.clone();
        let orphans = articulation.skeleton.parents.iter_mut().filter(|p| **p == Some(joint));
        orphans.for_each(|p| *p = Some(parent));
        let blends = left.blends(|b| b != joint);
        let number = |b: usize| kept.iter().position(|k| *k == b).expect("kept") as u32;
        let weights = weights_of(&blends, number);
        let contacts = kept.iter().map(|&k| self.contacts[k]).collect();
        let pins = kept.iter().map(|&k| self.pins[k]).collect();
        Ok(Self::new(on, articulation.reordered(&kept), weights, contacts)?.pinned(pins))
    }

    /// Puts a joint where what it moves slips least against what its parent moves.
    pub fn rejoin(&mut self, joint: usize) {
        let Some(parent) = self.articulation.skeleton.parents[joint].filter(|_| self.pins[joint].is_none())
        else {
            return;
        };
        let seen = self.articulation.seen_from(&self.moments, parent, joint);
        let apart = seen.iter().map(|t| (DMat3::IDENTITY - t.matrix3, t.translation));
        self.articulation.joints[joint] = least_slip(apart, self.contacts[joint]);
    }

    /// The same parts hung from one that hangs on the root.
    pub fn hung_from(&self, on: Sampled, part: usize) -> Result<Self, Cancelled> {
        let edges: Vec<[usize; 2]> = self.articulation.skeleton.links().map(|(k, p)| [k, p]).collect();
        let parents = rooted(&edges, self.len(), part);
        let (mut moving, mut contacts, mut pins) =
            (self.articulation.clone(), self.contacts.clone(), self.pins.clone());
        // The joint between the two is now that of the other.
        (moving.joints[0], contacts[0], pins[0]) = (moving.joints[part], contacts[part], pins[part].take());
        let order = parents_first(&parents);
        moving.skeleton = Skeleton::new(parents);
        let mut weights = self.weights.clone();
        weights.renumber(&order);
        let contacts = order.iter().map(|&k| contacts[k]).collect();
        let pins = order.iter().map(|&k| pins[k]).collect();
        Ok(Self::new(on, moving.reordered(&order), weights, contacts)?.pinned(pins))
    }

    /// The skeleton with a part cut in two: the points `beyond` get a joint of their own, on which hangs what hung on the
    /// part farther out. Nothing where the two would not touch.
    pub fn with_cut(&self, on: Sampled, part: usize, beyond: &[bool]) -> Result<Option<Self>, Cancelled> {
        let Some(place) = self.seam(on.samples, part, beyond) else { return Ok(None) };
        let n = self.len();
        let mut long = self.articulation.clone();
        long.joints.push(place);
        let again = |turns: &[DMat3]| turns.iter().copied().chain([turns[part]]).collect::<Vec<_>>();
        long.turns = (0..self.moments.frames).flat_map(|t| again(self.articulation.frame(t))).collect();
        let from = self.articulation.joints[part];
        for k in self.articulation.skeleton.links().filter(|l| l.1 == part).map(|l| l.0) {
            if self.articulation.joints[k].distance(from) > place.distance(from) {
                long.skeleton.parents[k] = Some(n);
            }
        }
        long.skeleton.parents.push(Some(part));
        let mut weights = self.weights.clone();
        for v in (0..beyond.len()).filter(|&v| beyond[v]) {
            let of = v * weights.per_vertex..(v + 1) * weights.per_vertex;
            let own = weights.bones[of.clone()].iter_mut().zip(&weights.weights[of]);
            own.filter(|(b, w)| **b == part as u32 && **w > 0.0).for_each(|(b, _)| *b = n as u32);
        }
        let order = parents_first(&long.skeleton.parents);
        weights.renumber(&order);
        let contacts = order.iter().map(|&k| self.contacts.get(k).copied().unwrap_or(place)).collect();
        let pins = order.iter().map(|&k| self.pins.get(k).copied().flatten()).collect();
        Ok(Some(Self::new(on, long.reordered(&order), weights, contacts)?.pinned(pins)))
    }

    /// The middle of the edges of a part's surface that lead to the points `beyond`.
    fn seam(&self, samples: &SurfaceSamples, part: usize, beyond: &[bool]) -> Option<DVec3> {
        let own = |v: usize| self.weights.influences(v).any(|u| u.0 == part);
        let ends = samples.edges.iter().map(|e| e.map(|v| v as usize));
        let across: Vec<[usize; 2]> =
            ends.filter(|&[a, b]| beyond[a] != beyond[b] && own(a) && own(b)).collect();
        let sum: DVec3 = across.iter().map(|&[a, b]| 0.5 * (samples.rest[a] + samples.rest[b])).sum();
        (!across.is_empty()).then(|| sum / across.len() as f64)
    }

    /// The skeleton with a joint more between a joint and its parent, where a part seems to have been missed.
    pub fn with_link(&self, on: Sampled, joint: usize) -> Result<Option<Self>, Cancelled> {
        let Some(parent) = self.articulation.skeleton.parents[joint] else { return Ok(None) };
        let transforms = self.articulation.seen_from(&self.moments, parent, joint);
        let Some(found) = linkage::between(&transforms, self.contacts[joint]) else { return Ok(None) };
        let n = self.len();
        let mut long = self.articulation.clone();
        // The new joint is last for now.
        long.joints.push(found.near);
        long.joints[joint] = found.far;
        long.turns = (0..self.moments.frames)
            .flat_map(|t| {
                let turns = self.articulation.frame(t);
                turns.iter().copied().chain([found.turns[t] * turns[parent]])
            })
            .collect();
        long.skeleton.parents.push(Some(parent));
        long.skeleton.parents[joint] = Some(n);
        let order = parents_first(&long.skeleton.parents);
        let mut contacts = self.contacts.clone();
        contacts.push(found.near);
        contacts[joint] = found.far;
        let contacts = order.iter().map(|&k| contacts[k]).collect();
        let mut weights = self.weights.clone();
        weights.renumber(&order);
        // A joint that was put elsewhere is known no longer.
        let known = |k: usize| self.pins.get(k).copied().flatten().filter(|_| k != joint);
        let pins = order.iter().map(|&k| known(k)).collect();
        Ok(Some(Self::new(on, long.reordered(&order), weights, contacts)?.pinned(pins)))
    }
}
