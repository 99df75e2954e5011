//! Motion at another frame rate.

use std::ops::Range;

use glam::{DAffine3, DMat3, DQuat};

use super::{Motion, MotionError, SourceJoint, inverse};
use crate::animation::Clip;
use crate::solve::procrustes::polar;

/// Transforms a resampled motion may have: frames times joints.
const MOST_TRANSFORMS: f64 = (1_u64 << 24) as f64;

/// Times this close to a frame, in frames, are the frame's: rates are rounded.
const ON_FRAME: f64 = 1e-6;

impl Motion {
    /// The same motion at another frame rate, clip by clip. Frame i of a clip shows the time i / fps; the
    /// last is the last that is not after the clip's end. Where a frame falls on one that was there, it is
    /// that one. The motion must be sound ([`Motion::validate`]).
    ///
    /// # Errors
    /// When the rate is not a positive number, or would make more frames than memory is given for.
    pub fn resampled(&self, fps: f64) -> Result<Self, MotionError> {
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(MotionError::FrameRate { fps });
        }
        let (mut clips, mut total) = (Vec::new(), 0_usize);
        for clip in self.clips().iter() {
            let last = ((clip.frames.len().saturating_sub(1)) as f64 / clip.fps * fps + ON_FRAME).floor();
            if (total as f64 + last + 1.0) * self.joints.len() as f64 > MOST_TRANSFORMS {
                return Err(MotionError::TooLong { fps });
            }
            let end = total + last as usize + 1;
            clips.push(Clip { name: clip.name.clone(), frames: total..end, fps });
            total = end;
        }
        let mut worlds = Vec::with_capacity(total * self.joints.len());
        for (new, old) in clips.iter().zip(self.clips().iter()) {
            for frame in 0..new.frames.len() {
                self.pose_at(&old.frames, frame as f64 / fps * old.fps, &mut worlds);
            }
        }
        let clips = if self.clips.is_empty() { Vec::new() } else { clips };
        Ok(Self { worlds, fps, clips, ..self.without_frames() })
    }

    /// Appends the pose `at` frames after the first of `frames`.
    fn pose_at(&self, frames: &Range<usize>, at: f64, out: &mut Vec<DAffine3>) {
        let last = frames.len() - 1;
        let whole = ((at + ON_FRAME).floor() as usize).min(last);
        let t = (at - whole as f64).clamp(0.0, 1.0);
        let from = self.frame(frames.start + whole);
        if t <= ON_FRAME || whole == last {
            out.extend_from_slice(from);
            return;
        }
        let to = self.frame(frames.start + whole + 1);
        let start = out.len();
        for (joint, SourceJoint { parent, .. }) in self.joints.iter().enumerate() {
            let held = parent.and_then(|p| Some((p, inverse(from[p])?, inverse(to[p])?)));
            out.push(match held {
                None => between(from[joint], to[joint], t),
                Some((p, a, b)) => out[start + p] * between(a * from[joint], b * to[joint], t),
            });
        }
    }
}

/// From one transform to another: places and stretches on straight lines, turns the shortest way.
fn between(a: DAffine3, b: DAffine3, t: f64) -> DAffine3 {
    let translation = a.translation.lerp(b.translation, t);
    let straight = || a.matrix3 * (1.0 - t) + b.matrix3 * t;
    let turned = || -> Option<DMat3> {
        let (ra, rb) = (polar(a.matrix3)?, polar(b.matrix3)?);
        let (sa, sb) = (ra.transpose() * a.matrix3, rb.transpose() * b.matrix3);
        let turn = DQuat::from_mat3(&ra).slerp(DQuat::from_mat3(&rb), t).normalize();
        Some(DMat3::from_quat(turn) * (sa * (1.0 - t) + sb * t))
    };
    DAffine3 { matrix3: turned().unwrap_or_else(straight), translation }
}
