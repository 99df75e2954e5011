//! `sinew studio` as a process: what it prints, refuses, and leaves behind when it is killed.
#![cfg(feature = "studio")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A studio that is killed at the end, as the power would do it.
struct Studio {
    child: Child,
    url: String,
}

impl Studio {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        std::fs::write(folder.join("index.html"), "the page").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["studio", "--quiet", "--no-open", "--page"])
            .arg(folder)
            .args(arguments)
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().into() }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    fn token(&self) -> &str {
        self.url.split("token=").nth(1).unwrap()
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = self.address();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn tab(&self) -> Tab {
        let url = format!("ws://{}/ws?token={}", self.address(), self.token());
        let socket = tungstenite::connect(url).unwrap().0;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let mut tab = Tab { socket, state: Value::Null };
        while tab.state.is_null() {
            tab.listen();
        }
        tab
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

struct Tab {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    state: Value,
}

impl Tab {
    fn listen(&mut self) -> Option<Value> {
        let Message::Text(text) = self.socket.read().unwrap() else { return None };
        let message: Value = serde_json::from_str(&text).unwrap();
        if let Some(state) = message.get("state") {
            self.state = state.clone();
        }
        Some(message)
    }

    fn send(&mut self, action: Value) {
        self.socket.send(Message::Text(action.to_string().into())).unwrap();
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) {
        while !wanted(&self.state) {
            self.listen();
        }
    }
}

#[test]
fn the_printed_address_opens_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let studio = Studio::start(folder.path(), &["--no-autosave"]);
    assert!(studio.url.starts_with("http://127.0.0.1:") && studio.token().len() == 64, "{}", studio.url);
    let page = studio.get(&format!("/?token={}", studio.token()));
    assert!(page.contains("the page") && page.contains("HttpOnly; SameSite=Strict; Path=/"), "{page}");
    assert!(studio.get("/").starts_with("HTTP/1.1 401"));
    assert!(studio.get(&format!("/../Cargo.toml?token={}", studio.token())).starts_with("HTTP/1.1 404"));
    assert_eq!(studio.tab().state["name"], "sample creature");
}

#[test]
fn what_cannot_be_opened_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_sinew")).arg("studio").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let here = folder.path().display().to_string();
    let (code, said) = run(&["--page", &here]);
    assert!(code == Some(2) && said.contains("there is no index.html"), "{said}");
    std::fs::write(folder.path().join("index.html"), "").unwrap();
    let missing = folder.path().join("missing.pc2").display().to_string();
    for arguments in [vec!["--page", &here, &missing], vec!["--page", &here, "--folder", &missing]] {
        let (code, said) = run(&arguments);
        assert!(code == Some(2) && said.contains("missing.pc2"), "{said}");
    }
}

#[test]
fn a_kill_damages_nothing_and_the_session_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let home_text = home.display().to_string();
    let studio = Studio::start(&home, &["--folder", &home_text]);
    let mut tab = studio.tab();
    tab.send(json!({ "id": 1, "do": "fit", "goal": { "bones": 3 } }));
    tab.until(|state| state["versions"][0]["bytes"].is_u64());
    let target = home.join("rig.glb");
    std::fs::write(&target, "as it was").unwrap();
    let patience = Instant::now() + PATIENCE;
    let place = home.join("state/sinew/studio");
    let kept = || {
        std::fs::read_dir(&place)
            .is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| e.path().join("session.json").exists())))
    };
    while !kept() {
        assert!(Instant::now() < patience, "nothing was kept");
        std::thread::sleep(Duration::from_millis(20));
    }
    // In the middle of a fit, and of a save that may or may not get to its end.
    tab.send(json!({ "id": 2, "do": "fit", "goal": { "bones": 40 } }));
    tab.send(json!({ "id": 3, "do": "save", "version": 1, "path": target }));
    while tab.listen().is_none_or(|message| message["id"] != json!(3)) {}
    drop(studio);
    let bytes = std::fs::read(&target).unwrap();
    assert!(
        bytes == b"as it was" || sinew_io::open::rig(&target, &Default::default()).is_ok(),
        "whole or untouched"
    );

    let again = Studio::start(&home, &[]);
    let mut tab = again.tab();
    assert_eq!(tab.state["autosave"]["name"], "sample creature");
    tab.send(json!({ "id": 1, "do": "restore" }));
    tab.until(|state| state["versions"][0]["name"] == "best, 3 bones");
}
