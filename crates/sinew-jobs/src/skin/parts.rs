//! One animation that several machines take through a rig, each some of its frames.
//!
//! Bones and weights are learnt by every part for itself, and come out the same, or are those of a rig that is given. Each frame's own
//! transforms depend on that frame alone, so that a part solves those of its frames and keeps them beside the output, with every
//! number as it was solved. Whoever finds all parts there puts them together, which is the rig that one run makes: nobody
//! waits for anybody, and two that finish at once write the same bytes.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sinew::animation::Frames;
use sinew::progress::Progress;
use sinew::rig::{Corrections, Rig};
use sinew::stream::Follower;
use sinew_io::account::Stamp;
use sinew_io::formats::sinew_file;
use sinew_io::open;
use sinew_io::scene::SampleOptions;

use super::order::SkinJob;
use super::passing::each_part;
use crate::error::{JobError, Outcome};
use crate::shard::Shard;

/// Parts of a rig in a folder beside it.
pub(super) struct Parts<'a> {
    output: &'a Path,
    shard: Shard,
    /// Of the skin and of what is followed: parts of other fits do not go together.
    key: String,
}

impl<'a> Parts<'a> {
    /// Those of a job's output, of a skin whose own frames do not matter.
    pub fn new(job: &SkinJob, output: &'a Path, shard: Shard, rig: &Rig, frames: usize) -> Self {
        let mut digest = Sha256::new();
        digest.update(sinew_file::rig_to_bytes(&still(rig), ""));
        for input in &job.source.inputs {
            digest.update(input.as_os_str().as_encoded_bytes());
            let stamp = Stamp::of(input).ok();
            digest.update(stamp.map_or(0, |stamp| stamp.size).to_le_bytes());
            digest.update(stamp.map_or(0, |stamp| stamp.modified).to_le_bytes());
        }
        digest.update(frames.to_le_bytes());
        let key = digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { output, shard, key }
    }

    fn path(&self, part: usize) -> PathBuf {
        let mut folder = self.output.as_os_str().to_owned();
        folder.push(".parts");
        PathBuf::from(folder).join(format!("{}-{part}-of-{}.sinew", self.key, self.shard.count()))
    }

    /// Takes the skin of `follower` through the frames of this part, and keeps them.
    pub fn follow(
        &self,
        job: &SkinJob,
        mut follower: Follower,
        frames: usize,
        progress: &dyn Progress,
    ) -> Outcome<sinew::stream::Followed> {
        let own = self.shard.range(frames);
        let mut seen = 0;
        each_part(job, frames, |part| {
            let first = own.start.clamp(seen, seen + part.len()) - seen;
            let end = own.end.clamp(seen, seen + part.len()) - seen;
            seen += part.len();
            if first < end {
                let poses: Vec<_> = (first..end).map(|t| part.frame(t)).collect();
                follower.follow(&Frames::from_poses(&poses));
            }
            progress.advance(seen as f64 / frames as f64);
            Ok(progress.check()?)
        })?;
        let followed = follower.finish();
        let path = self.path(self.shard.number());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(sinew_io::Error::io(folder))?;
        }
        let alone = Rig { nodes: Vec::new(), ..followed.rig.clone() };
        sinew_file::write_rig(&path, &alone, "")?;
        Ok(followed)
    }

    /// Parts that are not there.
    pub fn missing(&self) -> Vec<usize> {
        (1..=self.shard.count()).filter(|part| !self.path(*part).is_file()).collect()
    }

    /// Gives a skin the frames of all parts.
    pub fn join(&self, rig: &mut Rig, frames: usize) -> Outcome<()> {
        rig.transforms.clear();
        let mut coefficients = Vec::new();
        for part in 1..=self.shard.count() {
            let path = self.path(part);
            let read = open::rig(&path, &SampleOptions::default())?.rig;
            rig.transforms.extend(read.transforms);
            coefficients.extend(read.corrections.into_iter().flat_map(|shapes| shapes.coefficients));
        }
        if rig.transforms.len() != frames * rig.bones.len() {
            return Err(JobError::FileChanged(self.path(1).display().to_string()));
        }
        if let Some(shapes) = &mut rig.corrections {
            shapes.coefficients = coefficients;
        }
        Ok(())
    }
}

/// A rig in its rest pose.
fn still(rig: &Rig) -> Rig {
    let quiet = |shapes: &Corrections| Corrections { coefficients: vec![0.0; shapes.rank], ..shapes.clone() };
    Rig {
        transforms: vec![glam::DAffine3::IDENTITY; rig.bones.len()],
        corrections: rig.corrections.as_ref().map(quiet),
        clips: Vec::new(),
        nodes: Vec::new(),
        ..rig.clone()
    }
}
