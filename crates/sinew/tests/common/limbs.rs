//! Round limbs and wavy sheets with joints in them.

// Each test program uses some of these.
#![allow(dead_code)]

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

/// A closed tube along x from 0 to `length`, of radius 1, with `around` vertices in each of `rings` + 1 rings,
/// a chain of joints at these places, and handles around the middle of what lies between two joints, `free`
/// away from either.
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
    Limb { mesh, rest, skeleton: Skeleton { parents }, joints, lists }
}
