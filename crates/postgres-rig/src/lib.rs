//! A real Postgres on this machine, with all that can happen to one: for tests and benches.
//!
//! ```no_run
//! use apostille_postgres_rig::{PostgresServer, ServerOptions};
//!
//! let server = PostgresServer::start(ServerOptions::fast());
//! let database = server.create_database();
//! assert_eq!(server.run_sql(&database, "select 1"), "1");
//! println!("{}", server.url("postgres", &database));
//! ```
//!
//! The programs are those of the machine: [`programs`] looks in `PG_BIN`, `PATH` and where Debian has them. Where they are
//! missing, the rig panics and says how to install them: a test that is left out would look like one that passes.
//!
//! **Nothing is left behind.** Each program runs below a shell that waits for the end of its input ([`guard`]). The
//! other end of that pipe is held by this process alone, so the shell sees it close however this process ends, also by
//! `kill -9`; it then ends the program and removes its folder. Should the shell itself be killed, the next start removes what is
//! left.
//!
//! Postgres and PgBouncer refuse to run as root. Where the tests do, they are started as `nobody`.
#![cfg(unix)]
#![expect(
    clippy::expect_used,
    reason = "what serves tests alone fails by panicking"
)]

mod bouncer;
pub mod certificates;
pub mod guard;
mod leftovers;
pub mod programs;
mod server;

pub use bouncer::PgBouncer;
pub use server::{PostgresServer, ServerOptions};
