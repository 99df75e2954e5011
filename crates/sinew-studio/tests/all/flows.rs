//! What people do, from opening to the saved file, over a real socket.

use crate::common::{small, start};
use glam::DQuat;
use serde_json::json;
use sinew::geometry::Bounds;
use sinew::motion::{BoneEditor, BoneTurn, Reach};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew_io::formats::{Content, Facts, RigOptions, USD};

/// The rig of a version, as the session has it.
fn rig(running: &crate::common::Running, version: u64) -> Rig {
    (**running.studio.session().version(version as u32).unwrap().rig().unwrap()).clone()
}

/// The transforms in a binary message or an answer, as 12 numbers a bone.
fn rounded(transforms: &[glam::DAffine3]) -> Vec<f32> {
    let row = |t: &glam::DAffine3, i: usize| {
        [t.matrix3.x_axis[i], t.matrix3.y_axis[i], t.matrix3.z_axis[i], t.translation[i]].map(|x| x as f32)
    };
    transforms.iter().flat_map(|t| [row(t, 0), row(t, 1), row(t, 2)].concat()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn the_sample_opens_and_its_data_fits() {
    let running = start();
    let mut tab = running.tab();
    assert_eq!(tab.state["name"], "");
    tab.tell(json!({ "do": "open_sample" }));
    tab.until(|state| state["frames"] == 48);
    let (vertices, triangles) =
        (tab.state["vertices"].as_u64().unwrap(), tab.state["triangles"].as_u64().unwrap());
    let mesh = running.get("/data/mesh");
    let head: Vec<u64> = mesh.numbers()[..4].iter().map(|n| u64::from(*n)).collect();
    let (materials, doubled) = (head[2], head[3]);
    assert_eq!(head[..2], [vertices, triangles]);
    assert!(materials > 1 && doubled > 0, "the creature has colours and UVs with seams");
    let appearance = triangles * (12 + 4) + 4 * doubled + 8 * (vertices + doubled) + 24 * materials;
    assert_eq!(mesh.body.len() as u64, 16 + 12 * vertices + 12 * triangles + appearance);
    let corners = &mesh.numbers()[(4 + 3 * vertices) as usize..][..3 * triangles as usize];
    assert!(corners.iter().all(|&c| u64::from(c) < vertices));
    let poses = running.get("/data/original?from=3&to=5").floats();
    let expected = sinew_sample::creature(&Default::default());
    let flat: &[f32] = bytemuck::cast_slice(expected.frames.frame(4));
    assert_eq!(poses[3 * vertices as usize..], *flat);
    let before = tab.state["open"].as_u64().unwrap();
    let of_then = format!("/data/mesh?open={before}");
    assert_eq!(running.get(&of_then).status, 200);
    tab.tell(json!({ "do": "close" }));
    tab.until(|state| state["open"].as_u64().unwrap() > before);
    assert_eq!(running.get("/data/mesh").status, 400);
    assert_eq!(running.get(&of_then).status, 204, "it has changed, which is no fault of who asks");
}

#[test]
fn a_fit_shows_its_progress_and_its_errors() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 6);
    assert!(tab.news.iter().any(|n| n["kind"] == "fit" && n["stage"] != "" && n.get("ended").is_none()));
    tab.until(|state| state["versions"][0]["percent"].is_f64() && state["versions"][0]["bytes"].is_u64());
    let told = tab.version(version);
    assert_eq!((&told["bones"], &told["kind"], &told["frames"]), (&json!(6), &json!("fit"), &json!(8)));
    let rig = rig(&running, version);
    let animation = small();
    let bounds = animation.rest_bounds();
    let measured = sinew::animation::compare(&animation, &sinew::rig::Player::new(&rig), bounds).error;
    let near = |name: &str, value: f64| (told[name].as_f64().unwrap() - value).abs() < 1e-3 * value;
    assert!(near("percent", measured.percent) && near("largest", measured.max), "{told} {measured:?}");
    assert_eq!(told["worst_frame"], json!(measured.max_frame));

    let errors = running.get(&format!("/data/errors?version={version}")).json();
    let largest = errors["largest"][measured.max_frame].as_f64().unwrap();
    assert!(
        (largest - measured.max).abs() < 1e-3 * measured.max
            && errors["per_frame"].as_array().unwrap().len() == 8
    );
    let frame = measured.max_frame;
    let off = running.get(&format!("/data/difference?version={version}&frame={frame}")).floats();
    let farthest = off.iter().copied().fold(0.0, f32::max);
    assert!((f64::from(farthest) * 100.0 / bounds.diagonal() - measured.max).abs() < 1e-3 * measured.max);

    let data = running.get(&format!("/data/rig?version={version}&key={}", told["key"].as_str().unwrap()));
    assert!(data.head.contains("immutable"));
    let (n, k) = (rig.rest.len(), rig.weights.per_vertex);
    assert_eq!(data.numbers()[..6], [n, 6, k, 0, 8, 0].map(|x| x as u32));
    let halves = (n * k * 2).next_multiple_of(4);
    let palettes = &data.body[32 + 12 * n + halves + 4 * n * k..];
    assert_eq!(floats(palettes), rounded(&rig.transforms));
    let positions = running.get(&format!("/data/positions?version={version}&from=2&to=3")).floats();
    assert_eq!(positions, bytemuck::cast_slice::<_, f32>(&rig.pose(2)));
    assert_eq!(running.get(&format!("/data/rig?version={version}&key=old")).status, 204);
    assert_eq!(tab.state["curve"][0]["version"], json!(version));
    let picked = tab.tell(json!({ "do": "pick", "version": version, "frame": 0, "vertex": 7 }));
    let (bones, weights) = rig.weights.of(7);
    let strongest = (0..k).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
    assert_eq!(picked["bone"], json!(bones[strongest]));
}

#[test]
fn a_fit_can_be_cancelled_and_a_crash_is_its_own() {
    let running = start();
    let mut tab = running.tab();
    tab.tell(json!({ "do": "open_sample" }));
    let job = tab.tell(json!({ "do": "fit", "goal": { "error": 0.2 } }))["job"].clone();
    while !tab.news.iter().any(|n| n["id"] == job && n["stage"] != "") {
        tab.listen();
    }
    tab.tell(json!({ "do": "cancel", "job": job }));
    assert_eq!(tab.ended(&job)["ended"], "cancelled");
    tab.until(|state| state["jobs"] == json!([]));
    assert_eq!(tab.state["versions"], json!([]));

    let crash = sinew_studio::session::Work {
        kind: "crash",
        wait: false,
        run: Box::new(|_| panic!("on purpose, in a test")),
    };
    running.studio.work(crash);
    let news = loop {
        if let Some(news) = tab.news.iter().find(|n| n["kind"] == "crash" && n.get("ended").is_some()) {
            break news.clone();
        }
        tab.listen();
    };
    assert_eq!(news["ended"], "failed");
    assert!(news["error"].as_str().unwrap().contains("on purpose"));
    tab.tell(json!({ "do": "close" }));
}

#[test]
fn a_turn_is_what_the_library_makes_of_it() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 6);
    let before = rig(&running, version);
    let editor = BoneEditor::new(&before, &Silent).unwrap();
    let q = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(-0.2);
    let turn = |phase: &str, share: f64, from: usize| {
        // Numbers that text holds exactly.
        let rotation = DQuat::IDENTITY.slerp(q, share).to_array().map(|x| (4096.0 * x).round() / 4096.0);
        json!({ "do": "turn", "version": version, "frame": 3, "bone": 2, "rotation": rotation, "from": from,
                "to": 6, "ease": 2, "phase": phase })
    };
    tab.until(|state| state["versions"][0]["percent"].is_f64());
    let revision = tab.state["revision"].clone();
    for (step, phase) in [(0, "begin"), (1, "move"), (2, "move"), (3, "move")] {
        let message = turn(phase, f64::from(step) / 3.0, 3);
        tab.frames.clear();
        tab.tell(message.clone());
        let rotation: [f64; 4] = serde_json::from_value(message["rotation"].clone()).unwrap();
        let mut transforms = before.frame_transforms(3).to_vec();
        let wanted = BoneTurn { reach: Reach::Hanging, ..BoneTurn::new(2, DQuat::from_array(rotation), 3) };
        editor.rotate_frame(&mut transforms, &wanted).unwrap();
        let frame = tab.frames.pop().unwrap();
        let head: Vec<u32> =
            frame[..16].chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(head, [1, version as u32, 3, 6]);
        assert_eq!(floats(&frame[16..]), rounded(&transforms), "step {step}");
    }
    assert_eq!(tab.state["revision"], revision, "nothing has changed while the hand moves");

    let end = turn("end", 1.0, 3);
    let edited = tab.tell(end.clone())["version"].as_u64().unwrap();
    let rotation: [f64; 4] = serde_json::from_value(end["rotation"].clone()).unwrap();
    let mut expected = before.clone();
    let wanted = BoneTurn {
        through: 6,
        ease_out: 2,
        reach: Reach::Hanging,
        ..BoneTurn::new(2, DQuat::from_array(rotation), 3)
    };
    editor.rotate(&mut expected, &wanted).unwrap();
    assert_ne!(edited, version);
    assert!(rig(&running, edited) == expected, "bit for bit");
    assert!(rig(&running, version) == before, "the fit stays as it was");
    tab.until(|state| state["current"] == json!(edited));
    assert_eq!(tab.version(edited)["parent"], json!(version));
    let palettes = running.get(&format!("/data/palettes?version={edited}"));
    assert_eq!(palettes.numbers()[..4], [8, 6, 0, 0]);
    assert_eq!(floats(&palettes.body[16..]), rounded(&expected.transforms));

    // The hand may be in the middle: all of the turn is where it is, and it grows before, unless the clip begins there.
    let mut again = turn("end", 1.0, 1);
    again["version"] = json!(edited);
    assert_eq!(tab.tell(again)["version"], json!(edited), "an edit is edited on");
    let twice = rig(&running, edited);
    let angle =
        |rig: &Rig, frame: usize| DQuat::from_mat3(&rig.frame_transforms(frame)[2].matrix3).normalize();
    assert_ne!(twice.frame_transforms(1), expected.frame_transforms(1));
    let by = |frame: usize| (angle(&twice, frame) * angle(&expected, frame).inverse()).to_axis_angle().1;
    assert!(by(0) < by(1) && by(1) < by(2) && (by(3) - q.to_axis_angle().1).abs() < 0.05, "{}", by(3));
}

#[test]
fn everything_can_be_undone() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 4);
    tab.until(|state| state["versions"][0]["percent"].is_f64() && state["versions"][0]["bytes"].is_u64());
    let mut states = vec![tab.state.clone()];
    let turn = |version: u64, bone: usize| {
        json!({ "do": "turn", "version": version, "frame": 2, "bone": bone, "rotation": [0.0, 0.2, 0.0, 1.0],
                "from": 1, "to": 5, "ease": 1, "phase": "end" })
    };
    let edited = tab.tell(turn(version, 1))["version"].as_u64().unwrap();
    let stroke = |phase: &str, target: &str, carry: &str| {
        let center = rig(&running, edited).pose(2)[50].to_array();
        json!({ "do": "brush", "version": edited, "frame": 2, "target": target, "mode": "grab",
            "center": center,
                "radius": 0.3, "offset": [0.0, 0.1, 0.0], "strength": 1.0, "phase": phase,
                "carry": { "frames": carry } })
    };
    let mut steps = vec![
        vec![turn(edited, 2)],
        vec![json!({ "do": "rename", "version": edited, "name": "mine" })],
        vec![json!({ "do": "delete", "version": version })],
    ];
    for (target, carry) in [("pose", "later"), ("rest", "all"), ("pose", "all")] {
        steps.push(["begin", "move", "end"].map(|phase| stroke(phase, target, carry)).to_vec());
    }
    let measured = |state: &serde_json::Value| {
        let versions = state["versions"].as_array().unwrap();
        versions.iter().all(|v| v["percent"].is_f64() && v["bytes"].is_u64())
    };
    let known = |tab: &mut crate::common::Tab, undo: &str| {
        tab.until(|state| state["undo"].as_str().unwrap_or_default().starts_with(undo) && measured(state));
        tab.state.clone()
    };
    states.push(known(&mut tab, "turn"));
    for actions in steps {
        let before = tab.state["revision"].as_u64().unwrap();
        actions.into_iter().for_each(|action| _ = tab.tell(action));
        tab.until(|state| state["revision"].as_u64().unwrap() > before && measured(state));
        states.push(tab.state.clone());
    }
    assert_eq!(states.len(), 8);
    let same = |a: &serde_json::Value, b: &serde_json::Value| {
        ["versions", "current", "undo", "curve"].iter().all(|field| a[field] == b[field])
    };
    for way in ["undo", "redo"] {
        let expected: Vec<_> = match way {
            "undo" => states.iter().rev().skip(1).collect(),
            _ => states.iter().skip(1).collect(),
        };
        for state in expected {
            let revision = tab.tell(json!({ "do": way }))["revision"].clone();
            tab.until(|now| now["revision"].as_u64() >= revision.as_u64());
            assert!(same(&tab.state, state), "{way}: {}\n{}", tab.state["versions"], state["versions"]);
        }
    }
    assert!(tab.ask(json!({ "do": "redo" })).is_err());
}

#[test]
fn tabs_share_one_state_and_may_come_back() {
    let running = start();
    let mut first = running.tab();
    let version = first.open_and_fit(&running, 3);
    let mut second = running.tab();
    assert_eq!(second.state["versions"][0]["id"], json!(version), "told at once");
    second.tell(json!({ "do": "rename", "version": version, "name": "ours" }));
    first.until(|state| state["versions"][0]["name"] == "ours");
    drop(first);
    drop(second);
    let third = running.tab();
    assert_eq!(third.state["versions"][0]["name"], "ours");
    assert_eq!(third.state["undo"], "rename best, 3 bones");
}

#[test]
fn versions_become_files() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 4);
    let rig = rig(&running, version);
    for name in ["a.glb", "a.sinew", "a.pc2", "a.fbx", "a.usdz", "a.obj"] {
        let save = json!({ "do": "save", "version": version, "path": running.path(name) });
        let job = tab.tell(save)["job"].clone();
        let news = tab.ended(&job);
        assert_eq!(
            (&news["ended"], &news["result"]["path"]),
            (&json!("done"), &json!(running.path(name))),
            "{news}"
        );
        let ending = name.split_once('.').unwrap().1;
        let exported = running.get(&format!("/export?version={version}&format={ending}"));
        assert_eq!(exported.status, 200, "{}", exported.text());
        if ["sinew", "pc2"].contains(&ending) {
            assert!(exported.body == std::fs::read(running.path(name)).unwrap(), "{name}: the same bytes");
        }
    }
    let back =
        sinew_io::open::rig(std::path::Path::new(&running.path("a.sinew")), &Default::default()).unwrap().rig;
    assert!(back.transforms == rig.transforms && back.weights == rig.weights);
    tab.tell(json!({ "do": "picture", "version": version, "frame": 1, "path": running.path("a.png") }));
    assert!(std::fs::read(running.path("a.png")).unwrap().starts_with(b"\x89PNG"));
    tab.tell(json!({ "do": "report", "path": running.path("a.html") }));
    let report = std::fs::read_to_string(running.path("a.html")).unwrap();
    assert!(
        report.contains("best, 4 bones")
            && report.contains("data:image/png;base64,")
            && !report.contains("<script")
    );
    assert!(running.get("/export/report").text().starts_with("<!doctype html>"));
    let left: Vec<_> = std::fs::read_dir(running.folder.path()).unwrap().flatten().collect();
    assert!(!left.iter().any(|e| e.file_name().to_string_lossy().contains(".part")), "{left:?}");
}

#[test]
fn what_is_saved_is_as_large_as_what_was_opened() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 3);
    let facts = Facts { metres_per_unit: Some(0.01), ..Facts::default() };
    let options = RigOptions { facts, ..RigOptions::default() };
    let opened = running.path("cm.usda");
    USD.save(opened.as_ref(), Content::Rig(&rig(&running, version), &options)).unwrap();
    let metres = |path: &str| {
        let mesh = sinew_io::open::rest(std::path::Path::new(path), None).unwrap();
        Bounds::of(&mesh.positions).diagonal() * mesh.facts.metres_per_unit.unwrap_or(1.0)
    };
    let wanted = metres(&opened);
    tab.tell(json!({ "do": "open", "paths": [&opened] }));
    tab.until(|state| state["name"].as_str().is_some_and(|name| name.contains("cm.usda")));
    let version = tab.state["versions"][0]["id"].clone();
    for name in ["a.glb", "a.fbx", "a.usda", "a.sinew"] {
        let path = running.path(name);
        let job = tab.tell(json!({ "do": "save", "version": version, "path": path }))["job"].clone();
        assert_eq!(tab.ended(&job)["ended"], "done");
        let found = metres(&path);
        assert!((found - wanted).abs() < 1e-5 * wanted, "{name}: {found} m, not {wanted}");
    }
}

#[test]
fn images_of_materials_are_served_by_number() {
    let running = start();
    let mut animation = crate::common::small();
    let rest = animation.rest.clone().unwrap();
    let png =
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]].concat();
    let huge = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 1, 0, 0, 0, 0, 0, 2]].concat();
    let script = b"<script>alert(1)</script>".to_vec();
    for (bytes, name) in [(png.clone(), "good"), (huge, "huge"), (script, "script")] {
        let image = sinew::geometry::Image { name: name.into(), mime_type: "image/png".into(), bytes };
        animation.mesh.images.push(image);
        let number = animation.mesh.images.len() - 1;
        let slot = sinew::geometry::Texture::new(sinew::geometry::TextureSlot::BaseColor, number);
        animation.mesh.materials[number % 2].textures = vec![slot];
    }
    let path = running.folder.path().join("rig.sinew");
    let rig = sinew::skin::skin(
        &animation,
        &sinew::skin::SkinOptions { bones: Some(2), ..Default::default() },
        &sinew::progress::Silent,
    )
    .unwrap()
    .rig;
    assert_eq!(rig.rest.len(), rest.len());
    sinew_io::formats::sinew_file::write_rig(&path, &rig, "").unwrap();
    let mut tab = running.tab();
    assert_eq!(running.get("/data/image?image=0").status, 400);
    tab.tell(json!({ "do": "open", "paths": [running.path("rig.sinew")] }));
    let images: Vec<_> = (0..4).map(|n| running.get(&format!("/data/image?image={n}"))).collect();
    assert_eq!((images[0].status, &images[0].body), (200, &png));
    assert!(images[0].head.to_lowercase().contains("content-type: image/png"), "{}", images[0].head);
    assert!(images[1].status == 400 && images[1].text().contains("65536 by 2"), "{}", images[1].text());
    assert!(images[2].status == 400 && images[2].text().contains("neither PNG nor JPEG"));
    assert!(images[3].status == 400 && images[3].text().contains("no image 3"));
    assert_eq!(running.get("/data/image").status, 400);
    assert_eq!(running.request("GET /data/image?image=0", &[]).status, 401);
}

#[test]
fn what_is_cancelled_leaves_nothing() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 3);
    tab.until(|state| state["versions"][0]["percent"].is_f64());
    let (before, undo) = (rig(&running, version), tab.state["undo"].clone());
    let brush = |phase: &str| {
        json!({ "do": "brush", "version": version, "frame": 2, "target": "pose", "mode": "grab",
                "center": before.rest[0].to_array(), "radius": 1.0, "offset": [0.3, 0.0, 0.0], "phase": phase })
    };
    let turn = |phase: &str| {
        json!({ "do": "turn", "version": version, "frame": 2, "bone": 1, "rotation": [0.0, 0.2, 0.0, 1.0],
                "phase": phase })
    };
    for phase in ["begin", "move", "cancel"] {
        tab.tell(brush(phase));
        tab.tell(turn(phase));
    }
    assert!(tab.ask(brush("end")).unwrap_err().contains("no beginning"));
    assert!(rig(&running, version) == before);
    assert_eq!(running.studio.session().versions().len(), 1);
    assert_eq!(tab.state["undo"], undo);
}

#[test]
fn versions_have_names_of_their_own() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 3);
    let turn = json!({ "do": "turn", "version": version, "frame": 2, "bone": 1,
                       "rotation": [0.0, 0.2, 0.0, 1.0], "phase": "end" });
    let edits: Vec<u64> = (0..3).map(|_| tab.tell(turn.clone())["version"].as_u64().unwrap()).collect();
    tab.until(|state| state["versions"].as_array().unwrap().len() == 4);
    let name = |id: u64| tab.version(id)["name"].as_str().unwrap().to_owned();
    assert_eq!(name(edits[1]), format!("{} (2)", name(edits[0])));
    assert_eq!(name(edits[2]), format!("{} (3)", name(edits[0])));
}

#[test]
fn data_of_a_state_that_has_passed_is_nothing_and_no_error() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 3);
    let turn = json!({ "do": "turn", "version": version, "frame": 2, "bone": 1,
                       "rotation": [0.0, 0.2, 0.0, 1.0], "phase": "end" });
    let edited = tab.tell(turn.clone())["version"].as_u64().unwrap();
    tab.until(|state| state["current"] == json!(edited));
    let key = tab.version(edited)["key"].as_str().unwrap().to_owned();
    let rig = format!("/data/rig?version={edited}&key={key}");
    assert_eq!(running.get(&rig).status, 200);
    let mut again = turn;
    again["version"] = json!(edited);
    tab.tell(again);
    let passed = running.get(&rig);
    assert_eq!((passed.status, passed.body.len()), (204, 0));
}
