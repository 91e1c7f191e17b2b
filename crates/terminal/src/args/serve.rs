//! What a server is to offer, as it is typed.

use std::time::Duration;

use apostille_http::ServerLimits;
use apostille_mcp::{ToolNameStyle, ToolOffer};
use apostille_tools::Profile;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};

/// What is offered to agents.
#[derive(Debug, Clone, Copy, Args)]
pub struct OfferArgs {
    /// Which set of tools
    #[arg(
        long,
        value_name = "SET",
        default_value = "default",
        value_parser = PossibleValuesParser::new(Profile::ALL.iter().map(|it| it.as_str())).try_map(|it| it.parse::<Profile>())
    )]
    pub profile: Profile,
    /// How tools are called: memory_store, or memory.store where the client takes dots
    #[arg(long, value_name = "HOW", default_value = "underscores")]
    pub tool_names: ToolNamesArg,
}

/// A server behind a socket.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Which port; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 7787)]
    pub port: u16,
    /// Open the panel in your browser
    #[arg(long)]
    pub open: bool,
    /// Let every program on this machine in, without a token
    #[arg(long)]
    pub no_token: bool,
    /// Which requests are told of on stderr; problems at a terminal, else all
    #[arg(long, value_name = "WHICH")]
    pub log: Option<LogLevelArg>,
    /// How much is taken on, as rate=400 (repeatable): rate, at_once, waiting, wait_ms, connections, listeners,
    /// head_ms, body_ms, work_ms, send_ms, grace_ms
    #[arg(long = "limit", value_name = "NAME=N", value_parser = parse_limit_arg)]
    pub limits: Vec<LimitArg>,
    /// What is offered.
    #[command(flatten)]
    pub offered: OfferArgs,
}

/// Which requests are told of.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LogLevelArg {
    /// Every one
    All,
    /// Those that were turned away, or failed
    Problems,
    /// None
    Off,
}

/// One of the limits, and how much it is to be.
pub(super) type LimitArg = (LimitSetter, u32);

/// Sets a limit.
type LimitSetter = fn(&mut ServerLimits, u32);

/// The limits that can be set, and where each goes.
const LIMITS: [(&str, LimitSetter); 11] = [
    ("rate", |it, n| it.rate = n),
    ("at_once", |it, n| it.at_once = limit_to_usize(n)),
    ("waiting", |it, n| it.waiting = limit_to_usize(n)),
    ("wait_ms", |it, n| it.wait = limit_to_millis(n)),
    ("connections", |it, n| it.connections = limit_to_usize(n)),
    ("listeners", |it, n| it.listeners = limit_to_usize(n)),
    ("head_ms", |it, n| it.head = limit_to_millis(n)),
    ("body_ms", |it, n| it.body = limit_to_millis(n)),
    ("work_ms", |it, n| it.work = limit_to_millis(n)),
    ("send_ms", |it, n| it.send = limit_to_millis(n)),
    ("grace_ms", |it, n| it.grace = limit_to_millis(n)),
];
/// The largest number that a limit can be: threads and sockets are not made by the million.
const MOST: u32 = 1_000_000;

fn limit_to_usize(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn limit_to_millis(n: u32) -> Duration {
    Duration::from_millis(n.into())
}

fn parse_limit_arg(text: &str) -> Result<LimitArg, String> {
    let known = || LIMITS.map(|it| it.0).join(", ");
    let (name, number) = text
        .split_once('=')
        .ok_or_else(|| format!("it is NAME=N; there are: {}", known()))?;
    let (_, set) = LIMITS
        .into_iter()
        .find(|it| it.0 == name)
        .ok_or_else(|| format!("there are: {}", known()))?;
    match number.parse() {
        Ok(number @ 1..=MOST) => Ok((set, number)),
        _ => Err(format!("a number from 1 to {MOST} is needed")),
    }
}

impl ServeArgs {
    /// How much is taken on.
    pub fn to_limits(&self) -> ServerLimits {
        let mut limits = ServerLimits::default();
        for (set, number) in &self.limits {
            set(&mut limits, *number);
        }
        limits
    }
}

/// How tools are called.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ToolNamesArg {
    /// `memory_store`
    Underscores,
    /// `memory.store`
    Dotted,
}

impl OfferArgs {
    /// What is meant.
    pub fn to_offer(self) -> ToolOffer {
        ToolOffer {
            profile: self.profile,
            spelling: match self.tool_names {
                ToolNamesArg::Underscores => ToolNameStyle::Underscores,
                ToolNamesArg::Dotted => ToolNameStyle::Dots,
            },
        }
    }
}
