//! The server behind a socket: `/mcp` for agents, `/health` for whoever watches over it.
//!
//! Loopback, a token, and a look at where the request comes from: a page in somebody's browser must not reach memory.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use apostille_core::digest::Digest;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::mcp::{Offer, Server};

/// Pages that are served from this machine; no other page may call.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

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
        let stop = config.cancellation_token.clone();
        let told = async move {
            stopped().await;
            stop.cancel();
        };
        axum::serve(listener, router(host, offer, key, config)).with_graceful_shutdown(told).await
    })
}

fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_allowed_origins(ORIGINS)
        .enforce_origin_validation()
        .with_sse_retry(None)
}

/// Sessions of the older revisions. One client takes an event without content, which would only say when to come back,
/// for a broken answer: none is sent.
fn sessions() -> LocalSessionManager {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = None;
    sessions
}

fn router(host: Arc<dyn Host>, offer: Offer, key: Option<Key>, config: StreamableHttpServerConfig) -> Router {
    let server = Server::new(host, offer);
    #[cfg(feature = "fixtures")]
    let server = crate::fixtures::Fixtures(server);
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions()), config);
    Router::new()
        .route_service("/mcp", mcp)
        .layer(middleware::from_fn_with_state(key, let_in))
        .route("/health", get(|| async { "ok\n" }))
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
