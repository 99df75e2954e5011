//! `SkeletonJob`.

use sinew::progress::Silent;
use sinew::skeleton::{JointWeights, SkeletonError};
use sinew_jobs::skeleton::SkeletonJob;
use sinew_jobs::{FileKind, Job, JobError};

use super::common::{Lab, goes_through_files, refused};

#[test]
fn a_character_is_found() {
    let lab = Lab::new();
    let job = SkeletonJob {
        source: lab.source(),
        output: Some(lab.at("out.glb")),
        bvh: Some(lab.at("out.bvh")),
        joints: Some(8),
        report: Some(lab.at("out.json")),
        ..SkeletonJob::default()
    };
    goes_through_files(&job);
    let report = job.run(&Silent).unwrap();
    assert_eq!((report.joints, report.skeleton.len()), (8, 8));
    assert_eq!(report.bytes.output, Some(std::fs::metadata(lab.at("out.glb")).unwrap().len()));
    let told: serde_json::Value =
        serde_json::from_slice(&std::fs::read(lab.at("out.json")).unwrap()).unwrap();
    assert_eq!((&told["segment"], &told["joints"]), (&"best".into(), &8.into()));
}

#[test]
fn what_cannot_be_is_refused() {
    let lab = Lab::new();
    let good =
        SkeletonJob { source: lab.source(), output: Some(lab.at("out.glb")), ..SkeletonJob::default() };
    good.validate().unwrap();
    goes_through_files(&SkeletonJob { weights: JointWeights::Heat, smooth: Some(0.5), ..good.clone() });
    let none = SkeletonJob { output: None, ..good.clone() };
    assert!(matches!(refused(&none), JobError::NoTarget { .. }));
    let same = SkeletonJob { report: good.output.clone(), ..good.clone() };
    assert!(matches!(refused(&same), JobError::SameTarget(_)));
    let over = SkeletonJob { report: Some(lab.at("rest.obj")), ..good.clone() };
    assert!(matches!(refused(&over), JobError::OverInput(_)));
    let ending = SkeletonJob { bvh: Some(lab.at("out.txt")), ..good.clone() };
    assert!(matches!(refused(&ending), JobError::Name { kind: FileKind::Motion, .. }));
    let compact = SkeletonJob { compact: Some(-1.0), ..good.clone() };
    assert!(matches!(refused(&compact), JobError::Field { field: "compact", .. }));
    assert!(matches!(refused(&SkeletonJob { joints: Some(0), ..good.clone() }), JobError::NoJoints));
    assert!(matches!(
        refused(&SkeletonJob { influences: Some(17), ..good }),
        JobError::SkeletonOptions(SkeletonError::InfluenceCount { asked: 17 })
    ));
}
