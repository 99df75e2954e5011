//! A server on this machine, and a client that shares no code with it.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sinew_studio::autosave::Autosave;
use sinew_studio::session::Folders;
use sinew_studio::{Server, ServerOptions, Session, Studio};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Longer than anything here takes; a test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with the test.
pub struct Running {
    pub address: SocketAddr,
    pub token: String,
    pub studio: Arc<Studio>,
    pub folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Starts a server with one folder of its own.
pub fn start() -> Running {
    start_with(None, ServerOptions::default())
}

/// Starts a server that keeps its session in a place.
pub fn start_with(place: Option<&Path>, options: ServerOptions) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let mut folders = Folders::default();
    folders.add(folder.path()).unwrap();
    let mut session = Session::new(folders);
    let autosave = place.map(|place| {
        let (autosave, offer) = Autosave::new(place).unwrap();
        session.offer = offer;
        autosave
    });
    let studio = Studio::new(session, autosave);
    let server = Server::bind(studio.clone(), None, &options).unwrap();
    let (address, token) = (server.address(), server.token().to_owned());
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || server.run(move || stopped.load(Ordering::SeqCst)).unwrap());
    Running { address, token, studio, folder, stop, thread: Some(thread) }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// What a server answered.
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub fn floats(&self) -> Vec<f32> {
        self.body.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn numbers(&self) -> Vec<u32> {
        self.body.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

impl Running {
    /// Sends bytes as they are, and reads until the server closes.
    pub fn raw(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        // A server that refuses a body may close before it is read.
        _ = stream.read_to_end(&mut answer);
        let split = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..split]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Response { status, head, body: answer.get(split + 4..).unwrap_or_default().to_vec() }
    }

    /// A request with headers of its own.
    pub fn request(&self, line: &str, headers: &[(&str, &str)]) -> Response {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        self.raw((text + "\r\n").as_bytes())
    }

    /// What the page would get.
    pub fn get(&self, path: &str) -> Response {
        self.request(&format!("GET {path}"), &[("x-sinew-token", &self.token)])
    }

    /// A tab.
    pub fn tab(&self) -> Tab {
        let url = format!("ws://{}/ws?token={}", self.address, self.token);
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.set_nodelay(true).unwrap();
        }
        let mut tab = Tab { socket, last: 0, state: Value::Null, frames: Vec::new(), news: Vec::new() };
        while tab.state.is_null() {
            tab.listen();
        }
        tab
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(name).display().to_string()
    }
}

/// One tab of a browser.
pub struct Tab {
    pub socket: WebSocket<MaybeTlsStream<TcpStream>>,
    last: u64,
    /// The last state that was told.
    pub state: Value,
    /// Binary messages so far.
    pub frames: Vec<Vec<u8>>,
    /// News of jobs so far.
    pub news: Vec<Value>,
}

impl Tab {
    /// Takes one message. Answers come back.
    pub fn listen(&mut self) -> Option<Value> {
        match self.socket.read().unwrap() {
            Message::Binary(bytes) => self.frames.push(bytes.to_vec()),
            Message::Text(text) => {
                let message: Value = serde_json::from_str(&text).unwrap();
                if let Some(state) = message.get("state") {
                    self.state = state.clone();
                } else if let Some(job) = message.get("job") {
                    self.news.push(job.clone());
                } else {
                    return Some(message);
                }
            }
            _ => {}
        }
        None
    }

    /// Sends an action and waits for its answer.
    pub fn ask(&mut self, mut action: Value) -> Result<Value, String> {
        self.last += 1;
        action["id"] = json!(self.last);
        self.socket.send(Message::Text(action.to_string().into())).unwrap();
        loop {
            let Some(answer) = self.listen() else { continue };
            if answer["id"] != json!(self.last) {
                continue;
            }
            return match answer.get("ok") {
                Some(ok) => Ok(ok.clone()),
                None => Err(answer["error"].as_str().unwrap_or_default().to_owned()),
            };
        }
    }

    /// The same of actions that are granted.
    pub fn tell(&mut self, action: Value) -> Value {
        self.ask(action.clone()).unwrap_or_else(|e| panic!("{action}: {e}"))
    }

    /// Waits until a job ends, and returns its last news.
    pub fn ended(&mut self, job: &Value) -> Value {
        loop {
            if let Some(news) = self.news.iter().find(|n| n["id"] == *job && n.get("ended").is_some()) {
                return news.clone();
            }
            self.listen();
        }
    }

    /// Starts a job and waits for the version it makes.
    pub fn made(&mut self, action: Value) -> u64 {
        let job = self.tell(action)["job"].clone();
        let news = self.ended(&job);
        assert_eq!(news["ended"], "done", "{news}");
        let id = news["result"]["version"].as_u64().unwrap();
        // News of a job may be here before the state that has its result.
        self.until(|state| {
            state["versions"].as_array().is_some_and(|all| all.iter().any(|v| v["id"] == json!(id)))
        });
        id
    }

    /// Waits until the state is as wanted.
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) {
        while !wanted(&self.state) {
            self.listen();
        }
    }

    /// The version of that number in the state.
    pub fn version(&self, id: u64) -> Value {
        let versions = self.state["versions"].as_array().unwrap();
        versions.iter().find(|v| v["id"] == json!(id)).cloned().unwrap_or_default()
    }

    /// Opens a small animation in a server's folder, and fits a few bones to it.
    pub fn open_and_fit(&mut self, running: &Running, bones: usize) -> u64 {
        write_small(running.folder.path());
        let open =
            json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") });
        self.tell(open);
        self.made(json!({ "do": "fit", "method": "best", "kind": "flexible", "goal": { "bones": bones } }))
    }
}

/// A small animation.
pub fn small() -> sinew::animation::MeshAnimation {
    let options = sinew_sample::CreatureOptions { frames: 8, detail: 0.6, ..Default::default() };
    sinew_sample::creature(&options)
}

/// The same as files.
pub fn write_small(folder: &Path) {
    let animation = small();
    let rest = animation.rest.clone().unwrap();
    sinew_io::formats::obj::write(&folder.join("rest.obj"), &animation.mesh, &rest).unwrap();
    let frames = &animation.frames;
    sinew_io::formats::pc2::write(
        &folder.join("anim.pc2"),
        frames.vertex_count(),
        frames.len(),
        |frame, out| {
            out.copy_from_slice(frames.frame(frame));
        },
    )
    .unwrap();
}
