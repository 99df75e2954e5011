//! `SkinJob`.

use sinew::animation::compare;
use sinew::progress::{Progress, Silent};
use sinew::rig::Player;
use sinew::skin::{BoneKind, MethodName, RestPose, Solve, WeightMethod};
use sinew_jobs::refusals::{FitError, FitRefusal, SkinRefusal};
use sinew_jobs::search::Cost;
use sinew_jobs::skin::{Brought, Fit, FitGoal, Fitted, RestPoseChoice, SkinJob};
use sinew_jobs::source::Source;
use sinew_jobs::{AnyJob, Job, JobError};
use sinew_sample::{CreatureOptions, creature};

use super::common::{Lab, goes_through_files, refused};

fn job(lab: &Lab, fit: Fit) -> SkinJob {
    SkinJob { source: lab.source(), fit, output: Some(lab.at("out.glb")), ..SkinJob::default() }
}

#[test]
fn a_rig_is_fitted() {
    let lab = Lab::new();
    let all = Fit {
        method: Some(MethodName::Best),
        kind: Some(BoneKind::Rigid),
        rest_pose: RestPoseChoice(RestPose::Frame(3)),
        start: Some("mean-shift".parse().unwrap()),
        start_rig: Some("rig.glb".into()),
        solve: Some(Solve::Weights),
        goal: Some(FitGoal::Error(1.5)),
        weights: Some(WeightMethod::Tsvd),
        ..Fit::default()
    };
    goes_through_files(&job(&lab, all));
    goes_through_files(&job(&lab, Fit { goal: Some(FitGoal::Bytes(300_000)), ..Fit::default() }));
    let short = r#"{"job": "skin", "source": {"inputs": ["a.pc2"]}, "fit": {"goal": {"error": 1.0}}, "output": "o.glb"}"#;
    assert!(matches!(AnyJob::from_json(short), Ok(AnyJob::Skin(_))));
    assert!(AnyJob::from_json(&short.replace("goal", "gaol")).is_err());

    let fit = Fit { bones: Some(8), ..Fit::default() };
    let report = job(&lab, fit.clone()).run(&Silent).unwrap();
    assert_eq!((report.bones, report.bones_asked), (8, Some(8)));
    let done = job(&lab, fit).make_rig(&Silent).unwrap();
    assert_eq!(done.report.error.percent, report.error.percent);
    assert_eq!(done.rig.frame_count(), done.animation.frames.len());
}

#[test]
fn animations_in_memory_give_the_same() {
    let lab = Lab::new();
    let of_files = job(&lab, Fit { bones: Some(6), ..Fit::default() });
    of_files.run(&Silent).unwrap();
    let bytes = std::fs::read(lab.at("out.glb")).unwrap();
    let opened = || lab.source().read(&Silent).unwrap();
    let nowhere = SkinJob { source: Source::default(), output: None, ..of_files.clone() };
    let done = nowhere.run_on(opened(), &Silent).unwrap();
    assert!(done.writing.encode(&lab.at("out.glb"), &done.rig, None).unwrap().bytes == bytes);
    // Files state their names inside.
    let output = lab.at("again/out.glb");
    std::fs::create_dir(lab.at("again")).unwrap();
    let report = Some(lab.at("again.json"));
    let again = SkinJob { output: Some(output.clone()), report, ..nowhere.clone() };
    again.run_on(opened(), &Silent).unwrap();
    assert!(std::fs::read(output).unwrap() == bytes);
    let report = std::fs::read_to_string(lab.at("again.json")).unwrap();
    assert!(report.contains(r#""job": "skin""#) && report.contains(r#""bones": 6"#), "{report}");
    let faster = Source { fps: Some(60.0), scale: Some(2.0), ..Source::default() };
    let done = SkinJob { source: faster, ..nowhere.clone() }.run_on(opened(), &Silent).unwrap();
    assert_eq!(done.rig.fps, 60.0);

    let error = SkinJob { source: lab.source(), ..nowhere.clone() }.run_on(opened(), &Silent).unwrap_err();
    assert!(matches!(error, JobError::Field { field: "inputs", .. }), "{error}");
    let chain = Fit { method: Some(MethodName::Pps), ..Fit::default() };
    let error = SkinJob { fit: chain, ..nowhere }.run_on(opened(), &Silent).unwrap_err();
    assert!(matches!(error, JobError::NoRig), "{error}");
}

#[test]
fn fields_that_do_not_go_together_are_refused() {
    let lab = Lab::new();
    let fit = |fit: Fit| refused(&job(&lab, fit));
    let is = |refusal: FitRefusal, error: JobError| match error {
        JobError::FitOptions(found) => assert_eq!(found, refusal),
        error => panic!("{error}"),
    };
    let unknown = |method, field, with, because| FitRefusal::Unknown { method, field, with, because };
    is(
        unknown(MethodName::Best, "epsilon", MethodName::Sma, None),
        fit(Fit { method: Some(MethodName::Best), epsilon: Some(0.1), ..Fit::default() }),
    );
    is(
        unknown(MethodName::Sma, "keep_rest", MethodName::Best, Some("epsilon")),
        fit(Fit { keep_rest: true, epsilon: Some(0.1), ..Fit::default() }),
    );
    is(
        unknown(MethodName::Sad, "kind rigid", MethodName::Best, None),
        fit(Fit { method: Some(MethodName::Sad), kind: Some(BoneKind::Rigid), ..Fit::default() }),
    );
    is(FitRefusal::NoShapes, fit(Fit { method: Some(MethodName::Pps), rank: Some(2), ..Fit::default() }));
    is(FitRefusal::NeedsRig("solve"), fit(Fit { solve: Some(Solve::Both), ..Fit::default() }));
    let rig = Fit { start_rig: Some("rig.glb".into()), ..Fit::default() };
    is(FitRefusal::RigBringsBones("start_rig"), fit(Fit { bones: Some(3), ..rig.clone() }));
    let goal = Some(FitGoal::Bytes(100));
    is(FitRefusal::GoalWithRig("goal.bytes"), fit(Fit { goal, ..rig }));
    let error = fit(Fit { goal: Some(FitGoal::Error(-1.0)), ..Fit::default() });
    assert!(matches!(error, JobError::Field { field: "goal.error", .. }), "{error}");

    let good = job(&lab, Fit::default());
    let nowhere = SkinJob { output: None, ..good.clone() };
    assert!(matches!(refused(&nowhere), JobError::NoTarget { .. }));
    let plot = SkinJob { plot: Some(lab.at("p.png")), ..good.clone() };
    assert!(matches!(refused(&plot), JobError::SkinOptions(SkinRefusal::PlotWithoutGoal)));
    let pps = Fit { method: Some(MethodName::Pps), ..Fit::default() };
    assert!(matches!(fit(pps), JobError::SkinOptions(SkinRefusal::ChainFile(_))));
    let tsvd = Fit { weights: Some(WeightMethod::Tsvd), ..Fit::default() };
    assert!(matches!(fit(tsvd), JobError::SkinOptions(SkinRefusal::NegativeWeights { .. })));
}

#[test]
fn fits_of_data_in_memory_need_no_files() {
    let animation = creature(&CreatureOptions { frames: 6, detail: 0.6, ..CreatureOptions::default() });
    let cost = |rig: &sinew::rig::Rig| {
        let error = compare(&animation, &Player::new(rig), animation.rest_bounds()).error;
        Ok(Cost { bytes: 1000 * rig.bones.len() as u64, percent: error.percent, max: error.max })
    };
    let run = |fit: &Fit, progress: &dyn Progress| fit.run(&animation, Brought::default(), &cost, progress);
    for method in [MethodName::Best, MethodName::Sma, MethodName::Sad, MethodName::Fesam] {
        let fit = Fit { method: Some(method), bones: Some(6), ..Fit::default() };
        let Ok(Fitted::Rig { skinned, candidates, .. }) = run(&fit, &Silent) else { panic!("{method}") };
        assert_eq!((skinned.rig.bones.len(), candidates.len()), (6, 0), "{method}");
    }
    let pps = Fit { method: Some(MethodName::Pps), bones: Some(6), ..Fit::default() };
    assert!(matches!(run(&pps, &Silent), Ok(Fitted::Chain(chain)) if chain.rig.bones.len() == 6));
    struct Never;
    impl Progress for Never {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert!(matches!(run(&pps, &Never), Err(FitError::Cancelled)));
    assert!(matches!(run(&Fit::default(), &Never), Err(FitError::Cancelled)));
}
