//! The command line of `audit`.

use std::path::PathBuf;

use apostille_audit::Class;
use clap::Args;

use super::build_word_parser;

/// `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Only this class of findings (repeatable)
    #[arg(long, value_name = "CLASS", value_parser = build_word_parser(Class::ALL, Class::as_str))]
    pub only: Vec<Class>,
    /// Check against a commit, branch or tag instead of your files
    #[arg(long, value_name = "REF")]
    pub at: Option<String>,
    /// Show every finding, however many there are
    #[arg(long, short)]
    pub verbose: bool,
    /// As Markdown
    #[arg(long, conflicts_with_all = ["ci", "sarif"])]
    pub markdown: bool,
    /// How programs read it.
    #[command(flatten)]
    pub machine: AuditOutputArgs,
}

/// How programs read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "For programs")]
pub struct AuditOutputArgs {
    /// Annotations for GitHub's checks
    #[arg(long)]
    pub ci: bool,
    /// Write a SARIF 2.1.0 file; - is the output
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}
