//! Time of solving translations and of turning bones, on the built-in creature with 66 000 vertices and 19
//! bones.
//!
//! `cargo bench -p sinew --bench motion`.

use std::sync::LazyLock;

use divan::{Bencher, black_box};
use glam::{DMat3, DQuat, DVec3, Vec3};
use sinew::motion::{BoneEditor, BoneTurn, TranslationSolver, Translations};
use sinew::progress::Silent;
use sinew::rig::{Player, Rig, SkinWeights};
use sinew::skin::{BoneKind, SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

fn main() {
    divan::main();
}

const BONES: usize = 19;
/// Gives about 66 000 vertices.
const DETAIL: f64 = 3.53;
const WAYS: [Translations; 3] = [Translations::Edges, Translations::Joints, Translations::Learned];

/// Bones of a coarse creature on a fine one, vertices of which follow those of the nearest coarse vertex.
static RIG: LazyLock<Rig> = LazyLock::new(|| {
    let coarse = creature(&CreatureOptions { detail: 0.6, ..CreatureOptions::default() });
    let fine = creature(&CreatureOptions { detail: DETAIL, frames: 1, ..CreatureOptions::default() });
    let options = SkinOptions { bones: Some(BONES), kind: BoneKind::Rigid, ..SkinOptions::default() };
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

/// Summing up the mesh, learning and factoring: once for a rig.
#[divan::bench(args = WAYS, sample_count = 10)]
fn factor(bencher: Bencher, way: Translations) {
    bencher.bench(|| TranslationSolver::new(&RIG, way, &Silent).map(|s| s.held()));
}

/// Translations of one frame.
#[divan::bench(args = WAYS)]
fn translations(bencher: Bencher, way: Translations) {
    let solver = TranslationSolver::new(&RIG, way, &Silent).expect("factored");
    let turns: Vec<DMat3> = RIG.frame_transforms(7).iter().map(|t| t.matrix3).collect();
    let mut out = [DVec3::ZERO; BONES];
    bencher.bench_local(|| {
        solver.solve(black_box(&turns), (0, DVec3::ZERO), &mut out);
        out[BONES - 1]
    });
}

fn turn() -> BoneTurn {
    BoneTurn::new(5, DQuat::from_axis_angle(DVec3::Y, 0.4), 7)
}

/// One step of an editor: a bone turned in one frame, all others moved along.
#[divan::bench]
fn edit(bencher: Bencher) {
    let editor = BoneEditor::new(&RIG, &Silent).expect("can be edited");
    let frame = RIG.frame_transforms(7);
    let mut out = frame.to_vec();
    bencher.bench_local(|| {
        out.copy_from_slice(frame);
        editor.rotate_frame(&mut out, black_box(&turn()))
    });
}

/// The same in all frames from the seventh on, and undone.
#[divan::bench]
fn edit_onwards(bencher: Bencher) {
    let editor = BoneEditor::new(&RIG, &Silent).expect("can be edited");
    let mut rig = RIG.clone();
    let turn = BoneTurn { through: rig.frame_count() - 1, ease_in: 6, ..turn() };
    bencher.bench_local(|| editor.rotate(&mut rig, black_box(&turn)).map(|mut undo| undo.swap(&mut rig)));
}

/// All vertices of the frame that was edited: what an editor draws.
#[divan::bench]
fn pose(bencher: Bencher) {
    let player = Player::new(&*RIG);
    let mut out = vec![Vec3::ZERO; RIG.rest.len()];
    bencher.bench_local(|| player.pose_into(black_box(7), &mut out));
}
