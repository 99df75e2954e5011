//! Time to find where two creatures touch that walk side by side, 66 000 vertices each: trees of spheres, boxes
//! fitted to every frame, and the fitting alone.
//!
//! `cargo bench -p sinew --bench collide`.

use std::sync::LazyLock;

use divan::{Bencher, black_box};
use glam::{DVec3, Vec3};
use sinew::collide::{Body, Place, RefitBvh, between};
use sinew::geometry::Bounds;
use sinew::progress::Silent;
use sinew::rig::{Rig, SkinWeights};
use sinew::skin::{SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

fn main() {
    divan::main();
}

const BONES: usize = 24;
/// Gives about 66 000 vertices.
const DETAIL: f64 = 3.53;
/// Shares of the body's width: a cleft between them, a touch here and there, one half in the other.
const APART: [f64; 3] = [1.05, 0.97, 0.5];

/// Bones of a coarse creature on a fine one, vertices of which follow those of the nearest coarse vertex.
static RIG: LazyLock<Rig> = LazyLock::new(|| {
    let coarse = creature(&CreatureOptions { detail: 0.6, ..CreatureOptions::default() });
    let fine = creature(&CreatureOptions { detail: DETAIL, frames: 1, ..CreatureOptions::default() });
    let options = SkinOptions { bones: Some(BONES), ..SkinOptions::default() };
    let mut rig = skin(&coarse, &options, &Silent).expect("the creature can be skinned").rig;
    let rest = fine.rest.expect("the creature has a rest pose");
    let nearest = |p: &Vec3| {
        let by_distance = |a: &usize, b: &usize| {
            rig.rest[*a].distance_squared(*p).total_cmp(&rig.rest[*b].distance_squared(*p))
        };
        (0..rig.rest.len()).min_by(by_distance).expect("a vertex")
    };
    let mut weights = SkinWeights { per_vertex: rig.weights.per_vertex, ..SkinWeights::default() };
    for vertex in rest.iter().map(nearest) {
        let (bones, some) = rig.weights.of(vertex);
        weights.bones.extend_from_slice(bones);
        weights.weights.extend_from_slice(some);
    }
    (rig.mesh, rig.rest, rig.weights) = (fine.mesh, rest, weights);
    rig
});

static BODY: LazyLock<Body> = LazyLock::new(|| Body::new(&RIG, &Silent).expect("the creature has triangles"));

fn beside(apart: f64) -> Place {
    let bounds = Bounds::of(&RIG.rest);
    Place::from_translation(DVec3::X * (apart * f64::from(bounds.max.x - bounds.min.x)))
}

/// Frames of the two, one after another.
fn frames() -> impl Iterator<Item = (usize, usize)> {
    let count = RIG.frame_count();
    (0..count).cycle().map(move |frame| (frame, (frame + count / 2) % count))
}

#[divan::bench(args = APART)]
fn spheres(bencher: Bencher, apart: f64) {
    let (mut one, mut other, place) = (BODY.posed(), BODY.posed(), beside(apart));
    let mut frames = frames();
    bencher.bench_local(|| {
        let (a, b) = frames.next().unwrap_or_default();
        one.set(a, &Place::IDENTITY);
        other.set(b, &place);
        black_box(between(&one, &other))
    });
}

#[divan::bench(args = APART)]
fn boxes(bencher: Bencher, apart: f64) {
    let (mut one, mut other, place) = (RefitBvh::new(&BODY), RefitBvh::new(&BODY), beside(apart));
    let mut frames = frames();
    bencher.bench_local(|| {
        let (a, b) = frames.next().unwrap_or_default();
        one.set(a, &Place::IDENTITY);
        other.set(b, &place);
        black_box(one.between(&other))
    });
}

#[divan::bench]
fn fitting_boxes(bencher: Bencher) {
    let mut one = RefitBvh::new(&BODY);
    let mut frames = frames();
    bencher.bench_local(|| one.set(frames.next().unwrap_or_default().0, &Place::IDENTITY));
}

#[divan::bench]
fn building_spheres() -> Body<'static> {
    Body::new(&RIG, &Silent).expect("the creature has triangles")
}
