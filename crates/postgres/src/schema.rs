//! The tables: which version of them a database has, making them, and who may use them.
//!
//! Whoever makes or changes tables holds the one row of `apostille_lease` while they do, so that ten servers which start at
//! once make them once. The row is held by the transaction: a server that dies in the middle leaves nothing behind.

use apostille_core::{space::Space, store::StoreError};

use crate::{
    connection::{PgConnection, SpaceScope, TransactionKind},
    error::{PgError, PgResult},
    statement::SqlStatement,
};

/// One step for each version of the tables. Migrations are only added.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_memories.sql"),
    include_str!("migrations/0002_isolation.sql"),
    include_str!("migrations/0003_policies.sql"),
    include_str!("migrations/0004_replica.sql"),
];

/// What has to be there before anybody can stand in line.
const LEASE: &str = "CREATE TABLE IF NOT EXISTS apostille_meta(key text PRIMARY KEY, value bigint NOT NULL); \
    CREATE TABLE IF NOT EXISTS apostille_lease(name text PRIMARY KEY); \
    INSERT INTO apostille_lease(name) VALUES ('schema') ON CONFLICT (name) DO NOTHING";

/// How often the making of the lease is tried: two that make it at once fail, and the next try finds it.
const LEASE_TRIES: usize = 20;

/// The tables with rows of spaces.
pub(crate) const SPACE_TABLES: [&str; 11] = [
    "agent_memory",
    "agent_memory_telemetry",
    "apostille_space",
    "apostille_log",
    "apostille_event_count",
    "apostille_cites",
    "apostille_tail",
    "apostille_posting",
    "apostille_embedding",
    "apostille_replica",
    "apostille_replica_part",
];

/// What a role of the database may do with a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantAccess {
    /// Look.
    Read,
    /// Look and write.
    Write,
    /// Write, and keep the tokens of servers.
    Serve,
}

/// A role of the database, and the space that it may use; every space where it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceGrant {
    /// The role.
    pub member: String,
    /// The space.
    pub space: Option<Space>,
    /// What it may do there.
    pub access: GrantAccess,
}

/// The newest version that this program makes.
pub(crate) fn newest_schema_version() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// The version of the tables; 0 where there are none.
pub(crate) fn read_schema_version(connection: &PgConnection) -> PgResult<u32> {
    let select = "SELECT value FROM apostille_meta WHERE key = 'schema'";
    let mut transaction = connection.begin(TransactionKind::Read, SpaceScope::Granted);
    match transaction.finish_with(vec![SqlStatement::new(select)]) {
        Ok(answers) => {
            let row = answers.first().and_then(|it| it.first());
            let version: i64 = row.map_or(Ok(0), |row| row.try_get(0))?;
            Ok(u32::try_from(version).unwrap_or(u32::MAX))
        }
        Err(error) if error.is_undefined_table() => {
            connection.end_transaction();
            Ok(0)
        }
        Err(error) => Err(error),
    }
}

/// Makes sure that the tables are of this version: makes them where there are none and the role may, and refuses newer ones.
pub(crate) fn ensure_schema(connection: &PgConnection) -> PgResult<()> {
    let (found, known) = (read_schema_version(connection)?, newest_schema_version());
    if found > known {
        return Err(StoreError::Newer { found, known }.into());
    }
    if found == known {
        return Ok(());
    }
    match migrate(connection) {
        Err(error) if error.is_refused_privilege() => Err(StoreError::Unavailable {
            what: if found == 0 {
                "the database has no tables of Apostille, and this role may not make them; its owner runs `apostille store prepare`".into()
            } else {
                format!("the database has tables of version {found}, this program needs {known}; its owner runs `apostille store prepare`")
            },
            source: error.to_string().into(),
        }
        .into()),
        other => other,
    }
}

/// Makes the tables, or brings them up to date.
pub(crate) fn migrate(connection: &PgConnection) -> PgResult<()> {
    make_lease(connection)?;
    connection
        .run_script("BEGIN; SELECT 1 FROM apostille_lease WHERE name = 'schema' FOR UPDATE")?;
    let done = migrate_in_line(connection);
    let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.run_script(end);
    done.and(ended)
}

fn make_lease(connection: &PgConnection) -> PgResult<()> {
    let mut tried = connection.run_script(LEASE);
    for _ in 0..LEASE_TRIES {
        match &tried {
            Err(error) if error.is_made_meanwhile() => tried = connection.run_script(LEASE),
            _ => break,
        }
    }
    tried
}

/// The steps that are missing, while nobody else makes any.
fn migrate_in_line(connection: &PgConnection) -> PgResult<()> {
    let select = SqlStatement::new("SELECT value FROM apostille_meta WHERE key = 'schema'");
    let answers = connection.run_plain(select)?;
    let found: i64 = answers.first().map_or(Ok(0), |row| row.try_get(0))?;
    let found = usize::try_from(found).unwrap_or(usize::MAX);
    let Some(missing) = MIGRATIONS.get(found..) else {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let known = newest_schema_version();
        return Err(StoreError::Newer { found, known }.into());
    };
    for step in missing {
        connection.run_script(step)?;
    }
    if found == 0 {
        // Whoever makes the tables may use them; everybody else is named by them.
        let owner = "INSERT INTO apostille_grant(member, space, access) VALUES (current_user, '*', 'write')";
        connection.run_script(owner)?;
    } else {
        let_members_use_new_tables(connection)?;
    }
    let version = SqlStatement::new(
        "INSERT INTO apostille_meta(key, value) VALUES ('schema', $1) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
    connection.run_plain(version.int(newest_schema_version().into()))?;
    Ok(())
}

/// Who may use the tables that were there may use those that a migration added. A role that is gone by now needs nothing.
fn let_members_use_new_tables(connection: &PgConnection) -> PgResult<()> {
    for grant in list_grants(connection)? {
        let select = SqlStatement::new(
            "SELECT 1 FROM pg_roles WHERE rolname = $1 AND rolname <> current_user",
        );
        if !connection.run_plain(select.text(&grant.member))?.is_empty() {
            connection.run_script(&format_table_rights(&grant))?;
        }
    }
    Ok(())
}

/// The statement that gives a role its rights on the tables of spaces.
fn format_table_rights(grant: &SpaceGrant) -> String {
    let role = quote_name(&grant.member);
    let rights = match grant.access {
        GrantAccess::Read => "SELECT",
        GrantAccess::Write | GrantAccess::Serve => "SELECT, INSERT, UPDATE, DELETE",
    };
    let tables = SPACE_TABLES.join(", ");
    format!("GRANT {rights} ON {tables} TO {role};")
}

/// Lets a role of the database use a space.
pub(crate) fn grant_space(connection: &PgConnection, grant: &SpaceGrant) -> PgResult<()> {
    let role = quote_name(&grant.member);
    let mut script = format_table_rights(grant);
    script += &format!(" GRANT SELECT ON apostille_meta, apostille_grant TO {role};");
    if grant.access == GrantAccess::Serve {
        script += &format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON apostille_token, apostille_token_version TO {role};"
        );
    }
    connection.run_script(&script)?;
    let access = if grant.access == GrantAccess::Read {
        "read"
    } else {
        "write"
    };
    let upsert = "INSERT INTO apostille_grant(member, space, access) VALUES ($1, $2, $3) \
                  ON CONFLICT (member, space) DO UPDATE SET access = excluded.access";
    let upsert = SqlStatement::new(upsert)
        .text(&grant.member)
        .text(grant.space.as_ref().map_or("*", Space::as_str))
        .text(access);
    connection.run_plain(upsert)?;
    Ok(())
}

/// Takes a space from a role; every space where none is named. Its rights on the tables stay, and let nothing through.
pub(crate) fn revoke_space(
    connection: &PgConnection,
    member: &str,
    space: Option<&Space>,
) -> PgResult<bool> {
    let delete = match space {
        Some(space) => {
            let sql =
                "DELETE FROM apostille_grant WHERE member = $1 AND space = $2 RETURNING space";
            SqlStatement::new(sql).text(member).text(space.as_str())
        }
        None => SqlStatement::new("DELETE FROM apostille_grant WHERE member = $1 RETURNING space")
            .text(member),
    };
    Ok(!connection.run_plain(delete)?.is_empty())
}

/// Every grant, by role and space.
pub(crate) fn list_grants(connection: &PgConnection) -> PgResult<Vec<SpaceGrant>> {
    let select = "SELECT member, space, access FROM apostille_grant ORDER BY member, space";
    let rows = connection.run_plain(SqlStatement::new(select))?;
    let grant = |row: &tokio_postgres::Row| {
        let (space, access): (&str, &str) = (row.try_get(1)?, row.try_get(2)?);
        let named = |it: &str| {
            let bad = |_| PgError::corrupt(format!("the grant of space {it}"));
            it.parse().map_err(bad)
        };
        Ok(SpaceGrant {
            member: row.try_get(0)?,
            space: (space != "*").then(|| named(space)).transpose()?,
            access: if access == "read" {
                GrantAccess::Read
            } else {
                GrantAccess::Write
            },
        })
    };
    rows.iter().map(grant).collect()
}

/// A name in a statement that takes none as a value.
fn quote_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
