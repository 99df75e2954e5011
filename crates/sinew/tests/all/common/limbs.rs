//! Round limbs and wavy sheets with joints in them.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3};
use sinew::deform::{Character, Handles, Pose};
use sinew::geometry::Mesh;
use sinew::rig::{Skeleton, SkinWeights};

/// A mesh with a skeleton and handles.
#[derive(Clone)]
pub struct Limb {
    pub mesh: Mesh,
    pub rest: Vec<Vec3>,
    pub skeleton: Skeleton,
    pub joints: Vec<DVec3>,
    pub lists: Vec<Option<Vec<u32>>>,
}

impl Limb {
    pub fn character(&self) -> Character<'_> {
        Character { mesh: &self.mesh, rest: &self.rest, skeleton: &self.skeleton, joints: &self.joints }
    }

    pub fn handles(&self) -> Handles {
        Handles::from_lists(self.rest.len(), &self.lists).unwrap()
    }

    pub fn rest_pose(&self) -> Pose {
        Pose::rest(&self.skeleton, &self.joints)
    }

    /// The pose in which one joint is turned about z.
    pub fn bent(&self, joint: usize, degrees: f64) -> Pose {
        let mut pose = self.rest_pose();
        pose.turns[joint] = DVec3::Z * degrees.to_radians();
        pose
    }

    pub fn triangles(&self) -> Vec<[u32; 3]> {
        self.mesh.triangles(&self.rest)
    }

    /// Linear blend skinning of a pose.
    pub fn blended(&self, weights: &SkinWeights, pose: &Pose) -> Vec<Vec3> {
        let transforms = pose.transforms(&self.skeleton, &self.joints);
        let carried = |(v, p): (usize, &Vec3)| {
            let (bones, shares) = weights.of(v);
            let all = bones.iter().zip(shares);
            let place =
                |(b, w): (&u32, &f32)| transforms[*b as usize].transform_point3(p.as_dvec3()) * f64::from(*w);
            all.map(place).sum::<DVec3>().as_vec3()
        };
        self.rest.iter().enumerate().map(carried).collect()
    }
}

/// A closed tube along x from 0 to `length`, of radius 1, with `around` vertices in each of `rings` + 1
/// rings, a chain of joints at these places, and handles around the middle of what lies between two joints,
/// `free` away from either.
pub fn tube(length: f64, rings: usize, around: usize, places: &[f64], free: f64) -> Limb {
    let mut rest = Vec::new();
    let mut mesh = Mesh::default();
    for ring in 0..=rings {
        let x = length * ring as f64 / rings as f64;
        for i in 0..around {
            let angle = TAU * (i as f64 + 0.5 * (ring % 2) as f64) / around as f64;
            rest.push(DVec3::new(x, angle.cos(), angle.sin()).as_vec3());
        }
    }
    let at = |ring: usize, i: usize| (ring * around + i % around) as u32;
    for ring in 0..rings {
        for i in 0..around {
            let [a, b, c, d] = [at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1)];
            let cuts = if ring % 2 == 0 { [[a, d, b], [b, d, c]] } else { [[a, d, c], [a, c, b]] };
            cuts.iter().for_each(|t| mesh.push_face(t));
        }
    }
    for (ring, x) in [(0, 0.0), (rings, length)] {
        let middle = rest.len() as u32;
        rest.push(Vec3::new(x as f32, 0.0, 0.0));
        for i in 0..around {
            let [a, b] = [at(ring, i), at(ring, i + 1)];
            mesh.push_face(&if ring == 0 { [a, middle, b] } else { [a, b, middle] });
        }
    }
    mesh.vertex_count = rest.len();
    let parents = (0..places.len()).map(|joint| joint.checked_sub(1)).collect();
    let lists = (0..places.len())
        .map(|joint| {
            let from = if joint == 0 { f64::NEG_INFINITY } else { places[joint] + free };
            let to = places.get(joint + 1).map_or(f64::INFINITY, |next| next - free);
            let inside = |p: &Vec3| (from..=to).contains(&f64::from(p.x));
            Some((0..).zip(&rest).filter(|(_, p)| inside(p)).map(|(v, _)| v).collect())
        })
        .collect();
    let joints = places.iter().map(|&x| DVec3::new(x, 0.0, 0.0)).collect();
    Limb { mesh, rest, skeleton: Skeleton::new(parents), joints, lists }
}

/// A sheet along x with waves across, of 200 × 60 cells, with a chain of five joints that each have a strip.
pub struct Sheet {
    pub limb: Limb,
    pub length: f64,
    /// How far waves stand out to either side.
    pub height: f64,
}

const CELLS: [usize; 2] = [200, 60];

impl Sheet {
    pub fn new() -> Self {
        let (length, height) = (20.0, 0.2);
        let mut mesh = Mesh { vertex_count: (CELLS[0] + 1) * (CELLS[1] + 1), ..Mesh::default() };
        let at = |i: usize, j: usize| (i * (CELLS[1] + 1) + j) as u32;
        for (i, j) in (0..CELLS[0]).flat_map(|i| (0..CELLS[1]).map(move |j| (i, j))) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let cuts = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            cuts.iter().for_each(|t| mesh.push_face(t));
        }
        let skeleton = Skeleton::new((0..5_usize).map(|j| j.checked_sub(1)).collect());
        let joints = (0..5).map(|j| DVec3::new(length * f64::from(j) / 5.0, 0.0, 0.0)).collect();
        let mut sheet = Self {
            limb: Limb { mesh, rest: Vec::new(), skeleton, joints, lists: Vec::new() },
            length,
            height,
        };
        sheet.limb.rest = sheet.rolled(0.0);
        let strips = [[0.0, 0.4], [5.5, 6.5], [9.5, 10.5], [13.5, 14.5], [19.6, 20.0]];
        let inside = |[from, to]: [f32; 2]| {
            let all = (0..).zip(&sheet.limb.rest);
            Some(all.filter(|(_, p)| (from..=to).contains(&p.x)).map(|(v, _)| v).collect())
        };
        sheet.limb.lists = strips.map(inside).to_vec();
        sheet
    }

    /// The sheet rolled up by so many degrees in all.
    pub fn rolled(&self, degrees: f64) -> Vec<Vec3> {
        let whole = degrees.to_radians();
        let place = |i: usize, j: usize| {
            let x = self.length * i as f64 / CELLS[0] as f64;
            let y = 6.0 * j as f64 / CELLS[1] as f64;
            let z = self.height * (TAU * x).sin() * (TAU * y / 2.0).cos();
            if whole == 0.0 {
                return DVec3::new(x, y, z).as_vec3();
            }
            let (radius, angle) = (self.length / whole, whole * x / self.length);
            let (sin, cos) = angle.sin_cos();
            DVec3::new((radius - z) * sin, y, radius - (radius - z) * cos).as_vec3()
        };
        (0..=CELLS[0]).flat_map(|i| (0..=CELLS[1]).map(move |j| (i, j))).map(|(i, j)| place(i, j)).collect()
    }

    /// The pose in which the joints turn by so many degrees in all.
    pub fn pose(&self, degrees: f64) -> Pose {
        let mut pose = self.limb.rest_pose();
        pose.turns[1..].iter_mut().for_each(|turn| *turn = -DVec3::Y * (degrees / 4.0).to_radians());
        pose
    }

    /// How far the two ends are apart, as a share of the length, and the height of the waves as a share of
    /// what it was, of a sheet that is rolled up to a cylinder.
    pub fn closed(&self, posed: &[Vec3]) -> (f64, f64) {
        let last = CELLS[0] * (CELLS[1] + 1);
        let gaps = (0..=CELLS[1]).map(|j| f64::from(posed[j].distance(posed[last + j])));
        let gap = gaps.fold(0.0, f64::max) / self.length;
        let middle = posed.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / posed.len() as f64;
        let radius = |p: &Vec3| (p.as_dvec3() - middle).with_y(0.0).length();
        let mean = posed.iter().map(radius).sum::<f64>() / posed.len() as f64;
        let rms = |all: &mut dyn Iterator<Item = f64>| {
            (all.map(|x| x * x).sum::<f64>() / posed.len() as f64).sqrt()
        };
        let before = rms(&mut self.limb.rest.iter().map(|p| f64::from(p.z)));
        (gap, rms(&mut posed.iter().map(|p| radius(p) - mean)) / before)
    }
}
