//! Telling whoever listens what changed, whoever changed it: one event for each line of the log, and no text of any memory.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Polled, Poll};
use std::time::Duration;

use apostille_core::Context;
use apostille_core::event::{Logged, What};
use apostille_core::format;
use apostille_core::memory::Handle;
use apostille_core::space::Space;
use apostille_core::store::{EventPage, StoreError};
use axum::body::Body;
use axum::response::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::header::{self, HeaderMap, HeaderValue};
use serde::Serialize;
use std::convert::Infallible;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

use super::answer::Turned;
use super::route::Area;
use super::{Door, gate, work};
use apostille_api::host::CallOrigin;
use apostille_api::pass::Pass;
use apostille_mcp::concurrency::Counted;

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
struct Change<'a> {
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
struct Heard(Vec<u64>);

impl Heard {
    /// As a client brings it back.
    fn read(text: &str) -> Option<Self> {
        let places: Option<Vec<u64>> = text.split('.').map(|it| it.parse().ok()).collect();
        places.filter(|it| it.len() <= 2).map(Self)
    }

    fn told(&self) -> String {
        self.0
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(".")
    }

    /// The place of the space at this position; one that was never told begins where the first is.
    fn at(&self, n: usize) -> u64 {
        self.0.get(n).or(self.0.first()).copied().unwrap_or(0)
    }
}

/// What is sent, as it comes.
struct Stream(mpsc::Receiver<Bytes>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        polled: &mut Polled<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(polled)
            .map(|it| it.map(|it| Ok(Frame::data(it))))
    }
}

/// Who listens, to what.
struct Listener {
    door: Arc<Door>,
    area: Area,
    headers: HeaderMap,
    repo: Option<String>,
    heard: Option<Heard>,
    stamp: Option<u64>,
    /// Whether there is more than was told.
    is_behind: bool,
    send: mpsc::Sender<Bytes>,
    _seat: (Counted, Counted),
}

impl Door {
    /// A stream of what changes from now on, or since the listener was last told something.
    pub(super) async fn live(
        self: &Arc<Self>,
        area: Area,
        headers: &HeaderMap,
        repo: Option<String>,
        pass: &str,
    ) -> Result<Response<Body>, Turned> {
        let seat = self.gate.seat(pass)?;
        let (send, receive) = mpsc::channel(UNREAD);
        let last = headers
            .get("last-event-id")
            .and_then(|it| it.to_str().ok())
            .and_then(Heard::read);
        let mut listener = Listener {
            door: Arc::clone(self),
            area,
            headers: headers.clone(),
            repo,
            heard: last,
            stamp: None,
            is_behind: false,
            send,
            _seat: seat,
        };
        let ours = self.changes.subscribe();
        // There is room for it, so nobody waits.
        let _ = listener.send.try_send(Bytes::from_static(RETRY));
        // Whoever may not listen is told so with a status.
        listener.look().await?;
        tokio::spawn(listener.go_on(ours));
        let mut response = Response::new(Body::new(Stream(receive)));
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        );
        Ok(response)
    }
}

impl Listener {
    async fn go_on(mut self, mut ours: broadcast::Receiver<()>) {
        let mut stop = self.door.stop.subscribe();
        let mut spoke = Instant::now();
        loop {
            let is_ours = tokio::select! {
                _ = stop.wait_for(|it| *it) => return,
                () = self.send.closed() => return,
                it = tokio::time::timeout(LOOK, ours.recv()) => it.is_ok(),
            };
            let is_worth_it =
                self.is_changed().await || is_ours || self.is_behind || self.repo.is_some();
            let told = if is_worth_it {
                self.look().await
            } else {
                self.pass().map(|_| false)
            };
            match told {
                Err(_) => return,
                Ok(true) => spoke = Instant::now(),
                Ok(false) if spoke.elapsed() > QUIET => {
                    spoke = Instant::now();
                    if self
                        .send
                        .send(Bytes::from_static(b": still here\n\n"))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
                Ok(false) => {}
            }
        }
    }

    /// The pass of whoever listens, which may have been taken away meanwhile.
    fn pass(&self) -> Result<Pass, Turned> {
        self.door.pass(self.area, &self.headers).map(|it| it.0)
    }

    async fn is_changed(&mut self) -> bool {
        let host = Arc::clone(&self.door.plan.host);
        let now = tokio::task::spawn_blocking(move || host.stamp())
            .await
            .ok()
            .flatten();
        std::mem::replace(&mut self.stamp, now) != now || now.is_none()
    }

    /// Tells what is new; whether there was something.
    async fn look(&mut self) -> Result<bool, Turned> {
        let pass = self.pass()?;
        let (host, repo, heard) = (
            Arc::clone(&self.door.plan.host),
            self.repo.clone(),
            self.heard.clone(),
        );
        // Whoever waits in vain comes back and is told what it missed.
        let place = self
            .door
            .gate
            .turn(&pass.name)
            .await
            .ok_or_else(gate::busy)?;
        let read = tokio::task::spawn_blocking(move || {
            let _place = place;
            let origin = CallOrigin {
                repo,
                pass: Some(pass),
                is_by_name: true,
                ..CallOrigin::default()
            };
            let scope = host.open(&origin).map_err(|it| work::unplaced(&it))?;
            let read = scope.run(&|| false, |cx, here| {
                news(cx, &here.spaces(), heard.as_ref())
            });
            let read = read.map_err(|it| work::unplaced(&it))?;
            read.map_err(|it| Turned::new(503, work::told(&it.to_string())))
        });
        let news = read
            .await
            .map_err(|_| Turned::new(500, "the request broke off"))??;
        (self.heard, self.is_behind) = (Some(news.heard), news.is_full);
        if news.text.is_empty() {
            return Ok(false);
        }
        self.send
            .send(news.text.into())
            .await
            .map_err(|_| Turned::new(503, "nobody listens any more"))?;
        Ok(true)
    }
}

/// What there is to tell.
#[derive(Default)]
struct News {
    text: String,
    heard: Heard,
    is_full: bool,
}

/// What happened in these spaces behind what was heard, and up to where that is. Who never heard anything is told nothing
/// of what was before.
fn news(cx: &Context<'_>, spaces: &[Space], heard: Option<&Heard>) -> Result<News, StoreError> {
    let page = || EventPage {
        changes_only: true,
        ..EventPage::default()
    };
    let mut now = Heard::default();
    let mut logged: Vec<(usize, Logged)> = Vec::new();
    for (n, space) in spaces.iter().enumerate() {
        match heard {
            None => {
                let last = EventPage {
                    newest_first: true,
                    limit: 1,
                    ..page()
                };
                let last = cx.store.events(space, &last)?;
                now.0.push(last.first().map_or(0, |it| it.seq));
            }
            Some(heard) => {
                let new = EventPage {
                    after: heard.at(n),
                    limit: PAGE,
                    ..page()
                };
                let new = cx.store.events(space, &new)?;
                now.0.push(new.last().map_or(heard.at(n), |it| it.seq));
                logged.extend(new.into_iter().map(|it| (n, it)));
            }
        }
    }
    let mut told = heard.cloned().unwrap_or_default();
    told.0.resize_with(now.0.len(), Default::default);
    let mut text = String::new();
    for (n, it) in &logged {
        told.0[*n] = it.seq;
        text += &written(cx, it, &told)?;
    }
    Ok(News {
        text,
        heard: now,
        is_full: logged.len() >= PAGE,
    })
}

fn written(cx: &Context<'_>, logged: &Logged, heard: &Heard) -> Result<String, StoreError> {
    let event = &logged.event;
    let number = match (&event.what, event.memory) {
        (What::Forgotten { number, .. }, _) => Some(*number),
        (_, Some(id)) => cx.store.get_by_ids(&[id])?.first().map(|it| it.number),
        _ => None,
    };
    let handle = number.map(|number| {
        Handle {
            letter: event.space.letter(),
            number,
        }
        .to_string()
    });
    let change = Change {
        seq: logged.seq,
        event: event.what.happening().as_str(),
        space: event.space.as_str(),
        memory: event.memory.map(|it| it.to_string()),
        handle,
        at: format::timestamp(event.at),
    };
    let data = serde_json::to_string(&change).unwrap_or_default();
    Ok(format!(
        "event: change\nid: {}\ndata: {data}\n\n",
        heard.told()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_brought_back_as_it_was_told() {
        let check = |text: &str, expected: Option<&[u64]>| {
            assert_eq!(
                Heard::read(text),
                expected.map(|it| Heard(it.to_vec())),
                "{text:?}"
            );
        };
        check("17", Some(&[17]));
        check("17.5", Some(&[17, 5]));
        check("", None);
        check("a", None);
        check("1.2.3", None);
        assert_eq!(Heard(vec![17, 5]).told(), "17.5");
        assert_eq!(Heard(vec![17]).at(1), 17);
    }
}
