//! Editing rigs through files, as a user goes.

use std::path::Path;

use crate::common::Lab;
use glam::Vec3;
use serde_json::Value;
use sinew::deform::signed_volume;
use sinew::geometry::Bounds;
use sinew::rig::Rig;
use sinew_io::formats::obj;
use sinew_io::open;
use sinew_io::scene::SampleOptions;

/// A lab with a rig of the creature in `rig.glb` (and `.sinew`), and one with a skeleton in `joints.glb`.
fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 12 -o rig.glb");
    lab.ok("bake rig.glb -o rig.sinew");
    lab
}

fn rig(lab: &Lab, name: &str) -> Rig {
    let options = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    open::rig(lab.at(name), &options).unwrap().rig
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The largest distance of two poses, as a share of the diagonal.
fn apart(rig: &Rig, a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    let most = a.iter().zip(b).map(|(p, q)| f64::from(p.distance(*q))).fold(0.0, f64::max);
    most / Bounds::of(&rig.rest).diagonal()
}

/// Rewrites a mesh file.
fn sculpt(path: &Path, edit: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    let mesh = obj::read(path).unwrap();
    let shape: Vec<Vec3> = mesh.positions.iter().map(|p| edit(*p)).collect();
    obj::write(path, &mesh.mesh, &shape).unwrap();
    shape
}

#[test]
fn a_baked_frame_is_sculpted_and_comes_back() {
    let lab = lab();
    for file in ["rig.glb", "rig.sinew"] {
        lab.ok(&format!("bake {file} -o frames"));
        let before = rig(&lab, file);
        let top = before.pose(5).iter().map(|p| p.y).fold(f32::MIN, f32::max);
        let shape = sculpt(&lab.at("frames/frame_0005.obj"), |p| {
            p + Vec3::new(0.0, 0.3 * (p.y - 0.8 * top).max(0.0), 0.0)
        });
        let edit = format!("edit pose {file} --frame 5 --shape frames/frame_0005.obj --report r.json");
        for out in ["out.glb", "out.sinew"] {
            let table = lab.ok(&format!("{edit} -o {out}"));
            assert!(table.contains("3 of 8 changed, 5 to 7"), "{table}");
            let after = rig(&lab, out);
            let off = apart(&before, &after.pose(5), &shape);
            assert!(off < 1e-4, "{file} to {out}: {off}");
            for frame in 0..5 {
                let off = apart(&before, &after.pose(frame), &before.pose(frame));
                assert!(off < 1e-6, "{file} to {out}, frame {frame}: {off}");
            }
            assert!(apart(&before, &after.pose(7), &before.pose(7)) > 0.005);
        }
        let report = lab.json("r.json");
        assert_eq!((&report["frames_changed"], &report["first_changed"]), (&3.into(), &5.into()));
        assert!(number(&report["largest"]["percent"]) > 0.5 && number(&report["missed"]) < 0.01);
        lab.ok(&format!("{edit} --through 5 -o one.sinew"));
        assert_eq!(lab.json("r.json")["frames_changed"], 1);
        lab.ok(&format!("{edit} --through 6 --ease 1 -o two.sinew"));
        let eased = rig(&lab, "two.sinew");
        let change = |rig: &Rig, frame| apart(&before, &rig.pose(frame), &before.pose(frame));
        assert!(change(&eased, 6) < 0.7 * change(&rig(&lab, "out.sinew"), 6) && change(&eased, 6) > 0.0);
    }
}

#[test]
fn the_pose_that_is_there_changes_nothing() {
    let lab = lab();
    lab.ok("bake rig.glb -o frames --rest-out rest.obj");
    let before = rig(&lab, "rig.glb");
    for edit in ["pose rig.glb --frame 3 --shape frames/frame_0003.obj", "rest rig.glb --shape rest.obj"] {
        let table = lab.ok(&format!("edit {edit} -o out.glb --report r.json"));
        assert!(table.contains("none of 8 changed"), "{table}");
        assert_eq!((&lab.json("r.json")["largest"], &lab.json("r.json")["rank"]), (&Value::Null, &0.into()));
        let after = rig(&lab, "out.glb");
        for frame in 0..8 {
            assert!(apart(&before, &after.pose(frame), &before.pose(frame)) < 1e-5, "{edit}");
        }
    }
}

#[test]
fn a_body_that_is_moved_as_a_whole_is_told_as_such() {
    let lab = lab();
    lab.ok("bake rig.glb -o frames");
    let shift = Vec3::new(0.2, 0.1, 0.0);
    sculpt(&lab.at("frames/frame_0003.obj"), |p| p + shift);
    let edit = "edit pose rig.glb --frame 3 --report r.json -o out.glb";
    let table = lab.ok(&format!("{edit} --shape frames/frame_0003.obj"));
    assert!(table.contains("moved     the body as a whole, no correction was needed"), "{table}");
    let report = lab.json("r.json");
    assert_eq!((&report["bones_moved"], &report["body_moved"]), (&0.into(), &true.into()));
    // What is there already moves nothing.
    lab.ok("bake rig.glb -o frames2");
    let table = lab.ok(&format!("{edit} --shape frames2/frame_0003.obj"));
    assert!(table.contains("moved    no bone, no correction was needed"), "{table}");
    assert_eq!(lab.json("r.json")["body_moved"], false);
}

#[test]
fn a_sculpted_rest_pose_shows_in_all_frames() {
    let lab = lab();
    lab.ok("bake rig.glb -o anim.pc2 --rest-out rest.obj");
    let before = rig(&lab, "rig.glb");
    let bounds = Bounds::of(&before.rest);
    let shape = sculpt(&lab.at("rest.obj"), |p| {
        let from_top = (bounds.max.y - p.y) / (bounds.max.y - bounds.min.y);
        p + Vec3::Y * 0.2 * (0.2 - from_top).max(0.0)
    });
    let table = lab.ok("edit rest rig.glb --shape rest.obj -o out.glb --report r.json");
    assert!(table.contains("8 of 8 changed, 0 to 7") && !table.contains("warning"), "{table}");
    let after = rig(&lab, "out.glb");
    lab.ok("edit rest rig.glb --shape rest.obj --carry bones -o exact.glb");
    assert!(apart(&before, &rig(&lab, "exact.glb").rest, &shape) < 1e-6);
    let raised = (0..shape.len()).max_by(|a, b| shape[*a].y.total_cmp(&shape[*b].y)).unwrap();
    let high = shape[raised].distance(before.rest[raised]);
    for frame in 0..8 {
        let shown = after.pose(frame)[raised].distance(before.pose(frame)[raised]);
        assert!((0.8..1.2).contains(&(shown / high)), "frame {frame}: {shown} instead of {high}");
    }
}

#[test]
fn weights_below_zero_are_warned_of() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --method sma --weights tsvd -o rig.sinew");
    lab.ok("bake rig.sinew -o anim.pc2 --rest-out rest.obj");
    sculpt(&lab.at("rest.obj"), |p| p * 1.1);
    let table = lab.ok("edit rest rig.sinew --shape rest.obj -o out.sinew");
    assert!(table.contains("--weights nnls"), "{table}");
}

#[test]
fn a_bone_is_turned_by_name_or_number() {
    let lab = lab();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj -o joints.glb");
    for file in ["rig.glb", "joints.glb"] {
        let before = rig(&lab, file);
        let name = before.bones[3].name.clone();
        let turn = format!("edit rotate {file} --axis 0,-1,0.5 --angle -25 --frame 2 --report r.json");
        let table = lab.ok(&format!("{turn} --bone {name} -o one.glb"));
        assert!(table.contains(&format!("{name} turned by -25°")), "{table}");
        assert!(table.contains("1 of 8 changed, frame 2"), "{table}");
        lab.ok(&format!("{turn} --bone 3 -o two.glb"));
        assert_eq!(rig(&lab, "one.glb"), rig(&lab, "two.glb"));
        lab.ok(&format!("{turn} --bone 3 --through end --ease 2 -o more.glb"));
        let report = lab.json("r.json");
        assert_eq!((&report["first_changed"], &report["last_changed"]), (&2.into(), &7.into()));
        let after = rig(&lab, "more.glb");
        assert_eq!(after.skeleton, before.skeleton);
        let change = |frame| apart(&before, &after.pose(frame), &before.pose(frame));
        assert!(change(2) < 0.5 * change(7) && change(7) > 0.005, "{} {}", change(2), change(7));
    }
    // Alone, what hangs on a joint keeps its direction.
    let before = rig(&lab, "joints.glb");
    let parents = before.skeleton.as_ref().unwrap().parents.clone();
    let (child, parent) = (0..parents.len()).find_map(|j| Some((j, parents[j]?))).expect("a child");
    for (alone, turned) in [("", true), ("--alone", false)] {
        lab.ok(&format!(
            "edit rotate joints.glb --bone {parent} --axis 1,0,0 --angle 40 --frame 4 {alone} -o out.glb"
        ));
        let after = rig(&lab, "out.glb");
        let direction = |rig: &Rig| glam::DQuat::from_mat3(&rig.frame_transforms(4)[child].matrix3);
        let angle = direction(&before).angle_between(direction(&after)).to_degrees();
        assert!((angle > 39.0) == turned && (turned || angle < 0.1), "{alone}: {angle}");
    }
}

#[test]
fn frames_are_those_of_a_clip() {
    let lab = Lab::with_creature();
    let frames = sinew_io::formats::pc2::open(lab.at("creature/anim.pc2")).unwrap().frames;
    let poses: Vec<Vec<Vec3>> = (2..5).map(|f| frames.frame(f).to_vec()).collect();
    lab.cache("step.pc2", &poses);
    lab.ok("skin step.pc2 creature/anim.pc2 --rest creature/rest.obj --bones 12 -o rig.glb");
    let turn = "edit rotate rig.glb --bone 2 --axis 0,0,1 --angle 20 --report r.json";
    for (options, words, changed) in [
        ("--frame 1 --through end", "2 of 3 of clip step changed, 1 to 2", [1, 2]),
        ("--frame 1 --through end --clip anim", "7 of 8 of clip anim changed, 1 to 7", [1, 7]),
        ("--frame 6 --clip 1", "1 of 8 of clip anim changed, frame 6", [6, 6]),
    ] {
        let table = lab.ok(&format!("{turn} {options} -o out.glb"));
        assert!(table.contains(words), "{table}");
        let report = lab.json("r.json");
        assert!((changed[0]..=changed[1]).contains(&(number(&report["largest"]["frame"]) as usize)));
        let found = [&report["first_changed"], &report["last_changed"]].map(|v| number(v) as usize);
        assert_eq!(found, changed, "{options}");
        assert_eq!(rig(&lab, "out.glb").clips().len(), 2);
    }
    let sentence = lab.refused(&format!("{turn} --frame 3 -o x.glb"));
    assert_eq!(sentence, "rig.glb: there is no frame 3; the frames are 0 to 2");
    let sentence = lab.refused(&format!("{turn} --frame 0 --clip run -o x.glb"));
    assert_eq!(sentence, "rig.glb: there is no clip run; the clips are step, anim");
}

#[test]
fn a_rig_that_goes_from_pose_to_pose_is_sculpted() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 12 --method pps -o chain.sinew");
    lab.ok("bake chain.sinew -o frames --rest-out rest.obj");
    let poses = |name: &str| {
        lab.ok(&format!("bake {name} -o out.pc2"));
        let frames = sinew_io::formats::pc2::open(lab.at("out.pc2")).unwrap().frames;
        (0..frames.len()).map(|t| frames.frame(t).to_vec()).collect::<Vec<_>>()
    };
    let before = poses("chain.sinew");
    let size = Bounds::of(&before[5]).diagonal() as f32;
    let far =
        |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max) / size;
    let top = before[5].iter().map(|p| p.y).fold(f32::MIN, f32::max);
    let lift = |p: Vec3| p + Vec3::new(0.0, 0.3 * (p.y - 0.8 * top).max(0.0), 0.0);
    let shape = sculpt(&lab.at("frames/frame_0005.obj"), lift);
    let edit = "edit pose chain.sinew --frame 5 --shape frames/frame_0005.obj --report r.json";
    let table = lab.ok(&format!("{edit} -o out.sinew"));
    assert!(table.contains("3 of 8 changed, 5 to 7"), "{table}");
    let after = poses("out.sinew");
    assert_eq!(after[..5], before[..5]);
    assert!(far(&after[5], &shape) < 1e-5 && far(&after[7], &before[7]) > 0.005);
    lab.ok(&format!("{edit} --through 6 --ease 1 -o two.sinew"));
    assert_eq!(lab.json("r.json")["frames_changed"], 2);
    let sentence = lab.refused(&format!("{edit} -o out.glb"));
    assert!(sentence.contains("fit no GLB file; name the edited rig *.sinew"), "{sentence}");
    sculpt(&lab.at("rest.obj"), lift);
    lab.ok("edit rest chain.sinew --shape rest.obj -o rested.sinew");
    assert!(poses("rested.sinew").iter().zip(&before).all(|(a, b)| far(a, b) > 0.005));
    let sentence =
        lab.refused("edit rotate chain.sinew --bone 1 --axis 0,1,0 --angle 9 --frame 1 -o out.sinew");
    assert!(sentence.contains("carry each pose to the next"), "{sentence}");
}

#[test]
fn other_ways_to_blend_are_baked() {
    let lab = lab();
    let turn = "edit rotate rig.glb --bone 5 --axis 1,0,0 --angle 110 --frame 3 -o bent.glb";
    lab.ok(turn);
    let bake = |blend: &str| {
        lab.ok(&format!("bake bent.glb -o out.pc2 {blend} --report bake.json"));
        sinew_io::formats::pc2::open(lab.at("out.pc2")).unwrap().frames
    };
    let bent = rig(&lab, "bent.glb");
    let linear = bake("--blend linear");
    assert_eq!(lab.json("bake.json")["volume"], Value::Null);
    assert_eq!(linear.frame(3), bake("").frame(3));
    let triangles = bent.mesh.triangles(&bent.rest);
    let volume =
        |pose: &[Vec3]| 100.0 * signed_volume(&triangles, pose) / signed_volume(&triangles, &bent.rest);
    for blend in ["--blend dual", "--blend centres"] {
        let other = bake(blend);
        assert_eq!((other.len(), other.vertex_count()), (linear.len(), linear.vertex_count()));
        let off = apart(&bent, other.frame(3), linear.frame(3));
        assert!((0.001..0.2).contains(&off), "{blend}: {off}");
        let told = &lab.json("bake.json")["volume"];
        assert_eq!(told["frame"], 3, "the bent frame differs most");
        for (name, frames) in [("linear", &linear), ("blended", &other)] {
            let expected = volume(frames.frame(3));
            assert!((number(&told[name]) - expected).abs() < 1e-3, "{blend}, {name}: {told} not {expected}");
        }
    }
    let sentence = lab.refused("bake bent.glb --blend dual -o out.sinew");
    assert_eq!(sentence, "rigs are blended linearly; --blend is for poses");
}

#[test]
fn what_cannot_be_edited_is_refused_in_a_sentence() {
    let lab = lab();
    lab.ok("bake rig.glb -o frames");
    lab.write("other.obj", crate::common::strip(3));
    let vertices = rig(&lab, "rig.glb").rest.len();
    let fits = "sinew bake writes meshes that fit";
    let turn = "edit rotate rig.glb --axis 0,1,0 --angle 10 -o x.glb";
    let pose = "edit pose rig.glb --shape frames/frame_0001.obj -o x.glb";
    for (arguments, expected) in [
        (
            "edit pose rig.glb --frame 1 --shape other.obj -o x.glb".to_string(),
            format!("other.obj: the shape has 8 vertices, but the rig rig.glb has {vertices}; {fits}"),
        ),
        (
            "edit rest rig.glb --shape other.obj -o x.glb".into(),
            format!("other.obj: the shape has 8 vertices, but the rig rig.glb has {vertices}; {fits}"),
        ),
        (
            format!("{turn} --bone tail9 --frame 0"),
            "rig.glb: there is no bone tail9; give the name of one or a number from 0 to 11".into(),
        ),
        (
            format!("{turn} --bone 12 --frame 0"),
            "rig.glb: there is no bone 12; give the name of one or a number from 0 to 11".into(),
        ),
        (format!("{turn} --bone 1 --frame 8"), "rig.glb: there is no frame 8; the frames are 0 to 7".into()),
        (
            format!("{pose} --frame 1 --through 9"),
            "rig.glb: there is no frame 9; the frames are 0 to 7".into(),
        ),
        (format!("{pose} --frame 4 --through 2"), "--through 2 comes before --frame 4".into()),
        (
            format!("{pose} --frame 4 --ease 2"),
            "--ease lets the edit fade before a frame; give that frame with --through N".into(),
        ),
        (
            "edit rest rig.glb --shape frames/frame_0001.obj -o rig.glb".into(),
            "rig.glb: the result would be written over its own input; give it another name".into(),
        ),
        (
            "edit rest rig.glb --shape frames/frame_0001.obj -o x.pc2".into(),
            "x.pc2: files of rigs are named *.glb, *.sinew, *.fbx, *.usda, *.usdz".into(),
        ),
    ] {
        assert_eq!(lab.refused(&arguments), expected, "{arguments}");
    }
    for (file, says) in [("creature/anim.pc2", "holds no rig"), ("nothing.glb", "nothing.glb")] {
        let sentence = lab.refused(&format!("edit rest {file} --shape frames/frame_0001.obj -o x.glb"));
        assert!(sentence.contains(says), "{sentence}");
    }
    let wrong = lab.run("edit rotate rig.glb --bone 1 --axis 0,0,0 --angle 10 --frame 1 -o x.glb");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("three numbers that are not all zero"));
}
