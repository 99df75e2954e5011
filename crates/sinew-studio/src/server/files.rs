//! What is in folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sinew_io::formats::{self, Holds};

use super::query::Asked;
use super::reply;
use super::shared::{Shared, beside};
use crate::session::{Folders, Refusal, is_deform};

#[derive(Deserialize)]
pub(crate) struct Wanted {
    folder: Option<PathBuf>,
}

/// What is in a folder.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Listing {
    folder: PathBuf,
    parent: Option<PathBuf>,
    folders: Vec<String>,
    files: Vec<Listed>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "FileEntry"))]
struct Listed {
    name: String,
    bytes: u64,
    kind: &'static str,
}

pub(crate) async fn list(State(shared): State<Arc<Shared>>, Asked(wanted): Asked<Wanted>) -> Response {
    let folders = shared.studio.session().folders.clone();
    let listed = beside(move || Ok(reply::json(&listing(&folders, wanted.folder.as_deref())?))).await;
    reply::of("GET /files", listed)
}

fn listing(allowed: &Folders, wanted: Option<&Path>) -> Result<Listing, Refusal> {
    let Some(wanted) = wanted.or(allowed.named().first().map(PathBuf::as_path)) else {
        return Refusal::say("this studio has no folder of its own; drop files onto the page instead");
    };
    let folder = allowed.to_list(wanted)?;
    let entries = std::fs::read_dir(&folder).map_err(sinew_io::Error::io(&folder))?;
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What lies elsewhere cannot be opened from here.
        let there = entry.path().canonicalize().is_ok_and(|path| allowed.is_below(&path));
        let Ok(facts) = std::fs::metadata(entry.path()) else { continue };
        if name.starts_with('.') || !there {
            continue;
        }
        if facts.is_dir() {
            folders.push(name);
        } else if let Some(kind) = kind(&entry.path()) {
            files.push(Listed { name, bytes: facts.len(), kind });
        }
    }
    folders.sort();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let parent = folder.parent().filter(|parent| allowed.is_below(parent)).map(Path::to_owned);
    Ok(Listing { folder, parent, folders, files })
}

/// What a file is by its name; none of those that cannot be opened.
fn kind(path: &Path) -> Option<&'static str> {
    if is_deform(path) {
        return Some("character");
    }
    Some(match formats::by_ending(path)?.reads {
        holds if holds.rig => "rig",
        holds if holds.is_cache() => "cache",
        holds if holds.is_frame() => "mesh",
        holds if holds.is_motion() => "motion",
        Holds::NOTHING => return None,
        _ => "animation",
    })
}
