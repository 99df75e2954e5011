//! Playing a clip: animation samplers (STEP, LINEAR, CUBICSPLINE) and the node hierarchy.
//!
//! Follows appendix C of the specification. Everything is computed in double precision.

use std::collections::{HashMap, HashSet};

use glam::{DAffine3, DQuat, DVec3};

use super::read::{Gltf, affine, compose};
use super::schema::{Animation, Sampler};
use crate::scene::turns::slerp;
use crate::warning::Counted;
use crate::{Result, Warning};

/// How far apart values may be that are the same, of numbers up to one.
const ROUNDING: f64 = 1e-6;
/// How far a key may be from a frame, in frames, to be at it: times are rounded.
const OFF_FRAME: f64 = 0.02;
/// Sampled numbers a clip may need; beyond that the file is refused rather than memory filled.
const MOST_SAMPLES: usize = 1 << 25;

#[derive(Clone, Copy, Hash, PartialEq, Eq)]
enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// One animated property at every frame.
struct Track {
    width: usize,
    values: Vec<f64>,
}

impl Track {
    fn frame(&self, frame: usize) -> &[f64] {
        &self.values[frame * self.width..(frame + 1) * self.width]
    }
}

/// A clip sampled at frames 0, 1, 2, … of a given rate.
pub(super) struct Motion {
    tracks: HashMap<(usize, Property), Track>,
    pub frames: usize,
    /// How many tracks have steps.
    pub steps: usize,
    /// How many tracks have keys between frames.
    pub between: usize,
    /// What was left out, for people.
    pub warnings: Vec<Warning>,
}

impl Motion {
    /// Nodes that are turned, shifted or scaled, in ascending order.
    pub fn moved_nodes(&self) -> Vec<usize> {
        let moved = self.tracks.keys().filter(|(_, property)| *property != Property::Weights);
        let mut nodes: Vec<usize> = moved.map(|(node, _)| *node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

/// How keys are joined.
#[derive(Clone, Copy, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

/// Keys of one sampler: `width` numbers each, three times that with tangents.
struct Keys {
    times: Vec<f64>,
    values: Vec<f64>,
    width: usize,
    interpolation: Interpolation,
}

impl Keys {
    fn value(&self, key: usize) -> &[f64] {
        let at = match self.interpolation {
            Interpolation::CubicSpline => (3 * key + 1) * self.width,
            _ => key * self.width,
        };
        &self.values[at..at + self.width]
    }

    /// Whether values differ by more than rounding.
    fn change(&self) -> bool {
        let differ = |(a, b): (&f64, &f64)| (a - b).abs() > ROUNDING * a.abs().max(1.0);
        let first = &self.values[..self.width];
        self.values.chunks_exact(self.width).any(|value| value.iter().zip(first).any(differ))
    }

    /// Whether a value is held until another comes.
    fn step(&self) -> bool {
        self.interpolation == Interpolation::Step && self.change()
    }

    /// Whether a key is at no frame. Of keys that stay the same none is missed.
    fn lie_between(&self, fps: f64) -> bool {
        let is_off = |time: &f64| (time * fps - (time * fps).round()).abs() > OFF_FRAME;
        self.times.iter().any(is_off) && self.change()
    }

    fn in_tangent(&self, key: usize) -> &[f64] {
        &self.values[3 * key * self.width..][..self.width]
    }

    fn out_tangent(&self, key: usize) -> &[f64] {
        &self.values[(3 * key + 2) * self.width..][..self.width]
    }

    /// Appends the value at `time` to `out`. Before the first and after the last key the value stays.
    fn sample_into(&self, time: f64, rotation: bool, out: &mut Vec<f64>) {
        let key = self.times.partition_point(|t| *t <= time).saturating_sub(1);
        let next = (key + 1).min(self.times.len() - 1);
        let span = if next > key { self.times[next] - self.times[key] } else { 1.0 };
        let t = ((time - self.times[key]) / span).clamp(0.0, 1.0);
        let (a, b) = (self.value(key), self.value(next));
        let start = out.len();
        match self.interpolation {
            _ if key == next => out.extend_from_slice(a),
            Interpolation::Step => out.extend_from_slice(a),
            Interpolation::Linear if rotation => {
                let q = slerp(quaternion(a), quaternion(b), t);
                out.extend_from_slice(&q.to_array());
            }
            Interpolation::Linear => out.extend(a.iter().zip(b).map(|(a, b)| a + (b - a) * t)),
            Interpolation::CubicSpline => {
                let (t2, t3) = (t * t, t * t * t);
                let (m0, m1) = (self.out_tangent(key), self.in_tangent(next));
                out.extend((0..self.width).map(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * a[i]
                        + (t3 - 2.0 * t2 + t) * span * m0[i]
                        + (3.0 * t2 - 2.0 * t3) * b[i]
                        + (t3 - t2) * span * m1[i]
                }));
            }
        }
        if rotation {
            let q = quaternion(&out[start..]);
            out[start..].copy_from_slice(&q.to_array());
        }
    }
}

/// Four numbers as a unit quaternion; no turn when they are all zero.
fn quaternion(q: &[f64]) -> DQuat {
    let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
    let length = q.length();
    if length > 1e-12 && length.is_finite() { q * (1.0 / length) } else { DQuat::IDENTITY }
}

impl Gltf {
    /// Samples `animation` at `frames` frames of `fps` a second.
    pub(super) fn motion(&self, animation: Option<&Animation>, frames: usize, fps: f64) -> Result<Motion> {
        let mut motion =
            Motion { tracks: HashMap::new(), frames, steps: 0, between: 0, warnings: Vec::new() };
        let Some(animation) = animation else { return Ok(motion) };
        let (mut unknown, mut samples) = (0, 0_usize);
        for channel in &animation.channels {
            let Some(node) = channel.target.node else { continue };
            if node >= self.root.nodes.len() {
                return Err(self.malformed(format!("a channel moves node {node}, which does not exist")));
            }
            let property = match channel.target.path.as_str() {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                "weights" => Property::Weights,
                _ => {
                    unknown += 1;
                    continue;
                }
            };
            let sampler = animation.samplers.get(channel.sampler).ok_or_else(|| {
                self.malformed(format!("a channel has sampler {}, which does not exist", channel.sampler))
            })?;
            let keys = self.keys(sampler, property)?;
            samples = samples.saturating_add(keys.width.saturating_mul(frames));
            if samples > MOST_SAMPLES {
                return Err(self.unsupported(format!(
                    "{frames} frames at {fps} a second are more than Sinew samples from one clip; choose a \
                     lower frame rate"
                )));
            }
            motion.steps += usize::from(keys.step());
            motion.between += usize::from(keys.lie_between(fps));
            let mut values = Vec::with_capacity(frames * keys.width);
            for frame in 0..frames {
                keys.sample_into(frame as f64 / fps, property == Property::Rotation, &mut values);
            }
            motion.tracks.insert((node, property), Track { width: keys.width, values });
        }
        if unknown > 0 {
            motion.warnings.push(Warning::Count { count: unknown, of: Counted::UnknownChannels });
        }
        Ok(motion)
    }

    /// Several motions one after another. What one of them leaves at rest rests in its frames.
    pub(super) fn join(&self, mut motions: Vec<Motion>) -> Result<Motion> {
        if motions.len() == 1 {
            return Ok(motions.remove(0));
        }
        let frames = motions.iter().map(|m| m.frames).sum();
        let moved: HashSet<(usize, Property)> =
            motions.iter().flat_map(|m| m.tracks.keys().copied()).collect();
        let [steps, between] =
            [|m: &Motion| m.steps, |m: &Motion| m.between].map(|of| motions.iter().map(of).sum());
        let mut out = Motion { tracks: HashMap::new(), frames, steps, between, warnings: Vec::new() };
        let mut samples = 0_usize;
        for (node, property) in moved {
            let widths = || motions.iter().filter_map(|m| m.tracks.get(&(node, property))).map(|t| t.width);
            let width = widths().max().unwrap_or(0);
            if widths().any(|w| w != width) {
                let message =
                    format!("node {node} has different numbers of morph weights in different clips");
                return Err(self.malformed(message));
            }
            samples = samples.saturating_add(width.saturating_mul(frames));
            if samples > MOST_SAMPLES {
                let message =
                    format!("{frames} frames are more than Sinew samples at once; choose fewer clips");
                return Err(self.unsupported(message));
            }
            let rest = self.at_rest(node, property, width)?;
            let mut values = Vec::with_capacity(width * frames);
            for motion in &mut motions {
                match motion.tracks.remove(&(node, property)) {
                    Some(track) => values.extend(track.values),
                    None => (0..motion.frames).for_each(|_| values.extend_from_slice(&rest)),
                }
            }
            out.tracks.insert((node, property), Track { width, values });
        }
        out.warnings = motions.into_iter().flat_map(|m| m.warnings).collect();
        Ok(out)
    }

    /// The value of a property that no animation moves.
    fn at_rest(&self, node: usize, property: Property, width: usize) -> Result<Vec<f64>> {
        let n = &self.root.nodes[node];
        Ok(match property {
            Property::Translation => n.translation.unwrap_or_default().to_vec(),
            Property::Rotation => n.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]).to_vec(),
            Property::Scale => n.scale.unwrap_or([1.0; 3]).to_vec(),
            Property::Weights => {
                self.default_morph_weights(node, width)?.into_iter().map(f64::from).collect()
            }
        })
    }

    fn keys(&self, sampler: &Sampler, property: Property) -> Result<Keys> {
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(_) => return Err(self.malformed("an animation sampler has an unknown interpolation")),
        };
        let kind = match property {
            Property::Translation | Property::Scale => "VEC3",
            Property::Rotation => "VEC4",
            Property::Weights => "SCALAR",
        };
        let times = self.key_times(sampler.input)?;
        let output = self.floats(sampler.output, kind)?;
        let triple = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let per_key = output.data.len() / times.len();
        let whole = per_key * times.len() == output.data.len() && per_key.is_multiple_of(triple);
        let expected = property == Property::Weights || per_key == output.width * triple;
        if !whole || !expected || per_key == 0 {
            return Err(self.malformed(format!(
                "{} keys have {} values in accessor {}",
                times.len(),
                output.data.len() / output.width,
                sampler.output
            )));
        }
        let values = output.data.into_iter().map(f64::from).collect();
        Ok(Keys { times, values, width: per_key / triple, interpolation })
    }

    /// Local transform of a node in a frame.
    pub(super) fn local(&self, motion: &Motion, node: usize, frame: usize) -> DAffine3 {
        let n = &self.root.nodes[node];
        if let Some(matrix) = n.matrix {
            return affine(matrix);
        }
        let track = |property| motion.tracks.get(&(node, property)).map(|t| t.frame(frame));
        let triple = |property, fixed: Option<[f64; 3]>, default| {
            track(property).map(DVec3::from_slice).or(fixed.map(DVec3::from_array)).unwrap_or(default)
        };
        compose(
            triple(Property::Translation, n.translation, DVec3::ZERO),
            track(Property::Rotation)
                .or(n.rotation.as_ref().map(|q| &q[..]))
                .map_or(DQuat::IDENTITY, quaternion),
            triple(Property::Scale, n.scale, DVec3::ONE),
        )
    }

    /// World transforms of all nodes in a frame.
    pub(super) fn worlds(&self, motion: &Motion, frame: usize) -> Vec<DAffine3> {
        let mut worlds = vec![DAffine3::IDENTITY; self.root.nodes.len()];
        for &node in &self.order {
            let local = self.local(motion, node, frame);
            worlds[node] = match self.parents[node] {
                Some(parent) => worlds[parent] * local,
                None => local,
            };
        }
        worlds
    }

    /// Weights of a node's morph targets when no animation moves them.
    pub(super) fn default_morph_weights(&self, node: usize, targets: usize) -> Result<Vec<f32>> {
        let n = &self.root.nodes[node];
        let mesh = n.mesh.and_then(|m| self.root.meshes.get(m));
        let fixed = n.weights.as_ref().or(mesh.and_then(|m| m.weights.as_ref()));
        let mut weights: Vec<f32> = fixed.map_or(Vec::new(), |w| w.iter().map(|x| *x as f32).collect());
        if weights.iter().any(|w| !w.is_finite()) {
            return Err(self.malformed(format!("node {node} has morph weights that are not finite")));
        }
        weights.resize(targets, 0.0);
        Ok(weights)
    }

    /// Weights of a node's morph targets in all frames, frame after frame; `None` when no animation moves
    /// them.
    pub(super) fn animated_morph_weights(
        &self,
        motion: &Motion,
        node: usize,
        targets: usize,
    ) -> Result<Option<Vec<f32>>> {
        let Some(track) = motion.tracks.get(&(node, Property::Weights)) else { return Ok(None) };
        if track.width != targets {
            return Err(self.malformed(format!(
                "node {node} has {targets} morph targets, but its animation has {} weights",
                track.width
            )));
        }
        Ok(Some(track.values.iter().map(|w| *w as f32).collect()))
    }
}
