//! A rehearsal: what an import would do, and nothing is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{ImportOutcome, decide_import};
use crate::{
    Context, CoreError,
    memory::{Layer, Memory, MemoryId},
    remember::{EarlyEnd, guard, separate_refusal},
    space::Space,
    speaker::Person,
};
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
        cx: &Context,
        memory: Memory,
        vouched_by: Option<&Person>,
    ) -> Result<ImportOutcome, CoreError> {
        let previewed = self.preview_or_refuse(cx, memory, vouched_by.is_some());
        Ok(separate_refusal(previewed)?.unwrap_or_else(ImportOutcome::Refused))
    }

    fn preview_or_refuse(
        &mut self,
        cx: &Context,
        memory: Memory,
        is_vouched: bool,
    ) -> Result<ImportOutcome, EarlyEnd> {
        let memory = match decide_import(cx, memory, is_vouched)? {
            ImportOutcome::Kept(memory) => memory,
            ImportOutcome::LetIn(known) if !self.ids.insert(known.id) => {
                return Ok(ImportOutcome::Known(known));
            }
            other => return Ok(other),
        };
        let is_live = memory.status.stage().is_live();
        let claim = (memory.space.clone(), memory.claim_digest());
        if self.ids.contains(&memory.id) || (is_live && self.claims.contains(&claim)) {
            return Ok(ImportOutcome::Known(memory));
        }
        let taken = self.identity.entry(memory.space.clone()).or_default();
        guard::check_import_room(cx, &memory, *taken)?;
        if memory.layer == Layer::Identity && memory.is_active() {
            *taken += memory.fact.chars().count();
        }
        self.ids.insert(memory.id);
        if is_live {
            self.claims.insert(claim);
        }
        Ok(ImportOutcome::Kept(memory))
    }
}
