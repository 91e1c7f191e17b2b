//! Noticing that memories were changed, by whomever, without reading them.

use std::fs;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};

use apostille_core::{event::EventKind, space::Space, store::Store};

/// What changes the list of memories, or what one of them says.
const CHANGES: [EventKind; 9] = [
    EventKind::Remembered,
    EventKind::Refreshed,
    EventKind::Superseded,
    EventKind::Corrected,
    EventKind::Invalidated,
    EventKind::Retired,
    EventKind::Approved,
    EventKind::Forgotten,
    EventKind::Restored,
];

/// What keeps the counts of several kinds apart in one number.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A store in use, and what was seen of it: files that did not change need no second look.
pub struct StoreWatcher {
    store: Arc<dyn Store>,
    spaces: [Space; 2],
    files: Vec<PathBuf>,
    seen: Option<(u64, u64)>,
}

impl StoreWatcher {
    /// This store, of which nothing was seen yet.
    pub fn new(store: Arc<dyn Store>, spaces: [Space; 2], files: Vec<PathBuf>) -> Self {
        Self {
            store,
            spaces,
            files,
            seen: None,
        }
    }

    /// Whether it is this store, with these spaces in play.
    pub fn is_watching(&self, store: &Arc<dyn Store>, spaces: &[Space; 2]) -> bool {
        Arc::ptr_eq(&self.store, store) && self.spaces == *spaces
    }

    /// A number for the changes that these spaces have seen, of each kind; being shown is none. They are not summed up:
    /// forgetting takes away that something was remembered.
    pub fn change_number(&mut self) -> Option<u64> {
        let parts = self.files.iter().flat_map(|it| {
            let mut log = it.as_os_str().to_owned();
            // SQLite keeps there what is newest.
            log.push("-wal");
            [stamp_store_file(it), stamp_store_file(log.as_ref())]
        });
        let stamp = parts.fold(0_u64, |sum, it| sum.wrapping_mul(31).wrapping_add(it));
        // A database has no file that would tell: it is asked each time.
        let seen = self.seen.filter(|_| !self.files.is_empty());
        if let Some((_, changes)) = seen.filter(|it| it.0 == stamp) {
            return Some(changes);
        }
        let mut changes: u64 = 0;
        for space in &self.spaces {
            let tally = self.store.summarize_space(space).ok()?;
            let counts = CHANGES.iter().map(|it| tally.count_events(it.as_str()));
            changes = counts.fold(changes, |number, it| {
                number.wrapping_mul(MIXER).wrapping_add(it)
            });
        }
        self.seen = Some((stamp, changes));
        Some(changes)
    }
}

/// A number that changes when the file does.
fn stamp_store_file(file: &Path) -> u64 {
    let stamp = || {
        let metadata = fs::metadata(file).ok()?;
        let modified = metadata.modified().ok();
        let age = modified.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        let low_half = |it: u128| u64::try_from(it & u128::from(u64::MAX)).unwrap_or(0);
        let nanos = age.map_or(0, |it| low_half(it.as_nanos()));
        Some(nanos.wrapping_mul(31).wrapping_add(metadata.len()))
    };
    stamp().unwrap_or(0)
}
