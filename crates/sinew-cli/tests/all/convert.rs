//! `sinew convert`: nothing is lost that is not told.

use crate::common::Lab;

/// Bytes of a file.
fn bytes(lab: &Lab, name: &str) -> Vec<u8> {
    std::fs::read(lab.at(name)).unwrap()
}

/// What a report says is lost.
fn lost(lab: &Lab, report: &str) -> Vec<String> {
    let list = lab.json(report)["lost"].as_array().unwrap().clone();
    list.iter().map(|line| line.as_str().unwrap().to_string()).collect()
}

#[test]
fn poses_go_round_through_every_format_that_holds_them() {
    let lab = Lab::with_creature();
    let start = bytes(&lab, "creature/anim.pc2");
    let mut ways = vec![("obj/", "--format obj"), ("ply/", "--format ply")];
    let files: Vec<String> = formats_of("poses").iter().map(|ending| format!("way.{ending}")).collect();
    ways.extend(files.iter().map(|file| (file.as_str(), "")));
    assert!(ways.len() > 3);
    for (way, options) in ways {
        lab.ok(&format!("convert creature/anim.pc2 {way} --rest creature/rest.obj --fps 30 {options}"));
        lab.ok(&format!("convert {way} back.pc2"));
        assert_eq!(bytes(&lab, "back.pc2"), start, "{way}");
    }
    lab.ok("convert creature/anim.pc2 bare.mdd");
    lab.ok("convert bare.mdd back.pc2");
    assert_eq!(bytes(&lab, "back.pc2"), start, "a cache needs no mesh to become another");
}

/// Endings of formats that are written with such a content, from the table that the command prints.
fn formats_of(content: &str) -> Vec<String> {
    let table = Lab::new().ok("info --formats");
    let rows = table.lines().skip(2).map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let held = rows.filter(|row| match content {
        "poses" => row[4].contains("poses") || row[4].contains("animations"),
        content => row[4].contains(content),
    });
    let ending = |row: Vec<&str>| {
        let named = if row[4].contains('`') { row[4] } else { row[2] };
        named.split('`').nth(1).unwrap().trim_start_matches('.').to_string()
    };
    held.map(ending).collect()
}

#[test]
fn rigs_stay_rigs_and_play_the_same() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 5 --fps 30 -o rig.glb");
    lab.ok("bake rig.glb -o played.pc2");
    for ending in formats_of("rigs") {
        lab.ok(&format!("convert rig.glb way.{ending}"));
        lab.ok(&format!("convert way.{ending} back.glb --report back.json"));
        assert_eq!(lab.json("back.json")["written"], "rig");
        lab.ok("compare played.pc2 back.glb --report compare.json");
        let percent = lab.json("compare.json")["error"]["percent"].as_f64().unwrap();
        // UsdSkel has scales of 16 bits.
        let most = if ending.starts_with("usd") { 0.02 } else { 1e-3 };
        assert!(percent < most, "{ending}: {percent}");
        assert!(lost(&lab, "back.json").is_empty(), "{ending}");
    }
    let table = lab.ok("convert rig.glb anim.mdd --report anim.json");
    assert!(table.contains(" faces: --rest-out FILE writes the mesh"), "{table}");
    let lost = lost(&lab, "anim.json");
    assert!(lost.iter().any(|line| line.ends_with("the weights of the skin: the rig is played")), "{lost:?}");
    assert!(lost.iter().any(|line| line.ends_with(" faces")), "{lost:?}");
    assert!(lost.iter().any(|line| line.starts_with("the rest pose")), "{lost:?}");
    lab.ok("convert rig.glb anim.mdd --rest-out anim.obj --report anim.json");
    let still_lost = self::lost(&lab, "anim.json");
    let only_rig = still_lost.iter().all(|line| line.contains("bones") || line.contains("clip"));
    assert!(only_rig && still_lost.len() < lost.len(), "{still_lost:?}");
    lab.ok("compare played.pc2 anim.mdd --rest anim.obj --report compare.json");
    assert_eq!(lab.json("compare.json")["error"]["percent"], 0.0);
}

#[test]
fn looks_are_kept_or_named() {
    let lab = Lab::new();
    std::fs::write(lab.at("m.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    let obj =
        "mtllib m.mtl\no top\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl red\nf 1/1 2/2 3/3\n";
    std::fs::write(lab.at("mesh.obj"), obj).unwrap();
    let said = lab.ok("convert mesh.obj mesh.ply --report ply.json");
    assert_eq!(lost(&lab, "ply.json"), ["UVs", "1 material (red)", "names of 1 part (top)"]);
    assert!(said.contains("not kept  UVs\n"), "{said}");
    lab.ok("convert mesh.obj mesh.glb --report glb.json");
    assert!(lost(&lab, "glb.json").is_empty());
    lab.ok("convert mesh.glb again.obj --report obj.json");
    let again = String::from_utf8(bytes(&lab, "again.obj")).unwrap();
    assert!(again.contains("o top\n") && again.contains("usemtl red\n") && again.contains("vt "), "{again}");
}

#[test]
fn info_lists_all_layers_of_a_mesh() {
    let lab = Lab::new();
    let obj = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n";
    std::fs::write(lab.at("painted.obj"), obj).unwrap();
    lab.ok("convert painted.obj painted.glb");
    let said = lab.ok("info painted.glb --report info.json");
    assert!(said.contains("1 colour set (") && !said.contains("()"), "{said}");
    let layer = &lab.json("info.json")["attributes"][0];
    assert_eq!([&layer["kind"], &layer["domain"]], ["color", "vertex"]);
}

#[test]
fn a_file_that_could_not_be_packed_is_opened_everywhere() {
    let lab = Lab::new();
    lab.ok("sample creature --frames 6 -o c");
    lab.ok("skin c/anim.pc2 --rest c/rest.obj --bones 4 -o rig.glb");
    for (percent, opened) in [("1", false), ("1e-9", true)] {
        lab.ok(&format!("convert rig.glb packed.glb --pack --compact={percent} --report report.json"));
        let report = lab.json("report.json");
        let blender =
            report["engines"].as_array().unwrap().iter().find(|e| e["engine"] == "Blender").unwrap();
        assert_eq!(blender["plays"] != "nothing", opened, "{percent} %: {blender}");
    }
}

#[test]
fn turns_and_scales_are_exact() {
    let lab = Lab::new();
    std::fs::write(lab.at("a.obj"), "v 1 2 3\nv 2 2 3\nv 1 3 3\nf 1 2 3\n").unwrap();
    lab.ok("convert a.obj z.obj --up z --scale 2");
    assert!(String::from_utf8(bytes(&lab, "z.obj")).unwrap().starts_with("v 2 6 -4\nv 4 6 -4\nv 2 6 -6\n"));
    lab.ok("convert a.obj x.obj --up x");
    assert!(String::from_utf8(bytes(&lab, "x.obj")).unwrap().starts_with("v -2 1 3\n"));
    lab.ok("convert a.obj rig.glb --up z --scale 2");
    lab.ok("convert rig.glb of_rig.obj");
    let of_rig = String::from_utf8(bytes(&lab, "of_rig.obj")).unwrap();
    assert!(of_rig.contains("v 2 6 -4\nv 4 6 -4\nv 2 6 -6\n"), "{of_rig}");
    assert!(lab.refused("convert a.obj b.obj --scale 0").contains("positive"));
}

#[test]
fn joints_go_where_joints_belong() {
    let lab = Lab::new();
    let bvh = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
               Yrotation\nJOINT knee\n{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n\
               OFFSET 0 -1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 1 0 0 10 0 0 20 0\n0 2 0 5 10 0 0 25 0\n";
    std::fs::write(lab.at("a.bvh"), bvh).unwrap();
    lab.ok("convert a.bvh b.bvh --report b.json");
    lab.ok("convert b.bvh c.bvh");
    assert_eq!(bytes(&lab, "b.bvh"), bytes(&lab, "c.bvh"));
    assert_eq!((&lab.json("b.json")["frames"], &lab.json("b.json")["vertices"]), (&2.into(), &2.into()));
    assert!(
        lab.refused("convert a.bvh a.pc2")
            .contains("this holds joints without a mesh, and a.pc2 takes poses")
    );
    assert!(lab.refused("convert a.bvh frames/").contains("takes a mesh in every frame"));
}

#[test]
fn formats_that_are_only_read_are_converted_too() {
    let lab = Lab::new();
    std::fs::create_dir(lab.at("scan")).unwrap();
    for frame in 0..3 {
        let corner = |x: f32, y: f32| format!("vertex {x} {y} {frame}\n");
        let facet = |a, b, c| format!("facet normal 0 0 1\nouter loop\n{a}{b}{c}endloop\nendfacet\n");
        let [a, b, c, d] = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        let text = format!("solid s\n{}{}endsolid s\n", facet(&a, &b, &c), facet(&a, &c, &d));
        std::fs::write(lab.at(&format!("scan/f{frame}.stl")), text).unwrap();
    }
    lab.ok("convert scan anim.npz --fps 25 --report scan.json");
    assert_eq!(
        (&lab.json("scan.json")["vertices"], &lab.json("scan.json")["frames"]),
        (&4.into(), &3.into())
    );
    lab.ok("info anim.npz --report info.json");
    let info = lab.json("info.json");
    assert_eq!((&info["faces"], &info["fps"]), (&2.into(), &25.0.into()));
    lab.ok("convert scan a.pc2");
    lab.ok("convert anim.npz b.pc2");
    assert_eq!(bytes(&lab, "a.pc2"), bytes(&lab, "b.pc2"));
}

#[test]
fn what_cannot_be_gets_a_sentence() {
    let lab = Lab::with_creature();
    let skin = lab.refused("convert creature/anim.pc2 rig.glb --rest creature/rest.obj");
    assert!(skin.ends_with("sinew skin creature/anim.pc2 -o rig.glb makes one"), "{skin}");
    assert!(lab.refused("convert creature/rest.obj out.xyz").contains("files are written as *.glb, "));
    for missing in
        ["nonexist.glb a.fbx", "nonexist.nope a.fbx", "nonexist.abc a.glb", "nonexist.bvh a.pc2", "no/ a.pc2"]
    {
        let sentence = lab.refused(&format!("convert {missing}"));
        assert!(sentence.ends_with(": there is no such file or folder"), "{sentence}");
    }
    assert!(lab.refused("convert *.nope a.fbx").contains("match this pattern"));
    assert!(lab.refused("convert creature/anim.pc2 frames/").contains("holds no faces"));
    lab.ok("convert creature/anim.pc2 points.abc --report points.json");
    let warned = lab.json("points.json")["warnings"][0].as_str().unwrap().to_owned();
    assert!(warned.contains("holds no faces, so the new file has none"), "{warned}");
    assert!(lab.refused("convert creature/anim.pc2 a.obj --rest creature/rest.obj").contains("takes a mesh"));
    let over = lab.refused("convert creature/rest.obj creature/rest.obj");
    assert!(over.contains("written over its own input"), "{over}");
    lab.ok("convert creature/anim.pc2 frames/ --rest creature/rest.obj");
    assert!(lab.refused("convert frames/ one.ply").contains("8 frames do not go into one mesh"));
}

/// Every command that writes says what does not come along, not only the one that converts.
#[test]
fn what_is_lost_is_said_by_all() {
    let lab = Lab::new();
    lab.write("m.mtl", "newmtl red\nKd 1 0 0\n");
    let text = crate::common::strip(6);
    let uvs = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    let faces: String = text.lines().filter(|l| l.starts_with('f')).map(|l| textured(l) + "\n").collect();
    let places: String =
        text.lines().filter(|l| l.starts_with('v')).map(|l| format!("{l} 1 0 0\n")).collect();
    lab.write("rest.obj", format!("mtllib m.mtl\n{places}{uvs}usemtl red\n{faces}"));
    lab.cache("anim.pc2", &[0.0, 0.3, 0.6].map(|bend| crate::common::strip_pose(6, bend)));
    lab.ok("skin anim.pc2 --rest rest.obj --bones 2 -o rig.glb");
    let said = lab.ok("bake rig.glb -o out.pc2 --report bake.json");
    let lost = lost(&lab, "bake.json").join(", ");
    assert!(said.contains("not kept") && lost.contains("UVs") && lost.contains("1 material (red)"), "{lost}");
    assert!(!lost.contains("bone"), "that it is played was asked for: {lost}");
    lab.ok("bake rig.glb -o out.pc2 --rest-out out.obj --report bake.json");
    assert!(!self::lost(&lab, "bake.json").join(", ").contains("UVs"));
}

/// A line of faces with a corner of the texture for each of theirs.
fn textured(face: &str) -> String {
    let corners = face.split_whitespace().skip(1).enumerate();
    corners.fold("f".into(), |line: String, (i, corner)| line + &format!(" {corner}/{}", i % 4 + 1))
}

#[test]
fn vertices_in_another_order_are_told() {
    let lab = Lab::with_creature();
    let skin = "skin creature/anim.pc2 --rest creature/rest.obj --bones 6";
    lab.ok(&format!("{skin} -o rig.glb"));
    lab.ok("compare creature/anim.pc2 rig.glb --rest creature/rest.obj --report same.json");
    assert!(!lab.json("same.json")["warnings"].to_string().contains("another order"));
    lab.ok("bake rig.glb -o played.pc2 --rest-out played.obj");
    // The last vertex first, and so on: as many, and of the same faces.
    let read = |name: &str| sinew_io::formats::obj::read(lab.at(name)).unwrap();
    let mut turned = read("played.obj");
    let last = turned.positions.len() as u32 - 1;
    turned.positions.reverse();
    turned.mesh.corners.iter_mut().for_each(|corner| *corner = last - *corner);
    sinew_io::formats::obj::write(&lab.at("turned.obj"), &turned.mesh, &turned.positions).unwrap();
    lab.ok("compare played.obj turned.obj --report turned.json");
    assert!(lab.json("turned.json")["warnings"].to_string().contains("another order"));
}
