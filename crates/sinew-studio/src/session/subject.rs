//! What was opened.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;
use sinew::animation::{Clip, MeshAnimation};
use sinew::geometry::{Bounds, Mesh};
use sinew::rig::Rig;
use sinew_io::formats::Facts;

/// What was opened: an animation, or a rig without one.
pub struct Subject {
    /// In a few words.
    pub name: String,
    /// The files that were named; none of the built-in sample.
    pub paths: Vec<PathBuf>,
    /// The rest mesh that was named.
    pub rest: Option<PathBuf>,
    /// The frame rate that was asked for.
    pub fps: Option<f64>,
    /// The name of its clip, where it has one.
    pub clip: Option<String>,
    /// What is known of its numbers.
    pub facts: Facts,
    body: Body,
    /// Triangles, as indices into the corners of its mesh.
    pub triangles: Arc<Vec<[u32; 3]>>,
    bounds: Bounds,
}

enum Body {
    Animation(Arc<MeshAnimation>),
    Rig(Arc<Rig>),
}

impl Subject {
    /// Of an animation.
    pub fn of_animation(name: String, animation: MeshAnimation) -> Self {
        let rest = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
        let triangles = Arc::new(animation.mesh.triangle_corners(rest));
        let bounds = animation.rest_bounds();
        Self::new(name, Body::Animation(Arc::new(animation)), triangles, bounds)
    }

    /// Of a rig whose poses are too many to be held.
    pub fn of_rig(name: String, rig: Arc<Rig>) -> Self {
        let triangles = Arc::new(rig.mesh.triangle_corners(&rig.rest));
        let bounds = Bounds::of(&rig.rest);
        Self::new(name, Body::Rig(rig), triangles, bounds)
    }

    fn new(name: String, body: Body, triangles: Arc<Vec<[u32; 3]>>, bounds: Bounds) -> Self {
        let (paths, rest, fps, clip) = (Vec::new(), None, None, None);
        Self { name, paths, rest, fps, clip, facts: Facts::default(), body, triangles, bounds }
    }

    /// The same, told from others by its folder.
    pub fn in_folder(self, folder: &str) -> Self {
        Self { name: format!("{folder}/{}", self.name), ..self }
    }

    /// The same with the name of its clip.
    pub fn with_clip(self, clip: Option<String>) -> Self {
        Self { clip, ..self }
    }

    /// The same with what is known of its numbers.
    pub fn with_facts(self, facts: Facts) -> Self {
        Self { facts, ..self }
    }

    /// The animation that rigs are to replay, if there is one.
    pub fn original(&self) -> Option<&Arc<MeshAnimation>> {
        match &self.body {
            Body::Animation(animation) => Some(animation),
            Body::Rig(_) => None,
        }
    }

    /// Faces, UVs, materials.
    pub fn mesh(&self) -> &Mesh {
        match &self.body {
            Body::Animation(animation) => &animation.mesh,
            Body::Rig(rig) => &rig.mesh,
        }
    }

    /// The pose that came with the mesh, or the first.
    pub fn rest_pose(&self) -> &[Vec3] {
        match &self.body {
            Body::Animation(a) => a.rest.as_deref().unwrap_or_else(|| a.frames.frame(0)),
            Body::Rig(rig) => &rig.rest,
        }
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        match &self.body {
            Body::Animation(animation) => animation.frames.len(),
            Body::Rig(rig) => rig.frame_count(),
        }
    }

    /// Frames per second.
    pub fn frame_rate(&self) -> f64 {
        match &self.body {
            Body::Animation(animation) => animation.fps,
            Body::Rig(rig) => rig.fps,
        }
    }

    /// Which frames are of which motion.
    pub fn clips(&self) -> &[Clip] {
        match &self.body {
            Body::Animation(animation) => &animation.clips,
            Body::Rig(rig) => &rig.clips,
        }
    }

    /// The box around the rest pose.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }
}
