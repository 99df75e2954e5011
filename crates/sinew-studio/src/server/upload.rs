//! Files that pages send. They go to disk as they come, into a folder that goes with the session.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::Response;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;

use super::query::Asked;
use super::reply;
use super::shared::Shared;
use crate::session::Refusal;

#[derive(Deserialize)]
pub(crate) struct Wanted {
    name: String,
}

/// A file that came.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Uploaded {
    /// Where it is kept.
    path: PathBuf,
}

pub(crate) async fn receive(
    State(shared): State<Arc<Shared>>,
    Asked(wanted): Asked<Wanted>,
    request: Request,
) -> Response {
    let asked = "POST /upload";
    let limit = shared.upload_limit;
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length| length > limit) {
        return reply::refused(asked, 413, &too_large(limit));
    }
    match write(&shared, &wanted.name, request).await {
        Ok(path) => reply::json(&Uploaded { path }),
        Err(Unkept::TooLarge) => reply::refused(asked, 413, &too_large(limit)),
        Err(Unkept::Refused(why)) => reply::refused(asked, 400, &why.0),
    }
}

/// Why a file was not kept.
enum Unkept {
    /// It is larger than may be sent.
    TooLarge,
    Refused(Refusal),
}

impl From<Refusal> for Unkept {
    fn from(why: Refusal) -> Self {
        Self::Refused(why)
    }
}

fn too_large(limit: u64) -> String {
    format!("the file is larger than {limit} bytes, which is the most that may be sent")
}

/// A name without folders in it.
fn plain(name: &str) -> Result<&str, Refusal> {
    let bad = |c: char| c.is_control() || "/\\:".contains(c);
    if name.is_empty() || name.len() > 200 || name.starts_with('.') || name.contains(bad) {
        return Refusal::say("the file needs a plain name");
    }
    Ok(name)
}

async fn write(shared: &Shared, name: &str, request: Request) -> Result<PathBuf, Unkept> {
    let name = plain(name)?;
    let folder = shared.studio.session().folders.uploads()?;
    // Under its own name only when it is whole.
    let part = tempfile::Builder::new().prefix(".part").tempfile_in(&folder);
    let part = part.map_err(|e| Refusal(format!("there is no room for files: {e}")))?;
    let refuse = |e: std::io::Error| Refusal(format!("the file could not be kept: {e}"));
    let mut file = tokio::fs::File::from_std(part.reopen().map_err(refuse)?);
    let mut pieces = request.into_body().into_data_stream();
    let mut bytes = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|e| Refusal(format!("the file did not come whole: {e}")))?;
        bytes += piece.len() as u64;
        if bytes > shared.upload_limit {
            return Err(Unkept::TooLarge);
        }
        file.write_all(&piece).await.map_err(refuse)?;
    }
    file.flush().await.map_err(refuse)?;
    let path = folder.join(name);
    part.persist(&path).map_err(|e| refuse(e.error))?;
    Ok(path)
}
