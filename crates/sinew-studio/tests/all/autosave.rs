//! What is there after a kill.

use std::time::{Duration, Instant};

use crate::common::{start_with, write_small};
use serde_json::json;
use sinew_studio::ServerOptions;

/// Folders of sessions that are complete.
fn kept(place: &std::path::Path) -> Vec<std::path::PathBuf> {
    let folders = std::fs::read_dir(place).unwrap().flatten().map(|entry| entry.path());
    folders.filter(|folder| folder.join("session.json").exists()).collect()
}

/// A copy of a folder that nobody holds: what is left on the disk when the power goes.
fn copied(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_session_is_offered_again_after_a_kill() {
    let (place, later) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let running = start_with(Some(place.path()), ServerOptions::default());
    let mut tab = running.tab();
    assert_eq!(tab.state["autosave"], json!(null));
    let version = tab.open_and_fit(&running, 3);
    tab.tell(json!({ "do": "rename", "version": version, "name": "kept" }));
    let turn = json!({ "do": "turn", "version": version, "frame": 2, "bone": 1,
        "rotation": [0.0, 0.2, 0.0, 1.0],
                       "from": 1, "to": 5, "ease": 1, "phase": "end" });
    let edited = tab.tell(turn)["version"].as_u64().unwrap();
    let rig = |running: &crate::common::Running, id: u64| {
        (**running.studio.session().version(id as u32).unwrap().rig().unwrap()).clone()
    };
    let expected = rig(&running, edited);
    let patience = Instant::now() + Duration::from_secs(30);
    let holds_edit = |folder: &std::path::PathBuf| {
        let text = std::fs::read_to_string(folder.join("session.json")).unwrap();
        text.contains("edit of kept")
    };
    while !kept(place.path()).iter().any(holds_edit) {
        assert!(Instant::now() < patience, "nothing was kept");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Another server that starts beside the first is not offered what that still holds.
    let beside = start_with(Some(place.path()), ServerOptions::default());
    assert_eq!(beside.tab().state["autosave"], json!(null));

    copied(&kept(place.path())[0], &later.path().join("1-1"));
    let second = start_with(Some(later.path()), ServerOptions::default());
    let mut tab = second.tab();
    assert!(tab.state["autosave"]["name"].as_str().unwrap().contains("anim.pc2"));
    tab.tell(json!({ "do": "restore" }));
    tab.until(|state| state["autosave"] == json!(null));
    assert_eq!(tab.version(version)["name"], "kept");
    assert_eq!(tab.state["current"], json!(edited));
    assert_eq!(tab.state["frames"], json!(8));
    assert!(rig(&second, edited) == expected, "bit for bit");
    tab.until(|state| state["versions"].as_array().unwrap().iter().all(|v| v["percent"].is_f64()));

    // Without the files that were open, the rigs still come back.
    let third_place = tempfile::tempdir().unwrap();
    copied(&kept(place.path())[0], &third_place.path().join("1-1"));
    std::fs::remove_file(running.path("anim.pc2")).unwrap();
    let third = start_with(Some(third_place.path()), ServerOptions::default());
    let mut tab = third.tab();
    tab.tell(json!({ "do": "restore" }));
    assert!(rig(&third, edited) == expected);
    // A page that opened before the answer has no original either: the state that has the rigs is waited for.
    tab.until(|state| state["current"] == json!(edited));
    assert_eq!(tab.state["has_original"], json!(false));
    assert!(tab.state["warnings"][0].as_str().unwrap().contains("anim.pc2"));
}

#[test]
fn servers_of_one_second_have_folders_of_their_own() {
    let place = tempfile::tempdir().unwrap();
    let servers = [(); 3].map(|()| start_with(Some(place.path()), ServerOptions::default()));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), servers.len());
}

#[test]
fn what_is_not_wanted_is_forgotten() {
    let place = tempfile::tempdir().unwrap();
    let old = place.path().join("1-1");
    std::fs::create_dir_all(&old).unwrap();
    std::fs::write(old.join("lock"), "").unwrap();
    let list = json!({ "name": "x", "when": 1, "paths": [], "rest": null, "fps": null, "current": null,
                       "versions": [], "curve": [] });
    std::fs::write(old.join("session.json"), list.to_string()).unwrap();
    let torn = place.path().join("2-2");
    std::fs::create_dir_all(&torn).unwrap();
    std::fs::write(torn.join("lock"), "").unwrap();
    std::fs::write(torn.join("session.json"), "{ \"name\": ").unwrap();
    let running = start_with(Some(place.path()), ServerOptions::default());
    let mut tab = running.tab();
    assert_eq!(tab.state["autosave"], json!({ "name": "x", "when": 1 }));
    assert!(!torn.exists(), "half a session is no offer");
    tab.tell(json!({ "do": "discard" }));
    tab.until(|state| state["autosave"] == json!(null));
    assert!(!old.exists());
    assert!(tab.ask(json!({ "do": "restore" })).is_err());
    // A session that holds nothing but what was opened is not kept.
    write_small(running.folder.path());
    tab.tell(json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") }));
    assert!(kept(place.path()).is_empty());
}

/// Sends a file as a page does; returns where it is.
fn sent(running: &crate::common::Running, name: &str) -> String {
    let bytes = std::fs::read(running.folder.path().join(name)).unwrap();
    let head = format!(
        "POST /upload?name={name} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nx-sinew-token: {}\r\n\
         Content-Length: {}\r\n\r\n",
        running.address,
        running.token,
        bytes.len()
    );
    let answer = running.raw(&[head.as_bytes(), &bytes].concat());
    answer.json()["path"].as_str().unwrap().to_owned()
}

/// A folder with all that is in it.
fn copied_whole(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => copied_whole(&entry.path(), &to.join(entry.file_name())),
            false => _ = std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap(),
        }
    }
}

#[test]
fn what_was_sent_survives_a_kill() {
    let (place, later) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let running = start_with(Some(place.path()), ServerOptions::default());
    write_small(running.folder.path());
    let (cache, rest) = (sent(&running, "anim.pc2"), sent(&running, "rest.obj"));
    let unused = sent(&running, "rest.mtl");
    let mut tab = running.tab();
    // Sentences name the file and not the folder it was sent to, and no flags.
    let refused = tab.ask(json!({ "do": "open", "paths": [cache] })).unwrap_err();
    assert!(refused.starts_with("anim.pc2: ") && !refused.contains("--"), "{refused}");
    tab.tell(json!({ "do": "open", "paths": [cache], "rest": rest }));
    let version = tab.made(json!({ "do": "fit", "goal": { "bones": 2 } }));
    let patience = Instant::now() + Duration::from_secs(30);
    while kept(place.path()).is_empty() {
        assert!(Instant::now() < patience, "nothing was kept");
        std::thread::sleep(Duration::from_millis(20));
    }
    copied_whole(&kept(place.path())[0], &later.path().join("1-1"));
    // Ended in good order, what nobody opened goes, and what the session needs stays.
    drop((running, tab));
    let gone = Instant::now() + Duration::from_secs(10);
    while std::path::Path::new(&unused).exists() && Instant::now() < gone {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!std::path::Path::new(&unused).exists() && std::path::Path::new(&cache).exists());
    std::fs::remove_file(&cache).unwrap();

    let second = start_with(Some(later.path()), ServerOptions::default());
    let mut tab = second.tab();
    tab.tell(json!({ "do": "restore" }));
    tab.until(|state| state["has_original"] == json!(true));
    assert_eq!(tab.state["warnings"], json!([]));
    assert_eq!((&tab.state["frames"], &tab.state["current"]), (&json!(8), &json!(version)));
    // The session is kept anew, with its files, and the old one goes.
    let patience = Instant::now() + Duration::from_secs(30);
    while later.path().join("1-1").exists() {
        assert!(Instant::now() < patience, "the old session stays");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(kept(later.path())[0].join("uploads/anim.pc2").exists());
}

#[test]
fn folders_of_servers_that_are_gone_are_removed() {
    let named = |name: &str| {
        let folder = std::env::temp_dir().join(format!("sinew-studio-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("anim.pc2"), "").unwrap();
        folder
    };
    let (left, held, other) = (named("left"), named("held"), named("other"));
    std::fs::write(left.join("sinew-uploads.lock"), "").unwrap();
    let lock = std::fs::File::create(held.join("sinew-uploads.lock")).unwrap();
    lock.try_lock().unwrap();
    // The folder of a server that runs, sent to it, stays as well.
    let running = start_with(None, ServerOptions::default());
    write_small(running.folder.path());
    let path = sent(&running, "rest.obj");
    let _second = start_with(None, ServerOptions::default());
    assert!(!left.exists(), "nobody holds it");
    assert!(held.exists() && other.exists() && std::path::Path::new(&path).exists());
    std::fs::remove_dir_all(held).unwrap();
    std::fs::remove_dir_all(other).unwrap();
}
