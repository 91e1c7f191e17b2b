//! What a person types and how it is answered: arguments, colours and output.
//!
//! ```
//! use apostille_terminal::args::{Cli, CliCommand};
//! use apostille_terminal::paint::truncate_to_width;
//! use clap::Parser as _;
//!
//! let cli = Cli::try_parse_from(["apostille", "recall", "which port", "--json"]).expect("a command line");
//! assert!(matches!(cli.command, CliCommand::Recall(_)));
//!
//! // A wide letter takes two columns, and what is cut says so.
//! assert_eq!(truncate_to_width("端口是 8080", 7), "端口是…");
//! ```

pub mod args;
pub mod breakers;
pub mod command_context;
pub mod editor;
pub mod paint;
