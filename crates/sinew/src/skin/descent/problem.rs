//! The animation as the rounds see it: paths of vertices in few coordinates, and some of the vertices.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;

use super::SkinSize;
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::reduced::Reduced;
use crate::segment::{SegmentError, SegmentOptions, Segmenter, Starts, SurfaceMotion, Turns};
use crate::skin::{BoneKind, DescentTuning};
use crate::tracks::spread_frames;

/// What does not change from fit to fit.
pub struct Problem<'a> {
    frames: Source<'a>,
    pub triangles: Arc<[[u32; 3]]>,
    pub rest: Arc<[Vec3]>,
    /// The rest pose in scaled units.
    pub scaled: Vec<Vec3>,
    pub reduced: Reduced,
    pub tuning: DescentTuning,
    /// How much each vertex counts, one in the mean; empty where all count the same.
    pub importance: Arc<[f32]>,
    /// What the last fit began with, and by which segmenter.
    starts: Mutex<Option<Prepared>>,
}

#[derive(Clone)]
struct Prepared {
    segmenter: &'static dyn Segmenter,
    kind: BoneKind,
    starts: Arc<dyn Starts>,
}

/// The frames, all of them or some.
pub enum Source<'a> {
    Whole(&'a Frames),
    Thinned(Frames),
}

impl<'a> Problem<'a> {
    pub fn new(
        frames: Source<'a>,
        triangles: Arc<[[u32; 3]]>,
        rest: Arc<[Vec3]>,
        tuning: DescentTuning,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let reduced = Reduced::new(frames.get(), &rest, progress)?;
        let scaled = reduced.scaled(&rest);
        let (importance, starts) = (Arc::default(), Mutex::default());
        Ok(Self { frames, triangles, rest, scaled, reduced, tuning, importance, starts })
    }

    /// The same with fewer frames, where there are many.
    pub fn thinned(&self, progress: &dyn Progress) -> Result<Option<Problem<'static>>, Cancelled> {
        let (all, most) = (self.frames(), self.tuning.rigid_frames);
        let count = all.len();
        if count <= most + most / 2 {
            return Ok(None);
        }
        let kept: Vec<&[Vec3]> = spread_frames(count, most).iter().map(|&t| all.frame(t)).collect();
        let frames = Source::Thinned(Frames::from_poses(&kept));
        let (triangles, rest) = (self.triangles.clone(), self.rest.clone());
        let importance = self.importance.clone();
        let problem = Problem::new(frames, triangles, rest, self.tuning, progress)?;
        Ok(Some(Problem { importance, ..problem }))
    }

    pub fn frames(&self) -> &Frames {
        self.frames.get()
    }

    /// At most so many vertices, evenly over their numbers.
    pub fn sample(&self, most: usize) -> Points<'_> {
        let n = self.scaled.len();
        let count = n.min(most);
        Points {
            reduced: &self.reduced,
            scaled: &self.scaled,
            tuning: &self.tuning,
            importance: &self.importance,
            ids: (0..count).map(|i| (i * n / count) as u32).collect(),
        }
    }

    /// As many vertices as so many bones need: so many at least, and so many for each.
    pub fn sample_for(&self, [least, per_bone]: [usize; 2], bones: usize) -> Points<'_> {
        self.sample(least.max(per_bone * bones))
    }

    /// All vertices.
    pub fn all(&self) -> Points<'_> {
        self.sample(self.scaled.len())
    }

    /// How much a vertex counts.
    pub fn importance(&self, vertex: usize) -> f64 {
        self.importance.get(vertex).map_or(1.0, |often| f64::from(*often))
    }

    /// Shares of every vertex in every frame, frame after frame, times how much the vertex counts.
    pub fn counted(&self, shares: &[f32]) -> Vec<f32> {
        let mut counts = shares.to_vec();
        if !self.importance.is_empty() {
            let of_frame =
                |counts: &mut [f32]| counts.iter_mut().zip(&*self.importance).for_each(|(c, i)| *c *= i);
            counts.chunks_exact_mut(self.importance.len()).for_each(of_frame);
        }
        counts
    }

    /// Percent of a squared error of `count` vertices.
    pub fn percent(&self, error: f64, count: usize) -> f64 {
        let all = error * self.scaled.len() as f64 / count as f64 + self.reduced.left_out;
        if self.reduced.motion > 0.0 { 100.0 * (all / self.reduced.motion).sqrt() } else { 0.0 }
    }

    /// What a fit of so many bones begins with, prepared once for as many numbers of them as it serves.
    pub fn starts(
        &self,
        segmenter: &'static dyn Segmenter,
        size: SkinSize,
        progress: &dyn Progress,
    ) -> Result<Arc<dyn Starts>, Cancelled> {
        let SkinSize { bones, kind, .. } = size;
        let serves = |p: &&Prepared| p.segmenter == segmenter && p.kind == kind && p.starts.serve(bones);
        // Not held meanwhile: a thread that waits for others takes up other work, another fit of this problem, too.
        let known = || self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = known().as_ref().filter(serves) {
            return Ok(prepared.starts.clone());
        }
        let motion = SurfaceMotion { frames: self.frames(), triangles: &self.triangles, rest: &self.rest };
        let options = SegmentOptions { count: Some(bones), rigid: kind == BoneKind::Rigid };
        let found = match segmenter.starts(motion, &options, progress) {
            // Turns have starts for any number of bones.
            Err(SegmentError::Count { .. }) => Turns.starts(motion, &options, progress),
            found => found,
        };
        let starts: Arc<dyn Starts> = found.map_err(|_| Cancelled)?.into();
        *known() = Some(Prepared { segmenter, kind, starts: starts.clone() });
        Ok(starts)
    }
}

impl Source<'_> {
    fn get(&self) -> &Frames {
        match self {
            Self::Whole(frames) => frames,
            Self::Thinned(frames) => frames,
        }
    }
}

/// The vertices that take part, and where they go.
pub struct Points<'a> {
    /// All paths.
    pub reduced: &'a Reduced,
    /// The rest pose of all vertices as it was at first.
    pub scaled: &'a [Vec3],
    pub tuning: &'a DescentTuning,
    /// How much each vertex counts; empty where all count the same.
    pub importance: &'a [f32],
    /// Numbers of those that take part.
    pub ids: Vec<u32>,
}

impl Points<'_> {
    /// Coordinates of the path of the i-th vertex.
    pub fn path(&self, i: usize) -> &[f32] {
        self.reduced.path(self.ids[i] as usize)
    }

    /// Where they were at rest at first.
    pub fn rest(&self) -> Vec<Vec3> {
        self.ids.iter().map(|&i| self.scaled[i as usize]).collect()
    }

    /// Where the i-th vertex was at rest at first.
    pub fn anchor(&self, i: usize) -> Vec3 {
        self.scaled[self.ids[i] as usize]
    }

    /// How much the i-th vertex counts.
    pub fn importance(&self, i: usize) -> f64 {
        self.importance.get(self.ids[i] as usize).map_or(1.0, |often| f64::from(*often))
    }

    /// How many take part.
    pub fn len(&self) -> usize {
        self.ids.len()
    }
}
