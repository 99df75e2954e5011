//! Going round: weights, transforms and rest pose in turn, each round kept only if the error falls.

use super::ahead::{self, look_ahead};
use super::model::Model;
use super::rest_step::move_rest;
use super::weight_step::{between, solved_weights};
use super::{MethodOptions, Scheme};
use crate::animation::Frames;
use crate::progress::Progress;

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
/// From pose to pose, equations 3 and 6 solve steps and weights as if the poses before stayed where they
/// are and nothing came after: a round may lead nowhere. Then weights go only part of the way, and at last
/// stay.
fn next_round(model: &Model, frames: &Frames, options: &MethodOptions, last: f64) -> Option<(Model, f64)> {
    let ahead = looks_ahead(model, options);
    let target = options.solve_weights.then(|| solved_weights(model, frames, options.influences, ahead));
    let shares: &[f32] = match (model.scheme, &target) {
        (_, None) => &[0.0],
        (Scheme::PoseToPose, _) if !ahead => &[1.0, 0.5, 0.25, 0.0],
        _ => &[1.0, 0.0],
    };
    for &share in shares {
        let mut tried = model.clone();
        if let Some(target) = target.as_ref().filter(|_| share > 0.0) {
            tried.weights = between(&model.weights, target, share);
        }
        if ahead {
            look_ahead(&mut tried, frames);
        } else {
            tried.fit_transforms(frames);
        }
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

fn looks_ahead(model: &Model, options: &MethodOptions) -> bool {
    options.look_ahead && model.scheme == Scheme::PoseToPose && model.bones <= ahead::MOST_BONES
}
