//! The contract, directly and through PgBouncer in transaction mode.

use std::sync::OnceLock;

use apostille_contract::{
    check_crowded_space, check_event_traces, check_large_batch_conflict, check_memory_lifecycle,
    check_replicas_converge, check_rollback, check_store_against_ram, check_store_copy,
    check_total_limit, random_store_steps, random_team_steps, tokens::check_token_store,
};
use apostille_core::store::{Store, ram::RamStore};
use apostille_postgres::{PostgresEnvironment, PostgresTokens};
use apostille_postgres_rig::{PgBouncer, PostgresServer};
use proptest::prelude::*;

use crate::rig::{OWNER, create_database, make_role, open};

/// How a store is reached.
#[derive(Debug, Clone, Copy)]
enum Route {
    Direct,
    Pooled,
}

/// Four connections to the server for each database, whatever its clients need.
fn bouncer() -> &'static PgBouncer {
    static BOUNCER: OnceLock<PgBouncer> = OnceLock::new();
    BOUNCER.get_or_init(|| {
        let server = PostgresServer::shared();
        make_role(server, OWNER);
        PgBouncer::start(server, &[OWNER], 4)
    })
}

/// Runs a part of the suite on a new database, which goes away again.
fn on(route: Route, suite: impl Fn(&dyn Fn() -> Box<dyn Store>)) {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = match route {
        Route::Direct => server.url(OWNER, &database),
        Route::Pooled => bouncer().url(OWNER, &database),
    };
    suite(&|| Box::new(open(&url)));
    server.run_sql(
        "postgres",
        &format!("drop database {database} with (force)"),
    );
}

#[test]
fn lifecycle_on_postgres() {
    on(Route::Direct, |open| check_memory_lifecycle(open));
}

#[test]
fn lifecycle_through_pgbouncer() {
    on(Route::Pooled, |open| check_memory_lifecycle(open));
}

#[test]
fn total_limit_holds() {
    on(Route::Direct, |open| check_total_limit(open));
}

#[test]
fn crowded_space_is_answered() {
    on(Route::Direct, |open| check_crowded_space(open));
}

#[test]
fn large_batch_conflicts_as_a_whole() {
    on(Route::Direct, |open| check_large_batch_conflict(open));
    on(Route::Pooled, |open| check_large_batch_conflict(open));
}

#[test]
fn event_traces_are_kept() {
    on(Route::Direct, |open| check_event_traces(open));
}

#[test]
fn tokens_of_a_database_keep_the_contract() {
    let server = PostgresServer::shared();
    for route in [Route::Direct, Route::Pooled] {
        let database = create_database(server);
        let url = match route {
            Route::Direct => server.url(OWNER, &database),
            Route::Pooled => bouncer().url(OWNER, &database),
        };
        check_token_store(&mut || {
            drop(open(&url));
            let url = url.parse().expect("an address");
            Box::new(PostgresTokens::new(url, PostgresEnvironment::default(), 7))
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn copy_into_and_out_of_a_database_is_that_store(steps in random_store_steps(), is_source in any::<bool>()) {
        on(Route::Direct, |database| {
            let ram = RamStore::default();
            let ram = || -> Box<dyn Store> { Box::new(ram.clone()) };
            match is_source {
                true => check_store_copy(database, &ram, &steps, false),
                false => check_store_copy(&ram, database, &steps, false),
            }
        });
    }

    #[test]
    fn replica_in_a_database_converges_with_others(steps in random_team_steps()) {
        on(Route::Direct, |database| {
            let ram = || -> Box<dyn Store> { Box::new(RamStore::default()) };
            check_replicas_converge([database(), ram(), ram()], &steps);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn postgres_agrees_with_the_twin(steps in random_store_steps()) {
        on(Route::Direct, |open| check_store_against_ram(open, &steps));
    }

    #[test]
    fn postgres_agrees_with_the_twin_through_pgbouncer(steps in random_store_steps()) {
        on(Route::Pooled, |open| check_store_against_ram(open, &steps));
    }

    #[test]
    fn postgres_rolls_back_exactly(steps in random_store_steps(), chosen in 0_usize..60) {
        on(Route::Direct, |open| check_rollback(open, &steps, chosen));
    }
}
