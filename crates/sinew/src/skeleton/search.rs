//! Which joints a skeleton has.
//!
//! The parts of a body give a tree ([`super::tree`]) and with it a first skeleton. Moves that change its joints are
//! judged by the error of the whole skeleton, fitted anew, all lengths constant (in the spirit of Le and Deng 2014, who
//! likewise begin with too many bones and let joints go):
//!
//! - where a part does not hold still on its parent, a part between them may have been missed ([`super::linkage`]);
//! - a joint goes when it is hardly missed. Joints that bend little are missed less, small parts more than their few
//!   points would say. Where much is left that joints do not do, as of cloth, what is neither trunk nor head nor in the chain
//!   of a limb has to explain as much more;
//! - those go that nowhere move a point for the most part, or carry nothing ([`super::spare`]);
//! - at last both sides of a body are made alike ([`super::alike`]).

use glam::DVec3;

use super::alike::make_alike;
use super::contacts::extents;
use super::parts::sizes;
use super::spare::drop_hollow;
use super::tree::Link;
use super::{
    Articulation, Body, FindTuning, PartTree, Parts, Residuals, Sampled, SearchTuning, SkeletonFit, TUNING,
    choose_root, parents_first, rooted, tree,
};
use crate::progress::Cancelled;
use crate::rig::{Skeleton, SkinWeights};
use crate::segment::SurfaceSamples;

const TUNED: SearchTuning = TUNING.search;

/// How many joints there should be.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Exactly so many, if possible.
    pub joints: Option<usize>,
    /// Keep the parts as they are but for joints that do not bend.
    pub keep_parts: bool,
    /// What may be lost for a joint less, in percent.
    pub dispensable: f64,
    /// What a loss counts of joints that are neither trunk nor head nor in the chain of a limb.
    pub odd: f64,
}

impl Wanted {
    pub fn new(joints: Option<usize>, keep_parts: bool) -> Self {
        Self { joints, keep_parts, dispensable: TUNED.dispensable, odd: 1.0 }
    }
}

/// The skeleton of a body.
pub(super) fn find(on: Sampled, parts: Parts, mut wanted: Wanted) -> Result<SkeletonFit, Cancelled> {
    let mut fit = first(on, parts)?;
    fit.settle(on, TUNED.rounds)?;
    on.progress.advance(0.1);
    if !wanted.keep_parts {
        for _ in 0..TUNED.links {
            if !put_link(on, &mut fit)? {
                break;
            }
        }
    }
    // What more joints than a body has leave over is not what joints do: noise, cloth, flesh.
    wanted.dispensable = TUNED.dispensable.max(TUNED.noise * on.samples.percent(fit.error));
    // Cloth on a body makes joints of its own beside those of limbs. Where hardly anything keeps its shape nothing is a limb.
    let FindTuning { near_rigid, poor_share, .. } = TUNING.find;
    if fit.residuals(on.samples).rigid_share(near_rigid) >= poor_share {
        wanted.odd = TUNED.dispensable / wanted.dispensable;
    }
    on.progress.advance(0.2);
    let (most, fewest) = (fit.len(), wanted.joints.unwrap_or(1));
    while fit.len() > 1 && drop_joint(on, &mut fit, wanted)? {
        let gone = (most - fit.len()) as f64 / most.saturating_sub(fewest).max(1) as f64;
        on.progress.advance(0.2 + 0.7 * gone.min(1.0));
    }
    fit.settle(on, TUNED.rounds)?;
    if wanted.joints.is_none() && !wanted.keep_parts {
        while drop_settled(on, &mut fit, wanted)? {}
        while drop_idle(on, &mut fit)? {}
        drop_hollow(on, &mut fit)?;
        make_alike(on, &mut fit)?;
    }
    Ok(fit)
}

/// The skeleton that the parts' own motion tells.
fn first(on: Sampled, mut parts: Parts) -> Result<SkeletonFit, Cancelled> {
    let owner = parts.regions(on)?;
    let bones = parts.bones;
    let links = tree::spanning(tree::links(on.samples, &owner, &parts), bones);
    let edges: Vec<[usize; 2]> = links.iter().map(|l| l.bones).collect();
    let Rooted { root, parents, middles } = Rooted::new(on.samples, &parts.weights, &edges, bones);
    let joined = |k: usize| -> Option<&Link> {
        let parent = parents[k]?;
        links.iter().find(|l| l.bones == [k.min(parent), k.max(parent)])
    };
    let order = parents_first(&parents);
    let apart = Articulation {
        joints: (0..bones).map(|k| joined(k).map_or(middles[root], |l| l.joint)).collect(),
        turns: parts.transforms.iter().map(|t| t.matrix3).collect(),
        skeleton: Skeleton::new(parents.clone()),
    };
    let contacts = order.iter().map(|&k| joined(k).map_or(middles[root], |l| l.contact)).collect();
    parts.weights.renumber(&order);
    SkeletonFit::new(on, apart.reordered(&order), parts.weights, contacts)
}

/// What hangs on what if the part in the middle of the body is the root.
pub(super) struct Rooted {
    pub root: usize,
    pub parents: Vec<Option<usize>>,
    /// The middle of what each part moves.
    pub middles: Vec<DVec3>,
}

impl Rooted {
    pub fn new(samples: &SurfaceSamples, weights: &SkinWeights, edges: &[[usize; 2]], parts: usize) -> Self {
        let (sizes, middles) = extents(samples, weights, parts);
        let center = samples.rest.iter().copied().sum::<DVec3>() / samples.rest.len() as f64;
        let root = choose_root(edges, &sizes, &middles, center).unwrap_or(0);
        Self { root, parents: rooted(edges, parts, root), middles }
    }
}

/// Puts a joint where one seems to have been missed. `false` when none is worth it.
fn put_link(on: Sampled, fit: &mut SkeletonFit) -> Result<bool, Cancelled> {
    let mut slips: Vec<(f64, usize)> = (1..fit.len()).map(|k| (fit.slip(k), k)).collect();
    slips.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut tried = Vec::new();
    for &(_, k) in slips.iter().take(TUNED.links_tried) {
        if let Some(mut other) = fit.with_link(on, k)? {
            other.fit_turns(on.progress)?;
            tried.push(other);
        }
    }
    let best = tried.into_iter().min_by(|a, b| a.error.total_cmp(&b.error));
    let Some(mut best) = best else { return Ok(false) };
    if on.samples.percent((fit.error - best.error).max(0.0)) < TUNED.link_gain {
        return Ok(false);
    }
    best.settle(on, 1)?;
    *fit = best;
    Ok(true)
}

/// How much each joint is needed.
struct Needs {
    left: Residuals,
    /// The squared error with all of them.
    base: f64,
    bends: Vec<f64>,
    /// What a loss counts.
    matters: Vec<f64>,
    /// Joints with about what is lost without them, in percent and as it counts; those needed least first.
    order: Vec<(f64, usize)>,
}

impl Needs {
    fn new(on: Sampled, fit: &SkeletonFit, wanted: Wanted) -> Self {
        let n = fit.len();
        let left = fit.residuals(on.samples);
        let blends = left.blends(|_| true);
        let base = fit.error.min(blends.iter().map(|b| b.error).sum());
        let mut below = sizes(&blends, n);
        fit.articulation.skeleton.links().rev().for_each(|(k, parent)| below[parent] += below[k]);
        let bends: Vec<f64> = (0..n).map(|k| fit.bend(k)).collect();
        let strains = fit.strains(&below);
        let lost = left.losses(&vec![true; n], &blends);
        let tree = PartTree::new(on.samples, &fit.weights, &fit.articulation);
        let body = Body::find(&tree);
        let surplus = body.as_ref().map_or(vec![None; n], |body| body.surplus(n));
        let odd = body.map_or(vec![false; n], |body| body.odd(&tree));
        let matters: Vec<f64> = (0..n)
            .map(|k| {
                let share = (below[k] / on.samples.rest.len() as f64).max(TUNED.small);
                let alike = match surplus[k] {
                    None => 1.0,
                    Some(more) if more > 0 => TUNED.surplus,
                    Some(_) => 1.0 / TUNED.surplus.sqrt(),
                };
                let plain = if odd[k] { wanted.odd } else { 1.0 };
                plain * alike * share.powf(-TUNED.favour) * (bends[k] / TUNED.bends).min(1.0)
            })
            .collect();
        let mut order: Vec<(f64, usize)> =
            (1..n).map(|k| (on.samples.percent(lost[k] + strains[k]) * matters[k], k)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { left, base, bends, matters, order }
    }

    /// What a skeleton without a joint loses, in percent and as it counts.
    fn loss(&self, on: Sampled, joint: usize, without: &SkeletonFit) -> f64 {
        on.samples.percent((without.error - self.base).max(0.0)) * self.matters[joint]
    }
}

/// Takes out the joint that is missed least. `false` when all are needed.
fn drop_joint(on: Sampled, fit: &mut SkeletonFit, wanted: Wanted) -> Result<bool, Cancelled> {
    if wanted.joints.is_some_and(|joints| fit.len() <= joints) {
        return Ok(false);
    }
    let needs = Needs::new(on, fit, wanted);
    let mut tried = Vec::new();
    for &(_, k) in needs.order.iter().take(TUNED.tried) {
        let other = without(on, fit, k, &needs.left)?;
        tried.push((needs.loss(on, k, &other), k, other));
    }
    let least = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((loss, joint, other)) = least else { return Ok(false) };
    let dispensable = match wanted {
        Wanted { joints: Some(_), .. } => true,
        Wanted { keep_parts: true, .. } => needs.bends[joint] < TUNED.stiff,
        _ => loss < wanted.dispensable,
    };
    if dispensable {
        *fit = other;
        // Joints follow every other time: they change little.
        if fit.len().is_multiple_of(2) {
            fit.fit(on)?;
        }
        fit.fit_weights(on)?;
    }
    Ok(dispensable)
}

/// Takes out the joint that is missed least once all others have found their place without it: where two joints share the
/// work of one, neither can go while the other stays where it is. `false` when all are needed.
fn drop_settled(on: Sampled, fit: &mut SkeletonFit, wanted: Wanted) -> Result<bool, Cancelled> {
    let needs = Needs::new(on, fit, wanted);
    let mut best: Option<(f64, SkeletonFit)> = None;
    let most = TUNED.far * wanted.dispensable;
    for &(_, k) in needs.order.iter().filter(|o| o.0 < most).take(TUNED.tried) {
        let mut other = without(on, fit, k, &needs.left)?;
        if needs.loss(on, k, &other) > most {
            continue;
        }
        other.settle(on, TUNED.rounds)?;
        let loss = needs.loss(on, k, &other);
        if loss < TUNED.settled * wanted.dispensable && best.as_ref().is_none_or(|b| loss < b.0) {
            best = Some((loss, other));
        }
    }
    let Some((_, other)) = best else { return Ok(false) };
    *fit = other;
    Ok(true)
}

/// Takes out a joint at the end of a limb that nowhere moves a point for the most part: the motion that it stands for is
/// that of others. `false` when there is none.
fn drop_idle(on: Sampled, fit: &mut SkeletonFit) -> Result<bool, Cancelled> {
    let n = fit.len();
    let mut most = vec![0.0_f64; n];
    for v in 0..on.samples.rest.len() {
        fit.weights.influences(v).for_each(|(k, w)| most[k] = most[k].max(w));
    }
    let parents = &fit.articulation.skeleton.parents;
    let ends = (1..n).filter(|k| !parents.contains(&Some(*k)));
    let idle = ends.min_by(|&a, &b| most[a].total_cmp(&most[b])).filter(|&k| most[k] < TUNED.idle);
    if let Some(joint) = idle {
        *fit = without(on, fit, joint, &fit.residuals(on.samples))?;
        fit.settle(on, 1)?;
    }
    Ok(idle.is_some())
}

fn without(on: Sampled, fit: &SkeletonFit, joint: usize, left: &Residuals) -> Result<SkeletonFit, Cancelled> {
    let mut other = fit.without(on, joint, left)?;
    other.fit_turns(on.progress)?;
    Ok(other)
}
