//! `approve`: pending memories leave quarantine, and so does what was rejected once.

use apostille_core::refusal::Refusal;
use apostille_core::revise;

use super::revised;
use crate::args::Several;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Lets memories be used that wait or were rejected, on a person's word.
pub fn run(shell: &Shell, args: &Several) -> Result<Answer, Fault> {
    let speaker = shell.world.speaker();
    let Some(by) = speaker.person() else {
        return Ok(shell.refused(&Refusal::PersonDecides {
            verb: "approve what waits",
        }));
    };
    revised(shell, &args.names, "approved", |desk, name| {
        revise::reconsider(&desk.cx(), by, &desk.spaces(), name)
    })
}
