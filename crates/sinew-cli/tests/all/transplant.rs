//! Motion onto rigs, through files, as a user goes.

use crate::common::Lab;
use sinew_io::open;
use sinew_io::scene::SampleOptions;

/// A lab with a rig of the creature.
fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --kind rigid --bones 10 -o rig.glb");
    lab
}

/// A figure of three joints that bends.
const BVH: &str = "HIERARCHY
ROOT Base
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Middle
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Top
    {
      OFFSET 0 10 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 0 10 0
      }
    }
  }
}
MOTION
Frames: 5
Frame Time: 0.05
0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 5 0 0 5 0 0
0 0 0 0 0 0 10 0 0 10 0 0
0 0 0 0 0 0 15 0 0 15 0 0
0 0 0 0 0 0 20 0 0 20 0 0
";

#[test]
fn own_motion_comes_back_through_files() {
    let lab = lab();
    for output in ["out.glb", "out.sinew"] {
        lab.ok(&format!("transplant rig.glb --onto rig.glb -o {output} --report out.json --picture map.png"));
        let report = lab.json("out.json");
        assert_eq!((&report["bones"], &report["frames"]), (&10.into(), &8.into()));
        assert_eq!(report["translations"], "carried");
        lab.ok(&format!("compare rig.glb {output} --report compared.json"));
        let percent = lab.json("compared.json")["error"]["percent"].as_f64().unwrap();
        assert!(percent <= 0.5, "{output}: {percent} percent");
        assert!(std::fs::read(lab.at("map.png")).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn a_suggested_map_is_edited_and_used() {
    let lab = lab();
    lab.write("bend.bvh", BVH);
    let poses = "--align-source bind --align-rig rest --report map.json";
    lab.ok(&format!("transplant --suggest bend.bvh --onto rig.glb -o map.toml {poses}"));
    let text = std::fs::read_to_string(lab.at("map.toml")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(lines.len() as u64, lab.json("map.json")["bones"].as_u64().unwrap(), "{text}");
    assert!(lines.iter().all(|line| line.contains("# ")), "each line tells how sure it is: {text}");

    // Used as it is, it changes nothing.
    let same = "transplant bend.bvh --onto rig.glb --align-source bind --align-rig rest";
    lab.ok(&format!("{same} -o auto.sinew"));
    lab.ok(&format!("{same} --map map.toml -o mapped.sinew"));
    assert_eq!(std::fs::read(lab.at("auto.sinew")).unwrap(), std::fs::read(lab.at("mapped.sinew")).unwrap());

    // All bones on the root, which does not turn: nothing bends.
    let names: Vec<&str> = lines.iter().map(|line| line.split(" = ").next().unwrap()).collect();
    let edited: String = names.iter().map(|name| format!("{name} = \"Base\"\n")).collect();
    lab.write("edited.toml", format!("[bones]\n{edited}"));
    lab.ok(&format!("{same} --map edited.toml -o still.glb --report still.json"));
    let rig = open::rig(lab.at("still.glb"), &SampleOptions::default()).unwrap().rig;
    assert_eq!(rig.frame_count(), 5);
    let still = rig
        .transforms
        .iter()
        .all(|t| (t.matrix3 - glam::DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-4));
    assert!(still, "{:?}", rig.transforms);
    assert!(lab.json("still.json")["map"].as_array().unwrap().iter().all(|m| m["joint"] == "Base"));
}

#[test]
fn frames_are_resampled() {
    let lab = lab();
    lab.write("bend.bvh", BVH);
    lab.ok("transplant bend.bvh --onto rig.glb --fps 40 -o out.glb --report out.json");
    let report = lab.json("out.json");
    assert_eq!((report["frames"].as_u64(), report["fps"].as_f64()), (Some(9), Some(40.0)));
    assert_eq!(report["clip"], "bend");
    lab.ok("transplant bend.bvh --onto rig.glb --clip all -o out.glb --report out.json");
    assert_eq!(lab.json("out.json")["clip"], "bend");
}

#[test]
fn what_is_wrong_gets_a_sentence() {
    let lab = lab();
    lab.write("bend.bvh", BVH);
    let go = "transplant bend.bvh --onto rig.glb -o out.glb";
    let map = |text: &str| {
        lab.write("map.toml", text);
        lab.refused(&format!("{go} --map map.toml"))
    };
    let rig = open::rig(lab.at("rig.glb"), &SampleOptions::default()).unwrap().rig;
    let bone = &rig.bones[0].name;
    let sentences = [
        (map("[bones]\n\"bome_0\" = \"Base\"\n"), "no bone \"bome_0\""),
        (map(&format!("[bones]\n\"{bone}\" = \"Midle\"\n")), "\"Middle\" is spelled most like it"),
        (map(&format!("[bones]\n\"{bone}\" = \"\"\n")), "no bone follows a joint"),
        (map(&format!("[bones]\n\"{bone}\" = \"middle\"\n")), "it is spelled \"Middle\""),
        (map("[bones]\na = \n"), "map.toml, line 2: “a =” is not understood; a map has a line [bones]"),
        (map("[bones]\na = 1\n"), "map.toml, line 2: “a = 1” is not understood"),
        (map("[joints]\n"), "map.toml, line 1: “[joints]” is not understood"),
        (lab.refused(&format!("{go} --map nowhere.toml")), "nowhere.toml"),
        (lab.refused(&format!("{go} --align-source 9")), "no frame 9"),
        (lab.refused(&format!("{go} --align-rig 99")), "no frame 99"),
        (lab.refused(&format!("{go} --align-source dance:0")), "no clip \"dance\""),
        (lab.refused(&format!("{go} --align-source bend:7")), "no frame 7"),
        (lab.refused(&format!("{go} --clip dance")), "no clip \"dance\""),
        (lab.refused(&format!("{go} --fps -3")), "positive number"),
        (lab.refused(&format!("{go} --translations skeleton")), "no skeleton"),
        (lab.refused("transplant bend.bvh --onto rig.glb -o out.obj"), "*.glb, *.sinew"),
        (lab.refused("transplant --suggest bend.bvh --onto rig.glb -o out.glb"), "*.toml"),
        (lab.refused("transplant bend.bvh --onto rig.glb -o rig.glb"), "its own input"),
        (lab.refused("transplant bend.bvh --onto creature/anim.pc2 -o out.glb"), "holds no rig"),
        (lab.refused("transplant creature/rest.obj --onto rig.glb -o out.glb"), "holds no joints"),
        (lab.refused(&format!("{go} --picture p.jpg")), "*.png"),
    ];
    for (sentence, part) in sentences {
        assert!(sentence.contains(part), "{part:?} is not in: {sentence}");
    }
}

#[test]
fn all_clips_come_over_at_once() {
    let lab = Lab::with_creature();
    let frames = sinew_io::formats::pc2::open(lab.at("creature/anim.pc2")).unwrap().frames;
    let poses: Vec<Vec<glam::Vec3>> = (2..5).map(|f| frames.frame(f).to_vec()).collect();
    lab.cache("step.pc2", &poses);
    lab.ok("skin step.pc2 creature/anim.pc2 --rest creature/rest.obj --kind rigid --bones 10 -o rig.glb");
    let go = "transplant rig.glb --onto rig.glb -o out.glb --report out.json";
    let table = lab.ok(go);
    assert!(table.contains("the source has 2 clips and step was taken"), "{table}");
    assert!(table.contains("--clip all takes them all: step, anim"), "{table}");
    assert_eq!(lab.json("out.json")["frames"], 3);

    let table = lab.ok(&format!("{go} --clip all"));
    assert!(table.contains("all: 11 frames") && !table.contains("was taken"), "{table}");
    let all = SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() };
    let rigs = ["rig.glb", "out.glb"].map(|file| open::rig(lab.at(file), &all).unwrap().rig);
    let [of_source, of_result] = rigs.each_ref().map(|rig| rig.clips().into_owned());
    assert_eq!(of_source, of_result);
    for (name, count) in [("step", 3), ("anim", 8)] {
        lab.ok(&format!("compare rig.glb out.glb --clip {name} --report compared.json"));
        let report = lab.json("compared.json");
        let percent = report["error"]["percent"].as_f64().unwrap();
        assert!(percent <= 0.5, "{name} of {count}: {percent} percent");
    }
    // Twice the rate is twice the steps of each clip.
    lab.ok(&format!("{go} --clip all --fps 48"));
    assert_eq!(lab.json("out.json")["frames"], 5 + 15);
}

#[test]
fn a_skeleton_without_motion_is_named_as_such() {
    let lab = lab();
    let bone = |name: &str, direction: &str| {
        format!("begin\n name {name}\n direction {direction}\n length 2\n axis 0 0 0 XYZ\n dof rx\n end\n")
    };
    let (leg, foot) = (bone("leg", "0 -1 0"), bone("foot", "0 0 1"));
    lab.write(
        "02.asf",
        format!(":bonedata\n{leg}{foot}:hierarchy\n  begin\n    root leg\n    leg foot\n  end\n"),
    );
    let sentence = lab.refused("transplant 02.asf --onto rig.glb -o out.glb");
    assert!(sentence.starts_with("02.asf: an ASF file is a skeleton without motion"), "{sentence}");
    assert!(sentence.contains("--asf 02.asf"), "{sentence}");
    // A map needs none.
    lab.ok("transplant --suggest 02.asf --onto rig.glb -o map.toml");
}
