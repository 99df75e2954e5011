//! Writing clips: an animation stack each, with a curve for everything that moves.

use glam::{DQuat, DVec3};
use sinew::animation::Clip;

use super::angles::degrees;
use super::document::{Document, Properties, TICKS};
use super::open::STACK_FPS;
use super::skeleton::BoneNodes;
use crate::containers::fbx_nodes::Node;
use crate::scene::bones::{BoneTracks, Moved};
use crate::scene::way::STEPS;

/// Linear interpolation, as exporters mark it.
const LINEAR: i32 = 1 << 2 | 1 << 8 | 1 << 13 | 1 << 14;

/// A clip under construction.
pub(super) struct ClipWriter<'a> {
    document: &'a mut Document,
    clip: &'a Clip,
    layer: i64,
    written: usize,
}

/// Ticks of a clip's last frame.
pub(super) fn length(clip: &Clip) -> i64 {
    ticks(STEPS * clip.frames.len().saturating_sub(1), clip.fps)
}

fn ticks(step: usize, fps: f64) -> i64 {
    (step as f64 / STEPS as f64 / fps * TICKS).round() as i64
}

impl<'a> ClipWriter<'a> {
    /// Begins a clip in a scene of so many frames per second.
    pub fn new(document: &'a mut Document, clip: &'a Clip, scene_fps: f64) -> Self {
        let (stack, layer) = (document.id(), document.id());
        let end = length(clip);
        let mut span = Properties::default()
            .time("LocalStart", 0)
            .time("LocalStop", end)
            .time("ReferenceStart", 0)
            .time("ReferenceStop", end);
        if clip.fps != scene_fps {
            span = span.custom(STACK_FPS, clip.fps);
        }
        let node = Document::object("AnimationStack", stack, &clip.name, "AnimStack", "");
        document.add("AnimationStack", node.child(span.node()));
        let node = Document::object("AnimationLayer", layer, &clip.name, "AnimLayer", "");
        document.add("AnimationLayer", node.children([]));
        document.connect(layer, stack);
        document.take(&clip.name, end);
        Self { document, clip, layer, written: 0 }
    }

    /// Curves of one bone for everything that any clip moves.
    pub fn bone(&mut self, tracks: &BoneTracks, moved: Moved, turn: DQuat, bone: &BoneNodes) {
        let keys = &tracks.keys;
        if moved.translation {
            self.vectors(bone.outer, "T", "Lcl Translation", keys, &tracks.translation);
        }
        if moved.rotation {
            self.turns(bone.outer, keys, &tracks.rotation, turn);
        }
        if moved.scale {
            let still = vec![DVec3::ONE; keys.len()];
            self.vectors(bone.outer, "S", "Lcl Scaling", keys, tracks.scale.as_ref().unwrap_or(&still));
        }
        if moved.inner {
            let still = vec![DQuat::IDENTITY; keys.len()];
            self.turns(bone.joint, keys, tracks.inner.as_ref().unwrap_or(&still), DQuat::IDENTITY);
        }
    }

    /// Angles that follow each other from those at rest.
    fn turns(&mut self, node: i64, keys: &[usize], track: &[DQuat], rest: DQuat) {
        let mut last = degrees(rest, DVec3::ZERO);
        let follow = |q: &DQuat| {
            last = degrees(*q, last);
            last
        };
        let angles: Vec<DVec3> = track.iter().map(follow).collect();
        self.vectors(node, "R", "Lcl Rotation", keys, &angles);
    }

    fn vectors(&mut self, node: i64, name: &str, property: &str, keys: &[usize], track: &[DVec3]) {
        let Some(first) = track.first() else { return };
        let axes = ["d|X", "d|Y", "d|Z"];
        let start = axes.iter().zip(first.to_array());
        let start = start.fold(Properties::default(), |p, (axis, x)| p.driven(axis, "Number", x));
        let id = self.curve_node(name, start);
        self.document.drive(id, node, property);
        for (axis, label) in axes.into_iter().enumerate() {
            let values: Vec<f32> = track.iter().map(|v| v[axis] as f32).collect();
            self.curve(id, label, keys, &values);
        }
    }

    /// The curve of a shape's weight, given in every frame.
    pub fn shape(&mut self, channel: i64, weights: &[f32]) {
        let Some(first) = weights.first() else { return };
        let percent: Vec<f32> = weights.iter().map(|w| 100.0 * w).collect();
        let start = Properties::default().driven("d|DeformPercent", "Number", 100.0 * f64::from(*first));
        let id = self.curve_node("DeformPercent", start);
        self.document.drive(id, channel, "DeformPercent");
        let keys: Vec<usize> = (0..weights.len()).map(|f| STEPS * f).collect();
        self.curve(id, "d|DeformPercent", &keys, &percent);
    }

    fn curve_node(&mut self, name: &str, values: Properties) -> i64 {
        let id = self.document.id();
        let node = Document::object("AnimationCurveNode", id, name, "AnimCurveNode", "");
        self.document.add("AnimationCurveNode", node.child(values.node()));
        self.document.connect(id, self.layer);
        id
    }

    /// One number over time. What stands still needs its first and last key only.
    fn curve(&mut self, node: i64, label: &str, keys: &[usize], values: &[f32]) {
        let still = values.iter().all(|v| v.to_bits() == values[0].to_bits());
        let last = keys.len() - 1;
        let places: Vec<usize> = match still {
            true if last > 0 => vec![0, last],
            _ => (0..=last).collect(),
        };
        let times: Vec<i64> = places.iter().map(|&p| ticks(keys[p], self.clip.fps)).collect();
        let values: Vec<f32> = places.iter().map(|&p| values[p]).collect();
        self.written += 1;
        // Each has a curve of its own, also where another is the same: Blender gives a curve to one only.
        let id = self.document.id();
        self.document.add("AnimationCurve", curve_object(id, times, values));
        self.document.drive(id, node, label);
    }

    /// Ends a clip. Where nothing moves, a joint that stands still keeps its length.
    pub fn finish(mut self, node: i64, center: DVec3) {
        if self.written > 0 {
            return;
        }
        let keys = [0, STEPS * self.clip.frames.len().saturating_sub(1)];
        self.vectors(node, "T", "Lcl Translation", &keys, &[center; 2]);
    }
}

fn curve_object(id: i64, times: Vec<i64>, values: Vec<f32>) -> Node {
    let count = times.len() as i32;
    Document::object("AnimationCurve", id, "", "AnimCurve", "")
        .child(Node::of("Default", f64::from(values.first().copied().unwrap_or_default())))
        .child(Node::of("KeyVer", 4009))
        .child(Node::of("KeyTime", times))
        .child(Node::of("KeyValueFloat", values))
        .child(Node::of("KeyAttrFlags", vec![LINEAR]))
        .child(Node::of("KeyAttrDataFloat", vec![0.0_f32; 4]))
        .child(Node::of("KeyAttrRefCount", vec![count]))
}
