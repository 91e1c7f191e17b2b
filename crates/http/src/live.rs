//! Telling whoever listens what changed, whoever changed it: one event for each line of the log, and no text of any memory.

use std::pin::Pin;
use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context as Polled, Poll},
    time::Duration,
};

use apostille_core::{
    Context,
    event::{EventBody, LoggedEvent},
    format,
    memory::Handle,
    space::Space,
    store::{EventPage, StoreError},
};
use axum::{body::Body, response::Response};
use hyper::{
    body::{Body as HttpBody, Bytes, Frame},
    header::{self, HeaderMap, HeaderValue},
};
use serde::Serialize;
use tokio::{
    sync::{broadcast, mpsc},
    time::Instant,
};

use super::{
    HttpServer, limiter,
    response::{HttpRejection, HttpResult},
    route::AuthKind,
    route_job::reject_unreadable,
};
use apostille_api::{access_token::AccessToken, host::CallOrigin};
use apostille_mcp::{concurrency::CountGuard, read_change_stamp};

/// How often the store is looked at for what other processes wrote.
const LOOK: Duration = Duration::from_secs(1);
/// How long it may be quiet; whoever stands between may close what says nothing.
const QUIET: Duration = Duration::from_secs(15);
/// When a listener comes back that was cut off.
const RETRY: &[u8] = b"retry: 2000\n\n";
/// How many lines are told at once.
const PAGE: usize = 200;
/// How much may wait for a listener that is slow to take it.
const UNREAD: usize = 16;

/// A change, as it is told.
#[derive(Serialize)]
struct LiveChange<'a> {
    seq: u64,
    event: &'static str,
    space: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    at: String,
}

/// Up to where each space in play was told; spaces may be kept in stores that count for themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LiveCursor(Vec<u64>);

impl LiveCursor {
    /// As a client brings it back.
    fn from_event_id(text: &str) -> Option<Self> {
        let places: Option<Vec<u64>> = text.split('.').map(|it| it.parse().ok()).collect();
        places.filter(|it| it.len() <= 2).map(Self)
    }

    fn to_event_id(&self) -> String {
        let places: Vec<String> = self.0.iter().map(u64::to_string).collect();
        places.join(".")
    }

    /// The place of the space at this position; one that was never told begins where the first is.
    fn position_of(&self, n: usize) -> u64 {
        self.0.get(n).or(self.0.first()).copied().unwrap_or(0)
    }
}

/// What is sent, as it comes.
struct EventStreamBody(mpsc::Receiver<Bytes>);

impl HttpBody for EventStreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        polled: &mut Polled,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(polled)
            .map(|it| it.map(|it| Ok(Frame::data(it))))
    }
}

/// Who listens, to what.
struct LiveListener {
    door: Arc<HttpServer>,
    area: AuthKind,
    headers: HeaderMap,
    is_secure: bool,
    repo: Option<String>,
    heard: Option<LiveCursor>,
    stamp: Option<u64>,
    /// Whether there is more than was told.
    is_behind: bool,
    send: mpsc::Sender<Bytes>,
    _seat: (CountGuard, CountGuard),
}

impl HttpServer {
    /// A stream of what changes from now on, or since the listener was last told something.
    pub(super) async fn open_live_stream(
        self: &Arc<Self>,
        area: AuthKind,
        (headers, is_secure): (&HeaderMap, bool),
        repo: Option<String>,
        caller: &str,
    ) -> HttpResult {
        let seat = self.gate.reserve_listener(caller)?;
        let (send, receive) = mpsc::channel(UNREAD);
        let last = headers.get("last-event-id").and_then(|it| it.to_str().ok());
        let mut listener = LiveListener {
            door: Arc::clone(self),
            area,
            headers: headers.clone(),
            is_secure,
            repo,
            heard: last.and_then(LiveCursor::from_event_id),
            stamp: None,
            is_behind: false,
            send,
            _seat: seat,
        };
        let ours = self.changes.subscribe();
        // There is room for it, so nobody waits.
        let _ = listener.send.try_send(Bytes::from_static(RETRY));
        // Whoever may not listen is told so with a status.
        listener.send_new_changes().await?;
        tokio::spawn(listener.run_until_closed(ours));
        let mut response = Response::new(Body::new(EventStreamBody(receive)));
        let kind = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        Ok(response)
    }
}

impl LiveListener {
    async fn run_until_closed(mut self, mut ours: broadcast::Receiver<()>) {
        let mut stop = self.door.stop.subscribe();
        let mut spoke = Instant::now();
        loop {
            let is_ours = tokio::select! {
                _ = stop.wait_for(|it| *it) => return,
                () = self.send.closed() => return,
                it = tokio::time::timeout(LOOK, ours.recv()) => it.is_ok(),
            };
            let is_worth_it =
                self.has_store_changed().await || is_ours || self.is_behind || self.repo.is_some();
            let told = if is_worth_it {
                self.send_new_changes().await
            } else {
                self.reauthenticate_listener().await.map(|_| false)
            };
            let Ok(mut has_spoken) = told else {
                return;
            };
            if !has_spoken && spoke.elapsed() > QUIET {
                let sign = Bytes::from_static(b": still here\n\n");
                if self.send.send(sign).await.is_err() {
                    return;
                }
                has_spoken = true;
            }
            if has_spoken {
                spoke = Instant::now();
            }
        }
    }

    /// The token of whoever listens, which may have been taken away meanwhile.
    async fn reauthenticate_listener(&self) -> HttpResult<AccessToken> {
        let shown = self
            .door
            .authenticate_request(self.area, &self.headers, self.is_secure)
            .await?;
        Ok(shown.0)
    }

    async fn has_store_changed(&mut self) -> bool {
        let now = read_change_stamp(&self.door.plan.host).await;
        std::mem::replace(&mut self.stamp, now) != now || now.is_none()
    }

    /// Tells what is new; whether there was something.
    async fn send_new_changes(&mut self) -> HttpResult<bool> {
        let token = self.reauthenticate_listener().await?;
        // Whoever waits in vain comes back and is told what it missed.
        let place = self.door.gate.wait_for_slot(&token.name).await;
        let place = place.ok_or_else(limiter::build_busy_rejection)?;
        let origin = CallOrigin {
            repo: self.repo.clone(),
            token: Some(token),
            is_by_name: true,
            ..CallOrigin::default()
        };
        let heard = self.heard.clone();
        let read = self.door.run_in_scope(
            origin,
            place,
            || false,
            move |cx, caller| collect_live_update(cx, &caller.spaces(), heard.as_ref()),
        );
        let news = read.await??.map_err(reject_unreadable)?;
        (self.heard, self.is_behind) = (Some(news.heard), news.is_full);
        if news.text.is_empty() {
            return Ok(false);
        }
        let sent = self.send.send(news.text.into()).await;
        sent.map_err(|_| HttpRejection::new(503, "nobody listens any more"))?;
        Ok(true)
    }
}

/// What there is to tell.
struct LiveUpdate {
    text: String,
    heard: LiveCursor,
    is_full: bool,
}

/// What happened in these spaces behind what was heard, and up to where that is. Who never heard anything is told nothing
/// of what was before.
fn collect_live_update(
    cx: &Context,
    spaces: &[Space],
    heard: Option<&LiveCursor>,
) -> Result<LiveUpdate, StoreError> {
    let mut now = LiveCursor::default();
    let mut told = heard.cloned().unwrap_or_default();
    told.0.resize(spaces.len(), 0);
    let (mut text, mut n_told) = (String::new(), 0);
    for (n, space) in spaces.iter().enumerate() {
        let after = heard.map_or(0, |it| it.position_of(n));
        let page = EventPage {
            changes_only: true,
            after,
            newest_first: heard.is_none(),
            limit: if heard.is_none() { 1 } else { PAGE },
            ..EventPage::default()
        };
        let logged = cx.store.read_events(space, &page)?;
        now.0.push(logged.last().map_or(after, |it| it.seq));
        if heard.is_some() {
            n_told += logged.len();
            for it in &logged {
                told.0[n] = it.seq;
                text += &format_live_event(cx, it, &told)?;
            }
        }
    }
    Ok(LiveUpdate {
        text,
        heard: now,
        is_full: n_told >= PAGE,
    })
}

fn format_live_event(
    cx: &Context,
    logged: &LoggedEvent,
    heard: &LiveCursor,
) -> Result<String, StoreError> {
    let event = &logged.event;
    let number = match (&event.what, event.memory) {
        (EventBody::Forgotten { number, .. }, _) => Some(*number),
        (_, Some(id)) => cx.store.get_by_ids(&[id])?.first().map(|it| it.number),
        _ => None,
    };
    let letter = event.space.handle_letter();
    let handle = number.map(|number| Handle { letter, number }.to_string());
    let change = LiveChange {
        seq: logged.seq,
        event: event.what.event_kind().as_str(),
        space: event.space.as_str(),
        memory: event.memory.map(|it| it.to_string()),
        handle,
        at: format::format_timestamp(event.at),
    };
    let data = serde_json::to_string(&change).unwrap_or_default();
    Ok(format!(
        "event: change\nid: {}\ndata: {data}\n\n",
        heard.to_event_id()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_brought_back_as_it_was_told() {
        let check = |text: &str, expected: Option<&[u64]>| {
            assert_eq!(
                LiveCursor::from_event_id(text),
                expected.map(|it| LiveCursor(it.to_vec())),
                "{text:?}"
            );
        };
        check("17", Some(&[17]));
        check("17.5", Some(&[17, 5]));
        check("", None);
        check("a", None);
        check("1.2.3", None);
        assert_eq!(LiveCursor(vec![17, 5]).to_event_id(), "17.5");
        assert_eq!(LiveCursor(vec![17]).position_of(1), 17);
    }
}
