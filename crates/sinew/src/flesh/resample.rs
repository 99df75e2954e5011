//! Poses between frames.

use glam::DVec3;

/// Points at a time between frames, in frames, by a cubic through the four around (Catmull and Rom 1974): a speed that jumped
/// at every frame would shake what is light.
pub(super) fn between(frames: usize, time: f64, frame: impl Fn(usize, &mut [DVec3]), out: &mut [DVec3]) {
    let last = frames - 1;
    let first = (time.max(0.0).floor() as usize).min(last);
    let share = (time - first as f64).clamp(0.0, 1.0);
    if share == 0.0 {
        return frame(first, out);
    }
    let (s, s2, s3) = (share, share * share, share * share * share);
    let weights = [
        -0.5 * s3 + s2 - 0.5 * s,
        1.5 * s3 - 2.5 * s2 + 1.0,
        -1.5 * s3 + 2.0 * s2 + 0.5 * s,
        0.5 * s3 - 0.5 * s2,
    ];
    let mut one = out.to_vec();
    out.fill(DVec3::ZERO);
    for (k, weight) in weights.into_iter().enumerate() {
        frame((first + k).saturating_sub(1).min(last), &mut one);
        out.iter_mut().zip(&one).for_each(|(out, one)| *out += weight * *one);
    }
}
