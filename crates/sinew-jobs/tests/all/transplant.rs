//! `TransplantJob`.

use sinew::motion::{RigPose, Translations};
use sinew_jobs::transplant::{RigPoseChoice, SourcePoseChoice, TransplantJob};
use sinew_jobs::{FileKind, Job, JobError};

use super::common::{Lab, goes_through_files, refused};

#[test]
fn transplants_are_data() {
    let lab = Lab::new();
    let job = TransplantJob {
        source: "walk.bvh".into(),
        onto: "rig.glb".into(),
        output: lab.at("out.glb"),
        align_source: Some(SourcePoseChoice::OfClip("Run".into(), 4)),
        align_rig: Some(RigPoseChoice(RigPose::Frame(2))),
        translations: Translations::Edges,
        ..TransplantJob::default()
    };
    goes_through_files(&job);
    job.validate().unwrap();
    let text = serde_json::to_string(&job).unwrap();
    assert!(text.contains(r#""align_source":"Run:4","align_rig":2"#), "{text}");
    assert!(text.contains(r#""translations":"edges""#), "{text}");
    for pose in ["bind", "12", "Walk:3"] {
        assert_eq!(pose.parse::<SourcePoseChoice>().unwrap().to_string(), pose);
    }
    assert!("Walk:x".parse::<SourcePoseChoice>().is_err() && "bind".parse::<RigPoseChoice>().is_err());

    let map = TransplantJob { suggest: true, ..job.clone() };
    assert!(matches!(refused(&map), JobError::Name { kind: FileKind::Map, .. }));
    let picture = TransplantJob { picture: Some(lab.at("p.jpg")), ..job.clone() };
    assert!(matches!(refused(&picture), JobError::Name { kind: FileKind::Picture, .. }));
    assert!(matches!(refused(&TransplantJob { fps: Some(0.0), ..job.clone() }), JobError::FrameRate(0.0)));
    let over = TransplantJob { map: Some(lab.at("out.glb")), ..job };
    assert!(matches!(refused(&over), JobError::OverInput(_)));
}
