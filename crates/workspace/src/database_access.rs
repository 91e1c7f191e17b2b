//! What it takes to reach a database beside its address.

use apostille_postgres::PostgresEnvironment;

/// What it takes to reach a database beside its address.
#[derive(Debug, Clone, Default)]
pub struct DatabaseAccess {
    /// Passwords and certificates, by the variables and files that every client of Postgres knows.
    pub environment: PostgresEnvironment,
    /// Something random, by which this process's writes are told from others'.
    pub nonce: u128,
}
