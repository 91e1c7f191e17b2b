//! `mcp`: a server for one agent, on the standard input and output.

use std::sync::Arc;

use clap::ColorChoice;

use apostille_terminal::{
    args::OfferArgs,
    command_context::{CommandContext, CommandOutput, CommandResult, write_styled_text},
};
use apostille_workspace::{
    error::CommandError,
    server_host::{ClientReach, ServerHost},
};

/// Serves until the agent goes away.
pub fn run(ctx: &CommandContext, args: &OfferArgs) -> CommandResult {
    let flags = ctx.flags.settings();
    let host = Arc::new(ServerHost::new(&ctx.system, &flags, ClientReach::Anywhere));
    host.spawn_upkeep();
    if ctx.system.terminal.stdin {
        // A word to a person who started this by hand.
        let note = "apostille: waiting for an agent on the standard input; the README says how to set one up\n";
        let _ = write_styled_text(std::io::stderr().lock(), note, ColorChoice::Auto);
    }
    apostille_mcp::serve_stdio(host, args.to_offer()).map_err(CommandError::internal)?;
    Ok(CommandOutput::default())
}
