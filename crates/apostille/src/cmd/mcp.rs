//! `mcp`: a server for one agent, on the standard input and output.

use std::sync::Arc;

use apostille_terminal::args::OfferArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::server_host::{ClientReach, ServerHost};

/// Serves until the agent goes away.
pub fn run(shell: &CommandContext, args: &OfferArgs) -> Result<CommandOutput, CommandError> {
    let machine = ServerHost::new(&shell.world, &shell.flags.settings(), ClientReach::Anywhere);
    if shell.world.terminal.stdin {
        print_startup_note(
            "apostille: waiting for an agent on the standard input; the README says how to set one up",
        );
    }
    apostille_mcp::serve_stdio(Arc::new(machine), args.to_offer())
        .map_err(CommandError::internal)?;
    Ok(CommandOutput {
        code: error::OK,
        ..CommandOutput::default()
    })
}

/// A word to a person who started this by hand.
fn print_startup_note(text: &str) {
    let _ = apostille_terminal::command_context::write_styled_text(
        std::io::stderr().lock(),
        &format!("{text}\n"),
        clap::ColorChoice::Auto,
    );
}
