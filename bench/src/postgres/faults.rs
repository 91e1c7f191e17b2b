//! What is lost when a server dies: writers on a database whose server is killed, whose connections are ended, and whose
//! replica takes over. The tests of the store have the long form.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use apostille_core::store::{EventLog as _, MemoryFilter};
use apostille_postgres::{PostgresEnvironment, PostgresStore, PostgresUrl};
use apostille_postgres_rig::{PostgresServer, ServerOptions};

use super::{
    PostgresGround, fill,
    page::{FaultRow, PostgresPage},
};
use crate::{
    facts,
    ours::{self, Ours},
};

const WRITERS: usize = 4;
/// How many writes are acknowledged before something happens.
const STEP: usize = 60;
/// How long a writer says the same again while the store is away.
const PATIENCE: Duration = Duration::from_secs(60);

/// What writers share.
struct Writers<'a> {
    ground: &'a PostgresGround<'a>,
    url: PostgresUrl,
    n_acknowledged: AtomicUsize,
    facts: Mutex<BTreeSet<String>>,
    is_over: AtomicBool,
}

/// Measures each fault on a server of its own.
pub(crate) fn measure_faults(ground: &PostgresGround<'_>, page: &mut PostgresPage) -> Result<()> {
    page.faults.push(measure_killed_server(ground)?);
    page.faults.push(measure_ended_connections(ground)?);
    page.faults.push(measure_failover(ground)?);
    Ok(())
}

fn measure_killed_server(ground: &PostgresGround<'_>) -> Result<FaultRow> {
    let mut server = PostgresServer::start(ServerOptions::durable());
    let database = prepare(&server);
    let url = server.url(fill::OWNER, &database);
    write_through(ground, "kill -9 of Postgres, restart", &url, |writers| {
        for step in 1..=3 {
            writers.wait_for(step * STEP)?;
            server.kill_hard();
            server.start_again();
        }
        writers.wait_for(4 * STEP)
    })
}

fn measure_ended_connections(ground: &PostgresGround<'_>) -> Result<FaultRow> {
    let server = PostgresServer::start(ServerOptions::durable());
    let database = prepare(&server);
    let url = server.url(fill::OWNER, &database);
    write_through(ground, "all connections ended", &url, |writers| {
        for step in 1..=5 {
            writers.wait_for(step * STEP)?;
            server.terminate_backends(&database);
        }
        writers.wait_for(6 * STEP)
    })
}

fn measure_failover(ground: &PostgresGround<'_>) -> Result<FaultRow> {
    let mut server = PostgresServer::start(ServerOptions::durable());
    let database = prepare(&server);
    let replica = server.start_synchronous_replica();
    let (one, other, owner) = (server.port(), replica.port(), fill::OWNER);
    let url =
        format!("postgres://{owner}@127.0.0.1:{one},127.0.0.1:{other}/{database}?sslmode=disable");
    write_through(
        ground,
        "failover to a synchronous replica",
        &url,
        |writers| {
            writers.wait_for(2 * STEP)?;
            server.kill_hard();
            replica.promote();
            writers.wait_for(4 * STEP)
        },
    )
}

fn prepare(server: &PostgresServer) -> String {
    let database = server.create_database();
    server.run_sql("postgres", &format!("create role {} login", fill::OWNER));
    server.run_sql(
        "postgres",
        &format!("alter database {database} owner to {}", fill::OWNER),
    );
    database
}

/// Has writers write while something happens, and then looks for what they were acknowledged.
fn write_through(
    ground: &PostgresGround<'_>,
    what: &'static str,
    url: &str,
    happen: impl FnOnce(&Writers<'_>) -> Result<()>,
) -> Result<FaultRow> {
    let writers = Writers {
        ground,
        url: url.parse()?,
        n_acknowledged: AtomicUsize::new(0),
        facts: Mutex::default(),
        is_over: AtomicBool::new(false),
    };
    drop(writers.open()?);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .map(|name| {
                scope.spawn({
                    let writers = &writers;
                    move || writers.write(name)
                })
            })
            .collect();
        let happened = happen(&writers);
        writers.is_over.store(true, Ordering::Relaxed);
        for thread in threads {
            match thread.join() {
                Ok(done) => done?,
                Err(_) => bail!("a writer panicked"),
            }
        }
        happened
    })?;
    writers.count_losses(what)
}

impl<'a> Writers<'a> {
    fn open(&self) -> Result<PostgresStore> {
        let nonce = fill::random_number();
        Ok(PostgresStore::open(
            &self.url,
            &PostgresEnvironment::default(),
            nonce,
        )?)
    }

    /// Writes until it is over; a store that is away is asked again.
    fn write(&self, name: usize) -> Result<()> {
        let store: Ours<'a> = Ours::over(Box::new(self.open()?), self.ground.code);
        for index in (name * 100_000).. {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            let begun = Instant::now();
            while let Err(error) = store.remember(index, store.draft(0, index)?) {
                if begun.elapsed() > PATIENCE {
                    return Err(error);
                }
                thread::sleep(Duration::from_millis(50));
            }
            let fact = facts::fact(0, index).text;
            if let Ok(mut facts) = self.facts.lock() {
                facts.insert(fact);
            }
            self.n_acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn wait_for(&self, n: usize) -> Result<()> {
        let begun = Instant::now();
        while self.n_acknowledged.load(Ordering::Relaxed) < n {
            if begun.elapsed() > 2 * PATIENCE {
                bail!("writers do not go on");
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn count_losses(&self, what: &'static str) -> Result<FaultRow> {
        let all = MemoryFilter {
            spaces: vec![ours::space(0)?],
            limit: usize::MAX,
            ..MemoryFilter::default()
        };
        let memories = self.open()?.list_memories(&all)?;
        let found: BTreeSet<&str> = memories.iter().map(|it| it.fact.as_str()).collect();
        let acknowledged = self.facts.lock().map(|it| it.clone()).unwrap_or_default();
        let lost = acknowledged
            .iter()
            .filter(|it| !found.contains(it.as_str()));
        Ok(FaultRow {
            what,
            acknowledged: acknowledged.len(),
            lost: lost.count(),
            doubled: memories.len() - found.len(),
        })
    }
}
