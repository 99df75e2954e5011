//! A skeleton that is changed by hand, joint by joint, and fitted anew to its animation.
//!
//! An animator moves, adds, deletes, renames and hangs joints elsewhere; what is not said is found: angles of all joints in
//! all frames, the places of those that nobody moved, weights. The animation is looked at once, when the skeleton is taken
//! up; edits cost nothing, and each [`EditedSkeleton::refit`] starts from where the last one ended.
//!
//! Joints that were put somewhere stay there to the last bit. A joint that is added takes over what lies beyond it: a plane
//! through its place, across the bone that it cuts or the way to it from its parent, tells which points and which joints
//! those are. The motion then tells how far its hold really goes.

use std::time::Instant;

use glam::{DMat3, DVec3, Vec3};

use super::assemble::{Surfaced, Whole, rig_of, surfaced};
use super::contacts::extents;
use super::find::{self, Checked};
use super::limits::joint_limits_unless_cancelled;
use super::{
    Arranged, Articulation, EditTuning, JointEditError, Sampled, Skeletal, SkeletonError, SkeletonFit,
    SkeletonOptions, SkeletonSeconds, TUNING, arrange,
};
use crate::animation::MeshAnimation;
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress};
use crate::rig::{Rig, Skeleton, SkinWeights};
use crate::segment::SurfaceSamples;

const TUNED: EditTuning = TUNING.edits;
/// The most influences on a point.
const MOST: usize = 4;

/// A joint of a skeleton that is being edited.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedJoint {
    /// Its name, unique in the skeleton.
    pub name: String,
    /// Where it is in the rest pose.
    pub place: DVec3,
    /// What it hangs on; nothing for the root.
    pub parent: Option<usize>,
    /// Whether it stays exactly where it is.
    pub is_fixed: bool,
}

/// A skeleton that is changed by hand and fitted anew.
///
/// Prepared once, then changed and asked for a fit as often as wanted; each fit goes on from the last.
///
/// ```
/// use sinew::progress::Silent;
/// use sinew::skeleton::{EditedSkeleton, SkeletonOptions, find_skeleton};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 12, detail: 0.6, ..Default::default() });
/// let options = SkeletonOptions { joints: Some(6), ..Default::default() };
/// let found = find_skeleton(&animation, &options, &Silent)?;
///
/// let mut edited = EditedSkeleton::new(&animation, &found.rig, &options, &Silent)?;
/// let last = edited.joints().len() - 1;
/// let place = edited.joints()[last].place;
/// edited.move_joint(last, place + glam::DVec3::new(0.02, 0.0, 0.0))?;
/// edited.rename(last, "wrist")?;
/// let better = edited.refit(&Silent)?;
///
/// let wrist = better.rig.bones.iter().find(|bone| bone.name == "wrist").expect("named");
/// assert!(wrist.center.distance(place) < 0.021);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EditedSkeleton<'a> {
    animation: &'a MeshAnimation,
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    options: SkeletonOptions,
    pub(super) samples: SurfaceSamples,
    pub(super) joints: Vec<EditedJoint>,
    /// Of every point the joints that move it.
    weights: Vec<Vec<(usize, f64)>>,
    /// Of every joint its turns against the world in the frames of the samples.
    turns: Vec<Vec<DMat3>>,
    bounds: Bounds,
}

impl<'a> EditedSkeleton<'a> {
    /// Takes up the skeleton of a rig of this animation, such as [`find_skeleton`](super::find_skeleton) makes.
    ///
    /// `options` say how angles and weights are found.
    ///
    /// # Errors
    /// [`SkeletonError`]: unusable animations and options, and rigs that are of another mesh or number of frames or have
    /// no skeleton of one root.
    pub fn new(
        animation: &'a MeshAnimation,
        rig: &Rig,
        options: &SkeletonOptions,
        progress: &dyn Progress,
    ) -> Result<Self, SkeletonError> {
        let Checked { rest, triangles, samples } = find::checked(animation, options, progress)?;
        let skeleton = rig.skeleton.as_ref().filter(|tree| tree.roots().count() == 1);
        let sizes = [rig.rest.len(), rig.frame_count()];
        let expected = [rest.len(), animation.frames.len()];
        let Some(skeleton) = skeleton.filter(|tree| sizes == expected && tree.len() == rig.bones.len())
        else {
            return Err(SkeletonError::OtherRig { found: sizes, expected });
        };
        let joints = rig.bones.iter().zip(&skeleton.parents).map(|(bone, &parent)| EditedJoint {
            name: bone.name.clone(),
            place: bone.center,
            parent,
            is_fixed: false,
        });
        let point = points(&samples, &rest);
        let weights = point.iter().map(|&v| rig.weights.influences(v).collect()).collect();
        let turn = |k: usize| samples.chosen.iter().map(|&t| rig.frame_transforms(t)[k].matrix3).collect();
        Ok(Self {
            animation,
            triangles,
            options: options.clone(),
            joints: joints.collect(),
            weights,
            turns: (0..rig.bones.len()).map(turn).collect(),
            bounds: Bounds::of(&rest),
            rest,
            samples,
        })
    }

    /// The joints as they are now. Numbers stay as they are until a joint is deleted or the skeleton is fitted anew.
    pub fn joints(&self) -> &[EditedJoint] {
        &self.joints
    }

    /// The joint of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The joint nearest to a place of the rest pose.
    pub fn nearest(&self, place: DVec3) -> usize {
        let far = |k: &usize| self.joints[*k].place.distance(place);
        (0..self.joints.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }

    /// The joint that moves the surface around a place of the rest pose.
    pub fn around(&self, place: DVec3) -> usize {
        let place = self.in_units(place);
        let reach = TUNED.around.max(f64::from(self.samples.spacing));
        let nearest = self.samples.rest.iter().map(|p| p.distance(place)).fold(f64::INFINITY, f64::min);
        let mut sums = vec![0.0; self.joints.len()];
        for (p, list) in self.samples.rest.iter().zip(&self.weights) {
            let off = (p.distance(place) - nearest) / reach;
            list.iter().for_each(|&(k, w)| sums[k] += w * (-off * off).exp());
        }
        (0..sums.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b])).unwrap_or(0)
    }

    /// Puts a joint somewhere in the rest pose, where it stays.
    ///
    /// # Errors
    /// [`JointEditError`]: no such joint, a place that is none or outside the body.
    pub fn move_joint(&mut self, joint: usize, to: DVec3) -> Result<(), JointEditError> {
        self.check(joint)?;
        self.check_place(to)?;
        self.joints[joint].place = to;
        self.joints[joint].is_fixed = true;
        Ok(())
    }

    /// Adds a joint at a place of the rest pose, where it stays, and returns its number. Without a parent it hangs on the
    /// joint that moves the surface around it; without a name it gets one.
    ///
    /// # Errors
    /// [`JointEditError`]: a place that is none or outside the body, no such parent, a name that another joint has.
    pub fn add_joint(
        &mut self,
        place: DVec3,
        parent: Option<usize>,
        name: Option<&str>,
    ) -> Result<usize, JointEditError> {
        self.check_place(place)?;
        parent.map_or(Ok(()), |parent| self.check(parent))?;
        let number = self.joints.len();
        let name = match name {
            Some(name) => name.to_owned(),
            None => {
                (1..).map(|n| format!("joint{n}")).find(|name| self.find(name).is_none()).unwrap_or_default()
            }
        };
        self.check_name(&name, number)?;
        let around = self.around(place);
        let parent = parent.unwrap_or(around);
        let beyond = self.beyond(place, parent, around);
        for k in 0..number {
            if self.joints[k].parent == Some(parent) && beyond(self.joints[k].place) {
                self.joints[k].parent = Some(number);
            }
        }
        let units = &self.samples.units;
        for (p, list) in self.samples.rest.iter().zip(&mut self.weights) {
            if beyond(units.rest_back(*p)) {
                list.iter_mut().filter(|u| u.0 == around || u.0 == parent).for_each(|u| u.0 = number);
            }
        }
        self.turns.push(self.turns[around].clone());
        self.joints.push(EditedJoint { name, place, parent: Some(parent), is_fixed: true });
        Ok(number)
    }

    /// What lies beyond a new joint of a parent: on the far side of a plane across the bone that it cuts.
    fn beyond(&self, place: DVec3, parent: usize, around: usize) -> impl Fn(DVec3) -> bool + use<> {
        let from = self.joints[parent].place;
        // The bone that it is on, if it is on one.
        let along = |k: usize| {
            let bone = self.joints[k].place - from;
            let share = (place - from).dot(bone) / bone.length_squared().max(1e-300);
            let off = place.distance(from + bone * share) / bone.length().max(1e-300);
            ((0.0..1.0).contains(&share) && off < TUNED.beside).then_some((off, bone))
        };
        let bones =
            (0..self.joints.len()).filter(|&k| self.joints[k].parent == Some(parent)).filter_map(along);
        let bone = bones.min_by(|a, b| a.0.total_cmp(&b.0)).map(|b| b.1);
        let middle = || {
            let all = self.samples.rest.iter().zip(&self.weights);
            let of = all
                .flat_map(|(p, list)| list.iter().filter(|u| u.0 == around).map(move |&(_, w)| (*p * w, w)));
            let (sum, total) = of.fold((DVec3::ZERO, 0.0), |s, o| (s.0 + o.0, s.1 + o.1));
            self.samples.units.rest_back(sum / f64::max(total, 1e-300)) - place
        };
        let way = match (bone, self.joints[parent].parent) {
            (Some(bone), _) => bone,
            // Where a root is says nothing about what it moves.
            (None, None) => middle(),
            (None, Some(_)) => place - from,
        };
        move |p: DVec3| (p - place).dot(way) > 0.0
    }

    /// Takes a joint out. What hung on it hangs on its parent; what it moved goes to those nearby that fit best. The root
    /// gives way to the joint on it that moves most.
    ///
    /// # Errors
    /// [`JointEditError`]: no such joint, or it is the only one.
    pub fn delete_joint(&mut self, joint: usize) -> Result<(), JointEditError> {
        self.check(joint)?;
        if self.joints.len() == 1 {
            return Err(JointEditError::LastJoint);
        }
        if self.joints[joint].parent.is_none() {
            let sizes = self.sizes();
            let children = (0..self.joints.len()).filter(|&k| self.joints[k].parent == Some(joint));
            let Some(heir) = children.max_by(|&a, &b| sizes[a].total_cmp(&sizes[b])) else {
                return Err(JointEditError::LastJoint);
            };
            self.make_root(heir, None)?;
        }
        let heir = self.joints[joint].parent.unwrap_or(0);
        self.joints.iter_mut().filter(|j| j.parent == Some(joint)).for_each(|j| j.parent = Some(heir));
        self.joints.remove(joint);
        self.turns.remove(joint);
        let number = |k: usize| k - usize::from(k > joint);
        self.joints.iter_mut().for_each(|j| j.parent = j.parent.map(number));
        for list in &mut self.weights {
            list.iter_mut().for_each(|u| u.0 = number(if u.0 == joint { heir } else { u.0 }));
        }
        Ok(())
    }

    /// Hangs a joint, with all below it, on another.
    ///
    /// # Errors
    /// [`JointEditError`]: no such joint, the root, or one that hangs on the joint itself.
    pub fn reparent(&mut self, joint: usize, parent: usize) -> Result<(), JointEditError> {
        self.check(joint)?;
        self.check(parent)?;
        if self.joints[joint].parent.is_none() {
            return Err(JointEditError::Root { joint });
        }
        if self.above(parent).any(|k| k == joint) {
            return Err(JointEditError::UnderItself { joint, parent });
        }
        self.joints[joint].parent = Some(parent);
        Ok(())
    }

    /// Gives a joint another name.
    ///
    /// # Errors
    /// [`JointEditError`]: no such joint, no name, or one that another joint has.
    pub fn rename(&mut self, joint: usize, name: &str) -> Result<(), JointEditError> {
        self.check(joint)?;
        self.check_name(name, joint)?;
        self.joints[joint].name = name.to_owned();
        Ok(())
    }

    /// Makes a joint the root. The joints on the way to the old root stay where they are and change hands, as a joint is as
    /// much its parent's as its own; the root is at `place`, or else in the middle of what it moves.
    ///
    /// # Errors
    /// [`JointEditError`]: no such joint, a place that is none or outside the body.
    pub fn make_root(&mut self, joint: usize, place: Option<DVec3>) -> Result<(), JointEditError> {
        self.check(joint)?;
        place.map_or(Ok(()), |place| self.check_place(place))?;
        let way: Vec<usize> = self.above(joint).collect();
        let before: Vec<EditedJoint> = way.iter().map(|&k| self.joints[k].clone()).collect();
        for (at, pair) in way.windows(2).enumerate() {
            let above = &mut self.joints[pair[1]];
            above.parent = Some(pair[0]);
            (above.place, above.is_fixed) = (before[at].place, before[at].is_fixed);
        }
        let stays = self.joints[joint].is_fixed || way.len() == 1;
        let place = place.unwrap_or_else(|| if stays { before[0].place } else { self.middle(joint) });
        let root = &mut self.joints[joint];
        (root.parent, root.place) = (None, place);
        Ok(())
    }

    /// Fits angles, weights and all places that nobody chose. The joints are then in the order of the rig.
    ///
    /// # Errors
    /// [`SkeletonError`].
    pub fn refit(&mut self, progress: &dyn Progress) -> Result<Skeletal, SkeletonError> {
        let clock = Instant::now();
        progress.stage("joints");
        let mut fit = self.fit(progress)?;
        fit.settle(Sampled { samples: &self.samples, progress }, TUNED.rounds)?;
        self.keep(&fit);
        let mut seconds = SkeletonSeconds { joints: clock.elapsed().as_secs_f64(), ..Default::default() };
        let clock = Instant::now();
        let Self { animation, triangles, rest, options, .. } = self;
        let whole = Whole { animation, triangles, rest, options, progress };
        let mut made = surfaced(&whole, &self.samples, &fit)?;
        let root = fit.articulation.skeleton.roots().next().unwrap_or(0);
        made.centers[root] = self.joints[root].place;
        for (center, joint) in made.centers.iter_mut().zip(&self.joints).filter(|(_, joint)| joint.is_fixed) {
            *center = joint.place;
        }
        let arranged = Arranged {
            order: (0..self.joints.len()).collect(),
            names: self.joints.iter().map(|joint| joint.name.clone()).collect(),
        };
        let rig = rig_of(animation, rest, &fit.articulation.skeleton, made, &arranged);
        seconds.weights = clock.elapsed().as_secs_f64();
        find::measured(animation, rig, &fit, &self.samples, seconds, progress)
    }

    /// The skeleton on the samples as it is now, in the order of a rig.
    pub(super) fn fit(&mut self, progress: &dyn Progress) -> Result<SkeletonFit, Cancelled> {
        self.reorder(&as_they_are(self.joints.iter().map(|joint| joint.parent)));
        let n = self.joints.len();
        let places: Vec<DVec3> = self.joints.iter().map(|joint| self.in_units(joint.place)).collect();
        let frames = self.samples.chosen.len();
        let articulation = Articulation {
            skeleton: Skeleton::new(self.joints.iter().map(|joint| joint.parent).collect()),
            joints: places.clone(),
            turns: (0..frames).flat_map(|t| self.turns.iter().map(move |turns| turns[t])).collect(),
        };
        let pin = |k: usize| {
            let joint = &self.joints[k];
            (joint.is_fixed && joint.parent.is_some()).then_some(places[k])
        };
        let pins = (0..n).map(pin).collect();
        let on = Sampled { samples: &self.samples, progress };
        Ok(SkeletonFit::new(on, articulation, packed(&self.weights), places)?.pinned(pins))
    }

    /// Takes over what was fitted.
    fn keep(&mut self, fit: &SkeletonFit) {
        let n = self.joints.len();
        let units = &self.samples.units;
        for (k, joint) in self.joints.iter_mut().enumerate() {
            if !joint.is_fixed && joint.parent.is_some() {
                joint.place = units.rest_back(fit.articulation.joints[k]);
            }
            self.turns[k] = fit.articulation.turns.iter().skip(k).step_by(n).copied().collect();
        }
        self.weights = (0..self.weights.len()).map(|v| fit.weights.influences(v).collect()).collect();
    }

    /// A rig of the joints that was found, hung as they hang now: nothing has to be fitted for that.
    pub(super) fn rehung(self, found: Skeletal, progress: &dyn Progress) -> Result<Skeletal, SkeletonError> {
        let Skeletal { rig, .. } = &found;
        let mut sizes = vec![0.0; rig.bones.len()];
        for v in 0..rig.rest.len() {
            rig.weights.influences(v).for_each(|(b, w)| sizes[b] += w);
        }
        let of = |skeleton: &Skeleton, places: &[DVec3]| arrange(&skeleton.parents, &sizes, places);
        let names: Vec<String> = self.joints.iter().map(|joint| joint.name.clone()).collect();
        let numbered = rig.skeleton.as_ref().is_some_and(|tree| of(tree, &rig.joint_places()).names == names);
        let skeleton = Skeleton::new(self.joints.iter().map(|joint| joint.parent).collect());
        let centers: Vec<DVec3> = self.joints.iter().map(|joint| joint.place).collect();
        let mut arranged = of(&skeleton, &centers);
        if !numbered {
            arranged.names = arranged.order.iter().map(|&k| names[k].clone()).collect();
        }
        let surfaced = Surfaced { centers, weights: rig.weights.clone(), transforms: rig.transforms.clone() };
        let rig = rig_of(self.animation, &self.rest, &skeleton, surfaced, &arranged);
        let limits = joint_limits_unless_cancelled(&rig, progress)?;
        Ok(Skeletal { rig, limits, ..found })
    }

    /// How long the body is.
    pub(super) fn length(&self) -> f64 {
        self.samples.units.shift_back(DVec3::X).x
    }

    fn reorder(&mut self, order: &[usize]) {
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        self.joints = order.iter().map(|&k| self.joints[k].clone()).collect();
        self.joints.iter_mut().for_each(|j| j.parent = j.parent.map(|p| number[p]));
        self.turns = order.iter().map(|&k| std::mem::take(&mut self.turns[k])).collect();
        self.weights.iter_mut().flatten().for_each(|u| u.0 = number[u.0]);
    }

    fn in_units(&self, place: DVec3) -> DVec3 {
        let units = &self.samples.units;
        units.shift(place - units.origins.rest)
    }

    /// A joint and all that it hangs on, up to the root.
    fn above(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(joint), |&k| self.joints[k].parent)
    }

    /// How many points each joint moves.
    fn sizes(&self) -> Vec<f64> {
        extents(&self.samples, &packed(&self.weights), self.joints.len()).0
    }

    /// The middle of what a joint moves in the rest pose.
    fn middle(&self, joint: usize) -> DVec3 {
        let (_, middles) = extents(&self.samples, &packed(&self.weights), self.joints.len());
        self.samples.units.rest_back(middles[joint])
    }

    fn check(&self, joint: usize) -> Result<(), JointEditError> {
        match joint < self.joints.len() {
            true => Ok(()),
            false => Err(JointEditError::NoSuchJoint { joint, joints: self.joints.len() }),
        }
    }

    fn check_name(&self, name: &str, of: usize) -> Result<(), JointEditError> {
        match self.find(name) {
            _ if name.trim().is_empty() => Err(JointEditError::NoName),
            Some(other) if other != of => Err(JointEditError::NameTaken { name: name.to_owned() }),
            _ => Ok(()),
        }
    }

    fn check_place(&self, place: DVec3) -> Result<(), JointEditError> {
        if !place.is_finite() {
            return Err(JointEditError::NotFinite { place });
        }
        let [min, max] = [self.bounds.min, self.bounds.max].map(Vec3::as_dvec3);
        let off = (min - place).max(place - max).max_element() / self.bounds.longest_side().max(1e-300);
        match off > TUNED.outside {
            true => Err(JointEditError::OutsideBody { place, percent: 100.0 * off }),
            false => Ok(()),
        }
    }
}

/// The order of joints in which parents come first and which is otherwise as it was.
pub(super) fn as_they_are(parents: impl Iterator<Item = Option<usize>>) -> Vec<usize> {
    let parents: Vec<Option<usize>> = parents.collect();
    let mut order = Vec::with_capacity(parents.len());
    let mut done = vec![false; parents.len()];
    let may = |k: &usize, done: &[bool]| !done[*k] && parents[*k].is_none_or(|parent| done[parent]);
    while let Some(next) = (0..parents.len()).find(|k| may(k, &done)) {
        done[next] = true;
        order.push(next);
    }
    order
}

/// The vertex that each point of samples is.
pub(super) fn points(samples: &SurfaceSamples, rest: &[Vec3]) -> Vec<usize> {
    let motion = samples.motion();
    let mut of = vec![0; motion.rest.len()];
    for (v, (&point, place)) in samples.nearest.iter().zip(rest).enumerate().rev() {
        if motion.rest.get(point as usize) == Some(place) {
            of[point as usize] = v;
        }
    }
    of
}

/// Weights as skins have them: the largest few of each point, shares of one.
pub(super) fn packed(lists: &[Vec<(usize, f64)>]) -> SkinWeights {
    let mut weights = SkinWeights { per_vertex: MOST, bones: Vec::new(), weights: Vec::new() };
    for list in lists {
        let mut sums: Vec<(usize, f64)> = Vec::new();
        for &(k, w) in list {
            match sums.iter_mut().find(|sum| sum.0 == k) {
                Some(sum) => sum.1 += w,
                None => sums.push((k, w)),
            }
        }
        sums.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        sums.truncate(MOST);
        let total: f64 = sums.iter().map(|sum| sum.1).sum();
        sums.resize(MOST, (0, 0.0));
        weights.bones.extend(sums.iter().map(|sum| sum.0 as u32));
        weights.weights.extend(sums.iter().map(|sum| (sum.1 / total.max(1e-300)) as f32));
    }
    weights
}
