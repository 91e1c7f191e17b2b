//! What the lines of a space mean: where each memory stands, by rules that need nothing but the lines.

use std::collections::BTreeMap;

use apostille_text::digest::Digest;
use jiff::Timestamp;

use super::log::ReplicaLog;
use crate::{
    foreign::foreign_hold_reason,
    memory::{Layer, Memory, MemoryId, Status},
};

/// How a memory that arrives came here, as the reason says for which it waits.
const WHENCE: &str = "came from another replica";
/// Why one of two replacements waits.
const CONTESTED: &str = "the memory that it replaces was replaced twice at once, and the other replacement is in force; \
                         approve this one to keep both, or reject it";

/// A memory as the lines have it.
#[derive(Debug, Clone)]
pub(super) struct SharedView {
    pub memory: Memory,
    /// Whether the rules for several memories say where it stands, and no line about it does.
    pub is_derived: bool,
}

/// Why a memory that arrives waits, whatever the lines say of it. Who the user is goes with every session, and whoever can write a
/// folder can write it there.
pub(super) fn hold_arrived(memory: &Memory) -> Option<String> {
    let is_identity = memory.layer == Layer::Identity;
    let identity = is_identity.then(|| format!("it says who you are, and it {WHENCE}"));
    foreign_hold_reason(memory, WHENCE).or(identity)
}

/// Every memory that the lines tell of and that was not forgotten.
pub(super) fn derive_views(log: &ReplicaLog) -> BTreeMap<MemoryId, SharedView> {
    let told = log.histories().filter_map(|(id, history)| {
        let memory = history.fold_memory()?;
        let is_derived = false;
        Some((id, SharedView { memory, is_derived }))
    });
    let mut views: BTreeMap<MemoryId, SharedView> = told.collect();
    replace_twins(&mut views);
    hold_contested(log, &mut views);
    views
}

/// Of several memories in use that say the same, one stays: the oldest that needs nobody's approval.
fn replace_twins(views: &mut BTreeMap<MemoryId, SharedView>) {
    let mut claims: BTreeMap<Digest, Vec<MemoryId>> = BTreeMap::new();
    for (id, view) in views.iter().filter(|(_, it)| it.memory.is_active()) {
        let same = claims.entry(view.memory.claim_digest()).or_default();
        same.push(*id);
    }
    for mut same in claims.into_values().filter(|it| it.len() > 1) {
        same.sort_by_cached_key(|id| {
            let memory = views.get(id).map(|it| &it.memory);
            let is_held = memory.is_none_or(|it| hold_arrived(it).is_some());
            (is_held, memory.map(|it| it.recorded_at), *id)
        });
        let by = same[0];
        for id in &same[1..] {
            set_derived_status(views, *id, Status::Superseded { by });
        }
    }
}

/// Of several memories in use that replaced the same one, all but the one in force wait, unless somebody decided about them
/// since.
fn hold_contested(log: &ReplicaLog, views: &mut BTreeMap<MemoryId, SharedView>) {
    let mut waiting = Vec::new();
    for (id, history) in log.histories() {
        let mut replacements: BTreeMap<MemoryId, Timestamp> = BTreeMap::new();
        for (by, at) in history.replacements() {
            replacements.insert(by, at);
        }
        let is_active = |it: &MemoryId| views.get(it).is_some_and(|it| it.memory.is_active());
        let Some(last) = replacements.values().max().copied() else {
            continue;
        };
        replacements.retain(|by, _| is_active(by));
        if replacements.len() < 2 {
            continue;
        }
        let in_force = views
            .get(&id)
            .and_then(|it| it.memory.status.superseded_by());
        let in_force = in_force.filter(|it| replacements.contains_key(it));
        let latest = || replacements.iter().max_by_key(|it| (*it.1, *it.0));
        let Some(in_force) = in_force.or_else(|| latest().map(|it| *it.0)) else {
            continue;
        };
        let is_undecided = |by: &MemoryId| {
            let decided = log.history(*by).and_then(|it| it.last_decision());
            decided.is_none_or(|it| it.at <= last)
        };
        let others = replacements.keys().filter(|it| **it != in_force);
        waiting.extend(others.copied().filter(is_undecided));
    }
    for id in waiting {
        let why = CONTESTED.into();
        set_derived_status(views, id, Status::Pending { why });
    }
}

fn set_derived_status(views: &mut BTreeMap<MemoryId, SharedView>, id: MemoryId, status: Status) {
    if let Some(view) = views.get_mut(&id) {
        view.memory.status = status;
        view.is_derived = true;
    }
}
