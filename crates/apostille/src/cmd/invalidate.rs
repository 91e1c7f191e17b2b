//! `invalidate`: memories are wrong.

use apostille_core::revise;

use super::revise_named_memories;
use apostille_terminal::args::InvalidateArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Marks memories as wrong.
pub fn run(shell: &CommandContext, args: &InvalidateArgs) -> Result<CommandOutput, CommandError> {
    let speaker = shell.world.speaker();
    let by = speaker.voice();
    revise_named_memories(shell, &args.which.names, "invalidated", |desk, name| {
        revise::invalidate_memory_as(&desk.context(), &desk.spaces(), name, &args.reason, by)
    })
}
