//! What was said in past conversations, as every face finds it and forgets it.

use std::collections::BTreeSet;

use apostille_core::{
    CoreError,
    archive::{Archive, ArchiveHandle, ArchiveRecord},
    evidence::Evidence,
    memory::{Layer, Memory, SESSION_TAG},
    space::Space,
    store::{MemoryFilter, Store},
};
use apostille_text::quotes::is_quoted_from;
use jiff::SignedDuration;

/// What is said where conversations are asked for and there are none to look at.
pub const ARCHIVE_OFF: &str = "conversations are not kept here, or not open to this caller";

/// What is said where bytes of what was forgotten are left for now.
pub const BYTES_PENDING: &str =
    "it is forgotten; its bytes go when another program that still reads the archive has ended";

/// How far from a turn hooks may have logged what was asked in it: their clock is not the transcript's.
const ASKED_AROUND: SignedDuration = SignedDuration::from_mins(1);

/// The conversation of a repository that a name names, or that has the passage.
pub fn find_conversation(
    archive: &dyn Archive,
    repo: &Space,
    handle: ArchiveHandle,
) -> Result<Option<ArchiveRecord>, CoreError> {
    let has_passage = |it: &ArchiveRecord| {
        let named = handle.passage;
        named.is_none_or(|named| it.find_passage(named).is_some())
    };
    let found = archive.read_records(&[handle.record])?.pop();
    Ok(found.filter(|it| it.space == *repo && has_passage(it)))
}

/// The episodes that tell of these conversations: they quote them, so they are forgotten with them or with a passage of them.
pub fn list_quoting_episodes(
    store: &dyn Store,
    repo: &Space,
    conversations: &[ArchiveRecord],
) -> Result<Vec<Memory>, CoreError> {
    if conversations.is_empty() {
        return Ok(Vec::new());
    }
    let names: BTreeSet<&str> = conversations.iter().map(|it| it.name.as_str()).collect();
    let filter = MemoryFilter {
        spaces: vec![repo.clone()],
        layers: vec![Layer::Episode],
        tags: vec![SESSION_TAG.into()],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut episodes = store.list_memories(&filter)?;
    let is_of_them = |session: &String| names.contains(session.as_str());
    episodes.retain(|it| it.voice.session.as_ref().is_some_and(is_of_them));
    Ok(episodes)
}

/// Forgets a conversation or a passage of it, and the questions that earlier versions logged while it was held. The episodes that
/// quote it go before, as they can be refused. Whether bytes of it stay until another program ends that reads them.
pub fn forget_conversation(
    store: &dyn Store,
    archive: &dyn Archive,
    record: &ArchiveRecord,
    handle: ArchiveHandle,
) -> Result<bool, CoreError> {
    let named = handle.passage.and_then(|it| record.find_passage(it));
    let (first, last) = named.map_or((record.started_at, record.ended_at), |it| (it.at, it.at));
    let before = first.saturating_sub(ASKED_AROUND).unwrap_or(first);
    let after = last.saturating_add(ASKED_AROUND).unwrap_or(last);
    store.forget_questions(&record.space, &(before..=after))?;
    archive.forget_record(handle)?;
    archive.has_pending_bytes()
}

/// The memories that rest on words of a conversation, or of one passage of it. They were kept for themselves, and stay when it
/// is forgotten: whoever forgets it is told of them.
pub fn list_resting_memories(
    store: &dyn Store,
    spaces: &[Space],
    conversation: &ArchiveRecord,
    passage: Option<u32>,
) -> Result<Vec<Memory>, CoreError> {
    let filter = MemoryFilter {
        spaces: spaces.to_vec(),
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = store.list_memories(&filter)?;
    let is_meant = |quote: &str| {
        let named = passage.map(|it| conversation.find_passage(it));
        named.is_none_or(|it| it.is_some_and(|it| is_quoted_from(quote, &it.text)))
    };
    let rests = |it: &Evidence| match it {
        Evidence::Said(said) => said.session == conversation.name && is_meant(&said.quote),
        Evidence::Ran(_) | Evidence::Review(_) | Evidence::Episodes(_) | Evidence::Memories(_) => {
            false
        }
    };
    memories.retain(|it| it.evidence.iter().any(rests));
    Ok(memories)
}
