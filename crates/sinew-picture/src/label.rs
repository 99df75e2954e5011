//! Names beside joints.

use glam::{Vec2, Vec3};

use crate::camera::{NEAR, Normalize, View};
use crate::canvas::{Align, fill_box, stroke, text};
use crate::color::INK;
use crate::font;
use crate::image::Image;
use crate::posed_skeleton::PosedSkeleton;

/// What names stand on: the paper shines through a little.
const PAPER: [u8; 4] = [255, 255, 255, 205];
/// Directions in which a name may stand away from its joint, the best first.
const DIRECTIONS: [Vec2; 8] = [
    Vec2::new(1.0, 0.0),
    Vec2::new(-1.0, 0.0),
    Vec2::new(0.8, -0.8),
    Vec2::new(0.8, 0.8),
    Vec2::new(-0.8, -0.8),
    Vec2::new(-0.8, 0.8),
    Vec2::new(0.0, -1.0),
    Vec2::new(0.0, 1.0),
];
/// How many steps away a name is tried before it may cover another.
const STEPS: usize = 12;

/// A rectangle of pixels.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub min: Vec2,
    pub max: Vec2,
}

impl Frame {
    fn meets(&self, other: &Self) -> bool {
        self.min.cmplt(other.max).all() && other.min.cmplt(self.max).all()
    }

    fn inside(&self, size: Vec2) -> bool {
        self.min.cmpge(Vec2::ZERO).all() && self.max.cmple(size).all()
    }
}

/// Writes the names of all joints in sight, capitals `size` pixels high, each as near to its joint as it
/// has room outside of `occupied`, with a line to it.
pub(crate) fn label(
    cell: &mut Image,
    skeleton: &PosedSkeleton,
    normalize: &Normalize,
    view: &View,
    size: f32,
    occupied: &[Frame],
) {
    let whole = Vec2::new(cell.width as f32, cell.height as f32);
    let in_sight = |place: Vec3| {
        let eye = view.eye_space(normalize.apply(place));
        let pixel = (eye.z > NEAR).then(|| view.pixel(eye))?;
        (pixel.cmpge(Vec2::ZERO).all() && pixel.cmple(whole).all()).then_some(pixel)
    };
    let joints: Vec<(Vec2, &str)> = skeleton
        .joints
        .iter()
        .filter_map(|j| Some((in_sight(j.place)?, j.name.as_str())))
        .filter(|(_, name)| !name.is_empty())
        .collect();
    // Joints keep their place too: a name on one would hide it.
    let mut taken: Vec<Frame> =
        joints.iter().map(|(at, _)| Frame { min: *at - 0.5 * size, max: *at + 0.5 * size }).collect();
    taken.extend(occupied);
    let mut placed = Vec::new();
    for (i, (at, name)) in joints.iter().enumerate() {
        let frame = room_for(*at, name, size, whole, |f| {
            taken.iter().enumerate().all(|(k, other)| k == i || !f.meets(other))
        });
        taken.push(frame);
        placed.push((*at, *name, frame));
    }
    // Lines first, so that none crosses a name. A name right beside its joint needs none.
    for (at, _, frame) in &placed {
        let end = at.clamp(frame.min, frame.max);
        if at.distance(end) > size {
            stroke(cell, &[vec![*at, end]], 1.0, INK);
        }
    }
    for (_, name, frame) in &placed {
        fill_box(cell, frame.min, frame.max, PAPER);
        let baseline = Vec2::new(0.5 * (frame.min.x + frame.max.x), frame.max.y - 0.5 * size);
        text(cell, baseline, name, size, Align::Middle, INK);
    }
}

/// The nearest frame around a name that is `free`, or the first one tried when none is.
fn room_for(at: Vec2, name: &str, size: f32, whole: Vec2, free: impl Fn(&Frame) -> bool) -> Frame {
    let half = 0.5 * Vec2::new(font::width(name, size) + 0.8 * size, 2.0 * size);
    let frame = |step: usize, direction: Vec2| {
        let middle = at + direction * (half + (0.6 + step as f32) * size);
        Frame { min: middle - half, max: middle + half }
    };
    (0..STEPS)
        .flat_map(|step| DIRECTIONS.map(|d| frame(step, d)))
        .find(|f| f.inside(whole) && free(f))
        .unwrap_or_else(|| frame(0, DIRECTIONS[0]))
}
