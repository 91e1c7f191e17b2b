//! `invalidate`: memories are wrong.

use apostille_core::revise;

use super::revised;
use crate::args::Invalidate;
use crate::shell::{Answer, Shell};
use apostille_workspace::error::Fault;

/// Marks memories as wrong.
pub fn run(shell: &Shell, args: &Invalidate) -> Result<Answer, Fault> {
    let speaker = shell.world.speaker();
    let by = speaker.voice();
    revised(shell, &args.which.names, "invalidated", |desk, name| {
        revise::invalidate_as(&desk.cx(), &desk.spaces(), name, &args.reason, by)
    })
}
