//! What reports say that engines play.

use glam::{DAffine3, DVec3};
use sinew::animation::compare;
use sinew::geometry::Bounds;
use sinew::progress::Silent;
use sinew::rig::{Player, Rig, SkinWeights};
use sinew::skin::BoneKind;
use sinew_io::formats::{Content, GLTF, RigOptions};
use sinew_io::open;
use sinew_io::scene::SampleOptions;
use sinew_jobs::convert::ConvertJob;
use sinew_jobs::report::{EngineReport, Off, Plays};
use sinew_jobs::skeleton::SkeletonJob;
use sinew_jobs::skin::{Fit, FitGoal, SkinJob};
use sinew_jobs::{Job, Warning};

use super::common::Lab;

fn skinned(lab: &Lab, fit: Fit, output: &str) -> SkinJob {
    SkinJob { source: lab.source(), fit, output: Some(lab.at(output)), ..SkinJob::default() }
}

fn of<'a>(engines: &'a [EngineReport], name: &str) -> &'a EngineReport {
    engines.iter().find(|e| e.engine == name).unwrap_or_else(|| panic!("no {name} in {engines:?}"))
}

/// Influences dropped by hand, as a loader does that knows one set of four and makes its weights sum to one.
fn with_four(rig: &Rig) -> Rig {
    let mut weights = SkinWeights { per_vertex: 4, bones: Vec::new(), weights: Vec::new() };
    for vertex in 0..rig.rest.len() {
        let (bones, all) = rig.weights.of(vertex);
        let mut pairs: Vec<(f32, u32)> = all.iter().copied().zip(bones.iter().copied()).collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        pairs.resize(4, (0.0, 0));
        let sum: f32 = pairs.iter().map(|p| p.0).sum();
        weights.bones.extend(pairs.iter().map(|p| p.1));
        weights.weights.extend(pairs.iter().map(|p| p.0 / sum));
    }
    Rig { weights, ..rig.clone() }
}

#[test]
fn a_rig_of_four_influences_plays_alike_everywhere() {
    let lab = Lab::new();
    let report = skinned(&lab, Fit { bones: Some(8), ..Fit::default() }, "rig.glb").run(&Silent).unwrap();
    assert!(report.engines.len() >= 6);
    for engine in &report.engines {
        assert_eq!((engine.plays, engine.vertices_cut), (Plays::AsMeasured, 0), "{engine:?}");
        assert_eq!(engine.error.unwrap().percent, report.error.percent);
    }
    assert!(!report.warnings.iter().any(|w| matches!(w, Warning::FewerInfluences { .. })));
    let character =
        SkeletonJob { source: lab.source(), output: Some(lab.at("c.glb")), ..SkeletonJob::default() };
    assert_eq!(of(&character.run(&Silent).unwrap().engines, "three.js").plays, Plays::AsMeasured);
}

#[test]
fn what_engines_drop_is_measured() {
    let lab = Lab::new();
    let fit = Fit { bones: Some(12), influences: Some(8), ..Fit::default() };
    let done = skinned(&lab, fit, "rig.glb").make_rig(&Silent).unwrap();
    let (report, animation) = (&done.report, &done.animation);
    assert!(report.influences > 4);
    let cut = with_four(&done.rig);
    let wanted = compare(animation, &Player::new(&cut), animation.rest_bounds()).error.percent;
    assert!(wanted > 1.05 * report.error.percent, "{wanted} and {}", report.error.percent);
    for (name, percent) in [("three.js", wanted), ("Unity", wanted), ("Babylon.js", report.error.percent)] {
        let engine = of(&report.engines, name);
        assert!((engine.error.unwrap().percent - percent).abs() < 1e-4, "{engine:?} and {percent}");
        assert_eq!(engine.plays == Plays::AsMeasured, name == "Babylon.js");
    }
    let four = of(&report.engines, "three.js");
    let above = |v: &usize| done.rig.weights.influences(*v).count() > 4;
    assert_eq!(four.vertices_cut, (0..done.rig.rest.len()).filter(above).count());
    let told = report.warnings.iter().find_map(|w| match w {
        Warning::FewerInfluences { engines, most, there, here } => {
            Some((engines.clone(), *most, *there, *here))
        }
        _ => None,
    });
    let (engines, most, there, here) = told.expect("it is told");
    assert!(engines.contains(&"three.js") && !engines.contains(&"Blender"));
    assert_eq!((most, here), (4, report.error.percent));
    assert!(matches!(there, Off::Motion(percent) if (percent - wanted).abs() < 1e-4));
}

#[test]
fn of_rigs_that_stand_still_it_is_told_how_far_off_they_are() {
    let lab = Lab::new();
    let fit = Fit { bones: Some(12), influences: Some(8), ..Fit::default() };
    let mut rig = skinned(&lab, fit, "rig.glb").make_rig(&Silent).unwrap().rig;
    let (bones, shift) = (rig.bones.len(), DAffine3::from_translation(DVec3::X));
    for (i, transform) in rig.transforms.iter_mut().enumerate() {
        *transform = if (i % bones) % 2 == 0 { DAffine3::IDENTITY } else { shift };
    }
    let cut = with_four(&rig);
    let wanted = compare(&Player::new(&rig), &Player::new(&cut), Bounds::of(&rig.rest)).error.max;
    assert!(wanted > 0.1);
    let options = RigOptions::default();
    GLTF.save(&lab.at("still.glb"), Content::Rig(&rig, &options)).unwrap();
    let job = ConvertJob { input: lab.at("still.glb"), output: lab.at("again.fbx"), ..ConvertJob::default() };
    let report = job.run(&Silent).unwrap();
    let Off::Diagonal(most) = of(&report.engines, "Unity").error.unwrap().off() else {
        panic!("{:?}", report.engines)
    };
    assert!((most - wanted).abs() < 1e-3 * wanted, "{most} and {wanted}");
    let told: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|w| w.contains("% of the diagonal off")), "{told:?}");
    assert!(!told.iter().any(|w| w.contains(" inf ")), "{told:?}");
}

#[test]
fn rigs_that_were_read_are_measured_against_themselves() {
    let lab = Lab::new();
    let fit = Fit { bones: Some(12), influences: Some(8), ..Fit::default() };
    skinned(&lab, fit, "rig.glb").run(&Silent).unwrap();
    let convert = |output: &str, pack: bool| {
        let job =
            ConvertJob { input: lab.at("rig.glb"), output: lab.at(output), pack, ..ConvertJob::default() };
        job.run(&Silent).unwrap().engines
    };
    let rig = open::rig(lab.at("rig.glb"), &SampleOptions::default()).unwrap().rig;
    let bounds = sinew::geometry::Bounds::of(&rig.rest);
    let wanted = compare(&Player::new(&rig), &Player::new(&with_four(&rig)), bounds).error.percent;
    let engines = convert("again.glb", false);
    assert!((of(&engines, "three.js").error.unwrap().percent - wanted).abs() < 1e-4);
    assert_eq!(of(&engines, "Blender").error.unwrap().percent, 0.0);
    // What an engine does not open is told as well.
    let packed = convert("packed.glb", true);
    assert_eq!(
        (of(&packed, "Blender").plays, of(&packed, "Babylon.js").plays),
        (Plays::Nothing, Plays::AsMeasured)
    );
    assert_eq!(of(&convert("rig.fbx", false), "three.js").plays, Plays::Nothing);
    assert!(convert("rig.sinew", false).is_empty());
}

#[test]
fn searches_keep_to_influences_that_all_engines_keep() {
    let lab = Lab::new();
    for goal in [FitGoal::Error(1.5), FitGoal::Bytes(400_000)] {
        let report =
            skinned(&lab, Fit { goal: Some(goal), ..Fit::default() }, "rig.glb").run(&Silent).unwrap();
        assert!(report.influences <= 4 && report.choices.iter().all(|c| c.influences <= 4));
        assert_eq!(of(&report.engines, "three.js").plays, Plays::AsMeasured);
    }
    let asked = Fit { goal: Some(FitGoal::Error(1.5)), influences: Some(8), ..Fit::default() };
    let report = skinned(&lab, asked, "rig.glb").run(&Silent).unwrap();
    assert!(report.choices.iter().all(|c| c.influences == 8));
}

/// Nodes of a GLB file that stand for bones: all below the one that holds them.
fn bone_nodes(bytes: &[u8]) -> usize {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    nodes.iter().filter(|node| node.get("mesh").is_none()).count() - 1
}

#[test]
fn joints_in_the_file_are_counted() {
    let lab = Lab::new();
    for kind in [BoneKind::Rigid, BoneKind::Flexible] {
        let fit = Fit { bones: Some(6), kind: Some(kind), ..Fit::default() };
        let report = skinned(&lab, fit, "rig.glb").run(&Silent).unwrap();
        let found = bone_nodes(&std::fs::read(lab.at("rig.glb")).unwrap());
        assert_eq!((report.bones, report.file_joints), (6, Some(found)));
        assert_eq!(found > 6, kind == BoneKind::Flexible);
    }
}
