//! A call or a page, worked on by a thread of its own. What was begun is finished, whether somebody still waits or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use apostille_core::Error;
use apostille_core::store::StoreError;
use apostille_text::secrets::masked;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::{Body as _, Bytes, Incoming};

use super::answer::Turned;
use super::gate::{Gate, Held};
use super::route::Parts;
use apostille_api::Fault;
use apostille_api::host::{CallOrigin, Host, Unplaced};
use apostille_api::pass::Pass;
use apostille_api::visit::{Asked, Reply, Route, Visit};

/// How large a request may be.
pub(super) const MAX_BODY: usize = 1024 * 1024;
/// How much of one that is too large is read.
const THROWN_AWAY: usize = 16 * 1024 * 1024;

/// How much of a request there may be.
#[derive(Clone, Copy)]
pub(super) struct Size<'a> {
    pub(super) most: usize,
    pub(super) gate: &'a Gate,
    /// Whose share it takes up.
    pub(super) pass: &'a str,
    pub(super) limit: Duration,
}

/// What a request sends, to its end: not too much, and not too slowly; and the room that it takes up.
pub(super) async fn body(body: Incoming, size: Size<'_>) -> Result<(Bytes, Held), Turned> {
    let said = body
        .size_hint()
        .upper()
        .and_then(|it| usize::try_from(it).ok());
    let held = size
        .gate
        .weighed(size.pass, said.map_or(size.most, |it| it.min(size.most)))?;
    match tokio::time::timeout(size.limit, collected(body, size.most)).await {
        Ok(read) => Ok((read?, held)),
        Err(_) => Err(Turned::new(408, "the request came too slowly").with("connection", "close")),
    }
}

/// Somebody who is in the middle of sending does not listen. So what is too long is read on for a while and thrown away,
/// and then it is said.
async fn collected(mut body: Incoming, most: usize) -> Result<Bytes, Turned> {
    let (mut read, mut total) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Turned::malformed("the request broke off"))?;
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
        false => Err(Turned::new(
            413,
            format!("the request is longer than {most} bytes"),
        )),
    }
}

/// What stands behind the question mark.
pub(super) fn query<B>(request: &Request<B>) -> Vec<(String, String)> {
    let query = request.uri().query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

/// What is asked for, and the room that it takes up.
pub(super) async fn asked(
    request: Request<Incoming>,
    parts: Parts,
    size: Size<'_>,
) -> Result<(Asked, Held), Turned> {
    let query = query(&request);
    let (body, held) = body(request.into_body(), size).await?;
    Ok((
        Asked {
            parts,
            query,
            body: body.into(),
        },
        held,
    ))
}

/// One thing to do.
pub(super) struct Job {
    pub(super) route: &'static Route,
    pub(super) asked: Asked,
    pub(super) pass: Pass,
    pub(super) seal: String,
}

/// Tells the work that it is time to stop looking things up, when nobody waits any more.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does it; `held` is let go when it is done, not when somebody stops waiting.
pub(super) async fn worked<H: Send + 'static>(
    host: &Arc<dyn Host>,
    job: Job,
    limit: Duration,
    held: H,
) -> Result<Reply, Turned> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (host, late, _over) = (Arc::clone(host), Arc::clone(&is_over), Over(is_over));
    let work = tokio::task::spawn_blocking(move || {
        let done = done(&*host, &job, &|| late.load(Ordering::Relaxed));
        drop(held);
        done
    });
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(Turned::new(500, "the request broke off")),
        Err(_) => Err(Turned::new(
            503,
            "this takes too long; what it had begun to write is written all the same",
        )
        .with("retry-after", "5")),
    }
}

fn done(host: &dyn Host, job: &Job, late: &dyn Fn() -> bool) -> Result<Reply, Turned> {
    let origin = CallOrigin {
        repo: job.asked.query("repo").map(Into::into),
        pass: Some(job.pass.clone()),
        is_by_name: true,
        ..CallOrigin::default()
    };
    let scope = host.open(&origin).map_err(|it| unplaced(&it))?;
    let reply = scope.run(late, |cx, here| {
        let visit = Visit::new(cx, here, &job.pass, &job.seal);
        (job.route.run)(&visit, &job.asked)
    });
    let reply = reply.map_err(|it| unplaced(&it))?;
    reply.map_err(|it| broken(&it))
}

/// Why there is no place to work on.
pub(super) fn unplaced(unplaced: &Unplaced) -> Turned {
    let status = match unplaced {
        Unplaced::Which(_) => 400,
        Unplaced::NoSuch(_) => 404,
        Unplaced::Outside(_) => 403,
        Unplaced::Broken(_) => 503,
    };
    Turned::new(status, told(&unplaced.to_string()))
}

fn broken(fault: &Fault) -> Turned {
    let status = match fault {
        Fault::Malformed(_) => 400,
        Fault::NotAPerson => 403,
        Fault::NoSuchTool { .. } => 404,
        Fault::Broken(Error::Store(StoreError::Conflict { .. })) => 409,
        Fault::Broken(Error::Store(
            StoreError::Busy { .. } | StoreError::Full | StoreError::ReadOnly,
        )) => 503,
        Fault::Broken(_) | Fault::Unwritable(_) => 500,
    };
    let turned = Turned::new(status, told(&fault.to_string()));
    if matches!(status, 409 | 503) {
        turned.with("retry-after", "1")
    } else {
        turned
    }
}

/// What may be told through a socket: no secret, and no path of this machine.
pub(super) fn told(text: &str) -> String {
    let word = |it: &str| match it
        .trim_start_matches(['\'', '"', '(', '`'])
        .starts_with(['/', '\\'])
    {
        true => "…".to_owned(),
        false => it.to_owned(),
    };
    masked(text)
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
        let check = |text: &str, expected: &str| assert_eq!(told(text), expected);
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
