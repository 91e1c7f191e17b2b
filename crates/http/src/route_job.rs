//! A call or a page, worked on by a thread of its own. What was begun is finished, whether somebody still waits or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use apostille_core::store::StoreError;
use apostille_text::secrets::mask_secrets;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::{Body as _, Bytes, Incoming};

use super::limiter::{ConcurrencyPermit, RequestLimiter};
use super::response::HttpRejection;
use super::route::PathParams;
use apostille_api::CallFault;
use apostille_api::access_token::AccessToken;
use apostille_api::host::{CallOrigin, Host, PlaceError};
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope, Route};

/// How large a request may be.
pub(super) const MAX_BODY: usize = 1024 * 1024;
/// How much of one that is too large is read.
const THROWN_AWAY: usize = 16 * 1024 * 1024;

/// How much of a request there may be.
#[derive(Clone, Copy)]
pub(super) struct BodyLimit<'a> {
    pub(super) most: usize,
    pub(super) gate: &'a RequestLimiter,
    /// Whose share it takes up.
    pub(super) pass: &'a str,
    pub(super) limit: Duration,
}

/// What a request sends, to its end: not too much, and not too slowly; and the room that it takes up.
pub(super) async fn read_request_body(
    body: Incoming,
    size: BodyLimit<'_>,
) -> Result<(Bytes, ConcurrencyPermit), HttpRejection> {
    let said = body
        .size_hint()
        .upper()
        .and_then(|it| usize::try_from(it).ok());
    let held = size
        .gate
        .reserve_body_memory(size.pass, said.map_or(size.most, |it| it.min(size.most)))?;
    match tokio::time::timeout(size.limit, collect_body_bytes(body, size.most)).await {
        Ok(read) => Ok((read?, held)),
        Err(_) => Err(HttpRejection::new(408, "the request came too slowly")
            .with_header("connection", "close")),
    }
}

/// Somebody who is in the middle of sending does not listen. So what is too long is read on for a while and thrown away,
/// and then it is said.
async fn collect_body_bytes(mut body: Incoming, most: usize) -> Result<Bytes, HttpRejection> {
    let (mut read, mut total) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| HttpRejection::bad_request("the request broke off"))?;
        let data = frame.data_ref().map_or(&[] as &[u8], |it| it);
        total += data.len();
        if total <= most {
            read.extend_from_slice(data);
        }
        if total > THROWN_AWAY {
            break;
        }
    }
    match total <= most {
        true => Ok(read.into()),
        false => Err(HttpRejection::new(
            413,
            format!("the request is longer than {most} bytes"),
        )),
    }
}

/// What stands behind the question mark.
pub(super) fn parse_query_pairs<B>(request: &Request<B>) -> Vec<(String, String)> {
    let query = request.uri().query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

/// What is asked for, and the room that it takes up.
pub(super) async fn read_http_request(
    request: Request<Incoming>,
    parts: PathParams,
    size: BodyLimit<'_>,
) -> Result<(RequestInput, ConcurrencyPermit), HttpRejection> {
    let query = parse_query_pairs(&request);
    let (body, held) = read_request_body(request.into_body(), size).await?;
    Ok((
        RequestInput {
            parts,
            query,
            body: body.into(),
        },
        held,
    ))
}

/// One thing to do.
pub(super) struct RouteJob {
    pub(super) route: &'static Route,
    pub(super) asked: RequestInput,
    pub(super) pass: AccessToken,
    pub(super) seal: String,
}

/// Tells the work that it is time to stop looking things up, when nobody waits any more.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does it; `held` is let go when it is done, not when somebody stops waiting.
pub(super) async fn run_route_job<H: Send + 'static>(
    host: &Arc<dyn Host>,
    job: RouteJob,
    limit: Duration,
    held: H,
) -> Result<HttpReply, HttpRejection> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (host, late, _over) = (
        Arc::clone(host),
        Arc::clone(&is_over),
        CancelOnDrop(is_over),
    );
    let work = tokio::task::spawn_blocking(move || {
        let done = run_route_handler(&*host, &job, &|| late.load(Ordering::Relaxed));
        drop(held);
        done
    });
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(HttpRejection::new(500, "the request broke off")),
        Err(_) => Err(HttpRejection::new(
            503,
            "this takes too long; what it had begun to write is written all the same",
        )
        .with_header("retry-after", "5")),
    }
}

fn run_route_handler(
    host: &dyn Host,
    job: &RouteJob,
    late: &dyn Fn() -> bool,
) -> Result<HttpReply, HttpRejection> {
    let origin = CallOrigin {
        repo: job.asked.query_value("repo").map(Into::into),
        pass: Some(job.pass.clone()),
        is_by_name: true,
        ..CallOrigin::default()
    };
    let scope = host
        .open_scope(&origin)
        .map_err(|it| rejection_from_unplaced(&it))?;
    let reply = scope.run(late, |cx, here| {
        let visit = RequestScope::new(cx, here, &job.pass, &job.seal);
        (job.route.run)(&visit, &job.asked)
    });
    let reply = reply.map_err(|it| rejection_from_unplaced(&it))?;
    reply.map_err(|it| rejection_from_fault(&it))
}

/// Why there is no place to work on.
pub(super) fn rejection_from_unplaced(unplaced: &PlaceError) -> HttpRejection {
    let status = match unplaced {
        PlaceError::Which(_) => 400,
        PlaceError::NoSuch(_) => 404,
        PlaceError::Outside(_) => 403,
        PlaceError::Broken(_) => 503,
    };
    HttpRejection::new(status, redact_error_text(&unplaced.to_string()))
}

fn rejection_from_fault(fault: &CallFault) -> HttpRejection {
    let status = match fault {
        CallFault::Malformed(_) => 400,
        CallFault::NotAPerson => 403,
        CallFault::NoSuchTool { .. } => 404,
        CallFault::Broken(StoreError::Conflict { .. }) => 409,
        CallFault::Broken(StoreError::Busy { .. } | StoreError::Full | StoreError::ReadOnly) => 503,
        CallFault::Broken(_) | CallFault::Unwritable(_) => 500,
    };
    let turned = HttpRejection::new(status, redact_error_text(&fault.to_string()));
    if matches!(status, 409 | 503) {
        turned.with_header("retry-after", "1")
    } else {
        turned
    }
}

/// What may be told through a socket: no secret, and no path of this machine.
pub(super) fn redact_error_text(text: &str) -> String {
    let word = |it: &str| match it
        .trim_start_matches(['\'', '"', '(', '`'])
        .starts_with(['/', '\\'])
    {
        true => "…".to_owned(),
        false => it.to_owned(),
    };
    mask_secrets(text)
        .split(' ')
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_this_machine_is_told() {
        let check = |text: &str, expected: &str| assert_eq!(redact_error_text(text), expected);
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
