//! The command line of `rollback`.

use clap::{ArgGroup, Args};

/// `rollback`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["to", "undo"]))]
pub struct RollbackArgs {
    /// To when: a time as `log` prints it, 2h or 3d ago, or the place of an event
    #[arg(long, value_name = "TIME|EVENT")]
    pub to: Option<String>,
    /// Take the last rollback back
    #[arg(long)]
    pub undo: bool,
    /// Say what would change, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Your own memories instead of this repository's
    #[arg(long)]
    pub user: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}
