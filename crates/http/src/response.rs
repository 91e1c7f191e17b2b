//! What is answered: refusals in the words of whoever asked, and the headers that every answer has.

use apostille_text::digest::Digest;
use axum::{body::Body, response::Response};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use maud::{DOCTYPE, html};
use serde_json::json;

use apostille_api::request_scope::{HttpMethod, HttpReply};

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// What a page may load and who may frame it: its own files, and nobody.
const CSP: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                   form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// The address is there, and is asked for otherwise.
pub(super) const WRONG_METHOD: u16 = 405;
/// What every answer has, unless it says otherwise.
const ALWAYS: [(&str, &str); 8] = [
    ("content-security-policy", CSP),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// How whoever asked wants to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorFormat {
    /// A program.
    Json,
    /// A person.
    Page,
    /// An agent, or whoever watches.
    Text,
}

impl ErrorFormat {
    /// The shape of what is said at this path.
    pub(super) fn for_path(path: &str) -> Self {
        match path {
            "/mcp" | "/metrics" | "/health" | "/ready" => Self::Text,
            "/api" => Self::Json,
            it if it.starts_with("/hooks/") => Self::Json,
            it if it.starts_with("/api/") => Self::Json,
            _ => Self::Page,
        }
    }
}

/// Why a request is turned away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct HttpRejection {
    /// The status.
    pub(super) status: u16,
    /// Why, and the way out.
    pub(super) why: String,
    /// Headers beside the usual ones.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Whether a person is shown the form that lets them in.
    pub(super) has_form: bool,
    /// The page that the form leads to.
    pub(super) to: String,
    /// Where it was too much: of what.
    pub(super) shed: Option<&'static str>,
}

/// An answer, or why there is none.
pub(super) type HttpResult<T = Response<Body>> = Result<T, HttpRejection>;

impl HttpRejection {
    pub(super) fn new(status: u16, why: impl Into<String>) -> Self {
        Self {
            status,
            why: why.into(),
            ..Self::default()
        }
    }

    pub(super) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Turns away what is not allowed.
    pub(super) fn forbid_unless(is_allowed: bool, why: impl Into<String>) -> HttpResult<()> {
        is_allowed.then_some(()).ok_or_else(|| Self::new(403, why))
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "there is nothing at this address")
    }

    pub(super) fn method_not_allowed(allowed: impl Iterator<Item = HttpMethod>) -> Self {
        let word = |it| match it {
            HttpMethod::Get => "GET, HEAD",
            HttpMethod::Post => "POST",
            HttpMethod::Delete => "DELETE",
        };
        let allowed = allowed.map(word).collect::<Vec<_>>().join(", ");
        Self::new(WRONG_METHOD, format!("this address takes {allowed}"))
            .with_header("allow", allowed)
    }

    /// The same as it is sent.
    pub(super) fn into_reply(self, shape: ErrorFormat) -> HttpReply {
        let (kind, body) = match shape {
            ErrorFormat::Json => {
                let body = json!({"ok": false, "error": {"message": self.why}});
                (JSON, body.to_string())
            }
            ErrorFormat::Text => (TEXT, format!("{}\n", self.why)),
            ErrorFormat::Page => (HTML, render_rejection_page(&self)),
        };
        HttpReply {
            headers: self.headers,
            ..HttpReply::new(self.status, kind, body)
        }
    }
}

/// A page for somebody who is not, or not yet, in the panel.
fn render_rejection_page(turned: &HttpRejection) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { "Apostille" }
                link rel="stylesheet" href="/panel.css";
            }
            body {
                main #main {
                    h1 { "Apostille" }
                    p { @for (n, it) in turned.why.split('`').enumerate() {
                        @if n % 2 == 1 { code { (it) } } @else { (it) }
                    } }
                    @if turned.has_form {
                        form.card.narrow method="post" action="/open" {
                            input type="hidden" name="to" value=(turned.to);
                            div.field {
                                label for="token" { "Token" }
                                input #token type="password" name="token" autocomplete="off" required autofocus;
                            }
                            button type="submit" { "Open" }
                        }
                    } @else {
                        p { a href="/" { "To the memories" } }
                    }
                }
            }
        }
    }
    .into_string()
}

/// A reply as a response.
pub(super) fn build_http_response(reply: HttpReply) -> Response<Body> {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = hyper::StatusCode::from_u16(reply.status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.kind));
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.append(HeaderName::from_static(name), value);
        }
    }
    response
}

/// Whether the content is of a kind that begins so.
pub(super) fn has_content_type(headers: &HeaderMap, kind: &[u8]) -> bool {
    let content = headers.get(header::CONTENT_TYPE);
    content.is_some_and(|it| it.as_bytes().starts_with(kind))
}

/// A file, or the word that the browser has it already.
pub(super) fn serve_static_file(
    headers: &HeaderMap,
    kind: &'static str,
    content: &str,
) -> Response<Body> {
    let tag = format!("\"{}\"", Digest::hash_bytes(content.as_bytes()).short_hex());
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|it| *it == tag);
    let (status, body) = if is_known { (304, "") } else { (200, content) };
    build_http_response(HttpReply {
        headers: vec![("etag", tag), ("cache-control", "no-cache".into())],
        ..HttpReply::new(status, kind, body.into())
    })
}

/// The same with the headers that every answer has.
pub(super) fn add_security_headers(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    if headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|it| it == HTML)
    {
        // With no referrer at all, browsers do not say either which page a form was sent from.
        let policy = HeaderValue::from_static("same-origin");
        headers.insert(header::REFERRER_POLICY, policy);
    }
    for (name, value) in ALWAYS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
