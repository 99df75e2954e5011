//! `SkinJob` of a face.

use std::path::{Path, PathBuf};

use glam::{DAffine3, Vec3};
use serde_json::Value;
use sinew::animation::PoseSource;
use sinew::geometry::{Attribute, AttributeKind, Domain};
use sinew::progress::Silent;
use sinew::rig::Player;
use sinew_io::formats::Facts;
use sinew_jobs::refusals::{ImportanceRefusal, ShapeRefusal};
use sinew_jobs::rig_file::encode_alone;
use sinew_jobs::skin::{Fit, FitGoal, SkinJob};
use sinew_jobs::source::Source;
use sinew_jobs::{Job, JobError};
use sinew_sample::face;

use super::common::{Lab, goes_through_files};

/// A head with shapes in a file, with a colour that is white on its left half.
fn written(lab: &Lab) -> PathBuf {
    let mut rig = face();
    let half = |p: &Vec3| if p.x > 0.0 { &[1.0_f32; 3][..] } else { &[0.1; 3][..] };
    let rows: Vec<&[f32]> = rig.rest.iter().map(half).collect();
    rig.mesh.attributes = vec![Attribute::new("care", AttributeKind::Color, Domain::Vertex, 3, rows)];
    let path = lab.at("face.glb");
    let bytes = encode_alone(&path, &rig, "", &Facts::default()).unwrap().bytes;
    std::fs::write(&path, bytes).unwrap();
    path
}

fn job(input: &Path, output: PathBuf) -> SkinJob {
    let fit = Fit { bones: Some(10), influences: Some(6), ..Fit::default() };
    let source = Source { inputs: vec![input.into()], ..Source::default() };
    SkinJob { source, fit, output: Some(output), ..SkinJob::default() }
}

#[test]
fn shapes_become_clips_that_add_up() {
    let lab = Lab::new();
    let path = written(&lab);
    let combine = vec!["jaw_open+pucker".to_owned()];
    let table = Some(lab.at("table.json"));
    let asked = SkinJob { combine, table, ..job(&path, lab.at("out.glb")) };
    goes_through_files(&SkinJob { shapes: true, ..asked.clone() });
    let done = asked.make_rig(&Silent).unwrap();
    let names: Vec<&str> = done.rig.clips.iter().map(|clip| clip.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[8]), (9, "jaw_open", "jaw_open+pucker"));
    assert!(done.rig.clips.iter().all(|clip| clip.frames.len() == 2));
    assert!(done.rig.frame_transforms(0).iter().all(|t| *t == DAffine3::IDENTITY));
    let report = &done.report;
    assert_eq!((report.shapes.len(), report.clips.len()), (9, 9));
    assert!(report.error.max < 2.0 && report.error.p99 <= report.error.max, "{:?}", report.error);
    let worst = report.shapes.iter().map(|shape| shape.max).fold(0.0, f64::max);
    assert!((worst - report.error.max).abs() < 1e-9);

    // The table plays a mixture of shapes as far off as the shapes are.
    let table: Value = serde_json::from_str(&std::fs::read_to_string(lab.at("table.json")).unwrap()).unwrap();
    assert_eq!(
        (table["bones"].as_array().unwrap().len(), table["shapes"].as_array().unwrap().len()),
        (10, 9)
    );
    let player = Player::new(&done.rig);
    let (rest, one, other) = (player.pose(0), player.pose(1), player.pose(7));
    let deltas = |shape: &Value, vertex: usize| {
        let h = rest[vertex].extend(1.0).to_array();
        let mut sum = [0.0; 3];
        for bone in shape["bones"].as_array().unwrap() {
            let number = bone["bone"].as_u64().unwrap() as usize;
            let weight: f64 =
                done.rig.weights.influences(vertex).filter(|(b, _)| *b == number).map(|(_, w)| w).sum();
            for (axis, sum) in sum.iter_mut().enumerate() {
                let entry = |c: usize| bone["delta"][axis][c].as_f64().unwrap() * f64::from(h[c]);
                *sum += weight * (0..4).map(entry).sum::<f64>();
            }
        }
        sum
    };
    for vertex in [5, 300, 500] {
        let (a, b) = (deltas(&table["shapes"][0], vertex), deltas(&table["shapes"][3], vertex));
        let mixed = (one[vertex] + other[vertex] - rest[vertex]).as_dvec3();
        let summed: [f64; 3] = std::array::from_fn(|axis| f64::from(rest[vertex][axis]) + a[axis] + b[axis]);
        assert!(mixed.distance(summed.into()) < 1e-5);
    }
}

#[test]
fn most_bones_stand_still_in_most_shapes() {
    let lab = Lab::new();
    let path = written(&lab);
    let with = |sparse: Option<f64>, name: &str| {
        let asked = job(&path, lab.at(name));
        SkinJob { fit: Fit { sparse, ..asked.fit }, ..asked }.run(&Silent).unwrap()
    };
    let (dense, thin) = (with(None, "dense.glb"), with(Some(75.0), "thin.glb"));
    let moving: usize = thin.shapes.iter().map(|shape| shape.moving).sum();
    assert!((16..=20).contains(&moving), "{moving} of 80");
    assert!(thin.bytes.output < dense.bytes.output, "{:?} {:?}", thin.bytes, dense.bytes);
    assert!(thin.error.percent < 30.0, "{} {}", thin.error.percent, dense.error.percent);
}

#[test]
fn shapes_that_are_not_there_are_refused() {
    let lab = Lab::new();
    let path = written(&lab);
    let refused = |job: SkinJob| job.run(&Silent).unwrap_err();
    let combine = vec!["jaw_open+wink".to_owned()];
    let error = refused(SkinJob { combine, ..job(&path, lab.at("o.glb")) });
    assert!(
        matches!(&error, JobError::Shapes(ShapeRefusal::NoShape { name, .. }) if name == "wink"),
        "{error}"
    );
    let moving = SkinJob { source: lab.source(), ..job(&path, lab.at("o.glb")) };
    let error = refused(SkinJob { shapes: true, ..moving.clone() });
    assert!(matches!(error, JobError::Shapes(ShapeRefusal::None(_))), "{error}");
    let error = refused(SkinJob { table: Some(lab.at("t.json")), ..moving });
    assert!(matches!(error, JobError::Shapes(ShapeRefusal::TableOfMotion)), "{error}");
    assert!(!lab.at("o.glb").exists());
}

#[test]
fn importance_is_a_list_or_an_attribute() {
    let lab = Lab::new();
    let path = written(&lab);
    let counted = |importance: &str| {
        let asked = job(&path, lab.at("o.glb"));
        SkinJob { fit: Fit { importance: Some(importance.into()), ..asked.fit }, ..asked }.run(&Silent)
    };
    let source = Source { inputs: vec![path.clone()], ..Source::default() };
    let name = source.read(&Silent).unwrap().animation.mesh.attributes[0].name.clone();
    let named = counted(&name).unwrap();
    let list = lab.at("list.txt");
    let lines: Vec<&str> = face().rest.iter().map(|p| if p.x > 0.0 { "1.0" } else { "0.1" }).collect();
    std::fs::write(&list, lines.join("\n")).unwrap();
    let listed = counted(list.to_str().unwrap()).unwrap();
    assert!(
        (named.error.percent / listed.error.percent - 1.0).abs() < 0.02,
        "{:?} {:?}",
        named.error,
        listed.error
    );
    std::fs::write(&list, "1 2 # few\n3").unwrap();
    let error = counted(list.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, JobError::Importance(ImportanceRefusal::Count { found: 3, .. })), "{error}");
    std::fs::write(&list, "1\nmuch").unwrap();
    let error = counted(list.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, JobError::Importance(ImportanceRefusal::NoNumber { line: 2, .. })), "{error}");
    assert!(counted("nothing").unwrap_err().to_string().contains(&name));
}

#[test]
fn the_largest_error_can_be_the_goal() {
    let lab = Lab::new();
    let within = |bound: &str| {
        let goal = Some(FitGoal::Largest(bound.parse().unwrap()));
        SkinJob {
            source: lab.source(),
            fit: Fit { goal, kind: Some(sinew::skin::BoneKind::Flexible), rank: Some(0), ..Fit::default() },
            output: Some(lab.at("out.glb")),
            ..SkinJob::default()
        }
    };
    goes_through_files(&within("0.5mm"));
    let report = within("2%").run(&Silent).unwrap();
    assert!(report.error.max <= 2.0, "{:?}", report.error);
    let chosen = report.choices.iter().find(|choice| choice.chosen).unwrap();
    assert!((chosen.max - report.error.max).abs() < 1e-9);
    assert!((chosen.percent - report.error.percent).abs() < 1e-9);
    let fewer = report.choices.iter().filter(|choice| choice.bytes < chosen.bytes);
    assert!(fewer.into_iter().all(|choice| choice.max > 2.0));
    assert!(report.curve.iter().all(|told| told.max.is_some() && told.percent.is_none()));
    let error = within("3mm").run(&Silent).unwrap_err();
    assert!(error.to_string().contains("no unit"), "{error}");
    for wrong in ["", "much", "3 miles", "%"] {
        assert!(wrong.parse::<sinew_jobs::skin::Largest>().is_err(), "{wrong}");
    }
    assert!(within("0%").validate().is_err() && within("-1").validate().is_err());
}
