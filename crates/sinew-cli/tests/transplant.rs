//! Motion onto rigs, through files, as a user goes.

mod common;

use common::Lab;
use sinew_io::glb::SampleOptions;
use sinew_io::open;

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
    let edited: String = names.iter().map(|name| format!("{name} = \"base\"\n")).collect();
    lab.write("edited.toml", format!("[bones]\n{edited}"));
    lab.ok(&format!("{same} --map edited.toml -o still.glb --report still.json"));
    let rig = open::rig(&lab.at("still.glb"), &SampleOptions::default()).unwrap().rig;
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
    let rig = open::rig(&lab.at("rig.glb"), &SampleOptions::default()).unwrap().rig;
    let bone = &rig.bones[0].name;
    let sentences = [
        (map("[bones]\n\"bome_0\" = \"Base\"\n"), "no bone \"bome_0\""),
        (map(&format!("[bones]\n\"{bone}\" = \"Midle\"\n")), "\"Middle\" is spelled most like it"),
        (map(&format!("[bones]\n\"{bone}\" = \"\"\n")), "no bone follows a joint"),
        (map("[bones]\na = \n"), "line 2"),
        (map("[bones]\na = 1\n"), "map.toml"),
        (map("[joints]\n"), "joints"),
        (lab.refused(&format!("{go} --map nowhere.toml")), "nowhere.toml"),
        (lab.refused(&format!("{go} --align-source 9")), "no frame 9"),
        (lab.refused(&format!("{go} --align-rig 99")), "no frame 99"),
        (lab.refused(&format!("{go} --align-source dance:0")), "no clip \"dance\""),
        (lab.refused(&format!("{go} --align-source bend:7")), "no frame 7"),
        (lab.refused(&format!("{go} --clip dance")), "no clip \"dance\""),
        (lab.refused(&format!("{go} --fps -3")), "positive number"),
        (lab.refused(&format!("{go} --translations skeleton")), "no skeleton"),
        (lab.refused("transplant bend.bvh --onto rig.glb -o out.obj"), "*.glb or *.sinew"),
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
