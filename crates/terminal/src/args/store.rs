//! What is done about stores as such, as it is typed: `store`.

use apostille_core::space::Space;
use clap::{Args, Subcommand, ValueEnum};

/// `store`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct StoreArgs {
    /// What to do
    #[command(subcommand)]
    pub what: StoreSubcommand,
}

/// What is done about stores.
#[derive(Debug, Subcommand)]
pub enum StoreSubcommand {
    /// Copy everything into another store: ids, numbers, history, counters
    Copy(StoreCopyArgs),
    /// Make the tables of a Postgres database, or bring them up to date
    ///
    /// Connect as the role that is to own the tables, once. Everybody else connects as a role that owns nothing and that
    /// `store grant` names: what keeps spaces apart is row-level security, which binds such roles whatever they send.
    Prepare(StoreAddressArgs),
    /// Let a role of the database use a space
    ///
    /// The role must be there (CREATE ROLE ana LOGIN). Connect as the owner of the tables.
    Grant(StoreGrantArgs),
    /// Take a space from a role of the database
    Revoke(StoreRevokeArgs),
    /// Who may use which spaces of a database
    Grants(StoreAddressArgs),
}

/// A database by its address.
#[derive(Debug, Args)]
pub struct StoreAddressArgs {
    /// The database; a password comes from PGPASSWORD or ~/.pgpass
    #[arg(value_name = "postgres://OWNER@HOST/DATABASE")]
    pub address: String,
}

/// `store grant`.
#[derive(Debug, Args)]
pub struct StoreGrantArgs {
    /// The database
    #[command(flatten)]
    pub store: StoreAddressArgs,
    /// The role
    pub role: String,
    /// The space: owner/name, host/owner/name or users/NAME (repeatable)
    #[arg(
        long = "space",
        value_name = "OWNER/NAME",
        required_unless_present = "everywhere"
    )]
    pub spaces: Vec<Space>,
    /// Every space: for a server that keeps its callers apart by tokens
    #[arg(long, conflicts_with = "spaces")]
    pub everywhere: bool,
    /// What it may do there
    #[arg(long, value_name = "ACCESS", default_value = "write")]
    pub access: StoreGrantAccess,
}

/// What a role may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StoreGrantAccess {
    /// Look
    Read,
    /// Look and write
    Write,
    /// Write, and keep the tokens of servers
    Serve,
}

/// `store revoke`.
#[derive(Debug, Args)]
pub struct StoreRevokeArgs {
    /// The database
    #[command(flatten)]
    pub store: StoreAddressArgs,
    /// The role
    pub role: String,
    /// The space; every space unless said
    #[arg(long, value_name = "OWNER/NAME")]
    pub space: Option<Space>,
}

/// `store copy`.
#[derive(Debug, Args)]
pub struct StoreCopyArgs {
    /// The store to read: sqlite:PATH, jsonl:PATH or postgres://…
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The store to write: one that is not there yet, or that an interrupted copy left
    #[arg(value_name = "TO")]
    pub to: String,
    /// Say what would be copied, and write nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}
