//! The command line of `import`.

use std::path::PathBuf;

use apostille_import::format::Format;
use clap::Args;

use super::build_word_parser;

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file, or a folder of such files; - reads the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What it is; found out unless said
    #[arg(long, short, value_name = "NAME", value_parser = build_word_parser(Format::ALL, Format::as_str))]
    pub format: Option<Format>,
    /// Keep everything as the file has it, on your word; without it, all of it waits for approval
    #[arg(long)]
    pub trust: bool,
    /// Keep it for yourself instead of this repository, where the file does not say whose it is
    #[arg(long)]
    pub user: bool,
    /// Say what would be kept, and keep nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}
