//! Rounds of the descent: vertices, then bones, with momentum.
//!
//! Solving in turn creeps where bones and weights must change together. Each round therefore starts from bones
//! moved on a little in the direction they came from (Nesterov 1983); where that raises the error, the round
//! is taken back and goes on without. The error of the rounds that count never rises.

use super::local::solve_vertices;
use super::{Freedom, Model, Normal, Points, Problem, Task, dead_bones, flexible, rigid};
use crate::progress::{Cancelled, Progress};
use crate::skin::{Round, RoundPart, Schedule};

/// Fits the bones to the weights and rest pose as they are.
pub fn solve_bones(model: &mut Model, points: &Points, progress: &dyn Progress) -> Result<(), Cancelled> {
    let normal = Normal::new(model, points, progress)?;
    if model.bones.rigid.is_some() {
        rigid::solve(&mut model.bones, &normal, points.reduced, progress)
    } else {
        flexible::solve(&mut model.bones, &normal, progress)
    }
}

/// Improves the model round by round; returns the squared error after each.
pub fn run(
    model: &mut Model,
    points: &Points,
    freedom: Freedom,
    schedule: Schedule,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    let mut log = Vec::new();
    let mut kept = model.clone();
    let mut last = model.bones.clone();
    let mut best = f64::INFINITY;
    let mut at_period = f64::INFINITY;
    let mut age = 0.0;
    for round in 0..schedule.rounds {
        progress.check()?;
        progress.advance(round as f64 / schedule.rounds as f64);
        let searching = round % schedule.search_every == 0;
        let freedom = if searching { freedom } else { Freedom { attempts: 0, ..freedom } };
        solve_vertices(model, points, freedom, progress)?;
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
        solve_bones(model, points, progress)?;
        kept.clone_from(model);
        let now = model.bones.clone();
        model.bones.move_on(&last, age / (age + 3.0), points.reduced, progress)?;
        last = now;
        age += 1.0;
    }
    model.clone_from(&kept);
    model.bones.refresh(points.reduced);
    Ok(log)
}

/// Rounds, and more of them where dead bones were given work; `rounds` takes the percent after each that counts.
pub fn improve(
    model: &mut Model,
    points: &Points,
    task: &Task,
    schedule: Schedule,
    rounds: &mut Vec<Round>,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let Task { problem, freedom, .. } = *task;
    let mut log = run(model, points, freedom, schedule, &progress.part(0.0, 0.6))?;
    let (kept, before) = (model.clone(), model.error());
    if freedom.weights && dead_bones::hand_out(model, points) > 0 {
        solve_bones(model, points, progress)?;
        model.bones.refresh(points.reduced);
        let more = run(model, points, freedom, schedule, &progress.part(0.6, 1.0))?;
        if model.error() < before {
            log.extend(more.into_iter().filter(|e| *e < before));
        } else {
            *model = kept;
        }
    }
    let part = if points.len() < problem.scaled.len() { RoundPart::Sample } else { RoundPart::All };
    note(rounds, part, &log, problem, points.len());
    Ok(())
}

/// Takes down squared errors of `count` vertices.
pub fn note(rounds: &mut Vec<Round>, part: RoundPart, log: &[f64], problem: &Problem, count: usize) {
    rounds.extend(log.iter().map(|&e| Round { part, percent: problem.percent(e, count) }));
}
