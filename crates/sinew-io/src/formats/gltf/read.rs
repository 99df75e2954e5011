//! Opening a file: JSON, buffers, and the checks that everything after relies on.

use std::path::Path;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::schema::{Animation, Node, Root};
use super::uri::resolve;
use super::{GENERATOR, METRES_PER_UNIT, SOURCE_VERTEX, extensions, packed};
use crate::containers::glb;
use crate::scene::{Facts, Up};
use crate::source::{Bytes, Source};
use crate::{Error, Result};

/// An opened glTF file. Meshes and clips are decoded when asked for.
pub struct Gltf {
    pub(super) source: Source,
    pub(super) root: Root,
    pub(super) buffers: Vec<Bytes>,
    /// Bytes of buffer views that were packed.
    pub(super) unpacked: Vec<Option<Vec<u8>>>,
    /// Parent of each node.
    pub(super) parents: Vec<Option<usize>>,
    /// All nodes, parents before children.
    pub(super) order: Vec<usize>,
}

/// One animation of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Its name; empty when it has none.
    pub name: String,
    /// Time of the last key, in seconds.
    pub duration: f64,
    /// Frames per second, guessed from the spacing of the keys; `None` when they follow no beat.
    pub fps: Option<f64>,
    /// Keys of the densest track.
    pub keys: usize,
}

/// What a file holds, counted without decoding it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// The program that wrote the file, when it says so.
    pub generator: Option<String>,
    /// Nodes with a mesh in the default scene.
    pub mesh_instances: usize,
    /// Vertices of those, as stored: seams are split.
    pub vertices: usize,
    /// Different joints of all skins.
    pub joints: usize,
    /// The most morph targets on any mesh.
    pub morph_targets: usize,
    /// Materials.
    pub materials: usize,
    /// Images.
    pub images: usize,
    /// Animations.
    pub clips: usize,
}

/// Opens a `.glb` or `.gltf` file, with the buffers it refers to.
pub fn open(source: impl Into<Source>) -> Result<Gltf> {
    let source = source.into();
    let bytes = source.read()?;
    read(&bytes, source)
}

/// Reads bytes and never touches the disk: a file that refers to others is refused. `path` is for messages.
pub fn parse_alone(bytes: &[u8], path: &Path) -> Result<Gltf> {
    read(bytes, Source::bytes(path, []))
}

fn read(bytes: &[u8], source: Source) -> Result<Gltf> {
    let path = source.path();
    let chunks = glb::split(bytes, path)?;
    let root: Root = serde_json::from_slice(chunks.json).map_err(|e| {
        let message = match serde_json::from_slice::<serde_json::Value>(chunks.json) {
            Ok(other) if other.get("asset").is_none() => "this is JSON, but no glTF: it has no asset".into(),
            _ => format!("the glTF JSON cannot be read: {e}"),
        };
        if chunks.bin.is_none() && e.line() > 0 {
            Error::at_line(path, e.line(), message)
        } else {
            Error::malformed(path, message)
        }
    })?;
    check_version(&root, path)?;
    let buffers = load_buffers(&root, chunks.bin, &source)?;
    let parents = find_parents(&root.nodes, path)?;
    let order = parents_first(&root.nodes, &parents, path)?;
    let unpacked = packed::unpack(&root, &buffers, path)?;
    Ok(Gltf { root, buffers, unpacked, parents, order, source })
}

fn check_version(root: &Root, path: &Path) -> Result<()> {
    let asset = &root.asset;
    if !asset.version.starts_with("2.") || asset.min_version.as_deref().is_some_and(|v| v != "2.0") {
        let version = asset.min_version.as_ref().unwrap_or(&asset.version);
        return Err(Error::unsupported(path, format!("this is glTF {version}; Sinew reads glTF 2.0")));
    }
    extensions::check(root, path)
}

fn load_buffers(root: &Root, bin: Option<&[u8]>, source: &Source) -> Result<Vec<Bytes>> {
    let path = source.path();
    let mut buffers = Vec::new();
    for (index, buffer) in root.buffers.iter().enumerate() {
        let bytes = match (&buffer.uri, bin) {
            (Some(uri), _) => resolve(uri, source)?,
            (None, Some(bin)) if index == 0 => Bytes::owned(bin.to_vec()),
            // Its views are packed elsewhere, so that nothing is read from it.
            (None, _) if packed::is_placeholder(root, index) => {
                buffers.push(Bytes::owned(Vec::new()));
                continue;
            }
            _ => return Err(Error::malformed(path, format!("buffer {index} has no data"))),
        };
        let stated = bytes.part(0..buffer.byte_length).ok_or_else(|| Error::Truncated {
            path: path.into(),
            what: format!("the bytes of buffer {index}"),
            needed: buffer.byte_length as u64,
            available: bytes.len() as u64,
        })?;
        buffers.push(stated);
    }
    Ok(buffers)
}

fn find_parents(nodes: &[Node], path: &Path) -> Result<Vec<Option<usize>>> {
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            match parents.get_mut(child) {
                None => {
                    let message = format!("node {parent} has the child {child}, which does not exist");
                    return Err(Error::malformed(path, message));
                }
                Some(Some(other)) => {
                    let message = format!("node {child} has two parents, {other} and {parent}");
                    return Err(Error::malformed(path, message));
                }
                Some(free) => *free = Some(parent),
            }
        }
    }
    Ok(parents)
}

/// With one parent each, whatever cannot be reached from a root hangs in a cycle.
fn parents_first(nodes: &[Node], parents: &[Option<usize>], path: &Path) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&n| parents[n].is_none()).collect();
    let mut at = 0;
    while at < order.len() {
        order.extend_from_slice(&nodes[order[at]].children);
        at += 1;
    }
    if order.len() < nodes.len() {
        return Err(Error::malformed(path, "the node hierarchy contains a cycle"));
    }
    Ok(order)
}

impl Gltf {
    /// What the format says about all files, and the file about itself.
    pub fn facts(&self) -> Facts {
        Facts {
            up: Some(Up::Y),
            left_handed: Some(false),
            metres_per_unit: Some(METRES_PER_UNIT),
            made_by: self.root.asset.generator.clone(),
            ..Facts::default()
        }
    }

    pub(super) fn malformed(&self, message: impl Into<String>) -> Error {
        Error::malformed(self.source.path(), message)
    }

    pub(super) fn unsupported(&self, message: impl Into<String>) -> Error {
        Error::unsupported(self.source.path(), message)
    }

    /// Whether Sinew wrote the file.
    pub(crate) fn is_ours(&self) -> bool {
        self.root.asset.generator.as_deref().is_some_and(|g| g.starts_with(GENERATOR))
    }

    /// The file's animations.
    pub fn clips(&self) -> Result<Vec<Clip>> {
        self.root.animations.iter().map(|a| self.clip(a)).collect()
    }

    pub(super) fn clip(&self, animation: &Animation) -> Result<Clip> {
        let mut inputs: Vec<usize> = animation.samplers.iter().map(|s| s.input).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let (mut duration, mut densest) = (0.0_f64, Vec::new());
        for input in inputs {
            let times = self.key_times(input)?;
            duration = duration.max(times.last().copied().unwrap_or(0.0));
            if times.len() > densest.len() {
                densest = times;
            }
        }
        let stated =
            animation.extras.as_ref().filter(|_| self.is_ours()).and_then(|e| e.get("fps")?.as_f64());
        let fps = stated.filter(|f| *f > 0.0 && f.is_finite()).or_else(|| guess_fps(&densest));
        Ok(Clip { name: animation.name.clone().unwrap_or_default(), duration, fps, keys: densest.len() })
    }

    /// Key times of a sampler: at least one, finite, not negative, increasing.
    pub(super) fn key_times(&self, accessor: usize) -> Result<Vec<f64>> {
        let times: Vec<f64> = self.floats(accessor, "SCALAR")?.data.into_iter().map(f64::from).collect();
        if times.first().is_some_and(|first| *first < 0.0) {
            return Err(self.malformed(format!("the animation times of accessor {accessor} begin before 0")));
        }
        if times.is_empty() || times.windows(2).any(|w| w[0] >= w[1]) {
            return Err(self.malformed(format!("the animation times of accessor {accessor} do not increase")));
        }
        Ok(times)
    }

    /// Counts what the file holds.
    pub fn info(&self) -> Result<Info> {
        let root = &self.root;
        let instances = self.mesh_nodes()?;
        let mut vertices = 0_usize;
        for &(_, mesh) in &instances {
            for primitive in &root.meshes[mesh].primitives {
                if let Some(&position) = primitive.attributes.get("POSITION") {
                    vertices = vertices.saturating_add(self.count(position)?);
                }
            }
        }
        let mut joints: Vec<usize> = root.skins.iter().flat_map(|s| s.joints.iter().copied()).collect();
        joints.sort_unstable();
        joints.dedup();
        let targets = root.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.targets.len()).max();
        Ok(Info {
            generator: root.asset.generator.clone(),
            mesh_instances: instances.len(),
            vertices,
            joints: joints.len(),
            morph_targets: targets.unwrap_or(0),
            materials: root.materials.len(),
            images: root.images.len(),
            clips: root.animations.len(),
        })
    }

    /// Names of its clips, each as the file has it.
    pub fn clip_names(&self) -> Vec<String> {
        self.root.animations.iter().map(|a| a.name.clone().unwrap_or_default()).collect()
    }

    /// Nodes of the default scene that have a mesh, as (node, mesh), in node order.
    pub(super) fn mesh_nodes(&self) -> Result<Vec<(usize, usize)>> {
        let visible = self.visible_nodes()?;
        let mut out = Vec::new();
        for (index, node) in self.root.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh.filter(|_| visible[index]) else { continue };
            if mesh >= self.root.meshes.len() {
                return Err(self.malformed(format!("node {index} has mesh {mesh}, which does not exist")));
            }
            out.push((index, mesh));
        }
        Ok(out)
    }

    /// Which nodes are in the default scene; without any scene, all are.
    pub(super) fn visible_nodes(&self) -> Result<Vec<bool>> {
        let nodes = self.root.nodes.len();
        if self.root.scenes.is_empty() {
            return Ok(vec![true; nodes]);
        }
        let index = self.root.scene.unwrap_or(0);
        let scene = self
            .root
            .scenes
            .get(index)
            .ok_or_else(|| self.malformed(format!("the default scene {index} does not exist")))?;
        let mut visible = vec![false; nodes];
        for &node in &scene.nodes {
            *visible.get_mut(node).ok_or_else(|| {
                self.malformed(format!("the scene has node {node}, which does not exist"))
            })? = true;
        }
        for &node in &self.order {
            visible[node] |= self.parents[node].is_some_and(|p| visible[p]);
        }
        Ok(visible)
    }

    /// A node's name for people: its own, its mesh's, or its number.
    pub(super) fn node_name(&self, index: usize, fallback: &str) -> String {
        let node = &self.root.nodes[index];
        let mesh_name = || node.mesh.and_then(|m| self.root.meshes.get(m)?.name.clone());
        node.name.clone().or_else(mesh_name).unwrap_or_else(|| format!("{fallback}_{index}"))
    }

    /// Accessor of a primitive that says which vertices were one before the file was written.
    pub(super) fn source_vertex_accessor(&self, mesh: usize, primitive: usize) -> Option<usize> {
        if !self.is_ours() {
            return None;
        }
        self.root.meshes[mesh].primitives[primitive].attributes.get(SOURCE_VERTEX).copied()
    }

    /// How many numbers it has for each vertex, of which the first counts: one, or as many as other attributes of Sinew's.
    pub(super) fn source_vertex_type(&self, accessor: usize) -> &'static str {
        let stated = self.root.accessors.get(accessor).map(|a| &a.kind[..]);
        let wide = ["VEC2", "VEC3", "VEC4"].into_iter().find(|kind| stated == Some(*kind));
        wide.unwrap_or("SCALAR")
    }
}

/// A translation, rotation and scale as one map.
pub(super) fn compose(translation: DVec3, rotation: DQuat, scale: DVec3) -> DAffine3 {
    DAffine3 { matrix3: DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), translation }
}

/// A column-major 4×4 matrix as an affine map; its last row is taken for 0 0 0 1.
pub(super) fn affine(m: [f64; 16]) -> DAffine3 {
    let column = |c: usize| DVec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// Keys further apart than this are poses for the viewer to interpolate, not frames.
const SLOWEST_FPS: f64 = 8.0;

/// Frames per second of keys that fall on a regular beat, not necessarily on each of its strokes.
fn guess_fps(times: &[f64]) -> Option<f64> {
    let shortest = times.windows(2).map(|w| w[1] - w[0]).min_by(f64::total_cmp)?;
    let (first, last) = (times[0], times[times.len() - 1]);
    let strokes = ((last - first) / shortest).round();
    let fps = snap(strokes / (last - first));
    let on_beat = |t: &f64| {
        let stroke = (t - first) * fps;
        (stroke - stroke.round()).abs() < 0.02
    };
    (fps >= SLOWEST_FPS && fps.is_finite() && times.iter().all(on_beat)).then_some(fps)
}

/// Frame rates are whole numbers, or such numbers times 1000/1001 (NTSC); key times are rounded to f32.
fn snap(fps: f64) -> f64 {
    let ntsc = (fps * 1.001).round() / 1.001;
    [fps.round(), ntsc].into_iter().find(|f| (fps - f).abs() < 1e-3 && *f > 0.0).unwrap_or(fps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(frames: &[u32], fps: f64) -> Vec<f64> {
        frames.iter().map(|&f| f64::from((f64::from(f) / fps) as f32)).collect()
    }

    #[test]
    fn frame_rates_are_guessed() {
        for fps in [24.0, 30.0, 60.0, 30.0 / 1.001, 12.5] {
            let frames: Vec<u32> = (0..300).collect();
            let guess = guess_fps(&keys(&frames, fps)).unwrap();
            assert!((guess - fps).abs() < 1e-3, "{fps}: {guess}");
        }
        assert_eq!(guess_fps(&keys(&[0, 3, 4, 10, 48], 24.0)), Some(24.0));
        assert_eq!(guess_fps(&[0.0, 0.1, 0.237, 0.3]), None);
        assert_eq!(guess_fps(&[0.0, 1.25]), None);
        assert_eq!(guess_fps(&[0.0]), None);
        assert_eq!(guess_fps(&[]), None);
    }
}
