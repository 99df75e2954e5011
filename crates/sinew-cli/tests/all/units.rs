//! Sizes in metres stay what they are, whatever units files are in, unless somebody asks for others.

use std::fmt::Write;

use sinew::geometry::Bounds;
use sinew_io::open;

use crate::common::Lab;

/// A person of 1.65 m that nods: a column in centimetres with z up, on two joints, in four frames, as a USD file.
fn person(unit: &str, height: f32) -> String {
    let levels = [0.0, 0.35, 0.7, 1.0].map(|share| share * height);
    let side = 0.1 * height;
    let mut points = String::new();
    for z in levels {
        for (x, y) in [(-side, -side), (side, -side), (side, side), (-side, side)] {
            write!(points, "({x}, {y}, {z}), ").unwrap();
        }
    }
    let quad = |level: usize, at: usize| {
        let (a, b) = (4 * level + at, 4 * level + (at + 1) % 4);
        format!("{a}, {b}, {}, {a}, {}, {}", b + 4, b + 4, a + 4)
    };
    let faces: Vec<String> = (0..12).map(|q| quad(q / 4, q % 4)).collect();
    let (joints, weights) =
        ("0, 1, ".repeat(16), "1, 0, ".repeat(8) + &"0.5, 0.5, ".repeat(4) + &"0, 1, ".repeat(4));
    let neck = levels[2];
    let turn = |frame: usize| {
        let half = 0.1 * frame as f32;
        format!("{frame}: [(1, 0, 0, 0), ({}, {}, 0, 0)]", half.cos(), half.sin())
    };
    let turns: Vec<String> = (0..4).map(turn).collect();
    format!(
        r#"#usda 1.0
(
    {unit}
    upAxis = "Z"
    startTimeCode = 0
    endTimeCode = 3
    timeCodesPerSecond = 24
)
def SkelRoot "Person" (prepend apiSchemas = ["SkelBindingAPI"])
{{
    def Mesh "Body" (prepend apiSchemas = ["SkelBindingAPI"])
    {{
        int[] faceVertexCounts = [{}3, 3, 3, 3]
        int[] faceVertexIndices = [{}, 3, 2, 1, 3, 1, 0, 12, 13, 14, 12, 14, 15]
        point3f[] points = [{points}]
        int[] primvars:skel:jointIndices = [{joints}] (elementSize = 2, interpolation = "vertex")
        float[] primvars:skel:jointWeights = [{weights}] (elementSize = 2, interpolation = "vertex")
        matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
        rel skel:skeleton = </Person/Joints>
    }}
    def Skeleton "Joints" (prepend apiSchemas = ["SkelBindingAPI"])
    {{
        uniform token[] joints = ["hip", "hip/neck"]
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)), ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, {neck}, 1))]
        uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)), ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, {neck}, 1))]
        rel skel:animationSource = </Person/Joints/nod>
        def SkelAnimation "nod"
        {{
            uniform token[] joints = ["hip", "hip/neck"]
            float3[] translations = [(0, 0, 0), (0, 0, {neck})]
            quatf[] rotations.timeSamples = {{ {} }}
            half3[] scales = [(1, 1, 1), (1, 1, 1)]
        }}
    }}
}}
"#,
        "3, ".repeat(24),
        faces.join(", "),
        turns.join(", ")
    )
}

/// A lab with the person as `cm.usda`, and that as other files.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("cm.usda", person("metersPerUnit = 0.01", 165.0));
    lab
}

/// How high the rest pose in a file is, in metres, and in the file's own numbers.
fn heights(lab: &Lab, file: &str) -> (f64, f64) {
    let mesh = open::rest(lab.at(file), None).unwrap();
    let bounds = Bounds::of(&mesh.positions);
    let number = f64::from(bounds.max.y - bounds.min.y);
    (number * mesh.facts.metres_per_unit.unwrap_or(1.0), number)
}

fn assert_height(lab: &Lab, file: &str, metres: f64) {
    assert_about(lab, file, metres, 2e-6);
}

/// Of a file whose rest pose was fitted: another unit would be at least twice as long.
fn assert_fitted_height(lab: &Lab, file: &str, metres: f64) {
    assert_about(lab, file, metres, 5e-3);
}

fn assert_about(lab: &Lab, file: &str, metres: f64, share: f64) {
    let (found, _) = heights(lab, file);
    assert!((found - metres).abs() < share * metres, "{file} is {found} m high, not {metres}");
}

const RIGS: [&str; 4] = ["glb", "fbx", "usda", "sinew"];

#[test]
fn a_person_keeps_its_size_through_every_pair_of_formats() {
    let lab = lab();
    for from in RIGS {
        lab.ok(&format!("convert cm.usda from.{from}"));
        assert_height(&lab, &format!("from.{from}"), 1.65);
        for to in RIGS {
            for (command, name) in [
                (format!("convert from.{from} converted.{to}"), "converted"),
                (format!("skin from.{from} --bones 2 -o skinned.{to}"), "skinned"),
                (format!("skeleton from.{from} --joints 2 -o character.{to}"), "character"),
                (
                    format!(
                        "edit rotate from.{from} --bone 1 --axis 1,0,0 --angle 5 --frame 1 -o edited.{to}"
                    ),
                    "edited",
                ),
                (format!("transplant from.{from} --onto from.{from} -o moved.{to}"), "moved"),
                (format!("bake from.{from} -o baked.{to}"), "baked"),
            ] {
                if !(name == "baked" && to == "usda") {
                    lab.ok(&format!("{command} --quiet"));
                    let fitted = matches!(name, "skinned" | "character");
                    let assert = if fitted { assert_fitted_height } else { assert_height };
                    assert(&lab, &format!("{name}.{to}"), 1.65);
                }
            }
        }
        for (command, file) in [("lod", "lods.glb"), ("light --rays 8", "lit.glb")] {
            let levels = if command == "lod" { "--triangles 20" } else { "" };
            lab.ok(&format!("{command} from.{from} {levels} -o {file} --quiet"));
            assert_height(&lab, file, 1.65);
        }
    }
    // Formats that state a unit keep the numbers; in glTF they are metres.
    for (file, number) in
        [("from.glb", 1.65), ("from.fbx", 165.0), ("from.usda", 165.0), ("from.sinew", 165.0)]
    {
        let (_, found) = heights(&lab, file);
        assert!((found - number).abs() < 1e-5 * number, "{file}: {found}");
    }
}

#[test]
fn numbers_come_back_from_metres_to_rounding() {
    let lab = lab();
    lab.ok("convert cm.usda m.glb --report m.json");
    lab.ok("convert m.glb back.pc2 --scale 100");
    lab.ok("convert cm.usda cm.pc2");
    let [cm, back] =
        ["cm.pc2", "back.pc2"].map(|name| sinew_io::formats::pc2::open(lab.at(name)).unwrap().frames);
    for (a, b) in cm.flat().iter().zip(back.flat()) {
        assert!((a - b).abs() <= 165.0 * 4e-7, "{a} {b}");
    }
    let report = lab.json("m.json");
    assert_eq!((&report["input_unit"], &report["output_unit"]), (&0.01.into(), &1.0.into()));
    assert_eq!(report["output_scale"], 0.01);
}

#[test]
fn percentages_do_not_know_units() {
    let lab = lab();
    let percent = |name: &str| lab.json(name)["error"]["percent"].as_f64().unwrap();
    lab.ok("skin cm.usda --bones 1 -o m.glb --compact --report m.json");
    lab.ok("skin cm.usda --bones 1 -o cm.usda.sinew --report cm.json");
    let (a, b) = (percent("m.json"), percent("cm.json"));
    assert!(a > 1.0 && (a - b).abs() < 0.05 * b, "{a} in metres, {b} in centimetres");
    // What is compared is brought to one unit, and that is said.
    lab.ok("compare cm.usda m.glb --report compare.json");
    assert!((percent("compare.json") - a).abs() < 1e-3 * a, "{} {a}", percent("compare.json"));
    assert!(lab.json("compare.json")["warnings"].to_string().contains("scaled to match"));
}

#[test]
fn what_the_source_says_can_be_overridden() {
    let lab = lab();
    for (options, metres) in
        [("--unit m", 165.0), ("--unit 0.001", 0.165), ("--scale 2", 3.3), ("--unit in", 4.191)]
    {
        for command in
            ["convert cm.usda out.glb", "skin cm.usda --bones 2 -o out.glb", "bake cm.usda -o out.glb"]
        {
            lab.ok(&format!("{command} {options} --quiet"));
            assert_fitted_height(&lab, "out.glb", metres);
        }
    }
    // What has no unit is taken for metres, and said to be.
    lab.ok("convert cm.usda anim.pc2 --rest-out rest.obj");
    let table = lab.ok("skin anim.pc2 --rest rest.obj --bones 2 -o out.glb");
    assert!(table.contains("a metre, as the source tells none; --unit sets it"), "{table}");
    assert_fitted_height(&lab, "out.glb", 165.0);
    let table = lab.ok("skin anim.pc2 --rest rest.obj --bones 2 --unit cm -o out.glb --report out.json");
    assert!(table.contains("a centimetre in the source and a metre in the file"), "{table}");
    assert_fitted_height(&lab, "out.glb", 1.65);
    assert_eq!(lab.json("out.json")["input_unit"], 0.01);
    // A scale that only repeats the unit is doubted.
    let table = lab.ok("convert cm.usda out.glb --scale 0.01");
    assert!(table.contains("leave out --scale to keep the size"), "{table}");
    assert!(lab.refused("convert cm.usda x.glb --scale 0").contains("positive"));
    let wrong = lab.run("convert cm.usda x.glb --unit furlong");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("cm, mm, in"));
}

#[test]
fn the_axis_that_is_up_can_be_overridden() {
    let lab = lab();
    // It says z, and z is up: saying so changes nothing.
    for command in [
        "convert cm.usda out.glb",
        "skin cm.usda --bones 2 -o out.glb",
        "lod cm.usda --triangles 20 -o out.glb",
    ] {
        for up in ["", "--up z"] {
            lab.ok(&format!("{command} {up} --quiet"));
            assert_fitted_height(&lab, "out.glb", 1.65);
        }
        // Were y up in it, the person would lie.
        lab.ok(&format!("{command} --up y --quiet"));
        assert_about(&lab, "out.glb", 0.33, 2e-2);
    }
    lab.ok("convert cm.usda frames/");
    lab.ok("skin frames --up x --unit cm --bones 2 -o out.glb");
    assert_about(&lab, "out.glb", 0.33, 2e-2);
}

#[test]
fn a_rest_mesh_in_another_unit_is_brought_to_that_of_the_cache() {
    let lab = lab();
    lab.ok("convert cm.usda anim.pc2");
    lab.ok("convert cm.usda rest.glb");
    // The cache tells no unit, so that the mesh tells it; its numbers do not fit, which is refused as before.
    assert!(lab.refused("skin anim.pc2 --rest rest.glb --bones 2 -o x.glb").contains("different units"));
    // Said to be in centimetres, the cache has a mesh in metres, which is scaled.
    let table = lab.ok("skin anim.pc2 --rest rest.glb --unit cm --bones 2 -o out.glb");
    assert!(table.contains("rest.glb, which is scaled to match"), "{table}");
    assert_fitted_height(&lab, "out.glb", 1.65);
    // The unit of the mesh is that of the cache.
    lab.ok("skin anim.pc2 --rest cm.usda --bones 2 -o out.glb");
    assert_fitted_height(&lab, "out.glb", 1.65);
    lab.ok("skin anim.pc2 --rest rest.glb --rest-scale 100 --bones 2 -o out.glb");
    assert_fitted_height(&lab, "out.glb", 1.65);
}

#[test]
fn clips_in_several_units_are_of_one_size() {
    let lab = lab();
    lab.ok("convert cm.usda walk.fbx");
    lab.ok("convert cm.usda run.glb");
    let table = lab.ok("skin walk.fbx run.glb --bones 2 -o both.glb --report both.json");
    assert!(table.contains("run.glb, which is scaled to match"), "{table}");
    assert_fitted_height(&lab, "both.glb", 1.65);
    assert!(lab.json("both.json")["error"]["percent"].as_f64().unwrap() < 1.0);
    // Both are a metre high by their numbers, whatever they say.
    lab.write("lies.usda", person("metersPerUnit = 0.01", 1.65));
    let table = lab.ok("skin run.glb lies.usda --bones 2 -o both.glb");
    assert!(table.contains("they are of one size as they stand"), "{table}");
    assert_fitted_height(&lab, "both.glb", 1.65);
}

#[test]
fn a_unit_that_is_not_said_is_the_one_of_the_format() {
    let lab = Lab::new();
    lab.write("silent.usda", person("", 165.0));
    lab.ok("convert silent.usda out.glb");
    assert_height(&lab, "out.glb", 1.65);
    let info = lab.ok("info silent.usda --report info.json");
    assert!(info.contains("does not say how long a unit is"), "{info}");
    assert!(info.contains("165 units long, each a centimetre: 1.65 m"), "{info}");
    let size = &lab.json("info.json")["size_in_metres"];
    assert!((size[1].as_f64().unwrap() - 1.65).abs() < 1e-6, "{size}");
}

#[test]
fn what_has_no_place_for_a_unit_says_so() {
    let lab = lab();
    for file in ["out.abc", "out.pc2", "out.mdd", "out.npz", "out.bvh", "frames/"] {
        lab.ok(&format!("convert cm.usda {file} --report out.json"));
        let report = lab.json("out.json");
        assert!(report["lost"].to_string().contains("the unit, a centimetre"), "{file}: {report}");
        assert_eq!((&report["input_unit"], &report["output_unit"]), (&0.01.into(), &serde_json::Value::Null));
    }
}

#[test]
fn chains_and_characters_keep_their_unit() {
    let lab = lab();
    lab.ok("skin cm.usda --method pps --bones 2 -o chain.sinew");
    assert_fitted_height(&lab, "chain.sinew", 1.65);
    lab.ok("convert chain.sinew larger.sinew --scale 2 --up y");
    assert_fitted_height(&lab, "larger.sinew", 3.3);
    lab.ok("stream encode cm.usda --bones 2 -o stream.sinew");
    assert_fitted_height(&lab, "stream.sinew", 1.65);
    lab.ok("deform setup cm.usda -o body.deform");
    lab.ok("convert cm.usda walk.glb");
    // The motion is in metres, the character in centimetres.
    for motion in ["cm.usda", "walk.glb"] {
        lab.ok(&format!("deform pose body.deform --pose {motion} -o posed.usda"));
        assert_height(&lab, "posed.usda", 1.65);
        lab.ok(&format!("deform pose body.deform --pose {motion} -o posed.glb"));
        assert_height(&lab, "posed.glb", 1.65);
    }
}

#[test]
fn shapes_and_rigs_beside_a_rig_are_brought_to_its_unit() {
    let lab = lab();
    lab.ok("convert cm.usda m.glb");
    // Sculpted in metres, of a rig in centimetres.
    lab.ok("edit rest cm.usda --shape m.glb -o edited.fbx --report edited.json");
    assert_height(&lab, "edited.fbx", 1.65);
    assert_eq!(lab.json("edited.json")["frames_changed"], 0, "the same shape in another unit");
    // A mesh file tells no unit: what is a hundred times as small is refused, not sculpted.
    lab.ok("bake m.glb -o m.pc2 --rest-out bare.obj");
    let sentence = lab.refused("edit rest cm.usda --shape bare.obj -o small.fbx");
    assert!(sentence.contains("bare.obj: the shape is 0.01 times the size of the rig cm.usda"), "{sentence}");
    lab.ok("skin cm.usda --start m.glb -o again.fbx --report again.json");
    assert_fitted_height(&lab, "again.fbx", 1.65);
    assert!(lab.json("again.json")["error"]["percent"].as_f64().unwrap() < 0.1);
    // Two metres apart they do not touch, half a metre apart they do not either, and within each other they do.
    for (offset, touches) in [("0.5,0,0", false), ("0.3,0,0", true)] {
        lab.ok(&format!("collide m.glb cm.usda --offset {offset} -o contacts.json"));
        let contacts = lab.json("contacts.json")["frames"][0]["contacts"].as_array().unwrap().len();
        assert_eq!(contacts > 0, touches, "{offset}");
    }
}

#[test]
fn motion_in_another_unit_moves_a_rig_as_far() {
    let lab = lab();
    lab.ok("convert cm.usda m.glb");
    lab.ok("transplant m.glb --onto cm.usda -o from_m.sinew --report m.json");
    lab.ok("transplant cm.usda --onto cm.usda -o from_cm.sinew --report cm.json");
    lab.ok("compare from_m.sinew from_cm.sinew --report compare.json");
    assert!(lab.json("compare.json")["error"]["percent"].as_f64().unwrap() < 0.01);
    assert_height(&lab, "from_m.sinew", 1.65);
}
