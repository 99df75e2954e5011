//! Jobs on a small creature, in a folder of their own.

use std::path::PathBuf;

use sinew::progress::Silent;
use sinew_jobs::source::Source;
use sinew_jobs::{AnyJob, Job, JobError};
use sinew_sample::{CreatureOptions, creature};

/// A temporary folder with a small walking creature: `anim.pc2` and `rest.obj`.
pub struct Lab(tempfile::TempDir);

impl Lab {
    pub fn new() -> Self {
        let lab = Self(tempfile::tempdir().unwrap());
        let creature = creature(&CreatureOptions { frames: 8, detail: 0.6, ..CreatureOptions::default() });
        let frames = &creature.frames;
        let rest = creature.rest.as_deref().unwrap_or_else(|| frames.frame(0));
        sinew_io::formats::obj::write(&lab.at("rest.obj"), &creature.mesh, rest).unwrap();
        sinew_io::formats::pc2::write(
            &lab.at("anim.pc2"),
            frames.vertex_count(),
            frames.len(),
            |frame, out| {
                out.copy_from_slice(frames.frame(frame));
            },
        )
        .unwrap();
        lab
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn source(&self) -> Source {
        Source { inputs: vec![self.at("anim.pc2")], rest: Some(self.at("rest.obj")), ..Source::default() }
    }
}

/// A job is the same after a file, as itself and as any of the jobs.
pub fn goes_through_files<J: Job + Into<AnyJob> + PartialEq + std::fmt::Debug>(job: &J) {
    let text = serde_json::to_string(job).unwrap();
    assert_eq!(&serde_json::from_str::<J>(&text).unwrap(), job, "{text}");
    let any: AnyJob = job.clone().into();
    assert_eq!(AnyJob::from_json(&any.to_json()).unwrap(), any);
}

/// A job is refused before anything is read.
pub fn refused<J: Job>(job: &J) -> JobError {
    let error = job.check().expect_err("such a job is refused");
    assert!(!error.to_string().contains("--"), "{error}");
    assert!(job.run(&Silent).is_err());
    error
}
