//! `apply`: memories were of use.

use apostille_core::revise;

use super::revise_named_memories;
use apostille_terminal::args::SeveralMemoriesArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Notes that memories were used in a task.
pub fn run(
    shell: &CommandContext,
    args: &SeveralMemoriesArgs,
) -> Result<CommandOutput, CommandError> {
    revise_named_memories(shell, &args.names, "applied", |desk, name| {
        revise::mark_memory_applied(&desk.context(), &desk.spaces(), name)
    })
}
