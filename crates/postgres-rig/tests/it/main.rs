//! The rig itself: what it starts answers, and nothing of it is left.
#![cfg(unix)]

use std::{
    net::TcpStream,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use apostille_postgres_rig::{PgBouncer, PostgresServer, ServerOptions};

const CHILD: &str = "APOSTILLE_TEST_RIG_CHILD";

#[test]
fn shared_server_has_databases_for_all() {
    let server = PostgresServer::shared();
    let [one, other] = [server.create_database(), server.create_database()];
    server.run_sql(&one, "create table only_here (id int)");
    let error = server.try_sql("postgres", &other, "select * from only_here");
    assert!(error.unwrap_err().contains("does not exist"));
}

#[test]
fn killed_server_starts_again_with_what_was_committed() {
    let mut server = PostgresServer::start(ServerOptions::durable());
    server.run_sql("postgres", "create table kept (id int)");
    server.run_sql("postgres", "insert into kept values (1)");
    let port = server.port();
    server.kill_hard();
    assert!(server.try_sql("postgres", "postgres", "select 1").is_err());
    server.start_again();
    assert_eq!(server.port(), port);
    assert_eq!(server.run_sql("postgres", "select id from kept"), "1");
}

#[test]
fn replica_has_every_acknowledged_write_and_takes_over() {
    let mut server = PostgresServer::start(ServerOptions::fast());
    server.run_sql("postgres", "create table kept (id int)");
    let replica = server.start_synchronous_replica();
    server.run_sql("postgres", "insert into kept values (1)");
    let refused = replica.try_sql("postgres", "postgres", "insert into kept values (2)");
    assert!(refused.unwrap_err().contains("read-only"));
    server.kill_hard();
    replica.promote();
    replica.run_sql("postgres", "insert into kept values (2)");
    assert_eq!(replica.run_sql("postgres", "select sum(id) from kept"), "3");
}

#[test]
fn paused_server_answers_when_it_goes_on() {
    let server = PostgresServer::start(ServerOptions::fast());
    let paused = server.pause();
    let url = server.url("postgres", "postgres") + "&connect_timeout=2";
    let mut psql = Command::new(apostille_postgres_rig::programs::find_postgres_program(
        "psql",
    ));
    let status = psql
        .args(["-c", "select 1", &url])
        .stderr(Stdio::null())
        .status();
    assert!(!status.unwrap().success(), "a paused server answered");
    drop(paused);
    assert_eq!(server.run_sql("postgres", "select 1"), "1");
}

/// Consecutive transactions of one client meet other connections: that is what the store has to bear.
#[test]
fn pgbouncer_gives_connections_for_a_transaction_only() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let bouncer = PgBouncer::start(server, &["postgres"], 2);
    let psql = apostille_postgres_rig::programs::find_postgres_program("psql");
    let mut held = Command::new(&psql);
    let sql = "begin; select pg_backend_pid(); select pg_sleep(600)";
    let mut held = held
        .args(["-X", "-At", "-c", sql, &bouncer.url("postgres", &database)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let count = "select count(*) from pg_stat_activity where query like '%pg_sleep(600)' and state = 'active'";
    wait_until(|| {
        server.run_sql(&database, &format!("{count} and pid <> pg_backend_pid()")) == "1"
    });
    let mut other = Command::new(&psql);
    other.args([
        "-X",
        "-At",
        "-c",
        "select 'free'",
        &bouncer.url("postgres", &database),
    ]);
    assert_eq!(
        other.output().unwrap().stdout,
        b"free\n",
        "{}",
        bouncer.read_log()
    );
    server.terminate_backends(&database);
    held.wait().unwrap();
}

/// A process that is killed while its server runs: the server and its folder go with it.
#[test]
fn killed_test_leaves_no_server_behind() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["child_that_is_killed", "--exact", "--nocapture"])
        .env(CHILD, "1");
    let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
    let line = std::iter::from_fn(|| {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut said, &mut line)
            .ok()
            .filter(|it| *it > 0)?;
        Some(line)
    })
    .find_map(|it| {
        it.split_once("server ")
            .map(|(_, rest)| rest.trim().to_owned())
    })
    .unwrap();
    let (port, log) = line.split_once(' ').unwrap();
    let folder = PathBuf::from(log);
    assert!(folder.exists());
    let port: u16 = port.parse().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_err() && !folder.exists());
}

/// Not a test of its own: what a child process runs.
#[test]
fn child_that_is_killed() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a child process is told so by its environment"
    )]
    if std::env::var(CHILD).is_err() {
        return;
    }
    let server = PostgresServer::start(ServerOptions::fast());
    println!("server {} {}", server.port(), server.folder().display());
    loop {
        thread::park();
    }
}

fn wait_until(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it never came to hold"
        );
        thread::sleep(Duration::from_millis(20));
    }
}
