//! Which place of one body is which of another that is like it, in whatever pose.
//!
//! Extremities (hands, feet, the head) are points from which the rest of the surface is farther than from all points around
//! them. Which extremity is which follows from the distances between them over the surface, as in "Electors Voting for Fast
//! Automatic Shape Correspondence" (Au, Tai, Cohen-Or, Zheng and Fu 2010): every assignment of the one to the other is
//! tried. A body and its mirror image have the same distances: of the assignments that are about as good that one is taken
//! under which turning, moving and scaling brings the one body nearest to the other, upright rather than not. Any other
//! place is where it is as far from all extremities.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::{LikeTuning, TUNING};
use crate::geometry::angle_between;
use crate::geometry::union_find::{join, root};
use crate::progress::{Cancelled, Progress};
use crate::segment::SurfaceSamples;
use crate::solve::procrustes::{outer, polar};

const TUNED: LikeTuning = TUNING.like;

/// One body seen from another that is like it; all places are in units of the samples.
pub(super) struct Alike {
    /// Where each point of the other body is on this one.
    pub gone: Vec<DVec3>,
    /// Of each point of this body points of the other with shares of one.
    from: Vec<Vec<(usize, f64)>>,
    /// How the other body is turned and scaled to be nearest to this one.
    pub turn: DMat3,
    pub scale: f64,
    /// How far points are off then, in shares of the body's length.
    pub off: f64,
    /// The same, more where the other body has to be turned.
    pub cost: f64,
}

impl Alike {
    /// Looks for `theirs` on `ours`.
    pub fn find(ours: &Surface, theirs: &Surface, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let mut best: Option<Self> = None;
        for pairs in assignments(ours, theirs) {
            progress.check()?;
            let alike = Self::of(ours, theirs, &pairs);
            if best.as_ref().is_none_or(|best| alike.cost < best.cost) {
                best = Some(alike);
            }
        }
        Ok(best.unwrap_or_else(|| Self::of(ours, theirs, &[])))
    }

    /// What follows if these extremities of both are the same: ours, theirs.
    fn of(ours: &Surface, theirs: &Surface, pairs: &[[usize; 2]]) -> Self {
        let features = |of: &Surface, which: usize| -> Vec<Vec<f32>> {
            let tips: Vec<usize> = pairs.iter().map(|pair| of.tips[pair[which]]).collect();
            (0..of.places.len()).map(|v| tips.iter().map(|&t| of.far(v, t)).collect()).collect()
        };
        let (our_features, their_features) = (features(ours, 0), features(theirs, 1));
        let from: Vec<Vec<(usize, f64)>> = match pairs.is_empty() {
            true => nearest_places(&ours.places, &theirs.places),
            false => our_features.par_iter().map(|f| nearest(f, &their_features)).collect(),
        };
        let to: Vec<Vec<(usize, f64)>> = match pairs.is_empty() {
            true => nearest_places(&theirs.places, &ours.places),
            false => their_features.par_iter().map(|f| nearest(f, &our_features)).collect(),
        };
        let mean =
            |list: &Vec<(usize, f64)>, of: &[DVec3]| list.iter().map(|&(v, w)| of[v] * w).sum::<DVec3>();
        let gone: Vec<DVec3> = to.iter().map(|list| mean(list, &ours.places)).collect();
        let n = gone.len() as f64;
        let (a, b) = (theirs.places.iter().sum::<DVec3>() / n, gone.iter().sum::<DVec3>() / n);
        let (mut cross, mut square) = (DMat3::ZERO, 0.0);
        for (x, y) in theirs.places.iter().zip(&gone) {
            cross += outer(*y - b, *x - a);
            square += x.distance_squared(a);
        }
        let turn = polar(cross).unwrap_or(DMat3::IDENTITY);
        let along: f64 = (0..3).map(|i| cross.col(i).dot(turn.col(i))).sum();
        let fitted = (along / square.max(1e-300)).max(1e-6);
        let off =
            theirs.places.iter().zip(&gone).map(|(x, y)| (turn * (*x - a) * fitted + b).distance_squared(*y));
        let off = (off.sum::<f64>() / n).sqrt();
        let turned = angle_between(DQuat::from_mat3(&turn), DQuat::IDENTITY);
        let cost = off * (1.0 + TUNED.upright * turned / std::f64::consts::PI);
        Self { gone, from, turn, scale: f64::from(ours.mean / theirs.mean), off, cost }
    }

    /// What points of the other body have, on those of this one: lists of shares.
    pub fn carried(&self, theirs: &[Vec<(usize, f64)>]) -> Vec<Vec<(usize, f64)>> {
        let of = |list: &Vec<(usize, f64)>| {
            let mut sums: Vec<(usize, f64)> = Vec::new();
            for &(v, share) in list {
                for &(k, w) in &theirs[v] {
                    match sums.iter_mut().find(|sum| sum.0 == k) {
                        Some(sum) => sum.1 += share * w,
                        None => sums.push((k, share * w)),
                    }
                }
            }
            sums
        };
        self.from.iter().map(of).collect()
    }
}

/// The points whose features are most like those of one, with shares of one.
fn nearest(feature: &[f32], others: &[Vec<f32>]) -> Vec<(usize, f64)> {
    let far = |other: &Vec<f32>| -> f32 { feature.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum() };
    let mut all: Vec<(f32, usize)> = others.iter().map(far).zip(0..).collect();
    shares(&mut all)
}

/// The same by mere nearness.
fn nearest_places(points: &[DVec3], others: &[DVec3]) -> Vec<Vec<(usize, f64)>> {
    let of = |p: &DVec3| {
        let mut all: Vec<(f32, usize)> =
            others.iter().map(|q| p.distance_squared(*q) as f32).zip(0..).collect();
        shares(&mut all)
    };
    points.par_iter().map(of).collect()
}

fn shares(all: &mut Vec<(f32, usize)>) -> Vec<(usize, f64)> {
    let few = TUNED.neighbours.min(all.len());
    let order = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if few < all.len() {
        all.select_nth_unstable_by(few, order);
        all.truncate(few);
    }
    all.sort_by(order);
    let weight = |d: f32| 1.0 / (f64::from(d) + TUNED.softness);
    let total: f64 = all.iter().map(|a| weight(a.0)).sum();
    all.iter().map(|a| (a.1, weight(a.0) / total)).collect()
}

/// A surface with all distances over it.
pub(super) struct Surface {
    places: Vec<DVec3>,
    /// From every point to every other, point after point.
    distances: Vec<f32>,
    /// Their mean.
    mean: f32,
    /// Extremities, those farthest out first, and the mean distance of each from all points.
    tips: Vec<usize>,
    out: Vec<f32>,
}

impl Surface {
    /// Pieces that share no edge hang together where they stay nearest all the time.
    pub fn new(samples: &SurfaceSamples) -> Self {
        Self::of(samples, &samples.edges)
    }

    /// Of a surface whose joints are known: `beside` tells of two points whether the joints that move them are neighbours,
    /// and pieces that share no edge hang together where such points are nearest.
    pub fn of_skin(samples: &SurfaceSamples, beside: impl Fn(usize, usize) -> bool) -> Self {
        let (n, places) = (samples.rest.len(), &samples.rest);
        let sides = samples.motion().triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.collect();
        let mut roots: Vec<u32> = (0..n as u32).collect();
        edges.iter().for_each(|&[a, b]| _ = join(&mut roots, a, b));
        let piece: Vec<u32> = (0..n as u32).map(|v| root(&mut roots, v)).collect();
        let mut nearest: BTreeMap<u32, f64> = BTreeMap::new();
        let mut links: Vec<(f64, usize, usize)> = Vec::new();
        for a in 0..n {
            let others = (0..n).filter(|&b| piece[b] != piece[a] && beside(a, b));
            let all = others.map(|b| (places[a].distance_squared(places[b]).sqrt(), b));
            if let Some((far, b)) = all.min_by(|x, y| x.0.total_cmp(&y.0)) {
                links.push((far, a, b));
                let least = nearest.entry(piece[a]).or_insert(far);
                *least = least.min(far);
            }
        }
        let spacing = f64::from(samples.spacing);
        let near = links.into_iter().filter(|&(far, a, _)| far <= nearest[&piece[a]] + spacing);
        edges.extend(near.map(|(_, a, b)| [a as u32, b as u32]));
        Self::of(samples, &edges)
    }

    fn of(samples: &SurfaceSamples, edges: &[[u32; 2]]) -> Self {
        let places = samples.rest.clone();
        let n = places.len();
        let mut beside: Vec<Vec<(u32, f32)>> = vec![Vec::new(); n];
        for [a, b] in connected(&places, edges) {
            let length = places[a as usize].distance(places[b as usize]) as f32;
            beside[a as usize].push((b, length));
            beside[b as usize].push((a, length));
        }
        let distances: Vec<f32> = (0..n).into_par_iter().flat_map_iter(|v| spread(&beside, v)).collect();
        let out: Vec<f32> =
            distances.chunks(n.max(1)).map(|row| row.iter().sum::<f32>() / n as f32).collect();
        let mean = (out.iter().sum::<f32>() / n.max(1) as f32).max(f32::MIN_POSITIVE);
        let mut surface = Self { places, distances, mean, tips: Vec::new(), out: Vec::new() };
        surface.tips = surface.extremities(&out);
        surface.out = surface.tips.iter().map(|&t| out[t] / mean).collect();
        surface
    }

    /// How far two points are from each other, of two points in the mean.
    fn far(&self, a: usize, b: usize) -> f32 {
        self.distances[a * self.places.len() + b] / self.mean
    }

    fn extremities(&self, out: &[f32]) -> Vec<usize> {
        let n = out.len();
        let is_tip = |v: &usize| {
            let around = (0..n).filter(|&u| self.far(*v, u) < TUNED.around);
            around.clone().all(|u| (out[u], Reverse(u)) <= (out[*v], Reverse(*v))) && out[*v] > self.mean
        };
        let mut tips: Vec<usize> = (0..n).filter(is_tip).collect();
        tips.sort_by(|&a, &b| out[b].total_cmp(&out[a]).then(a.cmp(&b)));
        tips.truncate(TUNED.tips);
        tips
    }
}

/// Edges, and the shortest links between what they do not hold together.
fn connected(places: &[DVec3], edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut all = edges.to_vec();
    let mut roots: Vec<u32> = (0..places.len() as u32).collect();
    for &[a, b] in edges {
        join(&mut roots, a, b);
    }
    loop {
        let first = root(&mut roots, 0);
        let of: Vec<u32> = (0..places.len() as u32).map(|v| root(&mut roots, v)).collect();
        let inside = (0..places.len()).filter(|&v| of[v] == first);
        let link = inside
            .flat_map(|a| {
                let outside = (0..places.len()).filter(|&b| of[b] != first);
                outside.map(move |b| (places[a].distance_squared(places[b]), a, b)).collect::<Vec<_>>()
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, a, b)) = link else { return all };
        all.push([a as u32, b as u32]);
        join(&mut roots, a as u32, b as u32);
    }
}

/// Distances from one point to all (Dijkstra).
fn spread(beside: &[Vec<(u32, f32)>], from: usize) -> Vec<f32> {
    let mut far = vec![f32::INFINITY; beside.len()];
    far[from] = 0.0;
    // Distances are not negative: their bits are in their order.
    let mut open = BinaryHeap::from([Reverse((0.0_f32.to_bits(), from as u32))]);
    while let Some(Reverse((bits, v))) = open.pop() {
        let d = f32::from_bits(bits);
        if d > far[v as usize] {
            continue;
        }
        for &(next, length) in &beside[v as usize] {
            if d + length < far[next as usize] {
                far[next as usize] = d + length;
                open.push(Reverse(((d + length).to_bits(), next)));
            }
        }
    }
    far
}

/// Assignments of extremities that are about as good as the best: pairs of ours and theirs.
fn assignments(ours: &Surface, theirs: &Surface) -> Vec<Vec<[usize; 2]>> {
    let alike = |a: f32, b: f32, share: f32| 1.0 - ((a - b) / (share * 0.5 * (a + b))).powi(2);
    let own = |o: usize, t: usize| alike(ours.out[o], theirs.out[t], TUNED.outness).max(-1.0);
    let pair = |a: &[usize; 2], b: &[usize; 2]| {
        let (x, y) =
            (ours.far(ours.tips[a[0]], ours.tips[b[0]]), theirs.far(theirs.tips[a[1]], theirs.tips[b[1]]));
        alike(x, y, TUNED.apart).max(-1.0)
    };
    let mut found: Vec<(f32, Vec<[usize; 2]>)> = Vec::new();
    let mut open: Vec<(usize, f32, Vec<[usize; 2]>)> = vec![(0, 0.0, Vec::new())];
    while let Some((next, score, pairs)) = open.pop() {
        if next == theirs.tips.len() {
            found.push((score, pairs));
            continue;
        }
        open.push((next + 1, score, pairs.clone()));
        for o in (0..ours.tips.len()).filter(|o| pairs.iter().all(|pair| pair[0] != *o)) {
            let new = [o, next];
            let votes: Vec<f32> = pairs.iter().map(|other| pair(other, &new)).collect();
            if own(o, next) > 0.0 && votes.iter().all(|vote| *vote > TUNED.veto) {
                let mut more = pairs.clone();
                more.push(new);
                open.push((next + 1, score + own(o, next) + votes.iter().sum::<f32>(), more));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = found.first().map_or(0.0, |f| f.0);
    let good = found.into_iter().filter(|f| f.0 > TUNED.as_good * best && f.1.len() > 2);
    good.take(TUNED.tried).map(|f| f.1).collect()
}
