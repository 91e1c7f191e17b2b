//! Many processes on one database, from the first moment on.

use std::collections::BTreeSet;

use apostille_core::store::{EventLog as _, StoreError};
use apostille_postgres::{PostgresEnvironment, prepare_database};
use apostille_postgres_rig::{PgBouncer, PostgresServer};

use crate::rig::{
    OWNER, Writer, chain, check_acknowledged, create_database, list_all, make_role, open, try_open,
};

/// Ten processes meet an empty database: the tables are made once, and everybody writes.
#[test]
fn ten_processes_open_an_empty_database() {
    let server = PostgresServer::shared();
    for _ in 0..3 {
        let database = create_database(server);
        let url = server.url(OWNER, &database);
        let writers: Vec<Writer> = (0..10).map(|it| Writer::spawn(&url, it, 8)).collect();
        let said: Vec<String> = writers.into_iter().flat_map(Writer::finish).collect();
        let failed: Vec<&String> = said.iter().filter(|it| it.starts_with("failed")).collect();
        assert!(failed.is_empty(), "{failed:?}");
        assert_eq!(said.len(), 80);
        assert_eq!(
            list_all(&open(&url)).len(),
            81,
            "each once, and what everybody states"
        );
        check_acknowledged(&url, &said.into_iter().collect());
    }
}

/// Ten threads, each with a pool of its own, open at the same moment.
#[test]
fn ten_threads_open_an_empty_database() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    let barrier = std::sync::Barrier::new(10);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                barrier.wait();
                assert!(open(&url).list_spaces().unwrap().is_empty());
            });
        }
    });
    let versions = "select count(*) from apostille_meta where key = 'schema'";
    assert_eq!(server.run_sql(&database, versions), "1");
}

#[test]
fn eight_clients_share_four_connections() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let bouncer = PgBouncer::start(server, &[OWNER], 4);
    let url = bouncer.url(OWNER, &database);
    let writers: Vec<Writer> = (0..8).map(|it| Writer::spawn(&url, it, 40)).collect();
    let said: BTreeSet<String> = writers.into_iter().flat_map(Writer::finish).collect();
    let failed: Vec<&String> = said.iter().filter(|it| it.starts_with("failed")).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(said.len(), 320);
    check_acknowledged(&url, &said);
    let used = "select count(*) from pg_stat_activity where usename = 'team' and datname = current_database()";
    let n: usize = server.run_sql(&database, used).parse().unwrap();
    assert!(n <= 4, "{n} connections");
}

#[test]
fn newer_tables_are_refused_by_name() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    drop(open(&url));
    server.run_sql(
        &database,
        "update apostille_meta set value = 99 where key = 'schema'",
    );
    let error = try_open(&url).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found: 99, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("update apostille"), "{error}");
    let url = url.parse().unwrap();
    let error = prepare_database(&url, &PostgresEnvironment::default(), &[]).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found: 99, .. }),
        "{error:?}"
    );
}

/// A migration that fails leaves what was there, and the next one goes on.
#[test]
fn half_made_tables_are_no_tables() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    // The last table that is made is in the way.
    server.run_sql(&database, "create table apostille_token (mine int)");
    assert!(try_open(&url).is_err());
    let tables = "select count(*) from pg_tables where tablename = 'agent_memory'";
    assert_eq!(server.run_sql(&database, tables), "0");
    server.run_sql(&database, "drop table apostille_token");
    assert!(open(&url).list_spaces().unwrap().is_empty());
}

#[test]
fn role_that_may_make_no_tables_is_told_who_can() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    make_role(server, "guest");
    let error = chain(&try_open(&server.url("guest", &database)).unwrap_err());
    assert!(error.contains("apostille store prepare"), "{error}");
}

#[test]
fn missing_names_are_told() {
    let server = PostgresServer::shared();
    let check = |user: &str, database: &str, expected: &str| {
        let error = chain(&try_open(&server.url(user, database)).unwrap_err());
        assert!(error.contains(expected), "{error}");
    };
    check(
        "nobody_at_all",
        "postgres",
        "role \"nobody_at_all\" does not exist",
    );
    check(
        "postgres",
        "no_such_database",
        "database \"no_such_database\" does not exist",
    );
}
