//! Time of setting a character up, also from examples that were kept, and of posing it, without examples, with five
//! at all triangles and with five at anchors, on a body of 15 000, 60 000 and 240 000 triangles with 40 joints.
//!
//! `cargo bench -p sinew --bench deform`. One core: all of posing is done on the calling thread, and setting up
//! is told to.

use std::f64::consts::TAU;

use divan::{Bencher, black_box};
use glam::{DVec3, Vec3};
use sinew::deform::anchors::AnchorOptions;
use sinew::deform::{Character, DeformOptions, Deformer, Example, Handles, Pose};
use sinew::geometry::Mesh;
use sinew::progress::Silent;
use sinew::rig::Skeleton;

fn main() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    one.expect("the first to ask for threads");
    divan::main();
}

const SIZES: [usize; 3] = [15_000, 60_000, 240_000];
const JOINTS: usize = 40;
const LENGTH: f64 = 12.0;

/// A body like a caterpillar, with a chain of joints.
struct Body {
    mesh: Mesh,
    rest: Vec<Vec3>,
    skeleton: Skeleton,
    joints: Vec<DVec3>,
    handles: Handles,
}

impl Body {
    /// A grid around a line of about so many triangles, half as many around as along. Two thirds of it are in
    /// handles, which is what skin weights of characters give.
    fn new(triangles: usize) -> Self {
        let around = ((triangles / 4) as f64).sqrt() as usize;
        let along = 2 * around;
        let mut rest = Vec::new();
        for ring in 0..along {
            let x = (ring as f64 + 0.5) / along as f64;
            let radius = 0.3 + 0.5 * (std::f64::consts::PI * x).sin();
            for i in 0..around {
                let angle = TAU * i as f64 / around as f64;
                let bumps = 1.0 + 0.05 * (20.0 * angle).sin() * (90.0 * x).cos();
                let (sin, cos) = angle.sin_cos();
                rest.push(DVec3::new(LENGTH * x, bumps * radius * cos, bumps * radius * sin).as_vec3());
            }
        }
        let at = |ring: usize, i: usize| (ring * around + i % around) as u32;
        let cells = (0..along - 1).flat_map(|ring| (0..around).map(move |i| (ring, i)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(ring, i)| {
                let [a, b, c, d] = [at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1)];
                [[a, d, b], [b, d, c]]
            })
            .collect();
        let step = LENGTH / JOINTS as f64;
        let joints: Vec<DVec3> = (0..JOINTS).map(|j| DVec3::X * (step * j as f64)).collect();
        let mut lists = vec![Vec::new(); JOINTS];
        for (v, p) in (0..).zip(&rest) {
            let place = f64::from(p.x) / step;
            if (0.17..0.83).contains(&place.fract()) {
                lists[(place as usize).min(JOINTS - 1)].push(v);
            }
        }
        let lists: Vec<Option<Vec<u32>>> = lists.into_iter().map(Some).collect();
        let handles = Handles::from_lists(rest.len(), &lists).expect("apart");
        let mesh = Mesh::from_triangles(rest.len(), &triangles);
        let skeleton = Skeleton::new((0..JOINTS).map(|joint| joint.checked_sub(1)).collect());
        Self { mesh, rest, skeleton, joints, handles }
    }

    fn deformer(&self, examples: &[Example]) -> Deformer {
        self.deformer_with(examples, &DeformOptions::default())
    }

    fn deformer_with(&self, examples: &[Example], options: &DeformOptions) -> Deformer {
        Deformer::new(&self.character(), &self.handles, examples, options, &Silent).expect("set up")
    }

    fn character(&self) -> Character<'_> {
        Character { mesh: &self.mesh, rest: &self.rest, skeleton: &self.skeleton, joints: &self.joints }
    }

    fn pose(&self, seed: f64) -> Pose {
        let mut pose = Pose::rest(&self.skeleton, &self.joints);
        for (joint, turn) in pose.turns.iter_mut().enumerate() {
            *turn = 0.15 * DVec3::new(seed, 1.7 * seed, 2.3 * seed).map(|x| (x + joint as f64).sin());
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

/// Handles to factored systems, once for a character.
#[divan::bench(args = SIZES, sample_count = 5)]
fn set_up(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    bencher.bench_local(|| body.deformer(&[]));
}

/// The same from what was kept of five examples at 2 % of the triangles, as files hold it.
#[divan::bench(args = SIZES, sample_count = 5)]
fn set_up_from_kept(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    let options = DeformOptions { anchors: Some(AnchorOptions::default()), ..Default::default() };
    let kept = body.deformer_with(&body.examples(), &options).stored_examples().expect("anchors");
    bencher.bench_local(|| Deformer::with_stored(&body.character(), &body.handles, &kept, &options, &Silent));
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

/// One pose with five examples at 2 % of the triangles.
#[divan::bench(args = SIZES, sample_count = 20)]
fn pose_with_anchors(bencher: Bencher, triangles: usize) {
    let body = Body::new(triangles);
    let anchors = Some(AnchorOptions::default());
    let deformer = body.deformer_with(&body.examples(), &DeformOptions { anchors, ..Default::default() });
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
