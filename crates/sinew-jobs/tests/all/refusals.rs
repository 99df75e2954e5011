//! What jobs refuse before any file is read.

use sinew::rig::Blending;
use sinew_jobs::bake::BakeJob;
use sinew_jobs::collide::CollideJob;
use sinew_jobs::convert::ConvertJob;
use sinew_jobs::crowd::{CameraStop, CrowdJob};
use sinew_jobs::info::InfoJob;
use sinew_jobs::light::LightJob;
use sinew_jobs::lod::{LevelWish, LodJob};
use sinew_jobs::picture::{PictureColor, PictureJob};
use sinew_jobs::refusals::{BakeRefusal, ConvertRefusal, CrowdRefusal, FileRefusal, PictureRefusal};
use sinew_jobs::source::Source;
use sinew_jobs::stream::StreamJob;
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
    assert!(matches!(
        refusal(&BakeJob { output: "b.txt".into(), ..job }),
        JobError::Files(FileRefusal::NoPoseFormat(_))
    ));
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

#[test]
fn only_glb_files_are_made_smaller() {
    let job = ConvertJob { input: "a.glb".into(), output: "b.sinew".into(), ..ConvertJob::default() };
    assert!(job.validate().is_ok());
    let packed = ConvertJob { pack: true, ..job.clone() };
    assert!(matches!(refusal(&packed), JobError::Convert(ConvertRefusal::NotGlb)));
    let nothing = ConvertJob { output: "b.xyz".into(), ..job.clone() };
    assert!(matches!(refusal(&nothing), JobError::Convert(ConvertRefusal::Unknown(_))));
    let upside_down = ConvertJob { scale: Some(-1.0), ..job };
    assert_eq!(refusal(&upside_down).to_string(), "scale takes a positive number, not -1");
}

#[test]
fn pictures_show_what_there_is() {
    let job = PictureJob { file: "a.glb".into(), output: "b.png".into(), ..PictureJob::default() };
    assert!(job.validate().is_ok());
    let error = PictureJob { color: Some(PictureColor::Error), ..job.clone() };
    assert!(matches!(refusal(&error), JobError::PictureOptions(PictureRefusal::ErrorOfNothing)));
    let bone = PictureJob { bone: Some("3".into()), color: Some(PictureColor::Plain), ..job.clone() };
    assert!(matches!(refusal(&bone), JobError::PictureOptions(PictureRefusal::BoneWithoutWeights)));
    let lines = PictureJob { gpu: true, wireframe: true, ..job.clone() };
    assert!(matches!(refusal(&lines), JobError::PictureOptions(PictureRefusal::OnlyOnCpu)));
    assert!(matches!(refusal(&PictureJob { size: [0, 5], ..job }), JobError::Field { field: "size", .. }));
}

#[test]
fn contacts_are_of_two_or_within_one() {
    let job = CollideJob { rig: "a.glb".into(), ..CollideJob::default() };
    assert!(matches!(refusal(&job), JobError::Collide(_)));
    assert!(CollideJob { within: true, ..job.clone() }.validate().is_ok());
    let turned = CollideJob { other: Some("b.glb".into()), turn: f64::NAN, ..job };
    assert!(matches!(refusal(&turned), JobError::Field { field: "turn", .. }));
}

#[test]
fn crowds_stand_where_they_can() {
    assert!(CrowdJob::default().validate().is_ok());
    let shares = CrowdJob { shares: vec![1.0, 2.0], ..CrowdJob::default() };
    assert!(matches!(refusal(&shares), JobError::Crowd(CrowdRefusal::Shares { rigs: 1 })));
    let below = vec![CameraStop { around: 0.0, above: -5.0, away: 1.0 }];
    let below = CrowdJob { camera: below, ..CrowdJob::default() };
    assert!(matches!(refusal(&below), JobError::Crowd(CrowdRefusal::Camera)));
    let many = CrowdJob { count: 5_000_000, ..CrowdJob::default() };
    assert!(matches!(refusal(&many), JobError::Field { field: "count", .. }));
}

#[test]
fn streams_have_an_ending() {
    let empty = StreamJob { output: "-".into(), ..StreamJob::default() };
    assert!(matches!(refusal(&empty), JobError::Field { field: "inputs", .. }));
    let source = Source { inputs: vec!["a.pc2".into()], ..Source::default() };
    let job = StreamJob { source, ..empty };
    assert!(job.validate().is_ok());
    let elsewhere = StreamJob { output: "a.glb".into(), ..job.clone() };
    assert!(matches!(refusal(&elsewhere), JobError::Name { kind: FileKind::Stream, .. }));
    assert!(matches!(
        refusal(&StreamJob { look_ahead: 0, ..job }),
        JobError::Field { field: "look_ahead", .. }
    ));
    let nowhere = InfoJob { report: Some("no/such/folder/a.json".into()), ..InfoJob::default() };
    assert!(nowhere.validate().is_err());
}
