//! What a server is to offer, as it is typed.

use apostille_server::mcp::{Offer, Spelling};
use apostille_server::profile::Profile;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

/// What is offered to agents.
#[derive(Debug, Clone, Copy, Args)]
pub struct Offered {
    /// Which set of tools
    #[arg(
        long,
        value_name = "SET",
        default_value = "default",
        value_parser = PossibleValuesParser::new(Profile::ALL.map(Profile::as_str)).try_map(|it| it.parse::<Profile>())
    )]
    pub profile: Profile,
    /// How tools are called: memory_store, or memory.store where the client takes dots
    #[arg(long, value_name = "HOW", default_value = "underscores")]
    pub tool_names: ToolNames,
}

/// A server behind a socket.
#[derive(Debug, Clone, Copy, Args)]
pub struct Serve {
    /// Which port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 7787)]
    pub port: u16,
    /// Let every program on this machine in, without a token
    #[arg(long)]
    pub no_token: bool,
    /// What is offered.
    #[command(flatten)]
    pub offered: Offered,
}

/// How tools are called.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ToolNames {
    /// `memory_store`
    Underscores,
    /// `memory.store`
    Dotted,
}

impl Offered {
    /// What is meant.
    pub fn offer(self) -> Offer {
        let spelling = match self.tool_names {
            ToolNames::Underscores => Spelling::Underscores,
            ToolNames::Dotted => Spelling::Dots,
        };
        Offer { profile: self.profile, spelling }
    }
}
