//! `refresh`: memories still hold.

use apostille_core::revise;

use super::revise_named_memories;
use apostille_terminal::args::SeveralMemoriesArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Notes that memories hold and are of use; they rank as fresh again.
pub fn run(
    shell: &CommandContext,
    args: &SeveralMemoriesArgs,
) -> Result<CommandOutput, CommandError> {
    revise_named_memories(shell, &args.names, "refreshed", |desk, name| {
        revise::refresh_memory(&desk.context(), &desk.spaces(), name)
    })
}
