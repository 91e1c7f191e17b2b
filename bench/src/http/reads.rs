//! Reads at a fixed rate: each is due at its own time, and timed from then on, so that a server that falls behind is seen
//! to do so.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::{Ground, client::Ask, page::Page, server::Server};
use crate::{facts, mcp::SPACE, stats::Sample};

/// How many reads a second.
pub(crate) const RATE: usize = 200;
/// For how long.
const TIME: Duration = Duration::from_secs(15);
/// How many are ready to ask; more than are ever needed at once while the server keeps up.
const HANDS: usize = 16;
/// The reads, in turns.
pub(crate) const KINDS: [&str; 4] = [
    "POST /api/recall",
    "GET /api/memories",
    "GET /api/memories/{name}",
    "GET /api/stats",
];

fn ask(n: usize) -> Ask {
    match n % KINDS.len() {
        0 => Ask::post(
            "/api/recall",
            &json!({"query": facts::question(SPACE, n), "log": false}),
        ),
        1 => Ask::get("/api/memories?limit=20"),
        2 => Ask::get(format!("/api/memories/m-{}", 1 + n * 7 % 1_000)),
        _ => Ask::get("/api/stats"),
    }
}

/// Measures reads, by kind.
pub(crate) fn measured(ground: &Ground<'_>, page: &mut Page) -> Result<()> {
    if !ground.budget.has(TIME) {
        ground
            .budget
            .leave_out("reads at a fixed rate: there is not time enough");
        return Ok(());
    }
    let server = (ground.server)(&[])?;
    let mut warm = server.program();
    for n in 0..40 {
        let reply = warm.ask(&ask(n))?;
        ensure!(
            reply.status == 200,
            "{}: {}",
            KINDS[n % KINDS.len()],
            reply.body
        );
    }
    let mut samples: [Sample; KINDS.len()] = Default::default();
    for (kind, time) in at_rate(&server)? {
        samples[kind].push(time);
        page.reads_all.push(time);
    }
    page.reads = KINDS.into_iter().zip(samples).collect();
    Ok(())
}

fn at_rate(server: &Server) -> Result<Vec<(usize, Duration)>> {
    let (next, total) = (AtomicUsize::new(0), RATE * usize::try_from(TIME.as_secs())?);
    let start = Instant::now() + Duration::from_millis(50);
    let hand = || -> Result<Vec<(usize, Duration)>> {
        let (mut client, mut times) = (server.program(), Vec::new());
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= total {
                return Ok(times);
            }
            let due = start + Duration::from_secs(1).mul_f64(n as f64 / RATE as f64);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let reply = client.ask(&ask(n))?;
            times.push((n % KINDS.len(), due.elapsed()));
            ensure!(
                reply.status == 200,
                "{}: {} {}",
                KINDS[n % KINDS.len()],
                reply.status,
                reply.body
            );
        }
    };
    thread::scope(|scope| {
        let hands: Vec<_> = (0..HANDS).map(|_| scope.spawn(hand)).collect();
        let times = hands
            .into_iter()
            .map(|it| it.join().ok().context("a client broke off")?);
        Ok(times
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    })
}
