//! Opening a file, within limits.

use std::path::Path;

use super::convert::{axis_name, upright};
use super::layers;
use super::memory::{allocator, memory};
use super::nurbs::Surfaces;
use crate::scene::{Facts, Up};
use crate::source::Source;
use crate::{Error, Result};

/// How deep nodes may be nested.
const DEEPEST: u32 = 512;

/// Custom property of an animation stack with a frame rate that is not that of the scene.
pub(super) const STACK_FPS: &str = "SinewFrameRate";
/// Frame rate of files that do not tell one.
const DEFAULT_FPS: f64 = 30.0;

/// An opened file.
pub struct Fbx {
    pub(super) source: Source,
    pub(super) scene: ufbx::SceneRoot,
    /// NURBS of the scene.
    pub(super) surfaces: Surfaces,
    memory: usize,
}

/// What is in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Version of the format, 7.4 as 7400.
    pub version: u32,
    /// Whether the file is text.
    pub text: bool,
    /// The program that wrote it.
    pub creator: String,
    /// Names of the objects with a mesh.
    pub objects: Vec<String>,
    /// Vertices of all objects.
    pub vertices: usize,
    /// Faces of all objects.
    pub faces: usize,
    /// Nodes that a skin follows.
    pub joints: usize,
    /// Blend shapes.
    pub shapes: usize,
    /// Point caches that meshes follow.
    pub caches: usize,
    /// Animation stacks.
    pub clips: Vec<ClipInfo>,
    /// Frames per second.
    pub fps: f64,
    /// The axis that points up in the file: "y", "z", "-x". What is read has y up.
    pub up_axis: &'static str,
    /// Whether the file's axes are left-handed. What is read is right-handed.
    pub left_handed: bool,
    /// Metres to a unit, where the file tells.
    pub metres_per_unit: Option<f64>,
}

/// An animation stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// Seconds at its first frame.
    pub start: f64,
    /// Seconds at its last frame.
    pub end: f64,
    /// Its frames per second.
    pub fps: f64,
}

/// Opens a file. Point caches and textures are looked for beside it when they are needed.
pub fn open(source: impl Into<Source>) -> Result<Fbx> {
    let source = source.into();
    let bytes = source.map()?;
    let memory = memory(bytes.len(), source.limits().memory);
    let scene = ufbx::load_memory(&bytes, options(memory)).map_err(|e| in_words(source.path(), &e))?;
    let surfaces = Surfaces::new(&scene, memory);
    Ok(Fbx { source, scene, surfaces, memory })
}

/// Opens bytes. No other file is looked at; `path` is for messages.
pub fn parse_alone(bytes: &[u8], path: &Path) -> Result<Fbx> {
    open(Source::bytes(path, bytes))
}

fn options<'a>(memory: usize) -> ufbx::LoadOpts<'a> {
    ufbx::LoadOpts {
        temp_allocator: allocator(memory),
        result_allocator: allocator(memory),
        node_depth_limit: DEEPEST,
        // ufbx reads OBJ too, and would by their names.
        file_format: ufbx::FileFormat::Fbx,
        generate_missing_normals: true,
        skip_mesh_parts: true,
        ..Default::default()
    }
}

/// What ufbx says, as a sentence.
pub(super) fn in_words(path: &Path, error: &ufbx::Error) -> Error {
    use ufbx::ErrorType::*;
    match error.type_ {
        TruncatedFile | Io | EmptyFile => Error::malformed(path, "the file is cut short"),
        MemoryLimit | AllocationLimit | OutOfMemory => {
            Error::unsupported(path, "the file needs more memory than Sinew gives one of its size")
        }
        NodeDepthLimit => Error::unsupported(path, format!("nodes are nested deeper than {DEEPEST}")),
        UnrecognizedFileFormat => Error::malformed(path, "this is not an FBX file"),
        UnsupportedVersion => Error::unsupported(path, "this version of FBX is not one that can be read"),
        _ => {
            let what = error.description.to_lowercase();
            let what = if what.is_empty() { "something is out of place".to_string() } else { what };
            Error::malformed(path, format!("the file is damaged, cut short or no FBX file ({what})"))
        }
    }
}

impl Fbx {
    /// What is in the file.
    pub fn info(&self) -> Info {
        let scene = &self.scene;
        let instances = self.instances();
        let objects = instances.iter().map(|i| i.node.element.name.to_string()).collect();
        let mut joints: Vec<u32> = scene
            .skin_clusters
            .as_ref()
            .iter()
            .filter_map(|c| c.bone_node.as_ref().map(|n| n.element.typed_id))
            .collect();
        joints.sort_unstable();
        joints.dedup();
        let unit = scene.settings.unit_meters;
        Info {
            version: scene.metadata.version,
            text: scene.metadata.ascii,
            creator: scene.metadata.creator.to_string(),
            objects,
            vertices: instances.iter().map(|i| i.mesh.num_vertices).sum(),
            faces: instances.iter().map(|i| i.mesh.num_faces).sum(),
            joints: joints.len(),
            shapes: scene.blend_shapes.count,
            caches: instances.iter().map(|i| i.mesh.cache_deformers.count).sum(),
            clips: (0..scene.anim_stacks.count).map(|i| self.clip_info(&scene.anim_stacks[i])).collect(),
            fps: self.fps(),
            up_axis: axis_name(scene.settings.axes.up),
            left_handed: upright(&scene.settings.axes).determinant() < 0.0,
            metres_per_unit: Some(unit).filter(|u| *u > 0.0 && u.is_finite()),
        }
    }

    /// Names of its clips, each as the file has it.
    pub fn clip_names(&self) -> Vec<String> {
        self.scene.anim_stacks.as_ref().iter().map(|stack| stack.element.name.to_string()).collect()
    }

    /// What the file says about its numbers.
    pub fn facts(&self) -> Facts {
        let settings = &self.scene.settings;
        // Of several clips each has times of its own.
        let only = (self.scene.anim_stacks.count == 1).then(|| self.clip_info(&self.scene.anim_stacks[0]));
        let unit = settings.unit_meters;
        Facts {
            up: match axis_name(settings.axes.up) {
                "x" => Some(Up::X),
                "y" => Some(Up::Y),
                "z" => Some(Up::Z),
                _ => None,
            },
            left_handed: Some(upright(&settings.axes).determinant() < 0.0),
            metres_per_unit: Some(unit).filter(|u| *u > 0.0 && u.is_finite()),
            fps: Some(self.fps()),
            times: only.map(|clip| (clip.start, clip.end)),
            made_by: Some(self.scene.metadata.creator.to_string()).filter(|c| !c.is_empty()),
            notes: Vec::new(),
        }
    }

    /// Frames per second of the scene.
    pub(super) fn fps(&self) -> f64 {
        let fps = self.scene.settings.frames_per_second;
        if fps > 0.0 && fps.is_finite() { fps } else { DEFAULT_FPS }
    }

    pub(super) fn clip_info(&self, stack: &ufbx::AnimStack) -> ClipInfo {
        let own = ufbx::find_prop(&stack.element.props, STACK_FPS).map(|p| p.value_vec4.x);
        let fps = own.filter(|f| *f > 0.0 && f.is_finite()).unwrap_or_else(|| self.fps());
        let name = stack.element.name.to_string();
        let (start, end) = layers::range(stack, fps);
        ClipInfo { name, start, end, fps }
    }

    /// The scene at some time of an animation.
    pub(super) fn at(&self, anim: &ufbx::Anim, time: f64) -> Result<ufbx::SceneRoot> {
        let options = ufbx::EvaluateOpts {
            temp_allocator: allocator(self.memory),
            result_allocator: allocator(self.memory),
            ..Default::default()
        };
        ufbx::evaluate_scene(&self.scene, anim, time, options).map_err(|e| in_words(self.source.path(), &e))
    }

    pub(super) fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.source.path(), message)
    }

    pub(super) fn unsupported(&self, message: impl Into<String>) -> Error {
        Error::unsupported(self.source.path(), message)
    }
}

impl std::fmt::Debug for Fbx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fbx").field("path", &self.source.path()).field("info", &self.info()).finish()
    }
}
