//! The agents' protocol behind the socket.

use std::sync::{Arc, Mutex};

use axum::{body::Body, response::Response};
use hyper::{Method as Verb, Request, StatusCode, body::Bytes, header::HeaderMap};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
        session::{SessionManager as _, local::LocalSessionManager},
    },
};

use serde::de::IgnoredAny;
use serde_json::json;

use super::{
    mcp_sessions::McpSessions,
    network_reach::PublicHost,
    response::{self, ErrorFormat, HttpRejection},
};
use apostille_api::request_scope::HttpReply;
use apostille_mcp::{McpServer, concurrency::lock_despite_panic};

/// Pages that are served from this machine; no other page may call.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
/// How large a request may be.
pub(super) const MAX_BODY: usize = 4 * 1024 * 1024;
/// The header in which a client says which revision was agreed on.
const REVISION: &str = "mcp-protocol-version";
/// The header with the session that a message is of, or that an answer opens.
const SESSION: &str = "mcp-session-id";
/// The revisions before an answer could be come back for.
const OLDER: [&str; 3] = ["2024-11-05", "2025-03-26", "2025-06-18"];
/// The first revision in which an answer can be come back for.
const RESUMABLE: &str = "2025-11-25";

#[cfg(feature = "fixtures")]
type Spoken = apostille_mcp::fixtures::Fixtures<McpServer>;
#[cfg(not(feature = "fixtures"))]
type Spoken = McpServer;

/// What agents talk to.
pub(super) struct McpEndpoint {
    doors: McpServices<Spoken>,
    talks: Mutex<McpSessions>,
    stop: StreamableHttpServerConfig,
}

impl McpEndpoint {
    pub(super) fn new(server: McpServer, hosts: &[PublicHost]) -> Self {
        #[cfg(feature = "fixtures")]
        let server = apostille_mcp::fixtures::Fixtures(server);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(ORIGINS)
            .enforce_origin_validation();
        // Which port it is was looked at before.
        let hosts = hosts.iter().map(|it| it.bare_name().to_owned());
        let hosts: Vec<String> = config.allowed_hosts.iter().cloned().chain(hosts).collect();
        let config = config.with_allowed_hosts(hosts);
        Self {
            doors: McpServices::new(server, config.clone()),
            talks: Mutex::default(),
            stop: config,
        }
    }

    /// Ends the streams that are open.
    pub(super) fn end_streams(&self) {
        self.stop.cancellation_token.cancel();
    }

    /// The answer to a message of whoever has this token. A session of somebody else is as good as none.
    pub(super) async fn answer_message(
        &self,
        request: Request<Bytes>,
        caller: &str,
    ) -> Response<Body> {
        let id = read_plain_header(request.headers(), SESSION);
        let talks = || lock_despite_panic(&self.talks);
        if id
            .as_ref()
            .is_some_and(|it| talks().is_foreign_session(it, caller))
        {
            let turned = HttpRejection::new(404, "Not Found: Session not found");
            return response::build_http_response(turned.into_reply(ErrorFormat::Text));
        }
        let is_closing = request.method() == Verb::DELETE;
        let response = self.forward_message(request).await;
        match (id, read_plain_header(response.headers(), SESSION)) {
            (None, Some(opened)) => {
                let ended = talks().add_session(&opened, caller);
                if let Some(ended) = ended {
                    self.doors.end_session(&ended).await;
                }
            }
            (Some(id), _) if is_closing && response.status().is_success() => {
                talks().remove_session(&id)
            }
            _ => {}
        }
        response
    }

    async fn forward_message(&self, request: Request<Bytes>) -> Response<Body> {
        let body = request.body().clone();
        let was_json = response::has_content_type(request.headers(), b"application/json");
        let response = self.doors.route_by_revision(request).await;
        // The SDK takes JSON that is no message for a wrong kind of content.
        if was_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return response::build_http_response(build_invalid_message_reply(&body));
        }
        response
    }
}

/// Revision 2025-11-25 wants an event without content before an answer, so that it can be come back for. A client of an
/// older one takes that for a broken answer. So each has a door of its own, with its own sessions.
struct McpServices<S: Clone + ServerHandler> {
    older: StreamableHttpService<S, LocalSessionManager>,
    newer: StreamableHttpService<S, LocalSessionManager>,
    sessions: [Arc<LocalSessionManager>; 2],
}

impl<S: Clone + ServerHandler> McpServices<S> {
    fn new(server: S, config: StreamableHttpServerConfig) -> Self {
        let door = |config, sessions: &Arc<LocalSessionManager>| {
            let server = server.clone();
            StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(sessions), config)
        };
        let mut plain = LocalSessionManager::default();
        plain.session_config.sse_retry = None;
        let sessions = [Arc::new(plain), Arc::default()];
        Self {
            older: door(config.clone().with_sse_retry(None), &sessions[0]),
            newer: door(config, &sessions[1]),
            sessions,
        }
    }

    /// Ends a session.
    async fn end_session(&self, id: &Arc<str>) {
        for it in &self.sessions {
            // One of them does not know it, and one that has ended already is none to end.
            let _ = it.close_session(id).await;
        }
    }

    async fn route_by_revision(&self, request: Request<Bytes>) -> Response<Body> {
        let said = read_plain_header(request.headers(), REVISION);
        let said = said.or_else(|| read_initialize_revision(request.body()));
        let is_newer = said.is_some_and(|it| *it >= *RESUMABLE);
        let door = if is_newer { &self.newer } else { &self.older };
        door.handle(request.map(Body::from)).await.map(Body::new)
    }
}

fn read_plain_header(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

/// What is said of something that is no message, in the protocol's own words.
fn build_invalid_message_reply(body: &[u8]) -> HttpReply {
    let (code, message) = match serde_json::from_slice::<IgnoredAny>(body) {
        Ok(_) => (-32600, "Invalid Request"),
        Err(_) => (-32700, "Parse error"),
    };
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    HttpReply::new(400, "application/json", error.to_string())
}

/// The revision that a client opens with: a request that opens has no header for it. What nobody knows is answered
/// with the newest one that can be opened.
fn read_initialize_revision(body: &[u8]) -> Option<String> {
    let message: serde_json::Value = serde_json::from_slice(body).ok()?;
    let asked = message.get("params")?.get("protocolVersion")?.as_str()?;
    let is_older = OLDER.contains(&asked);
    Some(if is_older { asked } else { RESUMABLE }.to_owned())
}
