//! Animations as they come out of files.

use std::path::Path;

use glam::Vec3;
use sinew::animation::{AnimationError, Frames, MeshAnimation};
use sinew::geometry::{Mesh, corner_normals};
use sinew::rig::{Player, Rig};

use super::facts::{Facts, Said};
use super::hung::freed;
use super::point_cache::PointCache;
use super::sampled::{SampleOptions, SampledRig};
use crate::room::room;
use crate::source::Source;
use crate::warning::Remark;
use crate::{Error, Result, Warning};

/// Frame rate of caches and sequences that tell none: that of film.
pub const DEFAULT_FPS: f64 = 24.0;

/// How inputs become an animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// The mesh that goes with a point cache. With other inputs: a pose, UVs and materials instead of
    /// their own.
    pub rest: Option<Source>,
    /// The rest mesh is scaled by this first; without, by what its unit is in that of the animation.
    pub rest_scale: Option<f64>,
    /// Frames per second; glTF clips are sampled at it. Without: what the file says, or 24.
    pub fps: Option<f64>,
    /// Clips of glTF and `.sinew` files, by name or number, or "all". The first of each file in which anything moves without.
    pub clips: Vec<String>,
    /// Whether vertices of a glTF file that are alike become one; see [`SampleOptions::weld`].
    pub weld: Option<bool>,
    /// What is said about the numbers of the inputs.
    pub said: Said,
}

impl OpenOptions {
    /// The same for files that are read as rigs.
    pub fn sampling(&self) -> SampleOptions {
        SampleOptions { clips: self.clips.clone(), fps: self.fps, weld: self.weld }
    }
}

/// An opened animation and where it came from.
#[derive(Debug)]
pub struct Opened {
    /// The animation. Not yet validated.
    pub animation: MeshAnimation,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    /// The source in a few words, such as "anim.pc2 on rest.obj".
    pub source: String,
    /// Size of all files that were named or found.
    pub input_bytes: u64,
    /// The clip that was sampled, of a file with clips; `None` of several, which the animation names.
    pub clip: Option<String>,
    /// Whether nothing told a frame rate, and [`DEFAULT_FPS`] was taken.
    pub assumed_fps: bool,
    /// What the file says about its unit, axes and times; of several, what the first says.
    pub facts: Facts,
}

/// Frame rates that replace those of a file, without any sampling that would mind, have to be some.
pub(crate) fn check_fps(path: &Path, fps: Option<f64>) -> Result<()> {
    match fps.filter(|f| !(*f > 0.0 && f.is_finite())) {
        None => Ok(()),
        Some(fps) => {
            let message = format!("the frame rate must be a positive number, not {fps}");
            Err(Error::unsupported(path, message))
        }
    }
}

/// A mesh of loose vertices.
pub(crate) fn bare(vertex_count: usize) -> Mesh {
    Mesh { vertex_count, face_starts: vec![0], ..Mesh::default() }
}

impl Opened {
    /// The poses of a cache, which has no faces.
    pub(crate) fn of_cache(source: &Source, cache: PointCache) -> Self {
        let PointCache { frames, fps, warnings, .. } = cache;
        let (mesh, assumed_fps) = (bare(frames.vertex_count()), fps.is_none());
        let (cache_fps, fps) = (fps, fps.unwrap_or(DEFAULT_FPS));
        let animation = MeshAnimation { mesh, rest: None, frames, fps, clips: Vec::new(), nodes: Vec::new() };
        let facts = Facts { fps: cache_fps, ..Facts::default() };
        Self { animation, warnings, source: source.name(), input_bytes: 0, clip: None, assumed_fps, facts }
    }

    /// Plays it at this rate, whatever it was.
    pub fn set_fps(&mut self, fps: f64) {
        self.assumed_fps = false;
        self.animation.fps = fps;
        self.animation.clips.iter_mut().for_each(|c| c.fps = fps);
    }

    /// All poses of a rig.
    pub fn of_rig(source: impl Into<Source>, sampled: SampledRig) -> Result<Self> {
        let source = source.into();
        let SampledRig { rig, mut warnings, clip, facts, .. } = sampled;
        let frames = play(&rig, source.path())?;
        let nodes = freed(&rig);
        let Rig { mesh, rest, fps, clips, .. } = rig;
        let mut animation = MeshAnimation { mesh, rest: Some(rest), frames, fps, clips, nodes };
        // Bones may carry the scale of a scene, so that the mesh as stored is no pose of it.
        if animation.validate().is_err_and(|e| speaks_of_units(&e)) {
            animation.rest = None;
            if animation.mesh.normals.is_some() {
                animation.mesh.normals = Some(corner_normals(&animation.mesh, animation.frames.frame(0)));
            }
            warnings.push(Remark::RestOfOtherSize.into());
        }
        let source = match clip.as_deref() {
            Some(clip) if !clip.is_empty() => format!("{}, clip {clip}", source.name()),
            _ => source.name(),
        };
        Ok(Self { animation, warnings, source, input_bytes: 0, clip, assumed_fps: false, facts })
    }
}

fn speaks_of_units(error: &AnimationError) -> bool {
    match error {
        AnimationError::Units { .. } => true,
        AnimationError::InClip { error, .. } => speaks_of_units(error),
        _ => false,
    }
}

/// All poses of a rig.
fn play(rig: &Rig, path: &Path) -> Result<Frames> {
    let (frames, vertices) = (rig.frame_count(), rig.rest.len());
    let mut flat = room(frames, vertices, path)?;
    flat.resize(3 * frames * vertices, 0.0);
    let player = Player::new(rig);
    let poses = bytemuck::cast_slice_mut::<f32, Vec3>(&mut flat);
    for (frame, out) in poses.chunks_exact_mut(vertices.max(1)).enumerate() {
        player.pose_into(frame, out);
    }
    Ok(Frames::new(flat, frames, vertices))
}
