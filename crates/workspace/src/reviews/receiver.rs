//! Takes deliveries from the socket: checked, cut down to what is used, and on the disk before the host is answered.

use std::{
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    time::Duration,
};

use apostille_api::delivery::{DeliveryAnswer, DeliveryReceiver, IncomingDelivery};
use apostille_reviews::{payload::read_delivery, signature::is_signed};
use jiff::Timestamp;

use super::{ReviewFolder, inbox::Acceptance};
use crate::{config::Settings, system::System};

/// What takes deliveries for a server.
pub struct ReviewReceiver {
    folder: ReviewFolder,
    secret: String,
    settings: Settings,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// What the names of files in the making begin from.
    draw: u128,
    taken: AtomicU64,
    wake: SyncSender<()>,
}

/// What the worker waits on.
pub struct ReviewBell(Receiver<()>);

impl ReviewBell {
    /// Waits until something came, or so long. `false`: nothing will come any more.
    pub fn wait(&self, most: Duration) -> bool {
        !matches!(
            self.0.recv_timeout(most),
            Err(RecvTimeoutError::Disconnected)
        )
    }
}

impl ReviewReceiver {
    /// What takes deliveries signed with this secret, and what rings when one came.
    pub fn new(
        system: &System,
        folder: ReviewFolder,
        secret: String,
        settings: Settings,
    ) -> (Self, ReviewBell) {
        let (wake, bell) = sync_channel(1);
        let receiver = Self {
            folder,
            secret,
            settings,
            clock: Box::new(system.clock()),
            draw: (system.random_source())(),
            taken: AtomicU64::new(0),
            wake,
        };
        (receiver, ReviewBell(bell))
    }
}

impl DeliveryReceiver for ReviewReceiver {
    fn take_delivery(&self, delivery: &IncomingDelivery) -> DeliveryAnswer {
        if !is_signed(&self.secret, delivery.body, delivery.signature) {
            return DeliveryAnswer::Forged;
        }
        let host = self.settings.github_host();
        let Ok(event) = read_delivery(delivery.event, delivery.body, host) else {
            return DeliveryAnswer::Malformed;
        };
        let is_wanted = |it| super::is_wanted(&self.settings, it);
        if !event.repo().is_some_and(is_wanted) {
            return DeliveryAnswer::Ignored;
        }
        let n_taken = self.taken.fetch_add(1, Ordering::Relaxed);
        let draw = self.draw.wrapping_add(n_taken.into());
        let at = ((self.clock)(), draw);
        let kept = self
            .folder
            .accept_delivery(delivery.id, &event, &self.secret, at);
        match kept {
            Ok(Acceptance::Taken) => {
                // It is full where the worker was told already.
                let _ = self.wake.try_send(());
                DeliveryAnswer::Taken
            }
            Ok(Acceptance::Known) => DeliveryAnswer::Known,
            Ok(Acceptance::Empty) => DeliveryAnswer::Ignored,
            Ok(Acceptance::Full) => DeliveryAnswer::Full,
            Err(_) => DeliveryAnswer::Broken,
        }
    }
}
