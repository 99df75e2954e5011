//! The whole table of segmenters on bodies whose parts are known: what each says of itself holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::in_pool;
use crate::spectral::{AROUND, Body, RINGS_PER_PART, arm};
use glam::{Quat, Vec3};
use sinew::animation::Frames;
use sinew::progress::{Progress, Silent};
use sinew::segment::{
    ALL, CountRule, Labels, NO_BONE, Role, SegmentError, SegmentOptions, Segmenter, SkeletonSegmenter,
    StartSegmenter, words,
};

const PARTS: usize = 4;

fn segment(
    body: &Body,
    segmenter: &dyn Segmenter,
    count: Option<usize>,
    progress: &dyn Progress,
) -> Result<Labels, SegmentError> {
    let frames = Frames::from_poses(&body.poses);
    segmenter.segment(body.motion(&frames), &SegmentOptions { count, rigid: true }, progress)
}

/// The part of each vertex of [`arm`].
fn part(vertex: usize) -> usize {
    vertex / (AROUND * RINGS_PER_PART)
}

#[test]
fn names_and_words_are_one_of_a_kind() {
    let names: BTreeSet<&str> = ALL.iter().map(|s| s.facts().name).collect();
    assert_eq!(names.len(), ALL.len());
    for &segmenter in ALL {
        let about = segmenter.facts().about;
        assert!(
            !about.is_empty() && !about.ends_with('.') && !about.contains('\n'),
            "{segmenter:?}: {about}"
        );
    }
    let of = |role| words(role).map(|(word, _)| word).collect::<Vec<_>>();
    let kept = |role, known: &[&str]| known.iter().all(|word| of(role).contains(word));
    assert!(kept(Role::Start, &["turns", "mean-shift", "regions", "points"]), "{:?}", of(Role::Start));
    assert!(kept(Role::Skeleton, &["best", "spectral", "mean-shift"]), "{:?}", of(Role::Skeleton));
    assert_eq!(StartSegmenter::default().to_string(), "turns");
    assert_eq!(SkeletonSegmenter::default().to_string(), "best");
    for (word, segmenter) in words(Role::Start) {
        assert_eq!(word.parse(), Ok(StartSegmenter(segmenter)));
    }
    let unknown = "cubes".parse::<SkeletonSegmenter>().unwrap_err();
    assert_eq!(unknown.known, of(Role::Skeleton));
}

#[test]
fn labels_sort_all_vertices_into_as_many_segments_as_was_said() {
    for &segmenter in ALL {
        for (body, wanted) in [(arm(PARTS, 24, false), PARTS), (arm(2, 6, true), 9), (arm(3, 1, false), 1)] {
            let counts = match segmenter.facts().count {
                CountRule::Optional => vec![None, Some(wanted)],
                _ => vec![Some(wanted)],
            };
            for count in counts {
                let found = segment(&body, segmenter, count, &Silent).unwrap();
                assert_eq!(found.of_vertex.len(), body.poses[0].len());
                let used: BTreeSet<u32> = found.of_vertex.iter().copied().collect();
                let numbered = (0..found.count as u32).collect();
                match count {
                    Some(_) => assert_eq!(used, numbered, "{segmenter:?}, {count:?}"),
                    // Outliers are nobody's.
                    None => assert!(used.iter().all(|s| *s == NO_BONE || numbered.contains(s))),
                }
                match (segmenter.facts().count, count) {
                    (CountRule::AtMost, Some(count)) => assert!((1..=count).contains(&found.count)),
                    (_, Some(count)) => assert_eq!(found.count, count, "{segmenter:?}"),
                    (_, None) => assert!(found.count >= 1, "{segmenter:?}"),
                }
                let sets = found.sets();
                assert_eq!(sets.len(), found.count);
                assert!(
                    sets.iter()
                        .enumerate()
                        .all(|(s, set)| set.iter().all(|&v| found.of_vertex[v as usize] == s as u32))
                );
            }
        }
    }
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let body = arm(2, 3, false);
    for &segmenter in ALL {
        assert!(
            matches!(segment(&body, segmenter, Some(0), &Silent), Err(SegmentError::Count { .. })),
            "{segmenter:?}"
        );
        if segmenter.facts().count != CountRule::Optional {
            let refused = segment(&body, segmenter, None, &Silent);
            assert!(matches!(refused, Err(SegmentError::Count { .. })), "{segmenter:?}");
        }
        if segmenter.facts().count == CountRule::Needed {
            let asked = body.poses[0].len() + 1;
            assert_eq!(
                segment(&body, segmenter, Some(asked), &Silent),
                Err(SegmentError::Count { asked, most: asked - 1 }),
                "{segmenter:?}"
            );
        }
    }
}

#[test]
fn loose_parts_that_move_by_themselves_are_found() {
    let body = arm(PARTS, 24, true);
    // Points asks nothing of the motion.
    for segmenter in ALL.iter().copied().filter(|s| s.facts().name != "points") {
        let found = segment(&body, segmenter, Some(PARTS), &Silent).unwrap();
        let mut of_part = vec![BTreeMap::<u32, usize>::new(); PARTS];
        for (v, &label) in found.of_vertex.iter().enumerate() {
            *of_part[part(v)].entry(label).or_default() += 1;
        }
        let most: Vec<(u32, usize)> = of_part
            .iter()
            .map(|labels| labels.iter().max_by_key(|l| l.1).map(|(l, n)| (*l, *n)).unwrap())
            .collect();
        let distinct: BTreeSet<_> = most.iter().map(|m| m.0).collect();
        assert_eq!(distinct.len(), PARTS, "{segmenter:?}: {of_part:?}");
        // Patches look at samples, whose cells may cross a gap.
        let right: usize = most.iter().map(|m| m.1).sum();
        let share = if segmenter.facts().name == "patches" { 0.9 } else { 1.0 };
        assert!(right as f64 >= share * found.of_vertex.len() as f64, "{segmenter:?}: {of_part:?}");
    }
}

#[test]
fn threads_do_not_matter() {
    let body = arm(PARTS, 12, false);
    for &segmenter in ALL {
        let run = || segment(&body, segmenter, Some(7), &Silent).unwrap();
        assert_eq!(in_pool(1, run), in_pool(3, run), "{segmenter:?}");
        let frames = Frames::from_poses(&body.poses);
        let options = SegmentOptions { count: Some(7), rigid: false };
        let starts = || {
            let starts = segmenter.starts(body.motion(&frames), &options, &Silent).unwrap();
            let count = starts.at_most(3);
            let which = (0..count).map(|i| i as f64 / count as f64);
            which.map(|which| starts.sets(7, which, &Silent).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(in_pool(1, starts), in_pool(3, starts), "{segmenter:?}");
    }
}

#[test]
fn rigid_motions_of_frames_change_nothing_where_that_is_promised() {
    let body = arm(PARTS, 16, false);
    let mut moved = body.clone();
    for (t, pose) in moved.poses.iter_mut().enumerate().skip(1) {
        let turn = Quat::from_axis_angle(Vec3::new(0.3, 0.5, -0.8).normalize(), 0.7 * t as f32);
        pose.iter_mut().for_each(|p| *p = turn * *p + Vec3::new(0.4, -1.0, 0.2) * t as f32);
    }
    for segmenter in ALL.iter().copied().filter(|s| s.facts().rigid_invariant) {
        let [one, other] = [&body, &moved].map(|b| segment(b, segmenter, Some(PARTS), &Silent).unwrap());
        assert_eq!(one.count, other.count, "{segmenter:?}");
        let mut pairs: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for pair in one.of_vertex.iter().copied().zip(other.of_vertex.iter().copied()) {
            *pairs.entry(pair).or_default() += 1;
        }
        // But for rounding at borders, each segment of the one is a segment of the other.
        let same: usize = (0..one.count as u32)
            .map(|s| pairs.iter().filter(|((a, _), _)| *a == s).map(|(_, n)| *n).max().unwrap_or(0))
            .sum();
        assert!(same as f64 >= 0.99 * one.of_vertex.len() as f64, "{segmenter:?}: {same}");
    }
}

/// Cancels when it was asked so many times; notes how far work says it is.
struct Stop {
    after: usize,
    asked: AtomicUsize,
    shares: Mutex<Vec<f64>>,
}

impl Stop {
    fn after(after: usize) -> Self {
        Self { after, asked: AtomicUsize::new(0), shares: Mutex::new(Vec::new()) }
    }
}

impl Progress for Stop {
    fn advance(&self, share: f64) {
        self.shares.lock().expect("no panic").push(share);
    }

    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}

#[test]
fn all_can_be_cancelled_and_tell_how_far_they_are() {
    let body = arm(PARTS, 12, false);
    for &segmenter in ALL {
        let never = Stop::after(usize::MAX);
        segment(&body, segmenter, Some(7), &never).unwrap();
        let shares = never.shares.into_inner().expect("no panic");
        assert!(shares.len() > 1, "{segmenter:?}: {shares:?}");
        assert!(shares.iter().all(|s| (0.0..=1.0).contains(s)), "{segmenter:?}: {shares:?}");
        assert!(shares.is_sorted(), "{segmenter:?}: {shares:?}");
        let asked = never.asked.into_inner();
        assert!(asked > 10, "{segmenter:?} asked {asked} times");
        for after in (0..8).map(|i| i * (asked - 1) / 7) {
            let ended = segment(&body, segmenter, Some(7), &Stop::after(after));
            assert_eq!(ended, Err(SegmentError::Cancelled), "{segmenter:?} after {after} of {asked}");
        }
    }
}
