//! Statements are named where a connection ends in one session of the server, and nowhere else.

use apostille_core::{
    memory::MemoryId,
    store::{
        Store,
        shelf::{PartName, ReplicaParts, ReplicaShelf, ShelfRecord},
    },
};
use apostille_postgres_rig::{PgBouncer, PostgresServer, ServerOptions};

use crate::rig::{OWNER, create_database, fact, keep, list_all, make_role, open, space};

/// What the server logs of each statement that it runs by a name that a client gave it.
const NAMED: &str = "execute s";

#[test]
fn statements_are_named_on_a_direct_connection_and_never_behind_a_pooler() {
    let options = ServerOptions::fast().with("log_min_duration_statement", "0");
    let server = PostgresServer::start(options);
    let pooled = create_database(&server);
    let bouncer = PgBouncer::start(&server, &[OWNER], 2);
    work(&bouncer.url(OWNER, &pooled));
    let log = server.read_log();
    assert!(log.contains("execute <unnamed>"), "nothing is logged");
    assert!(!log.contains(NAMED), "a name went through the pooler");
    assert!(
        bouncer.read_log().contains("startup parameter"),
        "the mark was not refused"
    );
    let direct = create_database(&server);
    work(&server.url(OWNER, &direct));
    assert!(server.read_log().contains(NAMED));
}

/// A pooler that drops the mark instead of refusing it is known by that, too.
#[test]
fn pooler_that_leaves_the_mark_out_is_found() {
    let options = ServerOptions::fast().with("log_min_duration_statement", "0");
    let server = PostgresServer::start(options);
    let database = create_database(&server);
    let lenient = ["ignore_startup_parameters = options"];
    let bouncer = PgBouncer::start_with(&server, &[OWNER], 2, &lenient);
    work(&bouncer.url(OWNER, &database));
    let log = server.read_log();
    assert!(log.contains("execute <unnamed>") && !log.contains(NAMED));
}

fn work(url: &str) {
    let store = open(url);
    for n in 0..12 {
        let kept = keep(
            &store,
            fact(format!("the port of service {n} is {}", 4_000 + n)),
        )
        .unwrap();
        assert_eq!(store.get_by_ids(&[kept.id]).unwrap().len(), 1);
    }
    assert_eq!(list_all(&store).len(), 12);
}

fn part(name: u8, lines: &str) -> ReplicaParts {
    ReplicaParts::from([(PartName(name), lines.to_owned())])
}

fn record(revision: u64) -> ShelfRecord {
    ShelfRecord {
        revision,
        generation: revision,
        ..ShelfRecord::default()
    }
}

fn shelf(store: &dyn Store) -> &dyn ReplicaShelf {
    store.replica_shelf().unwrap()
}

#[test]
fn of_two_writes_that_were_decided_on_the_same_revision_one_is_kept() {
    let server = PostgresServer::shared();
    let url = server.url(OWNER, &create_database(server));
    let (one, two) = (open(&url), open(&url));
    let (one, two) = (shelf(&one), shelf(&two));
    assert_eq!(
        one.read_shelf_record(&space()).unwrap(),
        ShelfRecord::default()
    );
    assert!(
        one.write_shelf(&space(), &record(1), &part(7, "a\n"))
            .unwrap()
    );
    assert!(
        !two.write_shelf(&space(), &record(1), &part(8, "b\n"))
            .unwrap()
    );
    assert!(
        two.write_shelf(&space(), &record(2), &part(8, "b\n"))
            .unwrap()
    );
    assert!(
        !one.write_shelf(&space(), &record(2), &part(7, "c\n"))
            .unwrap()
    );
    assert!(
        !one.write_shelf(&space(), &record(9), &part(7, "c\n"))
            .unwrap()
    );
    let expected = ReplicaParts::from([(PartName(7), "a\n".into()), (PartName(8), "b\n".into())]);
    assert_eq!(one.read_shelf_parts(&space(), None).unwrap(), expected);
    assert_eq!(
        one.read_shelf_parts(&space(), Some(&[PartName(8)]))
            .unwrap(),
        part(8, "b\n")
    );
    assert_eq!(one.read_shelf_record(&space()).unwrap(), record(2));
    // A part without lines goes.
    assert!(one.write_shelf(&space(), &record(3), &part(7, "")).unwrap());
    let looks = two.look_at_shelf(&space()).unwrap();
    assert_eq!(looks.keys().copied().collect::<Vec<_>>(), [PartName(8)]);
    assert_eq!(looks[&PartName(8)].bytes, 2);
}

/// Who was let in before there were these tables may use them when the owner has made them.
#[test]
fn members_of_an_older_database_may_use_what_a_migration_adds() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    make_role(server, "veteran");
    let run = |sql: &str| server.try_sql(OWNER, &database, sql).unwrap();
    run("CREATE TABLE apostille_meta(key text PRIMARY KEY, value bigint NOT NULL)");
    run(include_str!("../../src/migrations/0001_memories.sql"));
    run(include_str!("../../src/migrations/0002_isolation.sql"));
    run("INSERT INTO apostille_meta(key, value) VALUES ('schema', 2)");
    run(&format!(
        "INSERT INTO apostille_grant VALUES ('{OWNER}', '*', 'write'), ('veteran', 'acme/shop', 'write')"
    ));
    run("GRANT SELECT ON apostille_meta, apostille_grant TO veteran");
    run(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON agent_memory, agent_memory_telemetry, apostille_space, apostille_log, \
         apostille_event_count, apostille_cites, apostille_tail, apostille_posting, apostille_embedding TO veteran",
    );
    drop(open(&server.url(OWNER, &database)));
    let store = open(&server.url("veteran", &database));
    keep(&store, fact("the port of the old service is 4000")).unwrap();
    let part_of = PartName::for_memory(MemoryId::from_bytes([1; 16]));
    let lines = part(part_of.0, "a\n");
    assert!(
        shelf(&store)
            .write_shelf(&space(), &record(1), &lines)
            .unwrap()
    );
    let foreign = "acme/secret".parse().unwrap();
    assert!(
        shelf(&store)
            .write_shelf(&foreign, &record(1), &lines)
            .is_err()
    );
    assert!(
        shelf(&store)
            .read_shelf_parts(&foreign, None)
            .unwrap()
            .is_empty()
    );
}
