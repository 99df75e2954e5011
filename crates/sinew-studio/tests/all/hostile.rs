//! Requests that mean no good: refused, and the server lives on.

use crate::common::{Running, start, start_with};
use serde_json::json;
use sinew_studio::ServerOptions;
use tungstenite::Message;

fn alive(running: &Running) {
    let mut tab = running.tab();
    assert!(tab.state["revision"].is_u64());
    tab.tell(json!({ "do": "close" }));
}

#[test]
fn nobody_gets_in_without_the_token() {
    let running = start();
    let wrong = "0".repeat(64);
    for path in
        ["/", "/ws", "/data/mesh", "/files", "/export?version=1&format=glb", "/export/report", "/x.js"]
    {
        assert_eq!(running.request(&format!("GET {path}"), &[]).status, 401, "{path}");
        for headers in [[("x-sinew-token", wrong.as_str())], [("Cookie", "sinew=")], [("Cookie", "other=1")]]
        {
            assert_eq!(running.request(&format!("GET {path}"), &headers).status, 401, "{path}");
        }
    }
    assert_eq!(running.request("POST /upload?name=a.obj", &[("Content-Length", "0")]).status, 401);
    assert_eq!(running.request(&format!("GET /files?token={}x", running.token), &[]).status, 401);
    let cookie = format!("a=b; sinew={}; c=d", running.token);
    assert_eq!(running.request("GET /files", &[("Cookie", &cookie)]).status, 200);
    alive(&running);
}

#[test]
fn other_pages_and_other_names_are_refused() {
    let running = start();
    let token = ("x-sinew-token", running.token.as_str());
    let own = format!("http://{}", running.address);
    assert_eq!(running.request("GET /files", &[token, ("Origin", &own)]).status, 200);
    for origin in ["http://evil.example", "null", "", "http://127.0.0.1:1", "http://localhost"] {
        assert_eq!(running.request("GET /files", &[token, ("Origin", origin)]).status, 403, "{origin}");
    }
    for host in ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "localhost.evil.example"] {
        assert_eq!(running.request("GET /files", &[token, ("Host", host)]).status, 403, "{host}");
    }
    let port = running.address.port();
    for host in ["localhost", &format!("localhost:{port}"), "LOCALHOST:99", "[::1]:8080"] {
        assert_eq!(running.request("GET /files", &[token, ("Host", host)]).status, 200, "{host}");
    }
    let upgrade = [
        token,
        ("Origin", "http://evil.example"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_eq!(running.request("GET /ws", &upgrade).status, 403);
    alive(&running);
}

#[test]
fn files_stay_in_their_folders() {
    let running = start();
    crate::common::write_small(running.folder.path());
    let outside = tempfile::tempdir().unwrap();
    crate::common::write_small(outside.path());
    std::fs::create_dir(running.folder.path().join("inner")).unwrap();
    let listed = running.get("/files").json();
    assert_eq!(listed["folders"], json!(["inner"]));
    assert_eq!(listed["parent"], json!(null));
    let names: Vec<&str> =
        listed["files"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"anim.pc2") && names.contains(&"rest.obj"), "{names:?}");
    let elsewhere = [running.path(".."), running.path("inner/../.."), "/".into(), "..".into(), "/etc".into()];
    for folder in &elsewhere {
        assert_eq!(running.get(&format!("/files?folder={folder}")).status, 400, "{folder}");
    }
    assert_eq!(running.get("/files?folder=%2e%2e%2f%2e%2e").status, 400);

    let mut tab = running.tab();
    let foreign = outside.path().canonicalize().unwrap();
    let climbing = running.path(&format!("../{}/rest.obj", foreign.file_name().unwrap().display()));
    for path in [foreign.join("rest.obj").display().to_string(), climbing, "/etc/passwd".into()] {
        let refused = tab.ask(json!({ "do": "open", "paths": [path] })).unwrap_err();
        assert!(refused.contains("outside of the folders"), "{refused}");
        let refused = tab.ask(json!({ "do": "motion", "paths": [path] })).unwrap_err();
        assert!(refused.contains("outside of the folders"), "{refused}");
    }
    #[cfg(unix)]
    {
        let link = running.folder.path().join("link.obj");
        std::os::unix::fs::symlink(foreign.join("rest.obj"), &link).unwrap();
        let refused = tab.ask(json!({ "do": "open", "paths": [running.path("link.obj")] })).unwrap_err();
        assert!(refused.contains("outside of the folders"), "{refused}");
        std::os::unix::fs::symlink(&foreign, running.folder.path().join("away")).unwrap();
        assert_eq!(running.get(&format!("/files?folder={}", running.path("away"))).status, 400);
        let listed = running.get("/files").text();
        assert!(!listed.contains("away") && !listed.contains("link.obj"), "{listed}");
    }
    alive(&running);
}

#[test]
fn saving_stays_in_its_folders() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 3);
    let outside = tempfile::tempdir().unwrap();
    let foreign = outside.path().canonicalize().unwrap();
    let mut targets = vec![
        foreign.join("a.glb").display().to_string(),
        running.path("../a.glb"),
        running.path("nowhere/../../a.glb"),
        "a.glb".into(),
        running.path(".."),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(foreign.join("a.glb"), running.folder.path().join("dangling.glb"))
            .unwrap();
        std::os::unix::fs::symlink(&foreign, running.folder.path().join("away")).unwrap();
        targets.extend([running.path("dangling.glb"), running.path("away/a.glb")]);
    }
    for target in targets {
        for action in [
            json!({ "do": "save", "version": version, "path": target }),
            json!({ "do": "picture", "version": version, "frame": 0, "path": target }),
            json!({ "do": "report", "path": target }),
        ] {
            assert!(tab.ask(action.clone()).is_err(), "{action}");
        }
    }
    assert!(std::fs::read_dir(&foreign).unwrap().next().is_none(), "nothing was written");
    let over = tab.ask(json!({ "do": "save", "version": version, "path": running.path("rest.obj") }));
    assert!(over.unwrap_err().contains("was opened"));
}

#[test]
fn uploads_have_a_limit() {
    let running = start_with(None, ServerOptions { upload_limit: 1000, ..ServerOptions::default() });
    let head = |length: &str, name: &str| {
        format!(
            "POST /upload?name={name} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nx-sinew-token: {}\r\n\
             {length}\r\n\r\n",
            running.address, running.token
        )
    };
    // Ten gigabytes are refused before any of them comes.
    let huge = running.raw(head("Content-Length: 10737418240", "a.obj").as_bytes());
    assert_eq!(huge.status, 413, "{}", huge.head);
    // Without a length it shows as it comes.
    let mut pieces = head("Transfer-Encoding: chunked", "a.obj").into_bytes();
    for _ in 0..20 {
        pieces.extend_from_slice(b"64\r\n");
        pieces.extend_from_slice(&[b'x'; 100]);
        pieces.extend_from_slice(b"\r\n");
    }
    pieces.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(running.raw(&pieces).status, 413);
    for name in ["..", "../a.obj", "a%2Fb.obj", ".hidden", "", "a%00b", "c:a"] {
        let mut request = head("Content-Length: 1", name).into_bytes();
        request.push(b'x');
        assert_eq!(running.raw(&request).status, 400, "{name}");
    }
    let mut good = head("Content-Length: 26", "one.obj").into_bytes();
    good.extend_from_slice(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf ");
    let path = running.raw(&good).json()["path"].as_str().unwrap().to_owned();
    assert!(path.ends_with("one.obj") && std::fs::metadata(&path).unwrap().len() == 26);
    let mut tab = running.tab();
    let refused = tab.ask(json!({ "do": "open", "paths": [path] })).unwrap_err();
    assert!(refused.contains("one.obj"), "a broken file is refused with its name: {refused}");
    alive(&running);
}

#[test]
fn messages_that_mean_nothing_are_answered() {
    let running = start();
    let mut tab = running.tab();
    let nonsense = [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        "\"do\"",
        "{\"id\":1}",
        "{\"do\":7}",
        "{\"do\":\"explode\"}",
        "{\"do\":\"fit\",\"goal\":{\"bones\":-3}}",
        "{\"do\":\"turn\"}",
        "{\"do\":\"select\",\"version\":1e99}",
        "{\"do\":\"open\",\"paths\":\"x\"}",
        "{\"do\":\"paint\",\"joint\":0,\"vertices\":[-1],\"on\":true}",
    ];
    for text in nonsense {
        tab.socket.send(Message::Text(text.into())).unwrap();
        let answer = loop {
            if let Some(answer) = tab.listen() {
                break answer;
            }
        };
        assert!(answer["error"].is_string(), "{text}: {answer}");
    }
    tab.socket.send(Message::Binary(vec![0xff; 1000].into())).unwrap();
    let answer = loop {
        if let Some(answer) = tab.listen() {
            break answer;
        }
    };
    assert!(answer["error"].is_string());
    for text in
        ["GET /data/nothing", "GET /data/rig", "GET /data/rig?version=x", "GET /data/original?from=5&to=2"]
    {
        assert_eq!(running.request(text, &[("x-sinew-token", &running.token)]).status, 400, "{text}");
    }
    // Junk instead of HTTP, and half a request.
    assert!(
        running.raw(&[0x16, 3, 1, 0, 200, 1, 0, 0]).status == 0 || running.raw(b"\0\0\r\n\r\n").status == 400
    );
    drop(std::net::TcpStream::connect(running.address).unwrap());
    alive(&running);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let running = start();
    let mut tab = running.tab();
    for action in ["fit", "curve", "skeleton", "undo", "redo", "accept", "drop_motion", "handles", "restore"]
    {
        assert!(tab.ask(json!({ "do": action })).is_err(), "{action} with nothing open");
    }
    let version = tab.open_and_fit(&running, 3);
    let rotation = [0.0, 0.0, 0.1, 1.0];
    let turn = |changes: serde_json::Value| {
        let mut turn = json!({ "do": "turn", "version": version, "frame": 1, "bone": 1, "rotation": rotation,
                               "from": 1, "to": 2, "ease": 1, "phase": "move" });
        for (key, value) in changes.as_object().unwrap() {
            turn[key] = value.clone();
        }
        turn
    };
    assert!(tab.ask(turn(json!({}))).is_ok());
    let wrong = [
        json!({ "frame": 99 }),
        json!({ "to": 99 }),
        json!({ "bone": 3 }),
        json!({ "version": 77 }),
        json!({ "rotation": [0.0, 0.0, 0.0, 0.0] }),
        json!({ "rotation": [1.0] }),
        json!({ "hold": 9 }),
    ];
    for phase in ["begin", "move", "end"] {
        for changes in &wrong {
            let mut changes = changes.clone();
            changes["phase"] = json!(phase);
            assert!(tab.ask(turn(changes.clone())).is_err(), "{changes}");
        }
    }
    let brush = |changes: serde_json::Value| {
        let mut brush = json!({ "do": "brush", "version": version, "frame": 1, "target": "pose",
            "mode": "grab",
                                "center": [0, 1, 0], "radius": 0.2, "offset": [0, 0.1, 0],
                                "phase": "begin" });
        for (key, value) in changes.as_object().unwrap() {
            brush[key] = value.clone();
        }
        brush
    };
    for changes in [
        json!({ "frame": 99 }),
        json!({ "radius": 0.0 }),
        json!({ "radius": -1 }),
        json!({ "frame": null }),
        json!({ "version": 9 }),
        json!({ "phase": "move" }),
        json!({ "phase": "end" }),
    ] {
        assert!(tab.ask(brush(changes.clone())).is_err(), "{changes}");
    }
    for goal in [json!({ "bones": 0 }), json!({ "bones": 100000 }), json!({ "bones": 3, "error": 1.0 })] {
        assert!(tab.ask(json!({ "do": "fit", "goal": goal })).is_err(), "{goal}");
    }
    for action in [
        json!({ "do": "pick", "version": version, "vertex": 99999999 }),
        json!({ "do": "rename", "version": version, "name": "  " }),
        json!({ "do": "cancel", "job": 999 }),
        json!({ "do": "map", "joint": 0, "bone": 0 }),
        json!({ "do": "save", "version": version, "path": running.path("a.exe") }),
    ] {
        assert!(tab.ask(action.clone()).is_err(), "{action}");
    }
    assert_eq!(tab.state["undo"], json!("fit best, 3 bones"), "nothing of all that was a step");
    alive(&running);
}

/// A mesh of one triangle as glTF, with its buffer and an image in files of these names.
fn gltf(buffer: &str, image: &str) -> String {
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }], "scene": 0,
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }],
        "images": [{ "uri": image }],
        "buffers": [{ "uri": buffer, "byteLength": 36 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                        "min": [0, 0, 0], "max": [1, 1, 0] },
                      { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR",
                        "min": [0], "max": [1] },
                      { "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
                         "samplers": [{ "input": 1, "output": 2 }] }],
    })
    .to_string()
}

/// Files that must never be read: bytes of a triangle, a picture, a layer and a library of materials.
fn secrets(folder: &std::path::Path) {
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    std::fs::write(folder.join("secret.bin"), bytemuck::cast_slice::<f32, u8>(&corners)).unwrap();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\x02\0\0\0";
    std::fs::write(folder.join("secret.png"), png).unwrap();
    std::fs::write(folder.join("secret.mtl"), "newmtl secret\nKd 1 0 0\nmap_Kd secret.png\n").unwrap();
    let layer = "#usda 1.0\n(defaultPrim = \"Secret\")\ndef Mesh \"Secret\" {\n\
        point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (7,7,7)]\nint[] faceVertexCounts = [3]\n\
        int[] faceVertexIndices = [0, 1, 2]\n}\n";
    std::fs::write(folder.join("secret.usda"), layer).unwrap();
}

/// The names by which a file outside can be reached from the server's folder.
fn ways_out(running: &Running, outside: &std::path::Path, name: &str) -> Vec<String> {
    let outside = outside.canonicalize().unwrap();
    let folder = outside.file_name().unwrap().display();
    let mut ways = vec![
        outside.join(name).display().to_string(),
        format!("../{folder}/{name}"),
        format!("%2e%2e/{folder}/{name}"),
        format!("inner/../../{folder}/{name}"),
        format!("file://{}", outside.join(name).display()),
    ];
    std::fs::create_dir_all(running.folder.path().join("inner")).unwrap();
    #[cfg(unix)]
    {
        _ = std::os::unix::fs::symlink(outside.join(name), running.folder.path().join(name));
        ways.push(name.to_owned());
    }
    ways
}

#[test]
fn files_name_no_others_outside_of_the_folders() {
    let running = start();
    let outside = tempfile::tempdir().unwrap();
    secrets(outside.path());
    secrets(&{
        let inner = running.folder.path().join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        inner
    });
    let mut tab = running.tab();
    let mut opened = |name: &str, text: String| {
        std::fs::write(running.folder.path().join(name), text).unwrap();
        tab.ask(json!({ "do": "open", "paths": [running.path(name)] }))
    };
    // What lies below the folders is read: the checks below are checks of something.
    opened("a.gltf", gltf("inner/secret.bin", "inner/secret.png")).unwrap();
    assert_eq!(running.get("/data/image?image=0").status, 200);
    for buffer in ways_out(&running, outside.path(), "secret.bin") {
        let refused = opened("a.gltf", gltf(&buffer, "inner/secret.png")).unwrap_err();
        assert!(!refused.contains("byteLength"), "{buffer}: {refused}");
    }
    for image in ways_out(&running, outside.path(), "secret.png") {
        _ = opened("a.gltf", gltf("inner/secret.bin", &image));
        assert_eq!(running.get("/data/image?image=0").status, 400, "{image}");
    }

    let usd = |name: &str| {
        let own = "def Mesh \"Own\" {\npoint3f[] points.timeSamples = { 0: [(0,0,0), (1,0,0), (0,1,0)], \
            1: [(0,0,1), (1,0,1), (0,1,1)] }\nint[] faceVertexCounts = [3]\n\
            int[] faceVertexIndices = [0, 1, 2]\n}\n";
        format!("#usda 1.0\n{own}def \"Other\" (references = @{name}@) {{}}\n")
    };
    opened("a.usda", usd("inner/secret.usda")).unwrap();
    let vertices = |running: &Running| running.studio.session().subject().unwrap().mesh().vertex_count;
    assert_eq!(vertices(&running), 7);
    for layer in ways_out(&running, outside.path(), "secret.usda") {
        if opened("a.usda", usd(&layer)).is_ok() {
            assert_eq!(vertices(&running), 3, "{layer}");
        }
    }

    let obj = |library: &str| {
        format!("mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl secret\nf 1/1 2/1 3/1\n")
    };
    opened("a.obj", obj("inner/secret.mtl")).unwrap();
    let images = |running: &Running| running.studio.session().subject().unwrap().mesh().images.len();
    assert_eq!(images(&running), 1);
    for library in ways_out(&running, outside.path(), "secret.mtl") {
        opened("a.obj", obj(&library)).unwrap();
        assert_eq!(images(&running), 0, "{library}");
    }
    alive(&running);
}

#[test]
fn what_a_request_lacks_is_said() {
    let running = start();
    for path in ["/export", "/export?version=1", "/export?version=x&format=glb", "/data/original?from=x"] {
        let answer = running.get(path);
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.head.to_lowercase().contains("no-store"), "{path}: not by the usual way out");
    }
    let headers = [("x-sinew-token", running.token.as_str()), ("Content-Length", "0")];
    assert_eq!(running.request("POST /upload", &headers).status, 400);
    alive(&running);
}
