//! A USD file as poses, whatever moves its points: samples of the points themselves, joints, blend shapes or
//! prims that move.

use glam::{DVec3, Vec3};
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::nodes::Node;
use sinew::rig::{BlendPlayer, Blending, Rig};

use super::file::UsdFile;
use super::import::Scene;
use super::query::Between;
use crate::scene::SampleOptions;
use crate::scene::hung::freed;
use crate::warning::Remark;
use crate::{Error, Result, Warning};

/// Poses that are read one by one.
pub struct UsdAnimation {
    file: UsdFile,
    /// Faces, UVs, materials, parts.
    pub mesh: Mesh,
    /// The pose that joints deform, where there are any.
    pub rest: Option<Vec<Vec3>>,
    /// Frames per second; with several clips, of the first.
    pub fps: f64,
    /// Which frames are of which clip, where there are several.
    pub clips: Vec<Clip>,
    /// What had to be repaired or left out, for people.
    pub warnings: Vec<Warning>,
    /// Times of all frames.
    times: Vec<f64>,
    /// Meshes whose points are in the file frame by frame: prim and first vertex, and how many.
    cached: Vec<(usize, usize, usize)>,
    /// What moves all else.
    rig: Rig,
    blending: Blending,
}

impl UsdFile {
    /// One clip, or several one after another, as poses.
    ///
    /// ```
    /// # let text = b"#usda 1.0\ndef Mesh \"m\" { int[] faceVertexCounts = [3]
    /// #   int[] faceVertexIndices = [0, 1, 2]
    /// #   point3f[] points.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
    /// #                                    2: [(0, 0, 0), (1, 0, 0), (0, 2, 0)] } }";
    /// # let file = sinew_io::formats::usd::parse_alone(text, "cache.usda".as_ref())?;
    /// let animation = file.animation(&Default::default())?;
    /// let mut pose = vec![Default::default(); animation.mesh.vertex_count];
    /// for frame in 0..animation.frame_count() {
    ///     animation.player().pose_into(frame, &mut pose)?;
    /// }
    /// # assert_eq!(pose[2].y, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn animation(&self, options: &SampleOptions) -> Result<UsdAnimation> {
        let mut scene = self.scene(options)?;
        for (surface, skin) in scene.surfaces.iter().zip(&scene.bindings.skins) {
            if surface.cached && skin.is_some() {
                let path = &self.stage.prims[surface.prim].path;
                scene.warnings.push(Warning::PointsChange(path.clone()));
            }
        }
        let times: Vec<f64> = scene.clips.iter().flat_map(|c| c.times.iter().copied()).collect();
        let cached = cached(&scene);
        let sampled = self.sampled(scene)?;
        let blending = self.blending()?;
        let mut warnings = sampled.warnings;
        if blending == Blending::Dual {
            // Here they are.
            warnings.retain(|w| *w != Warning::Remark(Remark::PlaysDual));
        }
        let rig = sampled.rig;
        let all: usize = cached.iter().map(|c| c.2).sum();
        let rest = match self.stated_rest(&cached, rig.rest.len())? {
            Some(rest) => Some(rest),
            None => (all == 0 && sampled.clip.is_some()).then(|| rig.rest.clone()),
        };
        let (mesh, fps, clips) = (rig.mesh.clone(), rig.fps, rig.clips.clone());
        Ok(UsdAnimation {
            file: self.clone(),
            mesh,
            rest,
            fps,
            clips,
            warnings,
            times,
            cached,
            rig,
            blending,
        })
    }
}

impl UsdFile {
    /// The points of meshes with samples where no time is asked for, if all `vertices` have them.
    fn stated_rest(&self, cached: &[(usize, usize, usize)], vertices: usize) -> Result<Option<Vec<Vec3>>> {
        let mut rest = Vec::new();
        for &(prim, _, count) in cached {
            let points = self.stage.default_of(prim, "points")?.filter(|p| p.len() == 3 * count);
            let Some(points) = points else { return Ok(None) };
            let world = self.upright() * self.stage.world(prim, 0.0)?;
            let placed =
                points.chunks_exact(3).map(|p| world.transform_point3(DVec3::from_slice(p)).as_vec3());
            rest.extend(placed);
        }
        Ok(Some(rest).filter(|r| r.len() == vertices && r.iter().all(|p| p.is_finite())))
    }
}

fn cached(scene: &Scene) -> Vec<(usize, usize, usize)> {
    let mut start = 0;
    let mut found = Vec::new();
    for surface in &scene.surfaces {
        let count = surface.points.len();
        if surface.cached {
            found.push((surface.prim, start, count));
        }
        start += count;
    }
    found
}

impl UsdAnimation {
    /// Whether anything moves: points that have samples do.
    pub fn moves(&self) -> bool {
        !self.cached.is_empty() || self.rig.moves(0..self.rig.frame_count())
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.times.len()
    }

    /// What stands beside the meshes and moves no vertex.
    pub fn nodes(&self) -> Vec<Node> {
        freed(&self.rig)
    }

    /// Prepares to play.
    pub fn player(&self) -> UsdPlayer<'_> {
        let all: usize = self.cached.iter().map(|c| c.2).sum();
        let rig = (all < self.rig.rest.len()).then(|| BlendPlayer::new(&self.rig, self.blending));
        UsdPlayer { animation: self, rig }
    }
}

/// Plays a file.
pub struct UsdPlayer<'a> {
    animation: &'a UsdAnimation,
    rig: Option<BlendPlayer<&'a Rig>>,
}

impl UsdPlayer<'_> {
    /// Writes the pose of `frame` into `out`.
    ///
    /// # Panics
    /// When `frame` or the length of `out` is out of range.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) -> Result<()> {
        let animation = self.animation;
        assert_eq!(out.len(), animation.mesh.vertex_count, "one slot per vertex");
        if let Some(rig) = &self.rig {
            rig.pose_into(frame, out);
        }
        let (file, time) = (&animation.file, animation.times[frame]);
        for &(prim, start, count) in &animation.cached {
            let points = file.stage.at(prim, "points", time, Between::Linear)?.unwrap_or_default();
            if points.len() != 3 * count {
                let message = format!(
                    "mesh {} has {} points at time {time}, but {count} in the first frame",
                    file.stage.prims[prim].path,
                    points.len() / 3
                );
                return Err(Error::unsupported(file.path(), message));
            }
            let world = file.upright() * file.stage.world(prim, time)?;
            for (to, p) in out[start..start + count].iter_mut().zip(points.chunks_exact(3)) {
                *to = world.transform_point3(DVec3::from_slice(p)).as_vec3();
            }
        }
        Ok(())
    }
}
