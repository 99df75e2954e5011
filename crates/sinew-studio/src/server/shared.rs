//! What all requests share.

use std::sync::Arc;

use super::access::Access;
use crate::page::Page;
use crate::session::Refusal;
use crate::studio::Studio;
use crate::sync::catching;

/// What all requests share.
pub(crate) struct Shared {
    pub studio: Arc<Studio>,
    pub page: Option<Page>,
    pub access: Access,
    pub upload_limit: u64,
}

/// Does something that takes a while without holding others up.
pub(crate) async fn beside<T: Send + 'static>(
    body: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let body = || catching(body);
    tokio::task::spawn_blocking(body).await.unwrap_or_else(|_| Refusal::say("the server is about to end"))
}
