//! The server behind a socket: `/mcp` for agents, `/health` for whoever watches over it.
//!
//! Loopback, a token, and a look at where the request comes from: a page in somebody's browser must not reach memory.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use apostille_core::digest::Digest;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::mcp::{Offer, Server};

/// Pages that are served from this machine; no other page may call.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// How long what is under way may take after the program was told to stop.
const GRACE: Duration = Duration::from_secs(5);
/// How large a request may be.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// The header in which a client says which revision was agreed on.
const REVISION: &str = "mcp-protocol-version";
/// The revisions before an answer could be come back for.
const OLDER: [&str; 3] = ["2024-11-05", "2025-03-26", "2025-06-18"];
/// The first revision in which an answer can be come back for.
const RESUMABLE: &str = "2025-11-25";

/// The key to a server, kept as its digest: comparing it tells nobody how near a guess was.
#[derive(Debug, Clone, Copy)]
pub struct Key(Digest);

impl Key {
    /// The key that this token opens.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(Digest::of(token.as_bytes()))
    }

    fn opens(self, header: &str) -> bool {
        let token = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        token.is_some_and(|(_, token)| Digest::of(token.trim().as_bytes()) == self.0)
    }
}

/// Serves on this socket until the program is told to stop; what is under way is finished first.
pub fn serve_http(
    host: Arc<dyn Host>,
    offer: Offer,
    listener: TcpListener,
    key: Option<Key>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    listener.set_nonblocking(true)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let config = config();
        let (stop, is_told) = (config.cancellation_token.clone(), config.cancellation_token.clone());
        let told = async move {
            stopped().await;
            stop.cancel();
        };
        let served = axum::serve(listener, router(host, offer, key, config)).with_graceful_shutdown(told);
        tokio::select! {
            ended = served => ended,
            // Whoever only holds a connection open does not hold the program.
            () = async { is_told.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
        }
    })
}

fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default().with_allowed_origins(ORIGINS).enforce_origin_validation()
}

fn router(host: Arc<dyn Host>, offer: Offer, key: Option<Key>, config: StreamableHttpServerConfig) -> Router {
    let server = Server::new(host, offer);
    #[cfg(feature = "fixtures")]
    let server = crate::fixtures::Fixtures(server);
    let doors = Doors::new(server, config);
    Router::new()
        .route("/mcp", any(move |request| doors.clone().answer(request)))
        .layer(middleware::from_fn_with_state(key, let_in))
        .route("/health", get(|| async { "ok\n" }))
}

/// Revision 2025-11-25 wants an event without content before an answer, so that it can be come back for. A client of an
/// older one takes that for a broken answer. So each has a door of its own, with its own sessions.
#[derive(Clone)]
struct Doors<S: Clone + ServerHandler> {
    older: StreamableHttpService<S, LocalSessionManager>,
    newer: StreamableHttpService<S, LocalSessionManager>,
}

impl<S: Clone + ServerHandler> Doors<S> {
    fn new(server: S, config: StreamableHttpServerConfig) -> Self {
        let door = |config, sessions: LocalSessionManager| {
            let server = server.clone();
            StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config)
        };
        let mut plain = LocalSessionManager::default();
        plain.session_config.sse_retry = None;
        Self {
            older: door(config.clone().with_sse_retry(None), plain),
            newer: door(config, LocalSessionManager::default()),
        }
    }

    async fn answer(self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(bytes) = to_bytes(body, MAX_BODY).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        let said = parts.headers.get(REVISION).and_then(|it| it.to_str().ok()).map(Into::into);
        let is_newer = said.or_else(|| opening(&bytes)).is_some_and(|it: String| *it >= *RESUMABLE);
        let request = Request::from_parts(parts, Body::from(bytes));
        let door = if is_newer { &self.newer } else { &self.older };
        door.handle(request).await.map(Body::new)
    }
}

/// The revision that a client opens with: a request that opens has no header for it. What nobody knows is answered
/// with the newest one that can be opened.
fn opening(body: &[u8]) -> Option<String> {
    let message: serde_json::Value = serde_json::from_slice(body).ok()?;
    let asked = message.get("params")?.get("protocolVersion")?.as_str()?;
    Some(if OLDER.contains(&asked) { asked } else { RESUMABLE }.to_owned())
}

/// Lets a request in that brings the token.
async fn let_in(State(key): State<Option<Key>>, request: Request, next: Next) -> Response {
    let brought =
        request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if key.is_none_or(|it| it.opens(brought)) {
        return next.run(request).await;
    }
    let way_in = "send the token that `apostille serve` printed, as \"Authorization: Bearer <token>\"\n";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer realm=\"apostille\"")], way_in)
        .into_response()
}

/// Waits until somebody wants the program to stop.
async fn stopped() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let mut ended = match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(ended) => ended,
            Err(_) => return drop(interrupted.await),
        };
        tokio::select! {
            _ = interrupted => {}
            _ = ended.recv() => {}
        }
    }
    #[cfg(not(unix))]
    drop(interrupted.await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_opens() {
        let check =
            |header: &str, expected: bool| assert_eq!(Key::of("s3").opens(header), expected, "{header:?}");
        check("Bearer s3", true);
        check("bearer  s3 ", true);
        check("Bearer s4", false);
        check("Basic s3", false);
        check("s3", false);
        check("", false);
    }
}
