//! What brings memories to other machines, as it is typed: `sync`.

use clap::{Args, Subcommand};

/// `sync`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true, args_conflicts_with_subcommands = true)]
pub struct SyncArgs {
    /// What to do; memories are exchanged unless said.
    #[command(subcommand)]
    pub what: Option<SyncSubcommand>,
    /// With this target instead of the one that was set up, as `setup` takes it
    #[arg(long, value_name = "TARGET")]
    pub with: Option<String>,
    /// Your own memories instead of the repository's
    #[arg(long)]
    pub user: bool,
    /// Say what would be exchanged, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Forget what others forgot, however much it is
    #[arg(long)]
    pub accept_forgotten: bool,
}

/// What to do about replicas.
#[derive(Debug, Subcommand)]
pub enum SyncSubcommand {
    /// With what this repository's memories are exchanged, and when they were
    Status,
    /// Choose the target for this repository on this machine
    Setup(SyncSetupArgs),
}

/// `sync setup`.
#[derive(Debug, Args)]
pub struct SyncSetupArgs {
    /// git (the remote origin), git:REMOTE, git:ssh://HOST/PATH, folder:PATH, server:URL, or off
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// For your own memories instead of the repository's
    #[arg(long)]
    pub user: bool,
}
