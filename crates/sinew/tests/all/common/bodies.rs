//! Bodies with a known skeleton: limbs of round cross-section, grown together and carried by linear blend
//! skinning.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::{DQuat, DVec3, IVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::{Mesh, angle_between};
use sinew::rig::{JointPose, Skeleton};

/// A joint and the limb that it moves.
#[derive(Clone)]
pub struct Limb {
    pub parent: Option<usize>,
    /// The joint, and where the limb ends.
    pub from: DVec3,
    pub to: DVec3,
    pub radius: f64,
    /// Turns about axes, one after the other: axis, degrees to either side, when it begins (0 to 1).
    pub swings: Vec<(DVec3, f64, f64)>,
}

/// A limb from one place to another.
pub fn limb(parent: Option<usize>, ends: [[f64; 3]; 2], radius: f64, swings: &[(DVec3, f64, f64)]) -> Limb {
    let [from, to] = ends.map(DVec3::from_array);
    Limb { parent, from, to, radius, swings: swings.to_vec() }
}

/// A surface around limbs.
pub struct Body {
    pub limbs: Vec<Limb>,
    pub faces: Vec<[u32; 4]>,
    pub rest: Vec<DVec3>,
    /// Limbs that carry each vertex, and how much.
    pub weights: Vec<Vec<(usize, f64)>>,
}

/// How softly weights go from limb to limb, as a share of the limbs' radius.
const SOFT: f64 = 0.15;
/// Rounds of smoothing that take the steps out of the surface.
const SMOOTHING: usize = 4;

impl Body {
    /// Grows a surface of squares of about this size.
    pub fn new(limbs: Vec<Limb>, cell: f64) -> Self {
        let (faces, rest) = surface(&limbs, cell);
        let weights = rest.iter().map(|p| weights_at(&limbs, *p)).collect();
        Self { limbs, faces, rest, weights }
    }

    /// Two bodies as one, each with a surface of its own; limbs of the second are numbered after the first's.
    pub fn with(mut self, other: Self) -> Self {
        let (limbs, vertices) = (self.limbs.len(), self.rest.len() as u32);
        self.limbs.extend(other.limbs);
        self.faces.extend(other.faces.iter().map(|f| f.map(|v| v + vertices)));
        self.rest.extend(other.rest);
        let moved = |w: Vec<(usize, f64)>| w.into_iter().map(|(b, w)| (b + limbs, w)).collect();
        self.weights.extend(other.weights.into_iter().map(moved));
        self
    }

    pub fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.limbs.iter().map(|l| l.parent).collect())
    }

    pub fn joints(&self) -> Vec<DVec3> {
        self.limbs.iter().map(|l| l.from).collect()
    }

    /// The pose at a time from 0 to 1; the body also sways and goes along.
    pub fn pose(&self, time: f64) -> JointPose {
        let turn = |l: &Limb| {
            let swing = |&(axis, most, begins): &(DVec3, f64, f64)| {
                DQuat::from_axis_angle(axis, most.to_radians() * (TAU * (time + begins)).sin())
            };
            l.swings.iter().map(swing).fold(DQuat::IDENTITY, |sum, turn| sum * turn)
        };
        let mut places = vec![DVec3::ZERO; self.limbs.len()];
        for (limb, place) in self.limbs.iter().zip(&mut places).filter(|(l, _)| l.parent.is_none()) {
            *place = limb.from + DVec3::new(0.3 * time, 0.05 * (2.0 * TAU * time).sin(), 0.0);
        }
        JointPose { turns: self.limbs.iter().map(turn).collect(), places }
    }

    pub fn poses(&self, frames: usize) -> Vec<JointPose> {
        (0..frames).map(|t| self.pose(t as f64 / frames as f64)).collect()
    }

    /// How far a joint turns between any two of so many frames, in degrees.
    pub fn bend(&self, joint: usize, frames: usize) -> f64 {
        let poses = self.poses(frames);
        let pairs = poses.iter().flat_map(|a| poses.iter().map(move |b| (a.turns[joint], b.turns[joint])));
        pairs.map(|(a, b)| angle_between(a, b).to_degrees()).fold(0.0, f64::max)
    }

    /// Where the vertices are in a pose.
    pub fn posed(&self, pose: &JointPose) -> Vec<Vec3> {
        let transforms = self.skeleton().transforms(&self.joints(), pose);
        let carried = |(p, w): (&DVec3, &Vec<(usize, f64)>)| {
            w.iter().map(|&(b, w)| w * transforms[b].transform_point3(*p)).sum::<DVec3>().as_vec3()
        };
        self.rest.iter().zip(&self.weights).map(carried).collect()
    }

    pub fn animation(&self, frames: usize) -> MeshAnimation {
        let mut mesh = Mesh { vertex_count: self.rest.len(), ..Mesh::default() };
        self.faces.iter().for_each(|f| mesh.push_face(f));
        let poses: Vec<Vec<Vec3>> = self.poses(frames).iter().map(|pose| self.posed(pose)).collect();
        MeshAnimation {
            mesh,
            rest: Some(self.rest.iter().map(|p| p.as_vec3()).collect()),
            frames: Frames::from_poses(&poses),
            fps: 30.0,
            clips: Vec::new(),
            nodes: Vec::new(),
        }
    }
}

/// How far a place is outside a limb.
fn outside(limb: &Limb, p: DVec3) -> f64 {
    let along = limb.to - limb.from;
    let share = ((p - limb.from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(limb.from + share * along) - limb.radius
}

fn weights_at(limbs: &[Limb], p: DVec3) -> Vec<(usize, f64)> {
    let far: Vec<f64> = limbs.iter().map(|l| outside(l, p) / (SOFT * l.radius)).collect();
    let least = far.iter().copied().fold(f64::INFINITY, f64::min);
    let all = || far.iter().map(|d| (least - d).exp()).enumerate().filter(|(_, w)| *w > 0.01);
    let sum: f64 = all().map(|(_, w)| w).sum();
    all().map(|(b, w)| (b, w / sum)).collect()
}

/// The sides of all cubes inside the limbs that face cubes outside, smoothed.
fn surface(limbs: &[Limb], cell: f64) -> (Vec<[u32; 4]>, Vec<DVec3>) {
    let inside = |c: IVec3| {
        let middle = (c.as_dvec3() + 0.5) * cell;
        limbs.iter().any(|l| outside(l, middle) < 0.0)
    };
    let low = limbs.iter().map(|l| l.from.min(l.to) - l.radius).reduce(DVec3::min).expect("a limb");
    let high = limbs.iter().map(|l| l.from.max(l.to) + l.radius).reduce(DVec3::max).expect("a limb");
    let (low, high) = ((low / cell).floor().as_ivec3() - 1, (high / cell).ceil().as_ivec3() + 1);
    let mut numbers: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let mut faces = Vec::new();
    for x in low.x..high.x {
        for y in low.y..high.y {
            for z in low.z..high.z {
                let cube = IVec3::new(x, y, z);
                if !inside(cube) {
                    continue;
                }
                for (side, corners) in SIDES {
                    if !inside(cube + IVec3::from_array(side)) {
                        faces.push(corners.map(|c| {
                            let next = numbers.len() as u32;
                            *numbers.entry((cube + IVec3::from_array(c)).to_array()).or_insert(next)
                        }));
                    }
                }
            }
        }
    }
    let mut places = vec![DVec3::ZERO; numbers.len()];
    numbers.iter().for_each(|(c, v)| places[*v as usize] = IVec3::from_array(*c).as_dvec3() * cell);
    for _ in 0..SMOOTHING {
        let mut sums = vec![(DVec3::ZERO, 0.0); places.len()];
        for face in &faces {
            for k in 0..4 {
                let sum = &mut sums[face[k] as usize];
                *sum = (sum.0 + places[face[(k + 1) % 4] as usize], sum.1 + 1.0);
            }
        }
        places.iter_mut().zip(sums).for_each(|(p, (sum, n))| *p = 0.5 * (*p + sum / n));
    }
    (faces, places)
}

/// Directions out of a cube and the corners of its side there, anticlockwise from outside.
const SIDES: [([i32; 3], [[i32; 3]; 4]); 6] = [
    ([1, 0, 0], [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]]),
    ([-1, 0, 0], [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]]),
    ([0, 1, 0], [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]]),
    ([0, -1, 0], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]),
    ([0, 0, 1], [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]),
    ([0, 0, -1], [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]]),
];

/// A trunk with an arm: shoulder and wrist turn about two axes, the elbow about one.
pub fn arm() -> Body {
    let z = DVec3::Z;
    Body::new(
        vec![
            limb(None, [[0.0, 0.0, 0.0], [0.0, 0.7, 0.0]], 0.2, &[(z, 4.0, 0.0)]),
            limb(
                Some(0),
                [[0.2, 0.62, 0.0], [0.75, 0.6, 0.05]],
                0.1,
                &[(z, 35.0, 0.1), (DVec3::Y, 25.0, 0.4)],
            ),
            limb(Some(1), [[0.75, 0.6, 0.05], [1.25, 0.6, 0.0]], 0.09, &[(z, 40.0, 0.3)]),
            limb(
                Some(2),
                [[1.25, 0.6, 0.0], [1.5, 0.6, 0.0]],
                0.09,
                &[(DVec3::Y, 30.0, 0.6), (z, 20.0, 0.2)],
            ),
        ],
        0.045,
    )
}

/// A body on four legs with a neck, a head and a tail; its two halves bend as well.
pub fn quadruped() -> Body {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let mut limbs = vec![
        limb(None, [[-0.5, 0.9, 0.0], [0.0, 0.92, 0.0]], 0.19, &[(z, 5.0, 0.2)]),
        limb(Some(0), [[0.0, 0.92, 0.0], [0.5, 0.9, 0.0]], 0.2, &[(z, 14.0, 0.7), (y, 8.0, 0.4)]),
        limb(Some(1), [[0.6, 1.0, 0.0], [0.85, 1.35, 0.0]], 0.1, &[(z, 22.0, 0.1), (x, 10.0, 0.8)]),
        limb(Some(2), [[0.85, 1.35, 0.0], [1.15, 1.3, 0.0]], 0.11, &[(z, 20.0, 0.5)]),
        limb(Some(0), [[-0.68, 0.95, 0.0], [-1.2, 0.85, 0.0]], 0.07, &[(y, 30.0, 0.3), (z, 15.0, 0.0)]),
    ];
    for (root, front, phase) in [(0, -0.5, 0.0), (1, 0.48, 0.25)] {
        for side in [-1.0, 1.0] {
            let (wide, phase) = (0.15 * side, phase + 0.25 * (1.0 + side));
            let knee = [front + 0.03, 0.42, wide];
            let thigh = [(z, 28.0, phase), (x, 8.0, phase + 0.3)];
            limbs.push(limb(Some(root), [[front, 0.8, wide], knee], 0.09, &thigh));
            limbs.push(limb(
                Some(limbs.len() - 1),
                [knee, [front, 0.05, wide]],
                0.075,
                &[(z, 30.0, phase + 0.35)],
            ));
        }
    }
    Body::new(limbs, 0.05)
}

/// A body on two legs that faces z, with legs, arms and a head of such sizes: pelvis, chest, head, then upper
/// arm, forearm, thigh, shin and foot of the right side and of the left.
pub fn biped(leg: f64, arm: f64, head: f64) -> Body {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let hips = 0.08 + 0.9 * leg;
    let top = hips + 0.62;
    let mut limbs = vec![
        limb(None, [[0.0, hips, 0.0], [0.0, hips + 0.25, 0.0]], 0.13, &[(y, 5.0, 0.2)]),
        limb(
            Some(0),
            [[0.0, hips + 0.25, 0.0], [0.0, hips + 0.5, 0.0]],
            0.14,
            &[(y, 10.0, 0.7), (x, 8.0, 0.1)],
        ),
        limb(
            Some(1),
            [[0.0, top, 0.0], [0.0, top + 0.22 * head, 0.02]],
            0.1 * head,
            &[(y, 20.0, 0.4), (x, 12.0, 0.0)],
        ),
    ];
    for (side, phase) in [(-1.0, 0.0), (1.0, 0.5)] {
        let elbow = [0.34 * side, hips + 0.5 - 0.28 * arm, -0.04];
        let wrist = [0.37 * side, hips + 0.5 - 0.52 * arm, 0.12 * arm];
        let upper = limbs.len();
        let swing = [(x, 30.0, phase), (z, 10.0, phase + 0.2)];
        limbs.push(limb(Some(1), [[0.22 * side, hips + 0.48, 0.0], elbow], 0.055, &swing));
        limbs.push(limb(Some(upper), [elbow, wrist], 0.05, &[(x, 25.0, phase + 0.3)]));
        let (knee, ankle) = ([0.1 * side, 0.08 + 0.45 * leg, 0.07], [0.1 * side, 0.08, -0.03]);
        let swing = [(x, 28.0, phase + 0.5), (z, 6.0, phase)];
        limbs.push(limb(Some(0), [[0.1 * side, hips - 0.02, 0.0], knee], 0.08, &swing));
        limbs.push(limb(Some(upper + 2), [knee, ankle], 0.06, &[(x, 25.0, phase + 0.8)]));
        limbs.push(limb(Some(upper + 3), [ankle, [0.1 * side, 0.06, 0.2]], 0.05, &[(x, 18.0, phase + 0.1)]));
    }
    Body::new(limbs, 0.04)
}

/// The biped with a further joint in each thigh, which turns less than the knee, and with longer toes.
pub fn biped_with_split_thighs() -> Body {
    let (mut limbs, mut last_of) = (Vec::new(), Vec::new());
    for whole in biped(1.0, 1.0, 1.0).limbs {
        let parent = whole.parent.map(|p| last_of[p]);
        let is_thigh = whole.parent == Some(0) && whole.to.y < whole.from.y;
        let is_foot = whole.from.y < 0.1;
        let to = if is_foot { whole.to + 0.12 * DVec3::Z } else { whole.to };
        if is_thigh || is_foot {
            let middle = 0.5 * (whole.from + to);
            limbs.push(Limb { parent, to: middle, ..whole.clone() });
            let (parent, axis) = (Some(limbs.len() - 1), if is_foot { DVec3::X } else { DVec3::Z });
            limbs.push(Limb { parent, from: middle, to, swings: vec![(axis, 16.0, 0.3)], ..whole });
        } else {
            limbs.push(Limb { parent, ..whole });
        }
        last_of.push(limbs.len() - 1);
    }
    Body::new(limbs, 0.04)
}

/// A straight tube whose joints all turn about one axis.
pub fn tube() -> Body {
    let piece = |k: usize| {
        let at = |k: usize| [0.4 * k as f64, 0.0, 0.0];
        let swing = (DVec3::Z, if k == 0 { 5.0 } else { 24.0 }, 0.21 * k as f64);
        limb(k.checked_sub(1), [at(k), at(k + 1)], 0.1, &[swing])
    };
    Body::new((0..5).map(piece).collect(), 0.04)
}

/// The arm cut in two at the elbow, the forearm beginning so far from it.
pub fn cut_arm(gap: f64) -> Body {
    let whole = arm().limbs;
    let mut upper = whole[..2].to_vec();
    let mut lower = whole[2..].to_vec();
    upper[1].to.x -= 0.5 * gap;
    lower[0].from.x += 0.5 * gap;
    let mut body = Body::new(upper, 0.045).with(Body::new(lower, 0.045));
    body.limbs = whole;
    body
}
