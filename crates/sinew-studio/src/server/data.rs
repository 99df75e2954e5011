//! Numbers for the page to draw.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

use super::query::Asked;
use super::reply;
use super::shared::{Shared, beside};
use crate::session::{Errors, Refusal, appearance, data};

/// What is asked for.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Wanted {
    version: Option<u32>,
    frame: Option<usize>,
    image: Option<usize>,
    /// Given, what was opened then is meant and nothing that was opened since.
    open: Option<u64>,
    from: Option<usize>,
    to: Option<usize>,
    /// Given, the numbers are those of one state of a version for ever.
    key: Option<String>,
}

pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path(what): Path<String>,
    Asked(wanted): Asked<Wanted>,
) -> Response {
    let asked = format!("GET /data/{what}");
    reply::of(&asked, beside(move || answer(&shared, &what, &wanted)).await)
}

fn answer(shared: &Shared, what: &str, wanted: &Wanted) -> Result<Response, Refusal> {
    let numbers = |bytes: Vec<u8>| Ok(reply::bytes("application/octet-stream", bytes, wanted.key.is_some()));
    let session = shared.studio.session();
    if wanted.open.is_some_and(|open| open != session.opened()) {
        // The page hears of the change and asks again.
        return Ok(reply::nothing());
    }
    let subject = session.subject()?.clone();
    // Whatever takes time is done when others may go on with the session.
    match what {
        "handles" => return numbers(session.handles()?),
        "motion" => return Ok(reply::json(&session.motion_skeleton()?)),
        "image" => {
            drop(session);
            let Some(number) = wanted.image else { return Refusal::say("the number of an image is missing") };
            let (media_type, bytes) = appearance::image(&subject, number)?;
            return Ok(reply::bytes(media_type, bytes, false));
        }
        "mesh" | "original" => {
            drop(session);
            let (from, to) = wanted.frames(subject.frame_count());
            return numbers(if what == "mesh" {
                data::mesh(&subject)
            } else {
                data::original(&subject, from, to)?
            });
        }
        _ => {}
    }
    let Some(id) = wanted.version else { return Refusal::say("the number of a version is missing") };
    if let Some(key) = &wanted.key
        && session.version(id).map_or(true, |version| version.key() != *key)
    {
        // Other tabs edit and undo too.
        return Ok(reply::nothing());
    }
    let version = session.version(id)?.clone();
    drop(session);
    let shape = &version.shape;
    let (from, to) = wanted.frames(shape.frame_count());
    match what {
        "rig" => numbers(data::rig(version.rig()?)),
        "palettes" => numbers(data::motion(version.rig()?)),
        "bones" => Ok(reply::json(&data::bones(shape))),
        "skeleton" => Ok(reply::json(&data::skeleton(version.rig()?))),
        "positions" => numbers(data::poses(shape, from, to)?),
        "difference" => numbers(data::difference(&subject, shape, wanted.frame.unwrap_or(from))?),
        "errors" => {
            let errors = match &version.errors {
                Some(errors) => errors.clone(),
                None => Arc::new(Errors::against(&subject, shape)?),
            };
            let (per_frame, largest) = (errors.per_frame.clone(), errors.largest_per_frame.clone());
            Ok(reply::json(&data::ErrorsData { per_frame, largest }))
        }
        _ => Refusal::say(format!("there is no data called {what}")),
    }
}

impl Wanted {
    /// The frames, of so many, that are asked for: all, one, or from one up to another.
    fn frames(&self, count: usize) -> (usize, usize) {
        match (self.from, self.to) {
            (None, to) => (0, to.unwrap_or(count)),
            (Some(from), None) => (from, from.saturating_add(1)),
            (Some(from), Some(to)) => (from, to),
        }
    }
}
