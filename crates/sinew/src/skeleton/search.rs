//! Which joints a skeleton has.
//!
//! The parts of a body give a tree ([`super::tree`]) and with it a first skeleton. Moves that change its joints are
//! judged by the error of the whole skeleton, fitted anew, all lengths constant (in the spirit of Le and Deng 2014, who
//! likewise begin with too many bones and let joints go):
//!
//! - where a part does not hold still on its parent, a part between them may have been missed ([`super::linkage`]);
//! - a joint goes when it is hardly missed. Joints that bend little are missed less, small parts more than their few
//!   points would say;
//! - at last those go that nowhere move a point for the most part.

use glam::{DMat3, DVec3};

use super::articulation::Articulation;
use super::blends::Leftovers;
use super::figure::{Figure, parents_first};
use super::moments::used;
use super::naming::{choose_root, rooted};
use super::parts::{Parts, sizes};
use super::scene::Scene;
use super::tree::{self, Link};
use crate::progress::Progress;
use crate::rig::{Skeleton, SkinWeights};

/// Rounds of fitting and weighing at first and at the end.
const ROUNDS: usize = 2;
/// The most links put in, how many are tried each time, and what one must gain, in percent of the body's length.
const LINKS: usize = 3;
const LINKS_TRIED: usize = 5;
const LINK_GAIN: f64 = 0.1;
/// Joints whose loss is below this go, in percent of the body's length.
const DISPENSABLE: f64 = 0.28;
/// How many are tried each time.
const TRIED: usize = 6;
/// What a joint is missed grows with the inverse of the share of the body below it to this power, down to this share.
const FAVOUR: f64 = 0.25;
const SMALL: f64 = 0.02;
/// Joints that bend less, in degrees, are missed less.
const BENDS: f64 = 20.0;
/// Joints at the end of a limb go whose weight is nowhere above this.
const IDLE: f64 = 0.5;
/// Segments are merged whose joint bends less than this, in degrees, where nothing else is changed about them.
const STIFF: f64 = 5.0;

/// How many joints there should be.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Exactly so many, if possible.
    pub joints: Option<usize>,
    /// Keep the parts as they are but for joints that do not bend.
    pub keep_parts: bool,
}

/// The skeleton of a body; `None` when cancelled. Also tells how many pieces of the mesh touch no other.
pub(super) fn find(
    scene: &Scene,
    parts: Parts,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Option<(Figure, usize)> {
    let (mut figure, apart) = first(scene, parts);
    figure.settle(scene, ROUNDS);
    if !wanted.keep_parts {
        for _ in 0..LINKS {
            if progress.cancelled() || !put_link(scene, &mut figure) {
                break;
            }
        }
    }
    while figure.len() > 1 && !progress.cancelled() {
        if !drop_joint(scene, &mut figure, wanted) {
            break;
        }
        progress.advance(1.0 - 1.0 / figure.len() as f64);
    }
    figure.settle(scene, ROUNDS);
    if wanted.joints.is_none() && !wanted.keep_parts {
        while drop_idle(scene, &mut figure) {}
    }
    (!progress.cancelled()).then_some((figure, apart))
}

/// The skeleton that the parts' own motion tells.
fn first(scene: &Scene, mut parts: Parts) -> (Figure, usize) {
    let owner = parts.regions(scene);
    let bones = parts.bones;
    let links = tree::spanning(&tree::links(scene, &owner, bones, &parts.transforms), bones);
    let edges: Vec<[usize; 2]> = links.iter().map(|l| l.bones).collect();
    let (sizes, middles) = extents(scene, &parts.weights, bones);
    let center = scene.rest.iter().copied().sum::<DVec3>() / scene.rest.len() as f64;
    let root = choose_root(&edges, &sizes, &middles, center).unwrap_or(0);
    let parents = rooted(&edges, bones, root);
    let order = parents_first(&parents);
    let number = |old: usize| order.iter().position(|k| *k == old).expect("all are there");
    let joined = |&k: &usize| -> Option<&Link> {
        let parent = parents[k]?;
        links.iter().find(|l| l.bones == [k.min(parent), k.max(parent)])
    };
    let place = |k: &usize| joined(k).map_or(middles[root], |l| l.joint);
    let contact = |k: &usize| joined(k).map_or(middles[root], |l| l.contact);
    let turns: Vec<DMat3> = parts
        .transforms
        .chunks_exact(bones)
        .flat_map(|frame| order.iter().map(|&k| frame[k].matrix3))
        .collect();
    let skeleton = Skeleton { parents: order.iter().map(|&k| parents[k].map(number)).collect() };
    let joints = order.iter().map(place).collect();
    let contacts = order.iter().map(contact).collect();
    let slots = parts.weights.bones.iter_mut().zip(&parts.weights.weights);
    slots.for_each(|(b, w)| *b = if *w > 0.0 { number(*b as usize) as u32 } else { 0 });
    (
        Figure::new(scene, Articulation { skeleton, joints, turns }, parts.weights, contacts),
        scene.sketch.apart,
    )
}

/// How many points each part moves, and their middles.
pub(super) fn extents(scene: &Scene, weights: &SkinWeights, bones: usize) -> (Vec<f64>, Vec<DVec3>) {
    let mut sizes = vec![0.0; bones];
    let mut middles = vec![DVec3::ZERO; bones];
    for (v, p) in scene.rest.iter().enumerate() {
        for (b, w) in used(weights, v) {
            sizes[b] += w;
            middles[b] += *p * w;
        }
    }
    middles.iter_mut().zip(&sizes).for_each(|(m, s)| *m /= s.max(1e-9));
    (sizes, middles)
}

/// Puts a joint where one seems to have been missed. `false` when none is worth it.
fn put_link(scene: &Scene, figure: &mut Figure) -> bool {
    let mut slips: Vec<(f64, usize)> = (1..figure.len()).map(|k| (figure.slip(k), k)).collect();
    slips.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let tried = slips.iter().take(LINKS_TRIED).filter_map(|&(_, k)| {
        let mut other = figure.with_link(scene, k)?;
        other.fit_turns();
        Some(other)
    });
    let Some(mut best) = tried.min_by(|a, b| a.error.total_cmp(&b.error)) else { return false };
    if scene.percent((figure.error - best.error).max(0.0)) < LINK_GAIN {
        return false;
    }
    best.settle(scene, 1);
    *figure = best;
    true
}

/// Takes out the joint that is missed least. `false` when all are needed.
fn drop_joint(scene: &Scene, figure: &mut Figure, wanted: Wanted) -> bool {
    if wanted.joints.is_some_and(|joints| figure.len() <= joints) {
        return false;
    }
    let n = figure.len();
    let left = figure.leftovers(scene);
    let blends = left.blends(|_| true);
    let base = figure.error.min(blends.iter().map(|b| b.error).sum());
    let below = below(figure, &sizes(&blends, n));
    let bends: Vec<f64> = (0..n).map(|k| figure.bend(k)).collect();
    let strains = figure.strains(&below);
    let lost = left.losses(&vec![true; n], &blends);
    let matters = |k: usize| {
        let share = (below[k] / scene.rest.len() as f64).max(SMALL);
        share.powf(-FAVOUR) * (bends[k] / BENDS).min(1.0)
    };
    let mut order: Vec<(f64, usize)> =
        (1..n).map(|k| (scene.percent(lost[k] + strains[k]) * matters(k), k)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let tried = order.iter().take(TRIED).map(|&(_, k)| {
        let other = without(scene, figure, k, &left);
        (scene.percent((other.error - base).max(0.0)) * matters(k), k, other)
    });
    let Some((loss, joint, other)) = tried.min_by(|a, b| a.0.total_cmp(&b.0)) else { return false };
    let dispensable = match wanted {
        Wanted { joints: Some(_), .. } => true,
        Wanted { keep_parts: true, .. } => bends[joint] < STIFF,
        _ => loss < DISPENSABLE,
    };
    if dispensable {
        *figure = other;
        // Joints follow every other time: they change little.
        if figure.len().is_multiple_of(2) {
            figure.fit(scene);
        }
        figure.reweigh(scene);
    }
    dispensable
}

/// Takes out a joint at the end of a limb that nowhere moves a point for the most part: the motion that it stands for is
/// that of others. `false` when there is none.
fn drop_idle(scene: &Scene, figure: &mut Figure) -> bool {
    let n = figure.len();
    let mut most = vec![0.0_f64; n];
    for v in 0..scene.rest.len() {
        used(&figure.weights, v).for_each(|(k, w)| most[k] = most[k].max(w));
    }
    let parents = &figure.articulation.skeleton.parents;
    let ends = (1..n).filter(|k| !parents.contains(&Some(*k)));
    let idle = ends.min_by(|&a, &b| most[a].total_cmp(&most[b])).filter(|&k| most[k] < IDLE);
    if let Some(joint) = idle {
        *figure = without(scene, figure, joint, &figure.leftovers(scene));
        figure.settle(scene, 1);
    }
    idle.is_some()
}

fn without(scene: &Scene, figure: &Figure, joint: usize, left: &Leftovers) -> Figure {
    let mut other = figure.without(scene, joint, left);
    other.fit_turns();
    other
}

/// Sizes of each joint and all below it.
fn below(figure: &Figure, sizes: &[f64]) -> Vec<f64> {
    let mut below = sizes.to_vec();
    for k in (1..below.len()).rev() {
        if let Some(parent) = figure.articulation.skeleton.parents[k] {
            below[parent] += below[k];
        }
    }
    below
}
