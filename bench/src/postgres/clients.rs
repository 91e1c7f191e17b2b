//! Many clients at once.

use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use apostille_postgres_rig::PostgresServer;

use crate::stats::Sample;

/// How often a client does its work before it is timed: by then its statements are planned.
const WARM: usize = 10;

/// What clients did.
#[derive(Debug, Default)]
pub(crate) struct ClientLoad {
    /// How long each call took.
    pub(crate) sample: Sample,
    /// How many calls were answered in a second, by all together.
    pub(crate) per_second: f64,
    /// What a call had computed, here and by the server, in microseconds.
    pub(crate) cpu: [f64; 2],
    /// What went wrong.
    pub(crate) errors: Vec<String>,
}

/// Where time of processors is read: of this process, and of the server.
pub(crate) fn read_cpu_times(server: &PostgresServer) -> [Duration; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |it| it.1).split(' ');
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .filter_map(|it| it.parse::<u64>().ok())
        .sum();
    [Duration::from_millis(ticks * 10), server.read_cpu_time()]
}

/// Runs so many clients for a while. Each asks again as soon as it was answered; or, with a pace, as often as that, and is timed
/// from when the call was due.
pub(crate) fn run_clients<W: FnMut(usize) -> Result<()>>(
    server: &PostgresServer,
    n: usize,
    (time, pace): (Duration, Option<Duration>),
    make: impl Fn(usize) -> Result<W> + Sync,
) -> Result<ClientLoad> {
    let barrier = Barrier::new(n + 1);
    let client = |name: usize| {
        let made = make(name).and_then(|mut work| {
            (0..WARM).try_for_each(&mut work)?;
            Ok(work)
        });
        // Nobody begins before all are there, also where one could not be made.
        barrier.wait();
        let first_due = pace.map(|it| it.mul_f64(name as f64 / n as f64));
        let done = made.map(|mut work| (work_on(&mut work, time, pace.zip(first_due)), work));
        // Connections stay open until the server's time was read: what a backend computed is nowhere while it ends.
        barrier.wait();
        barrier.wait();
        done.map(|(load, _)| load)
    };
    let client = &client;
    let [mut before, mut after] = [[Duration::ZERO; 2]; 2];
    let loads: Vec<Result<ClientLoad>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|it| scope.spawn(move || client(it))).collect();
        barrier.wait();
        before = read_cpu_times(server);
        barrier.wait();
        after = read_cpu_times(server);
        barrier.wait();
        let join = |it: thread::ScopedJoinHandle<'_, Result<ClientLoad>>| {
            it.join()
                .unwrap_or_else(|_| Err(anyhow!("a client panicked")))
        };
        threads.into_iter().map(join).collect()
    });
    let mut all = ClientLoad::default();
    for load in loads {
        let load = load?;
        all.sample.extend(load.sample);
        all.errors.extend(load.errors);
        all.per_second += load.per_second;
    }
    let n_calls = all.sample.len().max(1) as f64;
    let each = |at: usize| after[at].saturating_sub(before[at]).as_secs_f64() * 1e6 / n_calls;
    all.cpu = [each(0), each(1)];
    Ok(all)
}

fn work_on(
    work: &mut impl FnMut(usize) -> Result<()>,
    time: Duration,
    pace: Option<(Duration, Duration)>,
) -> ClientLoad {
    let mut load = ClientLoad::default();
    let started = Instant::now();
    let mut n = 0_u32;
    while started.elapsed() < time {
        let due = match pace {
            Some((pace, first)) => started + first + pace * n,
            None => Instant::now(),
        };
        thread::sleep(due.saturating_duration_since(Instant::now()));
        match work(WARM + n as usize) {
            Ok(()) => load.sample.push(due.elapsed()),
            Err(error) => load.errors.push(format!("{error:#}")),
        }
        n += 1;
    }
    load.per_second = f64::from(n) / started.elapsed().as_secs_f64();
    load
}
