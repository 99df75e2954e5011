//! How far a level is from the surface it stands for, over all frames and both ways.
//!
//! Vertices of a level are vertices of the rig, so looking at them alone would show no error at all. Instead
//! every vertex of the rig is compared with the nearest point of the level, which finds what was cut off, and
//! points spread over the level with the nearest ones of the rig, which finds what was bridged. The worse of the
//! two means counts. Both kinds of points stay at the same place of their surface in all frames.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{Level, LodError};
use crate::animation::PoseSource;
use crate::geometry::Bounds;
use crate::geometry::grouped::distinct;
use crate::geometry::triangle_bvh::{PosedBvh, TriangleBvh};
use crate::progress::{Cancelled, Progress};
use crate::rig::{Player, Rig};

/// Frames that are measured between two words about progress, and points between two looks at whether somebody cancelled.
const FRAMES_AT_ONCE: usize = 16;
const POINTS_AT_ONCE: usize = 512;

/// The distance between a level and its rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelError {
    /// Mean distance in percent of the longest side of the rest pose's box, as
    /// [`ErrorMeasure::accu`](crate::animation::ErrorMeasure::accu): the larger of the two ways.
    pub accu: f64,
    /// Largest distance in percent of that box's diagonal.
    pub max: f64,
    /// Frame of the largest distance.
    pub max_frame: usize,
}

/// A point of a level: a triangle and where in it.
struct Spot {
    triangle: [u32; 3],
    shares: [f64; 3],
}

/// Compares levels with the rig they are of.
pub struct Measurer<'a> {
    rig: &'a Rig,
    player: Player<&'a Rig>,
    full: TriangleBvh,
    /// Vertices that a triangle of the rig uses.
    used: Vec<u32>,
}

/// What one frame adds up to, both ways.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// Distances of the rig's vertices from the level, and of the level's spots from the rig.
    ways: [f64; 2],
    worst: f64,
}

/// One frame's poses: the rest pose where there are no frames.
struct Poses<'a> {
    measurer: &'a Measurer<'a>,
    /// What the level moves with.
    moved: &'a Rig,
    mover: Player<&'a Rig>,
    level: TriangleBvh,
    spots: Vec<Spot>,
    /// Nearest triangles in the rest pose: good guesses in any other.
    guesses: [Vec<u32>; 2],
}

impl<'a> Measurer<'a> {
    /// Prepares to measure levels of `rig`.
    ///
    /// # Errors
    /// When the rig contradicts itself or has no triangles.
    pub fn new(rig: &'a Rig) -> Result<Self, LodError> {
        rig.validate()?;
        let triangles = rig.mesh.triangles(&rig.rest);
        if triangles.is_empty() {
            return Err(LodError::NoTriangles);
        }
        let used = distinct(triangles.as_flattened().iter().copied());
        let full = TriangleBvh::new(&triangles, &doubles(&rig.rest));
        Ok(Self { rig, player: Player::new(rig), full, used })
    }

    /// How far one level is off, over all frames.
    ///
    /// # Errors
    /// When the level has no triangles, or `progress` cancels.
    pub fn measure(&self, level: &Level, progress: &dyn Progress) -> Result<LevelError, LodError> {
        self.measure_on(level, self.rig, progress)
    }

    /// The same of a level that moves with other bones, of a rig with as many vertices and frames.
    ///
    /// # Errors
    /// When the level has no triangles, or `progress` cancels.
    ///
    /// # Panics
    /// When vertices or frames are not as many.
    pub fn measure_on(
        &self,
        level: &Level,
        moved: &Rig,
        progress: &dyn Progress,
    ) -> Result<LevelError, LodError> {
        assert_eq!(moved.rest.len(), self.rig.rest.len(), "vertices");
        assert_eq!(moved.frame_count(), self.rig.frame_count(), "frames");
        let rest = doubles(&moved.rest);
        let triangles: Vec<[u32; 3]> = level.mesh.triangles(&self.rig.rest);
        if triangles.is_empty() {
            return Err(LodError::NoTriangles);
        }
        let mut poses = Poses {
            measurer: self,
            moved,
            mover: Player::new(moved),
            level: TriangleBvh::new(&triangles, &rest),
            spots: spots(&triangles, &rest, self.used.len()),
            guesses: Default::default(),
        };
        poses.guesses = poses.nearest_at_rest([&doubles(&self.rig.rest), &rest], progress)?;
        let frames = self.rig.frame_count().max(1);
        let mut sums: Vec<Sums> = Vec::with_capacity(frames);
        for start in (0..frames).step_by(FRAMES_AT_ONCE) {
            progress.check()?;
            progress.advance(start as f64 / frames as f64);
            let some = start..(start + FRAMES_AT_ONCE).min(frames);
            let frames = some.into_par_iter().map(|frame| poses.frame(frame, progress));
            sums.extend(frames.collect::<Result<Vec<Sums>, Cancelled>>()?);
        }
        let bounds = Bounds::of(&self.rig.rest);
        let total = |way: usize, points: usize| {
            sums.iter().map(|s| s.ways[way]).sum::<f64>() / (frames * points.max(1)) as f64
        };
        let mean = total(0, self.used.len()).max(total(1, poses.spots.len()));
        let percent = |distance: f64, of: f64| if distance > 0.0 { 100.0 * distance / of } else { 0.0 };
        let worst = sums.iter().enumerate().fold((0, 0.0), |worst, (frame, sums)| {
            if sums.worst > worst.1 { (frame, sums.worst) } else { worst }
        });
        Ok(LevelError {
            accu: percent(mean, bounds.longest_side()),
            max: percent(worst.1, bounds.diagonal()),
            max_frame: worst.0,
        })
    }
}

/// The pose of a frame; at rest where there are none.
fn pose(rig: &Rig, player: &Player<&Rig>, frame: usize) -> Vec<DVec3> {
    if frame >= rig.frame_count() {
        return doubles(&rig.rest);
    }
    doubles(&player.pose(frame))
}

impl Poses<'_> {
    fn frame(&self, frame: usize, progress: &dyn Progress) -> Result<Sums, Cancelled> {
        let (full, level) = (self.measurer, self);
        let of_full = pose(full.rig, &full.player, frame);
        let of_level = pose(level.moved, &level.mover, frame);
        let mut sums = Sums::default();
        let sides = self.sides([&of_full, &of_level]);
        for ((sum, guesses), (bvh, points)) in sums.ways.iter_mut().zip(&self.guesses).zip(sides) {
            for (i, (p, &guess)) in points.into_iter().zip(guesses).enumerate() {
                check_now_and_then(i, progress)?;
                let distance = bvh.nearest(p, guess as usize).0.sqrt();
                *sum += distance;
                sums.worst = sums.worst.max(distance);
            }
        }
        Ok(sums)
    }

    /// The level with the rig's vertices, and the rig with the level's spots.
    fn sides<'b>(&'b self, [full, level]: [&'b [DVec3]; 2]) -> [(PosedBvh<'b>, Vec<DVec3>); 2] {
        let used = self.measurer.used.iter().map(|&v| full[v as usize]).collect();
        let spots = self.spots.iter().map(|spot| spot.place(level)).collect();
        [(self.level.posed(level), used), (self.measurer.full.posed(full), spots)]
    }

    fn nearest_at_rest(
        &self,
        rest: [&[DVec3]; 2],
        progress: &dyn Progress,
    ) -> Result<[Vec<u32>; 2], Cancelled> {
        let all = |(bvh, points): &(PosedBvh, Vec<DVec3>)| -> Result<Vec<u32>, Cancelled> {
            let one = |(i, &p): (usize, &DVec3)| {
                check_now_and_then(i, progress)?;
                Ok(bvh.nearest(p, 0).1 as u32)
            };
            points.par_iter().enumerate().map(one).collect()
        };
        let [level, full] = self.sides(rest);
        Ok([all(&level)?, all(&full)?])
    }
}

impl Spot {
    fn place(&self, pose: &[DVec3]) -> DVec3 {
        self.triangle.iter().zip(self.shares).map(|(&v, share)| pose[v as usize] * share).sum()
    }
}

/// Asks at every so many points.
fn check_now_and_then(point: usize, progress: &dyn Progress) -> Result<(), Cancelled> {
    if point.is_multiple_of(POINTS_AT_ONCE) { progress.check() } else { Ok(()) }
}

/// About `count` points spread over triangles by area, at least one on each.
fn spots(triangles: &[[u32; 3]], rest: &[DVec3], count: usize) -> Vec<Spot> {
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| rest[v as usize]);
        (b - a).cross(c - a).length()
    };
    let each = count as f64 / triangles.iter().map(area).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut spots = Vec::new();
    for &triangle in triangles {
        let own = (area(&triangle) * each).round().clamp(1.0, count.max(1) as f64) as usize;
        spots.extend((0..own).map(|i| Spot { triangle, shares: shares(i) }));
    }
    spots
}

/// Places in a triangle that fill it evenly, however many are taken: steps of the plastic number's powers
/// (Roberts 2018), folded from the square.
fn shares(i: usize) -> [f64; 3] {
    const STEPS: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let [mut u, mut v] = STEPS.map(|step| (1.0 / 3.0 + step * i as f64).fract());
    if u + v > 1.0 {
        [u, v] = [1.0 - u, 1.0 - v];
    }
    [1.0 - u - v, u, v]
}

fn doubles(positions: &[Vec3]) -> Vec<DVec3> {
    positions.iter().map(|p| p.as_dvec3()).collect()
}
