//! The command line of who may come through the socket.

use apostille_api::access_token::Access;
use apostille_core::space::Space;
use clap::{Args, Subcommand};

use super::build_word_parser;

/// `token`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct TokenArgs {
    /// What to do; they are listed unless said.
    #[command(subcommand)]
    pub what: Option<TokenSubcommand>,
}

/// What is done about tokens.
#[derive(Debug, Subcommand)]
pub enum TokenSubcommand {
    /// Make one; it is shown once
    Create(TokenCreateArgs),
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
pub struct TokenCreateArgs {
    /// What to call it
    pub name: String,
    /// Only for this repository, or users/NAME (repeatable); every one unless said
    #[arg(long = "space", value_name = "OWNER/NAME")]
    pub spaces: Vec<Space>,
    /// What may be done with it
    #[arg(long, value_name = "ACCESS", default_value = "read", value_parser = build_word_parser(Access::ALL, Access::as_str))]
    pub access: Access,
    /// For so many days; until it is revoked unless said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub days: Option<u16>,
}
