//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use crate::session::Refusal;

fn build(status: u16, media_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

/// Nothing, where what was asked for has changed meanwhile.
pub fn nothing() -> Response {
    build(204, "text/plain; charset=utf-8", Body::empty())
}

/// A sentence.
pub fn text(status: u16, sentence: &str) -> Response {
    build(status, "text/plain; charset=utf-8", Body::from(format!("{sentence}\n")))
}

/// A file; `forever` says that its address will never mean another.
pub fn bytes(media_type: &'static str, bytes: Vec<u8>, forever: bool) -> Response {
    let mut response = build(200, media_type, Body::from(bytes));
    if forever {
        let value = HeaderValue::from_static("private, max-age=86400, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    response
}

/// JSON.
pub fn json(value: &impl Serialize) -> Response {
    let text = serde_json::to_vec(value).unwrap_or_default();
    build(200, "application/json", Body::from(text))
}

/// A file to be kept under a name, which has nothing but plain letters in it.
pub fn download(name: &str, contents: Vec<u8>) -> Response {
    let mut response = bytes("application/octet-stream", contents, false);
    // Names of all scripts, and with quotes (RFC 6266).
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let encoded: String = name
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{encoded}")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// The result of something that may be refused. Refusals are logged.
pub fn of(asked: &str, result: Result<Response, Refusal>) -> Response {
    result.unwrap_or_else(|why| refused(asked, 400, &why.0))
}

/// Refuses, and says so in the log.
pub fn refused(asked: &str, status: u16, why: &str) -> Response {
    log(asked, why);
    text(status, why)
}

/// One line for each refusal; what others write stays on it.
pub fn log(asked: &str, why: &str) {
    let plain =
        |text: &str| -> String { text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect() };
    let shown: String = plain(asked).chars().take(200).collect();
    eprintln!("refused {shown}: {}", plain(why));
}
