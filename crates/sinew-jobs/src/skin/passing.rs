//! Frames of an animation that go by, a few at a time.

use glam::Vec3;
use sinew::animation::Frames;
use sinew_io::open;

use super::order::SkinJob;
use crate::error::{JobError, Outcome};

/// Frames that go by together.
pub(super) const TOGETHER: usize = 32;

/// Goes through all frames of the animation once more, a few at a time.
pub(super) fn each_part(
    job: &SkinJob,
    frames: usize,
    mut with: impl FnMut(&Frames) -> Outcome<()>,
) -> Outcome<()> {
    let mut stream = open::stream(&job.source.inputs, &job.source.options())?;
    let mut seen = 0;
    loop {
        let mut poses = Vec::new();
        let mut pose = vec![Vec3::ZERO; stream.vertex_count()];
        while poses.len() < TOGETHER && stream.next_into(&mut pose)? {
            poses.push(pose.clone());
        }
        seen += poses.len();
        if seen > frames || poses.is_empty() && seen < frames {
            return Err(JobError::FileChanged(stream.source));
        }
        if poses.is_empty() {
            return Ok(());
        }
        with(&Frames::from_poses(&poses))?;
    }
}
