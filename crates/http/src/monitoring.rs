//! For whoever watches over the server: is it alive, is it ready, what does it count.

use std::sync::atomic::Ordering;

use apostille_core::store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::{
    HttpServer,
    limiter::ConcurrencyPermit,
    metrics::{self, HttpGauges},
    response::{self, HttpRejection, HttpResult},
    route_job::reject_unreadable,
};
use apostille_api::{access_token::AccessToken, host::CallOrigin, request_scope::HttpReply};
use apostille_mcp::concurrency::CountGuard;

const TEXT: &str = "text/plain; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// It answers, so it is alive.
pub(super) fn reply_health() -> HttpReply {
    HttpReply::new(200, TEXT, "ok\n".into())
}

/// What was found when the store was looked at last, and when that was.
pub(super) type LastReadiness = Option<(Timestamp, HttpResult<HttpReply>)>;

/// How long that is good for.
const GOOD: SignedDuration = SignedDuration::from_secs(1);

/// What was found, if that is not too long ago; a clock that was set back does not make it last.
fn find_fresh_readiness(looked: &LastReadiness, now: Timestamp) -> Option<&HttpResult<HttpReply>> {
    looked
        .as_ref()
        .filter(|it| now.duration_since(it.0).abs() < GOOD)
        .map(|it| &it.1)
}

impl HttpServer {
    /// Reads something from the store, on a thread of its own, which has this place.
    async fn read_store<T: Send + 'static>(
        &self,
        place: Option<ConcurrencyPermit>,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> HttpResult<T> {
        let origin = CallOrigin {
            is_by_name: true,
            ..CallOrigin::default()
        };
        let read = self.run_in_scope(origin, place, || false, move |cx, _| read(cx.store));
        let Ok(found) = read.await else {
            return Err(HttpRejection::new(503, "the store cannot be looked at"));
        };
        found.map_err(reject_unreadable)?.map_err(reject_unreadable)
    }

    /// Whether the store can be read. Anybody may ask, so it takes nobody's place, and is looked at once a second, however
    /// many ask.
    pub(super) async fn check_readiness(&self) -> HttpResult<HttpReply> {
        if self.is_stopping.load(Ordering::Relaxed) {
            return Err(HttpRejection::new(503, "the server is stopping"));
        }
        let mut looked = self.looked.lock().await;
        if let Some(found) = find_fresh_readiness(&looked, self.now()) {
            return found.clone();
        }
        let late = || HttpRejection::new(503, "the store takes too long to be read");
        // A store that does not answer keeps one thread, and not one more for each look.
        let Some(looking) = CountGuard::new_within(&self.looking, 1) else {
            return Err(late());
        };
        let look = self.read_store(None, move |it| {
            let _looking = looking;
            it.list_spaces()
        });
        let found = match tokio::time::timeout(self.plan.limits.wait, look).await {
            Ok(found) => found.map(|_| HttpReply::new(200, TEXT, "ready\n".into())),
            Err(_) => Err(late()),
        };
        *looked = Some((self.now(), found.clone()));
        found
    }

    /// Everything that is counted.
    pub(super) async fn render_metrics(&self, token: AccessToken) -> HttpResult {
        let place = self.gate.acquire_slot(&token.name).await?;
        let summarize = move |store: &dyn Store| {
            let mut spaces = store.list_spaces()?;
            spaces.retain(|it| token.reaches_space(it));
            let summaries = spaces
                .into_iter()
                .map(|it| Ok((store.summarize_space(&it)?, it)));
            summaries.collect::<Result<Vec<_>, StoreError>>()
        };
        let tallies = self.read_store(Some(place), summarize).await?;
        let gauges = HttpGauges {
            in_flight: self.in_flight.load(Ordering::Relaxed),
            at_work: self.gate.places.count_running(),
            connections: self.connections.load(Ordering::Relaxed),
            listeners: self.gate.listeners(),
            started: self.started,
            certificate_until: self.plan.reach.tls.as_ref().and_then(|it| it.valid_until()),
            is_stopping: self.is_stopping.load(Ordering::Relaxed),
        };
        let page = self.meter.to_prometheus(&gauges) + &metrics::format_space_metrics(&tallies);
        let reply = HttpReply::new(200, PROMETHEUS, page);
        Ok(response::build_http_response(reply))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_good_for_a_second() {
        let at = |ms: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_millis(ms);
        let looked = Some((at(5_000), Ok(reply_health())));
        let check = |ms: i64, expected: bool| {
            assert_eq!(
                find_fresh_readiness(&looked, at(ms)).is_some(),
                expected,
                "{ms}"
            )
        };
        check(5_000, true);
        check(5_999, true);
        check(6_000, false);
        check(1_000, false);
        assert!(find_fresh_readiness(&None, at(0)).is_none());
    }
}
