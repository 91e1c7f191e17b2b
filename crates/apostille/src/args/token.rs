//! The command line of who may come through the socket.

use apostille_api::pass::Access;
use apostille_core::space::Space;
use clap::{Args, Subcommand};

use super::word;

/// `token`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct Token {
    /// What to do; they are listed unless said.
    #[command(subcommand)]
    pub what: Option<TokenWhat>,
}

/// What is done about tokens.
#[derive(Debug, Subcommand)]
pub enum TokenWhat {
    /// Make one; it is shown once
    Create(TokenCreate),
    /// List them
    List,
    /// Take one back; a server that runs knows at once
    Revoke {
        /// Which
        name: String,
    },
}

/// `token create`.
#[derive(Debug, Args)]
pub struct TokenCreate {
    /// What to call it
    pub name: String,
    /// Only for this repository, or users/NAME (repeatable); every one unless said
    #[arg(long = "space", value_name = "OWNER/NAME")]
    pub spaces: Vec<Space>,
    /// What may be done with it
    #[arg(long, value_name = "ACCESS", default_value = "read", value_parser = word(Access::ALL, Access::as_str))]
    pub access: Access,
    /// For so many days; until it is revoked unless said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub days: Option<u16>,
}
