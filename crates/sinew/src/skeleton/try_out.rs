//! trial
use glam::{DAffine3, DMat3, DVec3};

use super::articulation::Articulation;
use super::figure::{Figure, Scene};
use super::moments::{Measures, Moments};
use super::parts::{Leftovers, Nearby, fit_rigid, regions, split_pieces, weights_of};
use super::sketch::Sketch;
use super::tree;
use crate::animation::MeshAnimation;
use crate::progress::Silent;
use crate::rig::{Bone, Rig, Skeleton, SkinWeights};
use crate::segment::{SpectralOptions, spectral};
use crate::skin::{Beginning, BoneKind, DescentOptions, GivenRig, Solve, descend};

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

macro_rules! say {
    ($($x:tt)*) => { if verbose() { eprintln!($($x)*) } };
}

fn verbose() -> bool {
    std::env::var("VERBOSE").is_ok()
}

/// trial
pub fn try_out(animation: &MeshAnimation) -> Rig {
    let clock = std::time::Instant::now();
    let rest = animation.rest.clone().unwrap_or_else(|| animation.frames.frame(0).to_vec());
    let triangles = animation.mesh.triangles(&rest);
    let sketch = Sketch::new(&animation.frames, &triangles, &rest);
    let scene = Scene::new(&sketch);
    let n = scene.rest.len();
    say!("sketch {} points {} triangles {:?}", n, sketch.triangles.len(), clock.elapsed());
    let many = (env("K0", 36.0) as usize).min(n / 6).max(1);
    let mut weights;
    let mut bones;
    let options = DescentOptions {
        bones: many,
        influences: env("INF0", 2.0) as usize,
        kind: BoneKind::Rigid,
        keep_rest: true,
        smoothness: 0.0,
        ..Default::default()
    };
    if env("SPECTRAL", 0.0) > 0.0 {
        let options = SpectralOptions { count: Some(many), ..Default::default() };
        let found = spectral(&sketch.frames, &sketch.triangles, &sketch.rest, &options, &Silent).unwrap();
        let mut votes = vec![vec![0; found.bone_count]; n];
        for (t, b) in sketch.triangles.iter().zip(&found.bone_of_triangle) {
            for v in t {
                if let Some(x) = votes[*v as usize].get_mut(*b as usize) {
                    *x += 1;
                }
            }
        }
        let owner: Vec<u32> =
            votes.iter().map(|v| (0..v.len()).max_by_key(|i| (v[*i], v.len() - i)).unwrap() as u32).collect();
        bones = found.bone_count;
        weights = SkinWeights { per_vertex: 1, bones: owner, weights: vec![1.0; n] };
        say!("spectral {bones} {:?}", clock.elapsed());
    } else {
        let found = descend(&sketch.frames, &sketch.triangles, &sketch.rest, &options, &Silent).unwrap();
        say!("descend {:?} {:?}", found.rounds.last(), clock.elapsed());
        weights = found.weights;
        bones = many;
    }
    bones = split_pieces(&scene, &mut weights, bones, env("LEAST", 0.004).mul_add(n as f64, 1.0) as usize);
    say!("{bones} pieces");
    let f = sketch.frames.len();
    let mut transforms = vec![DAffine3::IDENTITY; f * bones];
    let mut moments = scene.moments(&weights, bones);
    fit_rigid(&moments, &mut transforms);
    let round = |weights: &mut SkinWeights, transforms: &mut Vec<DAffine3>, bones: usize| {
        let left = Leftovers::new(&scene, transforms, Nearby::new(&scene, weights, bones));
        let blends = left.blends(|_| true);
        *weights = weights_of(&blends, |b| b as u32);
        let moments = scene.moments(weights, bones);
        fit_rigid(&moments, transforms);
        (left, blends)
    };
    for _ in 0..env("FREE", 4.0) as usize {
        round(&mut weights, &mut transforms, bones);
    }
    let stop = env("STOP", 0.07);
    loop {
        let left = Leftovers::new(&scene, &transforms, Nearby::new(&scene, &weights, bones));
        let mut alive = vec![true; bones];
        let mut removed = 0;
        let mut blends;
        loop {
            blends = left.blends(|b| alive[b]);
            let lost = left.losses(&alive, &blends);
            let total: f64 = blends.iter().map(|b| b.error).sum();
            let mut sizes = vec![0.0; bones];
            blends.iter().for_each(|b| (0..b.len).for_each(|i| sizes[b.bones[i]] += b.weights[i]));
            let score =
                |b: usize| scene.percent(lost[b]) * (n as f64 / sizes[b].max(1.0)).powf(env("POW", 0.0));
            let mut order: Vec<usize> = (0..bones).filter(|b| alive[*b]).collect();
            order.sort_by(|a, b| score(*a).total_cmp(&score(*b)));
            let b = order[0];
            if verbose() {
                say!(
                    "{} bones rms {:.3} least {} {:.4} size {:.1}; next {:?}",
                    order.len(),
                    scene.percent(total),
                    b,
                    score(b),
                    sizes[b],
                    order.iter().skip(1).take(6).map(|b| (score(*b) * 1e4).round() / 1e4).collect::<Vec<_>>()
                );
            }
            if (score(b) > stop && order.len() <= env("CAP", 32.0) as usize) || removed > bones / 12 || order.len() == 1 {
                break;
            }
            alive[b] = false;
            removed += 1;
        }
        if removed == 0 {
            break;
        }
        let keep: Vec<usize> = (0..bones).filter(|b| alive[*b]).collect();
        weights = weights_of(&blends, |b| keep.iter().position(|k| *k == b).unwrap() as u32);
        transforms = (0..f)
            .flat_map(|t| keep.iter().map(move |k| (t, *k)))
            .map(|(t, k)| transforms[t * bones + k])
            .collect();
        bones = keep.len();
        moments = scene.moments(&weights, bones);
        fit_rigid(&moments, &mut transforms);
        for _ in 0..env("REFIT", 2.0) as usize {
            round(&mut weights, &mut transforms, bones);
        }
    }
    say!("{bones} bones {:?}", clock.elapsed());
    let owner = regions(&scene, &weights, bones);
    let links = tree::links(&scene, &owner, bones, &transforms);
    let tree = tree::spanning(&links, bones);
    say!("tree {:?}", clock.elapsed());
    // root
    let cog: DVec3 = scene.rest.iter().copied().sum::<DVec3>() / n as f64;
    let mut pull = vec![0.0; bones];
    for (v, p) in scene.rest.iter().enumerate() {
        for (b, w) in super::moments::used(&weights, v) {
            pull[b] += w / (p.distance_squared(cog) + 1e-3);
        }
    }
    let root = (0..bones).max_by(|a, b| pull[*a].total_cmp(&pull[*b])).unwrap();
    let mut order = vec![root];
    let mut parents = vec![None];
    let mut joints = vec![cog];
    let mut contacts = vec![cog];
    let mut at = 0;
    while at < order.len() {
        for link in &tree {
            for (x, y) in [(0, 1), (1, 0)] {
                if link.bones[x] == order[at] && !order.contains(&link.bones[y]) {
                    order.push(link.bones[y]);
                    parents.push(Some(at));
                    joints.push(link.joint);
                    contacts.push(link.contact);
                    if verbose() {
                        say!(
                            "{} <- {} slip {:.3} gap {:.3} cost {:.4} off {:.3}",
                            order.len() - 1,
                            at,
                            link.slip * 100.0,
                            link.gap * 100.0,
                            link.cost * 100.0,
                            link.joint.distance(link.contact) * 100.0,
                        );
                    }
                }
            }
        }
        at += 1;
    }
    let new_of: Vec<u32> = (0..bones).map(|b| order.iter().position(|k| *k == b).unwrap() as u32).collect();
    weights
        .bones
        .iter_mut()
        .zip(&weights.weights)
        .for_each(|(b, w)| *b = if *w > 0.0 { new_of[*b as usize] } else { 0 });
    let turns: Vec<DMat3> = (0..f)
        .flat_map(|t| order.iter().map(move |k| (t, *k)))
        .map(|(t, k)| transforms[t * bones + k].matrix3)
        .collect();
    let art = Articulation { skeleton: Skeleton { parents }, joints, turns };
    let mut figure = Figure::new(&scene, art, weights, contacts);
    figure.settle(&scene, env("ROUNDS", 2.0) as usize);
    say!("settled {:.3} {:?}", scene.percent(figure.error), clock.elapsed());
    for _ in 0..env("LINKS", 0.0) as usize {
        let mut best: Option<(Figure, usize)> = None;
        let mut slips: Vec<(f64, usize)> = (1..figure.len()).map(|k| (figure.slip(k), k)).collect();
        slips.sort_by(|a, b| b.0.total_cmp(&a.0));
        if verbose() {
            say!("slips {:?}", slips.iter().map(|s| (s.1, (s.0 * 1e4).round() / 100.0)).collect::<Vec<_>>());
        }
        for &(_, k) in slips.iter().take(env("CAND", 5.0) as usize) {
            if let Some(mut other) = figure.with_link(&scene, k) {
                other.fit_turns();
                if best.as_ref().is_none_or(|b| other.error < b.0.error) {
                    best = Some((other, k));
                }
            }
        }
        let Some((mut other, k)) = best else { break };
        let gain = scene.percent((figure.error - other.error).max(0.0));
        other.settle(&scene, 1);
        say!(
            "link at {k}: gain {gain:.3}, {:.3} -> {:.3}  {:?}",
            scene.percent(figure.error),
            scene.percent(other.error),
            clock.elapsed()
        );
        if gain < env("LINKGAIN", 0.1) {
            break;
        }
        figure = other;
    }
    let stop2 = env("STOP2", 0.0);
    while stop2 > 0.0 && figure.len() > 1 {
        let left = figure.leftovers(&scene);
        let alive = vec![true; figure.len()];
        let blend = left.blends(|_| true);
        let lost = left.losses(&alive, &blend);
        let base = figure.error.min(blend.iter().map(|b| b.error).sum::<f64>().max(0.0));
        let mut sizes = vec![0.0; figure.len()];
        blend.iter().for_each(|b| (0..b.len).for_each(|i| sizes[b.bones[i]] += b.weights[i]));
        let mut below = sizes.clone();
        for k in (1..figure.len()).rev() {
            let parent = figure.articulation.skeleton.parents[k].unwrap();
            below[parent] += below[k];
        }
        let weight = |k: usize| {
            (n as f64 / below[k].max(env("FLOOR", 0.02) * n as f64)).powf(env("POW2", 0.25))
                * (figure.bend(k) / env("BEND", 20.0)).min(1.0).powf(env("BPOW", 1.0))
        };
        let guess = |k: usize| scene.percent(lost[k] + figure.strain(k, &below)) * weight(k);
        let mut order: Vec<(f64, usize)> = (1..figure.len()).map(|k| (guess(k), k)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut tried: Vec<(f64, usize, Figure)> = Vec::new();
        for &(g, k) in order.iter().take(env("CAND2", 4.0) as usize) {
            if g > 3.0 * stop2 && !tried.is_empty() {
                break;
            }
            let mut other = figure.without(&scene, k, &left);
            other.fit_turns();
            let cost = scene.percent((other.error - base).max(0.0)) * weight(k);
            tried.push((cost, k, other));
        }
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        say!(
            "  {} joints {:.3} {:?} guess {:?} {:?}",
            figure.len(), scene.percent(figure.error),
            tried.iter().map(|t| (t.1, (t.0 * 1e3).round() / 1e3, figure.bend(t.1).round(), below[t.1].round())).collect::<Vec<_>>(),
            order.iter().take(5).map(|k| (k.1, (k.0 * 1e3).round() / 1e3)).collect::<Vec<_>>(),
            clock.elapsed()
        );
        let (cost, _, other) = tried.swap_remove(0);
        if cost > stop2 {
            break;
        }
        figure = other;
        if figure.len() % env("EVERY", 2.0) as usize == 0 {
            figure.fit(&scene);
        }
        figure.reweigh(&scene);
    }
    figure.settle(&scene, env("ROUNDS2", 2.0) as usize);
    say!("searched {:.3} {} joints {:?}", scene.percent(figure.error), figure.len(), clock.elapsed());
    let bones = figure.len();
    let art = &figure.articulation;
    // all
    let frames = &animation.frames;
    let measures_all = Measures::new(frames, &rest);
    let joints_world: Vec<DVec3> = art.joints.iter().map(|c| scene.measures.place(*c)).collect();
    let some: Vec<DAffine3> = art
        .transforms(&figure.moments)
        .iter()
        .enumerate()
        .map(|(i, t)| scene.measures.unscaled(t, i / bones))
        .collect();
    let sub: Vec<Vec<glam::Vec3>> = sketch.chosen.iter().map(|&t| frames.frame(t).to_vec()).collect();
    let sub = crate::animation::Frames::from_poses(&sub);
    let given = GivenRig { bones, rest: rest.clone(), transforms: Some(some), weights: None };
    let options = DescentOptions {
        bones,
        influences: 4,
        beginning: Beginning::Rig(given),
        solve: Solve::Weights,
        smoothness: env("SMOOTH", 1.0),
        ..options.clone()
    };
    let found = descend(&sub, &triangles, &rest, &options, &Silent).unwrap();
    say!("weights {:?}", clock.elapsed());
    let weights = found.weights;
    let mass = vec![1.0; rest.len()];
    let moments = Moments::new(&measures_all, frames, &rest, &weights, &mass, bones);
    let mut turns = Vec::new();
    for t in 0..frames.len() {
        let near = (0..sketch.chosen.len()).min_by_key(|i| sketch.chosen[*i].abs_diff(t)).unwrap();
        turns.extend_from_slice(art.frame(near));
    }
    let joints: Vec<DVec3> =
        joints_world.iter().map(|c| (*c - measures_all.origins.rest) / measures_all.unit).collect();
    let mut whole = Articulation { skeleton: art.skeleton.clone(), joints, turns };
    let e = whole.fit(&moments, None, 20);
    say!("final rms {:.3} {:?}", (e / (frames.len() * rest.len()) as f64).sqrt() * 100.0, clock.elapsed());
    let transforms: Vec<DAffine3> = whole
        .transforms(&moments)
        .iter()
        .enumerate()
        .map(|(i, t)| measures_all.unscaled(t, i / bones))
        .collect();
    Rig {
        mesh: animation.mesh.clone(),
        rest: rest.clone(),
        weights,
        bones: (0..bones)
            .map(|b| Bone {
                name: format!("joint{b}"),
                center: measures_all.place(whole.joints[b]),
                rigid: true,
            })
            .collect(),
        transforms,
        skeleton: Some(whole.skeleton.clone()),
        corrections: None,
        fps: animation.fps,
        clips: animation.clips.clone(),
    }
}
