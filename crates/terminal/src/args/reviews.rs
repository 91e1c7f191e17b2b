//! What reviewers write, as it is typed: `reviews`.

use clap::{Args, Subcommand};

/// `reviews`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct ReviewsArgs {
    /// What to do; how it stands is told unless said.
    #[command(subcommand)]
    pub what: Option<ReviewsSubcommand>,
}

/// What to do about reviews.
#[derive(Debug, Subcommand)]
pub enum ReviewsSubcommand {
    /// Read what reviewers wrote since the last time, from GitHub's API
    Pull,
    /// What is set up, what waits, and which rules reviewers gave
    Status,
    /// Try again what failed
    Reprocess,
}
