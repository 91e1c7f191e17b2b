//! The command line of deciding what waits.

use apostille_core::memory::MemoryName;
use clap::{Args, Subcommand};

/// `review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Accept these, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub accept: Vec<MemoryName>,
    /// Turn these away, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub reject: Vec<MemoryName>,
    /// Why they are turned away
    #[arg(long, requires = "reject")]
    pub reason: Option<String>,
    /// Accept everything that is safe, after a look at the list
    #[arg(long, conflicts_with_all = ["accept", "reject"])]
    pub all_safe: bool,
    /// Do not ask
    #[arg(long, short, requires = "all_safe")]
    pub yes: bool,
}

/// `breaker`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct BreakerArgs {
    /// What to do; they are listed unless said.
    #[command(subcommand)]
    pub what: Option<BreakerSubcommand>,
}

/// What is done about breakers.
#[derive(Debug, Subcommand)]
pub enum BreakerSubcommand {
    /// Let go on writing who was held up; what waits goes on waiting for `review`
    Close {
        /// Only those of this actor
        #[arg(long, value_name = "NAME")]
        actor: Option<String>,
    },
}
