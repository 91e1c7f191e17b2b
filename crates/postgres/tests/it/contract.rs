//! The contract, directly and through PgBouncer in transaction mode.

use std::sync::OnceLock;

use apostille_contract::{
    check_crowded_space, check_event_traces, check_large_batch_conflict, check_memory_lifecycle,
    check_rollback, check_store_against_ram, check_total_limit, random_store_steps,
};
use apostille_core::store::Store;
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
