//! For whoever watches over the server: is it alive, is it ready, what does it count.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use apostille_core::space::Space;
use apostille_core::store::{SpaceSummary, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::answer::Turned;
use super::gate::Held;
use super::meter::{self, Gauges};
use super::{Door, work};
use apostille_api::host::CallOrigin;
use apostille_api::pass::Pass;
use apostille_api::visit::Reply;

const TEXT: &str = "text/plain; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// It answers, so it is alive.
pub(super) fn health() -> Reply {
    Reply::of(200, TEXT, "ok\n".into())
}

/// Whether this pass is told of a space.
fn tallies(store: &dyn Store, pass: &Pass) -> Result<Vec<(Space, SpaceSummary)>, StoreError> {
    let spaces = store.spaces()?.into_iter().filter(|it| pass.reaches(it));
    spaces
        .map(|it| store.summary(&it).map(|tally| (it, tally)))
        .collect()
}

/// What was found when the store was looked at last, and when that was.
pub(super) type Looked = Option<(Timestamp, Result<Reply, Turned>)>;

/// How long that is good for.
const GOOD: SignedDuration = SignedDuration::from_secs(1);

/// What was found, if that is not too long ago; a clock that was set back does not make it last.
fn recent(looked: &Looked, now: Timestamp) -> Option<&Result<Reply, Turned>> {
    looked
        .as_ref()
        .filter(|it| now.duration_since(it.0).abs() < GOOD)
        .map(|it| &it.1)
}

impl Door {
    /// Reads something from the store, on a thread of its own, which has this place.
    async fn read<T: Send + 'static>(
        &self,
        place: Option<Held>,
        read: impl Fn(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Turned> {
        let host = Arc::clone(&self.plan.host);
        let found = tokio::task::spawn_blocking(move || {
            let _place = place;
            let origin = CallOrigin {
                is_by_name: true,
                ..CallOrigin::default()
            };
            let unread = |it: &dyn Display| Turned::new(503, work::told(&it.to_string()));
            let scope = host.open(&origin).map_err(|it| unread(&it))?;
            let found = scope.run(&|| false, |cx, _| read(cx.store));
            found.map_err(|it| unread(&it))?.map_err(|it| unread(&it))
        });
        found
            .await
            .map_err(|_| Turned::new(503, "the store cannot be looked at"))?
    }

    /// Whether the store can be read. Anybody may ask, so it takes nobody's place, and is looked at once a second, however
    /// many ask.
    pub(super) async fn ready(&self) -> Result<Reply, Turned> {
        let mut looked = self.looked.lock().await;
        if let Some(found) = recent(&looked, self.now()) {
            return found.clone();
        }
        let look = self.read(None, |it| it.spaces());
        let found = match tokio::time::timeout(self.plan.limits.wait, look).await {
            Ok(found) => found.map(|_| Reply::of(200, TEXT, "ready\n".into())),
            Err(_) => Err(Turned::new(503, "the store takes too long to be read")),
        };
        *looked = Some((self.now(), found.clone()));
        found
    }

    /// Everything that is counted.
    pub(super) async fn metrics(&self, pass: Pass) -> Result<Reply, Turned> {
        let place = self.gate.entered(&pass.name).await?;
        let tallies = self
            .read(Some(place), move |store| tallies(store, &pass))
            .await?;
        let gauges = Gauges {
            in_flight: self.in_flight.load(Ordering::Relaxed),
            at_work: self.gate.at_work(),
            connections: self.connections.load(Ordering::Relaxed),
            listeners: self.gate.listeners(),
        };
        let page = self.meter.page(&gauges) + &meter::spaces(&tallies);
        Ok(Reply::of(200, PROMETHEUS, page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_good_for_a_second() {
        let at = |ms: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_millis(ms);
        let looked = Some((at(5_000), Ok(health())));
        let check = |ms: i64, expected: bool| {
            assert_eq!(recent(&looked, at(ms)).is_some(), expected, "{ms}")
        };
        check(5_000, true);
        check(5_999, true);
        check(6_000, false);
        check(1_000, false);
        assert!(recent(&None, at(0)).is_none());
    }
}
