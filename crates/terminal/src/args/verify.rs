//! The command line of `verify`.

use std::path::PathBuf;

use apostille_core::memory::MemoryName;
use clap::Args;

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The memories; all active ones unless said
    #[arg(value_name = "HANDLE")]
    pub names: Vec<MemoryName>,
    /// All active memories, as when none is named
    #[arg(long, conflicts_with_all = ["names", "path"])]
    pub all: bool,
    /// Those that cite this file, or a file below this folder
    #[arg(long, short, value_name = "PATH", conflicts_with = "names")]
    pub path: Option<String>,
    /// Check against a commit, branch or tag instead of your files
    #[arg(long, value_name = "REF")]
    pub at: Option<String>,
    /// Check against the repository on GitHub, without a checkout
    #[arg(long)]
    pub github: bool,
    /// Show what holds memory by memory, however many there are
    #[arg(long, short)]
    pub verbose: bool,
    /// Propose what to say instead of what does not hold, and ask a person
    #[arg(long, conflicts_with_all = ["at", "github", "invalidate", "ci", "sarif"])]
    pub fix: bool,
    /// What may be changed.
    #[command(flatten)]
    pub change: VerifyChangeArgs,
    /// How programs read it.
    #[command(flatten)]
    pub machine: VerifyOutputArgs,
}

/// What may be changed.
#[derive(Debug, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "What is changed")]
pub struct VerifyChangeArgs {
    /// Nothing at all: what moved is not followed, nothing is logged
    #[arg(long, visible_alias = "no-heal")]
    pub dry_run: bool,
    /// Also mark as invalid what the default branch disproves
    #[arg(long)]
    pub invalidate: bool,
}

/// How programs read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "For programs")]
pub struct VerifyOutputArgs {
    /// Annotations for GitHub's checks; changes nothing
    #[arg(long, conflicts_with = "invalidate")]
    pub ci: bool,
    /// Write a SARIF 2.1.0 file; - is the output. Changes nothing
    #[arg(long, value_name = "FILE", conflicts_with = "invalidate")]
    pub sarif: Option<PathBuf>,
    /// Look up citations of a file instead, one JSON object a line; - is the input. Needs no store
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "all", "path", "github", "fix", "invalidate", "ci", "sarif"])]
    pub citations: Option<PathBuf>,
}

impl VerifyArgs {
    /// Whether nothing may be changed, the log included.
    pub fn is_read_only(&self) -> bool {
        self.change.dry_run || self.machine.ci || self.machine.sarif.is_some()
    }
}
