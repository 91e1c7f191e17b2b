//! The server behind a socket: the panel for people, `/api` for programs, `/mcp` for agents, `/health`, `/ready` and
//! `/metrics` for whoever watches over it.
//!
//! Loopback, a token or a session, and a look at where a request comes from: a page in somebody's browser must not reach
//! memory. What is asked for is found in a table (`route`), whoever asks is judged (`entry`), what is too much is put off
//! (`gate`), the work is done on a thread of its own (`work`), and every answer gets its headers (`answer`).

mod agents;
mod answer;
mod entry;
mod gate;
mod guests;
pub mod interrupt;
mod listen;
mod live;
mod log;
mod meter;
mod opening;
mod route;
mod sessions;
mod steady;
mod talks;
mod told;
mod watch;
mod work;

use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use apostille_text::digest::Digest;
use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::{Method as Verb, Request};
use jiff::Timestamp;
use tokio::sync::{broadcast, watch as channel};

use agents::Agents;
use answer::{Turned, WRONG_METHOD};
use apostille_api::host::Host;
use apostille_api::pass::{Access, Pass};
use apostille_api::visit::{Method, Reply, Route};
use apostille_mcp::{Offer, Server, Turns};
use gate::Gate;
use guests::Place;
use meter::Meter;
use route::{Area, Found, Parts, Row, What};
use sessions::Sessions;
use talks::Bound;
use watch::Looked;
use work::{Job, Size};

pub use log::{Log, Told};

/// Who holds which token.
pub trait Keys: Send + Sync + 'static {
    /// The pass of whoever brings the token with this digest, or none; `None`: nobody is let in with that.
    fn pass(&self, token: Option<&Digest>) -> Option<Pass>;

    /// Since when exactly this token is over, if it is known and was made to end.
    fn over_since(&self, token: &Digest) -> Option<Timestamp>;
}

/// How much is taken on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many requests a second one pass may send; twice as many at once.
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
    /// How long what is under way may take after the program was told to stop.
    pub grace: Duration,
}

impl Default for Limits {
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
            grace: Duration::from_secs(5),
        }
    }
}

/// What a door is made of.
pub struct Plan {
    /// Where memories are.
    pub host: Arc<dyn Host>,
    /// What agents are offered.
    pub offer: Offer,
    /// Who holds which token.
    pub keys: Arc<dyn Keys>,
    /// What the person with the printed link may do.
    pub panel: Access,
    /// Tells the time.
    pub clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// The port that it listens on.
    pub port: u16,
    /// How much is taken on.
    pub limits: Limits,
    /// Where requests are told of.
    pub log: Log,
}

/// A path with what was asked for there.
fn address<B>(request: &Request<B>, path: &str) -> String {
    request
        .uri()
        .query()
        .map_or_else(|| path.to_owned(), |it| format!("{path}?{it}"))
}

/// Whether somebody looks at an address that forms are sent to, as after an error that was told there.
fn is_only_sent_to<B>(found: &Found, request: &Request<B>) -> bool {
    let is_looking = [Verb::GET, Verb::HEAD].contains(request.method());
    is_looking && matches!(&found.row, Err(turned) if turned.status == WRONG_METHOD)
}

/// Leads to the page above.
fn led_up<B>(rows: &[Row], request: &Request<B>) -> Response<Body> {
    let above = route::above(rows, request.uri().path());
    answer::response(Reply::see_other(address(request, &above)))
}

/// The one door of a server.
pub struct Door {
    plan: Plan,
    rows: Vec<Row>,
    agents: Agents,
    sessions: Mutex<Sessions>,
    once: String,
    gate: Arc<Gate>,
    meter: Meter,
    changes: broadcast::Sender<()>,
    stop: channel::Sender<bool>,
    /// The name of this run, for the names of requests.
    run: String,
    asked: AtomicU64,
    in_flight: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    looked: tokio::sync::Mutex<Looked>,
}

impl Door {
    /// A door to these memories.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let gate = Arc::new(Gate::new(plan.limits));
        let turns = Turns {
            places: Arc::clone(&gate.places),
            patience: plan.limits.work,
        };
        let server = Server::new(Arc::clone(&plan.host), plan.offer).taking(turns);
        let once = plan.host.seal("open");
        Self {
            rows: route::rows(),
            changes: server.changes(),
            agents: Agents::new(server),
            sessions: Mutex::new(Sessions::new(&once)),
            once,
            gate,
            meter: Meter::default(),
            stop: channel::Sender::new(false),
            run: plan.host.seal("run"),
            asked: AtomicU64::new(0),
            in_flight: Arc::default(),
            connections: Arc::default(),
            looked: tokio::sync::Mutex::default(),
            plan,
        }
    }

    /// The path that opens the panel, once.
    #[must_use]
    pub fn way_in(&self) -> String {
        format!("/open/{}", self.once)
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        (self.plan.clock)()
    }

    /// How much is read of a request of this pass.
    fn size<'a>(&'a self, most: usize, pass: &'a str) -> Size<'a> {
        Size {
            most,
            gate: &self.gate,
            pass,
            limit: self.plan.limits.body,
        }
    }

    /// The answer to a request, whose sender is noted for the log.
    async fn answered(
        self: &Arc<Self>,
        found: Found,
        request: Request<Incoming>,
        who: &mut Option<String>,
    ) -> Result<Response<Body>, Turned> {
        entry::addressed(&request, self.plan.port)?;
        if found.area == Area::Open {
            if is_only_sent_to(&found, &request) {
                return Ok(led_up(&self.rows, &request));
            }
            let (row, parts) = found.row?;
            return self.opened_to_all(row.what, &parts, request).await;
        }
        let asked_for = |it: Turned| {
            self.guessed(it)
                .asked_for(&address(&request, request.uri().path()))
        };
        let (pass, seal) = self
            .pass(found.area, request.headers())
            .map_err(asked_for)?;
        *who = Some(pass.name.clone());
        request
            .extensions()
            .get::<Arc<Place>>()
            .into_iter()
            .for_each(|it| it.known());
        self.gate.paced(&pass.name, Instant::now())?;
        if found.area == Area::Panel && is_only_sent_to(&found, &request) {
            return Ok(led_up(&self.rows, &request));
        }
        let (row, parts) = found.row?;
        match row.what {
            What::Agents => self.spoken_to(request, pass).await,
            What::Table(route) => self.visited(route, parts, request, (pass, seal)).await,
            What::Live => {
                let repo = work::query(&request)
                    .into_iter()
                    .find(|it| it.0 == "repo")
                    .map(|it| it.1);
                self.live(row.area, request.headers(), repo, &pass.name)
                    .await
            }
            What::Metrics => self.metrics(pass).await.map(answer::response),
            What::Close => self.close(request, &seal).await,
            _ => Err(Turned::no_such_page()),
        }
    }

    /// The answer to somebody of whom nothing is known.
    async fn opened_to_all(
        &self,
        what: What,
        parts: &Parts,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, Turned> {
        match what {
            What::Health => Ok(answer::response(watch::health())),
            What::Ready => self.ready().await.map(answer::response),
            // Whoever only looks where a link leads does not use it up.
            What::Link if request.method() == Verb::HEAD => {
                Err(Turned::new(405, "this address takes GET").with("allow", "GET"))
            }
            What::Link => self.by_link(parts),
            What::Form => self.by_form(request).await,
            What::File(kind, content) => Ok(answer::file(request.headers(), kind, content)),
            _ => Err(Turned::no_such_page()),
        }
    }

    /// The answer of a call or a page.
    async fn visited(
        &self,
        route: &'static Route,
        parts: Parts,
        request: Request<Incoming>,
        (pass, seal): (Pass, String),
    ) -> Result<Response<Body>, Turned> {
        entry::same_origin(&request, self.plan.port)?;
        entry::allowed(&pass, route.need)?;
        let (asked, _held) =
            work::asked(request, parts, self.size(work::MAX_BODY, &pass.name)).await?;
        if pass.is_panel && route.method != Method::Get {
            entry::sealed(&asked, &seal)?;
        }
        let place = self.gate.entered(&pass.name).await?;
        let job = Job {
            route,
            asked,
            pass,
            seal,
        };
        let reply = work::worked(&self.plan.host, job, self.plan.limits.work, place).await?;
        if reply.is_change {
            // Nobody listening is the usual case.
            let _ = self.changes.send(());
        }
        Ok(answer::response(reply))
    }

    /// The answer to a message of an agent.
    async fn spoken_to(
        &self,
        request: Request<Incoming>,
        pass: Pass,
    ) -> Result<Response<Body>, Turned> {
        self.gate.is_open(&pass.name)?;
        let (mut parts, body) = request.into_parts();
        let (body, _held) = work::body(body, self.size(agents::MAX_BODY, &pass.name)).await?;
        let (name, token) = (pass.name.clone(), entry::bearer(&parts.headers));
        parts.extensions.insert(pass);
        let response = self
            .agents
            .answer(Request::from_parts(parts, body), &name)
            .await;
        let is_stream = |it: &HeaderValue| it.as_bytes().starts_with(b"text/event-stream");
        if !response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(is_stream)
        {
            return Ok(response);
        }
        let keys = Arc::clone(&self.plan.keys);
        let is_let_in = move || keys.pass(token.as_ref()).is_some_and(|it| it.name == name);
        Ok(response.map(|body| Body::new(Bound::new(body, is_let_in))))
    }
}
