//! The studio over HTTP: for browsers on this machine, or at the end of a tunnel to it.

mod access;
mod data;
mod export;
mod files;
mod query;
mod reply;
mod shared;
mod socket;
mod upload;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::serve::ListenerExt;

use crate::page::{Page, media_type};
use crate::session::Refusal;
use crate::studio::Studio;
use access::Access;
#[cfg(test)]
pub(crate) use files::Listing;
use shared::Shared;
#[cfg(test)]
pub(crate) use upload::Uploaded;

/// Bytes of the largest file that pages may send, unless it is told otherwise.
pub const UPLOAD_LIMIT: u64 = 2 << 30;
/// How often a server looks whether it should end.
const LOOK: Duration = Duration::from_millis(100);
/// How long those who are connected may take to go.
const FAREWELL: Duration = Duration::from_millis(500);

/// How a server listens.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The address; this machine alone unless it is told otherwise.
    pub host: String,
    /// The port; any that is free for 0.
    pub port: u16,
    /// Bytes of the largest file that pages may send.
    pub upload_limit: u64,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { host: "127.0.0.1".into(), port: 0, upload_limit: UPLOAD_LIMIT }
    }
}

/// A server that listens already.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens. Nothing is answered before [`Self::run`].
    pub fn bind(studio: Arc<Studio>, page: Option<Page>, options: &ServerOptions) -> Result<Self, Refusal> {
        let refuse = |e: std::io::Error| {
            Refusal(format!("{}:{}: cannot be listened at: {e}", options.host, options.port))
        };
        let listener = std::net::TcpListener::bind((options.host.as_str(), options.port)).map_err(refuse)?;
        listener.set_nonblocking(true).map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        let access = Access::new(&options.host)?;
        let shared = Shared { studio, page, access, upload_limit: options.upload_limit };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What everybody who asks must know.
    pub fn token(&self) -> &str {
        self.shared.access.token()
    }

    /// What to open in a browser.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            ip => ip.to_string(),
        };
        format!("http://{host}:{}/?token={}", self.address.port(), self.token())
    }

    /// Answers until it is told to stop.
    pub fn run(self, stop: impl Fn() -> bool) -> Result<(), Refusal> {
        let refuse = |e: std::io::Error| Refusal(format!("the server cannot run: {e}"));
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().map_err(refuse)?;
        let ended = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            // A small message waits for no other: hands move meanwhile. Without it some are late, no more.
            let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
            let serving = tokio::spawn(axum::serve(listener, routes(self.shared)).into_future());
            while !stop() && !serving.is_finished() {
                tokio::time::sleep(LOOK).await;
            }
            serving.abort();
            Ok(())
        });
        runtime.shutdown_timeout(FAREWELL);
        ended.map_err(refuse)
    }
}

fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/ws", any(socket::connect))
        .route("/data/{what}", get(data::get))
        .route("/files", get(files::list))
        .route("/upload", post(upload::receive))
        .route("/export", get(export::version))
        .route("/export/report", get(export::report))
        .fallback(get(page))
        .layer(middleware::from_fn_with_state(shared.clone(), check))
        .with_state(shared)
}

/// Files of the page.
async fn page(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    let Some(page) = &shared.page else { return reply::text(404, Page::HOW_TO_GET) };
    match page.file(path) {
        Some(bytes) => {
            let name = if path == "/" { "index.html" } else { path };
            let response = reply::bytes(media_type(name), bytes.into_owned(), false);
            if path == "/" { shared.access.with_cookie(response) } else { response }
        }
        None => reply::text(404, "there is no such file"),
    }
}

/// Refuses requests that are not from the page.
async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match shared.access.refuses(&request) {
        None => next.run(request).await,
        // The query may hold a token.
        Some((status, why)) => {
            let asked = format!("{} {}", request.method(), request.uri().path());
            reply::refused(&asked, status, why)
        }
    }
}
