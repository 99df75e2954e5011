//! Archives in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DAffine3, Vec3};
use sinew::animation::Frames;
use sinew::geometry::Mesh;

use super::assemble::{Assembled, Assembly};
use super::beat::{Beat, beat};
use super::header::Property;
use super::scene::Scene;
use super::time::Between;
use crate::containers::ogawa::Ogawa;
use crate::room::room;
use crate::source::Source;
use crate::warning::Unkept;
use crate::{Error, Result, Warning};

/// An archive of which only the index has been read.
#[derive(Clone)]
pub struct Alembic {
    scene: Arc<Scene>,
}

/// What is in an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// The program that wrote it, where it says so.
    pub application: Option<String>,
    /// Its meshes.
    pub objects: Vec<ObjectInfo>,
    /// Transforms, of which some may move.
    pub transforms: usize,
    /// Frames, at the rate of what is sampled most densely.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Time of the first frame, in seconds.
    pub start: f64,
    /// Time of the last frame, in seconds.
    pub end: f64,
    /// Samples that belong to one frame: more than one where an open shutter is sampled.
    pub shutter_samples: usize,
    /// Schemas of objects that are neither meshes nor transforms, with their numbers.
    pub left_out: Vec<(String, usize)>,
}

/// A mesh of an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectInfo {
    /// Its name, as parts of a mesh have it.
    pub name: String,
    /// Names from the top of the archive to it, with slashes.
    pub path: String,
    /// Vertices of its first sample.
    pub vertices: usize,
    /// Faces of its first sample.
    pub faces: usize,
    /// Samples of its points.
    pub samples: usize,
}

/// How an archive becomes an animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Frames per second; poses between samples are interpolated. Without: those of the archive.
    pub fps: Option<f64>,
}

/// All meshes of an archive as one, whose poses are read as they are asked for.
#[derive(Clone)]
pub struct Animation {
    /// Faces, UVs, normals of the first frame, materials named by face sets; one part an object.
    pub mesh: Mesh,
    /// The rest pose, of files that Sinew wrote.
    pub rest: Option<Vec<Vec3>>,
    /// Number of frames.
    pub frame_count: usize,
    /// Frames per second.
    pub fps: f64,
    /// Time of the first frame, in seconds.
    pub start: f64,
    /// What was found amiss and left out.
    pub warnings: Vec<Warning>,
    scene: Arc<Scene>,
    beat: Beat,
}

/// Opens an archive. Its index is read, its samples are mapped, so that this takes hardly any time or memory
/// however large the file is.
///
/// The file must not be cut short by another program while it is in use.
///
/// ```no_run
/// use std::path::Path;
/// use glam::Vec3;
///
/// let file = sinew_io::formats::alembic::open(Path::new("walk.abc"))?;
/// println!("{} frames", file.info()?.frames);
/// let animation = file.animation(&Default::default())?;
/// let mut pose = vec![Vec3::ZERO; animation.mesh.vertex_count];
/// animation.pose_into(0, &mut pose)?;
/// # Ok::<(), sinew_io::Error>(())
/// ```
pub fn open(source: impl Into<Source>) -> Result<Alembic> {
    let source = source.into();
    Ok(Alembic { scene: Arc::new(Scene::read(Ogawa::new(source.map()?, source.path())?)?) })
}

/// Reads an archive from memory. `path` is for messages.
pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Alembic> {
    open(Source::bytes(path, bytes))
}

impl Alembic {
    /// What is in the archive. Looks at headers and lengths, not at samples.
    pub fn info(&self) -> Result<Info> {
        let scene = &*self.scene;
        let beat = scene.beat(None)?;
        let objects = scene.meshes.iter().map(|object| {
            Ok(ObjectInfo {
                name: object.name.clone(),
                path: object.path.clone(),
                vertices: object.point_count(&scene.file, 0)?,
                faces: object.face_count(&scene.file)?,
                samples: object.points(&scene.file)?.samples,
            })
        });
        Ok(Info {
            application: scene.meta.get("_ai_Application").map(str::to_owned),
            objects: objects.collect::<Result<_>>()?,
            transforms: scene.nodes.len(),
            frames: beat.frames,
            fps: beat.fps(),
            start: beat.start,
            end: beat.time(beat.frames - 1),
            shutter_samples: beat.shutter,
            left_out: scene.others.iter().map(|(schema, count)| (schema.clone(), *count)).collect(),
        })
    }

    /// All meshes as one that moves. Reads the first frame, and checks that all others have its vertices
    /// and faces, as far as the index tells; the rest shows when their poses are read.
    pub fn animation(&self, options: &ReadOptions) -> Result<Animation> {
        let scene = &*self.scene;
        let path = scene.file.path();
        let beat = scene.beat(options.fps)?;
        for node in &scene.nodes {
            node.transform.check(&scene.file, &node.name)?;
        }
        let places = scene.places(beat.start)?;
        let mut assembly = Assembly::new(scene);
        for object in &scene.meshes {
            assembly.add(object, &object.node.map_or(DAffine3::IDENTITY, |n| places[n]))?;
        }
        let vertices = scene.meshes.iter().map(|m| m.point_count(&scene.file, 0)).sum::<Result<_>>()?;
        let mut first = vec![Vec3::ZERO; vertices];
        scene.pose_into(beat.start, &mut first)?;
        let Assembled { mesh, rest, mut warnings } = assembly.finish(&first)?;
        if mesh.face_count() == 0 {
            return Err(Error::unsupported(path, "the archive's meshes have no faces"));
        }
        warnings.extend(scene.remarks(&beat, options));
        Ok(Animation {
            mesh,
            rest,
            frame_count: beat.frames,
            fps: options.fps.unwrap_or(beat.fps()),
            start: beat.start,
            warnings,
            scene: self.scene.clone(),
            beat,
        })
    }
}

impl Animation {
    /// Writes the pose of a frame into `out`, one place a vertex, straight from the file.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) -> Result<()> {
        assert_eq!(out.len(), self.mesh.vertex_count, "one place a vertex");
        self.scene.pose_into(self.beat.time(frame), out)
    }

    /// All poses, in memory.
    pub fn frames(&self) -> Result<Frames> {
        let (count, vertices) = (self.frame_count, self.mesh.vertex_count);
        let mut flat = room(count, vertices, self.path())?;
        flat.resize(3 * count * vertices, 0.0);
        let poses = bytemuck::cast_slice_mut::<f32, Vec3>(&mut flat);
        for (frame, out) in poses.chunks_exact_mut(vertices.max(1)).enumerate() {
            self.pose_into(frame, out)?;
        }
        Ok(Frames::new(flat, count, vertices))
    }

    /// Gives back the memory that poses were read through. For those who read each once: of a mapped file,
    /// all that was looked at counts as theirs until the system wants it back.
    pub fn forget(&self) {
        self.scene.file.forget();
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.scene.file.path()
    }
}

impl std::fmt::Debug for Animation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path: PathBuf = self.path().into();
        write!(f, "Animation({path:?}, {} x {})", self.frame_count, self.mesh.vertex_count)
    }
}

impl Scene {
    /// The frames. What never changes has no say, unless nothing does.
    fn beat(&self, fps: Option<f64>) -> Result<Beat> {
        if self.meshes.is_empty() {
            return Err(Error::unsupported(self.file.path(), self.without_meshes()));
        }
        let points = self.meshes.iter().filter_map(|m| m.property("P"));
        let all: Vec<&Property> =
            points.chain(self.nodes.iter().filter_map(|n| n.transform.moving())).collect();
        let changes = |p: &&&Property| p.stored_count() > 1;
        let some = all.iter().any(|p| changes(&p));
        let heard = all.iter().filter(|p| !some || changes(p));
        beat(&self.file, heard.map(|p| (p.sampling, p.samples)), &self.samplings, fps)
    }

    fn without_meshes(&self) -> String {
        if self.others.is_empty() {
            return "the archive holds no mesh".into();
        }
        let kinds: Vec<&str> = self.others.keys().map(String::as_str).collect();
        format!("the archive holds no mesh, only {}", kinds.join(", "))
    }

    /// Where each transform carries points at a time.
    fn places(&self, time: f64) -> Result<Vec<DAffine3>> {
        let mut out: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let (local, inherits) = node.transform.at(&self.file, &self.samplings, time)?;
            let parent = node.parent.filter(|_| inherits).map(|parent| out[parent]);
            out.push(parent.map_or(local, |parent| parent * local));
        }
        Ok(out)
    }

    fn pose_into(&self, time: f64, mut out: &mut [Vec3]) -> Result<()> {
        let places = self.places(time)?;
        for object in &self.meshes {
            let points = object.points(&self.file)?;
            let Between { lower, weight } = self.samplings[points.sampling].between(time, points.samples);
            let numbers = object.point_numbers(&self.file, points.stored(lower))?;
            let vertices = numbers.len() / 3;
            let Some((part, rest)) = out.split_at_mut_checked(vertices) else {
                return Err(self.file.malformed("the file changed while it was read"));
            };
            out = rest;
            let place = object.node.map(|n| &places[n]).filter(|place| **place != DAffine3::IDENTITY);
            let next = points.stored((lower + 1).min(points.samples - 1));
            if weight > 0.0 && next != points.stored(lower) {
                let next = object.point_numbers(&self.file, next)?;
                numbers.blend_into(&next, weight, place, part);
            } else {
                numbers.points_into(place, part);
            }
        }
        Ok(())
    }

    /// What people should know about how frames were made.
    fn remarks(&self, beat: &Beat, options: &ReadOptions) -> Vec<Warning> {
        let mut out = Vec::new();
        if beat.shutter > 1 && options.fps.is_none() {
            out.push(Warning::OpenShutter { samples: beat.shutter });
        }
        if beat.uneven && options.fps.is_none() {
            out.push(Warning::NoBeat { fps: beat.fps() });
        }
        if !self.pointless.is_empty() {
            out.push(Unkept::MeshesWithoutPoints(self.pointless.clone()).into());
        }
        let empties = self.empties();
        if !empties.is_empty() {
            out.push(Unkept::Empties(empties).into());
        }
        if !self.others.is_empty() {
            let kinds = self.others.iter().map(|(schema, count)| (schema.clone(), *count));
            out.push(Warning::NoMeshes(kinds.collect()));
        }
        out
    }
}
