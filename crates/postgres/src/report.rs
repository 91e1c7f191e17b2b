//! What there is to say of a connection: for `doctor`, and for whoever sets a database up.

use std::time::{Duration, Instant};

use apostille_core::store::StoreResult;

use crate::{
    connection::{ConnectionPool, PgConnection},
    environment::PostgresEnvironment,
    error::PgResult,
    schema,
    settings::connect_settings,
    statement::SqlStatement,
    store::unusable_address,
    tls::TlsMode,
    url::PostgresUrl,
};

/// How a database is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseReport {
    /// As whom.
    pub role: String,
    /// The server's version.
    pub server: String,
    /// The version of the tables; 0 where there are none.
    pub schema: u32,
    /// Whether the role owns the tables, and so could switch off what keeps spaces apart.
    pub owns_tables: bool,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
    /// Whether the server had to show a certificate that fits.
    pub is_certificate_checked: bool,
    /// Whether the server is on this machine.
    pub is_local: bool,
    /// How long a question and its answer take: the fastest of a few.
    pub round_trip: Duration,
}

/// How often a round trip is timed.
const ROUND_TRIPS: u32 = 5;

/// Connects, looks, and changes nothing.
pub fn examine_database(
    url: &PostgresUrl,
    environment: &PostgresEnvironment,
) -> StoreResult<DatabaseReport> {
    let settings = connect_settings(url, environment).map_err(|it| unusable_address(url, &it))?;
    let may_encrypt = !matches!(settings.tls, TlsMode::Off);
    let pool = ConnectionPool::new(settings, 1, None);
    let mut report = pool.with_connection(examine_connection)?;
    report.is_encrypted &= may_encrypt;
    report.is_certificate_checked = report.is_encrypted && url.checks_certificate();
    report.is_local = url.is_local();
    Ok(report)
}

fn examine_connection(connection: &PgConnection) -> PgResult<DatabaseReport> {
    let select = "SELECT current_user::text, current_setting('server_version'), \
                  EXISTS (SELECT 1 FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner \
                  WHERE c.relname = 'agent_memory' AND r.rolname = current_user), \
                  EXISTS (SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl)";
    let rows = connection.run_plain(SqlStatement::new(select))?;
    let mut report = DatabaseReport {
        role: String::new(),
        server: String::new(),
        schema: schema::read_schema_version(connection)?,
        owns_tables: false,
        is_encrypted: false,
        is_certificate_checked: false,
        is_local: false,
        round_trip: Duration::MAX,
    };
    if let Some(row) = rows.first() {
        report.role = row.try_get(0)?;
        report.server = row.try_get(1)?;
        report.owns_tables = row.try_get(2)?;
        report.is_encrypted = row.try_get(3)?;
    }
    for _ in 0..ROUND_TRIPS {
        let begun = Instant::now();
        connection.run_plain(SqlStatement::new("SELECT 1"))?;
        report.round_trip = report.round_trip.min(begun.elapsed());
    }
    Ok(report)
}
