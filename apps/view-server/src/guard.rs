//! Who may ask: only a page that knows the token and was served by us. Another site in the same
//! browser knows neither, and cannot pass itself off as us by pointing its own name at this machine.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The addresses, origins and token that requests are checked against.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) token: String,
    pub(crate) port: u16,
    /// Whether only this machine may connect.
    pub(crate) loopback: bool,
}

/// Characters of a token: 128 random bits.
const TOKEN_LENGTH: usize = 32;

/// A token that nobody can guess.
pub(crate) fn fresh_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; TOKEN_LENGTH / 2];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether `token` can stand in an address and is not too easy to guess.
pub(crate) fn is_token(token: &str) -> bool {
    (16..=128).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Guard {
    /// Refuses what must not pass.
    fn check(&self, request: &Request) -> Result<(), (StatusCode, &'static str)> {
        let refuse = |code, why| Err((code, why));
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered here");
        }
        // an address with a host in it would let the host of the header be anything
        if request.uri().authority().is_some() {
            return refuse(
                StatusCode::BAD_REQUEST,
                "wanted a path, found a whole address",
            );
        }
        let Some(host) = only(request.headers(), header::HOST) else {
            return refuse(StatusCode::BAD_REQUEST, "wanted one Host");
        };
        if !self.is_us(host) {
            return refuse(StatusCode::FORBIDDEN, "this server has another name");
        }
        let upgrade = request.headers().contains_key(header::UPGRADE);
        let origins = request.headers().get_all(header::ORIGIN).iter().count();
        let own = only(request.headers(), header::ORIGIN)
            .and_then(|origin| origin.strip_prefix("http://"))
            .is_some_and(|origin| origin.eq_ignore_ascii_case(host));
        if (origins > 0 || upgrade) && !own {
            return refuse(StatusCode::FORBIDDEN, "only pages of this server may ask");
        }
        let path = request.uri().path();
        let found = path.trim_start_matches('/').split('/').next();
        if !same(found.unwrap_or(""), &self.token) {
            return refuse(
                StatusCode::NOT_FOUND,
                "open the whole address that `drystone view` has printed",
            );
        }
        Ok(())
    }

    /// Whether a browser that asks for `host` means us: by number, or as localhost. A name of
    /// somebody else that leads here is refused.
    fn is_us(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let known = match bare.unwrap_or(name).parse::<IpAddr>() {
            Ok(address) => !self.loopback || address.is_loopback(),
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        known && port == Some(self.port)
    }
}

/// The value of a header that is there exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Compares without telling by its time how much is right.
fn same(found: &str, wanted: &str) -> bool {
    let differences = found
        .bytes()
        .zip(wanted.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    found.len() == wanted.len() && differences == 0
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Lets through what [`Guard`] allows, and tells the browser what the page may do.
pub(crate) async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err((code, why)) => (code, format!("{why}\n")).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_this_machine_and_localhost_are_us() {
        let guard = |loopback| Guard {
            token: String::new(),
            port: 7878,
            loopback,
        };
        for host in [
            "127.0.0.1:7878",
            "localhost:7878",
            "[::1]:7878",
            "LOCALHOST:7878",
        ] {
            assert!(guard(true).is_us(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:7878",
            "localhost.evil.example:7878",
            "127.0.0.1.evil.example:7878",
            "192.0.2.1:7878",
            "[::1]",
            "[::1:7878",
            "127.0.0.1:7878:7878",
            "127.0.0.1:99999",
        ] {
            assert!(!guard(true).is_us(host), "{host}");
        }
        assert!(guard(false).is_us("192.0.2.1:7878"));
        assert!(!guard(false).is_us("evil.example:7878"));
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same("abc", "abc"));
        for other in ["", "ab", "abcd", "abd", "Abc"] {
            assert!(!same(other, "abc"), "{other}");
        }
        let token = fresh_token().unwrap_or_default();
        assert!(is_token(&token) && token.len() == TOKEN_LENGTH);
        assert!(!is_token("short") && !is_token("0123456789abcdef/../"));
    }
}
