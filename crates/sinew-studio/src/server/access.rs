//! Who may ask: those who know the token, from a page of this server, under a name of this machine.
//!
//! The token keeps out other users and other programs. The name (Host) keeps out pages of the web whose own
//! name was made to point here; the page of origin (Origin) those which only send requests here.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

use crate::session::Refusal;

const COOKIE: &str = "sinew";

/// What is checked.
pub(crate) struct Access {
    token: String,
    /// Names that this machine may be called by.
    names: Vec<String>,
    /// Whether any number will do as well: of a server that listens at all addresses. Names are what
    /// strangers can make point here, not numbers.
    numbers: bool,
}

impl Access {
    /// Makes a token, for a server that listens at an address.
    pub fn new(host: &str) -> Result<Self, Refusal> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)
            .map_err(|e| Refusal(format!("there is no chance on this system: {e}")))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut names: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(Into::into).into();
        if host.contains(':') {
            names.push(format!("[{host}]").to_lowercase());
        } else {
            names.push(host.to_lowercase());
        }
        let numbers = host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_unspecified());
        Ok(Self { token, names, numbers })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Lets a browser go on without the token in the address.
    pub fn with_cookie(&self, mut response: Response) -> Response {
        let cookie = format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", self.token);
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, value);
        }
        response
    }

    /// Why a request is refused, if it is.
    pub fn refuses(&self, request: &Request) -> Option<(u16, &'static str)> {
        let headers = request.headers();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = name_of(host).to_lowercase();
        let number = || name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
        let ours = self.names.contains(&name) || (self.numbers && number());
        if !ours {
            return Some((403, "the request is for another machine"));
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let own = |scheme: &str| origin.as_bytes() == format!("{scheme}://{host}").as_bytes();
            if !own("http") && !own("https") {
                return Some((403, "the request comes from another page"));
            }
        }
        if !self.knows_token(request.uri().query().unwrap_or_default(), headers) {
            return Some((401, "the token is missing or wrong; open the address that sinew studio printed"));
        }
        None
    }

    fn knows_token(&self, query: &str, headers: &HeaderMap) -> bool {
        let in_query = query.split('&').filter_map(|pair| pair.strip_prefix("token="));
        let in_header = headers.get("x-sinew-token").and_then(|token| token.to_str().ok());
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let cookies = cookies.flat_map(|line| line.split(';'));
        let in_cookie = cookies.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
        in_query.chain(in_header).chain(in_cookie).any(|given| same(given, &self.token))
    }
}

/// The name in a Host header, without the port.
fn name_of(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if host[colon + 1..].bytes().all(|b| b.is_ascii_digit()) => &host[..colon],
        _ => host,
    }
}

/// Compares without telling by the time it takes how much is right.
fn same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_without_ports() {
        assert_eq!(name_of("localhost:80"), "localhost");
        assert_eq!(name_of("[::1]:8080"), "[::1]");
        assert_eq!(name_of("[::1]"), "[::1]");
        assert_eq!(name_of("localhost"), "localhost");
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same("abc", "abc"));
        assert!(!same("", "abc") && !same("ab", "abc") && !same("abcd", "abc") && !same("abd", "abc"));
    }
}
