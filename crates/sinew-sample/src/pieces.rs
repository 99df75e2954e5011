//! What is not skin: eyes, crest, nails, nostrils, a smile. Each is a closed piece of its own, not
//! connected to the body.

use std::f64::consts::TAU;

use glam::{DVec3, Vec2};

use crate::shape::Body;
use crate::skeleton::{LEGS, at_length, axis_length};

/// Materials of the creature, by index.
pub(super) mod material {
    pub const SKIN: u32 = 0;
    pub const BELLY: u32 = 1;
    pub const CREST: u32 = 2;
    pub const EYE: u32 = 3;
    pub const PUPIL: u32 = 4;
    pub const NAIL: u32 = 5;
    pub const MOUTH: u32 = 6;
}

/// A closed surface swept from pole to pole.
pub(super) struct Piece {
    pub positions: Vec<DVec3>,
    /// Faces with their material; UVs hang on corners, in the same order.
    pub faces: Vec<(Vec<u32>, u32)>,
    pub uvs: Vec<Vec2>,
    /// A point of the body that the piece follows.
    pub anchor: DVec3,
}

/// Pieces that belong to one named part.
pub(super) struct NamedPieces {
    pub name: String,
    pub pieces: Vec<Piece>,
}

/// All parts but the body, in order.
pub(super) fn pieces(body: &Body) -> Vec<NamedPieces> {
    let mut out = vec![
        NamedPieces { name: "eye.L".into(), pieces: eye(body, 1.0) },
        NamedPieces { name: "eye.R".into(), pieces: eye(body, -1.0) },
        NamedPieces { name: "smile".into(), pieces: face(body) },
        NamedPieces { name: "crest".into(), pieces: crest(body) },
    ];
    for leg in &LEGS {
        let ankle = leg.mirror(leg.joints[2]);
        let toe = leg.mirror(leg.joints[3]);
        let pieces = [-0.75_f64, 0.0, 0.75].map(|turn| nail(body, ankle, toe, turn)).into();
        out.push(NamedPieces { name: format!("nails.{}", leg.name), pieces });
    }
    out
}

/// Sweeps a closed piece: `point` gives the place at t from 0 to 1 between the poles and at an angle
/// around them, `material` that of the faces just after t.
fn sweep(
    rings: usize,
    segments: usize,
    anchor: DVec3,
    point: impl Fn(f64, f64) -> DVec3,
    material: impl Fn(f64) -> u32,
) -> Piece {
    let t = |ring: usize| ring as f64 / (rings + 1) as f64;
    let mut piece = Piece { positions: vec![point(0.0, 0.0)], faces: Vec::new(), uvs: Vec::new(), anchor };
    for ring in 1..=rings {
        let angle = |s: usize| TAU * s as f64 / segments as f64;
        piece.positions.extend((0..segments).map(|s| point(t(ring), angle(s))));
    }
    piece.positions.push(point(1.0, 0.0));
    let last = piece.positions.len() as u32 - 1;
    let vertex = |ring: usize, s: usize| match ring {
        0 => 0,
        r if r > rings => last,
        r => (1 + (r - 1) * segments + s % segments) as u32,
    };
    let uv = |ring: usize, s: f64| Vec2::new((s / segments as f64) as f32, t(ring) as f32);
    for ring in 0..=rings {
        for s in 0..segments {
            let corners = [(ring, s), (ring, s + 1), (ring + 1, s + 1), (ring + 1, s)];
            // At the poles two corners of the quad are one.
            let skipped = if ring == 0 {
                1
            } else if ring == rings {
                2
            } else {
                4
            };
            let kept = || (0..4).filter(|&i| i != skipped).map(|i| corners[i]);
            piece.faces.push((kept().map(|(r, s)| vertex(r, s)).collect(), material(t(ring) + 1e-9)));
            piece.uvs.extend(kept().map(|(r, s)| {
                let pole = r == 0 || r > rings;
                uv(r, s as f64 + if pole { 0.5 } else { 0.0 })
            }));
        }
    }
    piece.face_outwards();
    piece
}

impl Piece {
    /// A sweep in a mirrored frame comes out inside out: turns its faces around then.
    fn face_outwards(&mut self) {
        let center = self.positions[0];
        let cone = |v: &[u32]| {
            let [a, b, c] = [v[0], v[1], v[2]].map(|i| self.positions[i as usize] - center);
            a.dot(b.cross(c))
        };
        if self.faces.iter().map(|(v, _)| cone(v)).sum::<f64>() >= 0.0 {
            return;
        }
        let mut start = 0;
        for (vertices, _) in &mut self.faces {
            vertices.reverse();
            self.uvs[start..start + vertices.len()].reverse();
            start += vertices.len();
        }
    }
}

/// A ball that is pulled to different lengths along three axes, the last of which has the poles.
fn ellipsoid(
    rings: usize,
    segments: usize,
    center: DVec3,
    axes: [DVec3; 3],
    material: impl Fn(f64) -> u32,
) -> Piece {
    let [x, y, z] = axes;
    let point = |t: f64, angle: f64| {
        let (sin, cos) = (std::f64::consts::PI * t).sin_cos();
        center + sin * (angle.cos() * x + angle.sin() * y) + cos * z
    };
    sweep(rings, segments, center, point, material)
}

fn ball_axes(pole: DVec3, radius: f64) -> [DVec3; 3] {
    let x = pole.cross(DVec3::Y).normalize();
    [radius * x, radius * pole.cross(x), radius * pole]
}

/// A white ball that looks ahead and a little outwards, with a large pupil and a glint.
fn eye(body: &Body, side: f64) -> Vec<Piece> {
    const RADIUS: f64 = 0.064;
    let skull = DVec3::new(0.0, 1.490, 0.675);
    let outward = DVec3::new(0.80 * side, 0.22, 0.56).normalize();
    let center = body.exit(skull, outward) - 0.030 * outward;
    let gaze = DVec3::new(0.72 * side, 0.06, 0.69).normalize();
    let material = |t: f64| if t < 0.25 { material::PUPIL } else { material::EYE };
    let ball = ellipsoid(9, 18, center, ball_axes(gaze, RADIUS), material);
    let sparkle = (gaze + 0.30 * DVec3::Y - 0.16 * side * DVec3::X + 0.10 * DVec3::Z).normalize();
    let glint =
        ellipsoid(3, 8, center + 0.95 * RADIUS * sparkle, ball_axes(sparkle, 0.0125), |_| material::EYE);
    anchored(vec![ball, glint], center)
}

fn anchored(mut pieces: Vec<Piece>, anchor: DVec3) -> Vec<Piece> {
    for piece in &mut pieces {
        piece.anchor = anchor;
    }
    pieces
}

/// The smile, a thin dark line around the snout that rises at its ends, and the nostrils.
fn face(body: &Body) -> Vec<Piece> {
    let snout = DVec3::new(0.0, 1.40, 0.93);
    let middle = DVec3::new(0.0, 1.385, 0.86);
    let line = |t: f64| {
        let turn = 2.0 * (2.0 * t - 1.0);
        let rise = 0.40 * turn.abs().powf(2.4) / 4.0;
        let direction = DVec3::new(turn.sin(), -0.16 + rise, turn.cos()).normalize();
        body.exit(middle, direction)
    };
    let point = |t: f64, angle: f64| {
        let along = (line((t + 0.01).min(1.0)) - line((t - 0.01).max(0.0))).normalize();
        let out = body.normal(line(t));
        let radius = 0.0075 * (4.0 * t * (1.0 - t)).max(0.0).powf(0.25);
        line(t) + radius * (angle.cos() * out + angle.sin() * along.cross(out).normalize())
    };
    let smile = sweep(21, 5, snout, point, |_| material::MOUTH);
    let nostril = |side: f64| {
        let out = DVec3::new(0.40 * side, 0.42, 0.80).normalize();
        let at = body.exit(DVec3::new(0.046 * side, 1.455, 0.935), out);
        let normal = body.normal(at);
        let long = DVec3::new(0.5 * side, 0.7, -0.3).reject_from_normalized(normal).normalize();
        let axes = [0.010 * normal.cross(long), 0.005 * normal, 0.017 * long];
        ellipsoid(3, 7, at, axes, |_| material::MOUTH)
    };
    anchored(vec![smile, nostril(1.0), nostril(-1.0)], snout)
}

/// Rounded plates down the back, largest behind the shoulders, each as far from the last as their sizes
/// ask.
fn crest(body: &Body) -> Vec<Piece> {
    const STEPS: usize = 400;
    let (first, last) = (0.37, axis_length() - 0.06);
    let mut out: Vec<Piece> = Vec::new();
    let mut reach = 0.0;
    for i in 0..STEPS {
        let s = i as f64 / (STEPS - 1) as f64;
        let size = 0.034 + 0.092 * (std::f64::consts::PI * s.powf(0.95)).sin().powi(2);
        let place = at_length(first + s * (last - first));
        let base = body.exit(place.point, place.up);
        if out.last().is_none_or(|p| p.anchor.distance(base) > 0.66 * (reach + size)) {
            out.push(plate(base, place.up, place.up.cross(DVec3::X).normalize(), size));
            reach = size;
        }
    }
    out
}

/// One plate: a drop with its point up and swept back, flat from side to side.
fn plate(base: DVec3, up: DVec3, back: DVec3, size: f64) -> Piece {
    let point = |t: f64, angle: f64| {
        let width = (std::f64::consts::PI * t).sin().max(0.0).powf(0.7) * (1.12 - 0.62 * t);
        let height = size * (1.45 * t - 0.35);
        let lean = 0.42 * size * t * t;
        let (sin, cos) = angle.sin_cos();
        base + height * up + (lean + 0.62 * size * width * cos) * back + 0.20 * size * width * sin * DVec3::X
    };
    sweep(5, 8, base, point, |_| material::CREST)
}

/// A nail at the front of a foot, `turn` radians from its middle.
fn nail(body: &Body, ankle: DVec3, toe: DVec3, turn: f64) -> Piece {
    let from = DVec3::new(toe.x, 0.030, toe.z - 0.01);
    let out = DVec3::new(turn.sin(), 0.0, turn.cos());
    let at = body.exit(from, out);
    let side = DVec3::Y.cross(out);
    let up = (DVec3::Y - 0.35 * out).normalize();
    let axes = [0.027 * side, 0.017 * side.cross(up), 0.029 * up];
    let mut piece = ellipsoid(3, 8, at + 0.002 * DVec3::Y, axes, |_| material::NAIL);
    piece.anchor = at.lerp(ankle, 0.05);
    piece
}
