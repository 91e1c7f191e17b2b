//! A rehearsal: what an import would do, and nothing is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{ImportDecision, ImportOutcome, decide_import, has_live_claim};
use crate::memory::{Layer, Memory, MemoryId};
use crate::remember::guard;
use crate::space::Space;
use crate::speaker::Person;
use crate::{Context, CoreError};
use apostille_text::digest::Digest;

/// What would have been kept so far: a file may say the same twice.
#[derive(Debug, Default)]
pub struct ImportDryRun {
    ids: BTreeSet<MemoryId>,
    claims: BTreeSet<(Space, Digest)>,
    identity: BTreeMap<Space, usize>,
}

impl ImportDryRun {
    /// What [`super::import`] would answer, had it been given everything that this was given before.
    pub fn preview_import(
        &mut self,
        cx: &Context<'_>,
        memory: Memory,
        vouched_by: Option<&Person>,
    ) -> Result<ImportOutcome, CoreError> {
        let memory = match decide_import(cx, memory, vouched_by.is_some())? {
            ImportDecision::New(memory) => memory,
            ImportDecision::Known(known) => return Ok(ImportOutcome::Known(known)),
            ImportDecision::Held(known) if self.ids.insert(known.id) => {
                return Ok(ImportOutcome::LetIn(known));
            }
            ImportDecision::Held(known) => return Ok(ImportOutcome::Known(known)),
            ImportDecision::Refused(refusal) => return Ok(ImportOutcome::Refused(refusal)),
        };
        let claim = (memory.space.clone(), memory.claim_digest());
        if self.ids.contains(&memory.id)
            || (has_live_claim(&memory) && self.claims.contains(&claim))
        {
            return Ok(ImportOutcome::Known(memory));
        }
        let taken = self.identity.entry(memory.space.clone()).or_default();
        if let Err(refusal) = guard::check_import_room(cx, &memory, *taken)? {
            return Ok(ImportOutcome::Refused(refusal));
        }
        if memory.layer == Layer::Identity && memory.is_active() {
            *taken += memory.fact.chars().count();
        }
        self.ids.insert(memory.id);
        if has_live_claim(&memory) {
            self.claims.insert(claim);
        }
        Ok(ImportOutcome::Kept(memory))
    }
}
