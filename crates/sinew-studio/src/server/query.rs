//! What stands behind the question mark of an address.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::reply;

/// Fields of the query. Where one is missing or wrong, the request is refused, and that is logged as every
/// refusal is.
pub(crate) struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let asked = format!("{} {}", parts.method, parts.uri.path());
        let refuse = |why: String| reply::refused(&asked, 400, &why);
        let Query(fields) = Query::try_from_uri(&parts.uri).map_err(|e| refuse(e.body_text()))?;
        Ok(Self(fields))
    }
}
