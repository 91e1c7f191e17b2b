//! The command line of `report`.

use clap::Args;

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// From when: 7d, 24h, 2w, or a date
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    pub since: String,
    /// Up to when, exclusive: a date, or as long ago; now unless said
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// As Markdown
    #[arg(long)]
    pub markdown: bool,
    /// In every space of the store, not only this repository's
    #[arg(long, visible_alias = "all-spaces")]
    pub all: bool,
}
