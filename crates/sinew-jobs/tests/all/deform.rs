//! `DeformJob`.

use sinew_jobs::deform::{AnchorChoice, ComparePose, DeformJob, PoseCharacter, SetUp, Step};
use sinew_jobs::{FileKind, Job, JobError};

use super::common::{Lab, goes_through_files, refused};

#[test]
fn steps_are_data() {
    let lab = Lab::new();
    let job = |step| DeformJob { step, report: None };
    let setup = SetUp {
        body: "body.glb".into(),
        output: lab.at("body.deform"),
        examples: Some("examples.toml".into()),
        anchors: Some("2%".parse().unwrap()),
        ..SetUp::default()
    };
    let pose = PoseCharacter {
        character: "body.deform".into(),
        pose: "walk.bvh".into(),
        output: lab.at("walk.glb"),
        bones: Some(20),
        ..PoseCharacter::default()
    };
    let compare = ComparePose {
        character: "body.deform".into(),
        pose: "walk.bvh".into(),
        view: Some([30.0, 15.0]),
        output: lab.at("out.png"),
        ..ComparePose::default()
    };
    for step in [Step::Setup(setup.clone()), Step::Pose(pose.clone()), Step::Compare(compare.clone())] {
        let job = job(step);
        goes_through_files(&job);
        job.validate().unwrap();
    }
    for anchors in ["300", "2.5%", "64000B"] {
        assert_eq!(anchors.parse::<AnchorChoice>().unwrap().to_string(), anchors);
    }
    assert_eq!("64kB".parse::<AnchorChoice>(), "64000B".parse());

    let keep = job(Step::Setup(SetUp { keep: Some(0.0), ..setup.clone() }));
    assert!(matches!(refused(&keep), JobError::Field { field: "keep", .. }));
    let named = job(Step::Setup(SetUp { output: lab.at("body.glb"), ..setup }));
    assert!(matches!(refused(&named), JobError::Name { kind: FileKind::Character, .. }));
    let fps = job(Step::Pose(PoseCharacter { fps: Some(0.0), ..pose.clone() }));
    assert!(matches!(refused(&fps), JobError::FrameRate(0.0)));
    let bones = job(Step::Pose(PoseCharacter { output: lab.at("walk.pc2"), ..pose }));
    assert!(matches!(refused(&bones), JobError::BonesOfNoRig));
    let same = DeformJob { step: Step::Compare(compare), report: Some(lab.at("out.png")) };
    assert!(matches!(refused(&same), JobError::SameTarget(_)));
}
