//! `approve`: pending memories leave quarantine.

use apostille_core::refusal::Refusal;
use apostille_core::revise;

use super::revised;
use crate::args::Approve;
use crate::error::Fault;
use crate::shell::{Answer, Shell};

/// Lets pending memories out of quarantine, on a person's word.
pub fn run(shell: &Shell, args: &Approve) -> Result<Answer, Fault> {
    if !shell.is_decided_by_person(args.by.origin) {
        return Ok(shell.refused(&Refusal::PersonDecides { verb: "approve what waits" }));
    }
    revised(shell, &args.which.names, "approved", |desk, name| {
        revise::approve(&desk.cx(), &desk.spaces(), name)
    })
}
