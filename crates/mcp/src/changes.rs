//! Telling clients that the list of memories is another one now, whoever changed it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::{
    model::{ResourceListChangedNotification, ServerNotification},
    service::{Peer, RoleServer, SubscriptionContext},
};
use tokio::sync::broadcast;

use apostille_api::host::Host;

/// How often the store is looked at for what other processes wrote, while somebody listens.
const LOOK: Duration = Duration::from_secs(2);

/// What changed, for those who listen.
#[derive(Clone)]
pub(super) struct ChangeNotifier {
    host: Arc<dyn Host>,
    /// Where it is said that something was changed by this server.
    pub(super) ours: broadcast::Sender<()>,
}

impl ChangeNotifier {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            ours: broadcast::channel(16).0,
        }
    }

    /// Something was changed by this server.
    pub(super) fn notify_change(&self) {
        // Nobody listening is the usual case.
        let _ = self.ours.send(());
    }

    /// Tells a client of an older revision for as long as it is there.
    pub(super) fn notify_peer(&self, peer: Peer<RoleServer>) {
        let changes = self.clone();
        tokio::spawn(async move {
            let mut watch = ChangeWatcher::new(&changes).await;
            while !peer.is_transport_closed() {
                if watch.wait_for_change().await
                    && peer.notify_resource_list_changed().await.is_err()
                {
                    break;
                }
            }
        });
    }

    /// Tells a client of the current revision for as long as it listens.
    pub(super) async fn stream_changes(&self, context: &SubscriptionContext) {
        let mut watch = ChangeWatcher::new(self).await;
        loop {
            tokio::select! {
                () = context.cancelled() => break,
                is_changed = watch.wait_for_change() => {
                    let told = ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default());
                    if is_changed && context.sink().send(told).await.is_err() {
                        break;
                    }
                }
            }
        }
    }
}

struct ChangeWatcher {
    host: Arc<dyn Host>,
    ours: broadcast::Receiver<()>,
    stamp: Option<u64>,
}

impl ChangeWatcher {
    async fn new(changes: &ChangeNotifier) -> Self {
        let ours = changes.ours.subscribe();
        let host = Arc::clone(&changes.host);
        Self {
            stamp: read_change_stamp(&host).await,
            host,
            ours,
        }
    }

    /// Waits a while; whether something changed meanwhile.
    async fn wait_for_change(&mut self) -> bool {
        let ours = tokio::time::timeout(LOOK, self.ours.recv()).await;
        if ours.is_ok_and(|it| it.is_ok()) {
            // The store is looked at when it is quiet: counting would keep the next call waiting. Then this change is
            // seen once more, which costs a client little; one of another process is never missed.
            return true;
        }
        let now = read_change_stamp(&self.host).await;
        let was = std::mem::replace(&mut self.stamp, now);
        was.is_some() && was != now
    }
}

/// The stamp, without keeping others waiting while the store is opened.
pub async fn read_change_stamp(host: &Arc<dyn Host>) -> Option<u64> {
    let host = Arc::clone(host);
    tokio::task::spawn_blocking(move || host.change_stamp())
        .await
        .ok()
        .flatten()
}
