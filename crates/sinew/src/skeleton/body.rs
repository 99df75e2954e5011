//! What kind of body a tree of parts is: pairs of limbs that are each other's mirror image, the trunk between them,
//! and which end of it is the hips.
//!
//! Everything is told from sizes and lengths within the body, so that it does not matter how the body is turned or in
//! what pose it rests. Two limbs are a pair when they leave the trunk at the same part, are as heavy and as long as each other, and
//! stay as far from the rest of the body: an arm and a head do not. Of all pairs those two make the arms and the legs that are longest and most alike. The legs are the pair that is heavier and
//! longer and has less hanging beside it at its end of the trunk: the head is heavier than a tail.

use std::collections::BTreeSet;

use glam::DVec3;
use rayon::prelude::*;

use super::blends::owners;
use super::contacts::extents;
use super::{Articulation, BodyTuning, TUNING};
use crate::rig::SkinWeights;
use crate::segment::SurfaceSamples;

const TUNED: BodyTuning = TUNING.body;

/// Parts that hang together, before any of them is the root.
pub(super) struct PartTree<'a> {
    /// The parts that each joint holds together.
    pub edges: Vec<[usize; 2]>,
    /// Where each joint is in the rest pose, in units.
    pub joints: Vec<DVec3>,
    /// How many points of the surface each part moves.
    pub sizes: Vec<f64>,
    /// Where the middle of each part is.
    pub middles: Vec<DVec3>,
    samples: &'a SurfaceSamples,
    /// The part that each point follows most.
    owner: Vec<u32>,
    /// How far each point is from each part over the surface: all parts of the first point, then of the second, and so on.
    nearest: Vec<f32>,
    /// Sums of the distances between the points of each two parts, and how many points each part has.
    apart: Vec<f64>,
    counts: Vec<f64>,
}

impl<'a> PartTree<'a> {
    /// Whether the limbs of both pairs go the same way, across the trunk.
    pub fn on_all_fours(&self, one: &Pair, other: &Pair) -> bool {
        let way = |p: &Pair| {
            let of = |l: &Limb| {
                let mass: f64 = l.parts.iter().map(|&k| self.sizes[k]).sum();
                l.parts.iter().map(|&k| self.middles[k] * self.sizes[k]).sum::<DVec3>() / mass
                    - self.joints[l.joint]
            };
            (of(&p.limbs[0]) + of(&p.limbs[1])).normalize_or_zero()
        };
        let along = (self.between(other) - self.between(one)).normalize_or_zero();
        let (a, b) = (way(one), way(other));
        a.dot(b) > TUNED.parallel && a.dot(along).abs().max(b.dot(along).abs()) < TUNED.across
    }

    /// How far the points of a limb are from those that are neither in it nor in another one, on average.
    fn away_from_others(&self, limb: &Limb, other: &Limb) -> f64 {
        let n = self.counts.len();
        let (mut sum, mut pairs) = (0.0, 0.0);
        for rest in (0..n).filter(|k| !limb.parts.contains(k) && !other.parts.contains(k)) {
            for &part in &limb.parts {
                sum += self.apart[part * n + rest];
                pairs += self.counts[part] * self.counts[rest];
            }
        }
        sum / f64::max(pairs, 1.0)
    }

    /// The middle between the joints of a pair.
    pub fn between(&self, pair: &Pair) -> DVec3 {
        0.5 * (self.joints[pair.limbs[0].joint] + self.joints[pair.limbs[1].joint])
    }

    /// Where the joint is by which a part hung on another when the tree was made.
    pub fn place(&self, part: usize) -> Option<DVec3> {
        self.edges.iter().position(|e| e[0] == part).map(|e| self.joints[e])
    }

    pub fn new(samples: &'a SurfaceSamples, weights: &SkinWeights, moving: &Articulation) -> Self {
        let links: Vec<(usize, usize)> = moving.skeleton.links().collect();
        let (parts, points) = (moving.joints.len(), samples.rest.len());
        let (sizes, middles) = extents(samples, weights, parts);
        let owner = owners(weights, points);
        let of = |v: usize| {
            let mut least = vec![f32::INFINITY; parts];
            for (d, &o) in samples.distances[v * points..(v + 1) * points].iter().zip(&owner) {
                if let Some(l) = least.get_mut(o as usize) {
                    *l = l.min(*d);
                }
            }
            least
        };
        let nearest = (0..points).into_par_iter().flat_map_iter(of).collect();
        let (apart, counts) = distances_between(samples, &owner, parts);
        Self {
            edges: links.iter().map(|&(k, parent)| [k, parent]).collect(),
            joints: links.iter().map(|l| moving.joints[l.0]).collect(),
            sizes,
            middles,
            samples,
            owner,
            nearest,
            apart,
            counts,
        }
    }
}

/// Sums of the distances between the points of each two parts, and how many points each part has.
fn distances_between(samples: &SurfaceSamples, owner: &[u32], parts: usize) -> (Vec<f64>, Vec<f64>) {
    let points = owner.len();
    let (mut apart, mut counts) = (vec![0.0; parts * parts], vec![0.0; parts]);
    for v in 0..points {
        let part = owner[v] as usize;
        let Some(count) = counts.get_mut(part) else { continue };
        *count += 1.0;
        let row = &mut apart[part * parts..(part + 1) * parts];
        for (distance, &other) in samples.distances[v * points..(v + 1) * points].iter().zip(owner) {
            if let Some(sum) = row.get_mut(other as usize) {
                *sum += f64::from(*distance);
            }
        }
    }
    (apart, counts)
}

/// A limb: all that hangs on one joint of a part.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// The part that it hangs on.
    pub at: usize,
    /// The joint by which it does.
    pub joint: usize,
    /// Its parts, those nearer to the trunk first.
    pub parts: Vec<usize>,
    /// How much of the body it is.
    pub mass: f64,
    /// How far over the surface its end is from the rest of the body.
    pub reach: f64,
}

/// Two limbs that mirror each other.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub limbs: [Limb; 2],
    /// How long and how alike they are.
    pub worth: f64,
}

/// A body with limbs in pairs.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The parts from the hips to where the other pair of limbs leaves the trunk, both among them.
    pub trunk: Vec<usize>,
    pub legs: Pair,
    /// Arms, wings or forelegs.
    pub arms: Option<Pair>,
    /// How clear it is which pair is the legs: 0 is a guess, beyond 1 is clear.
    pub clear: f64,
}

impl Body {
    /// Nothing where no limbs come in pairs.
    pub fn find(tree: &PartTree) -> Option<Self> {
        let pairs = pairs(tree);
        let first = pairs.iter().max_by(|a, b| a.worth.total_cmp(&b.worth))?.clone();
        let two = |a: &Pair, b: &Pair| {
            let [inside, outside] =
                [a, b].map(|p| p.limbs.iter().flat_map(|l| &l.parts).collect::<BTreeSet<_>>());
            let ends = |p: &Pair| p.limbs.iter().map(|l| l.at).collect::<Vec<_>>();
            inside.is_disjoint(&outside)
                && ends(a).iter().all(|at| !outside.contains(at))
                && ends(b).iter().all(|at| !inside.contains(at))
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for (i, a) in pairs.iter().enumerate() {
            for (j, b) in pairs.iter().enumerate().skip(i + 1) {
                // The lesser pair counts in full, so that two good pairs are more than a long one and an ear.
                let worth = a.worth + b.worth + a.worth.min(b.worth);
                if two(a, b) && best.is_none_or(|best| worth > best.0) {
                    best = Some((worth, i, j));
                }
            }
        }
        let good =
            |a: &Pair, b: &Pair| a.worth >= TUNED.lesser * b.worth && b.worth >= TUNED.lesser * a.worth;
        let Some((_, i, j)) = best.filter(|b| good(&pairs[b.1], &pairs[b.2])) else {
            return Some(Self { trunk: vec![first.limbs[0].at], legs: first, arms: None, clear: 0.5 });
        };
        let (one, other) = (&pairs[i], &pairs[j]);
        let lean = lean(tree, one, other);
        let (legs, arms) = if lean >= 0.0 { (one, other) } else { (other, one) };
        let trunk = way(tree, legs.limbs[0].at, arms.limbs[0].at);
        Some(Self { trunk, legs: legs.clone(), arms: Some(arms.clone()), clear: lean.abs() })
    }

    /// How many joints each limb of a pair has more than the other, for the joints of both; nothing for others.
    pub fn surplus(&self, joints: usize) -> Vec<Option<i32>> {
        let mut surplus = vec![None; joints];
        for pair in [Some(&self.legs), self.arms.as_ref()].into_iter().flatten() {
            let [a, b] = [0, 1].map(|side| pair.limbs[side].parts.len() as i32);
            pair.limbs[0].parts.iter().for_each(|&k| surplus[k] = Some(a - b));
            pair.limbs[1].parts.iter().for_each(|&k| surplus[k] = Some(b - a));
        }
        surplus
    }

    /// Which parts are neither trunk nor head nor in the chain of a limb; none of a body without arms.
    pub fn odd(&self, tree: &PartTree) -> Vec<bool> {
        let n = tree.sizes.len();
        let Some(arms) = &self.arms else { return vec![false; n] };
        let parents = super::rooted(&tree.edges, n, self.hips());
        let mut below = tree.sizes.clone();
        for &k in super::parents_first(&parents).iter().rev() {
            if let Some(parent) = parents[k] {
                below[parent] += below[k];
            }
        }
        let mut odd = vec![true; n];
        self.trunk.iter().for_each(|&k| odd[k] = false);
        let mut chains: Vec<usize> = self.legs.limbs.iter().chain(&arms.limbs).map(|l| l.parts[0]).collect();
        chains.iter().for_each(|&k| odd[k] = false);
        let heaviest = |at: usize, odd: &[bool]| {
            let free = (0..n).filter(|&k| parents[k] == Some(at) && odd[k]);
            free.max_by(|&a, &b| below[a].total_cmp(&below[b]))
        };
        chains.extend(self.trunk.last().and_then(|&chest| heaviest(chest, &odd)));
        for first in chains {
            let mut next = Some(first);
            while let Some(k) = next {
                odd[k] = false;
                next = heaviest(k, &odd);
            }
        }
        odd
    }

    /// The part that the legs hang on.
    pub fn hips(&self) -> usize {
        self.trunk[0]
    }

    /// Where the pelvis is: between the hip joints, a little towards the trunk.
    pub fn pelvis(&self, tree: &PartTree) -> DVec3 {
        let between = tree.between(&self.legs);
        let above = match self.trunk.get(1) {
            Some(&next) => tree.joints[edge(tree, self.hips(), next)],
            None => tree.middles[self.hips()],
        };
        let up = above - between;
        between + up * (TUNED.above.min(TUNED.most_above / up.length().max(1e-9)))
    }
}

/// How much speaks for the first pair being the legs, and against it where negative.
fn lean(tree: &PartTree, one: &Pair, other: &Pair) -> f64 {
    let mass = |p: &Pair| p.limbs[0].mass + p.limbs[1].mass;
    let reach = |p: &Pair| p.limbs[0].reach + p.limbs[1].reach;
    let limbs = (mass(one) / mass(other)).ln() + (reach(one) / reach(other)).ln();
    let trunk = way(tree, one.limbs[0].at, other.limbs[0].at);
    let in_pairs: BTreeSet<usize> =
        [one, other].iter().flat_map(|p| &p.limbs).flat_map(|l| l.parts.clone()).collect();
    let ratio = |a: f64, b: f64| (a - b) / (a + b + TUNED.least_head);
    if trunk.len() < 2 {
        // All hang on one part: legs are farther from the heaviest of what else does.
        let others = (0..tree.edges.len()).filter(|&e| tree.edges[e].contains(&trunk[0]));
        let single = others.map(|e| limb(tree, trunk[0], e)).filter(|l| !in_pairs.contains(&l.parts[0]));
        let Some(head) = single.max_by(|a, b| a.mass.total_cmp(&b.mass)) else { return limbs };
        let off = |p: &Pair| tree.between(p).distance(tree.joints[head.joint]);
        return limbs + TUNED.star * ratio(off(one), off(other));
    }
    // What is at an end of the trunk besides the limbs: all that is reached without going along the trunk.
    let at_end = |end: usize, next: usize| -> [f64; 2] {
        let joint = edge(tree, end, next);
        let beside = (0..tree.edges.len()).filter(|&e| e != joint && tree.edges[e].contains(&end));
        let parts = beside.flat_map(|e| limb(tree, end, e).parts).filter(|p| !in_pairs.contains(p));
        let total: f64 = tree.sizes.iter().sum();
        [tree.sizes[end] / total, parts.map(|p| tree.sizes[p]).sum::<f64>() / total]
    };
    let last = trunk.len() - 1;
    let (near, far) = (at_end(trunk[0], trunk[1]), at_end(trunk[last], trunk[last - 1]));
    if tree.on_all_fours(one, other) && limbs.abs() < TUNED.unlike {
        return TUNED.head * ratio(far[1], near[1]);
    }
    // A head that is a part of its own tells more than one that is part of the chest.
    limbs + TUNED.head * (ratio(far[0] + far[1], near[0] + near[1]) + ratio(far[1], near[1]))
}

/// All pairs of limbs that may be each other's mirror image.
fn pairs(tree: &PartTree) -> Vec<Pair> {
    let total: f64 = tree.sizes.iter().sum();
    let of = |at: usize| -> Vec<Limb> {
        (0..tree.edges.len()).filter(|&e| tree.edges[e].contains(&at)).map(|e| limb(tree, at, e)).collect()
    };
    let all: Vec<Vec<Limb>> = (0..tree.sizes.len()).map(of).collect();
    let middle = tree.middles.iter().zip(&tree.sizes).map(|(m, s)| *m * *s).sum::<DVec3>() / total;
    let mut pairs = Vec::new();
    let mut consider = |a: &Limb, b: &Limb, share: f64| {
        let alike = |x: f64, y: f64| x.min(y) / x.max(y).max(1e-12);
        let (mass, reach) = (alike(a.mass, b.mass), alike(a.reach, b.reach));
        let small =
            a.mass.min(b.mass) < TUNED.least_limb * total || a.mass + b.mass > TUNED.most_limbs * total;
        if mass < TUNED.alike || reach < TUNED.alike || small {
            return;
        }
        // The plane between them goes through the middle of the body.
        let (p, q) = (tree.joints[a.joint], tree.joints[b.joint]);
        let off = (0.5 * (p + q) - middle).dot((p - q).normalize_or_zero()) / TUNED.aside;
        let share = share / (1.0 + off * off);
        let afar = alike(tree.away_from_others(a, b), tree.away_from_others(b, a));
        let worth = share * mass * mass * reach * reach * afar * afar * a.reach.min(b.reach);
        pairs.push(Pair { limbs: [a.clone(), b.clone()], worth });
    };
    // Two ends of a chain are no pair: something else has to leave where limbs do.
    for limbs in all.iter().filter(|limbs| limbs.len() > 2) {
        for (i, a) in limbs.iter().enumerate() {
            limbs[i + 1..].iter().for_each(|b| consider(a, b, 1.0));
        }
    }
    // Limbs that leave the trunk at neighbouring parts.
    let forks = |one: usize, other: usize| all[one].len() + all[other].len() > 4;
    for &[one, other] in tree.edges.iter().filter(|e| forks(e[0], e[1])) {
        for a in all[one].iter().filter(|l| !l.parts.contains(&other)) {
            for b in all[other].iter().filter(|l| !l.parts.contains(&one)) {
                consider(a, b, TUNED.neighbours);
            }
        }
    }
    pairs
}

/// What hangs on a part by one of its joints.
fn limb(tree: &PartTree, at: usize, joint: usize) -> Limb {
    let other =
        |e: usize, part: usize| if tree.edges[e][0] == part { tree.edges[e][1] } else { tree.edges[e][0] };
    let mut inside = vec![false; tree.sizes.len()];
    let mut parts = Vec::new();
    let mut open = std::collections::VecDeque::from([(other(joint, at), joint)]);
    while let Some((part, by)) = open.pop_front() {
        parts.push(part);
        inside[part] = true;
        let on = (0..tree.edges.len()).filter(|&e| e != by && tree.edges[e].contains(&part));
        open.extend(on.map(|e| (other(e, part), e)));
    }
    let mass = parts.iter().map(|&p| tree.sizes[p]).sum();
    let count = inside.len();
    let off = |v: usize| {
        let of = &tree.nearest[v * count..(v + 1) * count];
        of.iter().zip(&inside).filter(|(_, inside)| !**inside).map(|(d, _)| *d).fold(f32::INFINITY, f32::min)
    };
    let own = |v: &usize| inside.get(tree.owner[*v] as usize) == Some(&true);
    let ways = (0..tree.samples.rest.len()).filter(own).map(off).filter(|d| d.is_finite());
    let reach = f64::from(ways.fold(0.0, f32::max));
    Limb { at, joint, parts, mass, reach }
}

/// The joint between two parts.
fn edge(tree: &PartTree, a: usize, b: usize) -> usize {
    tree.edges.iter().position(|e| *e == [a, b] || *e == [b, a]).expect("neighbours")
}

/// The parts on the way from one to another, both among them.
fn way(tree: &PartTree, from: usize, to: usize) -> Vec<usize> {
    let parents = super::rooted(&tree.edges, tree.sizes.len(), to);
    std::iter::successors(Some(from), |&part| parents[part]).collect()
}
