//! Files for the browser to keep.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use sinew::progress::Silent;

use super::query::Asked;
use super::reply;
use super::shared::{Shared, beside};
use crate::session::{Refusal, Report, SaveOptions, Saving, Seen};

#[derive(Deserialize)]
pub(crate) struct Wanted {
    version: u32,
    format: String,
    /// What the file is called, without its ending.
    name: Option<String>,
    compact: Option<f64>,
    pack: Option<bool>,
}

/// How the page shows what is open, if it says so.
#[derive(Deserialize)]
pub(crate) struct SeenBy {
    drawn: Option<PathBuf>,
    frame: Option<usize>,
    azimuth: Option<f32>,
    elevation: Option<f32>,
}

impl SeenBy {
    fn told(self) -> Option<Seen> {
        let Self { drawn, frame, azimuth, elevation } = self;
        Some(Seen { drawn, frame: frame?, azimuth: azimuth?, elevation: elevation? })
    }
}

pub(crate) async fn version(State(shared): State<Arc<Shared>>, Asked(wanted): Asked<Wanted>) -> Response {
    let made = beside(move || {
        if !wanted.format.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Refusal::say("there is no such format");
        }
        let options = SaveOptions { compact: wanted.compact, pack: wanted.pack.unwrap_or(false) };
        let session = shared.studio.session();
        let saving = Saving::new(&session, session.version(wanted.version)?, options);
        drop(session);
        let name = match wanted.name.filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}.{}", wanted.format),
            None => saving.file_name(&wanted.format),
        };
        Ok(reply::download(&name, saving.bytes(&wanted.format)?))
    });
    reply::of("GET /export", made.await)
}

pub(crate) async fn report(State(shared): State<Arc<Shared>>, Asked(seen): Asked<SeenBy>) -> Response {
    let made = beside(move || {
        let report = Report::of(&shared.studio.session(), seen.told())?;
        Ok(reply::download("report.html", report.html(&Silent)?.into_bytes()))
    });
    reply::of("GET /export/report", made.await)
}
