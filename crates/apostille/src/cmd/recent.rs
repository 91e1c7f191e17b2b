//! `recent`: what was stated or found to hold last.

use apostille_core::list;

use super::list::build_list_output;
use apostille_terminal::args::RecentArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;

/// Lists active memories, those refreshed last first.
pub fn run(shell: &CommandContext, args: &RecentArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let limit = args.limit.saturating_add(1);
    let memories = match &args.path {
        Some(path) => {
            let path = desk.place.resolve_path(path).map_err(CommandError::usage)?;
            list::list_citing_memories(&desk.context(), &desk.spaces(), &path, limit)?
        }
        None => list::list_recent_memories(&desk.context(), &desk.spaces(), limit)?,
    };
    Ok(build_list_output(shell, memories, args.limit, false))
}
