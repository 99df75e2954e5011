//! Light over a mesh that moves ([`sinew::light`]), as files hold it.
//!
//! glTF has no light that changes with a clip. Sinew adds it where readers that do not know it see nothing amiss:
//!
//! - Every primitive has attributes `_LIGHT_0`, `_LIGHT_1`, …: normalised bytes, `VEC4`. Component c of attribute a
//!   is shape 4a + c of the light; the last attribute may have components that mean nothing.
//! - The file has the extension `SINEW_light`, used but not required:
//!
//! ```text
//! "extensions": { "SINEW_light": {
//!   "ranges": [[-0.2, 1.0], …],            what 0 and 1 stand for, for each shape
//!   "clips": [{ "name": "gallop",          an animation
//!               "fps": 24.0,               frame i is at i / fps
//!               "coefficients": 17 }, …]   accessor of SCALAR floats: shape after shape, frame after frame
//! } }
//! ```
//!
//! The light of a vertex is Σ coefficient · (low + (high − low) · component) over all shapes, held between 0 and 1:
//! 1 is open to the whole sky. Between frames coefficients go straight.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use sinew::animation::Clip;
use sinew::light::Light;

use super::LIGHT;
use super::document::{Elements, Number, Use};
use super::read::Gltf;
use super::weld::Welded;
use super::writer::Writer;
use crate::Result;
use crate::scene::layout::Primitive;

/// Name of the extension.
pub(super) const EXTENSION: &str = "SINEW_light";
/// More shapes than this are no light.
const MOST_SHAPES: usize = 256;

#[derive(Deserialize)]
struct Stated {
    ranges: Vec<[f32; 2]>,
    clips: Vec<StatedClip>,
}

#[derive(Deserialize)]
struct StatedClip {
    name: String,
    fps: f64,
    coefficients: usize,
}

fn attribute(number: usize) -> String {
    format!("{LIGHT}{number}")
}

impl Writer<'_> {
    /// The shapes of the light at a primitive's vertices.
    pub(super) fn light(&mut self, p: &Primitive, light: &Light, attributes: &mut BTreeMap<String, usize>) {
        let shape =
            |k: usize, v: u32| light.shapes.get(k * light.vertices + v as usize).copied().unwrap_or(0);
        for set in 0..light.rank().div_ceil(4) {
            let values: Vec<[u8; 4]> =
                p.sources.iter().map(|&v| std::array::from_fn(|c| shape(4 * set + c, v))).collect();
            let elements =
                Elements { number: Number::U8, kind: "VEC4", count: values.len(), normalized: true };
            attributes.insert(attribute(set), self.document.array(&values, elements, Use::Vertices));
        }
    }

    /// What the extension says.
    pub(super) fn light_extension(&mut self, light: &Light, clips: &[Clip]) -> Value {
        let rank = light.rank();
        let clips: Vec<Value> = clips
            .iter()
            .map(|clip| {
                let frames = clip.frames.start * rank..clip.frames.end * rank;
                let accessor = self.document.shared(&light.coefficients[frames], "SCALAR", 1);
                json!({ "name": clip.name, "fps": clip.fps, "coefficients": accessor })
            })
            .collect();
        json!({ "ranges": light.ranges, "clips": clips })
    }
}

impl Gltf {
    /// Whether the file says that it holds light.
    pub fn has_light(&self) -> bool {
        self.root.extensions.get(EXTENSION).is_some()
    }

    /// The light of the rig's vertices in the frames of some clips, where the file has any for all of them.
    pub(super) fn light(&self, welded: &Welded, clips: &[Clip]) -> Result<Option<Light>> {
        let Some(stated) = self.root.extensions.get(EXTENSION) else { return Ok(None) };
        let wrong = |what: &str| self.malformed(format!("the {EXTENSION} extension {what}"));
        let stated = Stated::deserialize(stated).map_err(|_| wrong("is not as it should be"))?;
        let rank = stated.ranges.len();
        if !(1..=MOST_SHAPES).contains(&rank) || !stated.ranges.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(wrong("has no shapes, too many, or ranges that are not finite"));
        }
        let Some(stored) = self.stored_light(rank)? else { return Ok(None) };
        let mut coefficients = Vec::new();
        for clip in clips {
            let named = stated.clips.iter().find(|s| s.name == clip.name);
            let only = || stated.clips.first().filter(|_| stated.clips.len() == 1 && clips.len() == 1);
            let Some(of) = named.or_else(only) else { return Ok(None) };
            let values = self.floats(of.coefficients, "SCALAR")?.data;
            let fits = !values.is_empty() && values.len().is_multiple_of(rank);
            let sound = of.fps > 0.0 && of.fps.is_finite() && values.iter().all(|x| x.is_finite());
            if !(fits && sound) {
                return Err(wrong("has coefficients that do not fit its shapes"));
            }
            for frame in 0..clip.frames.len() {
                coefficients.extend(between(&values, rank, frame as f64 / clip.fps * of.fps));
            }
        }
        let vertices = welded.first.len();
        let shape = |k: usize| welded.first.iter().map(move |&v| (v, k));
        let shapes = (0..rank).flat_map(shape).map(|(v, k)| stored[v * rank + k]).collect();
        Ok(Some(Light { vertices, shapes, ranges: stated.ranges, coefficients }))
    }

    /// Shapes at all stored vertices, in the order in which meshes are laid out; none where some have none.
    fn stored_light(&self, rank: usize) -> Result<Option<Vec<u8>>> {
        let mut out = Vec::new();
        for (_, mesh) in self.mesh_nodes()? {
            for primitive in self.root.meshes[mesh].primitives.iter().filter(|p| p.is_drawn()) {
                let Some(&position) = primitive.attributes.get("POSITION") else { return Ok(None) };
                let (first, count) = (out.len(), self.count(position)?);
                out.resize(first + count * rank, 0);
                for set in 0..rank.div_ceil(4) {
                    let Some(&accessor) = primitive.attributes.get(&attribute(set)) else { return Ok(None) };
                    let values = self.integers(accessor, "VEC4")?;
                    if values.len() != 4 * count || values.iter().any(|x| *x > 255) {
                        return Err(
                            self.malformed(format!("the light of mesh {mesh} does not fit its vertices"))
                        );
                    }
                    for (vertex, row) in values.chunks_exact(4).enumerate() {
                        for (k, value) in (4 * set..rank).zip(row) {
                            out[first + vertex * rank + k] = *value as u8;
                        }
                    }
                }
            }
        }
        Ok(Some(out))
    }
}

/// Coefficients at a time counted in frames.
fn between(values: &[f32], rank: usize, time: f64) -> Vec<f32> {
    let last = values.len() / rank - 1;
    let from = (time.max(0.0) as usize).min(last);
    let to = (from + 1).min(last);
    let share = (time - from as f64).clamp(0.0, 1.0) as f32;
    (0..rank).map(|k| values[from * rank + k] * (1.0 - share) + values[to * rank + k] * share).collect()
}
