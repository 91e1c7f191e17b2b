//! The default branch decides between two versions.

use std::collections::BTreeSet;

use apostille_cite::{
    follow::FAR,
    source::{DefaultBranch, Source},
    standing::Showing,
};

use super::{VersionFamily, VersionView, choose_version, find_version_families};
use crate::{
    Context, CoreError,
    event::{Event, EventBody, Precondition},
    judge::MemoryJudge,
    memory::{Memory, MemoryId},
    store::StoreError,
};

/// Why a version is not in use any more.
const MERGED: &str = "its correction stands on the default branch";

/// Lets versions that stand on the default branch take the place of the older ones. The ids of those that were replaced.
///
/// What is found there counts for everybody, wherever the caller is. Where another writer was first, nothing is done: the next
/// look finds what is left to do.
pub(crate) fn settle_merged_versions(
    cx: &Context,
    memories: &[&Memory],
) -> Result<BTreeSet<MemoryId>, CoreError> {
    let families = find_version_families(cx, memories, |_| true)?;
    if families.is_empty() {
        return Ok(BTreeSet::new());
    }
    match cx.source.open_default_branch() {
        Ok(Some(default)) => settle_families(cx, &default, &families),
        _ => Ok(BTreeSet::new()),
    }
}

/// The same after a recall of these, where the reader is on the default branch: elsewhere nobody has the time to read it.
pub(crate) fn settle_versions_after_look(cx: &Context, seen: &[MemoryId]) -> Result<(), CoreError> {
    if seen.is_empty() {
        return Ok(());
    }
    let Ok(Some(default)) = cx.source.open_default_branch() else {
        return Ok(());
    };
    let here = cx.source.read_tree().ok().and_then(|it| it.commit);
    if here.as_ref() == Some(&default.commit) {
        let memories = cx.store.get_by_ids(seen)?;
        let memories: Vec<&Memory> = memories.iter().collect();
        let families = find_version_families(cx, &memories, |_| true)?;
        settle_families(cx, &default, &families)?;
    }
    Ok(())
}

fn settle_families(
    cx: &Context,
    default: &DefaultBranch,
    families: &[VersionFamily],
) -> Result<BTreeSet<MemoryId>, CoreError> {
    let mut replaced = BTreeSet::new();
    for family in families {
        let (events, expects) = decide_family(cx, default, family);
        let ids: Vec<MemoryId> = events.iter().filter_map(|it| it.memory).collect();
        if events.is_empty() {
            continue;
        }
        match cx.append_durable(events, expects) {
            Ok(_) => replaced.extend(ids),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(replaced)
}

/// What is to be written: the version that is chosen on the default branch replaces those before it. One that has to be
/// checked there does so only where they are refuted.
fn decide_family(
    cx: &Context,
    default: &DefaultBranch,
    family: &VersionFamily,
) -> (Vec<Event>, Vec<Precondition>) {
    let views = judge_versions(cx, &*default.tree, family);
    let chosen = choose_version(&views).and_then(|id| views.iter().find(|it| it.memory.id == id));
    let is_shown = |it: &&VersionView| it.standing.showing() != Showing::Withheld;
    let Some(chosen) = chosen.filter(is_shown) else {
        return (Vec::new(), Vec::new());
    };
    let is_refuted = |id: MemoryId| {
        let mut older = views.iter().filter(|it| it.memory.id == id);
        older.any(|it| it.standing.is_refuted())
    };
    let older = family.list_older(chosen.memory.id).into_iter();
    let older: Vec<&Memory> = older
        .filter(|it| chosen.is_plain() || is_refuted(it.id))
        .collect();
    let replaced = |it: &&Memory| {
        let (by, reason) = (chosen.memory.id, Some(MERGED.into()));
        cx.new_memory_event(it, EventBody::Superseded { by, reason })
    };
    let events = older.iter().map(replaced).collect();
    let all = older.iter().copied().chain([chosen.memory]);
    (events, all.map(Precondition::unmoved).collect())
}

fn judge_versions<'f>(
    cx: &Context,
    tree: &dyn Source,
    family: &'f VersionFamily,
) -> Vec<VersionView<'f>> {
    let cx = Context {
        source: tree,
        ..*cx
    };
    let judged = MemoryJudge::new(&cx, FAR).judge_memories(family.members());
    let pairs = family.members().zip(judged);
    pairs
        .map(|(memory, judged)| VersionView {
            memory,
            standing: judged.judgement.standing,
            is_unmerged: judged.is_unmerged(),
        })
        .collect()
}
