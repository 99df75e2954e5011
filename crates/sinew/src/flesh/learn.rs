//! Flesh from the same motion with it and without.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::error::FleshError;
use super::least_squares::{Space, minimise};
use super::network::Network;
use super::parameters::{CellShape, Parameters};
use super::play::Flesh;
use super::simulate::System;
use super::tuning::{FEWEST_FRAMES, TUNING};
use crate::animation::MeshAnimation;
use crate::progress::{Cancelled, Muted, Part, Progress, in_parallel};

/// Flesh and how well it does.
#[derive(Clone, Debug)]
pub struct LearntFlesh {
    /// The flesh.
    pub flesh: Flesh,
    /// What is left of the motion of its own.
    pub errors: FleshErrors,
}

/// What is left of the distance between both motions, as a share of it: 0 where the motion is met, 1 where nothing is gained
/// over none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleshErrors {
    /// On the frames that were learnt from.
    pub learnt: f64,
    /// On halves of clips that were not learnt from, each by the flesh that the other half taught.
    pub held_out: f64,
    /// Vertices that move by themselves.
    pub free: usize,
    /// How many of them are simulated; the others follow these.
    pub knots: usize,
}

/// Some frames that follow each other, as points of the network.
pub(super) struct Stretch {
    /// Points by the motion without flesh, in every frame.
    pub moved: Vec<Vec<DVec3>>,
    /// Knots with flesh, before the first frame, and in every frame.
    pub with: Vec<Vec<DVec3>>,
}

/// Learns the flesh of a body from one motion of it `without` and `with` that flesh, frame by frame the same. The rest pose and
/// faces are those of `without`.
///
/// # Errors
/// [`FleshError`] says in which way they do not go together, or that nothing moves by itself.
pub fn learn_flesh(
    without: &MeshAnimation,
    with: &MeshAnimation,
    progress: &dyn Progress,
) -> Result<LearntFlesh, FleshError> {
    check(without, with)?;
    progress.stage("looking for flesh");
    let clips = clip_ranges(without);
    let free = free_vertices(without, with, progress)?;
    let rest = rest_of(without);
    let network = Network::choose(&without.mesh, rest, free);
    let stretches = stretches(&network, without, with, &clips);
    progress.stage("learning");
    let halves = [half(&stretches, 0), half(&stretches, 1)];
    // Each half teaches, and the other tells how well: the share that is shown is that which serves frames never seen.
    let [mut shown, mut squares] = [0.0; 2];
    let mut targets = 0.0;
    for (number, teacher) in halves.iter().enumerate() {
        let part: Part = progress.part(0.3 * number as f64, 0.3 * (number as f64 + 1.0));
        let parameters = fit(&network, teacher, &part)?;
        let other = &halves[1 - number];
        if let Some(sums) = sums(&network, &parameters, other) {
            shown += sums.shown;
            squares += sums.squares;
        }
        targets += energy(other);
    }
    let gain = if squares > 0.0 { (shown / squares).clamp(0.0, 1.0) } else { 0.0 };
    let held_out = left(targets, shown, squares, gain);
    let parameters = fit(&network, &stretches.iter().collect::<Vec<_>>(), &progress.part(0.6, 1.0))?;
    let all: Vec<&Stretch> = stretches.iter().collect();
    let own = sums(&network, &parameters, &all);
    let learnt = own.map_or(1.0, |own| left(energy(&all), own.shown, own.squares, gain));
    let errors = FleshErrors { learnt, held_out, free: network.free.len(), knots: network.knots.len() };
    progress.check()?;
    Ok(LearntFlesh { flesh: Flesh { fps: without.fps, network, parameters, gain }, errors })
}

/// The rest pose, or the first frame.
fn rest_of(animation: &MeshAnimation) -> &[Vec3] {
    animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0))
}

fn check(without: &MeshAnimation, with: &MeshAnimation) -> Result<(), FleshError> {
    let (expected, found) = (without.frames.vertex_count(), with.frames.vertex_count());
    if expected != found {
        return Err(FleshError::Vertices { found, expected });
    }
    if without.frames.len() != with.frames.len() {
        return Err(FleshError::Frames { without: without.frames.len(), with: with.frames.len() });
    }
    for animation in [without, with] {
        if let Some((frame, vertex)) = animation.frames.first_not_finite() {
            return Err(FleshError::NotFinite { frame, vertex });
        }
    }
    if !(without.fps > 0.0 && without.fps.is_finite()) {
        return Err(FleshError::FrameRate { found: without.fps });
    }
    let found = clip_ranges(without).iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    if found < FEWEST_FRAMES {
        return Err(FleshError::TooShort { found, needed: FEWEST_FRAMES });
    }
    Ok(())
}

/// Frames of each clip.
fn clip_ranges(animation: &MeshAnimation) -> Vec<Range<usize>> {
    animation.clips().iter().map(|clip| clip.frames.clone()).collect()
}

/// Vertices whose distance between both motions is more than next to nothing.
fn free_vertices(
    without: &MeshAnimation,
    with: &MeshAnimation,
    progress: &dyn Progress,
) -> Result<Vec<u32>, FleshError> {
    let mut squares = vec![0.0_f64; without.frames.vertex_count()];
    for frame in 0..without.frames.len() {
        progress.check()?;
        let pairs = without.frames.frame(frame).iter().zip(with.frames.frame(frame));
        squares.iter_mut().zip(pairs).for_each(|(sum, (a, b))| *sum += f64::from(a.distance_squared(*b)));
    }
    let largest = squares.iter().copied().fold(0.0, f64::max);
    let least = largest * TUNING.free * TUNING.free;
    let free: Vec<u32> = (0..).zip(&squares).filter(|(_, s)| **s > least).map(|(v, _)| v).collect();
    let size = without.rest_bounds().diagonal();
    // Rounding of a file is no motion.
    let is_motion = (largest / without.frames.len() as f64).sqrt() > 1e-6 * size;
    if free.is_empty() || !is_motion { Err(FleshError::NothingFree) } else { Ok(free) }
}

/// The frames that are learnt from: of each clip as many as its share of them all, those that swing most.
fn stretches(
    network: &Network,
    without: &MeshAnimation,
    with: &MeshAnimation,
    clips: &[Range<usize>],
) -> Vec<Stretch> {
    let all: usize = clips.iter().map(ExactSizeIterator::len).sum();
    let long = clips.iter().filter(|clip| clip.len() >= FEWEST_FRAMES);
    let stretch = |clip: &Range<usize>| {
        let most = (TUNING.most_frames * clip.len()).div_ceil(all).max(FEWEST_FRAMES).min(clip.len());
        let energy = |frame: usize| -> f64 {
            let (a, b) = (without.frames.frame(frame), with.frames.frame(frame));
            network.knots.iter().map(|&k| f64::from(a[k as usize].distance_squared(b[k as usize]))).sum()
        };
        let energies: Vec<f64> = clip.clone().map(energy).collect();
        let swing = |start: &usize| -> f64 { energies[*start..start + most].iter().sum() };
        let first = (0..=clip.len() - most).rev().max_by(|a, b| swing(a).total_cmp(&swing(b))).unwrap_or(0);
        let frames = clip.start + first..clip.start + first + most;
        let points = |frame: usize, animation: &MeshAnimation| {
            let mut out = vec![DVec3::ZERO; network.len()];
            network.points_of(animation.frames.frame(frame), &mut out);
            out
        };
        Stretch {
            moved: frames.clone().map(|frame| points(frame, without)).collect(),
            with: frames.map(|frame| points(frame, with)).collect(),
        }
    };
    long.map(stretch).collect()
}

/// The first or second half of each stretch.
fn half(stretches: &[Stretch], which: usize) -> Vec<Stretch> {
    let one = |stretch: &Stretch| {
        let middle = stretch.moved.len() / 2;
        let range = if which == 0 { 0..middle } else { middle..stretch.moved.len() };
        Stretch { moved: stretch.moved[range.clone()].to_vec(), with: stretch.with[range].to_vec() }
    };
    stretches.iter().map(one).collect()
}

/// Squared distance between both motions.
fn energy(stretches: &[impl std::borrow::Borrow<Stretch>]) -> f64 {
    let of = |stretch: &Stretch| -> f64 {
        let frames = stretch.moved.iter().zip(&stretch.with);
        frames.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>()).sum()
    };
    stretches.iter().map(|stretch| of(stretch.borrow())).sum()
}

/// Sums over frames of what is simulated, x, and what should be, y.
struct Sums {
    /// Σ x y.
    shown: f64,
    /// Σ x².
    squares: f64,
}

/// What is left of the energy of y where a share of x is shown.
fn left(energy: f64, shown: f64, squares: f64, gain: f64) -> f64 {
    ((energy - 2.0 * gain * shown + gain * gain * squares) / energy).max(0.0).sqrt()
}

fn sums(
    network: &Network,
    parameters: &Parameters,
    stretches: &[impl std::borrow::Borrow<Stretch>],
) -> Option<Sums> {
    let system = System::new(network, parameters)?;
    let mut sums = Sums { shown: 0.0, squares: 0.0 };
    for stretch in stretches {
        let stretch = stretch.borrow();
        each_step(&system, stretch, |frame, knot, x| {
            let y = stretch.with[frame][knot] - stretch.moved[frame][knot];
            sums.shown += x.dot(y);
            sums.squares += x.length_squared();
        });
    }
    Some(sums)
}

/// Simulates a stretch and gives what each knot moves by itself, frame by frame. The first two frames are taken as they are.
fn each_step(system: &System, stretch: &Stretch, mut give: impl FnMut(usize, usize, DVec3)) {
    let knots = system.knots();
    let mut state = system.state(&stretch.with[0], &stretch.with[1], &stretch.moved[1]);
    for frame in 2..stretch.moved.len() {
        system.step(&mut state, &stretch.moved[frame]);
        state.displacements().take(knots).enumerate().for_each(|(knot, x)| give(frame, knot, x));
    }
}

/// The parameters with which the simulated motion is closest to that with flesh.
fn fit(
    network: &Network,
    stretches: &[impl std::borrow::Borrow<Stretch> + Sync],
    progress: &dyn Progress,
) -> Result<Parameters, Cancelled> {
    let fields = network.fields();
    let scale = 1.0 / energy(stretches).max(f64::MIN_POSITIVE).sqrt();
    let of = |space: &[f64], shape: CellShape| parameters(space, shape, &fields, network.len());
    // Differences to what should be, as shares of it.
    let residuals = |space: &[f64], shape: CellShape| -> Option<Vec<f64>> {
        let parameters = of(space, shape);
        let system = System::new(network, &parameters)?;
        let mut out = Vec::new();
        for stretch in stretches {
            let stretch = stretch.borrow();
            each_step(&system, stretch, |frame, knot, x| {
                let off = scale * (x - (stretch.with[frame][knot] - stretch.moved[frame][knot]));
                out.extend(off.to_array());
            });
        }
        Some(out)
    };
    let starts = starts(fields.len());
    let trials = in_parallel(progress, starts.len(), |i| {
        let residuals = residuals(&starts[i].0, starts[i].1);
        Ok(residuals.map_or(f64::INFINITY, |r| r.iter().map(|r| r * r).sum()))
    })?;
    let best = (0..starts.len()).min_by(|&a, &b| trials[a].total_cmp(&trials[b])).unwrap_or(0);
    let (start, shape) = starts[best].clone();
    let priors: Vec<f64> = (0..start.len()).map(|i| if i < SCALARS { 0.0 } else { TUNING.prior }).collect();
    let space = Space { start, priors, step: TUNING.step };
    let part: Part = Part { whole: &Muted(progress), from: 0.3, to: 1.0 };
    progress.advance(0.3);
    let found = minimise(&space, |point| residuals(point, shape), &part)?;
    progress.advance(1.0);
    Ok(of(&found, shape))
}

/// Parameters that are one number: stiffness, hold, damping. The fields of the stiffness follow.
const SCALARS: usize = 3;

/// Where to begin: from soft to stiff, held a little or more.
fn starts(fields: usize) -> Vec<(Vec<f64>, CellShape)> {
    let mut starts = Vec::new();
    for shape in [CellShape::Rest, CellShape::Moved] {
        for hold in TUNING.holds {
            for power in 0..TUNING.stiffnesses {
                let stiffness = TUNING.softest * 2.0_f64.powi(power as i32);
                let mut start = vec![stiffness.ln(), hold.ln(), TUNING.damping.ln()];
                start.resize(SCALARS + fields, 0.0);
                starts.push((start, shape));
            }
        }
    }
    starts
}

/// From logarithms to what they stand for, kept where numbers are still apart.
fn parameters(space: &[f64], shape: CellShape, fields: &[Vec<f64>], points: usize) -> Parameters {
    let at = |point: usize| -> f64 {
        let varied: f64 = fields.iter().zip(&space[SCALARS..]).map(|(field, x)| field[point] * x).sum();
        (space[0] + varied).clamp(-9.0, 9.0).exp()
    };
    Parameters {
        stiffness: (0..points).map(at).collect(),
        hold: space[1].clamp(-14.0, 9.0).exp(),
        damping: space[2].clamp(-9.0, 3.0).exp(),
        shape,
    }
}
