//! `approve`: pending memories leave quarantine, and so does what was rejected once.

use apostille_core::refusal::Refusal;
use apostille_core::revise;

use super::revise_named_memories;
use apostille_terminal::args::SeveralMemoriesArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Lets memories be used that wait or were rejected, on a person's word.
pub fn run(
    shell: &CommandContext,
    args: &SeveralMemoriesArgs,
) -> Result<CommandOutput, CommandError> {
    let speaker = shell.world.speaker();
    let Some(by) = speaker.person() else {
        return Ok(shell.render_refusal(&Refusal::PersonDecides {
            verb: "approve what waits",
        }));
    };
    revise_named_memories(shell, &args.names, "approved", |desk, name| {
        revise::reconsider_memory(&desk.context(), by, &desk.spaces(), name)
    })
}
