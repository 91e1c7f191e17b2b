//! The store against a real Postgres: the core's contract, directly and through PgBouncer; isolation; all that happens to
//! a server.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod faults;
mod isolation;
mod named;
mod plain_sql;
mod portable;
mod processes;
mod refusals;
mod rig;
