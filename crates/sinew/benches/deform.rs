//! Time of setting a character up and of posing it, without examples and with five, on a round body of
//! 15 000, 60 000 and 240 000 triangles with 40 joints.
//!
//! `cargo bench -p sinew --bench deform`. One core: all of posing is done on the calling thread, and setting up
//! is told to.

use std::f64::consts::TAU;

use divan::{Bencher, black_box};
use glam::{DVec3, Vec3};
use sinew::deform::{Character, DeformOptions, Deformer, Example, Handles, Pose};
use sinew::geometry::Mesh;
use sinew::rig::Skeleton;

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    one.expect("the first to ask for threads");
    divan::main();
}

const SIZES: [usize; 3] = [15_000, 60_000, 240_000];
const JOINTS: usize = 40;

/// A body like a pear, its joints in a tree: a spine of ten, and six limbs of five from it.
struct Body {
    mesh: Mesh,
    rest: Vec<Vec3>,
    skeleton: Skeleton,
    joints: Vec<DVec3>,
    handles: Handles,
}

impl Body {
    /// A closed grid of about so many triangles, as many around as along.
    fn new(triangles: usize) -> Self {
        let side = ((triangles / 2) as f64).sqrt() as usize;
        let mut rest = Vec::new();
        for ring in 0..side {
            let along = (ring as f64 + 0.5) / side as f64;
            let radius = (std::f64::consts::PI * along).sin() * (1.0 - 0.3 * along);
            for i in 0..side {
                let angle = TAU * i as f64 / side as f64;
                let bumps = 1.0 + 0.02 * (20.0 * angle).sin() * (40.0 * along).cos();
                let (sin, cos) = angle.sin_cos();
                rest.push(DVec3::new(3.0 * along, bumps * radius * cos, bumps * radius * sin).as_vec3());
            }
        }
        let at = |ring: usize, i: usize| (ring * side + i % side) as u32;
        let cells = (0..side - 1).flat_map(|ring| (0..side).map(move |i| (ring, i)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(ring, i)| {
                let [a, b, c, d] = [at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1)];
                [[a, d, b], [b, d, c]]
            })
            .collect();
        let (parents, joints): (Vec<Option<usize>>, Vec<DVec3>) = (0..JOINTS).map(joint).unzip();
        // Every joint has what is within a small ball around the point of the surface beyond it.
        let beyond = |j: &DVec3| DVec3::new(j.x, 2.0 * j.y, 2.0 * j.z);
        let nearest = |v: usize| {
            let squared = |j: &DVec3| beyond(j).distance_squared(rest[v].as_dvec3());
            (0..JOINTS).min_by(|&a, &b| squared(&joints[a]).total_cmp(&squared(&joints[b]))).expect("a joint")
        };
        let mut lists = vec![Vec::new(); JOINTS];
        for v in 0..rest.len() {
            let joint = nearest(v);
            if beyond(&joints[joint]).distance(rest[v].as_dvec3()) < 0.18
                || v.is_multiple_of(side * side / 80)
            {
                lists[joint].push(v as u32);
            }
        }
        let lists: Vec<Option<Vec<u32>>> =
            lists.into_iter().map(|list| Some(list).filter(|list| !list.is_empty())).collect();
        let handles = Handles::from_lists(rest.len(), &lists).expect("apart");
        let mesh = Mesh::from_triangles(rest.len(), &triangles);
        Self { mesh, rest, skeleton: Skeleton { parents }, joints, handles }
    }

    fn deformer(&self, examples: &[Example]) -> Deformer {
        let character =
            Character { mesh: &self.mesh, rest: &self.rest, skeleton: &self.skeleton, joints: &self.joints };
        Deformer::new(&character, &self.handles, examples, &DeformOptions::default()).expect("set up")
    }

    fn pose(&self, seed: f64) -> Pose {
        let mut pose = Pose::rest(&self.skeleton, &self.joints);
        for (joint, turn) in pose.turns.iter_mut().enumerate() {
            *turn = 0.4 * DVec3::new(seed, 1.7 * seed, 2.3 * seed).map(|x| (x + joint as f64).sin());
        }
        pose
    }

    fn examples(&self) -> Vec<Example> {
        let plain = self.deformer(&[]);
        let example = |number: usize| {
            let pose = self.pose(number as f64 + 0.5);
            let mut positions = plain.pose(&pose);
            let swell = |p: &Vec3| 0.05 * (3.0 * p.x + number as f32).sin();
            positions.iter_mut().zip(&self.rest).for_each(|(q, p)| *q += swell(p) * Vec3::new(0.2, p.y, p.z));
            Example { positions, pose }
        };
        (0..5).map(example).collect()
    }
}

/// Parent and place of a joint.
fn joint(number: usize) -> (Option<usize>, DVec3) {
    if number < 10 {
        return (number.checked_sub(1), DVec3::new(0.3 * number as f64 + 0.1, 0.0, 0.0));
    }
    let (limb, step) = ((number - 10) / 5, (number - 10) % 5);
    let angle = TAU * limb as f64 / 6.0;
    let parent = if step == 0 { 1 + limb } else { number - 1 };
    let out = 0.15 + 0.06 * step as f64;
    (
        Some(parent),
        DVec3::new(0.5 + 0.3 * limb as f64 + 0.12 * step as f64, out * angle.cos(), out * angle.sin()),
    )
}

/// Handles to factored systems, once for a character.
#[divan::bench(args = SIZES, sample_count = 5)]
fn set_up(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    bencher.bench_local(|| body.deformer(&[]));
}

/// One pose without examples.
#[divan::bench(args = SIZES, sample_count = 20)]
fn pose(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    let deformer = body.deformer(&[]);
    bench_poses(bencher, &body, &deformer);
}

/// One pose with five examples at all triangles.
#[divan::bench(args = SIZES, sample_count = 20)]
fn pose_with_examples(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    let deformer = body.deformer(&body.examples());
    bench_poses(bencher, &body, &deformer);
}

fn bench_poses(bencher: Bencher, body: &Body, deformer: &Deformer) {
    let mut poser = deformer.poser();
    let mut out = vec![Vec3::ZERO; body.rest.len()];
    let pose = body.pose(3.3);
    bencher.bench_local(|| {
        poser.pose_into(black_box(&pose), &mut out);
        out[0]
    });
}
