//! A rehearsal: what an import would do, and nothing is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Imported, Weighed, is_claiming, weighed};
use crate::memory::{Layer, Memory, MemoryId};
use crate::remember::guard;
use crate::space::Space;
use crate::speaker::Person;
use crate::{Context, Error};
use apostille_text::digest::Digest;

/// What would have been kept so far: a file may say the same twice.
#[derive(Debug, Default)]
pub struct Rehearsal {
    ids: BTreeSet<MemoryId>,
    claims: BTreeSet<(Space, Digest)>,
    identity: BTreeMap<Space, usize>,
}

impl Rehearsal {
    /// What [`super::import`] would answer, had it been given everything that this was given before.
    pub fn import(
        &mut self,
        cx: &Context<'_>,
        memory: Memory,
        vouched_by: Option<&Person>,
    ) -> Result<Imported, Error> {
        let memory = match weighed(cx, memory, vouched_by.is_some())? {
            Weighed::New(memory) => memory,
            Weighed::Known(known) => return Ok(Imported::Known(known)),
            Weighed::Held(known) if self.ids.insert(known.id) => return Ok(Imported::LetIn(known)),
            Weighed::Held(known) => return Ok(Imported::Known(known)),
            Weighed::Refused(refusal) => return Ok(Imported::Refused(refusal)),
        };
        let claim = (memory.space.clone(), memory.claim());
        if self.ids.contains(&memory.id) || (is_claiming(&memory) && self.claims.contains(&claim)) {
            return Ok(Imported::Known(memory));
        }
        let taken = self.identity.entry(memory.space.clone()).or_default();
        if let Err(refusal) = guard::import_room(cx, &memory, *taken)? {
            return Ok(Imported::Refused(refusal));
        }
        if memory.layer == Layer::Identity && memory.is_active() {
            *taken += memory.fact.chars().count();
        }
        self.ids.insert(memory.id);
        if is_claiming(&memory) {
            self.claims.insert(claim);
        }
        Ok(Imported::Kept(memory))
    }
}
