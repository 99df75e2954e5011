//! Which way a figure stands.

use glam::DVec3;
use sinew::motion::Motion;

use crate::scene::Up;

/// What names of joints at the two ends of a figure contain.
const ENDS: ([&str; 1], [&str; 3]) = (["head"], ["foot", "toe", "ankle"]);
/// The axis along which a figure stands has at least this much of the way from its feet to its head.
const CLEARLY: f64 = 0.85;
/// Fewer frames tell nothing about the ground.
const FRAMES_THAT_TELL: usize = 30;
/// The lowest joint stays at the height of the ground: so much steadier than along the other axes.
const STEADIER: f64 = 0.25;

/// The axis along which a figure seems to stand: that from feet to head in the bind pose, where joints have
/// such names, or else that along which its lowest joint, which is on the ground, hardly moves.
pub(super) fn guess(motion: &Motion) -> Option<Up> {
    from_names(motion).or_else(|| from_ground(motion))
}

fn from_names(motion: &Motion) -> Option<Up> {
    let middle = |parts: &[&str]| {
        let named = |name: &str| parts.iter().any(|part| name.to_ascii_lowercase().contains(part));
        let places = motion.joints.iter().zip(&motion.bind).filter(|(joint, _)| named(&joint.name));
        let places: Vec<DVec3> = places.map(|(_, bind)| bind.translation).collect();
        (!places.is_empty()).then(|| places.iter().sum::<DVec3>() / places.len() as f64)
    };
    let way = (middle(&ENDS.0)? - middle(&ENDS.1)?).try_normalize()?;
    (0..3).find(|&axis| way[axis] > CLEARLY).map(Up::numbered)
}

fn from_ground(motion: &Motion) -> Option<Up> {
    let frames = motion.frame_count();
    if frames < FRAMES_THAT_TELL {
        return None;
    }
    let lowest = |frame: usize| {
        motion.frame(frame).iter().map(|t| t.translation).fold(DVec3::INFINITY, |low, place| low.min(place))
    };
    let mean = (0..frames).map(lowest).sum::<DVec3>() / frames as f64;
    let spread = (0..frames).map(|frame| (lowest(frame) - mean).powf(2.0)).sum::<DVec3>();
    let spread = (spread / frames as f64).map(f64::sqrt);
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| spread[a].total_cmp(&spread[b]));
    (spread[axes[0]] < STEADIER * spread[axes[1]]).then(|| Up::numbered(axes[0]))
}
