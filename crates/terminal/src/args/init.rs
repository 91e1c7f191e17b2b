//! The command line of `init`.

use apostille_agents::client::Client;
use clap::Args;

use super::build_word_parser;

/// `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Set up this agent instead of those that are found (repeatable)
    #[arg(long = "client", value_name = "CLIENT", value_parser = build_word_parser(Client::ALL, Client::as_str))]
    pub clients: Vec<Client>,
    /// In your own files, for every repository, instead of in this one
    #[arg(long)]
    pub user: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Take back what `init` did here
    #[arg(long, conflicts_with_all = ["clients", "no_hooks", "no_mcp", "no_rules"])]
    pub undo: bool,
    /// Share this repository's memories in the repository, through git
    #[arg(long, conflicts_with_all = ["user", "undo"])]
    pub shared: bool,
    /// Leave the hooks out: the agent is told nothing by itself
    #[arg(long)]
    pub no_hooks: bool,
    /// Leave the MCP server out: the agent has no tools
    #[arg(long)]
    pub no_mcp: bool,
    /// Leave AGENTS.md and the like alone
    #[arg(long)]
    pub no_rules: bool,
}
