//! What may happen to a database and to those who write to it: nothing that was acknowledged is lost, nothing is there
//! twice, and nobody hangs.

use std::{collections::BTreeSet, io, net::TcpListener, sync::mpsc, thread, time::Duration};

use apostille_core::store::{EventLog, MemoryFilter, Store as _};
use apostille_postgres_rig::{PgBouncer, PostgresServer, ServerOptions};

use crate::rig::{
    OWNER, Writer, chain, check_acknowledged, create_database, fact, keep, open, space, try_open,
};

/// What has an end has it by then, on the slowest machine.
const NEVER: Duration = Duration::from_secs(120);

/// Lets each writer acknowledge so many facts.
fn collect(writers: &mut [Writer], n: usize, acknowledged: &mut BTreeSet<String>) {
    for writer in writers {
        for _ in 0..n {
            let said = writer.next().unwrap_or_else(|| panic!("a writer ended"));
            assert!(said.starts_with("ack "), "{said}");
            acknowledged.insert(said);
        }
    }
}

/// What a writer says to its end: all of it acknowledgements.
fn finish(writers: Vec<Writer>, acknowledged: &mut BTreeSet<String>) {
    for said in writers.into_iter().flat_map(Writer::finish) {
        assert!(said.starts_with("ack "), "{said}");
        acknowledged.insert(said);
    }
}

#[test]
fn killed_writers_lose_nothing_acknowledged() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    let mut acknowledged = BTreeSet::new();
    for round in 0..6 {
        let spawn = |it| Writer::spawn(&url, round * 4 + it, 100_000);
        let mut writers: Vec<Writer> = (0..4).map(spawn).collect();
        collect(&mut writers, 2 + round, &mut acknowledged);
        writers.iter_mut().for_each(Writer::kill);
        finish(writers, &mut acknowledged);
        check_acknowledged(&url, &acknowledged);
    }
}

/// `kill -9` of the server in the middle: the writers wait for it, and go on when it is there again.
#[test]
fn killed_server_loses_nothing_acknowledged() {
    let mut server = PostgresServer::start(ServerOptions::durable());
    let database = create_database(&server);
    let url = server.url(OWNER, &database);
    let mut acknowledged = BTreeSet::new();
    let mut writers: Vec<Writer> = (0..4).map(|it| Writer::spawn(&url, it, 60)).collect();
    for _ in 0..3 {
        collect(&mut writers, 4, &mut acknowledged);
        server.kill_hard();
        server.start_again();
    }
    finish(writers, &mut acknowledged);
    assert_eq!(acknowledged.len(), 240, "a writer gave up");
    check_acknowledged(&url, &acknowledged);
}

/// An administrator ends all connections, again and again.
#[test]
fn ended_connections_lose_and_double_nothing() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    let mut acknowledged = BTreeSet::new();
    let mut writers: Vec<Writer> = (0..4).map(|it| Writer::spawn(&url, it, 80)).collect();
    let mut n_ended = 0;
    for _ in 0..15 {
        collect(&mut writers, 3, &mut acknowledged);
        n_ended += server.terminate_backends(&database);
    }
    assert!(n_ended >= 15, "only {n_ended} connections were ended");
    finish(writers, &mut acknowledged);
    assert_eq!(acknowledged.len(), 320);
    check_acknowledged(&url, &acknowledged);
}

#[test]
fn ended_connections_behind_pgbouncer_lose_and_double_nothing() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let bouncer = PgBouncer::start(server, &[OWNER], 4);
    let url = bouncer.url(OWNER, &database);
    let mut acknowledged = BTreeSet::new();
    let mut writers: Vec<Writer> = (0..4).map(|it| Writer::spawn(&url, it, 50)).collect();
    for _ in 0..8 {
        collect(&mut writers, 3, &mut acknowledged);
        server.terminate_backends(&database);
    }
    finish(writers, &mut acknowledged);
    assert_eq!(acknowledged.len(), 200);
    check_acknowledged(&server.url(OWNER, &database), &acknowledged);
}

/// The server dies for good and its replica takes over: the address names both.
#[test]
fn failover_to_a_synchronous_replica_loses_nothing_acknowledged() {
    let mut server = PostgresServer::start(ServerOptions::durable());
    let database = create_database(&server);
    drop(open(&server.url(OWNER, &database)));
    let replica = server.start_synchronous_replica();
    let (one, other) = (server.port(), replica.port());
    let url =
        format!("postgres://{OWNER}@127.0.0.1:{one},127.0.0.1:{other}/{database}?sslmode=disable");
    let mut acknowledged = BTreeSet::new();
    let mut writers: Vec<Writer> = (0..4).map(|it| Writer::spawn(&url, it, 40)).collect();
    collect(&mut writers, 5, &mut acknowledged);
    server.kill_hard();
    replica.promote();
    finish(writers, &mut acknowledged);
    assert_eq!(acknowledged.len(), 160, "a writer gave up");
    check_acknowledged(&url, &acknowledged);
}

/// Runs something that has to end, and gives what it came to.
fn with_an_end<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    let done = receiver.recv_timeout(NEVER);
    done.unwrap_or_else(|_| panic!("it hangs"))
}

#[test]
fn server_that_never_answers_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It takes connections and reads what it is sent.
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || io::copy(&mut &stream, &mut io::sink()));
        }
    });
    for mode in ["disable", "prefer", "require"] {
        let url = format!("postgres://ana:hunter2@127.0.0.1:{port}/m?sslmode={mode}");
        let error = with_an_end(move || chain(&try_open(&url).unwrap_err()));
        assert!(error.contains("cannot be reached"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn absent_server_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("postgres://ana:hunter2@127.0.0.1:{port}/m");
    let error = with_an_end(move || chain(&try_open(&url).unwrap_err()));
    assert!(
        error.contains("cannot be reached") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn paused_server_is_an_error_and_then_answers_again() {
    let server = PostgresServer::start(ServerOptions::fast());
    let database = create_database(&server);
    let url = server.url(OWNER, &database);
    let store = open(&url);
    keep(&store, fact("before the pause")).unwrap();
    let paused = server.pause();
    let (store, read) = with_an_end(move || {
        let read = store.list_memories(&MemoryFilter::default());
        (store, chain(&read.unwrap_err()))
    });
    assert!(read.contains("cannot be reached"), "{read}");
    let (store, written) = with_an_end(move || {
        let written = keep(&store, fact("during the pause"));
        (store, chain(&written.unwrap_err()))
    });
    assert!(written.contains("cannot be reached"), "{written}");
    drop(paused);
    let after = with_an_end(move || {
        keep(&store, fact("after the pause")).unwrap();
        store
            .read_postings(&space(), &["pause".into()])
            .unwrap()
            .n_docs
    });
    assert!(after >= 2, "{after}");
    check_acknowledged(&url, &BTreeSet::new());
}

/// A transaction of somebody else that never ends holds the space.
#[test]
fn held_lock_is_an_error_and_no_hang() {
    let server = PostgresServer::shared();
    let database = create_database(server);
    let url = server.url(OWNER, &database);
    let store = open(&url);
    keep(&store, fact("before the lock")).unwrap();
    let held_url = server.url("postgres", &database);
    let psql = apostille_postgres_rig::programs::find_postgres_program("psql");
    let sql = "begin; select 1 from apostille_space for update; select pg_sleep(600)";
    let mut held = std::process::Command::new(psql)
        .args(["-X", "-q", "-c", sql, &held_url])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let sleeping = "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
    while server.run_sql(&database, sleeping) != "1" {
        thread::sleep(Duration::from_millis(20));
    }
    let (store, error) = with_an_end(move || {
        let written = keep(&store, fact("behind the lock"));
        (store, chain(&written.unwrap_err()))
    });
    assert!(error.contains("busy"), "{error}");
    // Readers do not stand in line.
    assert_eq!(
        store
            .list_memories(&MemoryFilter {
                limit: 9,
                ..MemoryFilter::default()
            })
            .unwrap()
            .len(),
        1
    );
    server.terminate_backends(&database);
    held.wait().unwrap();
    keep(&store, fact("after the lock")).unwrap();
}
