//! How a memory that was set aside stood before.

use apostille_core::event::previous_state::PreviousState;
use apostille_core::{
    memory::{Memory, Stage, Status},
    store::EventPage,
};

use crate::PanelResult;
use apostille_api::request_scope::RequestScope;

/// How far back its changes are looked through.
const MOST: usize = 100;

/// Where the log stood before the memory was last set aside as wrong or out of use, and how the memory stood then.
pub(super) fn find_restorable_status(
    scope: &RequestScope,
    memory: &Memory,
) -> PanelResult<Option<(u64, Status)>> {
    if !matches!(memory.status.stage(), Stage::Invalid | Stage::Retired) {
        return Ok(None);
    }
    let page = EventPage {
        memory: Some(memory.id),
        changes_only: true,
        newest_first: true,
        limit: MOST,
        ..EventPage::default()
    };
    let changes = scope.cx.store.read_events(&memory.space, &page)?;
    Ok(changes.into_iter().find_map(|it| {
        let status = it
            .was
            .map(|it| it.status)
            .or_else(|| PreviousState::assumed_status(&it.event.what))?;
        let is_in_play = matches!(status.stage(), Stage::Active | Stage::Pending);
        is_in_play.then(|| (it.seq.saturating_sub(1), status))
    }))
}
