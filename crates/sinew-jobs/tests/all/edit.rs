//! `EditJob`.

use sinew_jobs::edit::{Edit, EditJob, Rotate, SculptPose, SculptRest, Through};
use sinew_jobs::refusals::EditRefusal;
use sinew_jobs::{AnyJob, Job, JobError};

use super::common::{Lab, goes_through_files, refused};

#[test]
fn edits_are_data() {
    let lab = Lab::new();
    let job = |edit| EditJob { rig: "rig.glb".into(), edit, output: lab.at("out.glb"), ..EditJob::default() };
    let turn = Rotate { bone: "7".into(), axis: [0.0, 2.0, 0.0], angle: 30.0, ..Rotate::default() };
    let end = Rotate { through: Some(Through::End), ..turn.clone() };
    let later = SculptPose { shape: "a.obj".into(), through: Through::Frame(3), ..SculptPose::default() };
    for edit in [Edit::Rotate(turn.clone()), Edit::Rotate(end), Edit::Pose(later)] {
        goes_through_files(&job(edit));
    }
    goes_through_files(&job(Edit::Rest(SculptRest { shape: "a.obj".into(), ..SculptRest::default() })));
    let written = r#"{"job": "edit", "rig": "rig.glb", "output": "out.glb",
        "edit": {"pose": {"shape": "a.obj", "frame": 2, "through": 3}}}"#;
    let Ok(AnyJob::Edit(read)) = AnyJob::from_json(written) else { panic!("{written}") };
    let Edit::Pose(SculptPose { through, .. }) = read.edit else { panic!("{written}") };
    assert_eq!(through, Through::Frame(3));

    let flat = job(Edit::Rotate(Rotate { axis: [0.0; 3], ..turn.clone() }));
    assert!(matches!(refused(&flat), JobError::Edit(EditRefusal::Axis)));
    let far = job(Edit::Rotate(Rotate { angle: f64::NAN, ..turn.clone() }));
    assert!(matches!(refused(&far), JobError::Field { field: "angle", .. }));
    let over = EditJob { rig: lab.at("out.glb"), ..job(Edit::Rotate(turn.clone())) };
    assert!(matches!(refused(&over), JobError::OverInput(_)));
    let named = EditJob { output: lab.at("out.pc2"), ..job(Edit::Rotate(turn)) };
    assert!(matches!(refused(&named), JobError::RigName { .. }));
    job(Edit::default()).validate().unwrap();
}
