//! For whoever watches over the server: is it alive, is it ready, what does it count.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use apostille_core::space::Space;
use apostille_core::store::{Store, StoreError, Tally};

use super::answer::Turned;
use super::meter::{self, Gauges};
use super::{Door, work};
use crate::host::Call;
use crate::pass::Pass;
use crate::visit::Reply;

const TEXT: &str = "text/plain; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// It answers, so it is alive.
pub(super) fn health() -> Reply {
    Reply::of(200, TEXT, "ok\n".into())
}

/// Whether this pass is told of a space.
fn tallies(store: &dyn Store, pass: &Pass) -> Result<Vec<(Space, Tally)>, StoreError> {
    let spaces = store.spaces()?.into_iter().filter(|it| pass.reaches(it));
    spaces.map(|it| store.tally(&it).map(|tally| (it, tally))).collect()
}

impl Door {
    /// Reads something from the store, on a thread of its own.
    async fn read<T: Send + 'static>(
        &self,
        read: impl Fn(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Turned> {
        let (host, place) = (Arc::clone(&self.plan.host), self.gate.entered().await?);
        let found = tokio::task::spawn_blocking(move || {
            let _place = place;
            let mut found = None;
            let call = Call { is_by_name: true, ..Call::new(&|| false) };
            let served = host.serve(&call, &mut |cx, _| found = Some(read(cx.store)));
            served.map_err(|it| Turned::new(503, work::told(&it.to_string())))?;
            let found = found.ok_or_else(|| Turned::new(503, "the store was not looked at"))?;
            found.map_err(|it| Turned::new(503, work::told(&it.to_string())))
        });
        found.await.map_err(|_| Turned::new(503, "the store cannot be looked at"))?
    }

    /// Whether the store can be read.
    pub(super) async fn ready(&self) -> Result<Reply, Turned> {
        self.read(|it| it.spaces()).await.map(|_| Reply::of(200, TEXT, "ready\n".into()))
    }

    /// Everything that is counted.
    pub(super) async fn metrics(&self, pass: Pass) -> Result<Reply, Turned> {
        let tallies = self.read(move |store| tallies(store, &pass)).await?;
        let gauges = Gauges {
            in_flight: self.in_flight.load(Ordering::Relaxed),
            at_work: self.gate.at_work(),
            connections: self.connections.load(Ordering::Relaxed),
            listeners: self.listeners.load(Ordering::Relaxed),
        };
        let page = self.meter.page(&gauges) + &meter::spaces(&tallies);
        Ok(Reply::of(200, PROMETHEUS, page))
    }
}
