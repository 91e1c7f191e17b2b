//! The server behind a socket: the panel for people, `/api` for programs, `/mcp` for agents, `/health`, `/ready` and
//! `/metrics` for monitoring.
//!
//! ```
//! use apostille_http::{HttpServer, HttpServerConfig, ServerLimits};
//!
//! /// A server that takes fewer requests, and the path that opens its panel.
//! fn build_server(config: HttpServerConfig) -> (HttpServer, String) {
//!     let limits = ServerLimits { rate: 50, ..ServerLimits::default() };
//!     let server = HttpServer::new(HttpServerConfig { limits, ..config });
//!     let link = server.panel_link_path();
//!     (server, link)
//! }
//! ```
//!
//! How the pieces fit: a request is found in a table (`route`), its sender is judged (`auth`: host, origin, token or
//! session), it waits for its turn or is put off (`limiter`), the work is done on a thread of its own (`route_job`), and
//! every answer gets its headers (`response`). Loopback alone protects nothing: a page in a browser on the same machine can send
//! requests here, so each one shows a token or a session and says where it comes from.

mod auth;
mod connections;
mod deliveries;
pub mod interrupt;
mod limiter;
mod listen;
mod live;
mod log;
mod login;
mod mcp_endpoint;
mod mcp_sessions;
mod metrics;
mod monitoring;
mod network_reach;
mod proxy;
mod request;
mod response;
mod route;
mod route_job;
mod sessions;
mod tls;
mod token_lookups;
mod write_timeout;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize},
    },
    time::{Duration, Instant},
};

use axum::{body::Body, response::Response};
use hyper::{Method as Verb, Request, body::Incoming};
use jiff::Timestamp;
use tokio::sync::{broadcast, watch as channel};

use apostille_api::{
    access_token::{Access, AccessToken, TokenLookup, TokenRegistry},
    delivery::DeliveryReceiver,
    host::Host,
    request_scope::HttpReply,
};
use apostille_mcp::{McpServer, SharedWorkLimit, ToolOffer};
use connections::ConnectionSlot;
use limiter::RequestLimiter;
use mcp_endpoint::McpEndpoint;
use mcp_sessions::AuthorizedBody;
use metrics::HttpMetrics;
use monitoring::LastReadiness;
use response::{HttpRejection, HttpResult, WRONG_METHOD};
use route::{AuthKind, PathParams, RouteEntry, RouteMatch, RouteTarget};
use sessions::PanelSessions;
use token_lookups::TokenLookups;

pub use log::{LogLevel, RequestLog};
pub use network_reach::{NetworkReach, PublicHost};
pub use proxy::{ProxyAddress, ProxyHeader, TrustedProxies};
pub use tls::{CertificateError, CertificateFiles, TlsIdentity};

/// How much is taken on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// How many requests a second one token may send; twice as many at once.
    pub rate: u32,
    /// How many requests are worked on at once.
    pub at_once: usize,
    /// How many may wait for that.
    pub waiting: usize,
    /// How long.
    pub wait: Duration,
    /// How many connections there may be.
    pub connections: usize,
    /// How many may listen to changes.
    pub listeners: usize,
    /// How long a request may take to say what it wants.
    pub head: Duration,
    /// How long the rest of it may take.
    pub body: Duration,
    /// How long an answer may take.
    pub work: Duration,
    /// How long nobody may take any of it.
    pub send: Duration,
    /// How long connections are still taken after the program was told to stop, while it says that it is not ready.
    pub drain: Duration,
    /// How long what is under way may take after that.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            rate: 400,
            at_once: 8,
            waiting: 64,
            wait: Duration::from_secs(2),
            connections: 512,
            listeners: 32,
            head: Duration::from_secs(10),
            body: Duration::from_secs(15),
            work: Duration::from_secs(30),
            send: Duration::from_secs(30),
            drain: Duration::ZERO,
            grace: Duration::from_secs(5),
        }
    }
}

/// What a door is made of.
pub struct HttpServerConfig {
    /// Where memories are.
    pub host: Arc<dyn Host>,
    /// What agents are offered.
    pub offer: ToolOffer,
    /// Who holds which token.
    pub keys: Arc<dyn TokenRegistry>,
    /// What the person with the printed link may do.
    pub panel: Access,
    /// Tells the time.
    pub clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// The port that it listens on.
    pub port: u16,
    /// Who can reach it.
    pub reach: NetworkReach,
    /// How much is taken on.
    pub limits: ServerLimits,
    /// Where requests are told of.
    pub log: RequestLog,
    /// What takes what a code host delivers, where that was set up.
    pub deliveries: Option<Arc<dyn DeliveryReceiver>>,
}

/// A path with what was asked for there.
fn join_path_and_query<B>(request: &Request<B>, path: &str) -> String {
    match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
}

/// Whether somebody looks at an address that forms are sent to, as after an error that was told there.
fn is_get_on_form_route<B>(found: &RouteMatch, request: &Request<B>) -> bool {
    let is_looking = [Verb::GET, Verb::HEAD].contains(request.method());
    let is_page = !request.uri().path().starts_with("/hooks/");
    is_looking && is_page && matches!(&found.row, Err(turned) if turned.status == WRONG_METHOD)
}

/// Leads to the page above.
fn redirect_to_parent_page<B>(rows: &[RouteEntry], request: &Request<B>) -> Response<Body> {
    let above = route::find_parent_page(rows, request.uri().path());
    response::build_http_response(HttpReply::see_other(join_path_and_query(request, &above)))
}

/// The one door of a server.
pub struct HttpServer {
    plan: HttpServerConfig,
    rows: Vec<RouteEntry>,
    agents: McpEndpoint,
    sessions: Mutex<PanelSessions>,
    once: String,
    gate: Arc<RequestLimiter>,
    meter: HttpMetrics,
    lookups: TokenLookups,
    changes: broadcast::Sender<()>,
    stop: channel::Sender<bool>,
    /// Whether the program was told to stop.
    is_stopping: AtomicBool,
    /// The name of this run, for the names of requests.
    run: String,
    asked: AtomicU64,
    in_flight: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    looked: tokio::sync::Mutex<LastReadiness>,
    /// How many looks at the store have not ended: more than one would be one too many.
    looking: Arc<AtomicUsize>,
    started: Timestamp,
    /// How many deliveries are looked at.
    delivered: Arc<AtomicUsize>,
}

impl HttpServer {
    /// A door to these memories.
    pub fn new(plan: HttpServerConfig) -> Self {
        let gate = Arc::new(RequestLimiter::new(plan.limits));
        let mut server = McpServer::new(Arc::clone(&plan.host), plan.offer);
        server.turns = Some(SharedWorkLimit {
            places: Arc::clone(&gate.places),
            patience: plan.limits.work,
        });
        let once = plan.host.sign_text("open");
        Self {
            rows: route::build_route_table(),
            changes: server.change_sender(),
            agents: McpEndpoint::new(server, &plan.reach.hosts),
            sessions: Mutex::new(PanelSessions::new(&once)),
            once,
            gate,
            meter: HttpMetrics::default(),
            lookups: TokenLookups::default(),
            stop: channel::Sender::new(false),
            is_stopping: AtomicBool::new(false),
            run: plan.host.sign_text("run"),
            asked: AtomicU64::new(0),
            in_flight: Arc::default(),
            connections: Arc::default(),
            looked: tokio::sync::Mutex::default(),
            looking: Arc::default(),
            started: (plan.clock)(),
            delivered: Arc::default(),
            plan,
        }
    }

    /// The path that opens the panel, once.
    pub fn panel_link_path(&self) -> String {
        format!("/open/{}", self.once)
    }

    fn now(&self) -> Timestamp {
        (self.plan.clock)()
    }

    /// The answer to a request, whose sender is noted for the log.
    async fn dispatch_request(
        self: &Arc<Self>,
        found: RouteMatch,
        request: Request<Incoming>,
        who: &mut Option<String>,
    ) -> HttpResult {
        let peer = auth::read_peer(&request);
        if !self.can_ask_by_any_name(&found) {
            self.check_host_header(&request)?;
        }
        if found.area == AuthKind::Open {
            if is_get_on_form_route(&found, &request) {
                return Ok(redirect_to_parent_page(&self.rows, &request));
            }
            let (row, parts) = found.row?;
            return self.answer_public_route(row.what, &parts, request).await;
        }
        let is_secure = peer.is_some_and(|it| it.is_secure);
        let asked_for = |it: HttpRejection| match it.status {
            // Nobody guessed, and nothing can be said of the token.
            500.. => it,
            _ => HttpRejection {
                to: join_path_and_query(&request, request.uri().path()),
                ..self.throttle_guesses(it, peer)
            },
        };
        let (token, csrf_token) = self
            .authenticate_request(found.area, request.headers(), is_secure)
            .await
            .map_err(asked_for)?;
        *who = Some(token.name.clone());
        if let Some(slot) = request.extensions().get::<Arc<ConnectionSlot>>() {
            slot.mark_authenticated();
        }
        self.gate.check_rate(&token.name, Instant::now())?;
        if found.area == AuthKind::Panel && is_get_on_form_route(&found, &request) {
            return Ok(redirect_to_parent_page(&self.rows, &request));
        }
        let (row, parts) = found.row?;
        match row.what {
            RouteTarget::Agents => self.answer_mcp_request(request, token).await,
            RouteTarget::Table(route) => {
                self.run_route(route, parts, request, (token, csrf_token))
                    .await
            }
            RouteTarget::Live => {
                let mut query = route_job::parse_query_pairs(&request).into_iter();
                let repo = query.find(|it| it.0 == "repo").map(|it| it.1);
                let asker = (request.headers(), is_secure);
                self.open_live_stream(row.area, asker, repo, &token.name)
                    .await
            }
            RouteTarget::Metrics => self.render_metrics(token).await,
            RouteTarget::Close => self.end_panel_session(request, &csrf_token).await,
            _ => Err(HttpRejection::not_found()),
        }
    }

    /// Whoever watches over servers calls each of them by its address; what it is told is nothing that a page could use.
    fn can_ask_by_any_name(&self, found: &RouteMatch) -> bool {
        let is_watching =
            |it: &RouteEntry| matches!(it.what, RouteTarget::Health | RouteTarget::Ready);
        self.plan.reach.is_public && found.row.as_ref().is_ok_and(|it| is_watching(&it.0))
    }

    /// The answer to somebody of whom nothing is known.
    async fn answer_public_route(
        &self,
        what: RouteTarget,
        parts: &PathParams,
        request: Request<Incoming>,
    ) -> HttpResult {
        match what {
            RouteTarget::Health => Ok(response::build_http_response(monitoring::reply_health())),
            RouteTarget::Ready => Ok(response::build_http_response(self.check_readiness().await?)),
            // Whoever only looks where a link leads does not use it up.
            RouteTarget::Link if request.method() == Verb::HEAD => {
                Err(HttpRejection::new(405, "this address takes GET").with_header("allow", "GET"))
            }
            RouteTarget::Link => self.login_by_link(parts, auth::read_peer(&request)),
            RouteTarget::Form => self.login_by_form(request).await,
            RouteTarget::Delivery => self.take_delivery(request).await,
            RouteTarget::File(kind, content) => {
                let headers = request.headers();
                Ok(response::serve_static_file(headers, kind, content))
            }
            _ => Err(HttpRejection::not_found()),
        }
    }

    /// The answer to a message of an agent.
    async fn answer_mcp_request(
        self: &Arc<Self>,
        request: Request<Incoming>,
        token: AccessToken,
    ) -> HttpResult {
        self.gate.check_queue(&token.name)?;
        let (mut parts, body) = request.into_parts();
        let (body, _held) = self
            .read_request_body(body, mcp_endpoint::MAX_BODY, &token.name)
            .await?;
        let (name, bearer) = (token.name.clone(), auth::read_bearer_token(&parts.headers));
        parts.extensions.insert(token);
        let message = Request::from_parts(parts, body);
        let response = self.agents.answer_message(message, &name).await;
        if !response::has_content_type(response.headers(), b"text/event-stream") {
            return Ok(response);
        }
        let door = Arc::clone(self);
        let is_let_in = move || {
            let (door, name) = (Arc::clone(&door), name.clone());
            async move {
                match door.look_up_token(bearer).await {
                    Ok(TokenLookup::Granted(token)) => token.name == name,
                    Ok(_) => false,
                    // What cannot be looked up for now was not taken away.
                    Err(_) => true,
                }
            }
        };
        Ok(response.map(|body| Body::new(AuthorizedBody::new(body, is_let_in))))
    }
}
