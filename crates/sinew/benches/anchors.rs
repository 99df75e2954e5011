//! Time of choosing anchors, of making their bases again, and of poses with examples kept at anchors: a tube of
//! 40 joints in 15, 60 and 240 thousand triangles.
//!
//! `cargo bench -p sinew --bench anchors`.

#[path = "../tests/all/common/limbs.rs"]
#[allow(dead_code)] // The tests use all of it.
mod limbs;

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use divan::{Bencher, black_box};
use glam::{DVec3, Vec3};
use limbs::{Limb, tube};
use sinew::deform::anchors::{AnchorCount, AnchorExample, AnchorOptions, Anchors};
use sinew::deform::{DeformOptions, Deformer, Example, ExampleField, Pose};
use sinew::progress::Silent;

fn main() {
    divan::main();
}

const JOINTS: usize = 40;
/// Rings of the tube and vertices around it, for 15, 60 and 240 thousand triangles.
const SIZES: [(usize, usize); 3] = [(240, 31), (480, 62), (960, 124)];

fn limb((rings, around): (usize, usize)) -> Limb {
    let places: Vec<f64> = (0..JOINTS).map(|j| 2.0 * j as f64).collect();
    tube(2.0 * JOINTS as f64, rings, around, &places, 0.6)
}

/// A pose in which all joints are turned a little.
fn pose(limb: &Limb, number: usize) -> Pose {
    let mut pose = limb.rest_pose();
    for (j, turn) in pose.turns.iter_mut().enumerate().skip(1) {
        let some = |k: usize| 0.3 * ((1 + number) as f64 * (j + 13 * k) as f64 * 0.61).sin();
        *turn = DVec3::new(some(0), some(1), some(2));
    }
    pose
}

/// The plain shape of a pose with bulges and a rough skin.
fn example(limb: &Limb, plain: &Deformer, number: usize) -> Example {
    let pose = pose(limb, number);
    let bulged = |(p, q): (&Vec3, &Vec3)| {
        let bulge = 0.1 * (p.x * (0.7 + 0.1 * number as f32)).sin() + 0.01 * (9.0 * p.x + 5.0 * p.z).sin();
        *q + bulge * Vec3::new(0.0, p.y, p.z)
    };
    Example { positions: limb.rest.iter().zip(&plain.pose(&pose)).map(bulged).collect(), pose }
}

fn deformer(limb: &Limb, examples: usize, anchors: Option<AnchorOptions>) -> Deformer {
    let new = |examples: &[Example], anchors| {
        let options = DeformOptions { anchors, ..DeformOptions::default() };
        Deformer::new(&limb.character(), &limb.handles(), examples, &options, &Silent)
            .expect("a tube can be set up")
    };
    let plain = new(&[], None);
    let examples: Vec<Example> = (0..examples).map(|number| example(limb, &plain, number)).collect();
    new(&examples, anchors)
}

/// Points, triangles and the field of one example, by size.
type Task = (Vec<Vec3>, Vec<[u32; 3]>, ExampleField);

fn task(size: (usize, usize)) -> &'static Task {
    static TASKS: LazyLock<Mutex<BTreeMap<(usize, usize), &'static Task>>> = LazyLock::new(Mutex::default);
    let mut tasks = TASKS.lock().expect("no one failed");
    tasks.entry(size).or_insert_with(|| {
        let whole = deformer(&limb(size), 1, None);
        let field = whole.example_fields().remove(0);
        Box::leak(Box::new((whole.points().to_vec(), whole.triangles().to_vec(), field)))
    })
}

const TWO_PERCENT: AnchorOptions = AnchorOptions { count: AnchorCount::Percent(2.0), per_triangle: 6 };

/// Choosing 2 % of the triangles (300 of 15 thousand) for one example.
#[divan::bench(args = SIZES, sample_count = 3)]
fn choose(bencher: Bencher, size: (usize, usize)) {
    let (points, triangles, field) = task(size);
    let examples = [AnchorExample { field, plain: &[] }];
    bencher.bench_local(|| {
        Anchors::choose(triangles, points, &examples, &TWO_PERCENT, &Silent).map(|a| a.0.len())
    });
}

/// Making the bases of 2 % again, as after reading a file.
#[divan::bench(args = SIZES, sample_count = 3)]
fn bases(bencher: Bencher, size: (usize, usize)) {
    let (points, triangles, field) = task(size);
    let examples = [AnchorExample { field, plain: &[] }];
    let (anchors, _) = Anchors::choose(triangles, points, &examples, &TWO_PERCENT, &Silent).expect("chosen");
    let chosen = || anchors.triangles().to_vec();
    bencher.with_inputs(chosen).bench_local_values(|some| Anchors::of_triangles(triangles, points, some, 6));
}

/// Spreading values at 2 % over all triangles.
#[divan::bench(args = SIZES)]
fn spread(bencher: Bencher, size: (usize, usize)) {
    let (points, triangles, field) = task(size);
    let examples = [AnchorExample { field, plain: &[] }];
    let (anchors, values) =
        Anchors::choose(triangles, points, &examples, &TWO_PERCENT, &Silent).expect("chosen");
    let mut blended = vec![[0.0; 9]; anchors.len()];
    blended.iter_mut().enumerate().for_each(|(a, to)| values[0].add_to(a, 1.0, to));
    let mut out = vec![[0.0; 9]; triangles.len()];
    bencher.bench_local(|| anchors.spread(black_box(&blended), &mut out));
}

/// A pose with five examples, whole (0) or at so many per cent of the triangles.
#[divan::bench(args = SIZES, consts = [0, 2], sample_count = 20)]
fn pose_of_five_examples<const PERCENT: u32>(bencher: Bencher, size: (usize, usize)) {
    let limb = limb(size);
    let count = AnchorCount::Percent(f64::from(PERCENT));
    let options = (PERCENT > 0).then_some(AnchorOptions { count, per_triangle: 6 });
    let deformer = deformer(&limb, 5, options);
    let mut poser = deformer.poser();
    let (pose, mut out) = (pose(&limb, 7), limb.rest.clone());
    bencher.bench_local(|| poser.pose_into(black_box(&pose), &mut out));
}
