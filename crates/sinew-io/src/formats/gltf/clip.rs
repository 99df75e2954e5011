//! Writing an animation: one channel for every property that moves.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use sinew::animation::Clip;

use super::document::{Document, Elements};
use super::packing::Packing;
use crate::scene::bones::{BoneTracks, Moved};
use crate::scene::hung::Posed;
use crate::scene::morphs::Morphs;
use crate::scene::way::STEPS;

/// What the numbers of a track are.
#[derive(Clone, Copy)]
enum Track {
    Places,
    Turns,
    Scales,
    /// Weights of so many shapes.
    Shapes(usize),
}

impl Track {
    fn per_key(self) -> usize {
        match self {
            Self::Places | Self::Scales => 3,
            Self::Turns => 4,
            Self::Shapes(count) => count,
        }
    }

    /// Type and width of the elements in the file.
    fn elements(self) -> (&'static str, usize) {
        match self {
            Self::Places | Self::Scales => ("VEC3", 3),
            Self::Turns => ("VEC4", 4),
            Self::Shapes(_) => ("SCALAR", 1),
        }
    }
}

/// A clip under construction.
pub(super) struct ClipWriter<'a> {
    document: &'a mut Document,
    packing: Option<Packing>,
    clip: &'a Clip,
    /// Accessors of key times already written, by the keys' steps.
    times: HashMap<Vec<usize>, usize>,
    /// Samplers of morph weights already written, by the shapes they are of.
    morphs: HashMap<Vec<usize>, Option<usize>>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl<'a> ClipWriter<'a> {
    pub fn new(document: &'a mut Document, clip: &'a Clip, packing: Option<Packing>) -> Self {
        Self {
            document,
            packing,
            clip,
            times: HashMap::new(),
            morphs: HashMap::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
        }
    }

    fn times(&mut self, keys: &[usize]) -> usize {
        if let Some(&accessor) = self.times.get(keys) {
            return accessor;
        }
        let seconds: Vec<f32> =
            keys.iter().map(|&f| (f as f64 / STEPS as f64 / self.clip.fps) as f32).collect();
        let accessor = match self.packing {
            None => self.document.times(&seconds),
            Some(packing) => {
                // What moves as far as bones reach within a frame may be as far off as bones; keys stay apart.
                let apart = (0.25 / STEPS as f64 / self.clip.fps) as f32;
                let step = packing.step_of(packing.reach * self.clip.fps).min(apart);
                self.document.rounded_times(&seconds, step)
            }
        };
        self.times.insert(keys.into(), accessor);
        accessor
    }

    fn sampler(&mut self, keys: &[usize], values: &[f32], track: Track) -> usize {
        let input = self.times(keys);
        let (kind, width) = track.elements();
        let elements = Elements::floats(kind, values.len() / width);
        let output = match (self.packing, track) {
            (None, _) => self.document.shared(values, kind, width),
            (Some(packing), Track::Turns) => self.document.turns(values.as_chunks().0, packing.turn_bits()),
            (Some(packing), Track::Places) => self.document.fixed(values, packing.step_of(1.0), elements, 3),
            (Some(packing), Track::Scales) => {
                self.document.fixed(values, packing.step_of(packing.reach), elements, 3)
            }
            (Some(packing), Track::Shapes(count)) => {
                self.document.fixed(values, packing.step_of(packing.displaced), elements, count)
            }
        };
        let mut sampler = json!({ "input": input, "output": output });
        // What is linear need not say so.
        if self.packing.is_none() {
            sampler["interpolation"] = json!("LINEAR");
        }
        self.samplers.push(sampler);
        self.samplers.len() - 1
    }

    /// The first and the last frame.
    fn ends(&self) -> Vec<usize> {
        let frames = self.clip.frames.len();
        if frames > 1 { vec![0, STEPS * (frames - 1)] } else { vec![0] }
    }

    /// A sampler for the numbers of all keys. What stands still needs its first and last key only.
    fn track(&mut self, keys: &[usize], values: &[f32], track: Track) -> Option<usize> {
        let per_key = track.per_key();
        let first = values.get(..per_key)?;
        if values.chunks_exact(per_key).any(|v| v != first) {
            return Some(self.sampler(keys, values, track));
        }
        let ends = self.ends();
        Some(self.sampler(&ends, &first.repeat(ends.len()), track))
    }

    fn channel(&mut self, sampler: Option<usize>, node: usize, path: &str) {
        if let Some(sampler) = sampler {
            self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
        }
    }

    fn vectors(&mut self, keys: &[usize], vectors: &[DVec3], track: Track) -> Option<usize> {
        let values: Vec<f32> = vectors.iter().flat_map(|v| v.as_vec3().to_array()).collect();
        self.track(keys, &values, track)
    }

    fn turns(&mut self, keys: &[usize], track: &[DQuat]) -> Option<usize> {
        let values: Vec<f32> = track.iter().flat_map(|q| q.as_quat().to_array()).collect();
        self.track(keys, &values, Track::Turns)
    }

    /// Channels of one bone for everything that any clip moves, or this one of several shapes.
    pub fn bone(&mut self, tracks: &BoneTracks, moved: Moved, outer: usize, inner: usize) {
        let keys = &tracks.keys;
        if moved.translation {
            let sampler = self.vectors(keys, &tracks.translation, Track::Places);
            self.channel(sampler, outer, "translation");
        }
        if moved.rotation {
            let sampler = self.turns(keys, &tracks.rotation);
            self.channel(sampler, outer, "rotation");
        }
        if moved.scale {
            let still = vec![DVec3::ONE; keys.len()];
            let sampler = self.vectors(keys, tracks.scale.as_ref().unwrap_or(&still), Track::Scales);
            self.channel(sampler, outer, "scale");
        }
        if moved.inner {
            let still = vec![DQuat::IDENTITY; keys.len()];
            let sampler = self.turns(keys, tracks.inner.as_ref().unwrap_or(&still));
            self.channel(sampler, inner, "rotation");
        }
    }

    /// Channels of a node that moves no vertex, given where it is in every frame.
    pub fn node(&mut self, path: &[Posed], node: usize) {
        let keys: Vec<usize> = (0..path.len()).map(|f| STEPS * f).collect();
        let shifts: Vec<DVec3> = path.iter().map(|p| p.translation).collect();
        let turns: Vec<DQuat> = path.iter().map(|p| p.rotation).collect();
        let scales: Vec<DVec3> = path.iter().map(|p| p.scale).collect();
        let sampler = self.vectors(&keys, &shifts, Track::Places);
        self.channel(sampler, node, "translation");
        let sampler = self.turns(&keys, &turns);
        self.channel(sampler, node, "rotation");
        if scales.iter().any(|scale| !scale.abs_diff_eq(scales[0], 1e-9)) {
            let sampler = self.vectors(&keys, &scales, Track::Scales);
            self.channel(sampler, node, "scale");
        }
    }

    /// The channel of a mesh node's morph weights, where any clip moves them.
    pub fn morphs(&mut self, morphs: &Morphs, shapes: &[usize], node: usize) {
        if shapes.is_empty() {
            return;
        }
        let sampler = match self.morphs.get(shapes) {
            Some(&sampler) => sampler,
            None => {
                let keys: Vec<usize> = (0..self.clip.frames.len()).map(|f| STEPS * f).collect();
                let values = morphs.weights(shapes, self.clip.frames.clone());
                let sampler = self.track(&keys, &values, Track::Shapes(shapes.len()));
                let sampler = sampler.filter(|_| morphs.moves(shapes));
                self.morphs.insert(shapes.into(), sampler);
                sampler
            }
        };
        self.channel(sampler, node, "weights");
    }

    /// The finished animation. Where nothing moves, one bone that stands still keeps the clip's length;
    /// a single pose that is the rest pose needs no clip unless there are others.
    pub fn finish(mut self, name: &str, bone: usize, center: DVec3, alone: bool) -> Option<Value> {
        if self.channels.is_empty() {
            if self.clip.frames.len() < 2 && alone {
                return None;
            }
            let ends = self.ends();
            let sampler = self.vectors(&ends, &vec![center; ends.len()], Track::Places);
            self.channel(sampler, bone, "translation");
        }
        Some(json!({
            "name": name,
            "channels": self.channels,
            "samplers": self.samplers,
            "extras": { "fps": self.clip.fps, "frames": self.clip.frames.len() },
        }))
    }
}
