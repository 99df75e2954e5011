//! The bones that move the creature, and where they are when it stands still.
//!
//! It faces +Z with +Y up and its left side towards +X; lengths are in metres.

use glam::{DMat3, DVec3};

/// The middle of the body from the snout to the tip of the tail.
pub(super) const AXIS: [DVec3; 15] = [
    DVec3::new(0.0, 1.40, 0.95),
    DVec3::new(0.0, 1.44, 0.66),
    DVec3::new(0.0, 1.36, 0.635),
    DVec3::new(0.0, 1.20, 0.605),
    DVec3::new(0.0, 0.99, 0.535),
    DVec3::new(0.0, 0.81, 0.395),
    DVec3::new(0.0, 0.70, 0.22),
    DVec3::new(0.0, 0.67, -0.04),
    DVec3::new(0.0, 0.655, -0.29),
    DVec3::new(0.0, 0.60, -0.54),
    DVec3::new(0.0, 0.50, -0.76),
    DVec3::new(0.0, 0.41, -0.97),
    DVec3::new(0.0, 0.365, -1.18),
    DVec3::new(0.0, 0.39, -1.37),
    DVec3::new(0.0, 0.47, -1.53),
];

/// The bone along each piece of the axis.
pub(super) const AXIS_BONES: [&str; 14] = [
    "head", "head", "neck.3", "neck.2", "neck.1", "chest", "chest", "pelvis", "tail.1", "tail.2", "tail.3",
    "tail.4", "tail.5", "tail.6",
];

/// A leg: hip, knee, ankle and toe on the left side, with the radii there.
pub(super) struct Leg {
    pub name: &'static str,
    /// 1 on the left, −1 on the right.
    pub side: f64,
    pub joints: [DVec3; 4],
    pub radii: [f64; 4],
    /// Where the knee points: 1 forward, −1 back.
    pub knee: f64,
    /// When in the stride the foot is set down, from 0 to 1.
    pub phase: f64,
    /// What the leg hangs on.
    pub root: &'static str,
}

const HIND: [DVec3; 4] = [
    DVec3::new(0.175, 0.60, -0.29),
    DVec3::new(0.205, 0.345, -0.225),
    DVec3::new(0.205, 0.115, -0.275),
    DVec3::new(0.205, 0.070, -0.190),
];
const FORE: [DVec3; 4] = [
    DVec3::new(0.155, 0.60, 0.245),
    DVec3::new(0.180, 0.345, 0.195),
    DVec3::new(0.180, 0.115, 0.230),
    DVec3::new(0.180, 0.066, 0.305),
];
const HIND_RADII: [f64; 4] = [0.165, 0.108, 0.084, 0.086];
const FORE_RADII: [f64; 4] = [0.140, 0.092, 0.078, 0.080];

/// All legs, in the order of a walk: each hind foot is followed by the fore foot of its side.
pub(super) const LEGS: [Leg; 4] = [
    leg("hind.L", 1.0, HIND, HIND_RADII, 1.0, 0.0, "pelvis"),
    leg("fore.L", 1.0, FORE, FORE_RADII, -1.0, 0.25, "chest"),
    leg("hind.R", -1.0, HIND, HIND_RADII, 1.0, 0.5, "pelvis"),
    leg("fore.R", -1.0, FORE, FORE_RADII, -1.0, 0.75, "chest"),
];

const fn leg(
    name: &'static str,
    side: f64,
    joints: [DVec3; 4],
    radii: [f64; 4],
    knee: f64,
    phase: f64,
    root: &'static str,
) -> Leg {
    Leg { name, side, joints, radii, knee, phase, root }
}

impl Leg {
    /// A point of the left leg on this leg's side.
    pub fn mirror(&self, p: DVec3) -> DVec3 {
        DVec3::new(self.side * p.x, p.y, p.z)
    }

    pub fn bone_names(&self) -> [String; 3] {
        ["thigh", "shin", "foot"].map(|part| format!("{part}.{}", self.name))
    }
}

/// A bone of the creature's own making, with a parent; what Sinew fits knows nothing of it.
pub(super) struct Bone {
    pub name: String,
    pub parent: Option<usize>,
    /// Where it turns, and where it ends.
    pub head: DVec3,
    pub tail: DVec3,
}

/// All bones, parents before children.
pub(super) fn bones() -> Vec<Bone> {
    let mut out: Vec<Bone> = Vec::new();
    let mut add = |name: &str, parent: Option<&str>, head: DVec3, tail: DVec3| {
        let parent = parent.and_then(|p| out.iter().position(|b| b.name == p));
        out.push(Bone { name: name.into(), parent, head, tail });
    };
    add("pelvis", None, AXIS[8], AXIS[7]);
    add("chest", Some("pelvis"), AXIS[7], AXIS[5]);
    add("neck.1", Some("chest"), AXIS[5], AXIS[4]);
    add("neck.2", Some("neck.1"), AXIS[4], AXIS[3]);
    add("neck.3", Some("neck.2"), AXIS[3], AXIS[2]);
    add("head", Some("neck.3"), AXIS[2], AXIS[0]);
    for i in 1..=6 {
        let parent = if i == 1 { "pelvis".into() } else { format!("tail.{}", i - 1) };
        add(&format!("tail.{i}"), Some(&parent), AXIS[7 + i], AXIS[8 + i]);
    }
    for leg in &LEGS {
        let names = leg.bone_names();
        let mut parent = leg.root;
        for part in 0..3 {
            add(&names[part], Some(parent), leg.mirror(leg.joints[part]), leg.mirror(leg.joints[part + 1]));
            parent = &names[part];
        }
    }
    out
}

/// The place on the axis nearest to a point.
pub(super) struct AxisPlace {
    pub point: DVec3,
    /// Away from the belly.
    pub up: DVec3,
    /// Metres from the snout.
    pub length: f64,
}

/// Finds the nearest place on the axis.
pub(super) fn nearest_on_axis(p: DVec3) -> AxisPlace {
    let (mut best, mut nearest, mut length) =
        (AxisPlace { point: AXIS[0], up: DVec3::Y, length: 0.0 }, f64::INFINITY, 0.0);
    for i in 0..AXIS.len() - 1 {
        let t = along(AXIS[i], AXIS[i + 1], p);
        let point = AXIS[i].lerp(AXIS[i + 1], t);
        let piece = AXIS[i].distance(AXIS[i + 1]);
        if p.distance(point) < nearest {
            nearest = p.distance(point);
            best = AxisPlace { point, up: up_at(i, t), length: length + t * piece };
        }
        length += piece;
    }
    best
}

/// The place at a length from the snout.
pub(super) fn at_length(length: f64) -> AxisPlace {
    let mut left = length;
    for i in 0..AXIS.len() - 1 {
        let piece = AXIS[i].distance(AXIS[i + 1]);
        if left <= piece || i == AXIS.len() - 2 {
            let t = (left / piece).clamp(0.0, 1.0);
            return AxisPlace { point: AXIS[i].lerp(AXIS[i + 1], t), up: up_at(i, t), length };
        }
        left -= piece;
    }
    AxisPlace { point: AXIS[0], up: DVec3::Y, length }
}

/// Metres from snout to tail tip.
pub(super) fn axis_length() -> f64 {
    AXIS.windows(2).map(|w| w[0].distance(w[1])).sum()
}

/// Square to the axis, away from the belly, turning evenly along each piece.
fn up_at(piece: usize, t: f64) -> DVec3 {
    let tangent = |i: usize| (AXIS[i.saturating_sub(1)] - AXIS[(i + 1).min(AXIS.len() - 1)]).normalize();
    tangent(piece).lerp(tangent(piece + 1), t).normalize().cross(DVec3::X)
}

/// The rotation that takes the direction `from` to `to`, and the side X as near to `side` as that allows.
pub(super) fn turn(from: DVec3, to: DVec3, side: DVec3) -> DMat3 {
    let basis = |d: DVec3, side: DVec3| {
        let x = (side - side.dot(d) * d).normalize();
        DMat3::from_cols(x, d, x.cross(d))
    };
    basis(to.normalize(), side) * basis(from.normalize(), DVec3::X).transpose()
}

/// Where on the segment from `a` (0) to `b` (1) a point is nearest.
pub(super) fn along(a: DVec3, b: DVec3, p: DVec3) -> f64 {
    let ab = b - a;
    let square = ab.length_squared();
    if square > 0.0 { ((p - a).dot(ab) / square).clamp(0.0, 1.0) } else { 0.0 }
}
