//! Rounds of the descent: vertices, then bones, with momentum.
//!
//! Solving in turn creeps where bones and weights must change together. Each round therefore starts from bones
//! moved on a little in the direction they came from (Nesterov 1983); where that raises the error, the round
//! is taken back and goes on without. The error of the rounds that count never rises.

use super::model::{Freedom, Model, Points};
use super::normal::Normal;
use super::{flexible, rigid};
use crate::progress::{Cancelled, Progress};

/// How long to go on.
#[derive(Clone, Copy)]
pub struct Schedule {
    /// The most rounds.
    pub rounds: usize,
    /// Vertices look for other bones in every so-manieth round and keep theirs in between.
    pub search_every: usize,
    /// Relative fall of the squared error over one such period that is worth going on for.
    pub worthwhile: f64,
}

/// Fits the bones to the weights and rest pose as they are.
pub fn solve_bones(model: &mut Model, points: &Points) {
    let normal = Normal::new(model, points);
    if model.bones.rigid.is_some() {
        rigid::solve(&mut model.bones, &normal, points.reduced);
    } else {
        flexible::solve(&mut model.bones, &normal);
    }
}

/// Improves the model round by round; `log` takes the squared error after each.
pub fn run(
    model: &mut Model,
    points: &Points,
    freedom: Freedom,
    schedule: Schedule,
    log: &mut Vec<f64>,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let mut kept = model.clone();
    let mut last = model.bones.clone();
    let mut best = f64::INFINITY;
    let mut at_period = f64::INFINITY;
    let mut age = 0.0;
    for round in 0..schedule.rounds {
        progress.check()?;
        let searching = round % schedule.search_every == 0;
        model.solve_vertices(points, if searching { freedom } else { Freedom { attempts: 0, ..freedom } });
        let error = model.error();
        if error > best {
            model.clone_from(&kept);
            model.bones.refresh(points.reduced);
            last = kept.bones.clone();
            age = 0.0;
            continue;
        }
        best = error;
        log.push(error);
        if searching {
            if error >= at_period * (1.0 - schedule.worthwhile) {
                break;
            }
            at_period = error;
        }
        solve_bones(model, points);
        kept.clone_from(model);
        let now = model.bones.clone();
        model.bones.move_on(&last, age / (age + 3.0), points.reduced);
        last = now;
        age += 1.0;
    }
    model.clone_from(&kept);
    model.bones.refresh(points.reduced);
    Ok(())
}
