//! Telling clients that the list of memories is another one now, whoever changed it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ResourceListChangedNotification, ServerNotification};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::sync::broadcast;

use apostille_api::host::Host;

/// How often the store is looked at for what other processes wrote, while somebody listens.
const LOOK: Duration = Duration::from_secs(2);

/// What changed, for those who listen.
#[derive(Clone)]
pub(super) struct Changes {
    host: Arc<dyn Host>,
    ours: broadcast::Sender<()>,
}

impl Changes {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            ours: broadcast::channel(16).0,
        }
    }

    /// Where it is said that something was changed by this server.
    pub(super) fn ours(&self) -> broadcast::Sender<()> {
        self.ours.clone()
    }

    /// Something was changed by this server.
    pub(super) fn happened(&self) {
        // Nobody listening is the usual case.
        let _ = self.ours.send(());
    }

    /// Tells a client of an older revision for as long as it is there.
    pub(super) fn tell(&self, peer: Peer<RoleServer>) {
        let changes = self.clone();
        tokio::spawn(async move {
            let mut watch = Watch::new(&changes).await;
            while !peer.is_transport_closed() {
                if watch.changed().await && peer.notify_resource_list_changed().await.is_err() {
                    break;
                }
            }
        });
    }

    /// Tells a client of the current revision for as long as it listens.
    pub(super) async fn stream(&self, context: &SubscriptionContext) {
        let mut watch = Watch::new(self).await;
        loop {
            tokio::select! {
                () = context.cancelled() => break,
                is_changed = watch.changed() => {
                    let told = ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default());
                    if is_changed && context.sink().send(told).await.is_err() {
                        break;
                    }
                }
            }
        }
    }
}

struct Watch {
    host: Arc<dyn Host>,
    ours: broadcast::Receiver<()>,
    stamp: Option<u64>,
}

impl Watch {
    async fn new(changes: &Changes) -> Self {
        let ours = changes.ours.subscribe();
        let host = Arc::clone(&changes.host);
        Self {
            stamp: stamp(&host).await,
            host,
            ours,
        }
    }

    /// Waits a while; whether something changed meanwhile.
    async fn changed(&mut self) -> bool {
        let ours = tokio::time::timeout(LOOK, self.ours.recv()).await;
        if ours.is_ok_and(|it| it.is_ok()) {
            // The store is looked at when it is quiet: counting would keep the next call waiting. Then this change is
            // seen once more, which costs a client little; one of another process is never missed.
            return true;
        }
        let now = stamp(&self.host).await;
        let was = std::mem::replace(&mut self.stamp, now);
        was.is_some() && was != now
    }
}

/// The stamp, without keeping others waiting while the store is opened.
async fn stamp(host: &Arc<dyn Host>) -> Option<u64> {
    let host = Arc::clone(host);
    tokio::task::spawn_blocking(move || host.stamp())
        .await
        .ok()
        .flatten()
}
