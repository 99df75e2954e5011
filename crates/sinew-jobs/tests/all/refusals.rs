//! What jobs refuse before any file is read.

use sinew::rig::Blending;
use sinew_jobs::bake::{BakeJob, BakeRefusal};
use sinew_jobs::light::LightJob;
use sinew_jobs::lod::{LevelWish, LodJob};
use sinew_jobs::{FieldProblem, FileKind, Job, JobError};

fn refusal(job: &impl Job) -> JobError {
    job.validate().unwrap_err()
}

#[test]
fn rigs_are_kept_whole_and_linear() {
    let job = BakeJob { rig: "a.glb".into(), output: "b.sinew".into(), ..BakeJob::default() };
    assert!(job.validate().is_ok());
    let some = BakeJob { frames: Some(2), ..job.clone() };
    assert!(matches!(refusal(&some), JobError::Bake(BakeRefusal::SomeFramesOfRig)));
    let blended = BakeJob { blend: Blending::Dual, ..job.clone() };
    assert!(matches!(refusal(&blended), JobError::Bake(BakeRefusal::BlendedRig)));
    assert!(BakeJob { output: "b.pc2".into(), ..blended }.validate().is_ok());
    assert!(matches!(refusal(&BakeJob { output: "b.txt".into(), ..job }), JobError::Refused(_)));
}

#[test]
fn levels_of_detail_are_some_and_go_to_glb_files() {
    let job = LodJob { rig: "a.glb".into(), output: "b.glb".into(), ..LodJob::default() };
    assert!(job.validate().is_ok());
    let elsewhere = LodJob { output: "b.sinew".into(), ..job.clone() };
    assert!(matches!(refusal(&elsewhere), JobError::Name { kind: FileKind::Levels, .. }));
    let picture = LodJob { picture: Some("b.jpg".into()), ..job.clone() };
    assert!(matches!(refusal(&picture), JobError::Name { kind: FileKind::Picture, .. }));
    let none = LodJob { poses: 0, ..job.clone() };
    assert!(matches!(refusal(&none), JobError::Field { field: "poses", problem: FieldProblem::Zero }));
    let share = LodJob { levels: vec![LevelWish::Share(2.0)], ..job };
    assert!(matches!(refusal(&share), JobError::Field { field: "levels", .. }));
}

#[test]
fn light_has_bounds() {
    let job = LightJob { rig: "a.glb".into(), output: "b.glb".into(), ..LightJob::default() };
    assert!(job.validate().is_ok());
    let far = LightJob { reach: Some(0.0), ..job.clone() };
    assert_eq!(refusal(&far).to_string(), "reach takes a positive number of percent, not 0");
    assert_eq!(refusal(&LightJob { rays: 0, ..job }).to_string(), "rays takes 1 to 65536, not 0");
}
