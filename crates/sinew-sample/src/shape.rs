//! The creature's body as an implicit surface: tapered capsules along a skeleton, joined smoothly.

use glam::{DVec3, DVec4};

use crate::skeleton::{self, Bone, along};

/// A tapered capsule: everything within a radius, which changes from `ra` at `a` to `rb` at `b`, of the
/// segment between them.
pub(super) struct Capsule {
    pub a: DVec3,
    pub ra: f64,
    pub b: DVec3,
    pub rb: f64,
    /// How far its join with the rest is rounded, in metres.
    pub join: f64,
    /// The bone it hangs on.
    pub bone: usize,
}

/// Distance, negative inside, and its gradient.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub distance: f64,
    pub gradient: DVec3,
}

impl Capsule {
    fn field(&self, p: DVec3) -> Field {
        let t = along(self.a, self.b, p);
        let offset = p - self.a.lerp(self.b, t);
        let length = offset.length();
        let gradient = if length > 1e-12 { offset / length } else { DVec3::Y };
        Field { distance: length - (self.ra + t * (self.rb - self.ra)), gradient }
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        self.field(p).distance
    }
}

/// The union of two solids, with the crease between them filled over a width of `k`: the quadratic smooth
/// minimum.
fn join(a: Field, b: Field, k: f64) -> Field {
    let h = (0.5 + 0.5 * (b.distance - a.distance) / k).clamp(0.0, 1.0);
    Field {
        distance: b.distance + h * (a.distance - b.distance) - k * h * (1.0 - h),
        gradient: b.gradient.lerp(a.gradient, h),
    }
}

/// Height of the soles, and how round their edges are.
const SOLE: f64 = 0.004;
const SOLE_ROUND: f64 = 0.035;

/// The whole body.
pub(super) struct Body {
    pub capsules: Vec<Capsule>,
}

impl Body {
    pub fn new(bones: &[Bone]) -> Self {
        Self { capsules: capsules(bones) }
    }

    /// The signed distance, near enough for the surface to be found along the gradient.
    pub fn field(&self, p: DVec3) -> Field {
        let nothing = Field { distance: 1e3, gradient: DVec3::Y };
        let all = self.capsules.iter().fold(nothing, |sum, c| join(sum, c.field(p), c.join));
        // The ground cuts the feet flat: an intersection is a union of what is left out.
        let below = Field { distance: p.y - SOLE, gradient: DVec3::Y };
        let outside = Field { distance: -all.distance, gradient: -all.gradient };
        let cut = join(outside, below, SOLE_ROUND);
        Field { distance: -cut.distance, gradient: -cut.gradient }
    }

    /// The point of the surface down (or up) the gradient from `p`.
    pub fn project(&self, p: DVec3) -> DVec3 {
        let mut p = p;
        for _ in 0..3 {
            let f = self.field(p);
            p -= f.distance * f.gradient / f.gradient.length_squared().max(0.1);
        }
        p
    }

    pub fn normal(&self, p: DVec3) -> DVec3 {
        self.field(p).gradient.try_normalize().unwrap_or(DVec3::Y)
    }

    /// Where a ray from inside leaves the body.
    pub fn exit(&self, from: DVec3, direction: DVec3) -> DVec3 {
        let mut p = from;
        for _ in 0..60 {
            let d = self.field(p).distance;
            if d > -1e-4 {
                break;
            }
            p -= 0.7 * d * direction;
        }
        p
    }
}

/// Radii along the axis from snout to tail tip, at the points of [`skeleton::AXIS`].
const AXIS_RADII: [f64; 15] =
    [0.098, 0.135, 0.112, 0.110, 0.128, 0.172, 0.250, 0.285, 0.255, 0.170, 0.124, 0.092, 0.071, 0.058, 0.050];

fn bone_index(bones: &[Bone], name: &str) -> usize {
    bones.iter().position(|b| b.name == name).unwrap_or(0)
}

/// The trunk: capsules along a smooth curve through the points of the axis behind the snout.
fn axis_capsules(bones: &[Bone]) -> Vec<Capsule> {
    const PIECES: usize = 3;
    let last = skeleton::AXIS.len() - 1;
    let at = |i: usize, t: f64| {
        let near = [i.saturating_sub(1).max(1), i, i + 1, (i + 2).min(last)];
        let point = catmull_rom(near.map(|k| skeleton::AXIS[k].extend(AXIS_RADII[k])), t);
        (point.truncate(), point.w)
    };
    let mut out = Vec::new();
    for i in 1..last {
        for piece in 0..PIECES {
            let ((a, ra), (b, rb)) =
                (at(i, piece as f64 / PIECES as f64), at(i, (piece + 1) as f64 / PIECES as f64));
            let bone = bone_index(bones, skeleton::AXIS_BONES[i]);
            out.push(Capsule { a, ra, b, rb, join: 0.002, bone });
        }
    }
    out
}

/// The curve through the middle two of four points (Catmull and Rom 1974).
fn catmull_rom([a, b, c, d]: [DVec4; 4], t: f64) -> DVec4 {
    let (from, to) = (0.5 * (c - a), 0.5 * (d - b));
    let (s, u) = (t * t, t * t * t);
    (2.0 * u - 3.0 * s + 1.0) * b + (u - 2.0 * s + t) * from + (3.0 * s - 2.0 * u) * c + (u - s) * to
}

fn capsules(bones: &[Bone]) -> Vec<Capsule> {
    let bone = |name: &str| bone_index(bones, name);
    let mut out = axis_capsules(bones);
    let round = |at: [f64; 3], r: f64, join: f64, name: &str| {
        let at = DVec3::from_array(at);
        Capsule { a: at, ra: r, b: at, rb: r, join, bone: bone(name) }
    };
    out.push(round([0.0, 0.57, -0.02], 0.255, 0.10, "pelvis"));
    out.push(round([0.0, 1.485, 0.665], 0.168, 0.06, "head"));
    out.push(Capsule {
        a: DVec3::new(0.0, 1.425, 0.76),
        ra: 0.128,
        b: DVec3::new(0.0, 1.400, 0.925),
        rb: 0.108,
        join: 0.06,
        bone: bone("head"),
    });
    for side in [1.0, -1.0] {
        out.push(round([0.078 * side, 1.405, 0.80], 0.088, 0.05, "head"));
        out.push(round([0.104 * side, 1.572, 0.700], 0.052, 0.06, "head"));
        out.push(round([0.047 * side, 1.462, 0.955], 0.036, 0.05, "head"));
    }
    for leg in skeleton::LEGS {
        let names = leg.bone_names();
        for part in 0..3 {
            let mirrored = leg.joints.map(|j| leg.mirror(j));
            out.push(Capsule {
                a: mirrored[part],
                ra: leg.radii[part],
                b: mirrored[part + 1],
                rb: leg.radii[part + 1],
                join: if part == 0 { 0.09 } else { 0.035 },
                bone: bone(&names[part]),
            });
        }
    }
    out
}
