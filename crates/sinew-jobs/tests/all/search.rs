//! Searching for a rig of an error or a size, from outside.

use glam::Vec3;
use sinew::animation::{Frames, MeshAnimation, compare};
use sinew::geometry::Mesh;
use sinew::progress::{Cancelled, Progress, Silent};
use sinew::rig::{Player, Rig};
use sinew::skin::{BoneKind, Method, MethodName, SkinError, SkinOptions, skin};
use sinew_jobs::search::{Candidate, Cost, Goal, SearchError, SearchOptions, Searched, pareto_front, search};

use crate::animations::{articulated_boxes, bent_tube, error_percent, in_pool};

/// About what a file takes: positions, indices, sets of four influences, shapes, and keys by frame and bone.
fn bytes(rig: &Rig) -> u64 {
    let (vertices, frames) = (rig.rest.len(), rig.frame_count());
    let sets = rig.weights.most_influences().div_ceil(4);
    let moves = rig.transforms.iter().any(|t| *t != rig.transforms[0]);
    let key = if rig.bones[0].rigid { 28 } else { 56 };
    let keys = if moves { key * frames * rig.bones.len() } else { 0 };
    let shapes = rig.rank() * (24 * vertices + 4 * frames);
    (24 * vertices + 20 * sets * vertices + shapes + 64 * rig.bones.len() + keys) as u64
}

fn cost(animation: &MeshAnimation, rig: &Rig) -> Cost {
    let error = compare(animation, &Player::new(rig), animation.rest_bounds()).error;
    Cost { bytes: bytes(rig), percent: error.percent, max: error.max }
}

fn run(animation: &MeshAnimation, options: &SearchOptions) -> Result<Searched, SearchError> {
    search(animation, options, &|rig| Ok(cost(animation, rig)), &Silent)
}

fn chosen(found: &Searched) -> Candidate {
    let mut chosen = found.candidates.iter().filter(|c| c.chosen);
    let one = *chosen.next().expect("a choice");
    assert!(chosen.next().is_none(), "one choice only");
    assert_eq!((one.bones, one.rank), (found.skinned.rig.bones.len(), found.skinned.rig.rank()));
    assert_eq!(one.bytes, bytes(&found.skinned.rig));
    assert!(one.cost.is_some_and(|cost| cost.bytes == one.bytes));
    one
}

/// The smallest rig of a grid that keeps an error, without what a search may try.
fn smallest_by_hand(animation: &MeshAnimation, percent: f64) -> u64 {
    let mut smallest = u64::MAX;
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        for rank in [0, 1, 3] {
            for bones in 2..14 {
                let options = SkinOptions { bones: Some(bones), rank, kind, ..SkinOptions::default() };
                let skinned = skin(animation, &options, &Silent).expect("a rig");
                if skinned.error.percent <= percent {
                    smallest = smallest.min(bytes(&skinned.rig));
                }
            }
        }
    }
    smallest
}

#[test]
fn the_smallest_rig_that_keeps_an_error_is_about_that() {
    let animation = bent_tube(24);
    let percent = 2.0;
    let found = run(&animation, &SearchOptions::new(Goal::Percent(percent))).expect("a rig");
    let choice = chosen(&found);
    assert!(choice.error <= percent && error_percent(&animation, &found.skinned.rig) <= percent);
    assert!(found.candidates.iter().all(|c| c.error > percent || c.bytes >= choice.bytes));
    let by_hand = smallest_by_hand(&animation, percent);
    assert!(choice.bytes as f64 <= 1.1 * by_hand as f64, "{choice:?}, by hand {by_hand}");
}

#[test]
fn the_largest_error_is_another_goal_than_the_mean() {
    let animation = bent_tube(16);
    let largest = 1.5;
    let found = run(&animation, &SearchOptions::new(Goal::Largest(largest))).expect("a rig");
    let choice = chosen(&found);
    let measured = cost(&animation, &found.skinned.rig);
    assert!(choice.error <= largest && choice.error == measured.max && choice.cost == Some(measured));
    assert!(choice.error != measured.percent);
    let fixed = SearchOptions {
        rank: Some(0),
        skin: SkinOptions { bones: Some(2), ..SkinOptions::default() },
        ..SearchOptions::new(Goal::Largest(0.01))
    };
    let refused = run(&animation, &fixed).map(|found| found.candidates);
    assert!(matches!(refused, Err(SearchError::FartherOff { percent: 0.01, best }) if best.error > 0.1));
}

#[test]
fn the_best_rig_of_a_size_is_no_larger() {
    let animation = bent_tube(24);
    let mut before = f64::INFINITY;
    let mesh = 44 * animation.mesh.vertex_count as u64;
    for budget in [mesh + 4_000, mesh + 8_000, mesh + 16_000] {
        let choice = chosen(&run(&animation, &SearchOptions::new(Goal::Bytes(budget))).expect("a rig"));
        assert!(choice.bytes <= budget && 10 * choice.bytes > 9 * budget, "{choice:?} for {budget}");
        assert!(choice.error < before);
        before = choice.error;
    }
}

#[test]
fn what_is_fixed_stays() {
    let animation = bent_tube(16);
    let fixed = SearchOptions {
        kinds: vec![BoneKind::Flexible],
        influences: vec![2],
        rank: Some(1),
        skin: SkinOptions { bones: Some(7), ..SkinOptions::default() },
        ..SearchOptions::new(Goal::Percent(50.0))
    };
    let found = run(&animation, &fixed).expect("a rig");
    let choice = chosen(&found);
    assert_eq!(found.candidates.len(), 1);
    assert_eq!((choice.kind, choice.influences, choice.rank, choice.bones), (BoneKind::Flexible, 2, 1, 7));

    // With bones fixed, shapes do the rest.
    let bones = |percent| SearchOptions {
        kinds: vec![BoneKind::Rigid],
        influences: vec![4],
        skin: SkinOptions { bones: Some(3), ..SkinOptions::default() },
        ..SearchOptions::new(Goal::Percent(percent))
    };
    let found = run(&animation, &bones(1.0)).expect("a rig");
    let choice = chosen(&found);
    assert!(found.candidates.iter().all(|c| c.bones == 3));
    assert!(choice.rank > 0 && choice.error <= 1.0);
    assert!(
        found.candidates.iter().any(|c| c.error > 1.0 && c.rank + 1 == choice.rank),
        "{:?}",
        found.candidates
    );
}

#[test]
fn goals_out_of_reach_are_told() {
    let animation = bent_tube(12);
    let fixed = |goal| SearchOptions {
        kinds: vec![BoneKind::Rigid],
        influences: vec![2],
        rank: Some(0),
        skin: SkinOptions { bones: Some(2), ..SkinOptions::default() },
        ..SearchOptions::new(goal)
    };
    match run(&animation, &fixed(Goal::Percent(0.01))) {
        Err(SearchError::OutOfReach { percent, best }) => assert!(percent == 0.01 && best.error > 1.0),
        other => panic!("{:?}", other.map(|f| f.candidates)),
    }
    match run(&animation, &SearchOptions::new(Goal::Bytes(1000))) {
        Err(SearchError::MeshTooLarge { budget: 1000, mesh }) => {
            assert!(mesh >= 44 * animation.mesh.vertex_count as u64);
        }
        other => panic!("{:?}", other.map(|f| f.candidates)),
    }
    let budget = 44 * animation.mesh.vertex_count as u64 + 100;
    match run(&animation, &SearchOptions::new(Goal::Bytes(budget))) {
        Err(SearchError::TooLarge { smallest, .. }) => assert_eq!((smallest.bones, smallest.rank), (1, 0)),
        other => panic!("{:?}", other.map(|f| f.candidates)),
    }
    for percent in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = run(&animation, &SearchOptions::new(Goal::Percent(percent)));
        assert!(matches!(refused, Err(SearchError::Percent(_))));
    }
    let nothing = SearchOptions { kinds: Vec::new(), ..SearchOptions::new(Goal::Percent(1.0)) };
    assert_eq!(run(&animation, &nothing).map(|f| f.candidates), Err(SearchError::Nothing));
    let sad = SearchOptions { skin: SkinOptions::of(Method::Sad), ..SearchOptions::new(Goal::Percent(1.0)) };
    let refused = run(&animation, &sad).map(|f| f.candidates);
    assert_eq!(refused, Err(SearchError::Method { method: MethodName::Sad }));
}

#[test]
fn one_body_takes_one_rigid_bone() {
    let animation = articulated_boxes(1, 12);
    let found = run(&animation, &SearchOptions::new(Goal::Percent(0.01))).expect("a rig");
    assert_eq!((chosen(&found).bones, chosen(&found).kind), (1, BoneKind::Rigid));
}

#[test]
fn shapes_are_taken_where_bones_do_not_suffice() {
    // Two triangles, two bones at most, and corners that go where they like.
    let wave = |frame: usize, corner: usize, axis: usize| {
        0.3 * ((1 + frame * (3 + corner) + 7 * axis) as f32 * 12.9898).sin()
    };
    let pose = |frame: usize| {
        let corner = |i: usize| {
            let flat = Vec3::new((i % 2) as f32, (i / 2) as f32, 0.0);
            flat + Vec3::new(wave(frame, i, 0), wave(frame, i, 1), wave(frame, i, 2))
        };
        (0..4).map(corner).collect::<Vec<_>>()
    };
    let animation = MeshAnimation {
        mesh: Mesh::from_triangles(4, &[[0, 1, 3], [0, 3, 2]]),
        rest: None,
        frames: Frames::from_poses(&(0..10).map(pose).collect::<Vec<_>>()),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    };
    let rigid = SearchOptions { kinds: vec![BoneKind::Rigid], ..SearchOptions::new(Goal::Percent(0.1)) };
    let choice = chosen(&run(&animation, &rigid).expect("a rig"));
    assert!(choice.rank > 0 && choice.error <= 0.1, "{choice:?}");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let animation = bent_tube(12);
    let options = SearchOptions::new(Goal::Percent(3.0));
    let one = in_pool(1, || run(&animation, &options)).expect("a rig");
    let three = in_pool(3, || run(&animation, &options)).expect("a rig");
    assert_eq!(one.candidates, three.candidates);
    assert!(one.skinned.rig == three.skinned.rig);
}

#[test]
fn cancelling_ends_the_search() {
    struct After(std::sync::atomic::AtomicUsize);
    impl Progress for After {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 40
        }
    }
    let animation = bent_tube(8);
    let cost = |rig: &Rig| Ok(cost(&animation, rig));
    let options = SearchOptions::new(Goal::Percent(1.0));
    let stopped = search(&animation, &options, &cost, &After(0.into()));
    assert_eq!(stopped.map(|f| f.candidates), Err(SearchError::Skin(SkinError::Cancelled)));
    let refused = search(&animation, &options, &|_| Err(Cancelled), &Silent);
    assert_eq!(refused.map(|f| f.candidates), Err(SearchError::Skin(SkinError::Cancelled)));
}

#[test]
fn what_is_on_the_pareto_front_is_beaten_by_none() {
    let choice = |bytes, percent| Candidate {
        kind: BoneKind::Rigid,
        bones: 1,
        influences: 4,
        rank: 0,
        error: percent,
        bytes,
        cost: None,
        chosen: false,
    };
    let all = [choice(30, 1.0), choice(10, 3.0), choice(20, 3.5), choice(10, 4.0), choice(40, 1.0)];
    assert_eq!(pareto_front(&all), [choice(10, 3.0), choice(30, 1.0)]);
}
