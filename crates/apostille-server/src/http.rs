//! The server behind a socket: the panel for people, `/api` for programs, `/mcp` for agents, `/health` for whoever watches
//! over it.
//!
//! Loopback, a token or a session, and a look at where a request comes from: a page in somebody's browser must not reach
//! memory. What is asked for is found in a table ([`route`]), whoever asks is judged ([`entry`]), what costs too much is
//! put off ([`gate`]), the work is done on a thread of its own ([`work`]), and the answer gets its headers ([`answer`]).

mod agents;
mod answer;
mod entry;
mod listen;
mod opening;
mod route;
mod sessions;
mod work;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use apostille_core::digest::Digest;
use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;

use jiff::Timestamp;

use crate::host::Host;
use crate::mcp::{Offer, Server};
use crate::pass::{Access, Pass};
use crate::visit::{Method, Reply};
use agents::Agents;
use answer::{Shape, Turned};
use route::{Area, Found, Row, What};
use sessions::Sessions;
use work::Job;

/// Who holds which token.
pub trait Keys: Send + Sync + 'static {
    /// The pass of whoever brings the token with this digest, or none; `None`: nobody is let in with that.
    fn pass(&self, token: Option<&Digest>) -> Option<Pass>;
}

/// How much is taken on.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a request may take to say what it wants.
    pub head: Duration,
    /// How long the rest of it may take.
    pub body: Duration,
    /// How long an answer may take.
    pub work: Duration,
    /// How long what is under way may take after the program was told to stop.
    pub grace: Duration,
    /// How many connections there may be.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            body: Duration::from_secs(15),
            work: Duration::from_secs(30),
            grace: Duration::from_secs(5),
            connections: 512,
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
}

/// The one door of a server.
pub struct Door {
    plan: Plan,
    rows: Vec<Row>,
    agents: Agents,
    sessions: Mutex<Sessions>,
    once: String,
}

impl Door {
    /// A door to these memories.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let server = Server::new(Arc::clone(&plan.host), plan.offer);
        let once = plan.host.seal("open");
        Self {
            rows: route::rows(),
            agents: Agents::new(server),
            sessions: Mutex::new(Sessions::new(&once)),
            once,
            plan,
        }
    }

    /// The path that opens the panel, once.
    #[must_use]
    pub fn way_in(&self) -> String {
        format!("/open/{}", self.once)
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        (self.plan.clock)()
    }

    /// The answer to a request.
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let shape = Shape::of(request.uri().path());
        let found = route::find(&self.rows, request.method(), request.uri().path());
        let answered = self.answered(found, request).await;
        answer::dressed(answered.unwrap_or_else(|turned| answer::response(turned.reply(shape))))
    }

    async fn answered(&self, found: Found, request: Request<Incoming>) -> Result<Response<Body>, Turned> {
        entry::addressed(request.headers(), self.plan.port)?;
        let (pass, seal) = match found.area {
            Area::Open => (None, String::new()),
            area => self.pass(area, request.headers()).map(|it| (Some(it.0), it.1))?,
        };
        let (row, parts) = found.row?;
        match (row.what, pass) {
            (What::Agents, Some(pass)) => self.spoken_to(request, pass).await,
            (What::Table(route), Some(pass)) => {
                entry::same_origin(&request, self.plan.port)?;
                entry::allowed(&pass, route.need)?;
                let asked = work::asked(request, parts, &self.plan.limits).await?;
                if row.area == Area::Panel && route.method != Method::Get {
                    entry::sealed(&asked, &seal)?;
                }
                let job = Job { route, asked, pass, seal };
                let reply = work::worked(&self.plan.host, job, self.plan.limits.work, ()).await?;
                Ok(answer::response(reply))
            }
            (What::Close, _) => self.close(request, &seal).await,
            (What::Link, _) => self.by_link(&parts),
            (What::Form, _) => self.by_form(request).await,
            (What::File(kind, content), _) => Ok(answer::response(Reply::of(200, kind, content.into()))),
            (What::Health, _) => {
                Ok(answer::response(Reply::of(200, "text/plain; charset=utf-8", "ok\n".into())))
            }
            (What::Agents | What::Table(_), None) => Err(entry::outside()),
        }
    }

    /// A message of an agent.
    async fn spoken_to(&self, request: Request<Incoming>, pass: Pass) -> Result<Response<Body>, Turned> {
        let (mut parts, body) = request.into_parts();
        let body = work::body(body, agents::MAX_BODY, &self.plan.limits).await?;
        parts.extensions.insert(pass);
        Ok(self.agents.answer(Request::from_parts(parts, body)).await)
    }
}
