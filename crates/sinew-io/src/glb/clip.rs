//! Writing the animation: one channel for every property that moves.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::bones::BoneTracks;
use super::document::Document;
use super::morphs::Morphs;

/// A clip under construction.
pub(super) struct ClipWriter<'a> {
    document: &'a mut Document,
    frames: usize,
    fps: f64,
    /// Accessors of key times already written, by the keys' frames.
    times: HashMap<Vec<usize>, usize>,
    /// Samplers of morph weights already written, by the shapes they are of.
    morphs: HashMap<Vec<usize>, Option<usize>>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl<'a> ClipWriter<'a> {
    pub fn new(document: &'a mut Document, frames: usize, fps: f64) -> Self {
        Self {
            document,
            frames,
            fps,
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
        let seconds: Vec<f32> = keys.iter().map(|&f| (f as f64 / self.fps) as f32).collect();
        let accessor = self.document.times(&seconds);
        self.times.insert(keys.into(), accessor);
        accessor
    }

    fn sampler(&mut self, keys: &[usize], values: &[f32], kind: &'static str, width: usize) -> usize {
        let input = self.times(keys);
        let output = self.document.shared(values, kind, width);
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.samplers.len() - 1
    }

    /// A sampler for `per_key` numbers at each key; `None` when they never leave `rest`. What stands
    /// still elsewhere needs its first and last key only.
    fn track(&mut self, keys: &[usize], values: &[f32], rest: &[f32], kind: &'static str) -> Option<usize> {
        let per_key = rest.len();
        let width = if kind == "SCALAR" { 1 } else { per_key };
        let first = values.get(..per_key)?;
        if values.chunks_exact(per_key).any(|v| v != first) {
            return Some(self.sampler(keys, values, kind, width));
        }
        if first == rest {
            return None;
        }
        let ends: Vec<usize> = if self.frames > 1 { vec![0, self.frames - 1] } else { vec![0] };
        Some(self.sampler(&ends, &first.repeat(ends.len()), kind, width))
    }

    fn channel(&mut self, sampler: Option<usize>, node: usize, path: &str) {
        if let Some(sampler) = sampler {
            self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
        }
    }

    /// Channels of one bone whose nodes rest at `center` without a turn.
    pub fn bone(&mut self, tracks: &BoneTracks, center: DVec3, outer: usize, inner: usize) {
        let keys = &tracks.keys;
        let vectors =
            |track: &[DVec3]| -> Vec<f32> { track.iter().flat_map(|v| v.as_vec3().to_array()).collect() };
        let turns =
            |track: &[DQuat]| -> Vec<f32> { track.iter().flat_map(|q| q.as_quat().to_array()).collect() };
        let no_turn = [0.0, 0.0, 0.0, 1.0];
        let rest = center.as_vec3().to_array();
        let sampler = self.track(keys, &vectors(&tracks.translation), &rest, "VEC3");
        self.channel(sampler, outer, "translation");
        let sampler = self.track(keys, &turns(&tracks.rotation), &no_turn, "VEC4");
        self.channel(sampler, outer, "rotation");
        if let Some(scale) = &tracks.scale {
            let sampler = self.track(keys, &vectors(scale), &[1.0; 3], "VEC3");
            self.channel(sampler, outer, "scale");
        }
        if let Some(turn) = &tracks.inner {
            let sampler = self.track(keys, &turns(turn), &no_turn, "VEC4");
            self.channel(sampler, inner, "rotation");
        }
    }

    /// The channel of a mesh node's morph weights.
    pub fn morphs(&mut self, morphs: &Morphs, shapes: &[usize], node: usize) {
        if shapes.is_empty() {
            return;
        }
        let sampler = match self.morphs.get(shapes) {
            Some(&sampler) => sampler,
            None => {
                let keys: Vec<usize> = (0..self.frames).collect();
                let (values, rest) = (morphs.weights(shapes), morphs.default_weights(shapes));
                let sampler = self.track(&keys, &values, &rest, "SCALAR");
                self.morphs.insert(shapes.into(), sampler);
                sampler
            }
        };
        self.channel(sampler, node, "weights");
    }

    /// The finished animation. Where nothing moves, one bone that stands still keeps the clip's length;
    /// a single pose that is the rest pose needs no clip.
    pub fn finish(mut self, name: &str, bone: usize, center: DVec3) -> Option<Value> {
        if self.channels.is_empty() {
            if self.frames < 2 {
                return None;
            }
            let still = center.as_vec3().to_array().repeat(2);
            let sampler = self.sampler(&[0, self.frames - 1], &still, "VEC3", 3);
            self.channel(Some(sampler), bone, "translation");
        }
        Some(json!({
            "name": name,
            "channels": self.channels,
            "samplers": self.samplers,
            "extras": { "fps": self.fps, "frames": self.frames },
        }))
    }
}
