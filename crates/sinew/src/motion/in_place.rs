//! Motion that stays where it is.

use glam::{DAffine3, DVec3};

use crate::rig::Rig;

/// Takes the way over the ground out of a rig's motion: what is left stays about where it begins. Sway remains.
pub fn in_place(moved: &mut Rig) {
    let (bones, frames) = (moved.bones.len(), moved.frame_count());
    let Some(root) = moved.skeleton.as_ref().map_or(Some(0), |skeleton| skeleton.roots().next()) else {
        return;
    };
    let place = |frame: usize| {
        let at = moved.transforms[frame * bones + root].transform_point3(moved.bones[root].center);
        DVec3::new(at.x, 0.0, at.z)
    };
    let Some(last) = frames.checked_sub(1) else { return };
    let path: Vec<DVec3> = (0..frames).map(place).collect();
    // Beyond its ends it goes on as it goes before them.
    let at = |frame: isize| match usize::try_from(frame) {
        Err(_) => 2.0 * path[0] - path[frame.unsigned_abs().min(last)],
        Ok(frame) if frame > last => 2.0 * path[last] - path[(2 * last).saturating_sub(frame)],
        Ok(frame) => path[frame],
    };
    let reach = (0.5 * moved.fps).round() as isize;
    let mean = |frame: usize| {
        let around = (-reach..=reach).map(|by| at(frame as isize + by));
        around.sum::<DVec3>() / (2 * reach + 1) as f64
    };
    let smooth: Vec<DVec3> = (0..frames).map(mean).collect();
    for (frame, gone) in smooth.iter().enumerate() {
        let back = DAffine3::from_translation(path[0] - *gone);
        moved.transforms[frame * bones..(frame + 1) * bones].iter_mut().for_each(|t| *t = back * *t);
    }
}
