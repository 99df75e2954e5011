//! The animation as the rounds see it: paths of vertices in few coordinates, and some of the vertices.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;

use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::reduced::Reduced;
use crate::segment::rotation_kmeans::RotationKMeans;
use crate::skin::tuning::DescentTuning;

/// What does not change from fit to fit.
pub struct Problem<'a> {
    frames: Source<'a>,
    pub triangles: Arc<[[u32; 3]]>,
    pub rest: Arc<[Vec3]>,
    /// The rest pose in scaled units.
    pub scaled: Vec<Vec3>,
    pub reduced: Reduced,
    pub tuning: DescentTuning,
    /// How triangles turn, once somebody asked.
    rotations: Mutex<Option<Arc<RotationKMeans>>>,
}

enum Source<'a> {
    Whole(&'a Frames),
    Thinned(Frames),
}

impl<'a> Problem<'a> {
    pub fn new(
        frames: &'a Frames,
        triangles: Arc<[[u32; 3]]>,
        rest: Arc<[Vec3]>,
        tuning: DescentTuning,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        Self::of(Source::Whole(frames), triangles, rest, tuning, progress)
    }

    fn of(
        frames: Source<'a>,
        triangles: Arc<[[u32; 3]]>,
        rest: Arc<[Vec3]>,
        tuning: DescentTuning,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let reduced = Reduced::new(frames.get(), &rest, progress)?;
        let scaled = rest.iter().map(|p| reduced.units.rest(*p).as_vec3()).collect();
        Ok(Self { frames, triangles, rest, scaled, reduced, tuning, rotations: Mutex::default() })
    }

    /// The same with fewer frames, where there are many.
    pub fn thinned(&self, progress: &dyn Progress) -> Result<Option<Problem<'static>>, Cancelled> {
        let (all, most) = (self.frames(), self.tuning.rigid_frames);
        let count = all.len();
        if count <= most + most / 2 {
            return Ok(None);
        }
        let kept = |i: usize| bytemuck::cast_slice::<Vec3, f32>(all.frame(i * count / most));
        let data: Vec<f32> = (0..most).flat_map(kept).copied().collect();
        let frames = Source::Thinned(Frames::new(data, most, all.vertex_count()));
        let (triangles, rest) = (self.triangles.clone(), self.rest.clone());
        Problem::of(frames, triangles, rest, self.tuning.clone(), progress).map(Some)
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

    /// Percent of a squared error of `count` vertices.
    pub fn percent(&self, error: f64, count: usize) -> f64 {
        let all = error * self.scaled.len() as f64 / count as f64 + self.reduced.left_out;
        if self.reduced.motion > 0.0 { 100.0 * (all / self.reduced.motion).sqrt() } else { 0.0 }
    }

    /// How triangles turn, looked at for so many bones.
    pub fn rotations(&self, bones: usize, progress: &dyn Progress) -> Result<Arc<RotationKMeans>, Cancelled> {
        let mut known = self.rotations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rotations) = known.as_ref().filter(|r| r.is_for(bones)) {
            return Ok(rotations.clone());
        }
        let new = RotationKMeans::new(self.frames(), &self.triangles, &self.rest, bones, progress)?;
        Ok(known.insert(Arc::new(new)).clone())
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
    /// Numbers of those that take part.
    pub ids: Vec<u32>,
}

impl Points<'_> {
    /// Coordinates of the path of the i-th vertex.
    pub fn path(&self, i: usize) -> &[f32] {
        self.reduced.path(self.ids[i] as usize)
    }

    /// Where the i-th vertex was at rest at first.
    pub fn anchor(&self, i: usize) -> Vec3 {
        self.scaled[self.ids[i] as usize]
    }

    /// How many take part.
    pub fn len(&self) -> usize {
        self.ids.len()
    }
}
