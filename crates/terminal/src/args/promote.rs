//! The command line of `promote`.

use apostille_core::memory::{Kind, Layer, MemoryName};
use clap::Args;

use super::build_word_parser;

/// `promote`.
#[derive(Debug, Args)]
pub struct PromoteArgs {
    /// The note: scratch of a session, or an episode
    #[arg(value_name = "HANDLE")]
    pub name: MemoryName,
    /// Where to: an episode, or knowledge; the next one up unless said
    #[arg(long, value_parser = build_word_parser(&[Layer::Episode, Layer::Knowledge], Layer::as_str))]
    pub layer: Option<Layer>,
    /// What sort of thing it is
    #[arg(long, value_parser = build_word_parser(Kind::ALL, Kind::as_str))]
    pub kind: Option<Kind>,
    /// A brief topic
    #[arg(long, short)]
    pub subject: Option<String>,
    /// It in better words
    #[arg(long)]
    pub fact: Option<String>,
    /// Why it matters
    #[arg(long)]
    pub reason: Option<String>,
    /// The lines that prove it, as src/api.rs:12-18 (repeatable)
    #[arg(long = "cite", short, value_name = "PATH:LINES")]
    pub cites: Vec<String>,
    /// The task that an episode belongs to
    #[arg(long, value_name = "SLUG")]
    pub task: Option<String>,
}
