//! Patterns on their way into the review queue: few at a time, nothing twice, nothing that a person turned away.

use std::collections::BTreeSet;

use apostille_core::{
    Context, CoreError,
    evidence::Evidence,
    memory::{Channel, Draft, DuplicateChoice, Layer, Memory, Origin, Stage, Voice},
    remember::{RememberOutcome, remember},
    space::Space,
    store::{MemoryFilter, StoreError},
};
use apostille_text::{overlap::normalise_fact, secrets};

use crate::patterns::FoundPattern;

/// What marks a pattern among memories.
pub const REFLECTION_TAG: &str = "reflection";
/// How many proposals of one sort wait at once; a queue that grows is not read.
pub const MAX_WAITING: usize = 3;
/// How many memories of a tag are looked through.
const MAX_KNOWN: usize = 1_000;

/// What became of the patterns.
#[derive(Debug, Default)]
pub struct ProposeOutcome {
    /// What waits now.
    pub proposed: Vec<Memory>,
    /// How many were known, or turned away before.
    pub n_known: usize,
    /// How many wait until there is room in the queue.
    pub n_later: usize,
}

/// The voice of what the program found by itself.
pub(crate) fn own_voice() -> Voice {
    Voice::from_origin(Origin::System).with_channel(Channel::Record)
}

/// Proposes patterns, the first ones first, as far as the queue has room.
pub fn propose_patterns(
    cx: &Context,
    repo: &Space,
    patterns: Vec<FoundPattern>,
) -> Result<ProposeOutcome, CoreError> {
    let known = list_proposed_texts(cx, repo, REFLECTION_TAG)?;
    let mut room = MAX_WAITING.saturating_sub(count_waiting(cx, repo, REFLECTION_TAG)?);
    let mut outcome = ProposeOutcome::default();
    for pattern in patterns {
        if known.contains(&normalise_fact(None, &pattern.fact)) {
            outcome.n_known += 1;
        } else if secrets::find_secret(&pattern.fact).is_some() {
            continue;
        } else if room == 0 {
            outcome.n_later += 1;
        } else {
            match remember(cx, draft_pattern(repo, pattern))? {
                RememberOutcome::Remembered { memory, .. } => {
                    room -= 1;
                    outcome.proposed.push(*memory);
                }
                _ => outcome.n_known += 1,
            }
        }
    }
    Ok(outcome)
}

fn draft_pattern(repo: &Space, pattern: FoundPattern) -> Draft {
    Draft {
        layer: Some(Layer::Knowledge),
        kind: Some(pattern.kind),
        reason: Some(pattern.reason),
        found: Some(Evidence::Episodes(pattern.support)),
        tags: vec![REFLECTION_TAG.into(), pattern.sort.to_string()],
        on_duplicate: DuplicateChoice::Skip,
        ..Draft::new(repo.clone(), pattern.fact, own_voice())
    }
}

/// What was proposed before under this tag, whatever became of it, as it is compared.
pub(crate) fn list_proposed_texts(
    cx: &Context,
    space: &Space,
    tag: &str,
) -> Result<BTreeSet<String>, StoreError> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        origins: vec![Origin::System],
        tags: vec![tag.into()],
        limit: MAX_KNOWN,
        ..MemoryFilter::default()
    };
    let memories = cx.store.list_memories(&filter)?.into_iter();
    Ok(memories.map(|it| normalise_fact(None, &it.fact)).collect())
}

/// How many proposals of this tag wait.
pub(crate) fn count_waiting(cx: &Context, space: &Space, tag: &str) -> Result<usize, StoreError> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        stages: vec![Stage::Pending],
        tags: vec![tag.into()],
        limit: MAX_WAITING,
        ..MemoryFilter::default()
    };
    Ok(cx.store.list_memories(&filter)?.len())
}
