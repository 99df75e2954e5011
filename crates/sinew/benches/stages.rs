//! Time of every stage from animation to rig, and of playing one, on the built-in creature.
//!
//! `cargo bench -p sinew`; one stage alone with `cargo bench -p sinew -- weights`.

use std::convert::Infallible;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::{DAffine3, Mat3, Vec3};
use sinew::animation::{MeshAnimation, compare};
use sinew::progress::Silent;
use sinew::rig::{Player, Rig, SkinWeights};
use sinew::segment::{
    DEFAULT_EPSILON, Segmentation, SurfaceMotion, TriangleRotations, mean_shift as shift, split_and_merge,
};
use sinew::skin::{
    BoneKind, CoreSets, Skin, SkinOptions, WeightMethod, WeightOptions, fit_bones, fit_corrections, skin,
    solve_weights,
};
use sinew::stream::{DEFAULT_LOOK_AHEAD, Encoder, StreamOptions};
use sinew_sample::{CreatureOptions, creature};

fn main() {
    divan::main();
}

const BONES: usize = 24;
const RANKS: [usize; 2] = [2, 10];

/// The creature and the result of each stage on it: every benchmark starts from the one before.
struct Stages {
    animation: MeshAnimation,
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    modes: Segmentation,
    segmentation: Segmentation,
    transforms: Vec<DAffine3>,
    weights: SkinWeights,
}

impl Stages {
    fn motion(&self) -> SurfaceMotion<'_> {
        SurfaceMotion { frames: &self.animation.frames, triangles: &self.triangles, rest: &self.rest }
    }
}

static STAGES: LazyLock<Stages> = LazyLock::new(|| {
    let animation = creature(&CreatureOptions::default());
    let frames = &animation.frames;
    let rest = frames.frame(0).to_vec();
    let triangles = animation.mesh.triangles(&rest);
    let finished = "nobody cancels";
    let motion = SurfaceMotion { frames, triangles: &triangles, rest: &rest };
    let modes = shift(motion, DEFAULT_EPSILON, &Silent).expect(finished);
    let segmentation = split_and_merge(motion, &modes, BONES, false, &Silent).expect(finished);
    let transforms =
        fit_bones(motion, &segmentation, BoneKind::Flexible, CoreSets::Refined, &Silent).expect(finished);
    let weights =
        solve_weights(frames, &rest, &transforms, &WeightOptions::default(), &Silent).expect(finished);
    Stages { animation, rest, triangles, modes, segmentation, transforms, weights }
});

/// A rig of the creature; `rank` 0 has no corrections.
fn rig(rank: usize) -> Rig {
    let options = SkinOptions { bones: Some(BONES), rank, ..SkinOptions::sma() };
    skin(&STAGES.animation, &options, &Silent).expect("the creature can be skinned").rig
}

/// Items are rotations: triangles times frames.
#[divan::bench]
fn triangle_rotations(bencher: Bencher) {
    let s = &*STAGES;
    let rotations = TriangleRotations::new(&s.triangles, &s.rest);
    let count = s.triangles.len() * s.animation.frames.len();
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut sum = Mat3::ZERO;
        let visited: Result<(), Infallible> = rotations.for_each_frame(&s.animation.frames, |_, all| {
            sum += all[all.len() / 2];
            Ok(())
        });
        (visited, sum)
    });
}

/// Items are triangles.
#[divan::bench(args = [0.05, 0.1], sample_count = 10)]
fn mean_shift(bencher: Bencher, epsilon: f64) {
    let s = &*STAGES;
    bencher.counter(ItemsCount::new(s.triangles.len())).bench(|| shift(s.motion(), epsilon, &Silent));
}

/// Items are triangles.
#[divan::bench(args = [12, BONES], sample_count = 5)]
fn bone_sets(bencher: Bencher, bones: usize) {
    let s = &*STAGES;
    bencher
        .counter(ItemsCount::new(s.triangles.len()))
        .bench(|| split_and_merge(s.motion(), &s.modes, bones, false, &Silent));
}

/// Items are transforms: bones times frames.
#[divan::bench(args = [BoneKind::Rigid, BoneKind::Flexible])]
fn bone_fit(bencher: Bencher, kind: BoneKind) {
    let s = &*STAGES;
    bencher
        .counter(ItemsCount::new(s.transforms.len()))
        .bench(|| fit_bones(s.motion(), &s.segmentation, kind, CoreSets::Refined, &Silent));
}

/// Items are vertices.
#[divan::bench(args = [(WeightMethod::Nnls, 4), (WeightMethod::Nnls, 8), (WeightMethod::Tsvd, 4)])]
fn weights(bencher: Bencher, (method, influences): (WeightMethod, usize)) {
    let s = &*STAGES;
    let options = WeightOptions { method, influences, ..WeightOptions::default() };
    bencher
        .counter(ItemsCount::new(s.rest.len()))
        .bench(|| solve_weights(&s.animation.frames, &s.rest, &s.transforms, &options, &Silent));
}

/// Items are vertices.
#[divan::bench(args = RANKS, sample_count = 5)]
fn corrections(bencher: Bencher, rank: usize) {
    let s = &*STAGES;
    let skin = Skin {
        bones: BONES,
        rest: s.rest.clone(),
        weights: s.weights.clone(),
        transforms: s.transforms.clone(),
    };
    bencher
        .counter(ItemsCount::new(s.rest.len()))
        .with_inputs(|| skin.clone())
        .bench_refs(|skin| fit_corrections(&s.animation.frames, &s.triangles, skin, rank, &Silent));
}

/// One frame; items are vertices.
#[divan::bench(args = [0, 4, 10])]
fn play(bencher: Bencher, rank: usize) {
    let rig = rig(rank);
    let player = Player::new(&rig);
    let mut pose = vec![Vec3::ZERO; rig.rest.len()];
    bencher
        .counter(ItemsCount::new(rig.rest.len()))
        .bench_local(|| player.pose_into(black_box(7), &mut pose));
}

/// All frames against the original; items are vertices times frames.
#[divan::bench]
fn measure(bencher: Bencher) {
    let s = &*STAGES;
    let rig = rig(0);
    let player = Player::new(&rig);
    bencher
        .counter(ItemsCount::new(s.rest.len() * s.animation.frames.len()))
        .bench_local(|| compare(&s.animation, &player, s.animation.rest_bounds()));
}

fn stream_encoder(kind: BoneKind) -> Encoder {
    let frames = &STAGES.animation.frames;
    let ahead: Vec<&[Vec3]> = (0..DEFAULT_LOOK_AHEAD).map(|t| frames.frame(t)).collect();
    let options = StreamOptions { bones: BONES, kind, ..StreamOptions::default() };
    Encoder::new(&STAGES.animation.mesh, &STAGES.rest, &ahead, &options)
        .expect("the creature can be streamed")
}

/// Choosing bones and weights from the frames looked at; items are vertices.
#[divan::bench(sample_count = 5)]
fn stream_bones(bencher: Bencher) {
    bencher
        .counter(ItemsCount::new(STAGES.rest.len()))
        .bench(|| stream_encoder(BoneKind::Flexible).bones().len());
}

/// One frame of a stream; items are frames.
#[divan::bench(args = [BoneKind::Rigid, BoneKind::Flexible])]
fn stream_frame(bencher: Bencher, kind: BoneKind) {
    let frames = &STAGES.animation.frames;
    let mut encoder = stream_encoder(kind);
    let mut t = 0;
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        t = (t + 1) % frames.len();
        encoder.encode(frames.frame(t)).map(|step| step.key)
    });
}

/// Bones, weights and rest pose in turn; items are vertices.
#[divan::bench(args = [BoneKind::Rigid, BoneKind::Flexible], sample_count = 5)]
fn descent(bencher: Bencher, kind: BoneKind) {
    let s = &*STAGES;
    let options = SkinOptions { bones: Some(BONES), kind, ..SkinOptions::default() };
    bencher
        .counter(ItemsCount::new(s.animation.mesh.vertex_count))
        .bench(|| skin(&s.animation, &options, &Silent));
}

/// The whole way of method sma; items are triangles.
#[divan::bench(args = [0, 10], sample_count = 3)]
fn whole(bencher: Bencher, rank: usize) {
    let s = &*STAGES;
    let options = SkinOptions { rank, ..SkinOptions::sma() };
    bencher.counter(ItemsCount::new(s.triangles.len())).bench(|| skin(&s.animation, &options, &Silent));
}
