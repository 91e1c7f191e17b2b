//! A call or a page, worked on by a thread of its own. What was begun is finished, whether somebody still waits or not.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use apostille_core::Context;
use apostille_text::secrets::mask_secrets;
use http_body_util::BodyExt as _;
use hyper::{
    Request,
    body::{Body as _, Bytes, Incoming},
};

use tokio::task::JoinError;

use super::{
    HttpServer, auth,
    limiter::ConcurrencyPermit,
    response::{self, HttpRejection, HttpResult},
    route::PathParams,
};
use apostille_api::{
    CallFault, Caller,
    access_token::AccessToken,
    host::{CallOrigin, PlaceError},
    request_scope::{HttpMethod, RequestInput, RequestScope, Route},
};
use apostille_mcp::concurrency::CancelOnDrop;

/// How large a request may be.
const MAX_BODY: usize = 1024 * 1024;
/// How much of one that is too large is read.
const THROWN_AWAY: usize = 16 * 1024 * 1024;

/// Somebody who is in the middle of sending does not listen. So what is too long is read on for a while and thrown away,
/// and then it is said.
async fn collect_body_bytes(mut body: Incoming, most: usize) -> HttpResult<Bytes> {
    let (mut read, mut total) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| HttpRejection::new(400, "the request broke off"))?;
        let data = frame.into_data().unwrap_or_default();
        total += data.len();
        if total <= most {
            read.extend_from_slice(&data);
        }
        if total > THROWN_AWAY {
            break;
        }
    }
    if total > most {
        return Err(build_too_long_rejection(most));
    }
    Ok(read.into())
}

fn build_too_long_rejection(most: usize) -> HttpRejection {
    let why = format!("the request is longer than {most} bytes");
    HttpRejection::new(413, why).with_header("connection", "close")
}

/// Throws away what a client still sends after it was refused. Closing the connection at once would take the answer from a
/// client that reads it only when it has sent everything.
fn discard_body(body: Incoming, patience: Duration) {
    tokio::spawn(async move {
        // Nothing is kept of it: more than nothing is too long.
        let discard = collect_body_bytes(body, 0);
        let _ = tokio::time::timeout(patience, discard).await;
    });
}

/// What stands behind the question mark.
pub(super) fn parse_query_pairs<B>(request: &Request<B>) -> Vec<(String, String)> {
    let query = request.uri().query().unwrap_or_default();
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs.into_owned().collect()
}

impl HttpServer {
    /// What a request sends, to its end: not too much, and not too slowly; and the room that it takes up of this token's
    /// share.
    pub(super) async fn read_request_body(
        &self,
        body: Incoming,
        most: usize,
        caller: &str,
    ) -> HttpResult<(Bytes, ConcurrencyPermit)> {
        let said = body.size_hint().upper();
        let said = said.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        // A length beyond the limit is refused before a byte of it was read, and before room is taken up for it.
        if said.is_some_and(|it| it > most) {
            discard_body(body, self.plan.limits.body);
            return Err(build_too_long_rejection(most));
        }
        let size = said.unwrap_or(most);
        let held = self.gate.reserve_body_memory(caller, size)?;
        let read = collect_body_bytes(body, most);
        match tokio::time::timeout(self.plan.limits.body, read).await {
            Ok(read) => Ok((read?, held)),
            Err(_) => Err(HttpRejection::new(408, "the request came too slowly")
                .with_header("connection", "close")),
        }
    }

    /// What is asked for, and the room that it takes up.
    pub(super) async fn read_http_request(
        &self,
        request: Request<Incoming>,
        parts: PathParams,
        most: usize,
        caller: &str,
    ) -> HttpResult<(RequestInput, ConcurrencyPermit)> {
        let query = parse_query_pairs(&request);
        let (body, held) = self
            .read_request_body(request.into_body(), most, caller)
            .await?;
        let body = body.into();
        Ok((RequestInput { parts, query, body }, held))
    }

    /// The answer of a call or a page.
    pub(super) async fn run_route(
        &self,
        route: &'static Route,
        parts: PathParams,
        request: Request<Incoming>,
        (token, csrf_token): (AccessToken, String),
    ) -> HttpResult {
        self.check_same_origin(&request)?;
        auth::check_route_access(&token, route.need)?;
        let (asked, _held) = self
            .read_http_request(request, parts, MAX_BODY, &token.name)
            .await?;
        if token.is_panel && route.method != HttpMethod::Get {
            auth::verify_csrf_token(&asked, &csrf_token)?;
        }
        let place = self.gate.acquire_slot(&token.name).await?;
        let over = CancelOnDrop::default();
        let is_over = Arc::clone(&over.0);
        let origin = CallOrigin {
            repo: asked.query_value("repo").map(Into::into),
            token: Some(token.clone()),
            is_by_name: true,
            ..CallOrigin::default()
        };
        let late = move || is_over.load(Ordering::Relaxed);
        let work = self.run_in_scope(origin, place, late, move |cx, caller| {
            (route.run)(&RequestScope::new(cx, caller, &token, &csrf_token), &asked)
        });
        let Ok(done) = tokio::time::timeout(self.plan.limits.work, work).await else {
            let why = "this takes too long; what it had begun to write is written all the same";
            return Err(HttpRejection::new(503, why).with_header("retry-after", "5"));
        };
        let reply = done???;
        if reply.is_change {
            // Nobody listening is the usual case.
            let _ = self.changes.send(());
        }
        Ok(response::build_http_response(reply))
    }

    /// Opens the place that a request works on and does something there, on a thread of its own; `held` is let go when
    /// that is done, not when somebody stops waiting.
    pub(super) async fn run_in_scope<T: Send + 'static>(
        &self,
        origin: CallOrigin,
        held: impl Send + 'static,
        late: impl Fn() -> bool + Send + 'static,
        work: impl FnOnce(&Context, &Caller) -> T + Send + 'static,
    ) -> Result<Result<T, PlaceError>, JoinError> {
        let host = Arc::clone(&self.plan.host);
        let work = tokio::task::spawn_blocking(move || {
            let _held = held;
            host.open_scope(&origin)?.run(&late, work)
        });
        work.await
    }
}

/// Why something that had to be read could not be.
pub(super) fn reject_unreadable(error: impl ToString) -> HttpRejection {
    HttpRejection::new(503, redact_error_text(&error))
}

impl From<JoinError> for HttpRejection {
    fn from(_: JoinError) -> Self {
        Self::new(500, "the request broke off")
    }
}

/// Why there is no place to work on.
impl From<PlaceError> for HttpRejection {
    fn from(unplaced: PlaceError) -> Self {
        Self::new(unplaced.status(), redact_error_text(&unplaced))
    }
}

impl From<CallFault> for HttpRejection {
    fn from(fault: CallFault) -> Self {
        let status = fault.status();
        let turned = Self::new(status, redact_error_text(&fault));
        if matches!(status, 409 | 503) {
            turned.with_header("retry-after", "1")
        } else {
            turned
        }
    }
}

/// What may be told through a socket: no secret, and no path of this machine.
fn redact_error_text(error: &impl ToString) -> String {
    let text = error.to_string();
    let text = mask_secrets(&text);
    let words = text.split(' ').map(|it| {
        let inner = it.trim_start_matches(['\'', '"', '(', '`']);
        if inner.starts_with(['/', '\\']) {
            "…"
        } else {
            it
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_this_machine_is_told() {
        let check = |text: &str, expected: &str| assert_eq!(redact_error_text(&text), expected);
        check(
            "cannot open '/home/ana/x.db': denied",
            "cannot open … denied",
        );
        check(
            "acme/app is not here; run `apostille doctor`",
            "acme/app is not here; run `apostille doctor`",
        );
    }
}
