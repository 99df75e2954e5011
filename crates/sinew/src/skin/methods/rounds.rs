//! Going round: weights, transforms and rest pose in turn, each round kept only if the error falls.

use super::model::Model;
use super::rest_step::move_rest;
use super::weight_step::solved_weights;
use super::{MethodOptions, Scheme};
use crate::animation::Frames;
use crate::progress::Progress;
use crate::rig::SkinWeights;

/// A round that lowers the error by less than this share is the last.
const SETTLED: f64 = 1e-4;

/// Fits the transforms and goes round. Returns the squared error of the first fit and of every round that
/// was kept; `None` when `progress` cancels.
pub fn go_round(
    model: &mut Model,
    frames: &Frames,
    options: &MethodOptions,
    progress: &dyn Progress,
) -> Option<Vec<f64>> {
    model.fit_transforms(frames);
    let mut errors = vec![model.squared_error(frames)];
    for round in 0..options.rounds {
        if progress.cancelled() {
            return None;
        }
        progress.advance(round as f64 / options.rounds as f64);
        let last = errors[errors.len() - 1];
        let Some((better, error)) = next_round(model, frames, options, last) else { break };
        *model = better;
        errors.push(error);
        if error > (1.0 - SETTLED) * last {
            break;
        }
    }
    Some(errors)
}

/// The first way of going round that lowers the error.
///
/// From pose to pose, weights are solved as if the poses before stayed where they are, and transforms as if
/// nothing came after: a round may lead nowhere. Then weights go only part of the way, and at last stay.
fn next_round(model: &Model, frames: &Frames, options: &MethodOptions, last: f64) -> Option<(Model, f64)> {
    let target = options.solve_weights.then(|| solved_weights(model, frames, options.influences));
    let shares: &[f32] = match (model.scheme, &target) {
        (_, None) => &[0.0],
        (Scheme::RestPose, _) => &[1.0, 0.0],
        (Scheme::PoseToPose, _) => &[1.0, 0.5, 0.25, 0.0],
    };
    for &share in shares {
        let mut tried = model.clone();
        if let Some(target) = target.as_ref().filter(|_| share > 0.0) {
            tried.weights =
                if share == 1.0 { target.clone() } else { between(&model.weights, target, share) };
        }
        tried.fit_transforms(frames);
        if options.move_rest {
            move_rest(&mut tried, frames);
        }
        let error = tried.squared_error(frames);
        if error < last {
            return Some((tried, error));
        }
    }
    if options.move_rest {
        let mut tried = model.clone();
        move_rest(&mut tried, frames);
        let error = tried.squared_error(frames);
        return (error < last).then_some((tried, error));
    }
    None
}

/// Weights a share of the way from `from` to `to`, with no more influences than `to` has.
fn between(from: &SkinWeights, to: &SkinWeights, share: f32) -> SkinWeights {
    let k = to.per_vertex;
    let mut mixed = SkinWeights { per_vertex: k, ..SkinWeights::default() };
    let mut both: Vec<(f32, u32)> = Vec::new();
    for v in 0..to.weights.len() / k {
        both.clear();
        for (weights, share) in [(from, 1.0 - share), (to, share)] {
            let (bones, weights) = weights.of(v);
            for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                match both.iter_mut().find(|(_, b)| *b == bone) {
                    Some((sum, _)) => *sum += share * weight,
                    None => both.push((share * weight, bone)),
                }
            }
        }
        both.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        both.truncate(k);
        let sum: f32 = both.iter().map(|b| b.0).sum();
        both.resize(k, (0.0, 0));
        mixed.weights.extend(both.iter().map(|b| b.0 / sum));
        mixed.bones.extend(both.iter().map(|b| b.1));
    }
    mixed
}
