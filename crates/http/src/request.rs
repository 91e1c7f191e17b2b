//! A request from its first byte to its answer: it gets a name, and is counted and told of, also when nobody waits for
//! the answer any more.

use std::sync::Arc;
use std::{error::Error, net::IpAddr, sync::atomic::Ordering, time::Instant};

use apostille_core::format;
use apostille_text::secrets;
use axum::{body::Body, response::Response};
use hyper::{
    Method as Verb, Request,
    body::Incoming,
    header::{HeaderMap, HeaderValue},
};

use super::{
    HttpServer, auth,
    log::{self, RequestLogLine, ServerLogLine},
    response::{self, ErrorFormat},
    route,
};
use apostille_mcp::concurrency::CountGuard;

/// The header with a request's name.
const ID: &str = "x-request-id";
/// How long a name may be that a client gives.
const MAX_ID: usize = 64;
/// What is told of a request whose sender went away.
const GONE: u16 = 499;

/// A request that is under way.
struct InFlightRequest {
    door: Arc<HttpServer>,
    started: Instant,
    id: String,
    method: &'static str,
    route: &'static str,
    who: Option<String>,
    client: Option<IpAddr>,
    status: u16,
    _flight: CountGuard,
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        let took = self.started.elapsed();
        self.door
            .meter
            .record_request(self.route, self.method, self.status, took);
        self.door.plan.log.write_line(&RequestLogLine {
            at: format::format_timestamp(self.door.now()),
            level: log::classify_http_status(self.status),
            id: &self.id,
            method: self.method,
            route: self.route,
            status: self.status,
            ms: (took.as_secs_f64() * 1e6).round() / 1e3,
            token: self.who.as_deref(),
            client: self.client,
        });
    }
}

impl HttpServer {
    /// The answer to a request.
    pub(super) async fn handle_request(
        self: &Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<Body> {
        let shape = ErrorFormat::for_path(request.uri().path());
        let found = route::match_route(&self.rows, request.method(), request.uri().path());
        let mut passing = InFlightRequest {
            door: Arc::clone(self),
            started: Instant::now(),
            id: self.request_id(request.headers()),
            method: label_http_method(request.method()),
            route: found.pattern,
            who: None,
            client: auth::read_peer(&request)
                .filter(|_| self.plan.reach.is_public)
                .map(|it| it.address),
            status: GONE,
            _flight: CountGuard::new(&self.in_flight),
        };
        let answered = self
            .dispatch_request(found, request, &mut passing.who)
            .await;
        let mut response = answered.unwrap_or_else(|turned| {
            if let Some(of) = turned.shed {
                self.meter.record_shed(of);
            }
            response::build_http_response(turned.into_reply(shape))
        });
        passing.status = response.status().as_u16();
        if let Ok(id) = HeaderValue::from_str(&passing.id) {
            response.headers_mut().insert(ID, id);
        }
        response::add_security_headers(response)
    }

    /// Tells the operator what happened to the server.
    pub(super) fn report_event(&self, event: &'static str) {
        self.write_server_line(event, "info", None);
    }

    /// Tells the operator what went wrong, with its causes.
    pub(super) fn report_problem(&self, event: &'static str, error: &dyn Error) {
        let mut why = error.to_string();
        let mut cause = error.source();
        while let Some(it) = cause {
            why = format!("{why}: {it}");
            cause = it.source();
        }
        self.write_server_line(event, "error", Some(&why));
    }

    fn write_server_line(&self, event: &'static str, level: &'static str, why: Option<&str>) {
        self.plan.log.write_event(&ServerLogLine {
            at: format::format_timestamp(self.now()),
            level,
            event,
            in_flight: self.in_flight.load(Ordering::Relaxed),
            why,
        });
    }

    /// The name of a request: the client's, where it is short and plain and no secret, else one of ours.
    fn request_id(&self, headers: &HeaderMap) -> String {
        let is_plain = |it: &&str| {
            (1..=MAX_ID).contains(&it.len())
                && it
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
                && secrets::find_secret(it).is_none()
        };
        let brought = headers.get(ID).and_then(|it| it.to_str().ok());
        let ours = || {
            let n = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
            format!("{}-{n}", &self.run[..8])
        };
        brought.filter(is_plain).map_or_else(ours, Into::into)
    }
}

/// The word for how something is asked for; there are only so many.
fn label_http_method(verb: &Verb) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let mut known = KNOWN.into_iter();
    known.find(|it| verb == *it).unwrap_or("OTHER")
}
