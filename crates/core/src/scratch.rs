//! Scratch: what an agent notes for the rest of its session. It is its own alone, and not ranked: whoever asks for notes
//! of their own gets all of them.

use crate::{
    Context, CoreError,
    memory::Layer,
    recall::{RecallOutcome, VerifiedHit, render},
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify::{VerifiedMemory, follow_memory_citations},
};

/// How many notes of all sessions are looked through.
const MAX_LISTED: usize = 1_000;

/// The notes that a session left in these spaces, the latest first; those that the code refutes are left out. Without a
/// session, those that belong to none.
pub fn list_session_notes(
    cx: &Context,
    spaces: &[Space],
    session: Option<&str>,
    limit: usize,
) -> Result<Vec<VerifiedMemory>, CoreError> {
    let filter = MemoryFilter {
        layers: vec![Layer::Session],
        order: ListOrder::Refreshed,
        ..MemoryFilter::active_in(spaces, MAX_LISTED)
    };
    let mut notes = cx.store.list_memories(&filter)?;
    notes.retain(|it| it.voice.session.as_deref() == session);
    notes.truncate(limit);
    for note in &mut notes {
        note.withhold_secret();
    }
    let mut notes = follow_memory_citations(cx, notes);
    notes.retain(VerifiedMemory::is_good);
    Ok(notes)
}

/// The same as the answer to a recall.
pub fn recall_session_notes(
    cx: &Context,
    spaces: &[Space],
    session: Option<&str>,
    limit: usize,
) -> Result<RecallOutcome, CoreError> {
    let notes = list_session_notes(cx, spaces, session, limit)?;
    let shown: Vec<VerifiedHit> = notes.into_iter().map(VerifiedHit::from_verified).collect();
    Ok(RecallOutcome {
        block: render::render_block(&shown, render::Style::Verified),
        shown,
        withheld: Vec::new(),
        n_unfit: 0,
        n_episodes: 0,
        verified_at: None,
        problems: Vec::new(),
    })
}
