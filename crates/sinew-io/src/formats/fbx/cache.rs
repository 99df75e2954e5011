//! Point caches beside a file: PC2, and Maya's `.mcx` or `.mc` with their `.xml`.
//!
//! A cache replaces the positions of a mesh, in the mesh's own space; its node moves them on. Caches are
//! looked for where the file says relative to itself, then beside it, then in a folder `NAME_fpc` or
//! `NAME.fpc`, as 3ds Max and Maya make them; never at paths of the machine the file was made on.

use std::path::{Component, Path, PathBuf};

use glam::{DAffine3, Vec3};
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::nodes::Node;
use sinew::rig::{BlendPlayer, Rig};

use super::convert::vector;
use super::memory::allocator;
use super::open::Fbx;
use super::rig::Played;
use crate::scene::SampleOptions;
use crate::scene::hung::freed;
use crate::source::Source;
use crate::{Error, Result, Warning};

/// Memory that the index of a cache may need.
const MOST_MEMORY: usize = 1 << 28;

/// The poses of all meshes of a file.
pub struct Animation {
    /// What plays all that follows bones, by dual quaternions where the file asks for them; its rest pose is that
    /// of the file.
    player: BlendPlayer<Rig>,
    /// What had to be repaired or left out, for people.
    pub warnings: Vec<Warning>,
    /// The clip that was sampled; `None` when the file has no animation, or several were.
    pub clip: Option<String>,
    caches: Vec<Cached>,
    times: Vec<f64>,
    source: Source,
}

/// A part of the mesh that follows a cache.
struct Cached {
    part: usize,
    cache: ufbx::GeometryCacheRoot,
    channel: usize,
    file: PathBuf,
    /// From the cache to the pose, in every frame.
    worlds: Vec<DAffine3>,
}

/// A cache that was found.
struct Found {
    part: usize,
    cache: ufbx::GeometryCacheRoot,
    channel: usize,
    file: PathBuf,
}

impl Fbx {
    /// Samples one clip, or several one after another, into poses. Frame i of a clip shows the time i / fps
    /// after its start.
    pub fn animation(&self, options: &SampleOptions) -> Result<Animation> {
        let mut warnings = Vec::new();
        let found = self.caches(&mut warnings);
        let range = found.iter().filter_map(time_range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let Played { sampled, timeline, places, nodes, dual } = self.play(options, range)?;
        warnings.extend(sampled.warnings);
        let mut caches = Vec::new();
        for Found { part, cache, channel, file } in found {
            let Some(track) = &nodes[part] else {
                warnings.push(Warning::SkinAndCache(sampled.rig.mesh.parts[part].name.clone()));
                continue;
            };
            let worlds = track.iter().map(|t| *t * places[part]).collect();
            caches.push(Cached { part, cache, channel, file, worlds });
        }
        let (player, clip, times) = (dual.player(sampled.rig), sampled.clip, timeline.times);
        Ok(Animation { player, warnings, clip, caches, times, source: self.source.clone() })
    }

    /// Caches of all instances, opened.
    fn caches(&self, warnings: &mut Vec<Warning>) -> Vec<Found> {
        let mut out = Vec::new();
        for (part, instance) in self.instances().iter().enumerate() {
            // A mesh may name several: one with its positions, and one with normals.
            let mut failed = None;
            for deformer in &instance.mesh.cache_deformers {
                let Some(file) = &deformer.file else { continue };
                let wanted = [&file.relative_filename, &file.filename].into_iter().find(|f| !f.is_empty());
                let Some(wanted) = wanted else { continue };
                match self.find_cache(wanted, &deformer.channel, instance.mesh.num_vertices) {
                    Ok((cache, channel, file)) => {
                        out.push(Found { part, cache, channel, file });
                        failed = None;
                        break;
                    }
                    Err(why) => failed = failed.or(Some(why)),
                }
            }
            let name = || instance.node.element.name.to_string();
            warnings.extend(failed.map(|why| Warning::CacheUnread { name: name(), why }));
        }
        out
    }

    /// Opens a cache and finds the channel with the positions of so many vertices.
    fn find_cache(
        &self,
        name: &str,
        channel: &str,
        vertices: usize,
    ) -> std::result::Result<(ufbx::GeometryCacheRoot, usize, PathBuf), String> {
        let Some(file) = self.candidates(name).into_iter().find(|f| f.is_file()) else {
            return Err(format!("there is no file {name} beside it"));
        };
        let Some(text) = file.to_str() else {
            return Err(format!("the name of {} is not Unicode", file.display()));
        };
        let mut open = |path: &str, _: &ufbx::OpenFileInfo| opened(&self.source, path);
        let options = ufbx::GeometryCacheOpts {
            open_file_cb: ufbx::OpenFileCb::Mut(&mut open),
            temp_allocator: allocator(MOST_MEMORY),
            result_allocator: allocator(MOST_MEMORY),
            frames_per_second: self.fps(),
            ..Default::default()
        };
        let cache = ufbx::load_geometry_cache(text, options)
            .map_err(|e| format!("{}: {}", file.display(), e.description.to_lowercase()))?;
        use ufbx::CacheInterpretation::{Points, VertexPosition};
        let is_position = |c: &ufbx::CacheChannel| {
            matches!(c.interpretation, Points | VertexPosition) && !c.frames.is_empty()
        };
        let positions: Vec<usize> =
            (0..cache.channels.len()).filter(|&c| is_position(&cache.channels[c])).collect();
        let named = positions.iter().find(|&&c| cache.channels[c].name.as_ref() == channel);
        let only = Some(&positions[..]).filter(|p| p.len() == 1).map(|p| &p[0]);
        let Some(&found) = named.or(only) else {
            return Err(format!("{} holds no positions of {channel}", file.display()));
        };
        let wrong = cache.channels[found].frames.iter().find(|f| f.data_count as usize != vertices);
        if let Some(frame) = wrong {
            let count = frame.data_count;
            return Err(format!("{} has {count} points for {vertices} vertices", file.display()));
        }
        Ok((cache, found, file))
    }

    /// Where a file of this name may be.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let path = self.source.path();
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = name.replace('\\', "/");
        let relative = Path::new(&name);
        let plain = !name.contains(':')
            && relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        let mut out: Vec<PathBuf> = plain.then(|| folder.join(relative)).into_iter().collect();
        let Some(last) = name.rsplit('/').next().filter(|last| !last.is_empty() && *last != "..") else {
            return out;
        };
        out.push(folder.join(last));
        if let Some(stem) = path.file_stem() {
            for ending in ["_fpc", ".fpc"] {
                let mut own = stem.to_os_string();
                own.push(ending);
                out.push(folder.join(own).join(last));
            }
        }
        out.retain(|file| self.source.access().allows(file));
        out
    }
}

/// A file of a cache, where it may be opened: caches name further files.
fn opened(source: &Source, path: &str) -> Option<ufbx::Stream> {
    source.link(path)?.opened().ok().map(ufbx::Stream::File)
}

/// Seconds at the first and last frame of a cache.
fn time_range(found: &Found) -> Option<(f64, f64)> {
    let frames = &found.cache.channels[found.channel].frames;
    let range = (frames.first()?.time, frames.last()?.time);
    (range.0.is_finite() && range.1 >= range.0).then_some(range)
}

impl Animation {
    /// What stands beside the meshes and moves no vertex.
    pub fn nodes(&self) -> Vec<Node> {
        freed(self.player.rig())
    }

    /// Whether anything moves: what follows a cache does.
    pub fn moves(&self) -> bool {
        let rig = self.player.rig();
        !self.caches.is_empty() || rig.moves(0..rig.frame_count())
    }

    /// Faces, UVs, materials, names of objects.
    pub fn mesh(&self) -> &Mesh {
        &self.player.rig().mesh
    }

    /// The mesh as stored.
    pub fn rest(&self) -> &[Vec3] {
        &self.player.rig().rest
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.times.len()
    }

    /// Frames per second, of the first clip.
    pub fn fps(&self) -> f64 {
        self.player.rig().fps
    }

    /// Where the frames are of several clips: which are of which.
    pub fn clips(&self) -> &[Clip] {
        &self.player.rig().clips
    }

    /// How many bones there are.
    pub fn bone_count(&self) -> usize {
        self.player.rig().bones.len()
    }

    /// Whether any mesh follows a point cache. Where none does, [`Fbx::rig`] gives a rig.
    pub fn is_cached(&self) -> bool {
        !self.caches.is_empty()
    }

    /// Seconds of a frame in the file.
    pub fn time(&self, frame: usize) -> f64 {
        self.times[frame]
    }

    /// Puts the positions of a frame into `out`, which has one for each vertex. Frames of caches are read
    /// when they are asked for.
    pub fn pose_into(&self, frame: usize, out: &mut [Vec3]) -> Result<()> {
        self.player.pose_into(frame, out);
        for cached in &self.caches {
            let part = &self.player.rig().mesh.parts[cached.part];
            let mut stored = vec![ufbx::Vec3::default(); part.vertices.len()];
            let channel = &cached.cache.channels[cached.channel];
            let mut open = |path: &str, _: &ufbx::OpenFileInfo| opened(&self.source, path);
            let options = ufbx::GeometryCacheDataOpts {
                open_file_cb: ufbx::OpenFileCb::Mut(&mut open),
                ..Default::default()
            };
            let read = ufbx::sample_geometry_cache_vec3(channel, self.times[frame], &mut stored, options);
            let world = &cached.worlds[frame];
            for (to, from) in out[part.vertices.clone()].iter_mut().zip(&stored) {
                *to = world.transform_point3(vector(*from)).as_vec3();
            }
            if read != stored.len() || !out[part.vertices.clone()].iter().all(|p| p.is_finite()) {
                let message = format!("{} has no whole pose for frame {frame}", cached.file.display());
                return Err(Error::malformed(self.source.path(), message));
            }
        }
        Ok(())
    }
}
