//! The command line of deciding what waits.

use apostille_core::memory::Name;
use clap::Args;

/// `review`.
#[derive(Debug, Args)]
pub struct Review {
    /// Accept these, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub accept: Vec<Name>,
    /// Turn these away, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub reject: Vec<Name>,
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
