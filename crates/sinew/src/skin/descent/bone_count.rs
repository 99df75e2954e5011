//! How many bones an animation needs: the least of some numbers with which a start is good enough.

use super::{DescentOptions, Freedom, Model, Problem, SkinSize, Task, initialise};
use crate::progress::{Cancelled, Progress};
use crate::segment::Turns;

/// The least of some numbers of bones that brings the error to about `percent` of the motion, the common travel of
/// all vertices left out, and leaves no vertex far behind, judged by a start with each; those of `most` where none does.
/// The start with that number comes along, where there is one.
pub fn needed(
    problem: &Problem,
    percent: f64,
    most: SkinSize,
    options: &DescentOptions,
    progress: &dyn Progress,
) -> Result<(usize, Option<Model>), Cancelled> {
    let tuning = &problem.tuning.bone_count;
    let task = Task::new(problem, most, options);
    let freedom = Freedom { weights: true, locked: None, ..task.freedom };
    let next = |bones: &usize| ((*bones as f64 * tuning.step).ceil() as usize).max(bones + 1);
    let tried: Vec<usize> = std::iter::successors(Some(1), |bones| Some(next(bones)))
        .take_while(|bones| *bones < most.bones)
        .collect();
    for (i, &bones) in tried.iter().enumerate() {
        let share = |i: usize| i as f64 / tried.len() as f64;
        let part = progress.part(share(i), share(i + 1));
        let (model, points) =
            initialise::first(&Task { size: SkinSize { bones, ..most }, freedom, ..task }, &Turns, &part)?;
        let share = problem.scaled.len() as f64 / points.len() as f64;
        let left = (model.error() * share + problem.reduced.left_out) / problem.reduced.motion_in_place;
        let close = problem.reduced.motion_in_place <= 0.0 || tuning.to_come * 100.0 * left.sqrt() <= percent;
        let worst = model.errors.iter().fold(0.0, |m: f64, e| m.max(*e)) / problem.frames().len() as f64;
        if close && tuning.to_come * worst.sqrt() <= tuning.worst {
            return Ok((bones, Some(model)));
        }
    }
    Ok((most.bones, None))
}
