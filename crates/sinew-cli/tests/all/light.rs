//! Light of a rig, through files.

use crate::common::Lab;
use serde_json::Value;
use sinew::light::Light;
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::scene::SampleOptions;

fn light(lab: &Lab, name: &str, options: &SampleOptions) -> Option<Light> {
    gltf::open(lab.at(name)).unwrap().rig(options).unwrap().light
}

#[test]
fn light_is_baked_kept_and_read_again() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 10 -o rig.glb");
    assert_eq!(light(&lab, "rig.glb", &SampleOptions::default()), None);
    let table = lab.ok("light rig.glb --rank 3 --rays 32 --report r.json --picture p.png -o lit.glb");
    assert!(table.contains("3 shapes"), "{table}");
    assert!(std::fs::read(lab.at("p.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(lab.ok("info lit.glb").contains("baked over the vertices, 3 shapes"));
    let report = lab.json("r.json");
    assert_eq!((&report["rank"], &report["frames"]), (&3.into(), &8.into()));
    assert!(report["error_mean"].as_f64().unwrap() < 5.0, "{report}");
    let sampled = gltf::open(lab.at("lit.glb")).unwrap().rig(&SampleOptions::default()).unwrap();
    let baked = sampled.light.clone().unwrap();
    assert_eq!((baked.vertices, baked.rank(), baked.frame_count()), (sampled.rig.rest.len(), 3, 8));
    let mut values = vec![0.0; baked.vertices];
    baked.frame_into(5, &mut values);
    assert!(values.iter().any(|x| *x < 0.6) && values.iter().any(|x| *x > 0.95));
    // The motion is the same, and what is written again is the same light.
    let before = gltf::open(lab.at("rig.glb")).unwrap().rig(&SampleOptions::default()).unwrap().rig;
    let far = before.pose(5).iter().zip(sampled.rig.pose(5)).map(|(p, q)| p.distance(q)).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
    let options = WriteOptions { light: Some(baked.clone()), clip: sampled.clip, ..WriteOptions::default() };
    gltf::write(&lab.at("again.glb"), &sampled.rig, &options).unwrap();
    assert_eq!(light(&lab, "again.glb", &SampleOptions::default()), Some(baked.clone()));
    // Twice as many frames have those of the file at every other one.
    let fine = SampleOptions { fps: Some(2.0 * before.fps), ..SampleOptions::default() };
    let twice = light(&lab, "lit.glb", &fine).unwrap();
    assert_eq!(twice.frame_count(), 15);
    for t in 0..8 {
        for k in 0..3 {
            let off = twice.coefficients[2 * t * 3 + k] - baked.coefficients[t * 3 + k];
            assert!(off.abs() < 1e-3, "frame {t}, shape {k}: {off}");
        }
    }
    // Light of other frames is refused.
    let other = Light { vertices: 1, ..baked };
    let options = WriteOptions { light: Some(other), ..WriteOptions::default() };
    assert!(gltf::to_bytes(&sampled.rig, &options).is_err());
}

/// Blender up to 5.0 fails now and then on a mesh whose own attributes (`_…`) are not equally wide.
#[test]
fn attributes_of_our_own_are_equally_wide() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 10 -o rig.glb");
    lab.ok("light rig.glb --rank 3 --rays 4 -o lit.glb");
    for (name, least) in [("rig.glb", 1), ("lit.glb", 2)] {
        let json = glb_json(&std::fs::read(lab.at(name)).unwrap());
        for primitive in
            json["meshes"].as_array().unwrap().iter().flat_map(|m| m["primitives"].as_array().unwrap())
        {
            let ours =
                primitive["attributes"].as_object().unwrap().iter().filter(|(name, _)| name.starts_with('_'));
            let kinds: Vec<&str> = ours
                .map(|(_, a)| json["accessors"][a.as_u64().unwrap() as usize]["type"].as_str().unwrap())
                .collect();
            assert!(kinds.len() >= least && kinds.iter().all(|kind| *kind == kinds[0]), "{name}: {kinds:?}");
        }
    }
    // It is still known which vertices are copies of one.
    let vertices =
        |name| gltf::open(lab.at(name)).unwrap().rig(&SampleOptions::default()).unwrap().rig.rest.len();
    assert_eq!(vertices("lit.glb"), vertices("rig.glb"));
}

/// The JSON chunk of a GLB file.
fn glb_json(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn shapes_without_negative_numbers_are_kept_too() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 10 -o rig.glb");
    lab.ok("light rig.glb --rank 4 --rays 16 --factor nmf --reach 20 -o lit.glb");
    let light = light(&lab, "lit.glb", &SampleOptions::default()).unwrap();
    assert!(light.ranges.iter().all(|[low, _]| *low >= 0.0));
    assert!(light.coefficients.iter().all(|q| *q >= 0.0));
}

#[test]
fn what_cannot_be_lit_is_refused_in_a_sentence() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 10 -o rig.glb");
    for (arguments, expected) in [
        ("light rig.glb -o lit.sinew", "lit.sinew: light is kept in GLB files; name the file *.glb"),
        ("light rig.glb --reach -3 -o lit.glb", "--reach takes a positive number of percent, not -3"),
        (
            "light rig.glb -o rig.glb",
            "rig.glb: the result would be written over its own input; give it another name",
        ),
    ] {
        assert_eq!(lab.refused(arguments), expected);
    }
    assert!(lab.refused("light missing.glb -o lit.glb").contains("missing.glb"));
    assert!(lab.refused("light creature/anim.pc2 -o lit.glb").contains("holds no rig"));
    assert!(lab.refused("light rig.glb --rank 0 -o lit.glb").contains("--rank"));
    // A file whose light does not fit its vertices.
    lab.ok("light rig.glb --rank 3 --rays 4 -o lit.glb");
    let bytes = std::fs::read(lab.at("lit.glb")).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    for (from, to, expected) in [
        ("\"_LIGHT_0\"", "\"_NIGHT_0\"", None),
        ("\"ranges\"", "\"rangez\"", Some("SINEW_light")),
        ("\"clips\":[{\"coefficients\":", "\"clips\":[{\"coefficientz\":", Some("SINEW_light")),
    ] {
        let at = text.find(from).unwrap_or_else(|| panic!("{from} is in the file"));
        // Replaced in place, so that lengths stay.
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap_or(at);
        let mut changed = bytes.clone();
        changed[at..at + to.len()].copy_from_slice(to.as_bytes());
        std::fs::write(lab.at("odd.glb"), &changed).unwrap();
        let read = gltf::open(lab.at("odd.glb")).unwrap().rig(&SampleOptions::default());
        match expected {
            None => assert_eq!(read.unwrap().light, None),
            Some(words) => assert!(read.unwrap_err().to_string().contains(words)),
        }
    }
}
