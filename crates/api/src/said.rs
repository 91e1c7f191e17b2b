//! What was said in past conversations, as every face finds it and forgets it.

use std::collections::BTreeSet;

use apostille_agents::learn::SESSION_TAG;
use apostille_core::{
    CoreError,
    archive::{Archive, ArchiveHandle, ArchiveRecord},
    evidence::Evidence,
    memory::{Layer, Memory},
    space::Space,
    store::{MemoryFilter, Store},
};
use apostille_text::quotes::is_quoted_from;

/// What is said where conversations are asked for and there are none to look at.
pub const ARCHIVE_OFF: &str = "conversations are not kept here, or not open to this caller";

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
        Evidence::Ran(_) => false,
    };
    memories.retain(|it| it.evidence.iter().any(rests));
    Ok(memories)
}
