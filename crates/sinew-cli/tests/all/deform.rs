//! Characters set up, posed and compared, through files, as a user goes.

use crate::common::Lab;
use glam::{DAffine3, Vec3};
use sinew::animation::Frames;
use sinew::geometry::Bounds;
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::scene::SampleOptions;
use sinew_io::{deform_file, open};

/// A lab with a rig of the creature that has a skeleton.
fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj --joints 9 -o rig.glb");
    lab
}

/// The names of the rig's joints, one that hangs on another among them.
fn joints(lab: &Lab) -> (Vec<String>, String) {
    let rig = open::rig(lab.at("rig.glb"), &SampleOptions::default()).unwrap().rig;
    let parents = &rig.skeleton.as_ref().unwrap().parents;
    let names: Vec<String> = rig.bones.iter().map(|bone| bone.name.clone()).collect();
    let bends = names.iter().zip(parents).rfind(|(_, parent)| parent.is_some()).unwrap().0.clone();
    (names, bends)
}

#[test]
fn a_character_is_set_up_posed_and_compared() {
    let lab = lab();
    let (names, joint) = joints(&lab);
    lab.ok("deform setup rig.glb -o body.deform --report setup.json");
    let report = lab.json("setup.json");
    assert_eq!(report["joints"], names.len());
    lab.write("bent.toml", format!("[turns]\n{joint:?} = [0, 0, 70]\n"));
    lab.write("rest.toml", "");
    lab.ok("deform pose body.deform --pose rest.toml -o rest/");
    lab.ok("deform pose body.deform --pose rig.glb -o walk.pc2 --report pose.json");
    assert_eq!(lab.json("pose.json")["frames"], 8);
    // At half the rate every other frame is left.
    let half = lab.json("pose.json")["fps"].as_f64().unwrap() / 2.0;
    lab.ok(&format!("deform pose body.deform --pose rig.glb --fps {half} -o half.pc2 --report half.json"));
    assert_eq!(
        (lab.json("half.json")["frames"].as_u64(), lab.json("half.json")["fps"].as_f64()),
        (Some(4), Some(half))
    );
    assert!(lab.refused("deform pose body.deform --pose rig.glb --fps -1 -o half.pc2").contains("-1"));
    let setup = deform_file::read(&lab.at("body.deform")).unwrap();
    let rest = sinew_io::formats::obj::read(lab.at("rest/frame_0000.obj")).unwrap();
    let far = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(far(&rest.positions, &setup.rig.rest) < 1e-4);
    lab.ok("deform compare body.deform --pose bent.toml --against lbs -o compare.png --report compare.json");
    let report = lab.json("compare.json");
    assert!(report["deformed"]["volume_loss"].as_f64().unwrap().abs() < 0.2);
    assert!(std::fs::read(lab.at("compare.png")).unwrap().starts_with(b"\x89PNG"));
    lab.ok("deform pose body.deform --pose rig.glb --bones 8 -o walk.glb --report skinned.json");
    assert!(lab.json("skinned.json")["skin_percent"].as_f64().unwrap() < 60.0);
    assert_eq!(open::rig(lab.at("walk.glb"), &SampleOptions::default()).unwrap().rig.frame_count(), 8);
    // One pose is a rig as well, with as many bones as its bends need.
    lab.ok("deform pose body.deform --pose bent.toml -o bent.glb --report skinned.json");
    assert!(lab.json("skinned.json")["skin_percent"].as_f64().unwrap() < 10.0);
    lab.ok("deform pose body.deform --pose bent.toml -o bent.pc2");
    lab.ok("bake bent.glb -o baked.pc2");
    let [wanted, found] =
        ["bent.pc2", "baked.pc2"].map(|name| sinew_io::formats::pc2::open(lab.at(name)).unwrap().frames);
    assert_eq!(found.len(), 1);
    assert!(far(wanted.frame(0), found.frame(0)) < 0.2, "{}", far(wanted.frame(0), found.frame(0)));
}

#[test]
fn examples_come_back() {
    let lab = lab();
    let (_, joint) = joints(&lab);
    lab.ok("deform setup rig.glb -o plain.deform");
    lab.write("bent.toml", format!("[turns]\n{joint:?} = [0, 40, 50]\n"));
    lab.ok("deform pose plain.deform --pose bent.toml -o plain/");
    let mut shape = sinew_io::formats::obj::read(lab.at("plain/frame_0000.obj")).unwrap();
    shape.positions.iter_mut().for_each(|p| p.y += 0.02 * (9.0 * p.x).sin());
    sinew_io::formats::obj::write(&lab.at("flexed.obj"), &shape.mesh, &shape.positions).unwrap();
    lab.write("examples.toml", "[[example]]\nshape = \"flexed.obj\"\npose = \"bent.toml\"\n");
    lab.ok("deform setup rig.glb --examples examples.toml -o body.deform");
    lab.ok("deform pose body.deform --pose bent.toml -o posed/");
    let posed = sinew_io::formats::obj::read(lab.at("posed/frame_0000.obj")).unwrap();
    let pairs = posed.positions.iter().zip(&shape.positions);
    let error = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(error < 1e-3, "{error}");
    for (anchors, most) in [("10%", 2.0), ("40", 4.0), ("20kB", 4.0)] {
        let anchored = format!("--anchors {anchors} -o few.deform --report few.json");
        lab.ok(&format!("deform setup rig.glb --examples examples.toml {anchored}"));
        let report = lab.json("few.json");
        assert!(report["anchors"].as_u64().unwrap() < report["triangles"].as_u64().unwrap() / 2, "{report}");
        let kept = deform_file::read(&lab.at("few.deform")).unwrap();
        assert!(matches!(kept.examples, deform_file::Examples::Kept(..)), "no shape is kept");
        lab.ok("deform pose few.deform --pose bent.toml -o few/");
        let few = sinew_io::formats::obj::read(lab.at("few/frame_0000.obj")).unwrap();
        let far = few.positions.iter().zip(&shape.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(far < 0.02 * most, "{anchors}: {far}");
    }
    let said = lab.run("deform setup rig.glb --examples examples.toml --anchors some -o out.deform");
    assert_eq!(said.status.code(), Some(2));
    // The same pose twice is one, and that is said.
    lab.write("twice.toml", "[[example]]\nshape = \"flexed.obj\"\npose = \"bent.toml\"\n".repeat(2));
    lab.ok("deform setup rig.glb --examples twice.toml -o twice.deform --report twice.json");
    let report = lab.json("twice.json");
    assert_eq!(report["distinct_examples"], 1);
    assert!(report["warnings"][0].as_str().unwrap().contains("averaged"), "{report}");
    lab.ok("deform pose twice.deform --pose bent.toml -o twice/");
    let twice = sinew_io::formats::obj::read(lab.at("twice/frame_0000.obj")).unwrap();
    assert_eq!(twice.positions, posed.positions);
    let (names, _) = joints(&lab);
    lab.write(
        "few.toml",
        format!("others = \"none\"\n[handles]\n{:?} = [0, 1]\n{:?} = [90]\n", names[0], joint),
    );
    lab.ok("deform setup rig.glb --handles few.toml -o few.deform --report few.json");
    assert_eq!(lab.json("few.json")["without_handle"].as_array().unwrap().len(), names.len() - 2);
}

/// A box on two joints in a row, with a morph target that swells its far end.
fn morphing_body() -> Vec<u8> {
    let places: Vec<[f32; 3]> = (0..=8)
        .flat_map(|i| [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[y, z]| [i as f32, y, z]))
        .collect();
    let mut triangles: Vec<u32> = vec![0, 2, 1, 0, 3, 2, 32, 33, 34, 32, 34, 35];
    for (ring, side) in (0..8).flat_map(|ring| (0..4).map(move |side| (4 * ring, side))) {
        let [a, b] = [ring + side, ring + (side + 1) % 4];
        triangles.extend([a, b, b + 4, a, b + 4, a + 4]);
    }
    let swell: Vec<[f32; 3]> =
        places.iter().map(|p| [0.0, 0.0, if p[0] > 6.0 { 0.5 } else { 0.0 }]).collect();
    let far = |p: &[f32; 3]| u8::from(p[0] > 4.0);
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut add = |bytes: Vec<u8>| {
        views.push(serde_json::json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
        bin.extend(bytes);
    };
    let floats = |all: &[[f32; 3]]| all.iter().flatten().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    add(floats(&places));
    add(triangles.iter().flat_map(|i| i.to_le_bytes()).collect());
    add(places.iter().flat_map(|p| [far(p), 0, 0, 0]).collect());
    add(places.iter().flat_map(|_| [1.0_f32, 0.0, 0.0, 0.0]).flat_map(f32::to_le_bytes).collect());
    add(floats(&swell));
    let back = [[0.0, 0.0, 0.0], [-4.0, -0.5, -0.5_f32]].map(|t| glam::Mat4::from_translation(t.into()));
    add(back.iter().flat_map(|m| m.to_cols_array()).flat_map(f32::to_le_bytes).collect());
    let of = |view: usize, kind: u32, count: usize, shape: &str| {
        serde_json::json!({ "bufferView": view, "componentType": kind, "count": count, "type": shape,
            "min": [0, 0, 0], "max": [8, 1, 1] })
    };
    let mut accessors = vec![of(0, 5126, 36, "VEC3"), of(1, 5125, triangles.len(), "SCALAR")];
    accessors.extend([of(2, 5121, 36, "VEC4"), of(3, 5126, 36, "VEC4"), of(4, 5126, 36, "VEC3")]);
    accessors.push(of(5, 5126, 2, "MAT4"));
    for accessor in &mut accessors[1..] {
        let object = accessor.as_object_mut().unwrap();
        object.remove("min");
        object.remove("max");
    }
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "arm", "children": [1] },
            { "name": "forearm", "translation": [4, 0.5, 0.5] },
            { "mesh": 0, "skin": 0 }
        ],
        "meshes": [{
            "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3 }, "indices": 1,
                "targets": [{ "POSITION": 4 }] }],
            "extras": { "targetNames": ["swell"] }
        }],
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": 5 }],
        "buffers": [{ "byteLength": bin.len() }],
        "bufferViews": views,
        "accessors": accessors
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |x: usize| (x as u32).to_le_bytes();
    let header = [*b"glTF", word(2), word(28 + text.len() + bin.len()), word(text.len()), *b"JSON"];
    [header.as_flattened(), &text, &word(bin.len()), b"BIN\0", &bin].concat()
}

#[test]
fn morph_targets_are_examples() {
    let lab = Lab::new();
    lab.write("body.glb", morphing_body());
    lab.write("bent.toml", "[turns]\nforearm = [0, 60, 0]\n");
    lab.write("more.toml", "[turns]\nforearm = [0, 100, 0]\n");
    for morph in ["\"swell\"", "0"] {
        lab.write("examples.toml", format!("[[example]]\nmorphs = [{morph}]\npose = \"bent.toml\"\n"));
        lab.ok("deform setup body.glb --examples examples.toml -o body.deform");
        lab.ok("deform setup body.glb -o plain.deform");
        let swollen = |pose: &str| {
            let shape = |character: &str| {
                lab.ok(&format!("deform pose {character}.deform --pose {pose}.toml -o {character}/"));
                sinew_io::formats::obj::read(lab.at(&format!("{character}/frame_0000.obj")))
                    .unwrap()
                    .positions
            };
            let pairs = shape("plain").into_iter().zip(shape("body"));
            pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
        };
        let (once, further) = (swollen("bent"), swollen("more"));
        assert!((once - 0.5).abs() < 0.15, "{once}");
        assert!(further > 1.2 * once, "{further} is not much more than {once}");
    }
    lab.write("examples.toml", "[[example]]\nmorphs = [\"shrink\"]\npose = \"bent.toml\"\n");
    let said = lab.refused("deform setup body.glb --examples examples.toml -o out.deform");
    assert!(said.contains("shrink") && said.contains("swell"), "{said}");
}

#[test]
fn what_is_wrong_is_said() {
    let lab = lab();
    let (names, joint) = joints(&lab);
    lab.ok("deform setup rig.glb -o body.deform");
    let one = &names[0];
    let handles = |text: &str| {
        lab.write("handles.toml", format!("[handles]\n{text}\n"));
        lab.refused("deform setup rig.glb --handles handles.toml -o out.deform")
    };
    let said = handles(&format!("{one:?} = [0, 1]"));
    assert!(said.contains("have no handle") && names[1..].iter().all(|name| said.contains(name)), "{said}");
    let none: String = names[2..].iter().map(|name| format!("{name:?} = \"none\"\n")).collect();
    let overlapping = format!("{none}{one:?} = [\"0-5\"]\n{:?} = [5]", names[1]);
    assert!(handles(&overlapping).contains("must not overlap"), "{}", handles(&overlapping));
    assert!(handles("nobody = [1]").contains("no joint \"nobody\""));
    assert!(handles(&format!("{one:?} = [\"5-x\"]")).contains("no range"));

    let examples = |text: &str| {
        lab.write("examples.toml", text);
        lab.refused("deform setup rig.glb --examples examples.toml -o out.deform")
    };
    lab.ok("deform pose body.deform --pose rig.glb -o frames/");
    let shape = "[[example]]\nshape = \"frames/frame_0003.obj\"\n";
    assert!(examples(shape).contains("has no pose"));
    let said = examples(&format!("{shape}turns = {{}}\n"));
    assert!(said.contains("frame_0003.obj has the rest pose"), "{said}");
    lab.write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let turns = format!("turns = {{ {joint:?} = [0, 0, 30] }}\n");
    let other = format!("[[example]]\nshape = \"other.obj\"\n{turns}");
    assert!(examples(&other).contains("must be the same mesh"));
    assert!(examples(&format!("[[example]]\nmorphs = [0]\n{turns}")).contains("no morph target"));
    assert!(examples("[[example]]\nmorph = 1\n").contains("line"), "unknown keys are named");

    lab.write(
        "other.bvh",
        "HIERARCHY\nROOT Elsewhere\n{\n  OFFSET 0 0 0\n  CHANNELS 3 Zrotation Yrotation Xrotation\n  End Site\n  \
         {\n    OFFSET 0 1 0\n  }\n}\nMOTION\nFrames: 1\nFrame Time: 0.05\n0 0 0\n",
    );
    assert!(lab.refused("deform pose body.deform --pose other.bvh -o out.pc2").contains("transplant"));
    lab.write("wrong.toml", "[turns]\nnobody = [1, 2, 3]\n");
    assert!(lab.refused("deform pose body.deform --pose wrong.toml -o out.pc2").contains("nobody"));
    assert!(lab.refused("deform setup creature/rest.obj -o out.deform").contains("rest.obj"));
    assert!(lab.refused("deform setup rig.glb --follow 2 -o out.deform").contains("--follow"));
    let bytes = std::fs::read(lab.at("body.deform")).unwrap();
    for cut in [0, 7, 11, 40, bytes.len() / 2, bytes.len() - 1] {
        lab.write("cut.deform", &bytes[..cut]);
        assert!(lab.refused("deform pose cut.deform --pose rig.glb -o out.pc2").contains("cut.deform"));
    }
}

#[test]
fn a_characters_own_clip_poses_it_though_its_rest_pose_lies() {
    let lab = Lab::with_creature();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj -o body.glb");
    let options = SampleOptions::default();
    let rig = open::rig(lab.at("body.glb"), &options).unwrap().rig;
    let lie = DAffine3::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let mut lying = rig.clone();
    lying.transforms.iter_mut().for_each(|t| *t *= lie.inverse());
    lying.rest.iter_mut().for_each(|p| *p = lie.transform_point3(p.as_dvec3()).as_vec3());
    lying.bones.iter_mut().for_each(|bone| bone.center = lie.transform_point3(bone.center));
    lying.mesh.normals = None;
    gltf::write(&lab.at("lying.glb"), &lying, &WriteOptions::default()).unwrap();
    for name in ["body", "lying"] {
        lab.ok(&format!("deform setup {name}.glb -o {name}.deform"));
        lab.ok(&format!("deform pose {name}.deform --pose {name}.glb -o {name}.pc2"));
    }
    // The lying character, posed by the upright one's clip, stands as well.
    lab.ok("deform pose lying.deform --pose body.glb -o across.pc2");
    let frames = |name: &str| sinew_io::formats::pc2::open(lab.at(name)).unwrap().frames;
    let upright = frames("body.pc2");
    let size = Bounds::of(&rig.rest).diagonal() as f32;
    for other in ["lying.pc2", "across.pc2"] {
        let other = frames(other);
        for t in 0..upright.len() {
            let pairs = upright.frame(t).iter().zip(other.frame(t));
            let off = pairs.map(|(p, q)| p.distance(*q)).fold(0.0, f32::max) / size;
            assert!(off < 1e-3, "frame {t}: {off}");
        }
    }
    let baked = rig.pose(5);
    let off = upright.frame(5).iter().zip(&baked).map(|(p, q)| p.distance(*q)).sum::<f32>();
    assert!(off / (baked.len() as f32 * size) < 0.02, "{off}");
}

#[test]
fn motion_of_another_figure_with_the_same_names_is_moved_over() {
    let lab = Lab::with_creature();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj -o body.glb --bvh walk.bvh");
    lab.ok("deform setup body.glb -o body.deform");
    // The same figure three times as large.
    let text = std::fs::read_to_string(lab.at("walk.bvh")).unwrap();
    let roots = text.matches("ROOT").count();
    let mut out = Vec::new();
    for line in text.lines() {
        let mut words: Vec<String> = line.split_whitespace().map(Into::into).collect();
        let numbers = words.iter().all(|w| w.parse::<f64>().is_ok()) && words.len() > 3;
        let scaled =
            if words.first().is_some_and(|w| w == "OFFSET") { 1..4 } else { 0..if numbers { 3 } else { 0 } };
        for word in &mut words[scaled] {
            *word = (3.0 * word.parse::<f64>().unwrap()).to_string();
        }
        out.push(words.join(" "));
    }
    assert_eq!(roots, 1);
    std::fs::write(lab.at("large.bvh"), out.join("\n") + "\n").unwrap();
    let own = lab.ok("deform pose body.deform --pose walk.bvh -o own.pc2");
    assert!(!own.contains("moved over"), "{own}");
    let large = lab.ok("deform pose body.deform --pose large.bvh -o large.pc2");
    assert!(large.contains("moved over as sinew transplant does"), "{large}");
    let [own, large] =
        ["own.pc2", "large.pc2"].map(|name| sinew_io::formats::pc2::open(lab.at(name)).unwrap().frames);
    let bounds = |frames: &Frames| Bounds::of(frames.frame(5));
    let (a, b) = (bounds(&own), bounds(&large));
    let off = (a.min - b.min).abs().max((a.max - b.max).abs()).max_element();
    assert!(f64::from(off) < 0.1 * a.diagonal(), "{off} of {}", a.diagonal());
}
